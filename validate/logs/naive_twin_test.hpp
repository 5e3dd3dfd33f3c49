// SPDX-License-Identifier: Apache-2.0

// The search again, without any of its ideas: every order of every line and every step that no line
// shows, one after another, and times by solving their inequalities. For logs of a few lines.
//
// Reads the same Problem for lines, callers and weights, and nothing of Walk. Locks are written
// down once more: an owner-aware mutex, a semaphore, a lease.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "validate/logs/naive_world_test.hpp"

namespace lockkeeper::logs::testing_logs {

class NaiveTwin : private NaiveWorld {
  public:
    NaiveTwin(const Problem& problem, NaiveLock lock, std::int64_t number, std::uint32_t lost_max,
              std::uint32_t unseen_max)
        : NaiveWorld(problem, lock, number), lost_max_(lost_max), unseen_max_(unseen_max) {}

    // The least cost; nothing: no run.
    std::optional<Cost> least() {
        State state;
        state.cursors.resize(problem_.sources.size(), 0);
        state.current.resize(problem_.callers.size());
        state.held.resize(problem_.callers.size(), 0);
        state.own.resize(problem_.callers.size(), 0);
        go(state);
        return best_;
    }

    // It took too long, and knows nothing.
    [[nodiscard]] bool gave_up() const { return steps_ > kStepsMax; }

  private:
    void go(const State& state) {
        if (++steps_ > kStepsMax) {
            return;
        }
        if (least_lost(state) > lost_max_ + unseen_max_ || state.cost.lost > lost_max_ ||
            state.cost.unseen > unseen_max_ || (best_ && state.cost.packed() >= best_->packed()) ||
            !is_possible(state)) {
            return;
        }
        bool is_end = true;
        for (std::uint32_t source = 0; source < state.cursors.size(); ++source) {
            if (state.cursors[source] < problem_.sources[source].size()) {
                is_end = false;
                read(state, source);
            }
        }
        if (is_end) {
            end(state);
            return;
        }
        for (std::uint32_t caller = 0; caller < state.current.size(); ++caller) {
            silent(state, caller);
        }
        for (std::size_t i = 0; i < state.requests.size(); ++i) {
            State next = state;
            const Request request = state.requests[i];
            next.requests.erase(next.requests.begin() + static_cast<std::ptrdiff_t>(i));
            next.cost.lost += missing_of_server(state, request.caller, request.code, false);
            event(next, kLongAgo, kNever);
            if (serve(next, request.caller, request.code, false)) {
                go(next);
            }
        }
    }

    // Counts what is missing already, and what operations miss that can have no answer any more.
    [[nodiscard]] std::uint32_t least_lost(const State& state) const {
        std::uint32_t least = state.cost.lost + state.cost.unseen;
        for (std::uint32_t caller = 0; caller < state.current.size(); ++caller) {
            const std::optional<Operation>& current = state.current[caller];
            if (!current || current->has_call || current->has_served_line) {
                continue;
            }
            const bool is_answered =
                has_more(state, caller) &&
                problem_.own_line(caller, state.own[caller]).seen == Seen::kAnswer &&
                problem_.own_line(caller, state.own[caller]).code == current->code;
            least += is_answered || current->paid > 0 ? 0U : 1U;
        }
        return least;
    }

    void end(State state) {
        for (std::uint32_t caller = 0; caller < state.current.size(); ++caller) {
            if (state.current[caller]) {
                const Operation operation = *state.current[caller];
                if (!operation.has_call) {
                    pay_unanswered(state, caller, operation);
                }
            }
        }
        if (state.cost.lost <= lost_max_ && state.cost.unseen <= unseen_max_ &&
            (!best_ || state.cost.packed() < best_->packed())) {
            best_ = state.cost;
        }
    }

    // An operation with neither call nor answer: its call and answer are missing, and something
    // always is.
    void pay_unanswered(State& state, std::uint32_t caller, const Operation& operation) const {
        const Weights& w = weights(caller, operation.code);
        if (operation.has_served_line) {
            const bool is_first = state.own[caller] == 0;
            const std::uint8_t answer = operation.is_refused ? w.answer : w.granted;
            state.cost.lost +=
                is_first ? 0U
                         : w.call + (has_more(state, caller) || operation.acts_later ? answer : 0U);
        } else if (operation.is_foreign) {
            state.cost.lost = lost_max_ + 1;  // no line shows it: nobody need believe that
        } else if (!problem_.is_shown[static_cast<std::size_t>(operation.code)]) {
            ++state.cost.unseen;
        } else {
            const std::uint32_t all =
                static_cast<std::uint32_t>(w.call) + w.served + w.written + w.answer;
            state.cost.lost += std::max<std::uint32_t>(1, all) - operation.paid;
        }
    }

    void silent_service(const State& state, std::uint32_t caller) {
        const LockCode code = state.current[caller]->code;
        for (const bool is_refused : {false, true}) {
            State next = state;
            const std::uint32_t missing = missing_of_server(state, caller, code, is_refused);
            next.cost.lost += missing;
            next.current[caller]->paid = missing;
            next.current[caller]->is_served = true;
            next.current[caller]->is_refused = is_refused;
            event(next, kLongAgo, kNever);
            if (serve(next, caller, code, is_refused)) {
                go(next);
            }
        }
    }

