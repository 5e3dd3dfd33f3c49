// SPDX-License-Identifier: Apache-2.0

// The format of a schedule, pinned: a line written today is replayed by every later version that
// calls itself lk1.
#include "model/schedule.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

constexpr Action step(std::uint8_t caller) { return {caller, ActionKind::kStep, 0}; }
constexpr Action crash(std::uint8_t caller) { return {caller, ActionKind::kCrash, 0}; }
constexpr Action resize() { return {0, ActionKind::kResize, 0}; }
constexpr Action background(std::uint8_t actor, std::uint16_t argument) {
    return {actor, ActionKind::kBackground, argument};
}

Schedule parsed(std::string_view line) {
    const auto result = parse_schedule(line);
    if (const auto* error = std::get_if<ScheduleError>(&result)) {
        ADD_FAILURE() << line << ": " << error->message << " at " << error->offset;
        return {};
    }
    return std::get<Schedule>(result);
}

void expect_refused(std::string_view line, std::size_t offset, std::string_view message) {
    const auto result = parse_schedule(line);
    const auto* error = std::get_if<ScheduleError>(&result);
    ASSERT_NE(error, nullptr) << line;
    EXPECT_EQ(error->offset, offset) << line;
    EXPECT_EQ(error->message, message) << line;
}

constexpr std::string_view kNoAction =
    "expected an action: s<caller>, s<caller>.<question>, b<actor>.<argument>, x<caller>, "
    "f<caller>.<fault>, d<actor>.<fault>, t<actor>.<time> or r";
constexpr std::string_view kNoSeed = "expected the seed, a decimal number, and ':'";
constexpr std::string_view kNoComma = "expected ',' between actions";
constexpr std::string_view kNoTimes = "expected how often, a number from 1, after '*'";
constexpr std::string_view kOtherVersion =
    "not a schedule of version lk1; this build replays no other";
constexpr std::string_view kTooLong = "more than 10000000 actions";

TEST(ScheduleLine, is_the_example_of_the_header) {
    EXPECT_EQ(to_line(parsed("lk1:42:s0*3,b0.1,s1,(s0,s1*2)*4,x0,r")),
              "lk1:42:s0*3,b0.1,s1,(s0,s1*2)*4,x0,r");
    const Schedule schedule{
        42, {step(0), step(0), step(0), background(0, 1), step(1), crash(0), resize()}};
    EXPECT_EQ(to_line(schedule), "lk1:42:s0*3,b0.1,s1,x0,r");
    EXPECT_EQ(parsed("lk1:42:s0*3,b0.1,s1,x0,r"), schedule);
}

TEST(ScheduleLine, without_actions_ends_with_the_second_colon) {
    EXPECT_EQ(to_line({}), "lk1:0:");
    EXPECT_EQ(parsed("lk1:0:"), Schedule{});
}

TEST(ScheduleLine, holds_the_largest_numbers) {
    const Schedule schedule{UINT64_MAX, {background(255, 65535), step(255), crash(255)}};
    EXPECT_EQ(to_line(schedule), "lk1:18446744073709551615:b255.65535,s255,x255");
    EXPECT_EQ(parsed(to_line(schedule)), schedule);
}

TEST(ScheduleLine, repeats_only_equal_neighbours) {
    const Schedule schedule{7, {step(1), step(2), step(1), resize(), resize(), background(1, 2)}};
    EXPECT_EQ(to_line(schedule), "lk1:7:s1,s2,s1,r*2,b1.2");
    EXPECT_EQ(to_line({7, {background(1, 2), background(1, 3)}}), "lk1:7:b1.2,b1.3");
}

TEST(ScheduleLine, names_a_question_of_a_program_by_its_place) {
    const Schedule schedule{7, {step(1), {1, ActionKind::kStep, 2}, {1, ActionKind::kStep, 2}}};
    EXPECT_EQ(to_line(schedule), "lk1:7:s1,s1.2*2");
    EXPECT_EQ(parsed("lk1:7:s1.0,s1.2*2"), schedule);
    expect_refused("lk1:1:s0.", 9, kNoAction);
    expect_refused("lk1:1:x0.1", 8, kNoComma);
}

