// SPDX-License-Identifier: Apache-2.0

// Requests as the page makes them, and as it should not.
#include "serve/api.hpp"

#include <algorithm>

#include "serve/serve_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

class Requests : public WithFiles {
  protected:
    // The JSON of an answer that is no error.
    Json asked(const std::string& name, const Json& body = Json::object()) {
        const Answer answer = api_.answer(name, body.dump());
        EXPECT_EQ(200, answer.status) << answer.json;
        return Json::parse(answer.json);
    }
    // The message of an answer that is an error.
    std::string refused(const std::string& name, const std::string& body, int status = 400) {
        const Answer answer = api_.answer(name, body);
        EXPECT_EQ(status, answer.status) << answer.json;
        return Json::parse(answer.json)["error"]["message"];
    }
    std::size_t open(const std::string& text) {
        return asked("open", {{"name", "test.json"}, {"text", text}})["number"];
    }
    Api api_{files_, {std::nullopt, {1, UINT64_MAX}}};
};

TEST_F(Requests, FilesNamesThoseThatAreOpen) {
    EXPECT_TRUE(asked("files")["files"].empty());
    const std::size_t number = open(pair_text(R"("check": "safety", "about": "<b>two</b>", )"));
    const Json files = asked("files");
    ASSERT_EQ(1U, files["files"].size());
    const Json& file = files["files"][number];
    EXPECT_EQ("test.json", file["name"]);
    EXPECT_EQ("canal/faithful", file["system"]);
    EXPECT_EQ("<b>two</b>", file["about"]);
    EXPECT_EQ("lk1:1:", file["schedule"]);
    EXPECT_EQ(nullptr, files["out"]);
}

TEST_F(Requests, ATraceBeginsWithItsSchedule) {
    const std::size_t scenario = open(pair_text(R"("check": "safety", )"));
    const std::string way = to_line(way_to_violation(*files_.at(scenario)));
    const Json saved = asked("save", {{"file", scenario}, {"schedule", way}, {"as", "trace"}});
    const Json trace = asked("open", {{"name", saved["name"]}, {"text", saved["text"]}});
    EXPECT_EQ(way, trace["schedule"]);
    const Json run = asked("run", {{"file", trace["number"]}, {"schedule", way}});
    EXPECT_EQ("leak", run["run"]["property"]);
    EXPECT_EQ("", run["run"]["replay"]);  // no file that `replay` could be given
}

TEST_F(Requests, EveryPlaceAnswersWithItsRunItsChoicesAndWhatIsAround) {
    const std::size_t number = open(pair_text(R"("check": "safety", )"));
    const Json place{{"file", number}, {"schedule", "lk1:1:s0*2,s1"}};
    const Json run = asked("run", place);
    EXPECT_EQ(Json::array({"s0", "s0", "s1"}), run["actions"]);
    EXPECT_EQ(run["states"].back(), asked("choices", place)["state"]);
    EXPECT_EQ(asked("choices", place)["choices"].size(), asked("ahead", place)["choices"].size());
    Json graph = place;
    graph["states"] = 10;
    EXPECT_EQ(10U, asked("graph", graph)["states"].size());
    Json random = place;
    random.update({{"strategy", "random"}, {"seed", 3}, {"steps", 4}});
    EXPECT_EQ(4, asked("random", random)["steps"]);
}

TEST_F(Requests, NumbersAndChecksAreChangedAndTheCommandSaysSo) {
    const std::size_t number = open(pair_text(R"("check": "safety", )"));
    const Json scenario = asked("scenario", {{"file", number}});
    const auto crashes =
        std::find_if(scenario["numbers"].begin(), scenario["numbers"].end(),
                     [](const Json& candidate) { return candidate["name"] == "crashes"; });
    ASSERT_NE(scenario["numbers"].end(), crashes);
    EXPECT_EQ(0, (*crashes)["value"]);
    const Json changed = asked(
        "change",
        {{"file", number}, {"numbers", {{"crashes", 1}, {"callers", 3}}}, {"check", {"leak"}}});
    EXPECT_EQ(number + 1, changed["number"]);
    EXPECT_EQ(" --set callers=3 --set crashes=1 --check leak", changed["changed"]);
    EXPECT_EQ(1U, changed["properties"].size());
    EXPECT_EQ(6U, asked("choices", {{"file", number + 1}, {"schedule", "lk1:1:s0"}})["choices"]
                      .size());  // three callers, and each may crash
    EXPECT_EQ(2U, asked("choices", {{"file", number}, {"schedule", "lk1:1:s0"}})["choices"].size());
}

