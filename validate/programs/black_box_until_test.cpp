// SPDX-License-Identifier: Apache-2.0

// Tests the ends that grants announce against the recorded history.
#include "validate/programs/black_box.hpp"
#include "validate/programs/black_box_run.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

BlackBoxResult run(const std::string& mode, const OutsideWorld& world) {
    BlackBoxOptions options;
    options.schedules_max = 2;
    options.operations_max = 200;
    options.recovery_seconds = 0.3;
    options.check.ladder = false;
    options.model_is_chosen = false;
    return run_black_box(options_for(other_child("until_locks.py " + mode), world), world, options);
}

Operation sleep_for(std::uint16_t milliseconds) {
    Operation sleep = operation(Verb::kSleep);
    sleep.number = milliseconds;
    return sleep;
}

// Each has it for longer than its 300 ms.
OutsideWorld slow_holders() {
    Operation acquire = operation(Verb::kAcquire);
    acquire.until_acquired = true;
    return world_of(2, {acquire, sleep_for(500), operation(Verb::kRelease)});
}

Operation signalling(Verb verb, std::uint8_t signal, std::uint8_t amount) {
    Operation out = operation(verb);
    out.signal = signal;
    out.amount = amount;
    return out;
}

// One holder for each place, and one caller each to take over when the 300 ms are over. Only then
// do the holders do their last operation, and after them the others. However slow the machine is,
// nobody gives back before another has asked.
OutsideWorld taken_over(std::uint8_t places, const Operation& last) {
    enum : std::uint8_t { kGranted, kTakenOver, kDone };
    Operation acquire = operation(Verb::kAcquire, 1, places);
    acquire.until_acquired = true;
    OutsideWorld world = world_of(places, {acquire, signalling(Verb::kSignal, kGranted, 1),
                                           signalling(Verb::kWait, kTakenOver, places), last,
                                           signalling(Verb::kSignal, kDone, 1)});
    const OutsideWorld others = world_of(
        places, {signalling(Verb::kWait, kGranted, places), acquire,
                 signalling(Verb::kSignal, kTakenOver, 1), signalling(Verb::kWait, kDone, places),
                 operation(Verb::kRelease, 1, places)});
    for (CallerConfig caller : others.world.callers) {
        caller.name[0] = 'B';
        world.world.callers.push_back(std::move(caller));
    }
    world.world.signals = {"granted", "taken over", "done"};
    for (CallerConfig& caller : world.world.callers) {
        for (Operation& operation : caller.script) {
            operation.keep = operation.verb == Verb::kWait;
        }
    }
    return world;
}
OutsideWorld taken_over(std::uint8_t places = 1) {
    return taken_over(places, operation(Verb::kRelease, 1, places));
}

TEST(BlackBoxUntil, ALockThatIsTakenOverAtItsEndIsRight) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result = run("right", taken_over());
    EXPECT_FALSE(result.finding) << result.finding->reason;
    EXPECT_FALSE(result.misbehaviour) << result.detail;
    EXPECT_TRUE(result.has_until);
    EXPECT_FALSE(result.judged_by_model);
    EXPECT_EQ(4U, result.tally.answers.grants);
}

TEST(BlackBoxUntil, OfTwoPlacesTooManyHoldersAreAnOverAllocation) {
    NEEDS_TOOL("python3");
    const BlackBoxResult wrong = run("says-longer", taken_over(2));
    ASSERT_TRUE(wrong.finding);
    EXPECT_EQ("P1 over-allocation", wrong.finding->name) << wrong.finding->reason;
    EXPECT_EQ(3U, wrong.finding->records.size());
    const BlackBoxResult right = run("right", taken_over(2));
    EXPECT_FALSE(right.finding) << right.finding->reason;
    EXPECT_EQ(8U, right.tally.answers.grants);
}

TEST(BlackBoxUntil, OfTwoPlacesALateReleaseIsWrongWhereBothWereGrantedAgain) {
    NEEDS_TOOL("python3");
    const BlackBoxResult wrong = run("deletes", taken_over(2));
    ASSERT_TRUE(wrong.finding);
    EXPECT_EQ("P21 false-ok", wrong.finding->name) << wrong.finding->reason;
}