TEST(ScheduleLine, folds_a_group_that_is_repeated) {
    Schedule schedule{1, {step(1)}};
    for (int i = 0; i < 340; ++i) {
        schedule.actions.insert(schedule.actions.end(), {background(0, 1), step(0), step(0)});
    }
    schedule.actions.push_back(resize());
    EXPECT_EQ(to_line(schedule), "lk1:1:s1,(b0.1,s0*2)*340,r");
    EXPECT_EQ(parsed(to_line(schedule)), schedule);
    EXPECT_EQ(to_line({1, {step(0), step(1), step(0), step(1)}}), "lk1:1:s0,s1,s0,s1");
    EXPECT_EQ(
        to_unfolded_line({1, {step(0), step(1), step(0), step(1), step(0), step(1), step(1)}}),
        "lk1:1:s0,s1,s0,s1,s0,s1*2");
}

TEST(ScheduleLine, reads_groups_in_groups) {
    const Schedule schedule{1, {step(0), step(1), step(1), step(0), step(1), step(1), resize()}};
    EXPECT_EQ(parsed("lk1:1:(s0,s1*2)*2,r"), schedule);
    EXPECT_EQ(parsed("lk1:1:((s0,(s1)*2)*2,r)"), schedule);
    EXPECT_EQ(parsed("lk1:1:s0,(s1*2),s0,s1,(s1,r)*1"), schedule);
}

TEST(ScheduleLine, with_a_group_that_is_none_is_refused_there) {
    expect_refused("lk1:1:()", 7, kNoAction);
    expect_refused("lk1:1:(s0", 9, "expected ',' or ')'");
    expect_refused("lk1:1:(s0,", 10, kNoAction);
    expect_refused("lk1:1:(s0,)", 10, kNoAction);
    expect_refused("lk1:1:s0)", 8, kNoComma);
    expect_refused("lk1:1:(s0)(s1)", 10, kNoComma);
    expect_refused("lk1:1:(s0)*", 11, kNoTimes);
    expect_refused("lk1:1:(s0)*0", 12, kNoTimes);
}

// Short lines that would be long runs, or deep ones.
TEST(ScheduleLine, of_a_stranger_is_bounded) {
    expect_refused("lk1:1:(s0,s1)*5000001", 21, kTooLong);
    EXPECT_EQ(parsed("lk1:1:(s0,s1)*5000000").actions.size(), kScheduleStepsMax);
    expect_refused("lk1:1:(((s0*1000)*1000)*1000)*1000", 28, kTooLong);
    expect_refused("lk1:1:(s0,s1)*18446744073709551615", 34, kTooLong);
    const std::string sixteen(16, '(');
    EXPECT_EQ(parsed("lk1:1:" + sixteen + "r" + std::string(16, ')')).actions.size(), 1U);
    expect_refused("lk1:1:(" + sixteen + "r" + std::string(17, ')'), 23,
                   "more than 16 groups in each other");
    expect_refused("lk1:1:" + std::string(1'000'000, '('), 23, "more than 16 groups in each other");
}

TEST(ScheduleLine, may_repeat_once_when_read) {
    EXPECT_EQ(parsed("lk1:1:s0*1,s0*2"), (Schedule{1, {step(0), step(0), step(0)}}));
}

TEST(ScheduleLine, of_another_version_is_refused) {
    for (const std::string_view line : {"lk2:42:s0", "lk0:42:s0", "lk:42:s0", "lk11:42:s0",
                                        "LK1:42:s0", " lk1:42:s0", "lk1", "", "42:s0", ":42:s0"}) {
        expect_refused(line, 0, kOtherVersion);
    }
}

TEST(ScheduleLine, without_a_seed_is_refused_where_it_should_stand) {
    expect_refused("lk1:", 4, kNoSeed);
    expect_refused("lk1::s0", 4, kNoSeed);
    expect_refused("lk1:-1:s0", 4, kNoSeed);
    expect_refused("lk1:+1:s0", 4, kNoSeed);
    expect_refused("lk1: 1:s0", 4, kNoSeed);
    expect_refused("lk1:18446744073709551616:s0", 4, kNoSeed);
    expect_refused("lk1:42", 6, kNoSeed);
    expect_refused("lk1:42s0", 6, kNoSeed);
    expect_refused("lk1:0x2A:s0", 5, kNoSeed);
}

