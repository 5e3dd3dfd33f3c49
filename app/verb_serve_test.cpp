// SPDX-License-Identifier: Apache-2.0

// `lockkeeper serve` as a person calls it. What it answers is tested in serve/ and
// reports/web/test.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <regex>

#include "app/command_test.hpp"
#include "reports/html_page.hpp"

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
TEST_F(Serve, PrintsAnAddressOfTheLoopbackAndEndsWithCtrlC) {
    const std::string file = write_pair("a.json");
    std::array<int, 2> ends{};
    ASSERT_EQ(0, pipe(ends.data()));
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "serve", file.c_str(),
              static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    FILE* out = fdopen(ends[0], "r");
    std::array<char, 200> line{};
    ASSERT_NE(nullptr, fgets(line.data(), line.size(), out));
    EXPECT_TRUE(std::regex_match(std::string(line.data()),
                                 std::regex("http://127\\.0\\.0\\.1:[0-9]+/[0-9a-f]{32}/\n")))
        << line.data();
    kill(child, SIGINT);
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(kExitInterrupted, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fclose(out);
}
#endif

}  // namespace
}  // namespace lockkeeper
