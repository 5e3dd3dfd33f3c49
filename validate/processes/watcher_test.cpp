// SPDX-License-Identifier: Apache-2.0

// A process with a program, a grandchild, a daemon and a directory ends in every way there is, and
// nothing is left.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "validate/processes/processes_test.hpp"
#include "validate/processes/watched_child.hpp"

namespace lockkeeper {
namespace {

using namespace testing_processes;

// A program with a child of its own, and a daemon that has left session and group. The program
// prints all their numbers.
constexpr const char* kFamily =
    "setsid sh -c 'sleep 1000 & echo $!'; sleep 1000 & echo $!; echo $$; wait";

// A process that uses the library, and all that belongs to it.
class Household {
  public:
    // `how` ends the process once it has told everything.
    explicit Household(const std::function<void()>& how, const char* program = kFamily,
                       int last_signal = SIGKILL) {
        process_ = fork();
        if (process_ == 0) {
            live(how, program, last_signal);
        }
        pipe_.close_writing();
        directory_ = pipe_.line();
        for (int i = 0; i < 3; ++i) {
            const std::string number = pipe_.line();
            if (number.empty()) {
                ADD_FAILURE() << "not everything was started";
                return;
            }
            members_.emplace_back(std::stoi(number));
        }
        members_.emplace_back(parent_of(members_.back().id()));
    }
    ~Household() {
        ::kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        ::close(go_[0]);
        ::close(go_[1]);
    }
    Household(const Household&) = delete;
    Household& operator=(const Household&) = delete;

    void go_on() const { ASSERT_EQ(1, ::write(go_[1], "!", 1)); }
    [[nodiscard]] pid_t process() const { return process_; }
    [[nodiscard]] const AnyProcess& daemon() const { return members_[0]; }
    [[nodiscard]] const AnyProcess& grandchild() const { return members_[1]; }
    [[nodiscard]] const AnyProcess& program() const { return members_[2]; }
    [[nodiscard]] const AnyProcess& watcher() const { return members_[3]; }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string line() { return pipe_.line(); }

    void expect_nothing_left(int milliseconds = kPatienceMilliseconds) const {
        ASSERT_EQ(4U, members_.size());
        EXPECT_TRUE(watcher().ends_within(milliseconds));
        // The watcher ends last: whatever is left now stays.
        EXPECT_TRUE(program().ends_within(0));
        EXPECT_TRUE(grandchild().ends_within(0));
        EXPECT_TRUE(daemon().ends_within(0));
        EXPECT_FALSE(std::filesystem::exists(directory_));
    }

  private:
    [[noreturn]] void live(const std::function<void()>& how, const char* program, int last_signal) {
        signal(SIGSEGV, SIG_DFL);  // a sanitizer would write a report
        const WatchedDirectory directory(
            (std::filesystem::temp_directory_path() / "lockkeeper_watched_").string());
        std::ofstream(directory.path() + "/file") << "text";
        dprintf(pipe_.writing(), "%s\n", directory.path().c_str());
        const WatchedChild child(order_of(program, pipe_.writing(), last_signal));
        char letter = 0;
        static_cast<void>(::read(go_[0], &letter, 1) == 0);
        how();
        _exit(0);
    }

    Pipe pipe_;
    std::array<int, 2> go_ = [] {
        std::array<int, 2> ends{};
        EXPECT_EQ(0, pipe2(ends.data(), O_CLOEXEC));
        return ends;
    }();
    pid_t process_ = -1;
    std::string directory_;
    std::vector<AnyProcess> members_;
};

void nothing() {}

TEST(Watcher, EndsEverythingOfAProcessThatIsKilled) {
    for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT}) {
        SCOPED_TRACE(signal);
        const Household household(nothing);
        ASSERT_EQ(0, ::kill(household.process(), signal));
        household.expect_nothing_left();
    }
}

TEST(Watcher, EndsEverythingOfAProcessThatEndsByItself) {
    const std::vector<std::function<void()>> ways{[] { _exit(0); }, [] { quick_exit(0); },
                                                  [] { abort(); }};
    for (const auto& way : ways) {
        const Household household(way);
        household.go_on();
        household.expect_nothing_left();
    }
}

TEST(Watcher, HasEndedEverythingWhenAProcessHasCalledExit) {
    const Household household([] { exit(0); });
    household.go_on();
    ASSERT_EQ(household.process(), waitpid(household.process(), nullptr, 0));
    household.expect_nothing_left(0);
}

// A terminal on Ctrl-C, or `timeout` at the end, signals the whole group of the process.
TEST(Watcher, IsNotInTheGroupOfTheProcess) {
    const Household household(nothing);
    EXPECT_NE(getpgid(household.process()), getpgid(household.watcher().id()));
    EXPECT_NE(getsid(household.process()), getsid(household.watcher().id()));
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        ASSERT_EQ(0, ::kill(household.watcher().id(), signal));
    }
    EXPECT_FALSE(household.program().ends_within(20));
    ASSERT_EQ(0, ::kill(household.process(), SIGKILL));
    household.expect_nothing_left();
}

