// SPDX-License-Identifier: Apache-2.0
#include "model/virtual_time.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

constexpr std::int32_t kEnd = kBeginning + 500;

// Where time goes on to; 0: nowhere.
int offered(Agenda& agenda, std::int32_t end) {
    ActionList out;
    agenda.offer(out, end);
    return out.empty() ? 0 : out[0].argument;
}

TEST(VirtualTimeTest, TimeStopsAtTheNearestInstantThatMatters) {
    Agenda agenda(kBeginning);
    agenda.next.around(kBeginning + 100);
    agenda.next.at(kBeginning + 200);
    agenda.next.at(kBeginning);  // it has come
    EXPECT_EQ(offered(agenda, kEnd), kBeginning + 99);
    EXPECT_FALSE(agenda.is_beyond(kEnd));
}

TEST(VirtualTimeTest, TimeStopsNoLaterThanSomebodyHasToHaveActed) {
    Agenda agenda(kBeginning);
    agenda.next.at(kBeginning + 100);
    agenda.due(kBeginning, 30);
    EXPECT_EQ(offered(agenda, kEnd), kBeginning + 30);
    agenda.no_later_than(kBeginning);
    EXPECT_EQ(offered(agenda, kEnd), 0);
    EXPECT_FALSE(agenda.is_beyond(kEnd)) << "it waits for who has to act, not for its end";
}

TEST(VirtualTimeTest, WhatComesAfterTheEndOfTimeIsNotOfferedAndNotForgotten) {
    for (const std::int32_t late : {kEnd + 1, kInstantMax, kInstantMax + 1, 2 * kInstantMax}) {
        Agenda agenda(kBeginning);
        agenda.next.at(late);
        EXPECT_EQ(offered(agenda, kEnd), 0) << late;
        EXPECT_TRUE(agenda.is_beyond(kEnd)) << late;
    }
    Agenda at_the_end(kBeginning);
    at_the_end.next.at(kEnd);
    EXPECT_EQ(offered(at_the_end, kEnd), kEnd);
    EXPECT_FALSE(at_the_end.is_beyond(kEnd));
}

TEST(VirtualTimeTest, WithoutAnEndOfTimeAStopThatHasNoNumberIsALimit) {
    NextStop stop(kBeginning);
    stop.at(kInstantMax + 1);
    ActionList out;
    stop.offer(out);
    struct Clock {
        Instant now = kBeginning;
    } clock;
    Event event;
    EXPECT_THROW(static_cast<void>(pass_time(clock, out[0], event)), LimitExceeded);
    EXPECT_EQ(clock.now, kBeginning);
    stop.at(kInstantMax);
    out.clear();
    stop.offer(out);
    EXPECT_TRUE(pass_time(clock, out[0], event));
    EXPECT_EQ(clock.now, kInstantMax);
}

TEST(VirtualTimeTest, WhatComesAfterTheLastNumberIsRefusedAndNotLeftOut) {
    struct Clock {
        Instant now = kBeginning;
    } clock;
    const auto offered_up_to = [](std::int32_t at, std::int32_t last) {
        Agenda agenda(kBeginning);
        agenda.next.at(at);
        ActionList out;
        agenda.offer_or_refuse(out, last);
        return out;
    };
    // A clock that is fast has fewer numbers.
    for (const std::int32_t last : {kEnd, kInstantMax}) {
        const ActionList out = offered_up_to(last + 1, last);
        ASSERT_EQ(out.size(), 1U) << last;
        Event event;
        try {
            static_cast<void>(pass_time(clock, out[0], event, 12));
            ADD_FAILURE() << last;
        } catch (const LimitExceeded& limit) {
            EXPECT_STREQ("virtual time beyond 768000", limit.what()) << "as a scenario counts it";
        }
        EXPECT_EQ(offered_up_to(last, last)[0].argument, last);
    }
    ActionList none;
    Agenda(kBeginning).offer_or_refuse(none, kInstantMax);
    EXPECT_TRUE(none.empty());
}

TEST(VirtualTimeTest, IsToldInTheUnitsOfAScenario) {
    EXPECT_EQ("36", text_of_instant(kBeginning + 3, 12));
    EXPECT_EQ("-12", text_of_instant(kBeginning - 1, 12));
    EXPECT_EQ("time goes on to 36", describe_time({0, ActionKind::kTime, kBeginning + 3}, 12));
    EXPECT_EQ(std::numeric_limits<std::int32_t>::max(), told_in(1'000'000, 1'000'000));
}

TEST(VirtualTimeTest, WhereNothingIsToComeTimeIsNotOver) {
    Agenda agenda(kBeginning);
    EXPECT_EQ(offered(agenda, kEnd), 0);
    EXPECT_FALSE(agenda.is_beyond(kEnd));
}

}  // namespace
}  // namespace lockkeeper