TEST(BlackBoxUntil, ALockThatClaimsALaterEndThanItsOwnIsNot) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result = run("says-longer", taken_over());
    ASSERT_TRUE(result.finding);
    EXPECT_EQ("P17 belief-overlap", result.finding->name);
    ASSERT_EQ(2U, result.finding->records.size());
    for (const std::size_t record : result.finding->records) {
        EXPECT_EQ("acquire", result.history.records[record].f);
        EXPECT_EQ(HistoryType::kOk, result.history.records[record].type);
    }
    EXPECT_NE(std::string::npos, result.finding->reason.find("A1")) << result.finding->reason;
    EXPECT_NE(std::string::npos, result.finding->reason.find("B1")) << result.finding->reason;
}

TEST(BlackBoxUntil, AGrantThatIsOverWhenItReturnsIsNone) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result = run("expired", pairs(2, 1));
    ASSERT_TRUE(result.finding);
    EXPECT_EQ("expired on return", result.finding->name);
    EXPECT_FALSE(run("right", pairs(2, 1)).finding);
}

// A second late, and a bit: of that its program waits for a processor in each call.
TEST(BlackBoxUntil, LatenessOfABusyMachineIsNotTheLocks) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = pairs(1, 4);
    const auto finding = [&](std::chrono::milliseconds each) {
        ProgramOptions options = options_for(other_child("until_locks.py expired"), world);
        options.stepped = false;
        ProgramGroup programs(options, false);
        std::chrono::nanoseconds waited{0};
        BlackBoxMeasures measures;
        measures.waits = [&](const auto&) { return ProcessorWaits{{1, waited += each}}; };
        BlackBoxRun run(programs, world, 1, {100, 1}, measures);
        run.run();
        return run.findings().empty() ? "none" : run.findings().front().name;
    };
    EXPECT_EQ("expired on return", finding(std::chrono::milliseconds(0)));
    EXPECT_EQ("expired on return", finding(std::chrono::milliseconds(900)));
    EXPECT_EQ("none", finding(std::chrono::milliseconds(2'000)));
}

TEST(BlackBoxUntil, ALockThatDoesNotEndWhenItSaysIsALeak) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = world_of(1, {operation(Verb::kAcquire)});
    const BlackBoxResult result = run("never-ends", world);
    ASSERT_TRUE(result.finding);
    EXPECT_EQ("P2 leak", result.finding->name) << result.finding->reason;
    EXPECT_FALSE(run("right", world).finding);
}

TEST(BlackBoxUntil, ARenewalOfWhatAnotherHasByNowIsAnOverlap) {
    NEEDS_TOOL("python3");
    Operation renew = operation(Verb::kCall);
    renew.unchecked = true;
    OutsideWorld world = taken_over(1, renew);
    world.world.words = {"renew"};
    const BlackBoxResult wrong = run("renews-late", world);
    ASSERT_TRUE(wrong.finding);
    EXPECT_EQ("P17 belief-overlap", wrong.finding->name) << wrong.finding->reason;
    EXPECT_FALSE(run("right", world).finding);
}

// The first is over when it releases, and the second has the lock by then.
TEST(BlackBoxUntil, AReleaseAfterTheEndIsCalled) {
    NEEDS_TOOL("python3");
    const BlackBoxResult wrong = run("deletes", taken_over());
    ASSERT_TRUE(wrong.finding);
    EXPECT_EQ("P21 false-ok", wrong.finding->name) << wrong.finding->reason;
    ASSERT_EQ(3U, wrong.finding->records.size());
    const auto process_of = [&](std::size_t i) {
        return wrong.history.records[wrong.finding->records[i]].process;
    };
    EXPECT_EQ(process_of(0), process_of(2));
    EXPECT_NE(process_of(0), process_of(1));

    const BlackBoxResult right = run("right", taken_over());
    EXPECT_FALSE(right.finding) << right.finding->reason;
    EXPECT_EQ(2U, right.tally.answers.errors);  // 22, to the first of each run
    EXPECT_TRUE(right.tally.passed_over.empty());
    EXPECT_EQ(kAcquired | kReleased | kFailed | kLost,
              right.tally.events & ~std::uint32_t{kRefused});
}

// Released long before its end, a lease has shown nothing of what happens then.
TEST(BlackBoxUntil, WhetherAGrantCameToItsEndIsSeen) {
    NEEDS_TOOL("python3");
    const BlackBoxResult quick = run("right", pairs(2, 1));
    EXPECT_TRUE(quick.has_until);
    EXPECT_FALSE(quick.tally.sees_lease_end);
    EXPECT_GT(quick.tally.lease_time, 0);
    EXPECT_LE(quick.tally.lease_time, 300);
    EXPECT_TRUE(run("right", taken_over()).tally.sees_lease_end);
    // The probe asks, too; nobody else is there.
    EXPECT_TRUE(run("right", world_of(1, {operation(Verb::kAcquire)})).tally.sees_lease_end);
    OutsideWorld alone = slow_holders();
    alone.world.callers.resize(1);
    EXPECT_FALSE(run("right", alone).tally.sees_lease_end);
}

TEST(BlackBoxUntil, AReleaseUnderAConditionIsLeftOutAndCounted) {
    NEEDS_TOOL("python3");
    OutsideWorld world = slow_holders();
    for (CallerConfig& caller : world.world.callers) {
        Operation condition = operation(Verb::kIfHolding);
        condition.governs = 1;
        caller.script.insert(caller.script.begin() + 2, condition);
    }
    const BlackBoxResult result = run("deletes", world);
    EXPECT_FALSE(result.finding) << result.finding->reason;
    EXPECT_EQ((PassedOverCounts{{"the time of the lock was over", 4}}), result.tally.passed_over);
    EXPECT_NE(0U, result.tally.events & kTimePassed);
}

// The look at the end counts what it cannot know; then P2 (leak), if asked by name, does not pass.
TEST(BlackBoxUntil, ALookThatDecidesNothingSaysSo) {
    NEEDS_TOOL("python3");
    for (const std::string mode : {"raises", "says-longer", "right"}) {
        OutsideWorld world = world_of(1, {operation(Verb::kAcquire, 1, 3)});
        world.asked = {find_property("leak")};
        const OutsideTally tally = run(mode, world).tally;
        EXPECT_EQ(mode == "right" ? 0U : 1U, tally.open.count(PropertyNumber::kLeak)) << mode;
        EXPECT_EQ(mode == "right" ? 1U : 0U, tally.decided.count(PropertyNumber::kLeak)) << mode;
        EXPECT_EQ(mode == "right", tally.never_decided(world).empty()) << mode;
    }
}

TEST(BlackBoxUntil, AnswersAreCounted) {
    NEEDS_TOOL("python3");
    const AnswerCounts refused = run("refuses", pairs(2, 1)).tally.answers;
    EXPECT_EQ(0U, refused.grants);
    EXPECT_EQ(4U, refused.refusals);
    EXPECT_EQ(2U, refused.runs);
    EXPECT_NE("", refused.what_is_missing());
    // Every caller has it for ever, and the next one meets it.
    const BlackBoxResult raising = run("raises", world_of(3, {operation(Verb::kAcquire)}));
    EXPECT_EQ(2U, raising.tally.answers.grants);
    EXPECT_EQ(4U, raising.tally.answers.indefinite_answers);
    EXPECT_LE(1U, raising.tally.met_all_taken.errors);
    EXPECT_EQ(0U, raising.tally.met_all_taken.judged);
    // A lock with room for all of them, which raises as soon as anybody has a place.
    const BlackBoxResult roomy = run("raises", world_of(3, {operation(Verb::kAcquire, 1, 3)}));
    EXPECT_EQ(0U, roomy.tally.met_all_taken.errors + roomy.tally.met_all_taken.judged);
    EXPECT_LE(1U, roomy.tally.met_holder.errors);
    EXPECT_EQ(0U, roomy.tally.met_holder.judged);
    // Granted or refused beside a holder: an answer.
    const BlackBoxResult right = run("right", world_of(3, {operation(Verb::kAcquire)}));
    EXPECT_LE(1U, right.tally.met_holder.judged);
    EXPECT_EQ(0U, right.tally.met_holder.errors);
    // Error 14 is definite, and no refusal.
    const BlackBoxResult aborts = run("aborts", world_of(3, {operation(Verb::kAcquire)}));
    EXPECT_EQ(4U, aborts.tally.answers.errors);
    EXPECT_EQ(0U, aborts.tally.answers.refusals);
    EXPECT_EQ(0U, aborts.tally.met_holder.judged);
}

}  // namespace
}  // namespace lockkeeper
