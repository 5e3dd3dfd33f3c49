// SPDX-License-Identifier: Apache-2.0

// The explorer shows a place in the state space as a replay from the beginning does.
#include "serve/session.hpp"

#include <algorithm>
#include <set>

#include "serve/serve_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

class Session : public WithFiles {};

// By the names of the fields: their numbers differ.
std::set<std::pair<std::string, std::string>> changes_in_run(const Json& run) {
    std::set<std::pair<std::string, std::string>> changes;
    for (const Json& change : run["trace"].back().value("changes", Json::array())) {
        changes.emplace(run["fields"][change[0].get<std::size_t>()]["name"], change[1].dump());
    }
    return changes;
}
std::set<std::pair<std::string, std::string>> changes_of_choice(const Json& choice) {
    std::set<std::pair<std::string, std::string>> changes;
    for (const Json& change : choice["changes"]) {
        changes.emplace(change["field"]["name"], change["after"].dump());
    }
    return changes;
}

void expect_same_step(const Json& choice, const Json& run) {
    const Json& step = run["trace"].back();
    EXPECT_EQ(changes_in_run(run), changes_of_choice(choice)) << step;
    EXPECT_FALSE(choice["step"].contains("changes"));
    for (const auto& [name, value] : step.items()) {
        if (name != "changes") {
            EXPECT_EQ(value, choice["step"].value(name, Json())) << step;
        }
    }
}

// Along a run in which each fourth step is the last choice: a crash, a resize.
void expect_choices_as_replayed(const OpenedFile& file, std::size_t steps_count,
                                std::ptrdiff_t resizes) {
    Schedule done{1, {}};
    for (std::size_t step = 0; step < steps_count; ++step) {
        const Json answer = choices_view(file, done);
        if (answer["choices"].empty()) {
            break;
        }
        for (const Json& choice : answer["choices"]) {
            const Json run = run_view(file, with(done, choice["step"]["action"]), kNoStep);
            expect_same_step(choice, run["run"]);
            EXPECT_EQ(run["states"].back(), choice["state"]);
            EXPECT_EQ(run["end"], choice["end"]);
        }
        const Json& choices = answer["choices"];
        const std::size_t plain = (step * 7) % std::min<std::size_t>(2, choices.size());
        const std::size_t next = step % 4 == 3 ? choices.size() - 1 : plain;
        done = with(done, choices[next]["step"]["action"]);
    }
    EXPECT_GE(done.actions.size(), 10U);
    const auto is_resize = [](Action action) { return action.kind == ActionKind::kResize; };
    EXPECT_EQ(resizes, std::count_if(done.actions.begin(), done.actions.end(), is_resize));
}

TEST_F(Session, EachChoiceIsTheStepThatAReplayFromTheBeginningShows) {
    expect_choices_as_replayed(*opened(pair_text(R"("faults": {"crashes": 1}, )")), 24, 0);
}

TEST_F(Session, EachChoiceKnowsWhichResizesTheRunHasSeen) {
    expect_choices_as_replayed(*opened(resized_text()), 24, 2);
}

TEST_F(Session, AChoiceNamesWhatItViolatesAndTheWholeWayIsSeenAhead) {
    const auto file = opened(pair_text(R"("check": "safety", )"));
    const Schedule way = way_to_violation(*file);
    ASSERT_EQ(22U, way.actions.size());
    for (const std::size_t done : {20U, 21U}) {
        const Json ahead = ahead_view(*file, cut(way, done))["choices"];
        const auto next = std::find_if(ahead.begin(), ahead.end(), [&](const Json& choice) {
            return choice["action"] == to_text(way.actions[done]);
        });
        ASSERT_NE(ahead.end(), next);
        EXPECT_EQ("violation", (*next)["ahead"]);
        EXPECT_EQ("leak", (*next)["property"]);
        EXPECT_EQ(22U - done, (*next)["steps"]);
        EXPECT_EQ(to_line(way), (*next)["schedule"]);
    }
    const Json before_the_last = choices_view(*file, cut(way, 21));
    for (const Json& choice : before_the_last["choices"]) {
        const bool is_last = choice["step"]["action"] == to_text(way.actions[21]);
        EXPECT_EQ(is_last, choice["step"].contains("violates")) << choice;
    }
    const Json run = run_view(*file, way, kNoStep);
    EXPECT_EQ("P2 leak in 22 steps", run["run"]["title"]);
    EXPECT_EQ("leak", run["run"]["property"]);
}

