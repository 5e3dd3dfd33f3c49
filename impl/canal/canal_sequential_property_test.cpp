// SPDX-License-Identifier: Apache-2.0

// Without interleaving, the machine of atomic steps is the lock of the text: the naive twin of
// canal_sequential_test.hpp, on random scripts.
#include <gtest/gtest.h>

#include "impl/canal/canal_random_test.hpp"
#include "impl/canal/canal_sequential_test.hpp"
#include "impl/canal/canal_walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_canal;

struct Scope {
    CanalOptions options;
    WorldConfig world;
};

// Every call sees what it likes: max_per 0..max_per_most, buckets 0..buckets_most.
template <class Size>
Scope arbitrary_scope(int calls_most, int max_per_most, int buckets_most) {
    Scope scope;
    scope.options.keys.clear();
    for (std::size_t key = 0; key < Size::kKeys; ++key) {
        scope.options.keys.push_back(std::string(1, static_cast<char>('a' + key)));
    }
    scope.options.max_pers.clear();
    for (int max_per = 0; max_per <= max_per_most; ++max_per) {
        scope.options.max_pers.push_back(static_cast<std::uint16_t>(max_per));
    }
    scope.options.manager_max_per = static_cast<std::uint16_t>(pick(0, max_per_most));
    scope.options.max_decr_tries = pick<std::uint8_t>(0, 3);
    // Few views in one run, so that callers agree often enough to fill something.
    std::vector<std::pair<int, int>> views(pick<std::size_t>(1, 3));
    for (auto& [max_per, buckets] : views) {
        max_per = pick(one_time_in(4) ? 0 : 1, max_per_most);
        buckets = pick(0, buckets_most);
    }
    Scripts scripts(pick<std::size_t>(1, Size::kCallers));
    for (std::vector<Operation>& script : scripts) {
        const int calls = pick(0, calls_most);
        for (int i = 0; i < calls; ++i) {
            const auto [max_per, buckets] = *rc::gen::elementOf(views);
            const int key = pick(0, static_cast<int>(Size::kKeys) - 1);
            switch (*rc::gen::weightedElement<int>({{12, 0}, {7, 1}, {1, 2}})) {
                case 0: script.push_back(acquire(max_per, buckets, key)); break;
                case 1: script.push_back(release(max_per, buckets, key)); break;
                default: script.push_back(release_unchecked(max_per, buckets, key)); break;
            }
        }
        if (one_time_in(3)) {
            script.push_back(exit_process());
        }
    }
    scope.world = world_of(scripts);
    scope.world.keys = scope.options.keys;
    scope.world.crashes_max = 2;
    return scope;
}

// One whole operation (or crash) of one caller, then the manager until it has nothing to do.
template <class Size>
struct Machine {
    explicit Machine(const Scope& scope)
        : world(scope.world), walk(canal::CanalLock<Size>(scope.options), scope.world) {}

    // Returns the next operation of a caller that is inside no call.
    [[nodiscard]] const Operation& next_operation(std::uint8_t caller) const {
        return world.callers[caller].script[walk.state().slots[caller].pc];
    }

    // Returns the first event of the caller's next call, which says what is called, and its last.
    std::pair<Event, Event> call(std::uint8_t caller) {
        Walk<canal::CanalLock<Size>> ahead = walk;
        const Event first = ahead.step(caller);
        const Event last = walk.call(caller);
        walk.drain();
        return {first, last};
    }

    WorldConfig world;
    Walk<canal::CanalLock<Size>> walk;
};

template <class Size>
void assert_same(const Machine<Size>& machine, SequentialCanal& twin) {
    const Observation seen = machine.walk.seen();
    RC_ASSERT(seen.servers_gone == twin.manager_dead);
    for (std::size_t key = 0; key < Size::kKeys; ++key) {
        RC_ASSERT(machine.walk.counters(key) == twin.counters[key]);
        const auto buckets = static_cast<std::int32_t>(twin.counters[key].size());
        const ServerRow row = machine.walk.world().server_row(machine.walk.state(), key);
        RC_ASSERT(row.last_place == (buckets == 0 ? kAbsentCounter : buckets));
        for (std::size_t caller = 0; caller < seen.callers_count; ++caller) {
            const int known = twin.references[{caller, key}];
            RC_ASSERT(seen.callers[caller].references[key] == static_cast<std::uint32_t>(known));
        }
    }
}

