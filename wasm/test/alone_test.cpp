// SPDX-License-Identifier: Apache-2.0

// The engine linked with its own libraries, and with none of those that start processes, open
// sockets or reach servers (cmake/LockkeeperWasm.cmake): wasm/browser stands in their place.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wasm/engine/engine.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Two callers of the canal lock that acquire and release once: it loses a unit in 22 steps.
constexpr const char* kLeak = R"({"version": 1, "system": "canal", "check": "safety",
    "parameters": {"table": {"warm": 2}}, "callers": [{"name": "A", "count": 2, "script": [
    {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})";

class EngineAlone : public ::testing::Test {
  protected:
    void SetUp() override { fs::create_directories(directory_); }
    void TearDown() override { fs::remove_all(directory_); }

    Json answer(const char* name, const Json& body) {
        return Json::parse(engine_.answer(name, body.dump()))["answer"];
    }
    Json command(const std::vector<std::string>& arguments) {
        const Json body{{"arguments", arguments}, {"files", {{"a.json", kLeak}}}};
        return Json::parse(engine_.command(body.dump()));
    }
    // The verdict that the page of this scenario begins with.
    std::string searched(const Json& scenario) {
        const Json opened = answer("open", {{"name", "a.json"}, {"text", scenario.dump()}});
        EXPECT_TRUE(opened.contains("number")) << opened;
        return answer("explore", {{"file", opened["number"]},
                                  {"schedule", "lk1:1:"},
                                  {"check", Json::array()},
                                  {"stop_at_first", true}})["verdict"];
    }

    fs::path directory_ =
        fs::temp_directory_path() / ("lockkeeper-alone-" + std::to_string(::getpid()));
    Engine engine_{{directory_, UINT64_MAX, nullptr}};
};

Json document(const std::string& path) {
    return Json::parse(std::ifstream(std::string(LOCKKEEPER_SOURCE_DIR) + "/" + path));
}

// "FILE", or "FILE#CASE" (scenarios/cases.hpp).
Json scenario(const std::string& named) {
    const std::size_t mark = named.find('#');
    Json whole = document(named.substr(0, mark));
    if (mark == std::string::npos) {
        return whole;
    }
    const Json cases = whole["cases"];
    whole.erase("cases");
    for (Json one : cases) {
        if (one["name"] == named.substr(mark + 1)) {
            one.erase("name");
            whole.merge_patch(one);
        }
    }
    return whole;
}

TEST_F(EngineAlone, FindsARaceAndRefusesWhatItHasNot) {
    EXPECT_EQ(answer("open", {{"name", "a.json"}, {"text", kLeak}})["system"], "canal/faithful");
    const Json explored = answer(
        "explore",
        {{"file", 0}, {"schedule", "lk1:1:"}, {"check", Json::array()}, {"stop_at_first", true}});
    EXPECT_EQ(explored["violations"][0]["steps"], 22);
    const Json refused = command({"validate", "--wire", "redis", "--client", "cat", "a.json"});
    EXPECT_NE(refused["exit_code"], 0);
    EXPECT_NE(refused["err"], "");
}

TEST_F(EngineAlone, EachModelToBeginWithIsWrongAndRight) {
    std::size_t models = 0;
    for (const Json& start : document("wasm/starts.json")) {
        if (!start["wrong"].contains("scenario")) {
            continue;
        }
        ++models;
        EXPECT_EQ(searched(scenario(start["wrong"]["scenario"])), "violated") << start["title"];
        EXPECT_EQ(searched(scenario(start["right"]["scenario"])), "passed") << start["title"];
    }
    EXPECT_EQ(models, 4U);
}

// None of them reaches what a page has not.
TEST_F(EngineAlone, HasTheVerbsThatNeedNoProcess) {
    for (const char* verb : {"explore", "fuzz", "prove"}) {
        const Json ended = command({verb, "a.json", "--jobs", "1", "--report", "r.html"});
        EXPECT_EQ(ended["exit_code"], 1) << verb << ended["err"];
        EXPECT_TRUE(ended["files"].contains("r.html")) << verb;
    }
    EXPECT_EQ(command({"measure", "a.json", "--jobs", "1"})["exit_code"], 0);
    EXPECT_EQ(command({"list", "--format", "json"})["exit_code"], 0);
}

}  // namespace
}  // namespace lockkeeper
