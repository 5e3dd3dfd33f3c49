// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/replicated_steps.hpp"

#include <algorithm>

namespace lockkeeper::proofs {
namespace {

std::uint64_t key_of(SharedId shared, LocalId local) {
    return static_cast<std::uint64_t>(shared) << 16U | local;
}

// The number of the caller, and what others have, may differ; what happened may not.
bool is_same_step(const Event& left, const Event& right) {
    constexpr std::uint32_t kByOthers = kOverlap;
    return (left.what & ~kByOthers) == (right.what & ~kByOthers) && left.key == right.key &&
           left.error == right.error && left.breaches == right.breaches &&
           left.place == right.place && left.value == right.value && left.count == right.count;
}

// In a step of nobody's, a caller that hears of it may be told of a loss.
Event without_losses(Event event) {
    if (event.is(kLost)) {
        event.what &= ~std::uint32_t{kLost};
        event.key = 0;
    }
    return event;
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
        of_nobody_.emplace_back();
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

const std::vector<ReplicatedStep>& ReplicatedSteps::steps_of_nobody(SharedId shared) {
    if (!of_nobody_[shared].is_known) {
        std::vector<ReplicatedStep> steps;
        const std::vector<ReplicatedWorld::Taken> all = world_.steps_of_nobody(shared_[shared]);
        steps.reserve(all.size());
        for (const ReplicatedWorld::Taken& taken : all) {
            steps.push_back({id_of_shared(taken.shared), 0, taken.action, taken.event});
        }
        tried_ += steps.size();
        of_nobody_[shared] = {true, std::move(steps), ReplicatedWorld::actions_of(all)};
    }
    return of_nobody_[shared].steps;
}

const ReplicatedSteps::OfCaller& ReplicatedSteps::of(SharedId shared, LocalId local) {
    const std::uint64_t key = key_of(shared, local);
    const auto known = of_callers_.find(key);
    if (known != of_callers_.end()) {
        return known->second;
    }
    if (of_callers_.size() >= kPairsMax) {
        throw DoesNotFit("there are more than " + std::to_string(kPairsMax) +
                         " pairs of a caller and what is shared, the last at " + show(shared));
    }
    return of_callers_.emplace(key, learn(shared, local)).first->second;
}

ReplicatedSteps::OfCaller ReplicatedSteps::learn(SharedId shared, LocalId local) {
    OfCaller learned;
    static_cast<void>(steps_of_nobody(shared));
    const Bytes before = shared_[shared];
    const Local caller = locals_[local];
    for (const ReplicatedWorld::Taken& taken : world_.steps_of(before, caller)) {
        learned.steps.push_back({id_of_shared(taken.shared),
                                 id_of_local({caller.group, taken.slot}), taken.action,
                                 taken.event});
    }
    for (const ReplicatedWorld::Taken& heard :
         world_.steps_heard(before, caller, of_nobody_[shared].actions)) {
        learned.hearing.push_back(heard.waits ? kWaitedFor
                                              : id_of_local({caller.group, heard.slot}));
    }
    tried_ += learned.steps.size() + learned.hearing.size();
    return learned;
}

bool ReplicatedSteps::is_explained(SharedId shared, const std::vector<LocalId>& callers,
                                   Action action, const Event& event) {
    const auto explains = [&](const ReplicatedStep& step, const Event& seen) {
        return step.action.kind == action.kind && step.action.argument == action.argument &&
               world_.has_shared(after_, shared_[step.shared]) && is_same_step(step.event, seen);
    };
    const auto are = [&](const std::vector<LocalId>& after) {
        for (std::size_t i = 0; i < after.size(); ++i) {
            if (!world_.has_slot(after_, slots_[i], locals_[after[i]].slot)) {
                return false;
            }
        }
        return true;
    };
    const std::vector<ReplicatedStep>& of_nobody = steps_of_nobody(shared);
    for (std::size_t number = 0; number < of_nobody.size(); ++number) {
        std::vector<LocalId> after;
        after.reserve(callers.size());
        bool comes = true;
        for (const LocalId caller : callers) {
            after.push_back(hearing(shared, number, caller));
            comes = comes && after.back() != kWaitedFor;
        }
        if (comes && explains(of_nobody[number], without_losses(event)) && are(after)) {
            return true;
        }
    }
    for (std::size_t i = 0; i < callers.size(); ++i) {
        std::vector<LocalId> after = callers;
        for (const ReplicatedStep& step : steps(shared, callers[i])) {
            after[i] = step.local;
            if (action.actor == slots_[i] && explains(step, event) && are(after)) {
                return true;
            }
        }
    }
    return false;
}

void ReplicatedSteps::check_beside(SharedId shared, const std::vector<LocalId>& callers) {
    for (const LocalId caller : callers) {
        static_cast<void>(of(shared, caller));
    }
    world_.copy(surroundings_, state_of(shared, callers));
    world_.system().enabled(surroundings_, actions_);
    const ActionList actions = actions_;
    for (const Action action : actions) {
        world_.copy(after_, surroundings_);
        const Event event = world_.take(after_, action);
        ++tried_;
        if (!is_explained(shared, callers, action, event)) {
            throw DoesNotFit("the step \"" + world_.system().describe(surroundings_, action) +
                             "\" reads or changes what belongs to another caller");
        }
    }
}

void ReplicatedSteps::check_absent(SharedId shared, LocalId caller) {
    if (!world_.same_without_absent(shared_[shared], locals_[caller])) {
        throw DoesNotFit("callers that have nothing to do make a difference, at " + show(shared));
    }
}

std::string ReplicatedSteps::show(SharedId shared) {
    return world_.system().show(state_of(shared, {}));
}

}  // namespace lockkeeper::proofs
