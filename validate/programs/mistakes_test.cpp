// SPDX-License-Identifier: Apache-2.0

// A mistake in the script of a lock is no answer of the lock: it ends the command with what was
// raised and where. What the lock raises on purpose is judged.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

class MistakesInScripts : public InEachLanguage {
  protected:
    [[nodiscard]] static std::string script(const std::string& mode) {
        return other_child("mistakes." + GetParam().ending + " " + mode, GetParam().tool);
    }
    // Returns the error raised and its place; else, the finding.
    [[nodiscard]] static std::string told_of(const std::string& mode) {
        try {
            return "found " + Searched(script(mode), pairs(2, 1)).found();
        } catch (const Misbehaved& error) {
            EXPECT_EQ(Misbehaviour::kScriptError, error.kind()) << mode << error.what();
            return error.what();
        }
    }
    static void expect_told(const std::string& mode, const std::string& piece) {
        const std::string told = told_of(mode);
        EXPECT_NE(std::string::npos, told.find(piece)) << mode << ": " << told;
        EXPECT_NE(std::string::npos, told.find("mistakes." + GetParam().ending + ":"))
            << mode << ": " << told;
    }
};

TEST_P(MistakesInScripts, AreToldWithTheirPlaceAndTheRun) {
    NEEDS_TOOL(GetParam().tool);
    const bool is_erlang = GetParam().ending == "erl";
    expect_told("type", is_erlang ? "badmatch" : "TypeError");
    EXPECT_NE(std::string::npos,
              told_of("type").find("; step 4 of the run --replay-choices 'lk1:1:s0*3,s1"))
        << told_of("type");
    expect_told("name", is_erlang                   ? "undef"
                        : GetParam().ending == "py" ? "NameError"
                                                    : "ReferenceError");
}

TEST_P(MistakesInScripts, AreValuesThatCannotBeWritten) {
    NEEDS_TOOL(GetParam().tool);
    expect_told("value", GetParam().ending == "erl" ? "function_clause" : "TypeError");
    EXPECT_EQ(std::string::npos, told_of("answer").find("found ")) << told_of("answer");
}

TEST_P(MistakesInScripts, AreNamesOfStepsThatAreNone) {
    NEEDS_TOOL(GetParam().tool);
    for (const char* mode : {"step-name", "long-name"}) {
        expect_told(mode, "the name of a step is no text of 1 to 256 bytes");
    }
}

TEST_P(MistakesInScripts, AreAtomicStepsThatAreNone) {
    NEEDS_TOOL(GetParam().tool);
    expect_told("thrown", "in the middle");
    expect_told("nested", "inside of an atomic step");
    expect_told("other-key", "no key of this atomic step");
    expect_told("awaits", "the function of an atomic step");
}

TEST_P(MistakesInScripts, AreThoseOfHooksAndOfBlockingCode) {
    NEEDS_TOOL(GetParam().tool);
    EXPECT_EQ(std::string::npos, told_of("hook").find("found ")) << told_of("hook");
    if (GetParam().ending != "erl") {
        expect_told("blocking", "TypeError");
    }
}

// The lock's own assertions count as findings; errors of the protocol are its answers.
TEST_P(MistakesInScripts, AreNotWhatALockRaisesOnPurpose) {
    NEEDS_TOOL(GetParam().tool);
    EXPECT_EQ("found died", told_of("assertion"));
    EXPECT_EQ("found died", told_of("purpose"));
    EXPECT_EQ("found caller-death", told_of("dies"));
    OutsideWorld world = pairs(2, 1);
    world.check = {find_property("over-allocation")};
    EXPECT_EQ("nothing", Searched(script("own-error"), world).found());
}

TEST_P(MistakesInScripts, ARefusalInsideOfAnAtomicStepUndoesItsChanges) {
    NEEDS_TOOL(GetParam().tool);
    OutsideWorld world = pairs(1, 1);
    Searched searched(script("undone"), world);
    const OutsideTrace trace =
        searched.search->replay(std::get<Schedule>(parse_schedule("lk1:1:s0*3")).actions);
    ASSERT_LE(3U, trace.steps.size());
    EXPECT_EQ("-> sees db absent, changes nothing, full", trace.steps[2].result);
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, MistakesInScripts, all_languages(), name_of_language);

TEST(LastComplaint, IsWhatAnInterpreterSaysOfAnError) {
    EXPECT_EQ(R"("File "/l.py", line 3 / foo( / SyntaxError: '(' was never closed")",
              last_complaint("  File \"/l.py\", line 3\n    foo(\n       ^\n"
                             "SyntaxError: '(' was never closed\n"));
    EXPECT_EQ(R"("/l.js:3 / foo( / SyntaxError: missing brace")",
              last_complaint("/l.js:3\nfoo(\n   ^\n\nSyntaxError: missing brace\n"
                             "    at wrapSafe (node:internal)\n\nNode.js v20.20.2\n"));
    EXPECT_EQ(R"("no module named x")", last_complaint("no module named x\n\n"));
    EXPECT_EQ("", last_complaint(""));
    EXPECT_EQ("\"^\"", last_complaint("^\n"));
}

}  // namespace
}  // namespace lockkeeper