TEST_F(Session, BehindTheChoicesOfARepairedLockNothingIsViolatedWhereAllStatesWereSeen) {
    const auto file = opened(repaired_pair_text());
    const Json whole = ahead_view(*file, {1, {}}, 1'000'000);
    ASSERT_FALSE(whole["choices"].empty());
    for (const Json& choice : whole["choices"]) {
        EXPECT_EQ("nothing", choice["ahead"]) << choice;
    }
    const Json part = ahead_view(*file, {1, {}}, 20);
    for (const Json& choice : part["choices"]) {
        EXPECT_EQ("unknown", choice["ahead"]) << choice;
    }
}

TEST_F(Session, StatesThatDifferInExchangedCallersAreOfOneKind) {
    const auto file = opened(pair_text());
    const Json one = run_view(*file, {1, {Action{0, ActionKind::kStep, 0}}}, kNoStep);
    const Json other = run_view(*file, {1, {Action{1, ActionKind::kStep, 0}}}, kNoStep);
    EXPECT_EQ(one["states"][0], other["states"][0]);
    EXPECT_NE(one["states"][1]["id"], other["states"][1]["id"]);
    EXPECT_EQ(one["states"][1]["kind"], other["states"][1]["kind"]);
    EXPECT_NE(one["states"][0]["kind"], one["states"][1]["kind"]);
}

TEST_F(Session, AScheduleThatDoesNotFitIsShownAsFarAsItDoesAndHasNoChoices) {
    const auto file = opened(pair_text());
    const Action unknown{7, ActionKind::kStep, 0};
    const Schedule wrong{1, {Action{0, ActionKind::kStep, 0}, unknown}};
    const Json run = run_view(*file, wrong, kNoStep);
    EXPECT_EQ(1U, run["run"]["trace"].size());
    EXPECT_EQ("lk1:1:s0", run["run"]["schedule"]);
    EXPECT_EQ(2U, run["run"]["divergences"][0]["step"]);
    try {
        static_cast<void>(choices_view(*file, wrong));
        FAIL();
    } catch (const DoesNotFit& error) {
        EXPECT_STREQ("step 2: action s7 is not possible; possible: s0 s1", error.what());
    }
}

TEST_F(Session, FieldsThatNeverChangeAreToldBesideTheRun) {
    const auto file = opened(pair_text());
    const Json run = run_view(*file, {1, {}}, kNoStep);
    std::set<std::string> names;
    for (const Json& constant : run["constants"]) {
        EXPECT_TRUE(names.insert(constant["field"]["name"]).second);
    }
    EXPECT_TRUE(names.contains("A1 is dead"));
    for (const Json& field : run["run"]["fields"]) {
        EXPECT_FALSE(names.contains(field["name"]));
    }
}

TEST_F(Session, TheEndOfARunIsNamed) {
    const auto file = opened(repaired_pair_text());
    const Json walked = random_view(*file, {1, {}}, {});
    EXPECT_EQ("end", walked["ended_by"]);
    const Schedule whole =
        std::get<Schedule>(parse_schedule(walked["schedule"].get<std::string>()));
    EXPECT_EQ("finished", choices_view(*file, whole)["end"]);
    EXPECT_EQ(nullptr, choices_view(*file, {1, {}})["end"]);
    const auto stuck = opened(R"({"version": 1, "system": "canal", "callers": [
        {"script": [{"wait": {"name": "a"}}, {"signal": {"name": "b"}}]},
        {"script": [{"wait": {"name": "b"}}, {"signal": {"name": "a"}}]}]})");
    EXPECT_EQ("stuck", choices_view(*stuck, {1, {}})["end"]);
}

