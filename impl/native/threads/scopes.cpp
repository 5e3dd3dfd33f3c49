// SPDX-License-Identifier: Apache-2.0

// The parts of the native canal lock under `lockkeeper threads`, without its tables of keys and
// holders: what two and three threads can do to each other in every execution, weak memory
// included. The argument names the scope; expected.json says what each comes to. The published lock
// must leak and over-allocate here, and the repaired one without one of its memory orders must have
// a data race: those scopes show that the others can fail.
#include <array>
#include <cassert>
#include <cstring>
#include <lockkeeper/marks.hpp>
#include <memory>
#include <thread>

#include "impl/native/bucket_row.hpp"
#include "impl/native/native_core.hpp"
#include "impl/native/seat_list.hpp"
#include "impl/native/total_row.hpp"

namespace {

using namespace lockkeeper::native;

// The same code with one of its orders made relaxed.
template <std::memory_order LeftOut>
struct Without : StdAtomics {
    static constexpr std::memory_order kept(std::memory_order order) {
        return order == LeftOut ? std::memory_order_relaxed : order;
    }
    template <class T>
    struct Atomic : std::atomic<T> {
        using std::atomic<T>::atomic;
        bool compare_exchange_weak(T& expected, T wanted, std::memory_order order,
                                   std::memory_order order_left) {
            return std::atomic<T>::compare_exchange_weak(expected, wanted, kept(order), order_left);
        }
        T fetch_sub(T value, std::memory_order order) {
            return std::atomic<T>::fetch_sub(value, kept(order));
        }
    };
};
using NoAcquire = Without<std::memory_order_acquire>;
using NoRelease = Without<std::memory_order_release>;
using Repaired = TotalRow<StdAtomics>;
using Published = BucketRow<StdAtomics, 2>;

template <class Row>
typename Row::Options options_of(std::uint32_t max_per) {
    if constexpr (Row::kClaimsFirst) {
        return {};
    } else {
        return {.max_decr_tries = 1, .manager_max_per = max_per, .warm_buckets = 2};
    }
}

template <class Use>
void in_threads(unsigned count, Use use) {
    std::array<std::thread, 3> threads;
    for (unsigned index = 0; index < count; ++index) {
        threads[index] = std::thread(use, index);
    }
    for (unsigned index = 0; index < count; ++index) {
        threads[index].join();
    }
}

// Each thread takes a unit of one place if there is one, and gives it back, `rounds` times. The
// first `small` threads see one bucket, the others two. Marks say what each sees: P1
// (over-allocation) depends on it. Where there is room for one, holders write a plain variable.
struct Scope {
    unsigned threads = 2;
    unsigned small = 0;
    unsigned rounds = 1;
    bool is_marked = true;
    bool may_leak = false;
};

template <class Row, class Atomics>
bool acquires(Row& row, Tally<Atomics>& tally, View view, const void* marked) {
    if (marked != nullptr) {
        lockkeeper::acquiring(marked, view.capacity());
    }
    const bool is_granted = acquire_unit(row, tally, view).status == AcquireStatus::kAcquired;
    if (marked != nullptr) {
        is_granted ? lockkeeper::acquired(marked) : lockkeeper::refused(marked);
    }
    return is_granted;
}

template <class Row, class Atomics>
void releases(Row& row, Tally<Atomics>& tally, const void* marked) {
    if (marked != nullptr) {
        lockkeeper::releasing(marked);
    }
    const ReleaseStatus released = release_unit(row, tally, 1);
    assert(released == ReleaseStatus::kReleased);
    if (marked != nullptr) {
        lockkeeper::released(marked);
    }
}

template <class Atomics, class Row>
void callers(const Scope& scope) {
    Row row(options_of<Row>(1));
    std::array<Tally<Atomics>, 3> tallies;
    int resource = 0;
    in_threads(scope.threads, [&](unsigned index) {
        const View view{1, index < scope.small ? 1U : 2U};
        for (unsigned round = 0; round < scope.rounds; ++round) {
            const void* const marked = scope.is_marked ? &row : nullptr;
            if (!acquires(row, tallies[index], view, marked)) {
                continue;
            }
            if (scope.small == scope.threads) {
                resource = static_cast<int>(index);
            }
            releases(row, tallies[index], marked);
        }
    });
    assert(scope.may_leak || row.in_use() == 0);  // P2 (leak)
}

// P1 (over-allocation) where one bucket is seen by who holds a unit already, in another name: that
// caller gets none, whatever the other thread does, which sees two buckets.
template <class Row>
void asks_while_it_holds() {
    Row row(options_of<Row>(1));
    std::array<Tally<StdAtomics>, 3> tallies;
    in_threads(2, [&](unsigned index) {
        if (!acquires(row, tallies[index], {1, 2}, nullptr)) {
            return;
        }
        const bool has_two = index == 1 && acquires(row, tallies[2], {1, 1}, nullptr);
        assert(!has_two);
        releases(row, tallies[index], nullptr);
    });
}

// A holder takes a unit and gives it back while others report its crash; somebody else holds all
// the time. At the end exactly that unit is counted.
template <class Row>
void crash(unsigned reports) {
    Row row(options_of<Row>(2));
    Tally<StdAtomics> bystander;
    Tally<StdAtomics> tally;
    acquire_unit(row, bystander, {2, 1});
    in_threads(1 + reports, [&](unsigned index) {
        if (index > 0) {
            give_back_for_the_dead(row, tally);
        } else if (acquire_unit(row, tally, {2, 1}).status == AcquireStatus::kAcquired) {
            release_unit(row, tally, 2);
        }
    });
    assert(row.in_use() == 1);
    assert(tally.units() == 0);
}

// Two threads of one holder ask for the same key for the first time while the crash is reported.
void first_use() {
    using Seats = SeatList<StdAtomics, Repaired>;
    Repaired row;
    auto seats = std::make_unique<Seats>();
    in_threads(3, [&](unsigned index) {
        if (index == 2) {
            for (Seats::Seat* seat = seats->close(); seat != nullptr; seat = seat->next) {
                give_back_for_the_dead(seat->row, seat->tally);
            }
        } else if (Seats::Seat* const seat = seats->seat_for(row); seat != nullptr) {
            acquire_unit(seat->row, seat->tally, {2, 1});
        }
    });
    assert(row.in_use() == 0);
}

const struct {
    const char* name;
    void (*run)();
} kScopes[] = {
    {"two_buckets", [] { callers<StdAtomics, Repaired>({}); }},
    {"one_bucket", [] { callers<StdAtomics, Repaired>({.small = 2}); }},
    {"different_views", [] { callers<StdAtomics, Repaired>({.small = 1}); }},
    {"twice_each", [] { callers<StdAtomics, Repaired>({.rounds = 2}); }},
    {"three_two_buckets", [] { callers<StdAtomics, Repaired>({.threads = 3}); }},
    {"three_one_bucket", [] { callers<StdAtomics, Repaired>({.threads = 3, .small = 3}); }},
    {"three_different_views", [] { callers<StdAtomics, Repaired>({.threads = 3, .small = 2}); }},
    {"asks_while_it_holds", asks_while_it_holds<Repaired>},
    {"crash", [] { crash<Repaired>(1); }},
    {"crash_twice", [] { crash<Repaired>(2); }},
    {"first_use", first_use},
    {"no_acquire", [] { callers<NoAcquire, TotalRow<NoAcquire>>({.small = 2}); }},
    {"no_release", [] { callers<NoRelease, TotalRow<NoRelease>>({.small = 2}); }},
    {"published_leak", [] { callers<StdAtomics, Published>({.is_marked = false}); }},
    {"published_asks_while_it_holds", asks_while_it_holds<Published>},
    {"published_different_views",
     [] { callers<StdAtomics, Published>({.threads = 3, .small = 1, .may_leak = true}); }},
    {"published_crash", [] { crash<Published>(1); }},
};

}  // namespace

int main(int count, char** arguments) {
    for (const auto& scope : kScopes) {
        if (count == 2 && std::strcmp(arguments[1], scope.name) == 0) {
            scope.run();
            return 0;
        }
    }
    return 64;
}
