// SPDX-License-Identifier: Apache-2.0

// Acquire and release pairs per second of the native canal lock, beside what a program would use
// otherwise. `apart`: a key (or object) for each thread; `contended`: all use the same one.
// docs/howto/use_the_native_lock.md has the figures.
#include <array>
#include <mutex>
#include <semaphore>
#include <string>
#include <unordered_map>

#include <benchmark/benchmark.h>

#include "impl/native/native_lock.hpp"

namespace lockkeeper::bench {
namespace {

constexpr std::size_t kThreadsMax = 8;
constexpr std::ptrdiff_t kCapacity = 20;
constexpr native::View kView{10, 2};
enum class Keys : std::uint8_t { kApart, kContended };

std::size_t key_of(const benchmark::State& state, Keys keys) {
    return keys == Keys::kApart ? static_cast<std::size_t>(state.thread_index()) : 0;
}
std::string name_of(std::size_t key) { return "db" + std::to_string(key); }

void count_pairs(benchmark::State& state) {
    state.counters["pairs/s"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// Each use finds its key by name.
template <class Lock, Keys Which>
void canal_by_name(benchmark::State& state) {
    static Lock lock{typename Lock::Row::Options{}};
    const std::string name = name_of(key_of(state, Which));
    auto holder = lock.join();
    for ([[maybe_unused]] auto iteration : state) {
        auto unit = lock.acquire(holder, name, kView);
        benchmark::DoNotOptimize(unit.count());
    }
    count_pairs(state);
}

// The key was looked up before.
template <class Lock, Keys Which>
void canal(benchmark::State& state) {
    static Lock lock{typename Lock::Row::Options{}};
    auto& key = lock.key(name_of(key_of(state, Which)));
    auto holder = lock.join();
    for ([[maybe_unused]] auto iteration : state) {
        auto unit = lock.acquire(holder, key, kView);
        benchmark::DoNotOptimize(unit.count());
    }
    count_pairs(state);
}

// The usual limiter: a map of counters and a mutex. It does not know who holds.
template <Keys Which>
void mutex_map(benchmark::State& state) {
    static std::mutex mutex;
    static std::unordered_map<std::string, std::uint64_t> in_use;
    const std::string name = name_of(key_of(state, Which));
    for ([[maybe_unused]] auto iteration : state) {
        bool granted = false;
        {
            const std::lock_guard guard(mutex);
            std::uint64_t& count = in_use[name];
            granted = count < kView.capacity();
            count += granted ? 1U : 0U;
        }
        benchmark::DoNotOptimize(granted);
        if (granted) {
            const std::lock_guard guard(mutex);
            --in_use[name];
        }
    }
    count_pairs(state);
}

// No keys, no resize, no holders.
template <Keys Which>
void counting_semaphore(benchmark::State& state) {
    struct alignas(64) Slot {
        std::counting_semaphore<kCapacity> semaphore{kCapacity};
    };
    static std::array<Slot, kThreadsMax> slots;
    auto& semaphore = slots[key_of(state, Which)].semaphore;
    for ([[maybe_unused]] auto iteration : state) {
        const bool granted = semaphore.try_acquire();
        benchmark::DoNotOptimize(granted);
        if (granted) {
            semaphore.release();
        }
    }
    count_pairs(state);
}

using native::PublishedCanalLock;
using native::RepairedCanalLock;

BENCHMARK(canal<RepairedCanalLock, Keys::kApart>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(canal<RepairedCanalLock, Keys::kContended>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(canal_by_name<RepairedCanalLock, Keys::kApart>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(canal_by_name<RepairedCanalLock, Keys::kContended>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(canal<PublishedCanalLock, Keys::kApart>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(canal<PublishedCanalLock, Keys::kContended>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(mutex_map<Keys::kApart>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(mutex_map<Keys::kContended>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(counting_semaphore<Keys::kApart>)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(counting_semaphore<Keys::kContended>)->ThreadRange(1, 2)->UseRealTime();

}  // namespace
}  // namespace lockkeeper::bench