// The twin does what the machine has just done, and must come to the same.
void assert_same_result(const Operation& operation, const Event& first, const Event& last,
                        SequentialCanal& twin) {
    const std::size_t caller = first.caller;
    if (first.is(kCrashed)) {
        twin.died(caller);
        return;
    }
    const int max_per = operation.place_capacity;
    Result result = Result::kOk;
    if (first.invoked == Verb::kAcquire) {
        int count = 0;
        std::tie(result, count) = twin.acquire(caller, first.key, max_per, operation.places);
        RC_ASSERT(last.is(kAcquired) == (result == Result::kAcquired));
        RC_ASSERT(last.is(kRefused) == (result == Result::kFull));
        RC_ASSERT(!last.is(kAcquired) || last.count == count);
    } else {
        result = twin.release(caller, first.key, max_per);
        RC_ASSERT(last.is(kReleased) == (result == Result::kOk));
    }
    RC_ASSERT(last.is(kCallerDied) == (result == Result::kDied));
    if (result == Result::kDied) {
        twin.died(caller);
    }
}

// Steps and crashes that are possible now.
template <class Size>
std::vector<Action> choices(const Machine<Size>& machine) {
    std::vector<Action> possible;
    for (const Action action : machine.walk.actions()) {
        // Crashes are seldom: a choice of one is taken one time in eight.
        if (action.kind == ActionKind::kStep || one_time_in(8)) {
            possible.push_back(action);
        }
    }
    return possible;
}

template <class Size>
void compare_with_twin(const Scope& scope) {
    Machine<Size> machine(scope);
    SequentialCanal twin(Size::kKeys, scope.options.manager_max_per, *scope.options.max_decr_tries);
    while (!machine.walk.world().finished(machine.walk.state())) {
        const std::vector<Action> possible = choices(machine);
        if (possible.empty()) {
            continue;
        }
        const Action chosen = *rc::gen::elementOf(possible);
        RC_LOG() << to_text(chosen) << " " << machine.walk.show() << "\n";
        if (chosen.kind == ActionKind::kCrash) {
            machine.walk.apply(chosen);
            machine.walk.drain();
            twin.died(chosen.actor);
        } else {
            const Operation operation = machine.next_operation(chosen.actor);
            try {
                const auto [first, last] = machine.call(chosen.actor);
                assert_same_result(operation, first, last, twin);
            } catch (const LimitExceeded&) {
                twin.acquire(chosen.actor, operation.key, operation.place_capacity,
                             operation.places);
                RC_ASSERT(operation.places == 0);
                RC_ASSERT(twin.counters[operation.key].size() == Size::kBuckets + 1);
                return;
            }
        }
        assert_same(machine, twin);
    }
}

TEST(CanalSequential, tiny_lock_does_what_the_naive_twin_does) {
    expect_always(500, Shrinks::kYes, [] {
        compare_with_twin<canal::TinySize>(arbitrary_scope<canal::TinySize>(14, 3, 3));
    });
}

TEST(CanalSequential, lock_of_several_keys_does_what_the_naive_twin_does) {
    expect_always(500, Shrinks::kYes, [] {
        compare_with_twin<canal::KeysSize>(arbitrary_scope<canal::KeysSize>(14, 3, 3));
    });
}

TEST(CanalSequential, wide_lock_does_what_the_naive_twin_does) {
    expect_always(100, Shrinks::kYes, [] {
        const int max_per_most = pick(1, 8);
        compare_with_twin<canal::WideSize>(
            arbitrary_scope<canal::WideSize>(60, max_per_most, one_time_in(2) ? 5 : 99));
    });
}

}  // namespace
}  // namespace lockkeeper
