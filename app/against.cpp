// Driving the candidate: runs at random, given runs, and smaller ones.
#include "app/against.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/against_reference.hpp"
#include "model/random.hpp"

namespace lockkeeper::against {
namespace {

bool is_choice(Action action) {
    return action.kind == ActionKind::kStep || action.kind == ActionKind::kBackground;
}

// The run so far, told of each step.
class Recorder {
  public:
    Recorder(const ErasedSystem& system, bool with_counts)
        : system_(system), with_counts_(with_counts), state_(system.initial()) {}

    // Those among what is possible that may be chosen.
    const std::vector<Action>& choices() {
        ActionList all;
        system_.enabled(state_, all);
        choices_.clear();
        for (const Action action : all) {
            if (is_choice(action)) {
                choices_.push_back(action);
            }
        }
        return choices_;
    }

    void take(Action action) {
        const Event event = system_.apply(state_, action);
        run_.actions.push_back(action);
        const std::size_t step = run_.actions.size();
        if (event.is(kInvoked) && !event.passed_signal()) {
            open_[event.caller] = run_.calls.size();
            ObservedCall call;
            call.caller = event.caller;
            call.verb = event.invoked;
            call.key = event.key;
            call.called = step;
            run_.calls.push_back(call);
        }
        const bool known = event.caller < kCallersMax && open_[event.caller];
        if ((event.what & kReturns) != 0 && known) {
            ObservedCall& call = run_.calls[*open_[event.caller]];
            call.returned = step;
            call.answer = answer_of(system_, event, with_counts_);
            call.granted = event.is(kAcquired);
            call.refused = event.is(kRefused);
            open_[event.caller].reset();
        }
    }

    ObservedRun finish() {
        run_.stuck = choices().empty() && !system_.finished(state_);
        run_.at_rest = system_.finished(state_) && system_.quiescent(state_);
        if (run_.at_rest) {
            units_of(system_, state_, run_.units_least, run_.units_most);
        }
        return std::move(run_);
    }
    ObservedRun& run() { return run_; }

  private:
    const ErasedSystem& system_;
    bool with_counts_;
    ErasedSystem::State state_;
    std::vector<Action> choices_;
    std::array<std::optional<std::size_t>, kCallersMax> open_{};
    ObservedRun run_;
};

}  // namespace

std::string_view name_of(Difference difference) {
    switch (difference) {
        case Difference::kNone: return "equal";
        case Difference::kUndecided: return "undecided";
        case Difference::kStricter: return "stricter";
        case Difference::kLooser: return "looser";
        case Difference::kWrong: return "wrong";
    }
    return "?";
}

Against::Against(Side candidate, Side reference)
    : candidate_(std::move(candidate.system)),
      reference_(std::move(reference.system)),
      compares_counts_((candidate.features & reference.features & kShowsCount) != 0),
      compares_units_((candidate.features & reference.features & kShowsCounters) != 0) {}

ObservedRun Against::run_at_random(std::uint64_t seed, std::uint64_t steps_max) const {
    Random random(seed);
    Recorder recorder(candidate_, compares_counts_);
    // How seldom another party is chosen than the last one: of each kind a third of the runs.
    const std::uint32_t stays = static_cast<std::uint32_t>(seed % 3) * 2;
    Action last{};
    while (recorder.run().actions.size() < steps_max) {
        const std::vector<Action>& choices = recorder.choices();
        if (choices.empty()) {
            return recorder.finish();
        }
        Action chosen = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
        if (random.below(stays + 1) != 0) {
            for (const Action action : choices) {
                if (action.kind == last.kind && action.actor == last.actor) {
                    chosen = action;
                }
            }
        }
        recorder.take(chosen);
        last = chosen;
    }
    ObservedRun run = recorder.finish();
    run.cut = !run.at_rest && !run.stuck;
    return run;
}

ObservedRun Against::run(const std::vector<Action>& actions) const {
    Recorder recorder(candidate_, compares_counts_);
    for (const Action action : actions) {
        const std::vector<Action>& choices = recorder.choices();
        if (std::find(choices.begin(), choices.end(), action) != choices.end()) {
            recorder.take(action);
        }
    }
    return recorder.finish();
}

Explanation Against::explain(const ObservedRun& observed) const {
    return ReferenceSearch(reference_, compares_counts_, compares_units_).explain(observed);
}

ObservedRun Against::shrink(const ObservedRun& observed, Difference kind) const {
    const auto still = [&](const std::vector<Action>& actions) -> std::optional<ObservedRun> {
        ObservedRun run = this->run(actions);
        const Explanation found = explain(run);
        if (found.difference != kind) {
            return std::nullopt;
        }
        if (found.call && run.calls[*found.call].returned) {
            std::vector<Action> until = run.actions;
            until.resize(*run.calls[*found.call].returned);
            if (until.size() < run.actions.size()) {
                ObservedRun shorter = this->run(until);
                if (explain(shorter).difference == kind) {
                    return shorter;
                }
            }
        }
        return run;
    };
    ObservedRun best = still(observed.actions).value_or(observed);
    // Whole callers first, then ever smaller pieces.
    for (std::uint8_t caller = 0; caller < kCallersMax; ++caller) {
        std::vector<Action> without;
        for (const Action action : best.actions) {
            if (action.actor != caller) {
                without.push_back(action);
            }
        }
        if (without.size() == best.actions.size()) {
            continue;
        }
        if (auto smaller = still(without)) {
            best = std::move(*smaller);
        }
    }
    for (std::size_t piece = best.actions.size() / 2; piece > 0;) {
        bool smaller_found = false;
        for (std::size_t begin = 0; begin < best.actions.size();) {
            std::vector<Action> without = best.actions;
            const auto first = without.begin() + static_cast<std::ptrdiff_t>(begin);
            const std::size_t count = std::min(piece, without.size() - begin);
            without.erase(first, first + static_cast<std::ptrdiff_t>(count));
            auto smaller = still(without);
            if (smaller && smaller->actions.size() < best.actions.size()) {
                best = std::move(*smaller);
                smaller_found = true;
            } else {
                begin += piece;
            }
        }
        piece = smaller_found ? piece : piece / 2;
    }
    return best;
}

}  // namespace lockkeeper::against
