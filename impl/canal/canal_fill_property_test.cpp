// SPDX-License-Identifier: Apache-2.0

// The seeds' fill and drain: for random sizes and several keys, everything can be acquired, then
// nothing, then everything is released, then everything can be acquired again.
#include <gtest/gtest.h>

#include "impl/canal/canal_random_test.hpp"
#include "impl/canal/canal_walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_canal;
using WideLock = canal::CanalLock<canal::WideSize>;
using WideWalk = Walk<WideLock>;
constexpr int kCallers = 4;

struct Fill {
    int max_per;
    int buckets;
    int keys;
    [[nodiscard]] int capacity() const { return max_per * buckets; }
    // The callers share the capacity of each key.
    [[nodiscard]] int share(int caller) const {
        return capacity() / kCallers + (caller < capacity() % kCallers ? 1 : 0);
    }
};

WideWalk made(const Fill& fill) {
    Scripts scripts;
    for (int caller = 0; caller < kCallers; ++caller) {
        std::vector<Operation> script;
        const auto of_each_key = [&](int times, Operation operation) {
            for (int key = 0; key < fill.keys; ++key) {
                operation.key = static_cast<std::uint8_t>(key);
                script.insert(script.end(), static_cast<std::size_t>(times), operation);
            }
        };
        of_each_key(fill.share(caller), acquire(fill.max_per, fill.buckets));
        of_each_key(1, acquire(fill.max_per, fill.buckets));
        of_each_key(fill.share(caller), release(fill.max_per, fill.buckets));
        of_each_key(fill.share(caller), acquire(fill.max_per, fill.buckets));
        scripts.push_back(script);
    }
    WorldConfig world = world_of(scripts);
    CanalOptions options;
    options.manager_max_per = static_cast<std::uint16_t>(fill.max_per);
    options.max_pers = {options.manager_max_per};
    options.keys = {"a", "b", "c", "d"};
    options.keys.resize(static_cast<std::size_t>(fill.keys));
    world.keys = options.keys;
    return {WideLock(options), world};
}

// Millions of steps: applied without asking what is enabled.
Event whole_call(WideWalk& walk, std::uint8_t caller) {
    Event event;
    do {
        if (walk.state().slots[caller].record.is(WideLock::Record::kUnlockSent)) {
            walk.drain();
        }
        event = walk.world().apply(walk.state(), step_of(caller));
    } while ((event.what & (kAcquired | kRefused | kReleased | kCallerDied)) == 0);
    if (event.is(kAcquired)) {
        walk.drain();
    }
    return event;
}

// Every caller's share of every key, key by key, the callers in turn.
void all_calls_are(WideWalk& walk, const Fill& fill, EventBit result) {
    for (int round = 0; round < fill.keys * fill.share(0); ++round) {
        for (int caller = 0; caller < kCallers; ++caller) {
            if (result == kRefused ? round < fill.keys : round < fill.keys * fill.share(caller)) {
                const Event event = whole_call(walk, static_cast<std::uint8_t>(caller));
                RC_ASSERT(event.is(result));
            }
        }
    }
}

void believed_everywhere(const WideWalk& walk, const Fill& fill, int believed) {
    const Observation seen = walk.seen();
    for (int key = 0; key < fill.keys; ++key) {
        const KeyObservation& row = seen.keys[static_cast<std::size_t>(key)];
        RC_ASSERT(row.believed == static_cast<std::uint32_t>(believed));
        RC_ASSERT(row.counted_least == static_cast<std::uint32_t>(believed));
        RC_ASSERT(row.counted_most == static_cast<std::uint32_t>(believed));
        RC_ASSERT(row.counters.size() == fill.buckets);
    }
}

void fill_and_drain(const Fill& fill) {
    RC_LOG() << fill.max_per << " x " << fill.buckets << " x " << fill.keys << " keys\n";
    WideWalk walk = made(fill);
    all_calls_are(walk, fill, kAcquired);
    believed_everywhere(walk, fill, fill.capacity());
    all_calls_are(walk, fill, kRefused);
    all_calls_are(walk, fill, kReleased);
    believed_everywhere(walk, fill, 0);
    all_calls_are(walk, fill, kAcquired);
    believed_everywhere(walk, fill, fill.capacity());
    RC_ASSERT(walk.world().finished(walk.state()));
}

// The work grows with max_per * buckets * buckets; the number of cases is small, so that the test
// takes seconds without optimisation. scenarios/canal/seeds/ has the largest size.
TEST(CanalFillAndDrain, random_sizes_fill_refuse_drain_and_fill_again) {
    expect_always(4, Shrinks::kNo, [] { fill_and_drain({pick(2, 199), pick(2, 99), pick(1, 3)}); });
}

TEST(CanalFillAndDrain, small_sizes_fill_refuse_drain_and_fill_again) {
    expect_always(200, Shrinks::kYes, [] { fill_and_drain({pick(2, 5), pick(2, 5), pick(2, 4)}); });
}

}  // namespace
}  // namespace lockkeeper
