// SPDX-License-Identifier: Apache-2.0

// The helpers of all languages tell a driver what the harness says behind a call's key.
#include <chrono>

#include "model/missing_test.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

const std::string kDrivers = LOCKKEEPER_SOURCE_DIR "/validate/wire/test_clients/helpers/";

std::chrono::steady_clock::time_point deadline() {
    return std::chrono::steady_clock::now() + std::chrono::minutes(1);
}

// The next line of the driver; of an error what is behind its last colon, without the quotes that
// an atom with spaces has. The rest is in the language's words.
std::string said(ChildProcess& driver) {
    std::string line;
    if (driver.read_line(line, deadline()) != ChildProcess::Read::kLine) {
        return "nothing: " + line;
    }
    if (line.starts_with("error ")) {
        const std::size_t colon = line.rfind(": ");
        line = line.substr(colon == std::string::npos ? 6 : colon + 2);
        std::erase(line, '\'');
    }
    return line;
}

// The helper of some languages cannot know whether the driver reads a weight.
enum class Weights : std::uint8_t { kKnown, kUnknown };

void expect_all_is_told(const std::string& command, Weights weights = Weights::kKnown) {
    ChildProcess driver(command);
    const std::string ready = said(driver);
    EXPECT_TRUE(ready.starts_with("ready")) << command << ready;
    const auto answer = [&](const std::string& line) {
        driver.write_line(line, deadline());
        return said(driver);
    };
    EXPECT_EQ("a 5 1", answer("acquire a 5")) << command;
    EXPECT_EQ("a+b+c 5 3", answer("acquire a 5 with=b,c weight=3")) << command;
    EXPECT_EQ("a+b+c 3", answer("release a with=b,c weight=3")) << command;
    EXPECT_EQ("a", answer("look a")) << command;
    EXPECT_EQ("! lost a", answer("watch a with=b,c")) << command;
    EXPECT_EQ("a+b+c", said(driver)) << command;
    EXPECT_EQ("! lost a", answer("watch a")) << command;
    EXPECT_EQ("a", said(driver)) << command;
    // Its operations know no weight.
    EXPECT_EQ("ok", answer("acquire plain")) << command;
    EXPECT_EQ(weights == Weights::kKnown ? "unsupported" : "ok", answer("acquire plain weight=3"))
        << command;
    EXPECT_EQ("ok", answer("release plain weight=3")) << command;
}

TEST(WireHelpers, InPythonTellsKeysNumberAndWeight) {
    NEEDS_TOOL("python3");
    expect_all_is_told(raw_client("", " ", "helpers/told.py"));
}

TEST(WireHelpers, InJavaScriptTellsKeysNumberAndWeight) {
    NEEDS_TOOL("node");
    expect_all_is_told("node " + kDrivers + "told.js", Weights::kUnknown);
}

TEST(WireHelpers, InRubyTellsKeysNumberAndWeight) {
    NEEDS_TOOL("ruby");
    expect_all_is_told("ruby " + kDrivers + "told.rb");
}

TEST(WireHelpers, InErlangTellsKeysNumberAndWeight) {
    NEEDS_TOOL("escript");
    expect_all_is_told("escript " + kDrivers + "told.erl");
}

TEST(WireHelpers, InCTellsKeysNumberAndWeight) {
    const std::string program = testing::TempDir() + "lockkeeper_told_c";
    ASSERT_EQ(0,
              std::system(
                  ("cc -Wall -Wextra -Werror -o " + program + " " + kDrivers + "told.c").c_str()));
    expect_all_is_told(program);
}

// The build of a program in Go takes seconds. Its files must be in one folder.
TEST(WireHelpers, InGoTellsKeysNumberAndWeight) {
    NEEDS_TOOL("go");
    if (testing_model::is_short_run()) {
        GTEST_SKIP() << "make test-long builds it";
    }
    const std::string directory = testing::TempDir() + "lockkeeper_go";
    const std::string program = directory + "/told";
    ASSERT_EQ(0,
              std::system(("mkdir -p " + directory + " && cp " + kDrivers +
                           "told.go " LOCKKEEPER_SOURCE_DIR "/examples/wire/lockkeeper_wire.go " +
                           directory + " && cd " + directory + " && GOCACHE=" + directory +
                           "/cache CGO_ENABLED=0 go build -o told told.go lockkeeper_wire.go")
                              .c_str()));
    expect_all_is_told(program);
}

}  // namespace
}  // namespace lockkeeper::wire
