// SPDX-License-Identifier: Apache-2.0

// The native canal lock does, access by access, what the model's step machine does: both are driven
// by the same random schedules, and compared after each step (its label, what it read or stored,
// the whole row) and each return (the answer and the count).
//
// A schedule decides who makes the next access, so an exchange can fail in between and be made
// again: what the model has one step for. The model takes its step when the native code says that
// its own happened.
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "impl/canal/canal_walk_test.hpp"
#include "impl/native/bucket_row.hpp"
#include "impl/native/native_core.hpp"
#include "impl/native/native_lock.hpp"
#include "impl/native/stepping_atomics_test.hpp"
#include "impl/native/total_row.hpp"

namespace lockkeeper::native {
namespace {

using testing_native::Step;
using testing_native::SteppingAtomics;
using testing_native::Worker;
using Model = canal::CanalLock<canal::SmallSize>;
using ModelWalk = testing_model::Walk<Model>;
using Published = BucketRow<SteppingAtomics, 4>;
using Repaired = TotalRow<SteppingAtomics>;

struct Case {
    std::uint16_t max_per = 1;
    std::uint8_t max_decr_tries = 0;
    std::vector<std::vector<Operation>> scripts;
};

Case random_case(std::mt19937& random, bool with_unchecked) {
    const auto pick = [&](int from, int to) {
        return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
    };
    Case made;
    made.max_per = static_cast<std::uint16_t>(pick(1, 2));
    made.max_decr_tries = static_cast<std::uint8_t>(pick(0, 2));
    made.scripts.resize(static_cast<std::size_t>(pick(2, 3)));
    for (auto& script : made.scripts) {
        for (int n = pick(1, 3); n > 0; --n) {
            const int buckets = pick(1, 3);
            script.push_back(testing_model::acquire(made.max_per, buckets));
            if (with_unchecked && pick(1, 8) == 1) {
                script.push_back(testing_model::release_unchecked(made.max_per, buckets));
            }
            if (pick(1, 4) > 1) {
                script.push_back(testing_model::release(made.max_per, buckets));
            }
        }
    }
    return made;
}

// The answer of a call, in words that both sides have.
enum class Answer : std::uint8_t { kNone, kAcquired, kFull, kReleased, kDied };
struct Returned {
    Answer answer = Answer::kNone;
    std::int64_t count = 0;
    friend bool operator==(const Returned&, const Returned&) = default;
};

Returned returned_by(const Event& event) {
    if (event.is(kAcquired)) {
        return {Answer::kAcquired, std::max<std::int64_t>(event.count, 0)};
    }
    return {event.is(kRefused)      ? Answer::kFull
            : event.is(kReleased)   ? Answer::kReleased
            : event.is(kCallerDied) ? Answer::kDied
                                    : Answer::kNone,
            0};
}

template <class Row>
Row make_row(const Case& made) {
    if constexpr (Row::kClaimsFirst) {
        return Row();
    } else {
        return Row({.max_decr_tries = made.max_decr_tries, .manager_max_per = made.max_per});
    }
}

// The buckets from the left as far as they exist, as the model shows them.
template <class Row>
std::vector<std::int32_t> buckets_of(const Row& row, const Case& made, std::size_t exist) {
    std::vector<std::int32_t> buckets;
    if constexpr (Row::kClaimsFirst) {
        for (auto left = static_cast<std::int32_t>(row.in_use());
             left > 0 || buckets.size() < exist; left -= made.max_per) {
            buckets.push_back(std::clamp<std::int32_t>(left, 0, made.max_per));
        }
    } else {
        for (std::uint32_t bucket = 1;
             bucket <= Row::kBucketsMax && row.value(bucket) != Row::kAbsent; ++bucket) {
            buckets.push_back(row.value(bucket));
        }
    }
    return buckets;
}

template <class Row>
class Comparison {
  public:
    explicit Comparison(const Case& made)
        : made_(made),
          row_(make_row<Row>(made)),
          tallies_(made.scripts.size()),
          returned_(made.scripts.size()),
          expected_(made.scripts.size()),
          walk_(Model(options(made)), testing_model::world_of(made.scripts)) {}

    void run(std::mt19937& random) {
        std::vector<std::unique_ptr<Worker>> workers;
        for (std::size_t i = 0; i < made_.scripts.size(); ++i) {
            workers.push_back(std::make_unique<Worker>([this, i] { run_script(i); }));
        }
        std::vector<std::size_t> running(workers.size());
        std::iota(running.begin(), running.end(), 0);
        while (!running.empty() && !testing::Test::HasFailure()) {
            const std::size_t index = random() % running.size();
            const std::size_t caller = running[index];
            const std::optional<Step> step = workers[caller]->run_one_access();
            if (step) {
                compare(*step, caller);
                ++steps_;
            }
            if (workers[caller]->finished()) {
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(index));
                EXPECT_EQ(returned_[caller], expected_[caller]);
            }
        }
    }
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

  private:
    static canal::CanalOptions options(const Case& made) {
        canal::CanalOptions options;
        options.max_decr_tries = made.max_decr_tries;
        options.manager_max_per = made.max_per;
        options.max_pers = {made.max_per};
        options.has_manager = false;
        options.repairs = Row::kClaimsFirst ? canal::kAllRepairs : canal::kNoRepair;
        return options;
    }

