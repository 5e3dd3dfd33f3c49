// SPDX-License-Identifier: Apache-2.0

// Processes that are kept from run to run. What they do to begin anew belongs to an earlier run: it
// neither hides a leak of the next one nor breaks its lock.
#include <algorithm>

#include "validate/outside/verdict.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

OutsideWorld with_a_kill(std::uint16_t places) {
    OutsideWorld world = two_callers();
    world.world.crashes_max = 1;
    for (CallerConfig& caller : world.world.callers) {
        for (Operation& operation : caller.script) {
            operation.place_capacity = places;
        }
    }
    return world;
}

OutsideResult searched(const std::string& kind, Freshness freshness, OutsideWorld world,
                       const std::string& modes = "") {
    Held held(raw_client(kind, modes, "shared_lock.py"), std::move(world), {}, exploring(), 10,
              freshness);
    return held.search->search();
}

std::string found_of(const OutsideResult& result) {
    EXPECT_EQ("", result.diverged);
    if (!result.finding) {
        return result.complete ? "nothing" : "incomplete: " + result.limit;
    }
    return result.finding->property == nullptr ? "misbehaved: " + result.finding->detail
                                               : std::string(result.finding->property->name);
}

// By how many callers, and clients of the look at the end, this was remarked.
std::int64_t remarks_of(const OutsideResult& result, const std::string& text) {
    const auto& remarks = result.tally.remarks;
    return std::count_if(remarks.begin(), remarks.end(), [&](const std::string& remark) {
        return remark.find("'s process is started again for each run: " + text) !=
               std::string::npos;
    });
}

TEST(KeptProcesses, GiveBackNothingInTheNextRun) {
    SKIP_WITHOUT_REDIS();
    const OutsideResult kept = searched("leaks", Freshness::kKept, with_a_kill(1));
    EXPECT_EQ("leak", found_of(kept));
    EXPECT_EQ("leak", found_of(searched("counts", Freshness::kKept, with_a_kill(3))));
    EXPECT_EQ("leak", found_of(searched("counts", Freshness::kForked, with_a_kill(3))));
}

TEST(KeptProcesses, ThatWouldGiveBackAreReplacedAndNamed) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers();
    world.world.callers[1].script.pop_back();  // it still holds when the run ends
    const OutsideResult kept = searched("ends", Freshness::kKept, world);
    EXPECT_EQ("nothing", found_of(kept));
    EXPECT_EQ(1, remarks_of(kept, "it leaves \"DEL db\", sent when it is told to begin anew"));
    EXPECT_EQ(kept.schedules, searched("ends", Freshness::kForked, world).schedules);
}

TEST(KeptProcesses, ThatStillSleepAreReplaced) {
    SKIP_WITHOUT_REDIS();
    const OutsideResult kept = searched("sleeps_first", Freshness::kKept, with_a_kill(1));
    EXPECT_EQ("leak", found_of(kept));
    EXPECT_LE(1, remarks_of(kept, "it still waits for the clock when it is told to begin anew"));
}

TEST(KeptProcesses, ThatDoNotBeginAnewAreReplaced) {
    SKIP_WITHOUT_REDIS();
    const OutsideResult kept = searched("stuck", Freshness::kKept, two_callers());
    EXPECT_EQ("nothing", found_of(kept));
    EXPECT_LE(2, remarks_of(kept, "it waits without an end when it is told to begin anew"));
}

// A fresh process tells whether it is the driver's own fault.
TEST(KeptProcesses, ThatMisbehaveWhenTheyBeginAnewAreReplaced) {
    SKIP_WITHOUT_REDIS();
    const OutsideResult dies = searched("dies_anew", Freshness::kKept, two_callers());
    EXPECT_EQ("nothing", found_of(dies));
    EXPECT_LE(2, remarks_of(dies, "it does not begin anew: "));
    const OutsideResult says = searched("says_anew", Freshness::kKept, two_callers());
    EXPECT_EQ("nothing", found_of(says));
    EXPECT_LE(2, remarks_of(says, "it answers \"error of before\" when it is told to begin anew"));
}

TEST(KeptProcesses, AreNotBlamedForADriverThatNeverBeginsAnew) {
    SKIP_WITHOUT_REDIS();
    std::string told;
    try {
        static_cast<void>(searched("always_says", Freshness::kKept, two_callers()));
    } catch (const Misbehaved& error) {
        told = error.what();
    }
    EXPECT_EQ("its first line is \"error of before\" and not \"ready\"", told);
}

OutsideVerdict judged_of(Held& held, OutsideResult& result) {
    return search_and_judge(*held.search, result, held.world, exploring().seed);
}

// A library that counts by itself, as version 1 of a UUID does, is no other client for that; and
// what only a kept process does is no finding.
TEST(KeptProcesses, ThatDoNotDoTheSameTwiceAreReplaced) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : {"numbers", "takes_anew"}) {
        Held held(raw_client(kind, "", "shared_lock.py"), two_callers_or_less(), {}, exploring());
        OutsideResult result;
        EXPECT_TRUE(is<Passed>(judged_of(held, result).verdict)) << kind;
        EXPECT_EQ("nothing", found_of(result)) << kind;
        const auto& remarks = result.tally.remarks;
        EXPECT_TRUE(std::any_of(remarks.begin(), remarks.end(), [](const std::string& remark) {
            return remark.starts_with("each run has new processes: those that were kept did not");
        })) << kind;
    }
}

// Its token is the number that the machine gives to its process.
TEST(KeptProcesses, AreNotTheReasonWhereNewOnesDifferToo) {
    SKIP_WITHOUT_REDIS();
    Held held(raw_client("pid"), two_callers(), {}, exploring());
    OutsideResult result;
    EXPECT_TRUE(is<NotDeterministic>(judged_of(held, result).verdict));
}

// A client of the look at the end that is refused may still have something to take away then. The
// next one that asks does not find it; where it stays, that is found.
TEST(KeptProcesses, OfTheLookAtTheEndComeToRestBehindTheirAnswers) {
    SKIP_WITHOUT_REDIS();
    for (const std::uint16_t places : {std::uint16_t{1}, std::uint16_t{3}}) {
        OutsideWorld world = two_callers();
        world.world.callers[1].script.pop_back();  // it still holds when the look begins
        if (places > 1) {
            world.world.callers[0].script.pop_back();
        }
        for (CallerConfig& caller : world.world.callers) {
            caller.script.front().place_capacity = places;
        }
        const std::string number = places == 3 ? "3" : "";
        for (const char* modes : everyday(1, {"reset fork close", "reset fork", "fork"})) {
            EXPECT_EQ("nothing",
                      found_of(searched("marks" + number, Freshness::kKept, world, modes)))
                << places << modes;
        }
        EXPECT_EQ("leak", found_of(searched("marks_on" + number, Freshness::kKept, world)))
            << places;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
