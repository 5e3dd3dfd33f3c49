// SPDX-License-Identifier: Apache-2.0

// `validate --wire` as a command: verdicts, exit codes, replay lines, and nothing that is left.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "model/missing_test.hpp"
#include "validate/processes/processes_test.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
namespace fs = std::filesystem;

#define NEEDS_REDIS()      \
    NEEDS_TOOL("python3"); \
    NEEDS_TOOL("redis-server")

std::string client(const std::string& kind) {
    const bool is_shim = databases::find_program("python3").find("/shims/") != std::string::npos;
    return std::string(is_shim ? "/usr/bin/python3" : "python3") +
           " -S -E " LOCKKEEPER_SOURCE_DIR "/validate/wire/test_clients/raw_lock.py " + kind;
}

Ran validate(const std::string& command, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"validate", "--wire", "redis", "--client", command, "-q"});
    return run(more);
}

const std::vector<std::string> kNoFaults = {"--crashes", "0", "--restarts", "0",
                                            "--drops",   "0", "--expiries", "0"};

class ValidateWire : public WithFiles {};

TEST_F(ValidateWire, AViolationIsShownWrittenAndReplayed) {
    NEEDS_REDIS();
    const std::string command = client("get_then_set");
    std::vector<std::string> flags = kNoFaults;
    flags.insert(flags.end(), {"--out", path("out")});
    const Ran ran = validate(command, flags);
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "A1 acquire: SET db")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P1 over-allocation in 6 steps")) << ran.out;
    const std::size_t at = ran.out.find("lk1:1:");
    ASSERT_NE(std::string::npos, at);
    flags = kNoFaults;
    flags.insert(flags.end(),
                 {"--replay-choices", ran.out.substr(at, ran.out.find('\'', at) - at)});
    EXPECT_EQ(kExitViolated, validate(command, flags).exit_code);
    for (const auto& entry : fs::directory_iterator(path("out"))) {
        if (!entry.path().string().ends_with(".trace.json")) {
            continue;  // the history
        }
        EXPECT_EQ(kExitViolated, validate(command, {entry.path().string()}).exit_code);
        const Ran other = validate(client("right"), {entry.path().string()});
        EXPECT_EQ(kExitDiverged, other.exit_code);
        EXPECT_TRUE(contains(other.out, "recorded \"A")) << other.out;
    }
    EXPECT_FALSE(fs::is_empty(path("out")));
}

TEST_F(ValidateWire, ARightLockPassesAndSaysForWhichScope) {
    NEEDS_REDIS();
    std::vector<std::string> flags = kNoFaults;
    flags.insert(flags.end(), {"--format", "json"});
    const Ran ran = validate(client("right"), flags);
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    const auto document = nlohmann::json::parse(ran.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << ran.out;
    EXPECT_EQ(true, document.at("files").at(0).at("complete"));
    EXPECT_EQ("wire", document.at("files").at(0).at("system"));
}

TEST_F(ValidateWire, AClientThatDoesNotRepeatItselfIsNamed) {
    NEEDS_REDIS();
    std::vector<std::string> flags = kNoFaults;
    flags.insert(flags.end(), {"--processes", "forked"});
    const Ran ran = validate(client("pid"), flags);
    EXPECT_EQ(kExitDiverged, ran.exit_code) << ran.out;
    EXPECT_TRUE(contains(ran.out, "verdict: not deterministic: ")) << ran.out;
}

TEST_F(ValidateWire, WhatIsWrongWithTheCommandIsSaid) {
    const Ran none = run({"validate", "--wire", "redis"});
    EXPECT_EQ(kExitUsage, none.exit_code);
    expect_one_line(none, "--wire needs --client");
    EXPECT_EQ(kExitUsage, run({"validate", "--wire", "memcached", "--client", "x"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--callers", "9"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--callers", "0"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--script", "acquire,,release"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--drops", "1000"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--crashes", "17"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--callers", "2", "a.json"}).exit_code);
    EXPECT_EQ(kExitUsage, run({"validate", "--program", "x", "--drops", "1"}).exit_code);
    EXPECT_EQ(kExitInput, validate("x", {path("none.json")}).exit_code);
    const std::string sleeps = write(
        "sleeps.json", R"({"version": 1, "system": "wire", "callers": [{"name": "A", "script": [
            {"acquire": {"key": "db"}}, {"sleep": {"time": 1}}]}]})");
    EXPECT_EQ(kExitInput, validate("x", {sleeps}).exit_code);
    const std::string ticks =
        write("ticks.json", R"({"version": 1, "system": "wire", "faults": {"ticks": 1}, "callers": [
            {"name": "A", "script": [{"acquire": {"key": "db"}}]}]})");
    const Ran ran = validate("x", {ticks});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "/faults/ticks");
}

TEST_F(ValidateWire, AClientThatCannotBeStartedIsBadInput) {
    NEEDS_REDIS();
    const Ran ran = validate("no_such_program_here");
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "cannot be started");
}

#ifdef LOCKKEEPER_EXECUTABLE
// A client that tells who it is and then computes for ever.
TEST_F(ValidateWire, NothingIsLeftHoweverTheCommandEnds) {
    NEEDS_REDIS();
    using testing_processes::AnyProcess;
    const std::string told = path("told");
    const std::string busy = write("busy", "read -r own rest < /proc/self/stat\necho $own > " +
                                               told + "\nwhile :; do :; done\n");
    ASSERT_EQ(0, mkfifo(told.c_str(), 0600));
    fs::create_directory(path("tmp"));
    for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
        SCOPED_TRACE(signal);
        const pid_t command = fork();
        if (command == 0) {
            setenv("TMPDIR", path("tmp").c_str(), 1);
            static_cast<void>(freopen("/dev/null", "w", stdout));
            static_cast<void>(freopen("/dev/null", "w", stderr));
            execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "validate", "--wire", "redis", "--client",
                  ("sh " + busy).c_str(), "--answer-time", "10m", static_cast<char*>(nullptr));
            _exit(127);
        }
        pid_t client_id = 0;
        std::ifstream(told) >> client_id;  // returns when it has told
        ASSERT_GT(client_id, 0);
        const AnyProcess held(client_id);
        const AnyProcess watcher(testing_processes::parent_of(client_id));
        EXPECT_FALSE(fs::is_empty(path("tmp")));
        ::kill(command, signal);
        int status = 0;
        EXPECT_EQ(command, waitpid(command, &status, 0));
        EXPECT_TRUE(watcher.ends_within());
        EXPECT_TRUE(held.ends_within());
        EXPECT_TRUE(fs::is_empty(path("tmp")));
    }
}
#endif

}  // namespace
}  // namespace lockkeeper
