// SPDX-License-Identifier: Apache-2.0

// Processes that are kept from run to run. What they do to begin anew belongs to an earlier run: it
// neither hides a leak of the next one nor breaks its lock.
#include <algorithm>

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

OutsideResult searched(const std::string& kind, Freshness freshness, OutsideWorld world) {
    Held held(raw_client(kind, "", "shared_lock.py"), std::move(world), {}, exploring(), 10,
              freshness);
    return held.search->search();
}

std::string found_of(const OutsideResult& result) {
    EXPECT_EQ("", result.diverged);
    return result.finding    ? std::string(result.finding->property->name)
           : result.complete ? "nothing"
                             : result.limit;
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
    const auto names_it = [](const std::string& remark) {
        return remark.find("\"DEL db\", sent when it is told to begin anew") != std::string::npos;
    };
    EXPECT_EQ(1, std::count_if(kept.tally.remarks.begin(), kept.tally.remarks.end(), names_it));
    EXPECT_EQ(kept.schedules, searched("ends", Freshness::kForked, world).schedules);
}

TEST(KeptProcesses, ThatStillSleepAreReplaced) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("leak", found_of(searched("sleeps_first", Freshness::kKept, with_a_kill(1))));
}

TEST(KeptProcesses, ThatDoNotBeginAnewAreReplaced) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_of(searched("stuck", Freshness::kKept, two_callers())));
}

}  // namespace
}  // namespace lockkeeper::wire
