// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/proofs/replicated_steps.hpp"

#include <algorithm>

namespace lockkeeper::proofs {
namespace {

std::uint64_t key_of(SharedId shared, LocalId local) {
    return static_cast<std::uint64_t>(shared) << 16U | local;
}

// Whose number it is, and what others have, may differ; what happened may not.
bool is_same_step(const Event& left, const Event& right) {
    constexpr std::uint32_t kByOthers = kOverlap;
    return (left.what & ~kByOthers) == (right.what & ~kByOthers) && left.key == right.key &&
           left.error == right.error && left.breaches == right.breaches &&
           left.place == right.place && left.value == right.value && left.count == right.count;
}

}  // namespace

ReplicatedSteps::ReplicatedSteps(const ReplicatedWorld& world)
    : world_(world), before_(world.empty()), after_(world.empty()), surroundings_(world.empty()) {
    static_cast<void>(id_of_shared(world.initial_shared()));
    for (std::size_t group = 0; group < world.groups().size(); ++group) {
        initial_locals_.push_back(id_of_local(world.initial_local(group)));
    }
}

SharedId ReplicatedSteps::id_of_shared(const Bytes& shared) {
    const auto [found, is_new] = shared_ids_.emplace(shared, static_cast<SharedId>(shared_.size()));
    if (is_new) {
        shared_.push_back(shared);
        alone_.emplace_back();
        if (shared_.size() > kSharedMax) {
            throw DoesNotFit("what is shared has more than " + std::to_string(kSharedMax) +
                             " values, as " + show(found->second) +
                             ": something grows without end, or nearly");
        }
    }
    return found->second;
}

LocalId ReplicatedSteps::id_of_local(Local local) {
    const Bytes key = static_cast<char>(local.group) + local.slot;
    const auto [found, is_new] = local_ids_.emplace(key, static_cast<LocalId>(locals_.size()));
    if (is_new) {
        locals_.push_back(std::move(local));
        if (locals_.size() > kLocalsMax) {
            throw DoesNotFit("one caller can be in more than " + std::to_string(kLocalsMax) +
                             " situations: something of it grows without end, or nearly");
        }
    }
    return found->second;
}

bool ReplicatedSteps::has_room(const std::vector<LocalId>& callers) const {
    for (const LocalId caller : callers) {
        const std::size_t group = locals_[caller].group;
        const auto of_group = std::count_if(callers.begin(), callers.end(), [&](LocalId other) {
            return locals_[other].group == group;
        });
        if (static_cast<std::size_t>(of_group) > world_.groups()[group].size) {
            return false;
        }
    }
    return true;
}

const ReplicatedWorld::State& ReplicatedSteps::state_of(SharedId shared,
                                                        const std::vector<LocalId>& callers) {
    for (const std::size_t slot : slots_) {
        world_.put_slot(before_, slot, world_.absent());
    }
    slots_.clear();
    world_.put_shared(before_, shared_[shared]);
    for (const LocalId caller : callers) {
        std::size_t slot = world_.groups()[locals_[caller].group].first;
        while (std::find(slots_.begin(), slots_.end(), slot) != slots_.end()) {
            ++slot;
        }
        world_.put_slot(before_, slot, locals_[caller].slot);
        slots_.push_back(slot);
    }
    return before_;
}

const ReplicatedSteps::Alone& ReplicatedSteps::alone(SharedId shared) {
    if (!alone_[shared].is_known) {
        std::vector<ReplicatedStep> steps;
        std::vector<Action> lacking;
        world_.copy(surroundings_, state_of(shared, {}));
        world_.system().enabled(surroundings_, actions_);
        const ActionList actions = actions_;
        for (const Action action : actions) {
            world_.copy(after_, surroundings_);
            if (action.kind == ActionKind::kTime) {
                throw DoesNotFit("virtual time passes for everybody");
            }
            const auto event = world_.take(after_, action);
            ++tried_;
            if (!event) {
                lacking.push_back(action);
                continue;
            }
            refuse_change_of_others(surroundings_, after_, action, world_.slots_count());
            steps.push_back({id_of_shared(world_.shared_of(after_)), 0, action, *event});
        }
        alone_[shared] = {true, std::move(lacking), std::move(steps)};
    }
    return alone_[shared];
}

const std::vector<ReplicatedStep>& ReplicatedSteps::steps_of_nobody(SharedId shared) {
    return alone(shared).steps;
}

bool ReplicatedSteps::lacks_somebody(SharedId shared) { return !alone(shared).lacking.empty(); }

bool ReplicatedSteps::is_somebody(SharedId shared, LocalId local) {
    const std::vector<ReplicatedStep>& own = steps(shared, local);
    const std::vector<Action>& lacking = alone(shared).lacking;
    return std::all_of(lacking.begin(), lacking.end(), [&](Action action) {
        return std::any_of(own.begin(), own.end(),
                           [&](const ReplicatedStep& step) { return step.action == action; });
    });
}

const std::vector<ReplicatedStep>& ReplicatedSteps::steps(SharedId shared, LocalId local) {
    const std::uint64_t key = key_of(shared, local);
    const auto known = steps_.find(key);
    if (known != steps_.end()) {
        return known->second;
    }
    if (steps_.size() >= kPairsMax) {
        throw DoesNotFit("there are more than " + std::to_string(kPairsMax) +
                         " pairs of a caller and what is shared, the last at " + show(shared));
    }
    std::vector<ReplicatedStep> learned;
    learn(shared, local, learned);
    return steps_.emplace(key, std::move(learned)).first->second;
}

void ReplicatedSteps::learn(SharedId shared, LocalId local, std::vector<ReplicatedStep>& out) {
    const Alone nobody = alone(shared);
    const Local caller = locals_[local];
    world_.copy(surroundings_, state_of(shared, {local}));
    const std::size_t slot = slots_.front();
    world_.system().enabled(surroundings_, actions_);
    const ActionList actions = actions_;
    for (const Action action : actions) {
        world_.copy(after_, surroundings_);
        const bool concerns_others =
            action.kind == ActionKind::kTime || world_.concerns_others(surroundings_, action);
        const auto event = world_.take(after_, action);
        ++tried_;
        if (!event && std::find(nobody.lacking.begin(), nobody.lacking.end(), action) !=
                          nobody.lacking.end()) {
            continue;
        }
        if (!event || concerns_others) {
            throw DoesNotFit("the step \"" + world_.system().describe(surroundings_, action) +
                             (event ? "\" concerns other callers" : "\" fails"));
        }
        refuse_change_of_others(surroundings_, after_, action, slot);
        ReplicatedStep step{id_of_shared(world_.shared_of(after_)),
                            id_of_local({caller.group, world_.slot_of(after_, slot)}), action,
                            *event};
        const bool is_nobodys =
            step.local == local && action.kind != ActionKind::kStep &&
            std::any_of(nobody.steps.begin(), nobody.steps.end(), [&](const ReplicatedStep& other) {
                return other.action == action && other.shared == step.shared &&
                       is_same_step(other.event, *event);
            });
        if (!is_nobodys) {
            out.push_back(step);
        }
    }
}

// `slot`: may change; slots_count(): none may.
void ReplicatedSteps::refuse_change_of_others(const State& before, const State& after,
                                              Action action, std::size_t slot) const {
    for (std::size_t other = 0; other < world_.slots_count(); ++other) {
        if (other != slot && !world_.has_slot(after, other, world_.slot_of(before, other))) {
            throw DoesNotFit("the step \"" + world_.system().describe(before, action) +
                             "\" changes what belongs to another caller");
        }
    }
}

bool ReplicatedSteps::is_explained(const State& after, SharedId shared,
                                   const std::vector<LocalId>& callers, Action action,
                                   const Event& event) {
    std::size_t changed = callers.size();
    for (std::size_t i = 0; i < callers.size(); ++i) {
        if (!world_.has_slot(after, slots_[i], locals_[callers[i]].slot)) {
            if (changed != callers.size()) {
                return false;
            }
            changed = i;
        }
    }
    const auto explains = [&](const ReplicatedStep& step) {
        return step.action.kind == action.kind && step.action.argument == action.argument &&
               world_.has_shared(after, shared_[step.shared]) && is_same_step(step.event, event);
    };
    for (const ReplicatedStep& step : steps_of_nobody(shared)) {
        if (changed == callers.size() && explains(step)) {
            return true;
        }
    }
    for (std::size_t i = 0; i < callers.size(); ++i) {
        const bool acts = action.kind == ActionKind::kBackground || action.actor == slots_[i];
        if (!acts || (changed != callers.size() && changed != i)) {
            continue;
        }
        for (const ReplicatedStep& step : steps_.at(key_of(shared, callers[i]))) {
            if (explains(step) && world_.has_slot(after, slots_[i], locals_[step.local].slot)) {
                return true;
            }
        }
    }
    return false;
}

void ReplicatedSteps::check_beside(SharedId shared, const std::vector<LocalId>& callers,
                                   Trying trying) {
    for (const LocalId caller : callers) {
        static_cast<void>(steps(shared, caller));
    }
    static_cast<void>(alone(shared));
    world_.copy(surroundings_, state_of(shared, callers));
    world_.system().enabled(surroundings_, actions_);
    const ActionList actions = actions_;
    for (const Action action : actions) {
        if (trying == Trying::kNotStepsOfCallers && action.kind == ActionKind::kStep) {
            continue;
        }
        world_.copy(after_, surroundings_);
        const auto event = world_.take(after_, action);
        ++tried_;
        if (event && !is_explained(after_, shared, callers, action, *event)) {
            throw DoesNotFit("the step \"" + world_.system().describe(surroundings_, action) +
                             "\" reads or changes what belongs to another caller");
        }
    }
}

void ReplicatedSteps::check_absent(SharedId shared, const std::vector<LocalId>& callers) {
    std::vector<Bytes> by_group;
    for (const LocalId local : initial_locals_) {
        by_group.push_back(locals_[local].slot);
    }
    for (const LocalId caller : callers) {
        by_group[locals_[caller].group] = locals_[caller].slot;
    }
    if (!world_.same_without_absent(shared_[shared], by_group)) {
        throw DoesNotFit("callers that have nothing to do make a difference, at " + show(shared));
    }
}

std::string ReplicatedSteps::show(SharedId shared) {
    return world_.system().show(state_of(shared, {}));
}

}  // namespace lockkeeper::proofs