    // The native side, in the worker's thread.
    void run_script(std::size_t caller) {
        int holding = 0;
        for (const Operation& operation : made_.scripts[caller]) {
            Returned result;
            if (operation.verb == Verb::kAcquire) {
                const Acquired acquired = acquire_unit(
                    row_, tallies_[caller], {operation.place_capacity, operation.places});
                result = {acquired.status == AcquireStatus::kAcquired ? Answer::kAcquired
                          : acquired.status == AcquireStatus::kFull   ? Answer::kFull
                                                                      : Answer::kDied,
                          static_cast<std::int64_t>(acquired.count)};
                holding += result.answer == Answer::kAcquired ? 1 : 0;
            } else if (holding > 0 || operation.unchecked) {
                const ReleaseStatus status =
                    release_unit(row_, tallies_[caller], operation.place_capacity);
                result = {status == ReleaseStatus::kFailed ? Answer::kDied : Answer::kReleased, 0};
                holding -= holding > 0 ? 1 : 0;
            } else {
                continue;
            }
            returned_[caller].push_back(result);
            if (result.answer == Answer::kDied) {
                return;
            }
        }
    }

    void compare(const Step& step, std::size_t caller) {
        const auto actor = static_cast<std::uint8_t>(caller);
        const std::string label = std::string(canal::name_of(step.label)) + " db";
        ASSERT_TRUE(walk_.can(testing_model::step_of(actor))) << label;
        ASSERT_NE(walk_.next(actor).find(label), std::string::npos)
            << label << " where the model has " << walk_.next(actor);
        const Event event = walk_.step(actor);
        const bool nothing = step.value == Published::kAbsent || step.value < 0;
        if (event.value != Event::kNoValue || !nothing) {
            ASSERT_EQ(event.value, step.value) << label << ", " << walk_.show();
        }
        if (step.bucket != 0 && event.value != Event::kNoValue) {
            ASSERT_EQ(event.place, step.bucket) << label;
        }
        const std::vector<std::int32_t> counters = walk_.counters();
        ASSERT_EQ(buckets_of(row_, made_, counters.size()), counters) << label;
        if constexpr (!Row::kClaimsFirst) {
            const std::int32_t highest = walk_.world().server_row(walk_.state(), 0).last_place;
            ASSERT_EQ(row_.highest(), highest == kAbsentCounter ? Row::kAbsent : highest);
        }
        const Returned result = returned_by(event);
        if (result.answer != Answer::kNone) {
            expected_[caller].push_back(result);
        }
    }

    Case made_;
    Row row_;
    std::vector<Tally<SteppingAtomics>> tallies_;
    std::vector<std::vector<Returned>> returned_;
    std::vector<std::vector<Returned>> expected_;
    ModelWalk walk_;
    std::uint64_t steps_ = 0;
};

template <class Row>
void compare_with_model(unsigned cases) {
    std::uint64_t steps = 0;
    for (unsigned seed = 1; seed <= cases && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        Comparison<Row> comparison(random_case(random, true));
        comparison.run(random);
        steps += comparison.steps();
    }
    EXPECT_GT(steps, cases * 5ULL);
}

TEST(NativeConformanceThreads, the_published_algorithm_takes_the_steps_of_the_model) {
    compare_with_model<Published>(300);
}

TEST(NativeConformanceThreads, the_repaired_algorithm_takes_the_steps_of_the_model) {
    compare_with_model<Repaired>(300);
}

// The whole lock with its bookkeeping of holders beside the model with its manager: one whole
// operation or crash after the other.
TEST(NativeConformance, operations_and_crashes_leave_the_same_row_as_the_manager_does) {
    constexpr std::size_t kCallers = 3;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        Case made = random_case(random, false);
        made.scripts.resize(kCallers, {testing_model::acquire(made.max_per, 2)});
        canal::CanalOptions options;
        options.manager_max_per = made.max_per;
        options.max_pers = {made.max_per};
        options.repairs = canal::kAllRepairs;
        WorldConfig world = testing_model::world_of(made.scripts);
        world.crashes_max = 2;
        ModelWalk walk{Model(options), world};
        RepairedCanalLock lock;
        std::vector<RepairedCanalLock::Holder> holders;
        std::vector<std::vector<RepairedCanalLock::Unit>> units(kCallers);
        for (std::size_t i = 0; i < kCallers; ++i) {
            holders.push_back(lock.join());
        }
        while (!walk.world().finished(walk.state())) {
            const std::vector<Action> actions = walk.actions();
            const Action chosen = actions[random() % actions.size()];
            const std::size_t caller = chosen.actor;
            if (chosen.kind == ActionKind::kCrash) {
                lock.on_crash(holders[caller].id());
                walk.apply(chosen);
            } else {
                // The call's first step says what is called.
                ModelWalk ahead = walk;
                const Event first = ahead.apply(chosen);
                const Event last = walk.call(chosen.actor);
                if (first.invoked == Verb::kAcquire) {
                    const auto buckets =
                        static_cast<std::uint32_t>(first.capacity / first.place_capacity);
                    auto unit =
                        lock.acquire(holders[caller], "db", {first.place_capacity, buckets});
                    ASSERT_EQ(static_cast<bool>(unit), last.is(kAcquired)) << "seed " << seed;
                    if (unit) {
                        ASSERT_EQ(unit.count(), static_cast<std::uint64_t>(last.count));
                        units[caller].push_back(std::move(unit));
                    }
                } else {
                    ASSERT_EQ(units[caller].back().release(), ReleaseStatus::kReleased);
                    units[caller].pop_back();
                }
            }
            walk.drain();
            const std::vector<std::int32_t> counters = walk.counters();
            ASSERT_EQ(std::accumulate(counters.begin(), counters.end(), std::uint64_t{0}),
                      lock.key("db").row.in_use())
                << "seed " << seed << " " << walk.show();
        }
    }
}

}  // namespace
}  // namespace lockkeeper::native
