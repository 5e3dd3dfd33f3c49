// SPDX-License-Identifier: Apache-2.0
#include "work/wanted_program_run.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "validate/outside/misbehaviour.hpp"
#include "work/wanted_rules.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kBytesOfKnown = 64;  // beside the key

// Actions of a source that are no choice of a caller or of the program.
bool is_fault_of_source(Action action) {
    return action.kind == ActionKind::kCrash || action.kind == ActionKind::kResize;
}

Event begun(const OutsideStep& step, Action action) {
    Event event;
    event.caller = action.actor;
    if (step.called) {
        event.what |= kInvoked;
        event.invoked = step.called->verb;
    }
    return event;
}

std::uint32_t answer_bits(const CallEnd& end) {
    using Kind = Told::Kind;
    const Kind kind = end.told ? end.told->kind : Kind::kUnknown;
    const bool is_ok = kind == Kind::kOk || kind == Kind::kDone;
    if (end.verb == Verb::kAcquire) {
        return is_ok ? kAcquired : kind == Kind::kRefused ? kRefused : kFailed;
    }
    return !is_ok ? kFailed : end.verb == Verb::kRelease ? kReleased : kDone;
}

class WantedProgramSearch {
  public:
    WantedProgramSearch(Source& source, const std::vector<WantedOperation>& operations,
                        const WantedLimits& limits)
        : source_(source), rules_(operations), limits_(limits) {}

    WantedRun run() {
        try_runs({.come_last = true});
        // Whoever asks again and again waits for a time that comes although it could go on.
        if (!run_.is_found && run_.is_complete && time_.are_left_out) {
            try_runs({.come_last = false});
        }
        // A source lets no time pass where its scenario has no more, and somebody can go on.
        run_.is_complete =
            run_.is_complete && (run_.is_found || !time_.are_offered || !time_.are_withheld);
        run_.schedule.actions = run_.is_found ? actions() : furthest_;
        if (!run_.is_found && run_.why.empty()) {
            run_.why = "the call does not come";
            run_.missed = rules_.first_missing(furthest_progress_);
        }
        return std::move(run_);
    }

  private:
    // One state of the run, and the steps that are still to be tried from it.
    struct Frame {
        std::vector<Action> choices;
        std::size_t next = 0;
        WantedProgress progress;
        // What must come again where the same steps are taken again.
        std::vector<Action> enabled = {};
        std::size_t fingerprint = 0;
        std::string seen = {};
        std::string shown = {};  // the step that has been chosen, with its result
    };

    // Steps of time, of one search.
    struct TimeSteps {
        bool come_last;             // only where nobody can take another one
        bool are_left_out = false;  // somewhere, for that
        bool are_offered = false;
        bool are_withheld = false;  // somewhere somebody can go on, and none is offered
    };

    void try_runs(TimeSteps time) {
        time_ = time;
        known_.clear();
        known_bytes_ = 0;
        source_.begin();
        is_there_ = true;
        add(rules_.beginning());
        while (!frames_.empty() && !run_.is_found && run_.is_complete) {
            Frame& frame = frames_.back();
            if (frame.next == frame.choices.size()) {
                frames_.pop_back();
                is_there_ = false;
            } else {
                go(frame.choices[frame.next++]);
            }
        }
        if (run_.is_found) {
            repeat();
        }
    }

