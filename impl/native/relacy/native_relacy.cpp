// SPDX-License-Identifier: Apache-2.0

// The native canal lock under Relacy: what two and three threads can do to each other, with every
// value that the memory orders let a load see. The same templates that programs use, with Relacy's
// atomics. Prints a line for each scope; exit code 1 when one did not come out as said here.
//
//   native_relacy [long]     long: also the scopes that take minutes
//
// A scope is complete when the full search ends by itself; bounded ones allow so many preemptions.
// The published lock must leak and over-allocate here, the repaired one without one of its memory
// orders must have a data race: those scopes show that the others can fail.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "impl/native/bucket_row.hpp"
#include "impl/native/native_core.hpp"
#include "impl/native/seat_list.hpp"
#include "impl/native/total_row.hpp"

// Last: see there.
#include "impl/native/relacy/relacy_atomics.hpp"

namespace {

using namespace lockkeeper::native;

using NoAcquire = RelacyAtomicsWith<Orders::kNoAcquire>;
using NoRelease = RelacyAtomicsWith<Orders::kNoRelease>;
using Repaired = TotalRow<RelacyAtomics>;
using Published = BucketRow<RelacyAtomics, 2>;

template <class Row>
Row make_row(std::uint32_t max_per) {
    if constexpr (Row::kClaimsFirst) {
        return Row();
    } else {
        return Row({.max_decr_tries = 1, .manager_max_per = max_per, .warm_buckets = 2});
    }
}

// Each thread acquires and, if granted, releases, `Rounds` times. The first `Small` threads see one
// bucket, the others two. With room for one, the resource is a plain variable that holders write.
template <class Atomics, class Row, unsigned Threads, unsigned Small, unsigned MaxPer,
          unsigned Rounds, bool MayLeak>
struct Callers
    : rl::test_suite<Callers<Atomics, Row, Threads, Small, MaxPer, Rounds, MayLeak>, Threads> {
    Row row = make_row<Row>(MaxPer);
    std::array<Tally<Atomics>, Threads> tallies;
    rl::var<int> resource{0};
    unsigned holders = 0;  // Relacy switches threads at accesses to atomics only

    void thread(unsigned index) {
        const View view{MaxPer, index < Small ? 1U : 2U};
        for (unsigned round = 0; round < Rounds; ++round) {
            const Acquired acquired = acquire_unit(row, tallies[index], view);
            if (acquired.status != AcquireStatus::kAcquired) {
                continue;
            }
            RL_ASSERT(MayLeak || holders < view.capacity());  // P1 over-allocation
            ++holders;
            if (view.capacity() == 1 && Threads == Small) {
                resource($) = static_cast<int>(index);
            }
            --holders;
            RL_ASSERT(release_unit(row, tallies[index], MaxPer) == ReleaseStatus::kReleased);
        }
    }

    void after() { RL_ASSERT(row.in_use() == 0); }  // P2 leak
};

// Like Callers, but they hold across an access to something else, so that holding overlaps.
template <class Row, unsigned Threads, unsigned Small>
struct Holding : rl::test_suite<Holding<Row, Threads, Small>, Threads> {
    Row row = make_row<Row>(1);
    std::array<Tally<RelacyAtomics>, Threads> tallies;
    RelacyAtomics::Atomic<unsigned> work{0};
    unsigned holders = 0;

    void thread(unsigned index) {
        const View view{1, index < Small ? 1U : 2U};
        if (acquire_unit(row, tallies[index], view).status == AcquireStatus::kAcquired) {
            RL_ASSERT(holders < view.capacity());
            ++holders;
            work.store(index, std::memory_order_relaxed);
            --holders;
            release_unit(row, tallies[index], 1);
        }
    }
};

// The row alone, without tallies: few enough accesses for three threads and all interleavings.
template <unsigned Threads, unsigned Small>
struct RowOnly : rl::test_suite<RowOnly<Threads, Small>, Threads> {
    Repaired row;
    unsigned holders = 0;

