// SPDX-License-Identifier: Apache-2.0

// The client in Erlang: the same numbers as the one in Python, and the canal lock with its manager.
// canal.erl without a flag and with --faithful runs in stepped_search_test.cpp, as canal.py does.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

constexpr const char* kEscript = "escript";

std::string parts(const std::string& mode) { return other_child("parts.erl " + mode, kEscript); }

TEST(ErlangClient, CountsAsTheOneInPythonDoes) {
    NEEDS_TOOL(kEscript);
    NEEDS_TOOL("python3");
    for (const std::string flag : {"", " --atomic"}) {
        const Searched python(example("python3", "counter.py" + flag), pairs(2, 1));
        const Searched erlang(example(kEscript, "counter.erl" + flag), pairs(2, 1));
        EXPECT_EQ(flag.empty() ? "over-allocation" : "nothing", erlang.found());
        expect_same(python.result, erlang.result);
    }
}

TEST(ErlangClient, AsksSeveralQuestionsAtOnce) {
    NEEDS_TOOL(kEscript);
    NEEDS_TOOL("python3");
    for (const auto& [mode, flag] : {std::pair{"all", ""}, {"any", " --any"}}) {
        const Searched python(example("python3", std::string("replicas.py") + flag), pairs(2, 1));
        const Searched erlang(parts(mode), pairs(2, 1));
        EXPECT_EQ(*flag == '\0' ? "nothing" : "over-allocation", erlang.found());
        expect_same(python.result, erlang.result);
    }
}

TEST(ErlangClient, HooksSayWhenToForget) {
    NEEDS_TOOL(kEscript);
    OutsideWorld world = pairs(2, 1);
    world.world.crashes_max = 1;
    EXPECT_EQ("nothing", Searched(parts("memory"), world).found());
    EXPECT_EQ("leak", Searched(parts("no-crash"), world).found());
    EXPECT_EQ("diverged", Searched(parts("no-reset"), world).found());
}

TEST(ErlangClient, WhatAnOperationPrintsIsNoAnswer) {
    NEEDS_TOOL(kEscript);
    EXPECT_EQ("nothing", Searched(parts("prints"), pairs(1, 1)).found());
}

TEST(ErlangClient, AnExceptionEndsTheProgramWithItsReason) {
    NEEDS_TOOL(kEscript);
    const Searched searched(parts("raises"), pairs(1, 1));
    EXPECT_EQ("died", searched.found());
    EXPECT_NE(std::string::npos, searched.program->last_words().find("nobody_expects"))
        << searched.program->last_words();
}

// The store is this client's own, and survives the kills.
TEST(ErlangClient, KeepsItsStoreAtTheBlackBoxLevel) {
    NEEDS_TOOL(kEscript);
    EXPECT_EQ(Passed::kName, run_black_box_of(example(kEscript, "counter.erl --atomic")));
}

// The second caller comes between the first one's bucket and its `highest`: as canal/faithful says.
TEST(ErlangClient, ThePublishedLockKillsWhoComesBetween) {
    NEEDS_TOOL(kEscript);
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire, 1, 2)});
    world.check = {find_property("caller-death")};
    Searched searched(example(kEscript, "canal.erl --published"), world);
    ASSERT_EQ("caller-death", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_EQ(6U, shrunk.actions.size());
}

TEST(ErlangClient, ThePublishedLockLosesWhatADeadCallerHasNotTold) {
    NEEDS_TOOL(kEscript);
    OutsideWorld world = pairs(2, 1);
    const std::string published = example(kEscript, "canal.erl --published");
    const Searched alive(published, or_less(world));
    EXPECT_EQ("nothing", alive.found());
    EXPECT_TRUE(alive.result.complete);
    EXPECT_EQ(testing_model::is_short_run() ? 141U : 673U, alive.result.schedules);
    world.world.crashes_max = 1;
    EXPECT_EQ("leak", Searched(published, world).found());
}

// With it goes the table: the program ends.
TEST(ErlangClient, ThePublishedLocksManagerDiesOfAKeyWithoutHighest) {
    NEEDS_TOOL(kEscript);
    OutsideWorld world =
        world_of(2, {operation(Verb::kAcquire, 2, 1), operation(Verb::kRelease, 2, 1)});
    world.world.crashes_max = 1;
    world.check = {find_property("deadlock")};
    const Searched searched(example(kEscript, "canal.erl --published"), or_less(world));
    EXPECT_EQ("died", searched.found());
    EXPECT_NE(std::string::npos,
              searched.program->last_words().find("the background manager has ended"))
        << searched.program->last_words();
}

struct Ended {
    std::string said;
    int status = 0;
};
Ended fed_with(const std::string& input) {
    Ended out;
    const std::string command =
        "printf '" + input + "' | " + example(kEscript, "counter.erl") + " 2>&1";
    FILE* output = popen(command.c_str(), "r");
    for (int letter = 0; output != nullptr && (letter = std::getc(output)) != EOF;) {
        out.said += static_cast<char>(letter);
    }
    out.status = output == nullptr ? -1 : pclose(output);
    return out;
}

void expect_no_json(const std::string& line) {
    const Ended garbage = fed_with(line + R"(\n)");
    EXPECT_NE(0, garbage.status) << line;
    EXPECT_EQ(0U, garbage.said.find("lockkeeper_client: no JSON: ")) << garbage.said;
}

// ctest -L long: each of them is a program of its own to start.
TEST(ErlangClient, DISABLED_LongSaysWhatIsNoJson) {
    NEEDS_TOOL(kEscript);
    for (const std::string line : {R"({"src":)", R"([[1],])", "1e999"}) {
        expect_no_json(line);
    }
}

TEST(ErlangClient, EndsWithStdinAndSaysWhatIsWrongWithALine) {
    NEEDS_TOOL(kEscript);
    const Ended nothing = fed_with("");
    EXPECT_EQ(0, nothing.status);
    EXPECT_EQ("", nothing.said);
    expect_no_json("no words");
    expect_no_json(R"("\xff")");
    const Ended unasked =
        fed_with(R"({"src":"harness","body":{"type":"read_ok","in_reply_to":7}}\n)");
    EXPECT_NE(0, unasked.status);
    EXPECT_EQ(0U, unasked.said.find("lockkeeper_client: nobody has asked for this"))
        << unasked.said;
}

}  // namespace
}  // namespace lockkeeper
