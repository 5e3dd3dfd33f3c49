// Adds a lock to the registry in one statement (docs/YOUR_OWN_LOCK.md):
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

#include "app/systems/shipped.hpp"
#include "model/world.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper {

struct LockName {
    std::string system;
    std::string variant;
    std::string about;           // one sentence
    std::string must_fail = {};  // planted bugs: the property that must reject it
};

// What the lock's own state has room for, as far as its Size does not say. `locks`: of one key, in
// the hands of one caller.
struct LockLimits {
    std::size_t buckets = kBucketsMax;
    std::size_t max_per = kMaxPerMax;
    std::size_t locks = 30;
};

template <class Make>
concept LockMaker = std::invocable<const Make&, const Scenario&> &&
    Implementation<std::invoke_result_t<const Make&, const Scenario&>>;

// `make` makes the lock that a scenario asks for, from its parameters.
template <LockMaker Make>
void register_lock(Registry& registry, LockName name, Make make, LockLimits limits = {}) {
    using Lock = std::invoke_result_t<const Make&, const Scenario&>;
    using Size = typename Lock::Size;
    const Needs compiled{
        Size::kCallers,
        Size::kKeys,
        limits.buckets,
        limits.max_per,
        std::numeric_limits<typename Size::Pc>::max(),
        std::min<std::size_t>(limits.locks, std::numeric_limits<typename Size::Count>::max()),
        Size::kRemembered};
    RegisteredSystem system;
    system.system = std::move(name.system);
    system.variant = std::move(name.variant);
    system.about = std::move(name.about);
    system.must_fail = std::move(name.must_fail);
    system.features = Lock::kFeatures;
    system.sizes = {text_of(compiled)};
    system.make = [compiled, make = std::move(make)](const Scenario& scenario) -> MadeRunner {
        const Needs needs = needs_of(scenario);
        if (!fits(needs, compiled)) {
            return InputError{scenario.file, "",
                              "does not fit the compiled size: needs " + text_of(needs) +
                                  "; compiled: " + text_of(compiled)};
        }
        const WorldConfig world = world_of(scenario, Lock::kFeatures);
        return std::make_unique<SystemRunner<World<Lock>>>(World<Lock>(make(scenario), world),
                                                           world, Lock::kFeatures);
    };
    registry.add(std::move(system));
}

// The same lock for every scenario.
template <Implementation Lock>
void register_lock(Registry& registry, LockName name, Lock lock, LockLimits limits = {}) {
    register_lock(
        registry, std::move(name), [lock = std::move(lock)](const Scenario&) { return lock; },
        limits);
}

}  // namespace lockkeeper
