// SPDX-License-Identifier: Apache-2.0

// "-" where a verb reads a scenario, a trace or a history.
#include <iostream>

#include "app/command_test.hpp"
#include "model/json.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// Standard input is `text` as long as this lives.
class Input {
  public:
    explicit Input(const std::string& text) : stream_(text), own_(std::cin.rdbuf(stream_.rdbuf())) {
        std::cin.clear();
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    ~Input() { std::cin.rdbuf(own_); }

  private:
    std::istringstream stream_;
    std::streambuf* own_;
};

Ran run_with(const std::string& text, const std::vector<std::string>& arguments) {
    const Input input(text);
    return run(arguments);
}

class StandardInput : public WithFiles {
  protected:
    [[nodiscard]] std::string pair(const std::string& more = "") const {
        return read_whole(write_pair("pair.json", more));
    }
};

TEST_F(StandardInput, IsAScenarioOfEveryVerbThatTakesOne) {
    const std::string leaks = pair(R"("check": ["leak"], )");
    for (const char* verb : {"explore", "fuzz"}) {
        const Ran ran = run_with(leaks, {verb, "-"});
        EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
        EXPECT_TRUE(contains(ran.out, "P2 leak")) << ran.out;
        EXPECT_TRUE(contains(ran.out, "lockkeeper replay - --schedule 'lk1:")) << ran.out;
    }
    EXPECT_EQ(kExitViolated, run_with(leaks, {"run", "-"}).exit_code);
    EXPECT_EQ(kExitPassed, run_with(leaks, {"measure", "-", "--method", "exact"}).exit_code);
    const Ran against =
        run_with(pair(), {"validate", "--against", "canal/repaired", "-", "--schedules", "20"});
    EXPECT_TRUE(contains(against.out, "verdict: ")) << against.err;
}

TEST_F(StandardInput, IsATraceOrAHistory) {
    const std::string file = write_pair("a.json", R"("check": ["leak"], )");
    const auto found =
        nlohmann::json::parse(run({"explore", file, "--out", path("out"), "--format", "json"}).out);
    const std::string trace = found["violations"][0]["trace_file"];
    const Ran replayed = run_with(read_whole(trace), {"replay", "-"});
    EXPECT_EQ(kExitViolated, replayed.exit_code) << replayed.err;
    EXPECT_TRUE(contains(replayed.out, "verdict: violated: P2 leak in 22 steps\n"));
    const Ran judged = run_with(
        R"({"process": 0, "type": "invoke", "f": "acquire"}
{"process": 0, "type": "ok", "f": "acquire"}
)",
        {"validate", "--history", "-", "--model", "mutex"});
    EXPECT_EQ(kExitPassed, judged.exit_code) << judged.err << judged.out;
}

TEST_F(StandardInput, HasLinesAndColumnsInItsErrors) {
    expect_one_line(run_with("{\n \"version\": 2}", {"run", "-"}),
                    "lockkeeper: <stdin>:2:13: /version: ");
    expect_one_line(run_with(pair("\n\"check\": [\"leek\"], "), {"explore", "-"}),
                    "lockkeeper: <stdin>:2:11: /check/0: unknown property \"leek\"");
    expect_one_line(run_with("", {"replay", "-"}), "lockkeeper: <stdin>:1:1: not JSON: ");
    expect_one_line(
        run_with("{\"process\": 0,\n", {"validate", "--history", "-", "--model", "mutex"}),
        "lockkeeper: <stdin>:");
}

TEST_F(StandardInput, IsReadOnce) {
    const Ran ran = run_with(pair(), {"explore", "-", "-"});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "- (standard input) can be read once");
}

}  // namespace
}  // namespace lockkeeper
