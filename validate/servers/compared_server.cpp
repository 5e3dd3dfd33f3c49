// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/compared_server.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"
#include "scheduler/shrink/shrink_actions.hpp"

namespace lockkeeper::databases {
namespace {

constexpr std::uint64_t kExploredMost = 200'000;
constexpr double kExploringMost = 20;

bool is_full(const ComparisonLimits& limits) { return limits.is_full && limits.is_full(); }

// Nothing where the difference does not come again: then model and server do not differ.
std::optional<Difference> make_small(BothSides& sides, const Schedule& found,
                                     const ComparisonLimits& limits, double seconds_left) {
    const Deadline until(seconds_left);
    std::optional<Difference> best = sides.drive(found).difference;
    std::size_t runs = 0;
    const auto up_to_difference = [&](const Actions& shorter) -> std::optional<Actions> {
        ++runs;
        try {
            auto difference = sides.drive({best->schedule.seed, shorter}).difference;
            if (!difference || difference->steps.size() > best->steps.size() ||
                difference->schedule.actions.size() >= best->schedule.actions.size()) {
                return std::nullopt;
            }
            best = std::move(difference);
            return best->schedule.actions;
        } catch (const TooSlow&) {  // one step more, then
            return std::nullopt;
        }
    };
    if (best) {
        constexpr ShrinkPass kPasses[] = {ShrinkPass::kSingleSteps};
        const auto may_try = [&] {
            return runs < limits.shrinks_max && !interrupt_requested() && !until.is_past() &&
                   !is_full(limits);
        };
        static_cast<void>(shrink_actions(best->schedule.actions, kPasses, limits.shrink_passes_max,
                                         {up_to_difference, may_try}));
    }
    return best;
}

}  // namespace

Comparison compare(ComparedServer& server, const Understood& understood, const Runner& runner,
                   const std::vector<Schedule>& given, const ComparisonLimits& limits) {
    const auto sides = server.both_sides(understood, runner, limits);
    for (const Schedule& schedule : given) {
        sides->note(schedule);
    }
    Comparison result;
    const auto inconclusive = [&](const std::string& reason) {
        result.verdict = Inconclusive{"", reason};
        return result;
    };
    const auto cut_short = [&] {
        return inconclusive(interrupt_requested() ? "interrupted" : "the time limit was reached");
    };
    const Deadline until(limits.seconds_max);
    const std::uint64_t all = given.size() + limits.random_schedules;
    for (std::uint64_t number = 0; number < all; ++number) {
        if (interrupt_requested() || until.is_past()) {
            return cut_short();
        }
        if (is_full(limits)) {
            result.verdict = Inconclusive{"memory"};
            return result;
        }
        try {
            const DrivenRun run =
                sides->drive(number < given.size() ? given[number] : sides->next_random());
            ++result.schedules;
            result.steps += run.steps;
            result.statements += run.statements;
            if (run.difference) {
                result.difference =
                    make_small(*sides, run.difference->schedule, limits, until.left());
                result.verdict = Violated{};
                return result.difference ? result
                       : interrupt_requested() || until.is_past()
                           ? cut_short()
                           : inconclusive("a difference that did not come again");
            }
            if (run.is_cut) {
                return cut_short();
            }
        } catch (const TooSlow& slow) {
            return inconclusive(slow.what());
        }
    }
    return result.steps == 0 ? inconclusive("no step was compared") : result;
}

std::vector<Schedule> own_schedules(const Scenario& scenario, const Runner& runner,
                                    const std::vector<const Property*>& check, double seconds_max) {
    if (scenario.method == Method::kReplay && scenario.schedule) {
        return {*scenario.schedule};
    }
    if (scenario.method == Method::kOrder) {
        const Deadline until(seconds_max);
        ReplayOptions options;
        options.describes = false;
        options.stop = [&] { return interrupt_requested() || until.is_past(); };
        const Trace run = runner.run_in_order(order_of(scenario, runner.world()), options);
        return run.is_cut ? std::vector<Schedule>{} : std::vector{run.schedule(0)};
    }
    ExploreOptions options;
    options.check = check;
    options.states_max = kExploredMost;
    options.seconds_max = std::min(kExploringMost, seconds_max);
    std::vector<Schedule> schedules;
    for (FoundViolation& found : runner.explore(options).violations) {
        schedules.push_back(std::move(found.schedule));
    }
    return schedules;
}

}  // namespace lockkeeper::databases