class RandomWalks : public WithFiles {};

TEST_F(RandomWalks, GoOnWithTheRunAndAreTheSameWithTheSameSeed) {
    const auto file = opened(pair_text(R"("faults": {"crashes": 1}, )"));
    const Schedule begun{1, {Action{1, ActionKind::kStep, 0}}};
    std::set<std::string> walks;
    for (const std::string_view strategy : random_strategies()) {
        const RandomWalk choice{std::string(strategy), 7, 30};
        const Json walked = random_view(*file, begun, choice);
        EXPECT_EQ(walked, random_view(*file, begun, choice));
        const auto whole =
            std::get<Schedule>(parse_schedule(walked["schedule"].get<std::string>()));
        EXPECT_EQ(begun.actions, cut(whole, 1).actions);
        EXPECT_EQ(1U + walked["steps"].get<std::size_t>(), whole.actions.size());
        EXPECT_FALSE(run_view(*file, whole, kNoStep)["run"].contains("divergences"));
        walks.insert(walked["schedule"]);
    }
    EXPECT_EQ(random_strategies().size(), walks.size());
}

TEST_F(RandomWalks, EndWithTheViolationOrAfterSoManySteps) {
    const auto file = opened(pair_text(R"("check": "safety", )"));
    EXPECT_EQ("steps", random_view(*file, {1, {}}, {"random", 1, 5})["ended_by"]);
    bool has_violated = false;
    for (std::uint64_t seed = 1; seed <= 500 && !has_violated; ++seed) {
        const Json walked = random_view(*file, {1, {}}, {"random", seed, 1000});
        if (walked["ended_by"] == "violation") {
            has_violated = true;
            const auto whole =
                std::get<Schedule>(parse_schedule(walked["schedule"].get<std::string>()));
            const Json run = run_view(*file, whole, kNoStep)["run"];
            EXPECT_FALSE(run["trace"].back()["violates"].empty());
        }
    }
    EXPECT_TRUE(has_violated);
}

class Graphs : public WithFiles {};

TEST_F(Graphs, NameTheStatesThatTheirActionsLeadTo) {
    const auto file = opened(pair_text());
    const Schedule begun{1, {Action{1, ActionKind::kStep, 0}}};
    const Json graph = graph_view(*file, begun, 40);
    ASSERT_EQ(40U, graph["states"].size());
    EXPECT_GT(graph["left_out"], 0);
    std::vector<Schedule> ways(40);
    ways[0] = begun;
    for (const Json& transition : graph["transitions"]) {
        const auto from = transition["from"].get<std::size_t>();
        const auto to = transition["to"].get<std::size_t>();
        ASSERT_FALSE(ways[from].actions.empty()) << "breadth first";
        const Schedule way = with(ways[from], transition["action"]);
        EXPECT_EQ(graph["states"][to]["id"], run_view(*file, way, kNoStep)["states"].back()["id"]);
        ways[to] = ways[to].actions.empty() ? way : ways[to];
    }
    EXPECT_EQ(graph, graph_view(*file, begun, 40));
}

TEST_F(Graphs, OfASmallScopeAreWhole) {
    const auto file = opened(pair_text(R"("check": "safety", )"));
    const Json graph = graph_view(*file, {1, {}}, kGraphStatesMax);
    EXPECT_EQ(0, graph["left_out"]);
    EXPECT_TRUE(std::any_of(graph["states"].begin(), graph["states"].end(),
                            [](const Json& state) { return state["finished"] == true; }));
    const auto violates = [](const Json& one) { return !one["violates"].empty(); };
    EXPECT_TRUE(std::any_of(graph["states"].begin(), graph["states"].end(), violates));
}

}  // namespace
}  // namespace lockkeeper