TEST(ScheduleLine, with_something_that_is_no_action_is_refused_there) {
    expect_refused("lk1:1:q0", 6, kNoAction);
    expect_refused("lk1:1:,s0", 6, kNoAction);
    expect_refused("lk1:1:s0,", 9, kNoAction);
    expect_refused("lk1:1:s0,,s1", 9, kNoAction);
    expect_refused("lk1:1:s", 7, kNoAction);
    expect_refused("lk1:1:s0,x", 10, kNoAction);
    expect_refused("lk1:1:s256", 7, kNoAction);
    expect_refused("lk1:1:s-1", 7, kNoAction);
    expect_refused("lk1:1:b1", 8, kNoAction);
    expect_refused("lk1:1:b1.", 9, kNoAction);
    expect_refused("lk1:1:b1.65536", 9, kNoAction);
    expect_refused("lk1:1:b.1", 7, kNoAction);
    expect_refused("lk1:1: s0", 6, kNoAction);
}

TEST(ScheduleLine, with_something_behind_an_action_is_refused_there) {
    expect_refused("lk1:1:s0s1", 8, kNoComma);
    expect_refused("lk1:1:s0 ", 8, kNoComma);
    expect_refused("lk1:1:s0\n", 8, kNoComma);
    expect_refused("lk1:1:r0", 7, kNoComma);
    expect_refused("lk1:1:s0*2*2", 10, kNoComma);
}

TEST(ScheduleLine, with_a_repetition_that_is_no_number_from_1_is_refused_there) {
    expect_refused("lk1:1:s0*", 9, kNoTimes);
    expect_refused("lk1:1:s0*x", 9, kNoTimes);
    expect_refused("lk1:1:s0*-1", 9, kNoTimes);
    expect_refused("lk1:1:s0*99999999999999999999", 9, kNoTimes);
    expect_refused("lk1:1:s0*0", 10, kNoTimes);
}

TEST(ScheduleLine, of_ten_million_actions_is_the_longest) {
    EXPECT_EQ(parsed("lk1:1:s0*10000000").actions.size(), kScheduleStepsMax);
    expect_refused("lk1:1:s0*10000001", 17, kTooLong);
    expect_refused("lk1:1:s0*18446744073709551615", 29, kTooLong);
}

TEST(ScheduleLine, too_long_only_in_sum_is_refused_at_the_repetition_that_is_too_much) {
    expect_refused("lk1:1:s0*6000000,s1*4000001,r", 27, kTooLong);
    expect_refused("lk1:1:s0*10000000,r", 19, kTooLong);
    expect_refused("lk1:1:r,s0*18446744073709551615", 31, kTooLong);
}

TEST(ScheduleLine, with_a_null_byte_is_refused_there) {
    expect_refused(std::string_view("lk1:1:s0\0,s1", 12), 8, kNoComma);
}

TEST(ActionText, is_that_of_the_schedule) {
    for (const auto& [text, action] :
         {std::pair{"s3", step(3)}, std::pair{"x0", crash(0)}, std::pair{"r", resize()},
          std::pair{"b2.17", background(2, 17)}}) {
        EXPECT_EQ(to_text(action), text);
        EXPECT_EQ(std::get<Action>(parse_action(text)), action);
    }
}

TEST(ActionText, is_one_action_and_nothing_else) {
    for (const auto& [text, offset] :
         {std::pair{"", 0U}, std::pair{"s", 1U}, std::pair{"s1,s2", 2U}, std::pair{"s1*2", 2U},
          std::pair{"r1", 1U}, std::pair{"b1", 2U}, std::pair{"b1.2 ", 4U}, std::pair{"z", 0U}}) {
        const auto result = parse_action(text);
        const auto* error = std::get_if<ScheduleError>(&result);
        ASSERT_NE(error, nullptr) << text;
        EXPECT_EQ(error->offset, offset) << text;
        EXPECT_EQ(error->message, kNoAction);
    }
}

}  // namespace
}  // namespace lockkeeper
