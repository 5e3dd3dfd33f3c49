// SPDX-License-Identifier: Apache-2.0

// One given run, step by step, with everything that a report wants to know about it.
#pragma once

#include <algorithm>
#include <cstring>

#include "scheduler/runs/strategy.hpp"
#include "scheduler/runs/trace.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper {

// Says how a step differs from its recorded label; empty: not at all.
[[nodiscard]] std::string label_difference(const TraceStep& step, const std::string& recorded);

template <System S>
class Replay {
  public:
    using State = typename S::State;

    Replay(const S& system, const ReplayOptions& options, TraceSubject subject = {})
        : system_(system),
          options_(options),
          judge_(options.check),
          watching_(options.watch),
          state_(system.initial()),
          values_(subject) {
        trace_.initial_state = system_.show(state_);
        judge_.judge_rest(system_, state_, [&](std::size_t i) { violate(i, nullptr); });
        if (options_.describes) {
            describe_beginning(subject);
        }
    }

    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] const Trace& trace() const { return trace_; }

    // Runs the schedule as the options say; false: it diverged and was stopped.
    bool run(const Schedule& schedule) {
        for (std::size_t i = 0; i < schedule.actions.size() && !is_cut(); ++i) {
            if (i == options_.cycle_start) {
                trace_.cycle_start = trace_.steps.size();
                cycle_state_ = state_;
                stands_at_the_end_ = true;
            }
            Action action = schedule.actions[i];
            system_.enabled(state_, possible_);
            if (!possible_.contains(action)) {
                diverge(i, "action " + to_text(action) + " is not possible; possible: " + list());
                if (options_.on_divergence == OnDivergence::kStop) {
                    return false;
                }
                const auto nearest = same_party(action);
                if (options_.on_divergence == OnDivergence::kContinue || !nearest) {
                    continue;
                }
                action = *nearest;
            }
            stands_at_the_end_ = stands_at_the_end_ && action.kind != ActionKind::kTime &&
                                 lockkeeper::time_is_over(system_, state_);
            take(action);
            if (i < options_.labels.size() && !options_.labels[i].empty() && !labelled(i) &&
                options_.on_divergence == OnDivergence::kStop) {
                return false;
            }
        }
        return true;
    }

    // Whether the run is to end before its next step.
    bool is_cut() {
        trace_.is_cut = trace_.is_cut || (options_.stop && options_.stop());
        return trace_.is_cut;
    }

    void take(Action action) {
        TraceStep step;
        step.action = action;
        if (options_.describes) {
            describe_before(step);
        }
        step.event = system_.apply(state_, action);
        if (options_.describes) {
            describe_after(step);
        }
        note_history(step.event);
        if (judge_.interested_in(step.event)) {
            judge_.judge_step(system_, state_, step.event,
                              [&](std::size_t i) { violate(i, &step); });
        }
        judge_.judge_rest(system_, state_, [&](std::size_t i) { violate(i, &step); });
        watch(step);
        trace_.steps.push_back(std::move(step));
    }

    Trace finish() {
        system_.enabled(state_, possible_);
        trace_.all_finished = system_.finished(state_);
        const bool has_ended = only_faults(possible_) && !trace_.all_finished;
        trace_.time_is_over = has_ended && lockkeeper::time_is_over(system_, state_);
        trace_.deadlocked = has_ended && !trace_.time_is_over;
        if (trace_.deadlocked) {
            if (const auto deadlock = judge_.index_of(PropertyNumber::kDeadlock)) {
                violate(*deadlock, trace_.steps.empty() ? nullptr : &trace_.steps.back());
            }
        }
        note_cycle();
        trace_.judged = options_.check;
        trace_.judged.insert(trace_.judged.end(), options_.watch.begin(), options_.watch.end());
        trace_.overlaps = overlaps_.overlaps();
        trace_.fields = std::move(values_.fields());
        trace_.initial_values = std::move(values_.initial());
        trace_.messages = std::move(messages_.messages());
        system_.observe(state_, observation_);
        for (std::size_t key = 0; key < observation_.keys_count; ++key) {
            trace_.counters.push_back(observation_.keys[key].counters);
        }
        return std::move(trace_);
    }

    // The result of a step, in the words of a report.
    [[nodiscard]] std::string result_of(const Event& event) const {
        std::string text;
        const auto add = [&](const std::string& words) {
            text += (text.empty() ? "" : ", ") + words;
        };
        if (event.value != Event::kNoValue) {
            add(std::to_string(event.value));
        }
        if (event.is(kAcquired)) {
            add(event.count == Event::kNoValue ? "acquired"
                                               : "acquired, count " + std::to_string(event.count));
        }
        struct Words {
            EventBit bit;
            const char* words;
            Breach breach = {};  // of kBreach
        };
        constexpr Words kWords[] = {
            {kRefused, "full"},
            {kReleased, "released"},
            {kForcedRelease, "forced"},
            {kNothingToRelease, "out_of_buckets"},
            {kForeignRelease, "unexpected_unlock"},
            {kDone, "done"},
            {kLost, "lost"},
            {kEffectRefused, "effect refused"},
            {kBreach, "effect taken, no longer protected", Breach::kUnprotected},
            {kBreach, "removed another's record", Breach::kForeignRemoval},
            {kBreach, "though it had been lost", Breach::kFalseOk},
            {kOverlap, "another holds, too"},
            {kBreach, "stale", Breach::kStale},
            {kBreach, "told too late", Breach::kToldLate},
            {kBreach, "free too late", Breach::kFreeLate},
            {kBreach, "it had been done before", Breach::kRepeated},
            {kBreach, "too many messages wait", Breach::kWaitsLong},
            {kCallerDied, "the caller dies"},
            {kServersDied, "the manager dies"},
        };
        for (const auto& [bit, words, breach] : kWords) {
            const bool is_shown = bit == kBreach ? event.is(breach) : event.is(bit);
            if (is_shown && !(bit == kRefused && event.error != 0)) {
                add(words);
            }
        }
        if (event.error != 0) {
            add(error_name(event) + error_code(event));
        }
        return text.empty() ? text : "-> " + text;
    }

  private:
    [[nodiscard]] std::string error_name(const Event& event) const {
        return event.error == 0 ? "" : lockkeeper::error_name(system_, event.error);
    }

    // " (409)", where errors have one.
    [[nodiscard]] std::string error_code(const Event& event) const {
        const std::string code = lockkeeper::error_code(system_, event.error);
        return code.empty() ? "" : " (" + code + ")";
    }

    void violate(std::size_t index, TraceStep* step) {
        const Property* property = judge_.properties()[index];
        if (step != nullptr) {
            step->violates.push_back(property);
        }
        if (std::find(trace_.violated.begin(), trace_.violated.end(), property) ==
            trace_.violated.end()) {
            trace_.violated.push_back(property);
        }
    }

    void watch(TraceStep& step) {
        const auto note = [&](std::size_t i) {
            step.also_violates.push_back(watching_.properties()[i]);
        };
        if (watching_.interested_in(step.event)) {
            watching_.judge_step(system_, state_, step.event, note);
        }
        watching_.judge_rest(system_, state_, note);
    }

    void diverge(std::size_t step, std::string reason) {
        trace_.divergences.push_back({step, std::move(reason)});
    }

    [[nodiscard]] std::string list() const {
        std::string text;
        for (Action action : possible_) {
            text += text.empty() ? "" : " ";
            text += to_text(action);
        }
        return text.empty() ? "nothing" : text;
    }

    [[nodiscard]] std::optional<Action> same_party(Action wanted) const {
        for (Action action : possible_) {
            if (party_of(action) == party_of(wanted)) {
                return action;
            }
        }
        return std::nullopt;
    }

    bool labelled(std::size_t at) {
        const std::string difference = label_difference(trace_.steps.back(), options_.labels[at]);
        if (!difference.empty()) {
            diverge(at, difference);
        }
        return difference.empty();
    }

    // Descriptions of steps and of the states beside them.
    void describe_beginning(const TraceSubject& subject) {
        look_at_state(0);
        trace_.names = shown_names(system_);
        trace_.parties = parties_of(subject, observation_.callers_count, trace_.names.servers);
        trace_.keys = keys_of(subject, observation_.keys_count);
        trace_.features = subject.features;
        values_.begin({observation_, shown_});
        messages_.begin(shown_);
    }
    void describe_before(TraceStep& step) const {
        step.text = system_.describe(state_, step.action);
        step.words = words_of(system_, state_, step.action);
        step.act = server_act(system_, state_, step.action);
        step.party = party_index(step.words.doer, step.action, observation_.callers_count);
    }
    void describe_after(TraceStep& step) {
        const std::size_t number = trace_.steps.size() + 1;
        step.result = result_of(step.event);
        step.state = system_.show(state_);
        look_at_state(number);
        step.changes = values_.changes({observation_, shown_}, step.event);
        messages_.look(shown_, step.action, step.event, number);
    }
    void look_at_state(std::size_t steps_count) {
        system_.observe(state_, observation_);
        overlaps_.look(observation_, steps_count);
        shown_.resize(observation_.callers_count);
        for (std::size_t i = 0; i < shown_.size(); ++i) {
            shown_[i] = shown_of(system_, state_, i);
        }
    }

    void note_history(const Event& event) {
        if (event.caller == Event::kNoCaller) {
            return;
        }
        const auto step = static_cast<std::uint32_t>(trace_.steps.size());
        HistoryEntry entry{step, event.caller, HistoryType::kInvoke, Verb::kAcquire, event.key, {}};
        Verb& verb = current_verb_[event.caller];
        bool& open = open_[event.caller];
        if (event.is(kInvoked)) {
            verb = event.invoked;
            open = true;
            entry.verb = verb;
            trace_.history.push_back(entry);
        }
        entry.verb = verb;
        if (event.is(kAcquired) || event.is(kReleased) || event.is(kDone)) {
            entry.type = HistoryType::kOk;
            const bool counted = event.is(kAcquired) && event.count != Event::kNoValue;
            entry.value = counted ? std::optional(event.count) : std::nullopt;
        } else if (event.is(kRefused) || event.is(kFailed)) {
            entry.type = HistoryType::kFail;
            entry.error = error_name(event);
        } else if (open && (event.is(kCallerDied) || event.is(kCrashed))) {
            entry.type = HistoryType::kInfo;
        } else {
            return;
        }
        open = false;
        trace_.history.push_back(entry);
    }

    void note_cycle() {
        if (trace_.cycle_start == static_cast<std::size_t>(-1) ||
            trace_.cycle_start >= trace_.steps.size()) {
            return;
        }
        trace_.cycle_closes = std::memcmp(&cycle_state_, &state_, sizeof(State)) == 0;
        const auto livelock = judge_.index_of(PropertyNumber::kLivelock);
        trace_.time_is_over = trace_.time_is_over || (trace_.cycle_closes && stands_at_the_end_);
        if (trace_.cycle_closes && livelock && !stands_at_the_end_) {
            violate(*livelock, &trace_.steps.back());
        }
    }

    const S& system_;
    const ReplayOptions& options_;
    Judge judge_;
    Judge watching_;
    State state_;
    State cycle_state_{};
    bool stands_at_the_end_ = false;  // of time, in the whole cycle
    ActionList possible_;
    Trace trace_;
    OverlapWatch overlaps_;
    ValueWatch values_;
    MessageWatch messages_;
    Observation observation_{};
    std::vector<CallerShown> shown_;
    std::array<Verb, 256> current_verb_{};
    std::array<bool, 256> open_{};
};

}  // namespace lockkeeper
