// SPDX-License-Identifier: Apache-2.0

// Programs of the protocol, walked by hand: a wrong limiter, a right one, and what is no lock.
#include "serve/outside_file.hpp"

#include <algorithm>
#include <thread>

#include "model/missing_test.hpp"
#include "serve/serve_test.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

const std::string kWalkedRoot = LOCKKEEPER_SOURCE_DIR;
const std::string kNothingWalked = "lk1:1:";

// One after the other, from the first on.
std::string program_text(std::size_t callers, std::uint32_t places, const std::string& more = "") {
    return R"({"version": 1, "system": "program", )" + more +
           R"("callers": [{"name": "A", "count": )" + std::to_string(callers) +
           R"(, "script": [{"acquire": {"key": "db", "max_per": )" + std::to_string(places) +
           R"(}}, {"release": {"key": "db"}}]}]})";
}

class WalkedPrograms : public ::testing::Test {
  protected:
    void SetUp() override { NEEDS_TOOL("python3"); }

    void open(const std::string& arguments, const std::string& scenario = program_text(2, 1)) {
        const bool is_shim =
            databases::find_program("python3").find("/shims/") != std::string::npos;
        open_command(std::string(is_shim ? "/usr/bin/python3" : "python3") + " -S -E " +
                         kWalkedRoot + arguments,
                     scenario);
    }
    void open_command(const std::string& command, const std::string& scenario) {
        ProgramOptions program;
        program.command = command;
        ProgramJob job = make_program_job(
            for_program(value_or_throw(parse_scenario(scenario, "test.json")), program, false),
            "serve");
        job.replay_command = [](const std::string& schedule) { return "again " + schedule; };
        file_ = files_.open(std::make_shared<OutsideFile>(std::move(job)));
    }
    Answer answer(const std::string& name, Json body) {
        body["file"] = file_;
        return api_.answer(name, body.dump());
    }
    Json asked(const std::string& name, const Json& body) {
        const Answer given = answer(name, body);
        EXPECT_EQ(200, given.status) << name << ": " << given.json;
        return Json::parse(given.json);
    }
    std::string refused(const std::string& name, const Json& body, int status = 400) {
        const Answer given = answer(name, body);
        EXPECT_EQ(status, given.status) << name << ": " << given.json;
        return Json::parse(given.json)["error"].value("message", "");
    }
    Json run(const std::string& schedule) { return asked("run", {{"schedule", schedule}}); }
    Json choices(const std::string& schedule) { return asked("choices", {{"schedule", schedule}}); }
    Json explored() {
        asked("explore",
              {{"schedule", kNothingWalked}, {"check", Json::array()}, {"stop_at_first", true}});
        for (;;) {
            const Answer given = api_.answer("exploration", "{}");
            Json view = Json::parse(given.json);
            if (view["phase"] != "running") {
                return view;
            }
            std::this_thread::yield();
        }
    }
    // Without its last step.
    static std::string without_last(const Json& run) {
        std::string text = kNothingWalked;
        const Json& actions = run["actions"];
        for (std::size_t i = 0; i + 1 < actions.size(); ++i) {
            text += (i == 0 ? "" : ",") + actions[i].get<std::string>();
        }
        return text;
    }
    static bool has_violating_choice(const Json& choices, const std::string& property) {
        return std::any_of(
            choices["choices"].begin(), choices["choices"].end(), [&](const Json& choice) {
                const Json names = choice["step"].value("violates", Json::array());
                return std::find(names.begin(), names.end(), property) != names.end();
            });
    }

    OpenedFiles files_{registry()};
    Api api_{files_, {std::nullopt, {1, UINT64_MAX}}};
    std::size_t file_ = 0;
};

TEST_F(WalkedPrograms, ShowTheShortestViolationThatExploringFinds) {
    for (const std::uint32_t places : {1U, 3U}) {
        open("/examples/outside/counter.py", program_text(places + 1, places));
        const Json found = explored();
        ASSERT_EQ(1U, found["violations"].size()) << found;
        ASSERT_EQ("violated", found.value("verdict", "")) << found;
        const std::string property = found["violations"][0]["property"];
        const Json walked = run(found["violations"][0]["schedule"]);
        ASSERT_EQ(property, walked["run"].value("property", "")) << walked;
        EXPECT_EQ(found["violations"][0]["steps"], walked["actions"].size());
        EXPECT_EQ(walked["actions"].size() + 1, walked["states"].size());
        const std::string before = without_last(walked);
        EXPECT_EQ(nullptr, run(before)["run"].value("property", Json()));
        EXPECT_TRUE(has_violating_choice(choices(before), property)) << choices(before);
    }
}

TEST_F(WalkedPrograms, OfARightLockHaveNothingToFind) {
    open("/examples/outside/counter.py --atomic");
    const Json found = explored();
    EXPECT_TRUE(found["violations"].empty()) << found;
    EXPECT_EQ("passed", found["verdict"]);
    EXPECT_EQ(true, found["complete"]);
    EXPECT_GT(found["schedules"], 1);
}

TEST_F(WalkedPrograms, CanBeGoneOnWithBehindAViolation) {
    open("/examples/outside/counter.py");
    const std::string bad = explored()["violations"][0]["schedule"];
    const Json next = choices(bad);
    ASSERT_FALSE(next["choices"].empty());
    const std::string further = bad + "," + next["choices"][0]["step"]["action"].get<std::string>();
    const Json walked = run(further);
    EXPECT_TRUE(walked["run"].value("divergences", Json::array()).empty());
    const Json& steps = walked["run"]["trace"];
    const Json first = steps[steps.size() - 2].value("violates", Json::array());
    ASSERT_FALSE(first.empty());
    const Json then = steps.back().value("violates", Json::array());
    EXPECT_EQ(then.end(), std::find(then.begin(), then.end(), first[0])) << "told once";
}

