// SPDX-License-Identifier: Apache-2.0

// When the harness itself, its surroundings or its user end a run: interrupt, internal error,
// nondeterminism, a stdout that is closed.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <cstdio>
#include <memory>
#include <thread>

#include "app/command_test.hpp"
#include "model/check.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/base/descriptor_buffer.hpp"
#include "validate/processes/processes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

class Failure : public WithFiles {};

TEST_F(Failure, InterruptLeavesThePartialResult) {
    const Registry registry = fake_registry([](FakeRunner& runner) {
        runner.on_explore = [](const ExploreOptions&) {
            request_interrupt();
            ExploreResult result;
            result.states = 17;
            result.limit = "interrupted";
            result.verdict = Inconclusive{"interrupted"};
            return result;
        };
    });
    const std::string file = write_pair("a.json");
    for (const char* verb : {"explore", "run"}) {
        const Ran ran = run(registry, {verb, file, file});
        EXPECT_EQ(kExitInterrupted, ran.exit_code);
        EXPECT_TRUE(contains(ran.out, "ended by limit: interrupted"));
        expect_one_line(ran, "interrupted; 1 file not run");
    }
    clear_interrupt();
}

TEST_F(Failure, InternalErrorsGiveNoVerdict) {
    const Registry registry = fake_registry([](FakeRunner& runner) {
        runner.on_explore = [](const ExploreOptions&) -> ExploreResult {
            throw InternalError("explorer.hpp:1: it broke");
        };
    });
    const Ran ran = run(registry, {"explore", write_pair("a.json")});
    EXPECT_EQ(kExitInternal, ran.exit_code);
    expect_one_line(ran, "a.json: internal error: explorer.hpp:1: it broke");
    EXPECT_FALSE(contains(ran.out, "verdict"));
}

TEST_F(Failure, AViolationThatDoesNotReplayIsAnInternalError) {
    const Registry registry = fake_registry([](FakeRunner& runner) {
        runner.on_explore = [](const ExploreOptions&) {
            ExploreResult result;
            result.violations.push_back({find_property("leak"), {}});
            result.verdict = Violated{};
            return result;
        };
    });
    const Ran ran = run(registry, {"explore", write_pair("a.json")});
    EXPECT_EQ(kExitInternal, ran.exit_code);
    expect_one_line(ran, "the violation of leak does not replay");
}

TEST_F(Failure, CompiledLimitsReachedInARunAreTheFilesFault) {
    const Registry registry = fake_registry([](FakeRunner& runner) {
        runner.on_fuzz = [](const FuzzOptions&) -> FuzzResult {
            throw LimitExceeded("too many locks");
        };
    });
    const Ran ran = run(registry, {"fuzz", write_pair("a.json")});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "a.json: too many locks");
}

TEST_F(Failure, Nondeterminism) {
    const Registry registry = fake_registry([](FakeRunner& runner) {
        runner.on_fuzz = [](const FuzzOptions& options) {
            FuzzResult result;
            if (options.check_determinism) {
                result.verdict = Diverged{"nondeterminism at step 3"};
            }
            return result;
        };
    });
    const std::string file = write_pair("a.json");
    EXPECT_EQ(kExitPassed, run(registry, {"fuzz", file}).exit_code);
    const Ran ran = run(registry, {"fuzz", file, "--check-determinism"});
    EXPECT_EQ(kExitDiverged, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "verdict: diverged: nondeterminism at step 3\n"));
}

TEST(ExitCodes, TheWorstCounts) {
    EXPECT_EQ(kExitViolated, worse_exit_code(kExitInconclusive, kExitViolated));
    EXPECT_EQ(kExitInput, worse_exit_code(kExitInput, kExitViolated));
    EXPECT_EQ(kExitInterrupted, worse_exit_code(kExitInternal, kExitInterrupted));
    EXPECT_EQ(kExitPassed, worse_exit_code(kExitPassed, kExitPassed));
}

TEST(DescriptorBuffer, RemembersWhyItFailed) {
    ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    DescriptorBuffer buffer(ends[1]);
    std::ostream out(&buffer);
    out << "read this" << std::flush;
    char text[9];
    EXPECT_EQ(9, read(ends[0], text, sizeof text));
    EXPECT_EQ("read this", std::string(text, sizeof text));
    close(ends[0]);
    out << std::string(100'000, 'x') << std::flush;
    EXPECT_EQ(EPIPE, buffer.error());
    close(ends[1]);
}

class InterruptedPipe : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(0, pipe(ends_));
        ASSERT_EQ(PIPE_BUF, fcntl(ends_[1], F_SETPIPE_SZ, PIPE_BUF));
        request_interrupt();
    }
    void TearDown() override {
        clear_interrupt();
        close(ends_[0]);
    }
    [[nodiscard]] std::string read_to_the_end() const {
        std::string text;
        std::array<char, 1000> part{};
        for (ssize_t count = 1; count > 0;) {
            count = read(ends_[0], part.data(), part.size());
            text.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        }
        return text;
    }
    int ends_[2] = {-1, -1};
    const std::string text_ = std::string(100'000, 'x') + ".";
};

