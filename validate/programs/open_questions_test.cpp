// SPDX-License-Identifier: Apache-2.0

// Operations with several questions open at once: each order of the answers is a choice.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

Searched search_turns(const std::string& mode) {
    // It grants everything: what the look at the end gets is not the point.
    return Searched(other_child("open_questions.py " + mode),
                    checks(world_of(1, {operation(Verb::kAcquire)}), "deadlock"));
}

TEST(OpenQuestions, AreAnsweredInEachOrder) {
    NEEDS_TOOL("python3");
    Searched searched = search_turns("fair");
    EXPECT_EQ("nothing", searched.found()) << searched.result.diverged;
    EXPECT_TRUE(searched.result.complete);
    EXPECT_EQ(2U, searched.result.schedules);  // left first, right first
    const auto schedule = parse_schedule("lk1:1:s0,s0.1,s0");
    const OutsideTrace trace = searched.search->replay(std::get<Schedule>(schedule).actions);
    ASSERT_EQ(3U, trace.steps.size() - trace.look_steps) << trace.detail;
    EXPECT_EQ("A1 acquire: begins", trace.steps[0].text);
    EXPECT_EQ("A1 acquire: write right \"A1\"", trace.steps[1].text);
    EXPECT_EQ("A1 acquire: write left \"A1\"", trace.steps[2].text);
    EXPECT_EQ("-> acquired", trace.steps[2].result);
    EXPECT_EQ("s0.1", to_text(trace.steps[1].action));
    EXPECT_FALSE(trace.impossible);
}

// Questions, answers and store are equal; the order of the answers decides what happens later.
TEST(OpenQuestions, StatesThatDifferInTheOrderOfAnswersAreNotTheSame) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire)});
    world.check = {find_property("over-allocation")};
    EXPECT_EQ("over-allocation", Searched(other_child("open_questions.py order"), world).found());
}

TEST(OpenQuestions, AQuestionThatIsNotOpenCannotBeAnswered) {
    NEEDS_TOOL("python3");
    Searched searched = search_turns("fair");
    const auto schedule = parse_schedule("lk1:1:s0,s0.1,s0.1");
    EXPECT_EQ(2U, searched.search->replay(std::get<Schedule>(schedule).actions).impossible);
}

struct Broken {
    const char* mode;
    const char* word;  // of the misbehaviour
};
class ATurn : public ::testing::TestWithParam<Broken> {};

TEST_P(ATurn, ThatBreaksItsRuleIsNonsense) {
    NEEDS_TOOL("python3");
    const Searched searched = search_turns(GetParam().mode);
    ASSERT_TRUE(searched.result.finding) << searched.result.diverged;
    ASSERT_TRUE(searched.result.finding->misbehaviour);
    EXPECT_EQ(Misbehaviour::kNonsense, *searched.result.finding->misbehaviour);
    EXPECT_NE(std::string::npos, searched.result.finding->detail.find(GetParam().word))
        << searched.result.finding->detail;
}

INSTANTIATE_TEST_SUITE_P(
    OpenQuestions, ATurn,
    ::testing::Values(Broken{"waits-for-nothing", "waits without a question that is open"},
                      Broken{"answers-and-goes-on", "says that more follows"},
                      Broken{"many", "more than 16 questions open"},
                      Broken{"same-id", "is that of a question which is still open"},
                      Broken{"answers-early", "answers while it has 1 questions open"},
                      Broken{"background", "a background activity has more than one question"}),
    [](const auto& named) {
        std::string name = named.param.mode;
        std::erase(name, '-');
        return name;
    });

// A line that nobody announced is taken for the next turn's.
TEST(OpenQuestions, ALineWithoutTheMarkerBeforeItIsOutOfTurn) {
    NEEDS_TOOL("python3");
    const Searched searched = search_turns("no-marker");
    ASSERT_TRUE(searched.result.finding);
    EXPECT_TRUE(searched.result.finding->misbehaviour);
}

// The lock of examples/outside that asks two replicas at once, in both languages.
class ReplicasIn : public InEachLanguage {};

TEST_P(ReplicasIn, BothReplicasAreEnough) {
    NEEDS_TOOL(GetParam().tool);
    const Searched searched(example_here("replicas"), pairs(2, 1));
    EXPECT_EQ("nothing", searched.found()) << searched.result.diverged;
    EXPECT_TRUE(searched.result.complete);
    EXPECT_EQ(174U, searched.result.schedules);
}

TEST_P(ReplicasIn, OneReplicaIsNot) {
    NEEDS_TOOL(GetParam().tool);
    Searched searched(example_here("replicas", " --any"), pairs(2, 1));
    ASSERT_EQ("over-allocation", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_EQ("over-allocation", searched.search->replay(shrunk.actions).violated.at(0)->name);
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, ReplicasIn, both_languages(), name_of_language);

}  // namespace
}  // namespace lockkeeper
