// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "work/make_report.hpp"

namespace lockkeeper {
namespace {

TEST(Scope, NamesWhatMatters) {
    WorldConfig world;
    world.keys = {"db"};
    CallerConfig caller;
    caller.script = {{Verb::kAcquire, 0, 2, 1}, {Verb::kRelease, 0, 2, 3}, {Verb::kExit}};
    world.callers = {caller, caller};
    world.crashes_max = 1;
    EXPECT_EQ("2 callers, 1 key, max_per 2, buckets 1,3, crashes 1", scope_text(world));
    EXPECT_EQ("2 callers, 1 crash", short_scope_text(world));
    world.views = {1, 4};
    world.callers[0].script[0].follows_resizes = true;
    world.callers[1].repeats_forever = true;
    EXPECT_EQ(
        "2 callers, 1 key, max_per 2, buckets 1,3,4, crashes 1, resizes 1, scripts repeat for ever",
        scope_text(world));
}

}  // namespace
}  // namespace lockkeeper