TEST_F(Requests, TheSameChangeIsTheSameFileOnWhateverWayItCame) {
    const std::size_t number = open(pair_text(R"("check": "safety", )"));
    const auto changed = [&](std::size_t from, const Json& numbers, const Json& check = {}) {
        return asked("change", {{"file", from},
                                {"numbers", numbers},
                                {"check", check.is_null() ? Json::array() : check}});
    };
    const Json three = changed(number, {{"callers", 3}});
    EXPECT_EQ(three["number"], changed(number, {{"callers", 3}})["number"]);
    const Json one = changed(three["number"], {{"callers", 1}, {"crashes", 1}});
    EXPECT_EQ(" --set callers=1 --set crashes=1", one["changed"]);
    EXPECT_EQ(one["number"], changed(number, {{"callers", 1}, {"crashes", 1}})["number"]);
    EXPECT_NE(one["number"], changed(number, {{"callers", 1}, {"crashes", 1}}, {"leak"})["number"]);
    const std::string text = asked("scenario", {{"file", number}})["text"];
    const Json edited = asked("edit", {{"file", number}, {"text", text}});
    EXPECT_EQ(edited["number"], asked("edit", {{"file", one["number"]}, {"text", text}})["number"]);
    EXPECT_EQ(5U, asked("files")["files"].size());
}

TEST_F(Requests, ATextIsReadWithNumbersChangedAndOpensNothing) {
    const auto body = [](const std::string& text, const Json& numbers) {
        return Json{
            {"name", "a.json"}, {"text", text}, {"numbers", numbers}, {"check", Json::array()}};
    };
    const Json same = asked("read", body(pair_text(), Json::object()));
    const Json three = asked("read", body(pair_text(), {{"callers", 3}, {"crashes", 2}}));
    EXPECT_EQ(3, Json::parse(three["text"].get<std::string>())["callers"][0]["count"]);
    EXPECT_EQ(2, Json::parse(three["text"].get<std::string>())["faults"]["crashes"]);
    EXPECT_NE(same["text"], three["text"]);
    EXPECT_EQ(same["checks"], three["checks"]);
    EXPECT_TRUE(asked("files")["files"].empty());
    const Answer wrong =
        api_.answer("read", body("{\"version\": 1,\n \"sistem\": 1}", Json::object()).dump());
    EXPECT_EQ(400, wrong.status);
    EXPECT_EQ(2, Json::parse(wrong.json)["error"]["line"]);
    EXPECT_NE("", refused("read", body(pair_text(), {{"callers", 4000}}).dump()));
}

// However often a person changes a number, others stay open.
TEST_F(Requests, ChangedFilesAreBoundedAndThoseThatWereOpenedStay) {
    const std::size_t number = open(pair_text(R"("check": "safety", )"));
    const auto seeded = [&](std::size_t seed) {
        std::string text = pair_text("\"seed\": " + std::to_string(seed) + ", ");
        return asked("edit", {{"file", number}, {"text", text}})["number"].get<std::size_t>();
    };
    const std::size_t first = seeded(1);
    for (std::size_t seed = 2; seed <= OpenedFiles::kChangedMax; ++seed) {
        EXPECT_EQ(first + seed - 1, seeded(seed));
    }
    EXPECT_EQ(first, seeded(OpenedFiles::kChangedMax + 1));
    EXPECT_EQ(first + 1, seeded(2));
    EXPECT_EQ(first + 1, seeded(OpenedFiles::kChangedMax + 2));
    EXPECT_EQ(OpenedFiles::kChangedMax + 1, asked("files")["files"].size());
    EXPECT_EQ(2U, asked("choices", {{"file", number}, {"schedule", "lk1:1:s0"}})["choices"].size());
    EXPECT_EQ(number + OpenedFiles::kChangedMax + 1, open(pair_text()));
}

TEST_F(Requests, TheTextOfTheScenarioIsChangedAndRefusedWithItsPlace) {
    const std::size_t number = open(pair_text());
    const std::string text = asked("scenario", {{"file", number}})["text"];
    const Json same = asked("edit", {{"file", number}, {"text", text}});
    EXPECT_EQ(asked("scenario", {{"file", same["number"]}})["text"], text);
    std::string wrong = text;
    wrong.replace(wrong.find("max_per"), 7, "max_pre");
    const Answer answer = api_.answer("edit", Json{{"file", number}, {"text", wrong}}.dump());
    EXPECT_EQ(400, answer.status);
    const Json error = Json::parse(answer.json)["error"];
    EXPECT_NE(std::string::npos, error["message"].get<std::string>().find("max_pre"));
    EXPECT_GT(error["line"], 1);
}

