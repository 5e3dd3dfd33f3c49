// SPDX-License-Identifier: Apache-2.0

// When a reference with a clock may give which answer: hand-written runs of a candidate beside
// monglock's write lock (a lock is free again 10 units after it was taken).
#include <gtest/gtest.h>

#include "impl/leases/lease_db.hpp"
#include "impl/monglock/write_lock.hpp"
#include "model/walk_test.hpp"
#include "model/world.hpp"
#include "validate/compare/against.hpp"

namespace lockkeeper::against {
namespace {

using monglock::WriteLock;
using Scripts = std::vector<std::vector<Operation>>;
using testing_model::acquire;
using testing_model::release;

constexpr std::uint8_t kA = 0;
constexpr std::uint8_t kB = 1;

Operation sleep(std::uint16_t time) {
    Operation operation;
    operation.verb = Verb::kSleep;
    operation.number = time;
    return operation;
}

struct WriteLockAs {
    std::uint8_t repairs = 0;
    monglock::Budgets faults{};
    std::uint8_t crashes = 0;
};

ErasedSystem write_lock(const WriteLockAs& lock, const Scripts& scripts) {
    monglock::WriteLockOptions options;
    options.lock_timeout = 10;
    options.repairs = lock.repairs;
    options.faults = lock.faults;
    options.clients.resize(scripts.size());
    WorldConfig world = testing_model::world_of(scripts);
    world.crashes_max = lock.crashes;
    return ErasedSystem(World<WriteLock>(WriteLock(options), world));
}

Against beside(const WriteLockAs& candidate, const WriteLockAs& reference, const Scripts& scripts) {
    Reference made;
    made.features = WriteLock::kFeatures;
    made.has_clock = true;
    made.is_variant = true;
    made.by_resizes = {write_lock(reference, scripts)};
    made.step_by_step = [=](const std::vector<std::uint16_t>& sleeps) {
        Scripts with_clock = scripts;
        with_clock.emplace_back();
        for (const std::uint16_t time : sleeps) {
            with_clock.back().push_back(sleep(time));
        }
        return write_lock(reference, with_clock);
    };
    return Against(Side{write_lock(candidate, scripts), WriteLock::kFeatures}, made);
}

// A run as it is told: each word is one action.
class Told {
  public:
    Told& at(std::int32_t instant) {
        run_.actions.push_back({0, ActionKind::kTime, 0});
        run_.instants.push_back(kBeginning + instant);
        return *this;
    }
    Told& calls(std::uint8_t caller, Verb verb = Verb::kAcquire) {
        run_.actions.push_back(testing_model::step_of(caller));
        ObservedCall call;
        call.caller = caller;
        call.verb = verb;
        call.called = run_.actions.size();
        run_.calls.push_back(call);
        return *this;
    }
    // The last call of the caller.
    Told& answers(std::uint8_t caller, const std::string& answer) {
        run_.actions.push_back(testing_model::step_of(caller));
        for (ObservedCall& call : run_.calls) {
            if (call.caller == caller && !call.returned) {
                call.returned = run_.actions.size();
                call.text = answer;
                call.granted = answer == "acquired";
                call.refused = answer == "LockAlreadyTaken";
                call.failed = !call.granted && !call.refused && answer != "released";
            }
        }
        return *this;
    }
    // A step of the caller goes wrong.
    Told& meets(std::uint8_t caller, monglock::OperationFault fault) {
        run_.actions.push_back({caller, ActionKind::kFault, static_cast<std::uint16_t>(fault)});
        return *this;
    }
    Told& disturbed(monglock::Disturbance what) {
        run_.actions.push_back({0, ActionKind::kDisturb, static_cast<std::uint16_t>(what)});
        return *this;
    }
    Told& dies(std::uint8_t caller) {
        run_.actions.push_back({caller, ActionKind::kCrash, 0});
        run_.deaths.push_back({caller, run_.actions.size(), false, std::nullopt});
        return *this;
    }
    // A fresh client of a program is refused what should be free at the end, or granted too much.
    Told& leaves(LeftAtEnd left) {
        run_.at_rest = true;
        run_.grants = {0};
        run_.left = left;
        return *this;
    }
    [[nodiscard]] const ObservedRun& run() const { return run_; }

