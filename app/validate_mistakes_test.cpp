// SPDX-License-Identifier: Apache-2.0

// `validate --program` of a script with a mistake in it: one line that says what and where, and the
// exit code of bad input, at both levels and when the run is replayed.
#include "app/command_test.hpp"
#include "app/session.hpp"
#include "model/missing_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

struct Language {
    const char* tool;
    const char* ending;
};
constexpr Language kLanguages[] = {{"python3", "py"}, {"node", "js"}, {"escript", "erl"}};

std::string script(const Language& language, const std::string& mode) {
    return std::string(language.tool) + " " LOCKKEEPER_SOURCE_DIR +
           "/validate/programs/test_children/mistakes." + language.ending + " " + mode;
}

Ran judged(const std::string& program, std::vector<std::string> more) {
    more.insert(more.begin(), {"validate", "--program", program, "built-in:two-callers"});
    return run(more);
}

TEST(ValidateMistakes, AMistakeInTheScriptIsBadInputAndNamesItsPlaceAndItsRun) {
    for (const Language& language : kLanguages) {
        NEEDS_TOOL(language.tool);
        const Ran ran = judged(script(language, "type"), {});
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.out << ran.err;
        expect_one_line(ran, "has an error in its own code: ");
        EXPECT_TRUE(contains(ran.err, std::string("mistakes.") + language.ending + ":")) << ran.err;
        const std::size_t at = ran.err.find("lk1:1:");
        ASSERT_NE(std::string::npos, at) << ran.err;
        const std::string choices = ran.err.substr(at, ran.err.find('\'', at) - at);
        const Ran again = judged(script(language, "type"), {"--replay-choices", choices});
        EXPECT_EQ(kExitInput, again.exit_code) << again.out << again.err;
        EXPECT_TRUE(contains(again.err, "has an error in its own code: ")) << again.err;
    }
}

TEST(ValidateMistakes, TheBlackBoxLevelTellsThemToo) {
    for (const Language& language : kLanguages) {
        NEEDS_TOOL(language.tool);
        for (const char* mode : {"name", "thrown"}) {
            const Ran ran = judged(script(language, mode), {"--level", "black-box"});
            EXPECT_EQ(kExitInput, ran.exit_code) << ran.out << ran.err;
            expect_one_line(ran, "has an error in its own code: ");
        }
    }
}

TEST(ValidateMistakes, WhatALockRaisesOnPurposeIsAVerdict) {
    for (const Language& language : kLanguages) {
        NEEDS_TOOL(language.tool);
        EXPECT_EQ(kExitViolated, judged(script(language, "purpose"), {}).exit_code);
        EXPECT_EQ(kExitViolated, judged(script(language, "assertion"), {}).exit_code);
    }
}

class ValidateMistakesFile : public testing_app::WithFiles {};

TEST_F(ValidateMistakesFile, AnErrorOfSyntaxIsToldWithItsLine) {
    NEEDS_TOOL("python3");
    NEEDS_TOOL("node");
    const std::string python = write("broken.py", "x = 1\ndef acquire(\n");
    const Ran one = judged("python3 " + python, {});
    EXPECT_EQ(kExitInput, one.exit_code);
    expect_one_line(one, "SyntaxError");
    EXPECT_TRUE(contains(one.err, "line 2")) << one.err;
    const std::string script = write("broken.js", "const x = 1;\nfunction acquire( {\n");
    const Ran other = judged("node " + script, {});
    EXPECT_EQ(kExitInput, other.exit_code);
    expect_one_line(other, "SyntaxError");
    EXPECT_TRUE(contains(other.err, "broken.js:")) << other.err;
}

}  // namespace
}  // namespace lockkeeper
