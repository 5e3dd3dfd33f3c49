// SPDX-License-Identifier: Apache-2.0
#include "validate/compare/compare.hpp"

#include <chrono>

#include "scheduler/search/explore.hpp"

namespace lockkeeper::against {

Difference Compared::worst() const {
    for (const Difference kind : {Difference::kWrong, Difference::kLooser, Difference::kStricter}) {
        if (counts[static_cast<std::size_t>(kind)] > 0) {
            return kind;
        }
    }
    const bool unsure = cut > 0 || counts[static_cast<std::size_t>(Difference::kUndecided)] > 0;
    return unsure ? Difference::kUndecided : Difference::kNone;
}

Compared compare(const Against& against, std::uint64_t seed, const CompareLimits& limits) {
    Compared compared;
    compared.seed = seed;
    const auto began = std::chrono::steady_clock::now();
    Difference worst = Difference::kNone;
    bool hung = false;
    try {
        for (std::uint64_t i = 0; i < limits.schedules_max && !hung && !interrupt_requested();
             ++i) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
            if (spent.count() > limits.seconds_max) {
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
            compared.shown = against.shrink(*compared.shown, worst);
        }
    } catch (const Stopped&) {  // a program's time is over: what was found so far
    }
    if (compared.shown) {
        compared.explanation = against.explain(*compared.shown);
    }
    const bool is_undecided =
        compared.worst() == Difference::kUndecided || compared.schedules < limits.schedules_max;
    compared.verdict = compared.shown ? Verdict(Violated{})
                       : is_undecided ? Verdict(Inconclusive{})
                                      : Passed{};
    return compared;
}

}  // namespace lockkeeper::against
