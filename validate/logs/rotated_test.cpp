// SPDX-License-Identifier: Apache-2.0

// Files that log rotation made, parts of a log in another order, and what stands before a log.
#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "validate/logs/answered_test.hpp"

namespace lockkeeper::logs {
namespace {

Logs read_pieces(const std::vector<NamedLog>& pieces) { return read_named(pieces).logs; }

const std::string kOlder = "12:00:00Z a trying\n";

std::string rotated_line(const char* time, const char* caller, const char* did) {
    return std::string(R"({"time": "2026-03-01T12:00:)") + time + R"(Z", "caller": ")" + caller +
           R"(", "msg": ")" + did + "\"}\n";
}

TEST(RotatedLogs, TheNumberOfAPieceSaysThatItIsOlder) {
    const Rotation rotation({"logs/app.log.1", "logs/app.log", "b.jsonl.1", "b.jsonl.2"});
    EXPECT_TRUE(rotation.is_before("logs/app.log.1", "logs/app.log"));
    EXPECT_TRUE(rotation.is_before("b.jsonl.2", "b.jsonl.1"));
    EXPECT_FALSE(rotation.is_before("logs/app.log", "logs/app.log.1"));
    EXPECT_FALSE(rotation.is_before("logs/app.log.1", "b.jsonl.1"));
    EXPECT_FALSE(rotation.is_before("logs/app.log", "logs/app.log"));
    EXPECT_EQ(in_order_of_rotation({"b.log", "a.log", "b.log.1", "a.log.2=json", "a.log.1"}),
              (std::vector<std::string>{"b.log.1", "b.log", "a.log.2=json", "a.log.1", "a.log"}));
}

TEST(RotatedLogs, HostsAndDatesAreNoPieces) {
    const Rotation hosts({"node.1", "node.2", "app.log.20260301", "app.log.20260302"});
    EXPECT_FALSE(hosts.is_before("node.2", "node.1"));
    EXPECT_FALSE(hosts.is_before("app.log.20260302", "app.log.20260301"));
    // A piece is missing, or the newest is no log.
    const Rotation holes(
        {"a.log", "a.log.1", "a.log.3", "b.log.2", "b.log.3", "c.log", "c.log.01"});
    EXPECT_FALSE(holes.is_before("a.log.1", "a.log"));
    EXPECT_FALSE(holes.is_before("b.log.3", "b.log.2"));
    EXPECT_FALSE(holes.is_before("c.log.01", "c.log"));
    EXPECT_EQ(in_order_of_rotation({"node.1", "node.2"}),
              (std::vector<std::string>{"node.1", "node.2"}));
}

// Both pieces have the second in which the log was rotated.
TEST(RotatedLogs, ACallerGoesOnInTheNextPieceWithinOneSecond) {
    const std::string older =
        rotated_line("00", "a", "acquiring") + rotated_line("00", "a", "acquired");
    const std::string newer =
        rotated_line("00", "a", "releasing") + rotated_line("00", "a", "released") +
        rotated_line("01", "b", "acquiring") + rotated_line("01", "b", "acquired");
    EXPECT_EQ(answer_to(read_pieces({{"app.log.1", older}, {"app.log", newer}})),
              Answer::kExplained);
    // Two logs of which nobody can say that.
    EXPECT_THROW(answer_to(read_pieces({{"one.log", older}, {"two.log", newer}})), LogError);
}

// klog names no caller but by its file: what a.log.1 had acquired, a.log gave back, and a right
// lock was blamed.
TEST(RotatedLogs, PiecesAreOfOneCaller) {
    const auto klog = [](const char* second, const char* words) {
        return std::string("I0301 12:00:") + second + ".000000       1 leaderelection.go:258] " +
               words + "\n";
    };
    const std::string acquired = klog("01", "successfully acquired lease a/b");
    const std::string released = klog("02", "released");
    EXPECT_EQ(answer_to(read_pieces({{"a.log.1", acquired}, {"a.log", released}})),
              Answer::kExplained);
    EXPECT_NE(answer_to(read_pieces({{"a.log.1", acquired}, {"b.log", released}})),
              Answer::kExplained);
    // Whatever their names say, they are of two.
    EXPECT_THROW(answer_to(read_pieces({{"a.log.1", released}, {"a.log", acquired}})), LogError);
    EXPECT_EQ(read_pieces({{"a.log.1", acquired}, {"a.log", released}}).remarks,
              std::vector<std::string>{
                  "a.log.1: an older piece of a.log by its name; in both, a is the same caller"});
}

// An effect in the newer piece was excused by a hold in the older one, which had ended.
TEST(RotatedLogs, WhatANewerPieceHasIsLater) {
    const auto turn = [](const char* taken, const char* given) {
        return rotated_line(taken, "a", "acquiring") + rotated_line(taken, "a", "acquired") +
               rotated_line(given, "a", "releasing") + rotated_line(given, "a", "released");
    };
    const auto wrote = [](const char* time) { return rotated_line(time, "a", "wrote ledger"); };
    EXPECT_THROW(answer_to(read_pieces(
                     {{"a.log.1", turn("01", "04")}, {"a.log", wrote("02") + turn("05", "06")}})),
                 LogError);
    // Within one second the pieces alone say what was first.
    EXPECT_EQ(answer_to(read_pieces(
                  {{"a.log.1", turn("01", "04")}, {"a.log", wrote("04") + turn("05", "06")}})),
              Answer::kBroken);
    EXPECT_EQ(answer_to(read_pieces(
                  {{"a.log.1", turn("01", "02") + wrote("04")}, {"a.log", turn("04", "06")}})),
              Answer::kBroken);
    EXPECT_EQ(answer_to(read_pieces({{"a.log.1", turn("01", "02")},
                                     {"a.log", turn("02", "04") + wrote("04")},
                                     {"b.log", rotated_line("03", "b", "wrote ledger")}})),
              Answer::kBroken);
    EXPECT_EQ(answer_to(read_pieces({{"a.log.1", turn("01", "02")}, {"a.log", turn("02", "04")}})),
              Answer::kExplained);
}

std::string day_line(const char* time, const char* did) {
    return std::string("2026-03-01T12:00:0") + time + "Z " + did + "\n";
}

TEST(RotatedLogs, PartsInTheWrongOrderArePutInThatOfTheirTimesWithARemark) {
    const std::string first = day_line("1.000", "a trying") + day_line("1.001", "a acquired") +
                              day_line("1.300", "a releasing");
    const std::string second = day_line("1.301", "a released") + day_line("1.400", "a trying") +
                               day_line("1.401", "a acquired");
    const Logs right = read_pieces({{"app.log", first + second}});
    const Logs turned = read_pieces({{"app.log", second + first}});
    EXPECT_TRUE(right.remarks.empty());
    ASSERT_EQ(turned.remarks.size(), 1U);
    EXPECT_NE(turned.remarks[0].find("in the order of their times"), std::string::npos);
    EXPECT_EQ(answer_to(right), Answer::kExplained);
    EXPECT_EQ(answer_to(turned), Answer::kExplained);
    // Parts that overlap are no parts of one log: the clock fell.
    EXPECT_THROW(answer_to(read_pieces({{"app.log", first + day_line("1.200", "a released") +
                                                        day_line("1.400", "a trying")}})),
                 LogError);
    // Neither are parts whose order tears operations.
    EXPECT_THROW(answer_to(read_pieces({{"app.log", first + day_line("0.100", "a released") +
                                                        day_line("0.200", "a trying")}})),
                 LogError);
}

TEST(RotatedLogs, TimesWithoutADateAreNeverPutInOrder) {
    // A clock that was set back.
    EXPECT_THROW(answer_to(read_pieces({{"a.log",
                                         "10.000 a trying\n10.001 a acquired\n"
                                         "5.000 a trying\n5.001 a busy\n"}})),
                 LogError);
}

TEST(RotatedLogs, TheHeadOfAKlogFileIsNoOtherFormat) {
    const Logs logs = read_pieces(
        {{"a.log",
          "Log file created at: 2026/03/01 12:00:00\nRunning on machine: node-a\n"
          "Binary: Built with gc go1.22 for linux/amd64\n"
          "Log line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n"
          "I0301 12:00:00.010000       1 leaderelection.go:258] successfully acquired lease "
          "kube-system/a\n"}});
    EXPECT_EQ(logs.lines, 5U);
    EXPECT_EQ(logs.other_lines, 4U);
    EXPECT_EQ(logs.others.size(), 4U);
    ASSERT_EQ(logs.sources.size(), 1U);
    EXPECT_EQ(logs.sources[0].observations.size(), 1U);
}

}  // namespace
}  // namespace lockkeeper::logs
