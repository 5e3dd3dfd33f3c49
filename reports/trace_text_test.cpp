// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "reports/texts.hpp"

namespace lockkeeper {
namespace {

TraceStep step(const char* text, const char* result, const char* state) {
    TraceStep made;
    made.text = text;
    made.result = result;
    made.state = state;
    return made;
}

Trace two_steps() {
    Trace trace;
    trace.initial_state = "db [0]";
    trace.steps = {step("A acquire: update_counter db[1]", "-> 1", "db [1]"),
                   step("B acquire", "", "db [1]")};
    return trace;
}

TEST(TraceText, Table) {
    EXPECT_EQ(
        "   step  action                           result  state after it\n"
        "      0                                           db [0]\n"
        "      1  A acquire: update_counter db[1]  -> 1    db [1]\n"
        "      2  B acquire                                db [1]\n",
        trace_text(two_steps()));
}

TEST(TraceText, CauseAndViolation) {
    Trace trace = two_steps();
    const Property* death = find_property("caller-death");
    trace.steps[0].is_cause = true;
    trace.steps[1].violates = {death};
    EXPECT_EQ("cause: 1 of 2 decisions: step 1 (A acquire: update_counter db[1])",
              cause_text(trace));
    const std::string text = trace_text(trace);
    EXPECT_EQ(0U, text.find("cause: 1 of 2"));
    EXPECT_NE(std::string::npos, text.find("\n*     1  A acquire"));
    EXPECT_NE(std::string::npos, text.find("\n!     2  B acquire"));
    EXPECT_NE(std::string::npos, text.find("\n!        violates P10 caller-death (fatal): " +
                                           std::string(death->definition) + "\n"));
}

TEST(TraceText, OnlyTheProperty) {
    Trace trace = two_steps();
    trace.steps[0].violates = {find_property("release-order")};
    trace.steps[1].violates = {find_property("leak")};
    const std::string text = trace_text(trace, find_property("leak"));
    EXPECT_EQ(std::string::npos, text.find("release-order"));
    EXPECT_NE(std::string::npos, text.find("P2 leak"));
}

// A, then B and C by turns, and A again.
Trace with_turns(int turns) {
    Trace trace;
    trace.steps = {step("A", "", "0")};
    for (int i = 1; i <= turns; ++i) {
        trace.steps.push_back(step("B", "-> full", std::to_string(i).c_str()));
        trace.steps.push_back(step("C", "", std::to_string(i).c_str()));
    }
    trace.steps.push_back(step("A", "-> 1", "end"));
    return trace;
}

TEST(TraceText, FoldsStepsThatAreRepeated) {
    EXPECT_EQ(
        "   step  action  result   state after it\n"
        "      0\n"
        "      1  A                0\n"
        "      2  B       -> full  1\n"
        "      3  C                1\n"
        "  4-681  the 2 steps above, 339 times more           340\n"
        "    682  A       -> 1     end\n",
        trace_text(with_turns(340)));
}

TEST(TraceText, DoesNotFoldWhatIsSoonRead) {
    EXPECT_EQ(std::string::npos, trace_text(with_turns(3)).find("above"));
    EXPECT_NE(std::string::npos, trace_text(with_turns(4)).find("the 2 steps above, 3 times more"));
}

TEST(TraceText, ShowsEachStepThatViolatesOrIsACause) {
    Trace trace = with_turns(20);
    trace.steps[11].is_cause = true;
    trace.steps[22].violates = {find_property("leak")};
    const std::string text = trace_text(trace);
    EXPECT_NE(std::string::npos, text.find("\n*    12  B"));
    EXPECT_NE(std::string::npos, text.find("\n!    23  C"));
    EXPECT_NE(std::string::npos, text.find("\n   4-11  the 2 steps above, 4 times more"));
}

TEST(TraceText, ShowsWhereACycleBegins) {
    Trace trace = with_turns(20);
    trace.cycle_start = 21;
    EXPECT_NE(std::string::npos, trace_text(trace).find("from here on for ever:\n     22  B"));
}

TEST(TraceText, Livelock) {
    Trace trace = two_steps();
    trace.cycle_start = 1;
    trace.cycle_closes = true;
    const std::string text = trace_text(trace);
    EXPECT_NE(std::string::npos, text.find("db [1]\n         from here on for ever:\n      2  B"));
    EXPECT_NE(std::string::npos, text.find("and so on for ever: the state is that before step 2"));
    trace.cycle_closes = false;
    EXPECT_NE(std::string::npos, trace_text(trace).find("no cycle"));
}

TEST(TraceText, SaysHowLongTwoHeldAtOnceWhereTimePassed) {
    Trace trace = two_steps();
    trace.overlaps = {{false, 1, 1, 4, 4, true}, {false, 1, 2, 4, 10, true}, {true, 2, 2, 4, 9}};
    const std::string text = trace_text(trace);
    EXPECT_EQ(std::string::npos, text.find("steps 1 to 1"));
    EXPECT_NE(std::string::npos,
              text.find("steps 1 to 2: two believe to hold at once for 6 of virtual time\n"));
    EXPECT_NE(std::string::npos,
              text.find("steps 2 to 2: two have a grant at once for 5 and longer of virtual time"));
}

TEST(TraceText, EmptyRunAndDeadlock) {
    Trace trace;
    trace.initial_state = "db [0]";
    trace.deadlocked = true;
    EXPECT_EQ(
        "   step  action  result  state after it\n"
        "      0                  db [0]\n"
        "         nobody can take a step, and somebody is unfinished\n",
        trace_text(trace));
}

TEST(TraceText, IsPlainAscii) {
    for (const char character : trace_text(two_steps())) {
        EXPECT_TRUE(character == '\n' || (character >= ' ' && character <= '~'));
    }
}

}  // namespace
}  // namespace lockkeeper