    // Takes the steps that lead to the last frame once more. Throws DifferentAnswer.
    void repeat() {
        source_.begin();
        const std::vector<Action> path = actions();
        for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
            spend();
            check_same(i);
            const OutsideStep step = source_.take(path[i]);
            const std::string shown = shown_step(step.text, step.result);
            if (shown != frames_[i].shown) {
                throw DifferentAnswer(fmt::format("step {}: first \"{}\", then \"{}\"", i + 1,
                                                  frames_[i].shown, shown));
            }
        }
        is_there_ = true;
    }

    void check_same(std::size_t depth) {
        const Frame& frame = frames_[depth];
        const std::vector<Action> enabled = source_.enabled();
        if (enabled != frame.enabled || source_.fingerprint() != frame.fingerprint) {
            throw DifferentAnswer(fmt::format(
                "after the same {} steps: first {}, {} steps possible; then {}, {} steps possible",
                depth, frame.seen, frame.enabled.size(), source_.seen(), enabled.size()));
        }
    }

    // The steps that have been taken: of each frame the last that was chosen.
    [[nodiscard]] std::vector<Action> actions() const {
        std::vector<Action> taken;
        for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
            taken.push_back(frames_[i].choices[frames_[i].next - 1]);
        }
        return taken;
    }

    // The source has just come here.
    void add(WantedProgress progress) {
        const std::size_t returned = WantedRules::returned(progress);
        Frame frame;
        frame.progress = std::move(progress);
        if (rules_.is_done(frame.progress)) {
            run_.is_found = true;
        } else if (is_new(frame.progress)) {
            frame.enabled = source_.enabled();
            frame.fingerprint = source_.fingerprint();
            frame.seen = source_.seen();
            frame.choices = choices(frame);
        }
        frames_.push_back(std::move(frame));
        if (returned > furthest_returned_ || furthest_progress_.empty()) {
            run_.why = "";
            furthest_returned_ = returned;
            furthest_ = actions();
            furthest_progress_ = frames_.back().progress;
        }
    }

    bool is_new(const WantedProgress& progress) {
        if (!source_.knows_states()) {
            return true;
        }
        std::string key = source_.key();
        key.append(reinterpret_cast<const char*>(progress.data()),
                   progress.size() * sizeof(CallerProgress));
        known_bytes_ += key.size() + kBytesOfKnown;
        run_.is_complete = run_.is_complete && known_bytes_ <= limits_.bytes_max;
        return known_.insert(std::move(key)).second;
    }

    // Whoever has the next operation of the run comes first, and time comes last: at first only
    // where nothing else does.
    [[nodiscard]] std::vector<Action> choices(const Frame& frame) {
        const WantedProgress& progress = frame.progress;
        std::vector<Action> possible = frame.enabled;
        std::erase_if(possible, is_fault_of_source);
        const auto is_time = [](Action action) { return action.kind == ActionKind::kTime; };
        const bool offers_time = std::any_of(possible.begin(), possible.end(), is_time);
        time_.are_offered = time_.are_offered || offers_time;
        time_.are_withheld = time_.are_withheld || (!possible.empty() && !offers_time);
        if (time_.come_last && !std::all_of(possible.begin(), possible.end(), is_time)) {
            time_.are_left_out = std::erase_if(possible, is_time) > 0 || time_.are_left_out;
        }
        const auto rank = [&](Action action) {
            const bool is_wanted =
                action.kind == ActionKind::kStep && rules_.has_next(progress, action.actor);
            return is_wanted ? rules_.next_of(progress, action.actor) : SIZE_MAX;
        };
        std::stable_sort(possible.begin(), possible.end(),
                         [&](Action left, Action right) { return rank(left) < rank(right); });
        std::stable_partition(possible.begin(), possible.end(), std::not_fn(is_time));
        return possible;
    }

    void go(Action action) {
        if (!is_there_) {
            repeat();
            check_same(frames_.size() - 1);
        }
        spend();
        WantedProgress progress = frames_.back().progress;
        const OutsideStep step = source_.take(action);
        frames_.back().shown = shown_step(step.text, step.result);
        if (const char* why = follow(progress, step, action)) {
            is_there_ = false;
            note(step, action, why);
            return;
        }
        add(std::move(progress));
    }

    // One step of the program can begin a call and end it.
    const char* follow(WantedProgress& progress, const OutsideStep& step, Action action) const {
        if (action.kind != ActionKind::kStep) {
            return nullptr;
        }
        Event event = begun(step, action);
        if (const char* why = rules_.follow(progress, event)) {
            return why;
        }
        if (!step.returned) {
            return nullptr;
        }
        event.what = answer_bits(*step.returned);
        return rules_.follow(progress, event);
    }

    void note(const OutsideStep& step, Action action, const char* why) {
        const WantedProgress& before = frames_.back().progress;
        const bool is_furthest = WantedRules::returned(before) == furthest_returned_;
        if (is_furthest && run_.why.empty() && why != WantedRules::kTooEarly) {
            run_.why = shown_step(step.text, step.result) + ": " + why;
            run_.missed = rules_.next_of(before, action.actor);
        }
    }

    void spend() {
        ++run_.states;
        const bool is_stopped = limits_.stop && run_.states % 64 == 0 && limits_.stop();
        if (run_.states >= limits_.states_max || is_stopped) {
            run_.is_complete = false;
        }
    }

    Source& source_;
    WantedRules rules_;
    const WantedLimits& limits_;
    WantedRun run_;
    std::vector<Frame> frames_;
    bool is_there_ = true;  // the source is where the last frame is
    TimeSteps time_{true};
    std::unordered_set<std::string> known_;
    std::uint64_t known_bytes_ = 0;
    std::size_t furthest_returned_ = 0;
    std::vector<Action> furthest_;
    WantedProgress furthest_progress_;
};

}  // namespace

WantedRun find_wanted_run(Source& source, const std::vector<WantedOperation>& operations,
                          const WantedLimits& limits) {
    return WantedProgramSearch(source, operations, limits).run();
}

}  // namespace lockkeeper
