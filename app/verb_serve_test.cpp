// SPDX-License-Identifier: Apache-2.0

// `lockkeeper serve` as a person calls it. What it answers is tested in serve/ and
// reports/web/test.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <regex>
#include <string>
#include <thread>

#include "app/command_test.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

class Serve : public WithFiles {
  protected:
    void SetUp() override {
        WithFiles::SetUp();
        if (!why_no_pages().empty()) {
            GTEST_SKIP() << why_no_pages();
        }
    }
};

TEST_F(Serve, RefusesAFileThatIsWrongBeforeItListens) {
    const Ran ran = run({"serve", write("a.json", R"({"version": 1, "systm": "canal"})")});
    EXPECT_EQ(kExitInput, ran.exit_code);
    EXPECT_EQ("", ran.out);
    expect_one_line(ran, "a.json:1:16: ");
    EXPECT_EQ(kExitInput, run({"serve", path("missing.json")}).exit_code);
}

TEST_F(Serve, RefusesFlagsThatAreWrong) {
    const std::string file = write_pair("a.json");
    for (const char* port : {"65536", "-1", "x", ""}) {
        const Ran ran = run({"serve", file, "--port", port});
        EXPECT_EQ(kExitUsage, ran.exit_code) << port;
        expect_one_line(ran, "--port");
    }
    EXPECT_EQ(kExitUsage, run({"serve", file, "--set", "max_pre=1"}).exit_code);
    EXPECT_EQ(kExitUsage, run({"serve", file, "--check", "leek"}).exit_code);
    EXPECT_EQ(kExitUsage, run({"serve"}).exit_code);
}

#ifdef LOCKKEEPER_EXECUTABLE
// `lockkeeper serve FILE`, its stdout a pipe that is read here.
class ServeAtAPipe : public Serve {
  protected:
    void start() {
        const std::string file = write_pair("a.json");
        std::array<int, 2> ends{};
        ASSERT_EQ(0, pipe2(ends.data(), O_CLOEXEC));
        child_ = fork();
        if (child_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "serve", file.c_str(),
                  static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        out_ = ends[0];
    }
    // Until there is something to read.
    void wait_for_address() const {
        pollfd look{out_, POLLIN, 0};
        ASSERT_EQ(1, poll(&look, 1, 30'000));
    }
    [[nodiscard]] std::string read_address() const {
        std::string address;
        char byte = 0;
        while (!address.ends_with('\n') && read(out_, &byte, 1) == 1) {
            address += byte;
        }
        return address;
    }
    [[nodiscard]] int exit_code() const {
        int status = 0;
        EXPECT_EQ(child_, waitpid(child_, &status, 0));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    pid_t child_ = -1;
    int out_ = -1;
};

TEST_F(ServeAtAPipe, PrintsAnAddressOfTheLoopbackAndEndsWithCtrlC) {
    start();
    const std::string address = read_address();
    EXPECT_TRUE(
        std::regex_match(address, std::regex("http://127\\.0\\.0\\.1:[0-9]+/[0-9a-f]{32}/\n")))
        << address;
    kill(child_, SIGINT);
    EXPECT_EQ(kExitInterrupted, exit_code());
    close(out_);
}

// Nobody could ever ask it for anything.
TEST_F(ServeAtAPipe, EndsWhereItsAddressCannotBeReadAnyMore) {
    start();
    close(out_);  // before it is written
    EXPECT_EQ(kExitInterrupted, exit_code());
    start();
    wait_for_address();
    close(out_);  // afterwards
    EXPECT_EQ(kExitInterrupted, exit_code());
}

TEST_F(ServeAtAPipe, GoesOnWhereItsAddressWasRead) {
    start();
    EXPECT_NE("", read_address());
    close(out_);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    int status = 0;
    EXPECT_EQ(0, waitpid(child_, &status, WNOHANG));
    kill(child_, SIGTERM);
    EXPECT_EQ(kExitInterrupted, exit_code());
}
#endif

}  // namespace
}  // namespace lockkeeper
