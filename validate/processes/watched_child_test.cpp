// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/watched_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "validate/processes/processes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_processes;

// Waits until the child ends by itself, and returns how.
int status_of(WatchedChild& child) {
    EXPECT_TRUE(AnyProcess(child.id()).ends_within());
    std::optional<int> status;
    while (!(status = child.status())) {
        std::this_thread::yield();  // the watcher is telling it
    }
    return *status;
}

std::string output_of(const std::string& command) {
    Pipe pipe;
    const WatchedChild child(order_of(command, pipe.writing(), SIGKILL));
    pipe.close_writing();
    return pipe.rest();
}

TEST(WatchedChild, TellsHowItEnded) {
    WatchedChild exits(order_of("read nothing; exit 7", STDERR_FILENO, SIGKILL));
    WatchedChild dies(order_of("kill -SEGV $$", STDERR_FILENO, SIGKILL));
    const int of_exit = status_of(exits);
    EXPECT_TRUE(WIFEXITED(of_exit) && WEXITSTATUS(of_exit) == 7) << of_exit;
    const int of_death = status_of(dies);
    EXPECT_TRUE(WIFSIGNALED(of_death) && WTERMSIG(of_death) == SIGSEGV) << of_death;
    EXPECT_EQ(of_exit, exits.kill());
}

TEST(WatchedChild, RunsUntilItIsKilledWithItsGroup) {
    Pipe pipe;
    WatchedChild child(order_of("sleep 1000 & echo $!; wait", pipe.writing(), SIGKILL));
    const AnyProcess grandchild(std::stoi(pipe.line()));
    const AnyProcess itself(child.id());
    EXPECT_FALSE(child.status());
    EXPECT_EQ(SIGKILL, child.kill());
    EXPECT_TRUE(itself.ends_within(0));
    EXPECT_TRUE(grandchild.ends_within());
    EXPECT_EQ(SIGKILL, child.status());
}

TEST(WatchedChild, GetsASignalUntilItHasGone) {
    WatchedChild child(order_of("exec sleep 1000", STDERR_FILENO, SIGKILL));
    child.signal(SIGTERM);
    EXPECT_EQ(SIGTERM, status_of(child));
    child.kill();
    child.signal(SIGTERM);
}

TEST(WatchedChild, ThatCannotBeRunIsRefusedWithTheReason) {
    try {
        const WatchedChild child({{"/nothing/there"}, {0, 1, 2}, "", {}, SIGKILL});
        ADD_FAILURE() << "it runs";
    } catch (const std::system_error& error) {
        EXPECT_EQ(ENOENT, error.code().value());
        EXPECT_STREQ("/nothing/there: No such file or directory", error.what());
    }
    EXPECT_THROW(WatchedChild({{"/bin/true"}, {0, 1, 2}, "/nothing/there", {}, SIGKILL}),
                 std::system_error);
}

TEST(WatchedChild, GetsNoDescriptorButItsStreams) {
    const int leak = fcntl(STDERR_FILENO, F_DUPFD, 50);  // not closed by exec
    ASSERT_GE(leak, 50);
    EXPECT_EQ("0 1 2 ", output_of("for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 " + std::to_string(leak) +
                                  "; do [ -e /proc/$$/fd/$i ] && printf '%s ' $i; done"));
    ::close(leak);
}

TEST(WatchedChild, GetsTheEnvironmentAndTheDirectoryOfThisMoment) {
    Pipe pipe;
    setenv("LOCKKEEPER_TEST_OF_CHILDREN", "a\nb", 1);
    WatchedChild::Order order =
        order_of("printf '%s ' \"$LOCKKEEPER_TEST_OF_CHILDREN\"; pwd", pipe.writing(), SIGKILL);
    order.directory = "/usr";
    const WatchedChild child(order);
    unsetenv("LOCKKEEPER_TEST_OF_CHILDREN");
    pipe.close_writing();
    EXPECT_EQ("a\nb /usr\n", pipe.rest());
    EXPECT_EQ(std::filesystem::current_path().string() + "\n", output_of("pwd -P"));
}

