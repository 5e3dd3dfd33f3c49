// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/around.hpp"

#include <gtest/gtest.h>

#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

std::string left_of(const std::string& log, const char* time) {
    const Mapping mapping;
    LogsReader reader(mapping);
    reader.read_text(log, "log", Format::kByFirstLine);
    Logs logs = reader.end().logs;
    static_cast<void>(keep_around(logs, *read_log_time(time)));
    std::string out;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            out += std::to_string(seen.line) + " ";
        }
    }
    return out;
}

TEST(Around, LinesWithinAMinuteAreLeft) {
    EXPECT_EQ(left_of("100 a acquired\n200 a released\n300 a acquired\n", "200"), "2 ");
    EXPECT_EQ(left_of("100 a acquired\n159 a released\n300 a acquired\n", "200"), "2 ");
    EXPECT_EQ(left_of("100 a acquired\n141 a released\n260 a acquired\n", "200"), "2 3 ");
}

// A time-out before the window can take effect within it; a call that was answered cannot.
TEST(Around, WhatMayStillHappenIsLeft) {
    EXPECT_EQ(left_of("100 a trying\n101 a acquire unknown\n200 a acquired\n", "200"), "1 2 3 ");
    EXPECT_EQ(left_of("100 a trying\n101 a acquired\n200 a released\n", "200"), "3 ");
    EXPECT_EQ(left_of("100 a trying\n200 a acquired\n", "200"), "1 2 ");
}

TEST(Around, ATimeWithoutLinesIsRefused) {
    EXPECT_THROW(left_of("100 a acquired\n", "500"), LogError);
}

}  // namespace
}  // namespace lockkeeper::logs
