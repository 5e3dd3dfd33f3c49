// SPDX-License-Identifier: Apache-2.0
#include "measure/extreme_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/search/judge.hpp"

namespace lockkeeper {
namespace {

constexpr double kEqual = 1e-9;  // relative: one choice as good as another

}  // namespace

std::optional<Schedule> ScheduleSearch::violating(const ExtremePolicy& policy,
                                                  std::uint32_t violated) const {
    return search(policy, violated, true);
}

std::optional<Schedule> ScheduleSearch::keeping(const ExtremePolicy& policy,
                                                std::uint32_t violated) const {
    return search(policy, violated, false);
}

// Breadth first along what the scheduler chooses and nature may do.
std::optional<Schedule> ScheduleSearch::search(const ExtremePolicy& policy, std::uint32_t violated,
                                               bool to_violation) const {
    const Chain& chain = graph_.chain;
    struct Came {
        std::uint64_t transition;
        StateIndex from;
    };
    std::vector<Came> came(chain.size(), {0, StateTable::kNone});
    std::vector<StateIndex> queue{0};
    came[0].from = 0;
    const auto behind = [&](std::uint64_t i) {
        return (chain.label(i).violated & violated) != 0 ? 1
                                                         : policy.value.values[chain.targets[i]];
    };
    const auto is_played = [&](std::uint64_t i, std::uint64_t choice) {
        return chain.label(i).by_nature || i == choice ||
               std::abs(behind(i) - behind(choice)) <= kEqual * behind(choice);
    };
    const auto path_to = [&](StateIndex state) {
        std::vector<std::uint64_t> path;
        for (; state != 0; state = came[state].from) {
            path.push_back(came[state].transition);
        }
        std::reverse(path.begin(), path.end());
        return path;
    };
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const StateIndex state = queue[next];
        if (!to_violation && chain.ends(state)) {
            return walk(path_to(state));
        }
        for (std::uint64_t i = chain.offsets[state]; i < chain.offsets[state + 1U]; ++i) {
            if (!is_played(i, policy.choice[state])) {
                continue;
            }
            const StateIndex target = chain.targets[i];
            if ((chain.label(i).violated & violated) != 0) {
                if (to_violation) {
                    std::vector<std::uint64_t> path = path_to(state);
                    path.push_back(i);
                    return walk(path);
                }
            } else if (came[target].from == StateTable::kNone) {
                came[target] = {i, state};
                queue.push_back(target);
            }
        }
    }
    return std::nullopt;
}

// The chain knows representatives; the schedule names the callers that really stand there.
Schedule ScheduleSearch::walk(const std::vector<std::uint64_t>& transitions) const {
    const Chain& chain = graph_.chain;
    Judge judge(judged_properties(options_));
    Schedule schedule;
    ErasedSystem::State state = system_.initial();
    ActionList actions;
    for (const std::uint64_t transition : transitions) {
        const StateIndex target = chain.targets[transition];
        system_.enabled(state, actions);
        const auto leads_there = [&](Action action) {
            ErasedSystem::State after = state;
            const Event event = system_.apply(after, action);
            std::uint32_t violated = graph_.violated_on_arrival[target];
            judge.judge_step(system_, after, event,
                             [&](std::size_t i) { violated |= std::uint32_t{1} << i; });
            if (options_.symmetry) {
                system_.canonicalize(after);
            }
            return graph_.states.find(after.bytes.data()) == target &&
                   violated == chain.label(transition).violated;
        };
        const Action* chosen = std::find_if(actions.begin(), actions.end(), leads_there);
        LOCKKEEPER_CHECK(chosen != actions.end());
        system_.apply(state, *chosen);
        schedule.actions.push_back(*chosen);
    }
    return schedule;
}

}  // namespace lockkeeper
