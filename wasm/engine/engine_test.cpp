// SPDX-License-Identifier: Apache-2.0

// The two calls as a page makes them, and as it should not.
#include "wasm/engine/engine.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/json.hpp"
#include "wasm/engine/command_room.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Two callers of the canal lock that acquire and release once: it loses a unit in 22 steps.
constexpr const char* kLeak = R"({"version": 1, "system": "canal", "check": "safety",
    "parameters": {"table": {"warm": 2}}, "callers": [{"name": "A", "count": 2, "script": [
    {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})";

class EngineCalls : public ::testing::Test {
  protected:
    void SetUp() override { fs::create_directories(directory_); }
    void TearDown() override { fs::remove_all(directory_); }

    Json answer(const std::string& name, const Json& body) {
        return Json::parse(engine_.answer(name, body.dump()));
    }
    Json command(const Json& body) { return Json::parse(engine_.command(body.dump())); }

    fs::path directory_ =
        fs::temp_directory_path() / ("lockkeeper-engine-" + std::to_string(::getpid()));
    std::vector<Json> told_;
    Engine engine_{{directory_, UINT64_MAX,
                    [this](const std::string& json) { told_.push_back(Json::parse(json)); }}};
};

TEST_F(EngineCalls, AnswersTheRequestsOfTheExplorer) {
    const Json opened = answer("open", {{"name", "a.json"}, {"text", kLeak}});
    EXPECT_EQ(200, opened["status"]);
    EXPECT_EQ("canal/faithful", opened["answer"]["system"]);
    const Json explored = answer(
        "explore",
        {{"file", 0}, {"schedule", "lk1:1:"}, {"check", Json::array()}, {"stop_at_first", true}});
    EXPECT_EQ("ended", explored["answer"]["phase"]);
    const Json& found = explored["answer"]["violations"][0];
    EXPECT_EQ(22, found["steps"]);
    const Json run = answer("run", {{"file", 0}, {"schedule", found["schedule"]}});
    EXPECT_EQ("leak", run["answer"]["run"]["property"]);
    ASSERT_FALSE(told_.empty());
    EXPECT_EQ("running", told_.back()["exploration"]["phase"]);
}

TEST_F(EngineCalls, RefusalsHaveTheirPlace) {
    const Json refused =
        answer("open", {{"name", "a.json"}, {"text", "{\"version\": 1,\n \"sistem\": 2}"}});
    EXPECT_EQ(400, refused["status"]);
    EXPECT_EQ(2, refused["answer"]["error"]["line"]);
    EXPECT_EQ(404, answer("nothing", Json::object())["status"]);
    EXPECT_EQ(400, Json::parse(engine_.answer("open", "{"))["status"]);
}

TEST_F(EngineCalls, ACommandFindsItsFilesAndLeavesWhatItWrites) {
    const Json ended = command({{"arguments", {"explore", "a/leak.json", "--report", "r.html"}},
                                {"files", {{"a/leak.json", kLeak}}}});
    EXPECT_EQ(1, ended["exit_code"]);
    EXPECT_NE(std::string::npos, ended["out"].get<std::string>().find("violated"));
    EXPECT_EQ(1U, ended["files"].size());
    EXPECT_TRUE(ended["files"].contains("r.html"));
    EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(EngineCalls, ACommandReadsStandardInput) {
    const fs::path before = fs::current_path();
    const Json ended = command({{"arguments", {"explore", "-"}}, {"stdin", kLeak}});
    EXPECT_EQ(1, ended["exit_code"]);
    EXPECT_EQ(65, command({{"arguments", {"explore", "-"}}})["exit_code"]);
    EXPECT_EQ(before, fs::current_path());
}

TEST_F(EngineCalls, NamesOfFilesStayInside) {
    for (const char* name : {"../a.json", "/tmp/a.json", "a/../../b.json", "", "a//b", "."}) {
        const Json ended = command({{"arguments", {"list"}}, {"files", {{name, "x"}}}});
        EXPECT_EQ(65, ended["exit_code"]) << name;
        EXPECT_NE(std::string::npos, ended["err"].get<std::string>().find("relative path")) << name;
    }
    EXPECT_TRUE(is_inside("a/b.json"));
    EXPECT_FALSE(is_inside("a/"));
}

TEST_F(EngineCalls, WhatIsNoRequestIsRefused) {
    for (const char* body :
         {"", "[]", "{}", R"({"arguments": 1})", R"({"arguments": [], "more": 1})"}) {
        EXPECT_EQ(65, Json::parse(engine_.command(body))["exit_code"]) << body;
    }
    EXPECT_EQ(64, command({{"arguments", {"dance"}}})["exit_code"]);
}

TEST_F(EngineCalls, OneCommandLeavesNothingToTheNext) {
    command({{"arguments", {"list"}}, {"files", {{"a.json", kLeak}}}});
    EXPECT_EQ(65, command({{"arguments", {"explore", "a.json"}}})["exit_code"]);
}

}  // namespace
}  // namespace lockkeeper
