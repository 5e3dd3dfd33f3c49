// SPDX-License-Identifier: Apache-2.0
#include "work/results/words.hpp"

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "validate/programs/stepped_run.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper {
namespace {

TEST(Words, Numbers) {
    EXPECT_EQ("0", with_commas(std::uint64_t{0}));
    EXPECT_EQ("999", with_commas(std::uint64_t{999}));
    EXPECT_EQ("1,000", with_commas(std::uint64_t{1000}));
    EXPECT_EQ("18,446,744,073,709,551,615", with_commas(UINT64_MAX));
    EXPECT_EQ("1,234,567,890,123,456,789,012,345", with_commas("1234567890123456789012345"));
    EXPECT_EQ("1 caller", counted(1, "caller"));
    EXPECT_EQ("0 callers", counted(0, "caller"));
    EXPECT_EQ("1,200 states", counted(1200, "state"));
}

TEST(Words, Sizes) {
    EXPECT_EQ("0.021 s", seconds_text(0.0211));
    EXPECT_EQ("7.51 s", seconds_text(7.51));
    EXPECT_EQ("75.1 s", seconds_text(75.12));
    EXPECT_EQ("1 byte", bytes_text(1));
    EXPECT_EQ("1.0 KiB", bytes_text(1024));
    EXPECT_EQ("1.5 MiB", bytes_text(3U << 19U));
    EXPECT_EQ("unknown", rate_text(5, 0));
    EXPECT_EQ("500/s", rate_text(1000, 2));
    EXPECT_EQ("2.50 million/s", rate_text(5'000'000, 2));
}

TEST(Words, ShellQuoting) {
    EXPECT_EQ("a/b-c.json", shell_quoted("a/b-c.json"));
    EXPECT_EQ("''", shell_quoted(""));
    EXPECT_EQ("'a b'", shell_quoted("a b"));
    EXPECT_EQ("'it'\\''s'", shell_quoted("it's"));
    EXPECT_EQ("'lk1:1:s0*3'", shell_quoted("lk1:1:s0*3"));
    EXPECT_EQ("'$(rm)'", shell_quoted("$(rm)"));
}

TEST(Words, Names) {
    const Property* leak = find_property("leak");
    ASSERT_NE(nullptr, leak);
    EXPECT_EQ("P2 leak", title_of(*leak));
    EXPECT_EQ("none", names_text({}));
    EXPECT_EQ("P2 leak, P13 deadlock", names_text({leak, find_property("deadlock")}));
    EXPECT_EQ("full", names_text({find_goal("full")}));
    EXPECT_EQ("a?b?c", printable("a\nb\x1b"
                                 "c"));
}

// Whoever tests a lock of his own has no manager and no cap marks.
TEST(Words, SentencesOfWhatIsJudgedOutsideHaveNoWordOfTheCanalLock) {
    std::size_t judged = 0;
    for (const Property& property : all_properties()) {
        if (!is_judged_outside(property) && !wire::is_judged_at_wire(property)) {
            continue;
        }
        ++judged;
        for (const char* word : {"cap mark", "manager", "notification", "reference", "counters"}) {
            EXPECT_EQ(std::string::npos, property.definition.find(word))
                << title_of(property) << ": " << property.definition;
        }
    }
    EXPECT_GT(judged, 5U);
}

}  // namespace
}  // namespace lockkeeper
