// SPDX-License-Identifier: Apache-2.0

// The search in the background.
#include "serve/exploration.hpp"

#include <algorithm>

#include "properties/catalogue.hpp"
#include "serve/serve_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

class Explorations : public WithFiles {
  protected:
    Json ended(ExplorationRequest request) {
        exploration_.start(std::move(request));
        exploration_.join();
        return exploration_.view();
    }
    ExplorationRequest request(const std::string& text, Schedule from = {1, {}}) {
        ExplorationRequest asked;
        asked.file = opened(text);
        asked.from = std::move(from);
        return asked;
    }
    // Too many states for a test.
    static constexpr const char* kEndless = R"({"version": 1, "system": "canal", "check": "safety",
            "variant": "repaired", "faults": {"crashes": 3},
            "parameters": {"table": {"warm": 3}}, "callers": [
            {"name": "A", "count": 4, "repeat": 3, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 3}}, {"release": {"key": "db"}}]}]})";
    ExplorationRequest endless() { return request(kEndless); }
    Exploration exploration_{{1, UINT64_MAX}};
};

TEST_F(Explorations, NoneIsKnownBeforeTheFirst) {
    EXPECT_EQ(Json({{"phase", "none"}}), exploration_.view());
}

TEST_F(Explorations, FindAShortestViolationOfEachPropertyThatReplays) {
    const ExplorationRequest asked = request(pair_text(R"("check": "safety", )"));
    const Json view = ended(asked);
    EXPECT_EQ("ended", view["phase"]);
    EXPECT_EQ("violated", view["verdict"]);
    EXPECT_TRUE(view["complete"].get<bool>());
    ASSERT_FALSE(view["violations"].empty());
    for (const Json& violation : view["violations"]) {
        const auto way =
            std::get<Schedule>(parse_schedule(violation["schedule"].get<std::string>()));
        EXPECT_EQ(violation["steps"], way.actions.size());
        const Json run = run_view(*asked.file, way, kNoStep)["run"];
        const std::vector<std::string> violated = names_in(run["trace"].back()["violates"]);
        EXPECT_NE(violated.end(), std::find(violated.begin(), violated.end(),
                                            violation["property"].get<std::string>()));
    }
    EXPECT_EQ("leak", view["violations"][0]["property"]);
    EXPECT_EQ(22, view["violations"][0]["steps"]);
}

// --max-states and --memory of `lockkeeper serve`.
TEST_F(Explorations, EndByTheLimitsOfTheCommand) {
    Overlay overlay;
    overlay.states_max = 500;
    ExplorationRequest asked = endless();
    asked.file = files_.at(files_.open(OpenedFiles::Loaded(asked.file->job.scenario), overlay));
    EXPECT_EQ("states", ended(asked)["limit"]);
    // They hold for a file that the page loads or edits, too.
    OpenedFiles limited(registry(), 500);
    asked.file = limited.at(limited.open_text("own.json", kEndless));
    EXPECT_EQ("states", ended(asked)["limit"]);
    asked.file = limited.at(limited.open_edited(0, kEndless));
    EXPECT_EQ("states", ended(std::move(asked))["limit"]);
    Exploration small{{1, 1U << 20U}};
    small.start(endless());
    small.join();
    EXPECT_EQ("memory", small.view()["limit"]);
}

TEST_F(Explorations, OfOnePropertyEndAtItsFirstViolation) {
    ExplorationRequest asked = request(pair_text(R"("check": "safety", )"));
    asked.check = {find_property("leak")};
    asked.stop_at_first = true;
    const Json view = ended(std::move(asked));
    EXPECT_FALSE(view["complete"].get<bool>());
    EXPECT_EQ(Json::array({"leak"}), view["check"]);
    EXPECT_EQ(1U, view["violations"].size());
}

TEST_F(Explorations, FromTheMiddleOfARunTellTheWholeWay) {
    ExplorationRequest asked = request(pair_text(R"("check": "safety", )"));
    const Schedule way = way_to_violation(*asked.file);
    asked.from = cut(way, 10);
    const Json view = ended(std::move(asked));
    EXPECT_EQ(10, view["from_steps"]);
    EXPECT_EQ(22, view["violations"][0]["steps"]);
    const auto found =
        std::get<Schedule>(parse_schedule(view["violations"][0]["schedule"].get<std::string>()));
    EXPECT_EQ(cut(way, 10).actions, cut(found, 10).actions);
}