TEST_F(Requests, ExplorationsAreStartedLookedAtAndCancelled) {
    const std::size_t number = open(pair_text(R"("check": "safety", )"));
    EXPECT_EQ("none", asked("exploration")["phase"]);
    const Json started = asked(
        "explore",
        {{"file", number}, {"schedule", "lk1:1:"}, {"check", {"leak"}}, {"stop_at_first", true}});
    EXPECT_EQ(1, started["number"]);
    api_.exploration().join();
    EXPECT_EQ("leak", asked("exploration")["violations"][0]["property"]);
    EXPECT_EQ("ended", asked("cancel")["phase"]);
}

TEST_F(Requests, WhatIsWrongIsNamedWithItsPlace) {
    open(pair_text(R"("check": ["leak"], )"));
    EXPECT_EQ("no such request", refused("nothing", "{}", 404));
    EXPECT_NE(std::string::npos, refused("files", "[1]").find("expected an object"));
    EXPECT_NE(std::string::npos, refused("files", "{").find("not JSON"));
    EXPECT_NE(std::string::npos, refused("files", R"({"x": 1})").find("unknown key \"x\""));
    EXPECT_NE(std::string::npos, refused("choices", R"({"file": 0})").find("\"schedule\""));
    const auto place = [](const std::string& file, const std::string& schedule) {
        return R"({"file": )" + file + R"(, "schedule": )" + schedule + "}";
    };
    EXPECT_NE(std::string::npos,
              refused("choices", place("1", R"("lk1:1:")")).find("no file 1 is open"));
    EXPECT_NE(std::string::npos, refused("choices", place("-1", R"("lk1:1:")")).find("/file"));
    EXPECT_NE(std::string::npos, refused("choices", place("0", "7")).find("/schedule"));
    EXPECT_NE(std::string::npos,
              refused("choices", place("0", R"("lk1:1:<b>")")).find("character 7"));
    EXPECT_NE(std::string::npos,
              refused("choices", place("0", R"("lk1:1:s0*20001")")).find("at most 20000"));
    EXPECT_NE(std::string::npos,
              refused("choices", place("0", R"("lk1:1:s9")"), 409).find("is not possible"));
    EXPECT_NE(std::string::npos,
              refused("graph", R"({"file": 0, "schedule": "lk1:1:", "states": 9999999})")
                  .find("/states"));
    EXPECT_NE(
        std::string::npos,
        refused("random",
                R"({"file": 0, "schedule": "lk1:1:", "strategy": "x", "seed": 1, "steps": 1})")
            .find("expected random, rare-faults, round-robin"));
    EXPECT_NE(std::string::npos,
              refused("explore", R"({"file": 0, "schedule": "lk1:1:", "check": ["deadlock"],
                                     "stop_at_first": false})")
                  .find("that the file checks"));
    EXPECT_NE(std::string::npos,
              refused("change", R"({"file": 0, "numbers": {"max_pre": 1}, "check": []})")
                  .find("did you mean \"max_per\""));
    EXPECT_NE(std::string::npos,
              refused("open", R"({"name": "x.json", "text": "{}"})").find("x.json"));
}

TEST_F(Requests, FilesAreWrittenOnlyWhereTheCommandLineAllowsIt) {
    open(pair_text());
    EXPECT_NE(std::string::npos,
              refused("save", R"({"file": 0, "schedule": "lk1:1:", "as": "trace", "name": "a"})")
                  .find("--out"));
}

TEST_F(Requests, HostileNamesComeBackAsTheyAre) {
    const std::string hostile = "</script><img src=x onerror=alert(1)>&\"'";
    const Json file = asked(
        "open",
        {{"name", hostile}, {"text", pair_text(R"("about": )" + Json(hostile).dump() + ",")}});
    EXPECT_EQ(hostile, file["name"]);
    EXPECT_EQ(hostile, file["about"]);
}

TEST_F(Requests, TextThatIsNotUtf8IsRefusedAndAnswered) {
    EXPECT_NE(std::string::npos,
              refused("open", "{\"name\": \"\xff\", \"text\": \"\"}").find("not JSON"));
}

}  // namespace
}  // namespace lockkeeper
