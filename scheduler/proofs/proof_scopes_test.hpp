// SPDX-License-Identifier: Apache-2.0

// Locks with any number of callers, made ready to be proved, for the tests of this folder.
#pragma once

#include <algorithm>
#include <vector>

#include "impl/canal/canal_lock.hpp"
#include "impl/single_counter/single_counter.hpp"
#include "model/world.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/proofs/check_certificate.hpp"
#include "scheduler/proofs/decidable.hpp"
#include "scheduler/proofs/looping_world.hpp"
#include "scheduler/proofs/prove.hpp"

namespace lockkeeper::testing_proofs {

// A lock and who calls it; room for eight callers.
template <class Lock>
struct Subject {
    Lock lock;
    WorldConfig world;

    [[nodiscard]] proofs::ReplicatedWorld apart() const {
        return {ErasedSystem(World<Lock>(lock, proofs::world_to_take_apart(world))),
                ErasedSystem(World<Lock>(lock, proofs::one_of_each(world))),
                ErasedSystem(World<Lock>(lock, proofs::one_is_absent(world)))};
    }
};

// Returns the properties that can be proved of a system with these features, except notices.
[[nodiscard]] inline std::vector<const Property*> provable(std::uint32_t features) {
    std::vector<const Property*> found;
    for (const Property& property : all_properties()) {
        if (proofs::is_decidable(property) && (property.needs & ~features) == 0 &&
            property.severity > Severity::kNotice) {
            found.push_back(&property);
        }
    }
    return found;
}

[[nodiscard]] inline Operation looping_acquire(std::uint16_t max_per, std::uint16_t buckets) {
    Operation acquire;
    acquire.place_capacity = max_per;
    acquire.places = buckets;
    return acquire;
}

// The sizes of the lock that a kind of callers sees.
struct View {
    std::uint16_t max_per = 1;
    std::uint16_t buckets = 1;
};

// Acquires and releases.
[[nodiscard]] inline WorldConfig callers_seeing(const std::vector<View>& views, bool crash) {
    WorldConfig world;
    world.keys = {"db"};
    for (std::size_t kind = 0; kind < views.size(); ++kind) {
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + kind));
        caller.group = static_cast<std::uint8_t>(kind);
        const Operation acquire = looping_acquire(views[kind].max_per, views[kind].buckets);
        Operation release = acquire;
        release.verb = Verb::kRelease;
        caller.script = {acquire, release};
        world.callers.push_back(std::move(caller));
    }
    world.crashes_max = crash ? 1 : 0;
    return world;
}

using SmallCanal = canal::CanalLock<canal::SmallSize>;
[[nodiscard]] inline Subject<SmallCanal> canal_subject(std::uint8_t repairs, bool manager,
                                                       const std::vector<View>& views, bool crash) {
    canal::CanalOptions options;
    options.repairs = repairs;
    options.has_manager = manager;
    options.max_pers.clear();
    options.manager_max_per = 0;
    for (const View& view : views) {
        options.max_pers.push_back(view.max_per);
        options.manager_max_per = std::max(options.manager_max_per, view.max_per);
    }
    return {SmallCanal(options), callers_seeing(views, crash)};
}

template <class Lock>
[[nodiscard]] proofs::ProofAttempt prove(const Subject<Lock>& subject,
                                         proofs::ProveOptions options = {}) {
    if (options.check.empty()) {
        if constexpr (requires { subject.lock.features(); }) {
            options.check = provable(subject.lock.features());
        } else {
            options.check = provable(Lock::kFeatures);
        }
    }
    return proofs::prove(subject.apart(), options);
}

}  // namespace lockkeeper::testing_proofs