  private:
    ObservedRun run_;
};

Told after_a_grant() {
    Told told;
    return told.calls(kA).answers(kA, "acquired");
}

Explanation explain(const Told& told, const Scripts& scripts = {{acquire()}, {acquire()}},
                    const WriteLockAs& reference = {}) {
    return beside(reference, reference, scripts).explain(told.run());
}

TEST(AgainstSteps, a_grant_before_the_lock_expires_is_looser_and_at_its_expiry_equal) {
    const auto granted_at = [](std::int32_t instant) {
        return explain(after_a_grant().at(instant).calls(kB).answers(kB, "acquired")).difference;
    };
    EXPECT_EQ(granted_at(9), Difference::kLooser);
    EXPECT_EQ(granted_at(10), Difference::kNone);
    EXPECT_EQ(granted_at(500), Difference::kNone);
}

TEST(AgainstSteps, a_refusal_at_the_expiry_is_stricter_and_before_it_equal) {
    const auto refused_at = [](std::int32_t instant) {
        return explain(after_a_grant().at(instant).calls(kB).answers(kB, "LockAlreadyTaken"))
            .difference;
    };
    EXPECT_EQ(refused_at(9), Difference::kNone);
    EXPECT_EQ(refused_at(10), Difference::kStricter);
}

TEST(AgainstSteps, a_call_that_took_time_may_have_taken_effect_at_any_of_its_instants) {
    for (const std::string answer : {"acquired", "LockAlreadyTaken"}) {
        const Told told = after_a_grant().at(9).calls(kB).at(10).answers(kB, answer);
        EXPECT_EQ(explain(told).difference, Difference::kNone) << answer;
        const Told late = after_a_grant().at(10).calls(kB).at(11).answers(kB, answer);
        EXPECT_EQ(explain(late).difference,
                  answer == "acquired" ? Difference::kNone : Difference::kStricter);
        const Told early = after_a_grant().at(8).calls(kB).at(9).answers(kB, answer);
        EXPECT_EQ(explain(early).difference,
                  answer == "acquired" ? Difference::kLooser : Difference::kNone);
    }
}

// B's refusal at 14 and grant at 15 say that A's lock is of 5. The reference stops there when the
// candidate did something there: else nothing of it can have happened at 5.
TEST(AgainstSteps, the_instants_of_a_call_are_those_at_which_the_candidate_did_something) {
    const Scripts scripts = {{acquire()}, {acquire(), acquire()}};
    const auto told = [&](bool acts_at_five) {
        Told run;
        run.calls(kA).at(5);
        if (acts_at_five) {
            run.meets(kA, monglock::OperationFault::kNone);  // a step, like any other here
        }
        run.at(14).calls(kB).answers(kB, "LockAlreadyTaken");
        run.at(15).calls(kB).answers(kB, "acquired");
        return run.at(20).answers(kA, "acquired");
    };
    EXPECT_EQ(explain(told(true), scripts).difference, Difference::kNone);
    EXPECT_EQ(explain(told(false), scripts).difference, Difference::kLooser);
}

TEST(AgainstSteps, who_goes_on_as_a_holder_where_the_reference_has_given_up_is_looser) {
    const Scripts scripts = {{acquire(), release()}, {acquire()}};
    const auto released_at = [&](std::int32_t instant, std::uint8_t repairs) {
        const Told told =
            after_a_grant().at(instant).calls(kA, Verb::kRelease).answers(kA, "released");
        return explain(told, scripts, {repairs});
    };
    EXPECT_EQ(released_at(9, monglock::kOwnDeadline).difference, Difference::kNone);
    const Explanation late = released_at(11, monglock::kOwnDeadline);
    EXPECT_EQ(late.difference, Difference::kLooser);
    EXPECT_EQ(late.expected, "holds no longer");
    EXPECT_EQ(released_at(11, 0).difference, Difference::kNone);
}

TEST(AgainstSteps, what_a_program_leaves_at_the_end_is_wrong_unless_the_reference_leaves_it_too) {
    const Scripts scripts = {{acquire(), release()}};
    for (const auto left : {LeftAtEnd::kLess, LeftAtEnd::kMore}) {
        const Explanation found =
            explain(after_a_grant().calls(kA, Verb::kRelease).answers(kA, "released").leaves(left),
                    scripts);
        EXPECT_EQ(found.difference, Difference::kWrong);
        EXPECT_NE(found.expected.find("can be acquired at the end"), std::string::npos)
            << found.expected;
    }
}

TEST(AgainstSteps, a_sleep_lasts_as_long_beside_the_candidate) {
    const Scripts scripts = {{acquire(), sleep(10)}, {acquire()}};
    const Told told = after_a_grant()
                          .calls(kA, Verb::kSleep)
                          .at(10)
                          .answers(kA, "done")
                          .calls(kB)
                          .answers(kB, "acquired");
    EXPECT_EQ(explain(told, scripts).difference, Difference::kNone);
}

TEST(AgainstSteps, a_fault_happens_in_the_same_call_or_not_at_all) {
    WriteLockAs lock;
    lock.faults.ack_lost = 1;
    const auto fails = [&](std::uint8_t who, bool is_met) {
        Told told;
        told.calls(kA);
        if (is_met) {
            told.meets(kA, monglock::OperationFault::kAckLost);
        }
        told.answers(kA, who == kA ? "DbError" : "acquired").at(50).calls(kB);
        return explain(told.answers(kB, who == kB ? "DbError" : "acquired"),
                       {{acquire()}, {acquire()}}, lock)
            .difference;
    };
    EXPECT_EQ(fails(kA, true), Difference::kNone);
    EXPECT_EQ(fails(2, true), Difference::kNone);  // nobody: the reference leaves it out
    EXPECT_EQ(fails(kA, false), Difference::kWrong);
    EXPECT_EQ(fails(kB, true), Difference::kWrong);
}

TEST(AgainstSteps, a_disturbance_happens_where_it_did_or_not_at_all) {
    WriteLockAs lock;
    lock.faults.deletions = 1;
    const auto answers = [&](const std::string& answer, bool is_disturbed) {
        Told told = after_a_grant();
        if (is_disturbed) {
            told.disturbed(monglock::Disturbance::kDelete);
        }
        return explain(told.at(5).calls(kB).answers(kB, answer), {{acquire()}, {acquire()}}, lock)
            .difference;
    };
    EXPECT_EQ(answers("RessourceNotFound", true), Difference::kNone);
    EXPECT_EQ(answers("LockAlreadyTaken", true), Difference::kNone);
    EXPECT_EQ(answers("RessourceNotFound", false), Difference::kWrong);
}

TEST(AgainstSteps, a_death_happens_where_it_did) {
    WriteLockAs lock;
    lock.crashes = 1;
    const Told told = after_a_grant().dies(kA).at(10).calls(kB).answers(kB, "acquired");
    EXPECT_EQ(explain(told, {{acquire(), release()}, {acquire()}}, lock).difference,
              Difference::kNone);
    const Told early = after_a_grant().dies(kA).at(9).calls(kB).answers(kB, "acquired");
    EXPECT_EQ(explain(early, {{acquire(), release()}, {acquire()}}, lock).difference,
              Difference::kLooser);
}

// The published lock's failed read ends a call for ever; what repairs it ends the call.
TEST(AgainstSteps, a_call_that_never_returns_is_wrong_beside_one_that_does) {
    WriteLockAs published;
    published.faults.read_fails = 1;
    WriteLockAs repaired = published;
    repaired.repairs = monglock::kSettlingReads;
    const Scripts scripts = {{acquire()}, {acquire()}};
    const auto worst = [&](const WriteLockAs& candidate, const WriteLockAs& reference,
                           std::size_t& stuck) {
        const Against against = beside(candidate, reference, scripts);
        Difference found = Difference::kNone;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const ObservedRun run = against.run_at_random(seed, 1'000);
            stuck += run.stuck ? 1 : 0;
            found = std::max(found, against.explain(run).difference);
        }
        return found;
    };
    std::size_t stuck = 0;
    EXPECT_EQ(worst(published, published, stuck), Difference::kNone);
    EXPECT_GT(stuck, 5U);
    EXPECT_EQ(worst(published, repaired, stuck), Difference::kWrong);
}

}  // namespace
}  // namespace lockkeeper::against
