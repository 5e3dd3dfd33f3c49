// SPDX-License-Identifier: Apache-2.0

// Hammers the native canal lock with threads until so many operations are done, then says what is
// left. Not a test: `make soak` runs it with a billion.
//
//   native_soak repaired|published [OPERATIONS] [THREADS]     default: 1,000,000,000 and 4
//
// An operation is one acquire or one release. Half of the threads see one bucket, the others two,
// max_per 1, so that they meet at both capacities; every now and then a holder dies with its unit,
// which another thread reports (repaired only). While a thread holds it counts itself in: more of
// them than the larger view has room for are an over-allocation (each view's own capacity is judged
// in native_threads_test.cpp). Exit code 0: none of that, and nothing in use at the end.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "impl/native/native_lock.hpp"

namespace {

using namespace lockkeeper::native;
constexpr std::uint32_t kBuckets = 2;

struct Found {
    std::atomic<std::uint64_t> operations{0};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> over_allocated{0};
    std::atomic<std::uint64_t> brought_back{0};
};

// One thread. `holders` counts those who certainly hold: counted in after the grant and out before
// the release. `dead` names a holder that died and was not reported yet; 0: nobody.
template <class Lock>
class Worker {
  public:
    Worker(Lock& lock, View view, bool dies, std::atomic<std::uint64_t>& holders,
           std::atomic<HolderId>& dead)
        : lock_(lock),
          key_(lock.key("db")),
          view_(view),
          dies_(dies),
          holders_(holders),
          dead_(dead),
          holder_(std::make_unique<Holder>(lock.join())) {}

    void run(std::uint64_t operations, Found& found) {
        for (std::uint64_t round = 1; done_ < operations; ++round) {
            if (dies_ && round % 500 == 0) {
                brought_back_ += lock_.on_crash(dead_.exchange(0));
            }
            session(round);
        }
        found.operations += done_;
        found.granted += granted_;
        found.refused += refused_;
        found.failed += failed_;
        found.over_allocated += over_allocated_;
        found.brought_back += brought_back_;
    }

  private:
    using Unit = typename Lock::Unit;
    using Holder = typename Lock::Holder;
    // Handles of the dead that nobody looks at any more; the unit goes first.
    struct Grave {
        std::unique_ptr<Holder> holder;
        Unit unit;
    };

    void session(std::uint64_t round) {
        Unit unit = lock_.acquire(*holder_, key_, view_);
        ++done_;
        if (!unit) {
            ++(unit.status() == AcquireStatus::kFull ? refused_ : failed_);
            return;
        }
        ++granted_;
        over_allocated_ += holders_.fetch_add(1) >= kBuckets ? 1U : 0U;
        holders_.fetch_sub(1);
        if (dies_ && round % 1000 == 0) {
            const HolderId id = holder_->id();
            grave_ = std::make_unique<Grave>(Grave{std::move(holder_), std::move(unit)});
            holder_ = std::make_unique<Holder>(lock_.join());
            brought_back_ += lock_.on_crash(dead_.exchange(id));
            return;
        }
        unit.release();
        ++done_;
    }

    Lock& lock_;
    typename Lock::Key& key_;
    View view_;
    bool dies_;
    std::atomic<std::uint64_t>& holders_;
    std::atomic<HolderId>& dead_;
    std::unique_ptr<Holder> holder_;
    std::unique_ptr<Grave> grave_;
    std::uint64_t done_ = 0;
    std::uint64_t granted_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t over_allocated_ = 0;
    std::uint64_t brought_back_ = 0;
};

template <class Lock>
int soak(std::string_view name, typename Lock::Row::Options options, std::uint64_t operations,
         std::size_t threads_count, bool with_crashes) {
    Lock lock(options);
    Found found;
    std::atomic<std::uint64_t> holders{0};
    std::atomic<HolderId> dead{0};
    std::vector<std::thread> threads;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < threads_count; ++i) {
        const View view{1, i < threads_count / 2 ? kBuckets - 1 : kBuckets};
        threads.emplace_back([&, view] {
            Worker<Lock>(lock, view, with_crashes, holders, dead)
                .run(operations / threads_count, found);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const std::uint64_t left = lock.key("db").row.in_use();
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "%s: %llu operations by %zu threads in %.1f s (%.0f a second); %llu granted, %llu refused, "
        "%llu failed; %llu units brought back after crashes; over-allocations: %llu; "
        "in use at the end: %llu\n",
        std::string(name).c_str(), number(found.operations), threads_count, spent.count(),
        static_cast<double>(found.operations) / spent.count(), number(found.granted),
        number(found.refused), number(found.failed), number(found.brought_back),
        number(found.over_allocated), number(left));
    return left == 0 && found.over_allocated == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view which = argc > 1 ? argv[1] : "";
    const double operations = argc > 2 ? std::atof(argv[2]) : 1e9;
    const int threads = argc > 3 ? std::atoi(argv[3]) : 4;
    if (operations >= 1 && threads >= 1 && threads <= 64 && argc <= 4) {
        const auto count = static_cast<std::uint64_t>(operations);
        const auto threads_count = static_cast<std::size_t>(threads);
        if (which == "repaired") {
            return soak<RepairedCanalLock>(which, {}, count, threads_count, true);
        }
        if (which == "published") {
            return soak<PublishedCanalLock>(which, {.max_decr_tries = 15, .warm_buckets = kBuckets},
                                            count, threads_count, false);
        }
    }
    std::fputs("usage: native_soak repaired|published [OPERATIONS] [THREADS]\n", stderr);
    return 64;
}