    void thread(unsigned index) {
        const View view{1, index < Small ? 1U : 2U};
        if (row.take(view).status == AcquireStatus::kAcquired) {
            RL_ASSERT(holders < view.capacity());
            ++holders;
            --holders;
            row.give_back(1);
        }
    }
    void after() { RL_ASSERT(row.in_use() == 0); }
};

// A holder acquires and releases while its crash is reported, twice, by others; somebody else holds
// all the time. At the end exactly that one is counted.
template <class Row, unsigned Threads>
struct Crash : rl::test_suite<Crash<Row, Threads>, Threads> {
    Row row = make_row<Row>(2);
    Tally<RelacyAtomics> bystander;
    Tally<RelacyAtomics> tally;

    void before() { acquire_unit(row, bystander, {2, 1}); }
    void thread(unsigned index) {
        if (index > 0) {
            give_back_for_the_dead(row, tally);
            return;
        }
        if (acquire_unit(row, tally, {2, 1}).status == AcquireStatus::kAcquired) {
            release_unit(row, tally, 2);
        }
    }
    void after() {
        RL_ASSERT(row.in_use() == 1);
        RL_ASSERT(tally.units() == 0);
    }
};

// Two threads of one holder ask for the same key for the first time while the crash is reported.
struct FirstUse : rl::test_suite<FirstUse, 3> {
    using Seats = SeatList<RelacyAtomics, Repaired>;
    Repaired row;
    std::unique_ptr<Seats> seats = std::make_unique<Seats>();

    void thread(unsigned index) {
        if (index == 2) {
            for (Seats::Seat* seat = seats->close(); seat != nullptr; seat = seat->next) {
                give_back_for_the_dead(seat->row, seat->tally);
            }
        } else if (Seats::Seat* const seat = seats->seat_for(row); seat != nullptr) {
            acquire_unit(seat->row, seat->tally, {2, 1});
        }
    }
    void after() {
        RL_ASSERT(row.in_use() == 0);
        seats.reset();  // its destructor uses atomics, so it belongs to a thread
    }
};

struct Scope {
    std::string_view name;
    bool (*simulate)(rl::test_params&);
    rl::test_result_e expected = rl::test_result_success;
    unsigned preemptions = 0;  // 0: all interleavings
    bool is_long = false;
};

// Collects what Relacy prints. It must not allocate: inside of an execution memory is Relacy's, and
// is gone afterwards. It drops text that does not fit.
class Report : public std::streambuf {
  public:
    Report() { setp(text_.data(), text_.data() + text_.size()); }
    [[nodiscard]] std::string_view text() const {
        return {text_.data(), static_cast<std::size_t>(pptr() - pbase())};
    }

  protected:
    int_type overflow(int_type) override { return traits_type::eof(); }