TEST_F(Explorations, FindALivelockAsACycle) {
    ExplorationRequest asked;
    const auto loaded = load_replayable(std::string(LOCKKEEPER_SOURCE_DIR) +
                                        "/scenarios/canal/findings/livelock_crash.json");
    ASSERT_TRUE(std::holds_alternative<Scenario>(loaded));
    asked.file = files_.at(files_.open(std::get<Scenario>(loaded), {}));
    const Json view = ended(asked);
    ASSERT_FALSE(view["violations"].empty()) << view;
    const Json& violation = view["violations"][0];
    EXPECT_EQ("livelock", violation["property"]);
    const auto way = std::get<Schedule>(parse_schedule(violation["schedule"].get<std::string>()));
    const Json run =
        run_view(*asked.file, way, violation["cycle_from"].get<std::size_t>() - 1)["run"];
    EXPECT_EQ("livelock", run["property"]);
    EXPECT_EQ(violation["cycle_from"], run["cycle_from"]);
}

TEST_F(Explorations, SayWhereNobodyCanGoOn) {
    const Json view = ended(request(R"({"version": 1, "system": "canal", "check": ["leak"],
        "callers": [{"script": [{"wait": {"name": "a"}}, {"signal": {"name": "b"}}]},
                    {"script": [{"wait": {"name": "b"}}, {"signal": {"name": "a"}}]}]})"));
    EXPECT_EQ("stuck", view["verdict"]);
    EXPECT_EQ("stuck", view["violations"][0]["title"]);
}

// The verdict of `lockkeeper explore`. With one property, or from the middle on, nobody asks for
// goals.
TEST_F(Explorations, AGoalThatNothingReachesIsNoPass) {
    const std::string text =
        pair_text(R"("variant": "repaired", "check": "safety", "reach": ["crashed"], )");
    const Json view = ended(request(text));
    EXPECT_EQ("unreached", view["verdict"]) << view;
    EXPECT_EQ("goal crashed", view["detail"]);
    EXPECT_TRUE(view["complete"].get<bool>());
    ExplorationRequest of_one = request(text);
    of_one.check = {find_property("leak")};
    EXPECT_EQ("passed", ended(std::move(of_one))["verdict"]);
}

TEST_F(Explorations, WhereNobodyAcquiresNothingWasJudged) {
    const Json view = ended(request(R"({"version": 1, "system": "canal", "variant": "repaired",
        "callers": [{"count": 2, "script": [{"acquire": {"key": "db", "max_per": 0}}]}]})"));
    EXPECT_EQ("inconclusive", view["verdict"]) << view;
    EXPECT_EQ("nothing is violated, but nobody acquires", view["detail"]);
}

TEST_F(Explorations, ThatAreCancelledEndWithWhatTheyHave) {
    exploration_.start(endless());
    EXPECT_EQ("running", exploration_.view()["phase"]);
    exploration_.cancel();
    exploration_.join();
    const Json view = exploration_.view();
    EXPECT_EQ("ended", view["phase"]);
    EXPECT_EQ("cancelled", view["limit"]);
    EXPECT_FALSE(view["complete"].get<bool>());
}

TEST_F(Explorations, AreEndedByTheNext) {
    exploration_.start(endless());
    const Json view = ended(request(repaired_pair_text()));
    EXPECT_EQ(2, view["number"]);
    EXPECT_EQ("passed", view["verdict"]);
}

TEST_F(Explorations, OfAScheduleThatDoesNotFitAreRefused) {
    EXPECT_THROW(ended(request(pair_text(), {1, {Action{7, ActionKind::kStep, 0}}})), DoesNotFit);
}

// As a page's worker runs it: start() returns at the end.
TEST_F(Explorations, RunWhereTheirOwnerSaysAndTellWhatIsNew) {
    std::vector<Json> told;
    Exploration here{{.run = [](const std::function<void()>& search) { search(); },
                      .tell = [&] { told.push_back(here.view()); }}};
    here.start(request(pair_text(R"("check": "safety", )")));
    EXPECT_EQ("ended", here.view()["phase"]);
    EXPECT_EQ("violated", here.view()["verdict"]);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ("running", told.back()["phase"]);
    EXPECT_EQ("leak", told.back()["violations"][0]["property"]);
}

}  // namespace
}  // namespace lockkeeper
