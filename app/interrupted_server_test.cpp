// SPDX-License-Identifier: Apache-2.0

// Ctrl-C while a private server is started: said, and stdout is still one JSON document.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "app/command_test.hpp"
#include "model/json.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

#ifdef LOCKKEEPER_EXECUTABLE
class InterruptedServer : public WithFiles {};

TEST_F(InterruptedServer, IsSaidAndTheDocumentIsPrinted) {
    // Stands in for PostgreSQL's, tells that it runs, and never ends.
    const std::string told = path("told");
    ASSERT_EQ(0, mkfifo(told.c_str(), 0600));
    ASSERT_EQ(0, chmod(told.c_str(), 0666));
    ASSERT_EQ(0, chmod(path("").c_str(), 0755));
    const std::string initdb =
        write("bin/initdb", "#!/bin/sh\necho started > " + told + "\nexec sleep 600\n");
    ASSERT_EQ(0, chmod(initdb.c_str(), 0755));
    const std::string out = path("out");
    const std::string err = path("err");
    const pid_t child = fork();
    if (child == 0) {
        setenv("PATH", (path("bin") + ":" + getenv("PATH")).c_str(), 1);
        static_cast<void>(freopen(out.c_str(), "w", stdout));
        static_cast<void>(freopen(err.c_str(), "w", stderr));
        execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "validate", "--server", "postgresql", "--format",
              "json", write_pair("pair.json").c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    const int from = ::open(told.c_str(), O_RDONLY);  // returns when initdb has opened it
    std::array<char, 8> text{};
    EXPECT_EQ(8, ::read(from, text.data(), text.size()));
    ::close(from);
    kill(child, SIGINT);
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(kExitInterrupted, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    EXPECT_EQ("lockkeeper: no private postgresql server: interrupted while it was being started\n",
              read_whole(err));
    const auto document = nlohmann::json::parse(read_whole(out), nullptr, false);
    ASSERT_TRUE(document.is_object()) << read_whole(out);
    EXPECT_EQ(kExitInterrupted, document["exit_code"]);
    EXPECT_EQ("", document["server_version"]);
    EXPECT_TRUE(document["scenarios"].empty());
}
#endif

}  // namespace
}  // namespace lockkeeper