    void silent(const State& state, std::uint32_t caller) {
        const std::optional<Operation>& current = state.current[caller];
        if (!current) {
            if (!state.has_begun && state.own[caller] == 0 && !state.leaseholder) {
                State next = state;
                ++next.cost.unseen;
                event(next, kLongAgo, kNever);
                if (serve(next, caller, LockCode::kAcquire, false, true)) {
                    go(next);
                }
            }
            for (const LockCode code : {LockCode::kAcquire, LockCode::kRelease, LockCode::kRenew}) {
                // It begins when it is served: nothing shows when it began before.
                if (problem_.model->knows(code)) {
                    State next = state;
                    next.current[caller] = Operation{code};
                    silent_service(next, caller);
                }
            }
            return;
        }
        if (!current->is_served) {
            silent_service(state, caller);
        }
        // Its answer is not there. Without a call either, it has at least been granted.
        if (current->has_call || (current->is_served && !current->is_refused) ||
            current->has_served_line) {
            State next = state;
            if (!current->has_call) {
                pay_unanswered(next, caller, *current);
            }
            // Where an answer follows that could be its own, one of its own came before.
            const bool is_split =
                has_more(state, caller) &&
                problem_.own_line(caller, state.own[caller]).seen == Seen::kAnswer &&
                problem_.own_line(caller, state.own[caller]).code == current->code;
            if (!current->is_served && !is_split) {
                next.requests.push_back({caller, current->code});
            }
            next.current[caller].reset();
            go(next);
        }
    }

    void read(const State& before, std::uint32_t source) {
        State state = before;
        const std::uint32_t position = state.cursors[source]++;
        const Line& line = problem_.sources[source][position];
        event(state, line.earliest, line.latest);
        switch (line.seen) {
            case Seen::kCall: read_call(state, line, {source, position}); return;
            case Seen::kAnswer: read_answer(state, line, {source, position}); return;
            case Seen::kServed: read_served(state, line); return;
            case Seen::kState: read_state(state, line); return;
            case Seen::kEffect: break;
        }
        State other = state;
        if (covers(state, line.caller)) {
            go(state);
        }
        ++other.cost.uncovered;
        go(other);
    }

    void read_call(State& state, const Line& line, Place place) {
        if (state.current[line.caller] ||
            !(problem_.own[line.caller][state.own[line.caller]] == place)) {
            return;
        }
        ++state.own[line.caller];
        state.current[line.caller] = Operation{line.code, true};
        go(state);
    }

    void read_answer(State& state, const Line& line, Place place) {
        std::optional<Operation>& current = state.current[line.caller];
        if (!current && (line.outcome == Outcome::kFailed || line.outcome == Outcome::kUnknown)) {
            current = Operation{line.code};
        }
        if (!current || current->code != line.code ||
            !(problem_.own[line.caller][state.own[line.caller]] == place)) {
            return;
        }
        const bool is_decided = line.outcome == Outcome::kOk || line.outcome == Outcome::kRefused;
        if (is_decided
                ? !current->is_served || current->is_refused != (line.outcome == Outcome::kRefused)
                : current->is_served && line.outcome == Outcome::kFailed) {
            return;
        }
        if (current->is_served && current->is_refused && !current->has_served_line && !is_decided) {
            return;  // a time-out hides a refusal, which nobody needs
        }
        ++state.own[line.caller];
        const bool is_first = state.own[line.caller] == 1;
        state.cost.lost +=
            current->has_call || is_first ? 0U : weights(line.caller, line.code).call;
        if (line.outcome == Outcome::kUnknown && !current->is_served) {
            state.requests.push_back({line.caller, line.code});
        }
        current.reset();
        go(state);
    }

    void read_served(const State& before, const Line& line) {
        for (const bool is_refused : {false, true}) {
            const std::optional<Operation>& current = before.current[line.caller];
            if (!current || (current->code == line.code && !current->is_served)) {
                State state = before;
                state.current[line.caller] = current.value_or(Operation{line.code});
                state.current[line.caller]->is_served = true;
                state.current[line.caller]->is_refused = is_refused;
                state.current[line.caller]->has_served_line = true;
                state.current[line.caller]->acts_later = acts_later(state, line.caller);
                if (serve(state, line.caller, line.code, is_refused)) {
                    go(state);
                }
            }
            for (std::size_t i = 0; i < before.requests.size(); ++i) {
                if (before.requests[i].caller == line.caller &&
                    before.requests[i].code == line.code) {
                    State state = before;
                    state.requests.erase(state.requests.begin() + static_cast<std::ptrdiff_t>(i));
                    if (serve(state, line.caller, line.code, is_refused)) {
                        go(state);
                    }
                }
            }
        }
    }

    void read_state(State& state, const Line& line) {
        state.has_begun = true;
        for (std::uint32_t i = 0; i < state.held.size(); ++i) {
            const bool is_holder =
                lock_ == NaiveLock::kLease ? state.leaseholder == i : state.held[i] > 0;
            if (line.caller == i && !is_holder) {
                return;
            }
            if (line.caller == kNobody && is_holder) {
                if (lock_ != NaiveLock::kLease) {
                    return;
                }
                state.inequalities.push_back({state.granted, state.windows.size() - 1, number_});
            }
        }
        go(state);
    }

    std::uint32_t lost_max_;
    std::uint32_t unseen_max_;
    static constexpr std::size_t kStepsMax = 40'000;
    std::optional<Cost> best_;
    std::size_t steps_ = 0;
};

}  // namespace lockkeeper::logs::testing_logs
