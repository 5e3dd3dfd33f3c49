// SPDX-License-Identifier: Apache-2.0
#include "scenarios/units.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

TEST(Units, Durations) {
    EXPECT_DOUBLE_EQ(60, parse_duration("60s").value());
    EXPECT_DOUBLE_EQ(0.5, parse_duration("500ms").value());
    EXPECT_DOUBLE_EQ(120, parse_duration("2m").value());
    EXPECT_DOUBLE_EQ(5400, parse_duration("1.5h").value());
    EXPECT_DOUBLE_EQ(7, parse_duration("7").value());
    for (const char* bad : {"", "s", "5x", "-1s", "0", "0s", "1e3", " 5s", "5 s", "5s ", "1.2.3s",
                            "nan", "inf", "99999999999999999999999999s", ".", "+5"}) {
        EXPECT_FALSE(parse_duration(bad)) << bad;
    }
}

TEST(Units, MemorySizes) {
    EXPECT_EQ(65536U, parse_memory_size("65536").value());
    EXPECT_EQ(20ULL << 30U, parse_memory_size("20G").value());
    EXPECT_EQ(20ULL << 30U, parse_memory_size("20GiB").value());
    EXPECT_EQ(20ULL << 30U, parse_memory_size("20GB").value());
    EXPECT_EQ(3ULL << 19U, parse_memory_size("1.5M").value());
    EXPECT_EQ(7U, parse_memory_size("7B").value());
    EXPECT_EQ(1ULL << 40U, parse_memory_size("1T").value());
    for (const char* bad :
         {"", "B", "iB", "G", "-1G", "0", "20g", "1P", "99999999T", "5 G", "GG"}) {
        EXPECT_FALSE(parse_memory_size(bad)) << bad;
    }
}

TEST(Units, Counts) {
    EXPECT_EQ(0U, parse_count("0").value());
    EXPECT_EQ(1'000'000U, parse_count("1_000_000").value());
    EXPECT_EQ(1'000'000U, parse_count("1e6").value());
    EXPECT_EQ(UINT64_MAX, parse_count("18446744073709551615").value());
    EXPECT_EQ(10'000'000'000'000'000'000U, parse_count("1e19").value());
    for (const char* bad : {"", "-1", "+1", "1.5", "0x10", "1e", "e6", "1e20", "2e19", "_1", "1_",
                            "1__0", "18446744073709551616", " 1", "1 ", "1e+6", "1e-6"}) {
        EXPECT_FALSE(parse_count(bad)) << bad;
    }
}

TEST(Units, Truth) {
    EXPECT_TRUE(parse_truth("on").value());
    EXPECT_FALSE(parse_truth("no").value());
    EXPECT_FALSE(parse_truth("maybe"));
    EXPECT_FALSE(parse_truth(""));
}

TEST(Units, DurationsAreWrittenAsTheyAreRead) {
    for (const char* text : {"1s", "0.5s", "59s", "1m", "10m", "1.5m"}) {
        EXPECT_EQ(text, duration_text(parse_duration(text).value()));
    }
}

TEST(Units, WholeNumbersWithinABound) {
    EXPECT_EQ(-7, parse_whole("-7", 7).value());
    EXPECT_EQ(0, parse_whole("0", 7).value());
    for (const char* bad : {"", "8", "-8", "+1", "1.0", " 1", "1 ", "1e3", "x"}) {
        EXPECT_FALSE(parse_whole(bad, 7)) << bad;
    }
}

TEST(Units, Shares) {
    EXPECT_DOUBLE_EQ(0.01, parse_share("1%").value());
    EXPECT_DOUBLE_EQ(0.25, parse_share("0.25").value());
    for (const char* bad : {"", "%", "0", "0%", "1", "100%", "-1%", "nan", "inf", "1%%"}) {
        EXPECT_FALSE(parse_share(bad)) << bad;
    }
}

TEST(Units, AssignmentsAndLists) {
    using Pair = std::pair<std::string, std::string>;
    EXPECT_EQ((Pair{"grace", "3"}), parse_assignment("grace=3").value());
    EXPECT_EQ((Pair{"a", "b=c"}), parse_assignment("a=b=c").value());
    EXPECT_EQ((Pair{"a", ""}), parse_assignment("a=").value());
    EXPECT_FALSE(parse_assignment("=3"));
    EXPECT_FALSE(parse_assignment("grace"));
    EXPECT_EQ((std::vector<std::string>{"a", "", "b"}), parts_of("a,,b", ','));
    EXPECT_EQ((std::vector<std::string>{""}), parts_of("", ','));
    EXPECT_EQ((std::vector<std::string>{"a", ""}), parts_of("a,", ','));
}

}  // namespace
}  // namespace lockkeeper