TEST_F(WalkedPrograms, ReachOneStateByTwoWays) {
    open("/examples/outside/counter.py");
    const Json first = choices(kNothingWalked);
    ASSERT_EQ(2U, first["choices"].size());
    const std::string one = first["choices"][0]["step"]["action"];
    const std::string other = first["choices"][1]["step"]["action"];
    const Json there = run(kNothingWalked + one + "," + other)["states"];
    EXPECT_EQ(there[2], run(kNothingWalked + other + "," + one)["states"][2]);
    EXPECT_NE(there[1], there[2]);
    EXPECT_EQ(there[1], first["choices"][0]["state"]);
}

// A program that keeps something itself has states that nobody can tell apart.
TEST_F(WalkedPrograms, WithoutNamesOfStatesMeetNoneAgain) {
    open("/validate/programs/test_children/leased.py random");
    const Json first = choices(kNothingWalked);
    ASSERT_GE(first["choices"].size(), 2U);
    const std::string one = first["choices"][0]["step"]["action"];
    const std::string other = first["choices"][1]["step"]["action"];
    EXPECT_NE(run(kNothingWalked + one + "," + other)["states"][2],
              run(kNothingWalked + other + "," + one)["states"][2]);
}

TEST_F(WalkedPrograms, AreWalkedAtRandomTheSameWayAgain) {
    open("/examples/outside/counter.py");
    const Json body{
        {"schedule", kNothingWalked}, {"strategy", "random"}, {"seed", 7}, {"steps", 1000}};
    const Json once = asked("random", body);
    EXPECT_EQ(once, asked("random", body));
    EXPECT_GT(once["steps"], 0);
    Json fair = body;
    fair["strategy"] = "round-robin";
    EXPECT_NE(std::string::npos, refused("random", fair).find("by random"));
    const Json end = run(once["schedule"]);
    EXPECT_EQ(once["ended_by"] == "violation", end["run"].value("property", Json()) != nullptr);
}

TEST_F(WalkedPrograms, ShowAtRestWhatFreshClientsMeet) {
    open("/examples/outside/counter.py --atomic",
         program_text(2, 1, R"("faults": {"crashes": 1}, )"));
    const Json found = explored();
    ASSERT_EQ(1U, found.value("violations", Json::array()).size()) << found;
    EXPECT_EQ("leak", found["violations"][0]["property"]);
    const Json end = run(found["violations"][0]["schedule"]);
    EXPECT_EQ("leak", end["run"].value("property", "")) << end;
    EXPECT_FALSE(end["look"].empty());
    EXPECT_TRUE(has_violating_choice(choices(without_last(end)), "leak"));
}

TEST_F(WalkedPrograms, AreSavedAsATraceThatNamesTheCommand) {
    open("/examples/outside/counter.py");
    const std::string bad = explored()["violations"][0]["schedule"];
    const Json saved = asked("save", {{"schedule", bad}, {"as", "trace"}});
    const auto read = parse_replayable(saved["text"].get<std::string>(), "saved.trace.json");
    const auto* trace = std::get_if<RecordedTrace>(&read);
    ASSERT_NE(nullptr, trace);
    EXPECT_EQ(bad, to_line(trace->schedule));
    EXPECT_NE(std::string::npos, saved["text"].get<std::string>().find("counter.py"));
    EXPECT_NE(std::string::npos,
              refused("save", {{"schedule", bad}, {"as", "scenario"}}).find("as a trace"));
}

TEST_F(WalkedPrograms, AreNotAskedWhatOnlyModelsKnow) {
    open("/examples/outside/counter.py");
    for (const std::string name : {"ahead", "choices"}) {
        EXPECT_EQ(name == "ahead" ? 400 : 200, answer(name, {{"schedule", kNothingWalked}}).status);
    }
    EXPECT_NE(std::string::npos, refused("scenario", {}).find("cannot be copied"));
    EXPECT_NE(std::string::npos,
              refused("graph", {{"schedule", kNothingWalked}, {"states", 10}}).find("copied"));
    EXPECT_NE(
        std::string::npos,
        refused("explore",
                {{"schedule", "lk1:1:s0"}, {"check", Json::array()}, {"stop_at_first", true}}, 409)
            .find("from its beginning"));
}

TEST_F(WalkedPrograms, TellWhereAScheduleDoesNotFit) {
    open("/examples/outside/counter.py");
    const Json walked = run("lk1:1:s0,s7");
    ASSERT_EQ(1U, walked["run"]["divergences"].size());
    EXPECT_EQ(1U, walked["actions"].size());
    EXPECT_NE(std::string::npos,
              refused("choices", {{"schedule", "lk1:1:s0,s7"}}, 409).find("step 2"));
}

TEST_F(WalkedPrograms, OfACommandThatIsNoneAreRefusedAndAskedAgain) {
    open_command("/nowhere/at/all", program_text(2, 1));
    for (int i = 0; i < 2; ++i) {
        EXPECT_NE(std::string::npos,
                  refused("run", {{"schedule", kNothingWalked}}).find("/nowhere/at/all"));
    }
}

}  // namespace
}  // namespace lockkeeper