// Leaves out descriptors that are closed meanwhile: a watcher opens files of /proc for a moment.
std::vector<std::string> opened_by(pid_t id) {
    std::vector<std::string> out;
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/fd")) {
        std::error_code is_gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), is_gone).string();
        if (!is_gone && !target.starts_with("/proc")) {
            out.push_back(target);
        }
    }
    return out;
}

// A reader may wait for the end of a pipe that the process has open, and a lock must become free
// when the process ends.
TEST(Watcher, HoldsNothingThatTheProcessHasOpened) {
    const Household household(nothing);
    std::size_t null_devices = 0;
    for (const std::string& target : opened_by(household.watcher().id())) {
        null_devices += target == "/dev/null" ? 1U : 0U;
        // Its one pipe is the one to tell the program's end.
        EXPECT_TRUE(target == "/dev/null" || target.starts_with("socket:") ||
                    target.starts_with("anon_inode:") || target.starts_with("pipe:"))
            << target;
    }
    EXPECT_EQ(3U, null_devices);
    Pipe own;
    const std::string pipe =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(own.writing())).string();
    const auto holds = [&](pid_t id) {
        const std::vector<std::string> targets = opened_by(id);
        return std::count(targets.begin(), targets.end(), pipe);
    };
    const Household later([] {});
    EXPECT_EQ(2, holds(getpid()));
    EXPECT_EQ(2, holds(later.process()));
    EXPECT_EQ(0, holds(later.watcher().id()));
}

// A fork has the same descriptors, but the watcher does not watch it, whether or not fork handlers
// run in it.
TEST(Watcher, DoesNotTakeAForkForTheProcess) {
    for (const auto& forking : {&fork, &_Fork}) {
        Pipe told;
        const Household household([&] {
            const pid_t other = forking();
            if (other == 0) {
                pause();
            }
            dprintf(told.writing(), "%d\n", other);
            ::kill(getpid(), SIGKILL);
        });
        household.go_on();
        const pid_t other = std::stoi(told.line());
        household.expect_nothing_left();
        EXPECT_EQ(0, ::kill(other, SIGKILL));
    }
}

TEST(Watcher, GivesTimeToWhatHasALastSignalOfItsOwn) {
    Household household(
        nothing,
        "trap 'echo orderly; exit' QUIT; setsid sh -c 'sleep 1000 & echo $!'; sleep 1000 & echo "
        "$!; echo $$; while :; do wait; done",
        SIGQUIT);
    ASSERT_EQ(0, ::kill(household.process(), SIGKILL));
    EXPECT_EQ("orderly", household.line());
    household.expect_nothing_left();
}

// Each process has its own session and is a child of the one before. The watcher adopts it when its
// parent has been killed.
TEST(Watcher, EndsALongChainOfDescendants) {
    const Household household(nothing,
                              "setsid sh -c 'sleep 1000 & echo $!'; sleep 1000 & echo $!; "
                              "chain='i=$(($1 + 1)); [ $i -gt 40 ] && exec sleep 1000; "
                              "setsid sh -c \"$2\" sh $i \"$2\" & wait'; "
                              "setsid sh -c \"$chain\" sh 0 \"$chain\" & echo $$; wait");
    ASSERT_EQ(0, ::kill(household.process(), SIGKILL));
    household.expect_nothing_left();
}

// The case that the page says cannot be handled; it also proves that these tests see survivors.
TEST(Watcher, ThatIsKilledTooLeavesAllButThePrograms) {
    const Household household(nothing);
    ASSERT_EQ(0, ::kill(household.watcher().id(), SIGKILL));
    ASSERT_EQ(0, ::kill(household.process(), SIGKILL));
    EXPECT_TRUE(household.watcher().ends_within());
    EXPECT_TRUE(household.program().ends_within());  // by the kernel
    EXPECT_FALSE(household.daemon().ends_within(20));
    EXPECT_FALSE(household.grandchild().ends_within(0));
    EXPECT_TRUE(std::filesystem::exists(household.directory() + "/file"));
    ::kill(household.daemon().id(), SIGKILL);
    ::kill(household.grandchild().id(), SIGKILL);
    std::filesystem::remove_all(household.directory());
}

TEST(Watcher, ThatIsKilledIsToldAndTheNextChildHasAnotherOne) {
    WatchedChild child(order_of("exec sleep 1000", STDERR_FILENO, SIGKILL));
    const AnyProcess process(child.id());
    const AnyProcess watcher(parent_of(child.id()));
    ASSERT_EQ(0, ::kill(watcher.id(), SIGKILL));
    EXPECT_TRUE(watcher.ends_within());
    EXPECT_TRUE(process.ends_within());
    EXPECT_THROW(static_cast<void>(child.status()), std::runtime_error);
    WatchedChild next(order_of("exec sleep 1000", STDERR_FILENO, SIGKILL));
    EXPECT_NE(watcher.id(), parent_of(next.id()));
    child.kill();
    EXPECT_FALSE(next.status());
    EXPECT_EQ(SIGKILL, next.kill());
}

}  // namespace
}  // namespace lockkeeper
