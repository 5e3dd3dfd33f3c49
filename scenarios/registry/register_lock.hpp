// SPDX-License-Identifier: Apache-2.0

// Adds a lock to the registry in one statement (docs/start/your_lock_cpp.md):
//
//   register_lock(registry, {"my_lock", "right", "waits in line"}, MyLock());
//
// A scenario that is too large for the lock's Size or its LockLimits is refused, with both named.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "model/world.hpp"
#include "scenarios/registry/needs.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/time_units.hpp"
#include "scheduler/erased_runner.hpp"
#include "scheduler/runs/system_walker.hpp"

namespace lockkeeper {

// The room in the lock's own state, as far as its Size does not say it. `locks`: of one key, in the
// hands of one caller.
struct LockLimits {
    std::size_t buckets = kBucketsMax;
    std::size_t max_per = kMaxPerMax;
    std::size_t locks = 30;
};

// Makes the compiler say why a lock is no Implementation, in the words of its author.
template <class Lock>
constexpr void explain_what_is_missing() {
    static_assert(PlainState<typename Lock::Shared> && PlainState<typename Lock::Record> &&
                      PlainState<typename Lock::Call>,
                  "Shared, Record and Call are structs of integers and enumerators, without "
                  "pointers and without padding between the members");
    static_assert(declares_what_it_has<Lock>(),
                  "an optional function is there that neither kTraits nor kFeatures names");
    static_assert(Implementation<Lock>,
                  "a function of the contract is missing or differs: model/implementation.hpp");
    static_assert(PlainState<typename WorldState<Lock>::State>,
                  "Call and Record leave padding in the state: give their members the width of "
                  "Size::Count (one byte with BasicSize)");
}

template <System S>
class SystemRunner;

// Whether the searches are compiled once for all locks (model/erased_system.hpp), or for this one
// alone: several times as fast, but it takes the compiler most of a minute. Who registers a lock of
// the latter kind includes scheduler/system_runner.hpp.
enum class Searches : std::uint8_t { kOwn, kShared };

template <Searches kSearches, class S>
std::unique_ptr<Runner> make_runner(S system, const WorldConfig& world, std::uint32_t features) {
    if constexpr (kSearches == Searches::kOwn) {
        return std::make_unique<SystemRunner<S>>(std::move(system), world, features);
    } else {
        return make_erased_runner(ErasedSystem(system), walkers_of(system), world, features);
    }
}

// A lock, or what a maker of locks returns: a lock, or a lock or an InputError.
template <class Made>
struct MadeLock {
    using Lock = Made;
};
template <class Made>
struct MadeLock<std::variant<Made, InputError>> {
    using Lock = Made;
};

// The features of this lock: a lock whose parameters decide them has features().
template <class Lock>
[[nodiscard]] std::uint32_t features_of(const Lock& lock) {
    if constexpr (requires { lock.features(); }) {
        return lock.features();
    } else {
        return Lock::kFeatures;
    }
}

template <class Lock>
[[nodiscard]] Needs room_of(const LockLimits& limits) {
    using Size = typename Lock::Size;
    using Count = typename Size::Count;
    return {Size::kCallers,
            Size::kKeys,
            limits.buckets,
            limits.max_per,
            std::numeric_limits<typename Size::Pc>::max(),
            std::min<std::size_t>(limits.locks, std::numeric_limits<Count>::max()),
            Size::kRemembered,
            Size::kSignals,
            static_cast<std::size_t>(kCounterMax),
            held_room<Count>()};
}

// The scenario with times that fit, where it has room in the compiled size.
[[nodiscard]] inline std::variant<Scenario, InputError> what_fits(const Needs& room,
                                                                  const Vocabulary& words,
                                                                  const Scenario& given) {
    if (const std::string lacks = lacking(needs_of(given), room); !lacks.empty()) {
        return InputError{given.file, "", "does not fit the compiled size: " + lacks};
    }
    return with_times_that_fit(words, given);
}

// `lock` is an Implementation, the same for every scenario; or a function that makes one from the
// parameters of a Scenario, or says what is wrong with them.
template <Searches kSearches = Searches::kShared, class LockOrMaker>
[[nodiscard]] RegisteredSystem registered(SystemDescription description, LockOrMaker lock,
                                          LockLimits limits = {}) {
    if constexpr (std::invocable<const LockOrMaker&, const Scenario&>) {
        using Made = std::invoke_result_t<const LockOrMaker&, const Scenario&>;
        using Lock = typename MadeLock<Made>::Lock;
        explain_what_is_missing<Lock>();
        const Needs room = room_of<Lock>(limits);
        const auto make = [room, lock,
                           words = description.vocabulary](const Scenario& given) -> MadeRunner {
            const auto fitting = what_fits(room, words, given);
            if (const auto* error = std::get_if<InputError>(&fitting)) {
                return *error;
            }
            const auto& scenario = std::get<Scenario>(fitting);
            const Made made = lock(scenario);
            const auto run = [&](const Lock& chosen) -> MadeRunner {
                return make_runner<kSearches>(World<Lock>(chosen, scenario.world), given.world,
                                              features_of(chosen));
            };
            if constexpr (std::is_same_v<Made, Lock>) {
                return run(made);
            } else if (const auto* error = std::get_if<InputError>(&made)) {
                return *error;
            } else {
                return run(std::get<Lock>(made));
            }
        };
        return {std::move(description), Lock::kFeatures, {text_of(room)}, make};
    } else {
        explain_what_is_missing<LockOrMaker>();
        if (!description.vocabulary.format_keys) {
            description.vocabulary.format_keys = {FormatKey::kPlaces};  // it hears of nothing else
        }
        return registered<kSearches>(
            std::move(description), [lock](const Scenario&) { return lock; }, limits);
    }
}

template <Searches kSearches = Searches::kShared, class LockOrMaker>
void register_lock(Registry& registry, SystemDescription description, LockOrMaker lock,
                   LockLimits limits = {}) {
    registry.add(registered<kSearches>(std::move(description), std::move(lock), limits));
}

}  // namespace lockkeeper
