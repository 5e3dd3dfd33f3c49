// SPDX-License-Identifier: Apache-2.0

// The command ends in every way there is, while a program of its own runs that has put a daemon
// into a session of its own: nothing is left.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command_test.hpp"
#include "validate/processes/processes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
namespace fs = std::filesystem;
using testing_processes::AnyProcess;
using testing_processes::kPatienceMilliseconds;
using testing_processes::parent_of;

#ifdef LOCKKEEPER_EXECUTABLE
class EndedChildren : public WithFiles {
  protected:
    struct Family {
        pid_t command = -1;
        std::vector<AnyProcess> members;  // daemon, program, watcher
    };

    // Starts a program that says who it is and then nothing more, at the black-box level.
    [[nodiscard]] Family start(const std::string& answer_time) {
        const std::string told = path("told");
        fs::remove(told);
        EXPECT_EQ(0, mkfifo(told.c_str(), 0600));
        const std::string program =
            write("program", "setsid sh -c 'sleep 1000 & echo $! $2 > $1' sh " + told +
                                 " $$\nread message\nexec sleep 1000\n");
        fs::create_directory(path("tmp"));
        const int from = ::open(told.c_str(), O_RDWR | O_CLOEXEC);  // waits for nobody
        Family family;
        family.command = fork();
        if (family.command == 0) {
            setenv("TMPDIR", path("tmp").c_str(), 1);
            static_cast<void>(freopen("/dev/null", "w", stdout));
            static_cast<void>(freopen("/dev/null", "w", stderr));
            execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "validate", "--program",
                  ("sh " + program).c_str(), "--level", "black-box", "--answer-time",
                  answer_time.c_str(), write_pair("pair.json").c_str(),
                  static_cast<char*>(nullptr));
            _exit(127);
        }
        pollfd wait{from, POLLIN, 0};
        std::array<char, 64> text{};
        if (::poll(&wait, 1, kPatienceMilliseconds) == 1 &&
            ::read(from, text.data(), text.size() - 1) > 0) {
            std::istringstream numbers(text.data());
            pid_t daemon = 0;
            pid_t own = 0;
            numbers >> daemon >> own;
            family.members.emplace_back(daemon);
            family.members.emplace_back(own);
            family.members.emplace_back(parent_of(own));
        }
        ::close(from);
        return family;
    }

    // By exit code, or the signal's number below 0.
    static int end_of(const Family& family) {
        int status = 0;
        EXPECT_EQ(family.command, waitpid(family.command, &status, 0));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    void expect_nothing_left(const Family& family, int milliseconds) const {
        ASSERT_EQ(3U, family.members.size());
        EXPECT_TRUE(family.members[2].ends_within(milliseconds)) << "the watcher";
        EXPECT_TRUE(family.members[1].ends_within(0)) << "the program";
        EXPECT_TRUE(family.members[0].ends_within(0)) << "the daemon";
        EXPECT_TRUE(fs::is_empty(path("tmp"))) << "the data directory";
    }
};

TEST_F(EndedChildren, OfACommandThatIsKilledOrCrashes) {
    for (const int signal : {SIGKILL, SIGSEGV, SIGABRT}) {
        SCOPED_TRACE(signal);
        const Family family = start("10m");
        ASSERT_EQ(3U, family.members.size());
        ::kill(family.command, signal);
        static_cast<void>(end_of(family));
        expect_nothing_left(family, kPatienceMilliseconds);
    }
}

TEST_F(EndedChildren, AreGoneWhenAnInterruptedCommandEnds) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        SCOPED_TRACE(signal);
        const Family family = start("10m");
        ASSERT_EQ(3U, family.members.size());
        ::kill(family.command, signal);
        EXPECT_EQ(kExitInterrupted, end_of(family));
        expect_nothing_left(family, 0);
    }
}

TEST_F(EndedChildren, AreGoneWhenACommandEndsByItself) {
    // Long enough for a busy machine to look at them while they live.
    const Family family = start("2s");
    ASSERT_EQ(3U, family.members.size());
    EXPECT_EQ(kExitViolated, end_of(family));
    expect_nothing_left(family, 0);
}
#endif

}  // namespace
}  // namespace lockkeeper
