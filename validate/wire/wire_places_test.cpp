// SPDX-License-Identifier: Apache-2.0

// More places than there are clients. Locks of one place and of three: validate/table.
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

// More clients than are held at once are not asked: that is said, and is no pass of the property.
TEST(WirePlaces, OfMoreThanTheLookAtTheEndAsksForALeakIsNotJudged) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers();
    world.world.callers.resize(1);
    for (Operation& operation : world.world.callers[0].script) {
        operation.place_capacity = 30;
    }
    Held held(raw_client("30", "", "counted_lock.py"), world, {}, exploring());
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    EXPECT_FALSE(result.finding);
    EXPECT_TRUE(result.complete) << result.limit;
    EXPECT_EQ(1U, result.tally.open.count(PropertyNumber::kLeak));
    EXPECT_EQ(0U, result.tally.decided.count(PropertyNumber::kLeak));
}

}  // namespace
}  // namespace lockkeeper::wire