// Ignores all signals but the two that cannot be ignored, even those that the C library reserves.
void ignore_all_signals() {
    std::array<void (*)(int), 8> action{SIG_IGN};  // the kernel's sigaction: the handler is first
    for (int number = 1; number < NSIG; ++number) {
        if (number != SIGKILL && number != SIGSTOP) {
            EXPECT_EQ(0, syscall(SYS_rt_sigaction, number, action.data(), nullptr, 8)) << number;
        }
    }
}

// A process of its own: its watcher is forked while signals are blocked and ignored.
TEST(WatchedChild, HasNoSignalBlockedOrIgnored) {
    signal(SIGCHLD, SIG_DFL);  // so that its end can be waited for
    Pipe pipe;
    const pid_t process = fork();
    if (process == 0) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        ignore_all_signals();
        WatchedChild child({{"/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"},
                            {STDIN_FILENO, pipe.writing(), STDERR_FILENO},
                            "",
                            {},
                            SIGKILL});
        _exit(status_of(child));
    }
    pipe.close_writing();
    EXPECT_EQ("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", pipe.rest());
    int status = -1;
    EXPECT_EQ(process, waitpid(process, &status, 0));
    EXPECT_EQ(0, status);
}

TEST(WatchedChild, OfAThreadThatHasEndedGoesOn) {
    std::optional<WatchedChild> child;
    std::thread([&] { child.emplace(order_of("exec sleep 1000", 2, SIGKILL)); }).join();
    EXPECT_FALSE(AnyProcess(child->id()).ends_within(20));
    EXPECT_EQ(SIGKILL, child->kill());
}

TEST(WatchedChild, LeavesNoZombieOfADaemonThatEnds) {
    Pipe pipe;
    const WatchedChild child(
        order_of("setsid sh -c 'sleep 0 & echo $!'; exec sleep 1000", pipe.writing(), SIGKILL));
    const std::string there = "/proc/" + pipe.line();
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::filesystem::exists(there) && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(std::filesystem::exists(there));
}

TEST(WatchedChild, ManyAtATimeAreRefusedNotLost) {
    std::vector<std::unique_ptr<WatchedChild>> children;
    for (std::size_t i = 0; i < kWatchedChildrenMax; ++i) {
        children.push_back(std::make_unique<WatchedChild>(
            WatchedChild::Order{{"/bin/sleep", "1000"}, {0, 1, 2}, "", {}, SIGKILL}));
    }
    EXPECT_THROW(WatchedChild(order_of("true", 2, SIGKILL)), std::system_error);
    children.pop_back();
    EXPECT_NO_THROW(WatchedChild(order_of("true", 2, SIGKILL)));
}

TEST(WatchedChild, OfAForkIsNoneOfThisProcess) {
    WatchedChild mine(order_of("exec sleep 1000", 2, SIGKILL));
    Pipe pipe;
    const pid_t fork_id = fork();
    if (fork_id == 0) {
        static_cast<void>(mine.kill());  // a stranger's: nothing happens
        const auto own = std::make_unique<WatchedChild>(
            order_of("echo $$; exec sleep 1000", pipe.writing(), SIGKILL));
        dprintf(pipe.writing(), "%d\n", own->id() == mine.id() ? 1 : 0);
        _exit(0);
    }
    pipe.close_writing();
    ASSERT_EQ(fork_id, waitpid(fork_id, nullptr, 0));
    EXPECT_NE("", pipe.line());
    EXPECT_FALSE(AnyProcess(mine.id()).ends_within(0));
    EXPECT_FALSE(mine.status());
}

TEST(WatchedDirectory, IsThisUsersAndVanishesWithItsContents) {
    std::string path;
    {
        const WatchedDirectory directory(
            (std::filesystem::temp_directory_path() / "lockkeeper_watched_").string());
        const WatchedDirectory other(
            (std::filesystem::temp_directory_path() / "lockkeeper_watched_").string());
        path = directory.path();
        EXPECT_NE(other.path(), path);
        struct stat status = {};
        ASSERT_EQ(0, ::stat(path.c_str(), &status));
        EXPECT_EQ(S_IFDIR | 0700U, status.st_mode);
        std::ofstream(path + "/file") << "text";
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_THROW(WatchedDirectory("/nothing/there/lockkeeper_"), std::system_error);
}

}  // namespace
}  // namespace lockkeeper
