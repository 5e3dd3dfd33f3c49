// SPDX-License-Identifier: Apache-2.0

// Driving the candidate: runs at random, given runs, and smaller ones.
#include "validate/compare/against.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/base/deadline.hpp"
#include "scheduler/base/random.hpp"
#include "scheduler/search/explore.hpp"
#include "scheduler/shrink/shrink_actions.hpp"
#include "validate/compare/call_order_search.hpp"
#include "validate/compare/step_search.hpp"

namespace lockkeeper::against {

std::string_view name_of(Difference difference) {
    constexpr std::string_view kNames[] = {"equal", "undecided", "stricter", "looser", "wrong"};
    return kNames[static_cast<std::size_t>(difference)];
}

namespace {

constexpr std::size_t kInstantsMax = 240;  // the clock's script

// Seldom chooses a fault while somebody can go on, so that faults come late in a run; otherwise
// every second time.
std::optional<Action> choose_fault(const std::vector<Action>& choices, Random& random) {
    constexpr std::uint32_t kStepsBetweenFaults = 12;
    std::vector<Action> faults;
    std::copy_if(choices.begin(), choices.end(), std::back_inserter(faults), is_fault);
    const bool somebody_can = faults.size() < choices.size();
    if (faults.empty() || random.below(somebody_can ? kStepsBetweenFaults : 2) != 0) {
        return std::nullopt;
    }
    return faults[random.below(static_cast<std::uint32_t>(faults.size()))];
}

// If time always went on as soon as it may, calls would hardly ever meet. In a third of the runs
// time is as likely as any other step, in the others a fifth or a ninth as likely.
void let_time_wait(std::vector<Action>& choices, std::uint64_t seed, Random& random) {
    constexpr std::uint32_t kTimesFewer = 4;
    const auto is_time = [](Action action) { return action.kind == ActionKind::kTime; };
    const auto times = std::count_if(choices.begin(), choices.end(), is_time);
    const bool somebody_can = times < static_cast<std::ptrdiff_t>(choices.size());
    const auto fewer = static_cast<std::uint32_t>(seed / 3 % 3) * kTimesFewer;
    if (times > 0 && somebody_can && random.below(fewer + 1) != 0) {
        std::erase_if(choices, is_time);
    }
}

}  // namespace

Against::Against(Side candidate, Reference reference)
    : reference_(std::move(reference)),
      compares_counts_((candidate.features & reference_.features & kShowsCount) != 0),
      compares_units_((candidate.features & reference_.features & kHasCapacity) != 0) {
    compares_grants_ =
        reference_.is_variant && (candidate.features & reference_.features & kShowsGrants) != 0;
    candidate_ = model_candidate(std::move(candidate.system), compares_counts_);
}

Against::Against(std::unique_ptr<Candidate> candidate, Reference reference)
    : candidate_(std::move(candidate)),
      reference_(std::move(reference)),
      compares_counts_((reference_.features & kShowsCount) != 0),
      compares_units_(false),
      compares_grants_(false) {}

ObservedRun Against::run_at_random(std::uint64_t seed, std::uint64_t steps_max) const {
    Random random(seed);
    candidate_->begin();
    // How seldom another party is chosen than the last one: of each kind a third of the runs.
    const std::uint32_t stays = static_cast<std::uint32_t>(seed % 3) * 2;
    Action last{};
    for (std::uint64_t steps = 0; steps < steps_max; ++steps) {
        std::vector<Action> choices = candidate_->choices();
        if (const auto fault = choose_fault(choices, random)) {
            candidate_->take(*fault);
            continue;
        }
        std::erase_if(choices, is_fault);
        let_time_wait(choices, seed, random);
        if (choices.empty()) {
            return candidate_->finish();
        }
        Action chosen = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
        if (random.below(stays + 1) != 0) {
            for (const Action action : choices) {
                if (action.kind == last.kind && action.actor == last.actor) {
                    chosen = action;
                }
            }
        }
        candidate_->take(chosen);
        last = chosen;
    }
    ObservedRun run = candidate_->finish();
    run.cut = !run.at_rest && !run.stuck;
    return run;
}

ObservedRun Against::run(const std::vector<Action>& actions) const {
    candidate_->begin();
    for (const Action action : actions) {
        const std::vector<Action> choices = candidate_->choices();
        // Without the earlier actions, time goes on to another instant.
        const bool is_time = action.kind == ActionKind::kTime;
        const auto found = std::find_if(choices.begin(), choices.end(), [&](Action choice) {
            return choice == action || (is_time && choice.kind == ActionKind::kTime);
        });
        if (found != choices.end()) {
            candidate_->take(*found);
        }
    }
    return candidate_->finish();
}

Explanation Against::explain(const ObservedRun& observed) const {
    if (reference_.step_by_step) {
        const Marks marks = marks_of(observed);
        if (marks.sleeps.size() > kInstantsMax) {
            return {Difference::kUndecided, std::nullopt, "", 0};
        }
        const ErasedSystem reference = reference_.step_by_step(marks.sleeps);
        return StepSearch(reference, reference_.has_clock,
                          {compares_counts_, compares_units_, compares_grants_}, observed, marks)
            .explain();
    }
    const bool shows_units = (reference_.features & kHasCapacity) != 0;
    return CallOrderSearch(reference_.by_resizes, {compares_counts_, compares_units_, shows_units})
        .explain(observed);
}

std::optional<ObservedRun> Against::up_to_difference(const std::vector<Action>& actions,
                                                     Difference kind) const {
    ObservedRun run = this->run(actions);
    const Explanation found = explain(run);
    if (found.difference != kind) {
        return std::nullopt;
    }
    if (found.call && run.calls[*found.call].returned.value_or(SIZE_MAX) < run.actions.size()) {
        std::vector<Action> until = run.actions;
        until.resize(*run.calls[*found.call].returned);
        if (ObservedRun shorter = this->run(until); explain(shorter).difference == kind) {
            return shorter;
        }
    }
    return run;
}

ObservedRun Against::shrink(const ObservedRun& observed, Difference kind,
                            const std::function<bool()>& may_go_on) const {
    constexpr ShrinkPass kPasses[] = {ShrinkPass::kParties, ShrinkPass::kRuns};
    ObservedRun best = up_to_difference(observed.actions, kind).value_or(observed);
    const auto up_to_failure = [&](const Actions& fewer) -> std::optional<Actions> {
        auto run = up_to_difference(fewer, kind);
        if (!run || run->actions.size() >= best.actions.size()) {
            return std::nullopt;
        }
        best = std::move(*run);
        return best.actions;
    };
    static_cast<void>(shrink_actions(best.actions, kPasses, SIZE_MAX, {up_to_failure, may_go_on}));
    return best;
}

Difference Compared::worst() const {
    for (const Difference kind : {Difference::kWrong, Difference::kLooser, Difference::kStricter}) {
        if (counts[static_cast<std::size_t>(kind)] > 0) {
            return kind;
        }
    }
    const bool unsure = cut > 0 || is<Inconclusive>(verdict) ||
                        counts[static_cast<std::size_t>(Difference::kUndecided)] > 0;
    return unsure ? Difference::kUndecided : Difference::kNone;
}

namespace {

// Empty: nothing ends it.
std::string what_ends(const CompareLimits& limits, const Deadline& until) {
    if (interrupt_requested()) {
        return "interrupted";
    }
    return until.is_past() ? "time" : limits.is_full && limits.is_full() ? "memory" : "";
}

}  // namespace

Compared compare(const Against& against, std::uint64_t seed, const CompareLimits& limits) {
    Compared compared;
    compared.seed = seed;
    const Deadline until(limits.seconds_max);
    Difference worst = Difference::kNone;
    bool hung = false;
    std::string limit;  // what ends it before all schedules have run
    try {
        for (std::uint64_t i = 0; i < limits.schedules_max && !hung; ++i) {
            limit = what_ends(limits, until);
            if (!limit.empty()) {
                break;
            }
            ObservedRun run = against.run_at_random(seed + i, limits.steps_max);
            ++compared.schedules;
            hung = run.hung;
            if (run.cut) {
                ++compared.cut;
                continue;
            }
            const Explanation found = against.explain(run);
            ++compared.counts[static_cast<std::size_t>(found.difference)];
            if (found.difference > worst) {
                worst = found.difference;
                if (worst > Difference::kUndecided) {
                    compared.shown = std::move(run);
                    compared.first_at = i + 1;
                }
            }
        }
        if (compared.shown && !compared.shown->hung) {
            compared.shown = against.shrink(*compared.shown, worst,
                                            [&] { return what_ends(limits, until).empty(); });
        }
    } catch (const Stopped&) {  // a program's time is over: what was found so far
        limit = interrupt_requested() ? "interrupted" : "time";
    }
    if (compared.shown) {
        compared.explanation = against.explain(*compared.shown);
    }
    const bool is_undecided =
        compared.worst() == Difference::kUndecided || compared.schedules < limits.schedules_max;
    compared.verdict = compared.shown ? Verdict(Violated{})
                       : is_undecided ? Verdict(Inconclusive{limit})
                                      : Passed{};
    return compared;
}

}  // namespace lockkeeper::against