  private:
    std::array<char, 100'000> text_;
};

bool comes_out(const Scope& scope) {
    const auto buffer = std::make_unique<Report>();
    std::ostream report(buffer.get());
    rl::test_params parameters;
    parameters.output_stream = &report;
    parameters.progress_stream = &report;
    parameters.search_type = scope.preemptions == 0 ? rl::fair_full_search_scheduler_type
                                                    : rl::fair_context_bound_scheduler_type;
    parameters.context_bound = scope.preemptions;
    parameters.execution_depth_limit = 10'000;
    const auto begin = std::chrono::steady_clock::now();
    scope.simulate(parameters);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const bool as_expected = parameters.test_result == scope.expected;
    const std::string bound = scope.preemptions == 0
                                  ? "all interleavings"
                                  : "up to " + std::to_string(scope.preemptions) + " preemptions";
    std::printf("%-4s %-58s %s: %s, %llu executions, %.1f s\n", as_expected ? "ok" : "BAD",
                std::string(scope.name).c_str(), bound.c_str(),
                rl::test_result_str(parameters.test_result),
                static_cast<unsigned long long>(parameters.stop_iteration), spent.count());
    if (!as_expected) {
        std::fwrite(buffer->text().data(), 1, buffer->text().size(), stdout);
    }
    std::fflush(stdout);
    return as_expected;
}

template <unsigned Threads, unsigned Small, unsigned MaxPer, unsigned Rounds = 1>
using RepairedCallers = Callers<RelacyAtomics, Repaired, Threads, Small, MaxPer, Rounds, false>;

constexpr auto kFails = rl::test_result_user_assert_failed;

constexpr std::array kScopes{
    Scope{"repaired, 2 threads x 2 buckets of 1", &rl::simulate<RepairedCallers<2, 0, 1>>},
    Scope{"repaired, 2 threads x 1 bucket of 1", &rl::simulate<RepairedCallers<2, 2, 1>>},
    Scope{"repaired, 2 threads that see 1 and 2 buckets", &rl::simulate<RepairedCallers<2, 1, 1>>},
    Scope{"repaired, a crash is reported", &rl::simulate<Crash<Repaired, 2>>},
    Scope{"repaired, the row alone, 3 threads x 2 buckets of 1", &rl::simulate<RowOnly<3, 0>>},
    Scope{"repaired, the row alone, 3 threads x 1 bucket of 1", &rl::simulate<RowOnly<3, 3>>},
    Scope{"repaired, the row alone, 3 threads that see 1, 1 and 2", &rl::simulate<RowOnly<3, 2>>},
    Scope{"repaired, 3 threads x 2 buckets of 1", &rl::simulate<RepairedCallers<3, 0, 1>>,
          rl::test_result_success, 2},
    Scope{"repaired, 3 threads x 1 bucket of 1", &rl::simulate<RepairedCallers<3, 3, 1>>,
          rl::test_result_success, 3},
    Scope{"repaired, 3 threads that see 1, 1 and 2 buckets",
          &rl::simulate<RepairedCallers<3, 2, 1>>, rl::test_result_success, 2},
    Scope{"repaired, a crash is reported twice", &rl::simulate<Crash<Repaired, 3>>,
          rl::test_result_success, 3},
    Scope{"repaired, a crash at the first use of a key", &rl::simulate<FirstUse>,
          rl::test_result_success, 2},
    Scope{"repaired, acquire left out",
          &rl::simulate<Callers<NoAcquire, TotalRow<NoAcquire>, 2, 2, 1, 1, false>>,
          rl::test_result_data_race},
    Scope{"repaired, release left out",
          &rl::simulate<Callers<NoRelease, TotalRow<NoRelease>, 2, 2, 1, 1, false>>,
          rl::test_result_data_race},
    Scope{"published, 2 threads x 2 buckets of 1: leak",
          &rl::simulate<Callers<RelacyAtomics, Published, 2, 0, 1, 1, true>>, kFails, 4},
    Scope{"published, 3 threads that see 1, 2, 2: over-allocation",
          &rl::simulate<Holding<Published, 3, 1>>, kFails, 2},
    Scope{"published, a crash is reported: given back twice", &rl::simulate<Crash<Published, 2>>,
          kFails},
    Scope{"repaired, 2 threads x 2 buckets of 1, twice each",
          &rl::simulate<RepairedCallers<2, 0, 1, 2>>, rl::test_result_success, 0, true},
    Scope{"repaired, 3 threads x 2 buckets of 1, more preemptions",
          &rl::simulate<RepairedCallers<3, 0, 1>>, rl::test_result_success, 4, true},
    Scope{"repaired, 3 threads x 1 bucket of 1, more preemptions",
          &rl::simulate<RepairedCallers<3, 3, 1>>, rl::test_result_success, 5, true},
};

}  // namespace

int main(int argc, char** argv) {
    const bool with_long = argc == 2 && std::string_view(argv[1]) == "long";
    if (argc > 1 && !with_long) {
        std::fputs("usage: native_relacy [long]\n", stderr);
        return 64;
    }
    bool all = true;
    for (const Scope& scope : kScopes) {
        if (with_long || !scope.is_long) {
            all = comes_out(scope) && all;
        }
    }
    return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
