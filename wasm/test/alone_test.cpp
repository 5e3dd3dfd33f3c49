// SPDX-License-Identifier: Apache-2.0

// The engine linked with its own libraries, and with none of those that start processes, open
// sockets or reach servers (cmake/LockkeeperWasm.cmake): wasm/browser stands in their place.
#include <unistd.h>

#include <filesystem>
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

TEST(EngineAlone, AnswersRequestsAndCommandsAndRefusesWhatItHasNot) {
    const fs::path directory =
        fs::temp_directory_path() / ("lockkeeper-alone-" + std::to_string(::getpid()));
    fs::create_directories(directory);
    Engine engine({directory, UINT64_MAX, nullptr});
    const auto answer = [&](const char* name, const Json& body) {
        return Json::parse(engine.answer(name, body.dump()))["answer"];
    };
    const auto command = [&](const std::vector<std::string>& arguments) {
        const Json body{{"arguments", arguments}, {"files", {{"a.json", kLeak}}}};
        return Json::parse(engine.command(body.dump()));
    };
    EXPECT_EQ(answer("open", {{"name", "a.json"}, {"text", kLeak}})["system"], "canal/faithful");
    const Json explored = answer(
        "explore",
        {{"file", 0}, {"schedule", "lk1:1:"}, {"check", Json::array()}, {"stop_at_first", true}});
    EXPECT_EQ(explored["violations"][0]["steps"], 22);
    const Json ended = command({"explore", "a.json", "--jobs", "1"});
    EXPECT_EQ(ended["exit_code"], 1) << ended["err"];
    const Json refused = command({"validate", "--wire", "redis", "--client", "cat", "a.json"});
    EXPECT_NE(refused["exit_code"], 0);
    EXPECT_NE(refused["err"], "");
    fs::remove_all(directory);
}

}  // namespace
}  // namespace lockkeeper