TEST_F(InterruptedPipe, ThatNobodyReadsIsGivenUpWhenItIsFull) {
    DescriptorBuffer buffer(ends_[1], std::chrono::milliseconds(0));
    std::ostream(&buffer) << text_ << std::flush;
    EXPECT_TRUE(buffer.was_given_up()) << buffer.error();
    close(ends_[1]);
    EXPECT_EQ(text_.substr(0, PIPE_BUF), read_to_the_end());
}

TEST_F(InterruptedPipe, ThatIsReadHasAllOfIt) {
    std::thread writer([&] {
        DescriptorBuffer buffer(ends_[1], std::chrono::hours(1));
        std::ostream(&buffer) << text_ << std::flush;
        EXPECT_EQ(0, buffer.error());
        close(ends_[1]);
    });
    EXPECT_EQ(text_, read_to_the_end());
    writer.join();
}

TEST(DescriptorBuffer, CutsNoFileWhenASignalCame) {
    const auto file = std::unique_ptr<FILE, int (*)(FILE*)>(std::tmpfile(), std::fclose);
    ASSERT_NE(nullptr, file);
    request_interrupt();
    DescriptorBuffer buffer(fileno(file.get()), std::chrono::milliseconds(0));
    std::ostream(&buffer) << std::string(100'000, 'x') << std::flush;
    clear_interrupt();
    EXPECT_EQ(0, buffer.error());
    EXPECT_EQ(100'000, lseek(fileno(file.get()), 0, SEEK_END));
}

#ifdef LOCKKEEPER_EXECUTABLE
// The process itself: the first signal gives the partial result, quickly.
class SignalledProcess : public Failure, public testing::WithParamInterface<int> {};

TEST_P(SignalledProcess, EndsWithWhatItHas) {
    const std::string file = write("big.json", R"({"version": 1, "system": "canal",
        "check": ["over-allocation"], "symmetry": false, "faults": {"crashes": 4},
        "callers": [{"name": "A", "count": 8, "script": [
            {"acquire": {"key": "db", "max_per": 2, "buckets": 3}}, {"release": {"key": "db"}}]}]})");
    const std::string out = path("out.txt");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        static_cast<void>(freopen(out.c_str(), "w", stdout));
        execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "explore", file.c_str(), "-q", "--max-states",
              "20000000", static_cast<char*>(nullptr));
        _exit(127);
    }
    // The first line is printed before the search, when the handler stands.
    while (read_whole(out).find('\n') == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(child, GetParam());
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(kExitInterrupted, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    EXPECT_TRUE(contains(read_whole(out), "verdict: inconclusive: ended by limit: interrupted\n"))
        << read_whole(out);
}

// A run of 80,000 steps.
TEST_P(SignalledProcess, EndsARunThatIsLong) {
    const std::string out = path("out.txt");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        static_cast<void>(freopen(out.c_str(), "w", stdout));
        execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "replay",
              LOCKKEEPER_SOURCE_DIR "/scenarios/canal/seeds/fill_and_drain_199x99.json",
              static_cast<char*>(nullptr));
        _exit(127);
    }
    while (read_whole(out).find('\n') == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(child, GetParam());
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(kExitInterrupted, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    EXPECT_TRUE(contains(read_whole(out), "verdict: inconclusive: ended by limit: interrupted\n"))
        << read_whole(out);
}

// Of what is printed only as much is taken as a pipe holds.
TEST_P(SignalledProcess, EndsAlthoughNobodyReadsWhatItPrints) {
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
        SCOPED_TRACE(descriptor);
        int ends[2];
        ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
        ASSERT_EQ(PIPE_BUF, fcntl(ends[1], F_SETPIPE_SZ, PIPE_BUF));
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            static_cast<void>(freopen("/dev/null", "w", stdout));
            static_cast<void>(freopen("/dev/null", "w", stderr));
            dup2(ends[1], descriptor);
            // One file tells its problem on stderr, and each of its results on stdout.
            const std::string missing(2 * PIPE_BUF, 'x');
            execl(LOCKKEEPER_EXECUTABLE, "lockkeeper", "explore", "--format", "json",
                  descriptor == STDERR_FILENO ? missing.c_str()
                                              : LOCKKEEPER_SOURCE_DIR "/scenarios/canal/findings",
                  static_cast<char*>(nullptr));
            _exit(127);
        }
        for (pollfd look{ends[1], POLLOUT, 0}; poll(&look, 1, 0) != 0;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        close(ends[1]);
        kill(child, GetParam());
        const testing_processes::AnyProcess process(child);
        const bool has_ended = process.ends_within(testing_processes::kPatienceMilliseconds);
        EXPECT_TRUE(has_ended);
        if (!has_ended) {
            kill(child, SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(child, waitpid(child, &status, 0));
        EXPECT_EQ(kExitInterrupted, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        close(ends[0]);
    }
}
INSTANTIATE_TEST_SUITE_P(Signal, SignalledProcess, testing::Values(SIGINT, SIGTERM));
#endif

}  // namespace
}  // namespace lockkeeper
