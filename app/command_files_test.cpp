// SPDX-License-Identifier: Apache-2.0

// The command's files: it never writes over what is not its own, checks before the work, and leaves
// nothing when something goes wrong.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "app/command_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
namespace fs = std::filesystem;

class CommandFiles : public WithFiles {
  protected:
    // Each flag that names a file, with a command in which it is of use.
    [[nodiscard]] std::vector<std::vector<std::string>> commands(const std::string& file) const {
        const std::string scenario = write_pair("pair.json");
        return {{"explore", scenario, "-q", "--checkpoint", file, "--max-states", "20"},
                {"measure", scenario, "-q", "--check", "leak", "--csv", file},
                {"measure", scenario, "-q", "--check", "leak", "--svg", file},
                {"replay", scenario, "--schedule", "lk1:1:s0,s0", "--history", file}};
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(path(""))) {
            found.push_back(entry.path().filename());
        }
        std::sort(found.begin(), found.end());
        return found;
    }
    void expect_refused(std::vector<std::string> arguments, const std::string& file,
                        const std::string& reason) const {
        for (const bool force : {false, true}) {
            const Ran ran = run(arguments);
            EXPECT_EQ(kExitInput, ran.exit_code) << arguments.front() << force;
            expect_one_line(ran, file + ": cannot be written: " + reason);
            EXPECT_FALSE(contains(ran.out, "verdict")) << "before the work";
            arguments.emplace_back("--force");
        }
    }
};

TEST_F(CommandFiles, AreNeverDirectoriesLinksOrDevices) {
    fs::create_directory(path("directory"));
    const std::string target = write("target", "mine");
    fs::create_symlink(target, path("link"));
    for (const auto& [file, reason] :
         {std::pair(path("directory"), "it is a directory"),
          std::pair(path("link"), "it is a link"),
          std::pair(std::string("/dev/null"), "it is a device"),
          std::pair(std::string("/dev/full"), "it is a device"),
          std::pair(path("no/such/file"), "No such file or directory")}) {
        for (const auto& arguments : commands(file)) {
            expect_refused(arguments, file, reason);
        }
    }
    EXPECT_EQ("mine", read_whole(target));
    struct stat status = {};
    ASSERT_EQ(0, lstat("/dev/null", &status));
    EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(CommandFiles, AreNeverAnInput) {
    const std::string scenario = write_pair("pair.json");
    const std::string before = read_whole(scenario);
    for (const auto& arguments : commands(scenario)) {
        expect_refused(arguments, scenario, "this run reads it");
    }
    // Found in a directory, and by another name.
    expect_refused({"measure", path(""), "--csv", path("./pair.json")}, path("./pair.json"),
                   "this run reads it");
    EXPECT_EQ(before, read_whole(scenario));
}

TEST_F(CommandFiles, OfSomebodyElseAreReplacedByForceOnly) {
    for (auto arguments : commands(path("file"))) {
        const std::string file = write("file", "my thesis\n");
        const Ran refused = run(arguments);
        EXPECT_EQ(kExitInput, refused.exit_code);
        expect_one_line(refused, "(--force replaces it)");
        EXPECT_EQ("my thesis\n", read_whole(file)) << arguments.front();
        arguments.emplace_back("--force");
        const Ran forced = run(arguments);
        EXPECT_EQ("", forced.err);
        EXPECT_NE("my thesis\n", read_whole(file)) << arguments.front();
    }
}

TEST_F(CommandFiles, OfAnEarlierRunAreReplaced) {
    for (const auto& arguments : commands(path("file"))) {
        fs::remove(path("file"));
        const Ran first = run(arguments);
        const std::string once = read_whole(path("file"));
        EXPECT_FALSE(once.empty()) << first.err;
        const Ran second = run(arguments);
        EXPECT_EQ("", second.err);
        EXPECT_EQ(first.exit_code, second.exit_code);
        EXPECT_EQ((std::vector<std::string>{"file", "pair.json"}), names());
    }
}

TEST_F(CommandFiles, ByOneNameAreOne) {
    const Ran ran =
        run({"measure", write_pair("pair.json"), "--csv", path("a"), "--svg", path("./a")});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "this run writes something else there");
}

TEST_F(CommandFiles, OfSeveralReplaysHaveOneName) {
    const std::string file = write_pair("pair.json");
    const Ran ran = run({"replay", file, file, "--schedule", "lk1:1:s0", "--history", path("h")});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "--history: goes with one file");
}

TEST_F(CommandFiles, NamedStdoutAreWrittenThere) {
    const Ran ran = run({"measure", write_pair("pair.json"), "--csv", "/dev/stdout"});
    EXPECT_TRUE(contains(ran.out, "\nfile,system,variant,")) << ran.err;
}

TEST_F(CommandFiles, OfPrismAreJudgedTogether) {
    const std::vector<std::string> arguments{
        "measure", write_pair("pair.json"), "-q", "--check", "leak", "--prism", path("chain_of")};
    EXPECT_EQ("", run(arguments).err);
    EXPECT_EQ("", run(arguments).err) << "a second time";
    fs::remove(path("chain_of/chain.sta"));
    expect_one_line(run(arguments), "chain.tra: cannot be written: Lockkeeper has not written");
    fs::create_directory(path("chain_of/chain.sta"));
    expect_one_line(run(arguments), "chain.sta: cannot be written: it is a directory");
}

TEST_F(CommandFiles, TracesDoNotReplaceWhatOnlyHasTheirName) {
    const std::vector<std::string> arguments{"explore", write_pair("pair.json", R"("check":
        ["leak"], "faults": {"crashes": 1}, )"),
                                             "--out", path("out")};
    const Ran found = run(arguments);
    ASSERT_EQ(kExitViolated, found.exit_code) << found.out << found.err;
    const std::string trace = fs::directory_iterator(path("out"))->path();
    EXPECT_EQ(kExitViolated, run(arguments).exit_code) << "a second time";
    std::ofstream(trace) << "{\"mine\": true}\n";
    const Ran refused = run(arguments);
    EXPECT_EQ(kExitInput, refused.exit_code);
    expect_one_line(refused, "Lockkeeper has not written what is there");
    EXPECT_EQ("{\"mine\": true}\n", read_whole(trace));
}

#ifdef LOCKKEEPER_EXECUTABLE
// The process itself.
class CommandProcess : public CommandFiles {
  protected:
    // A process, and what read_until() has read of its output.
    struct Started {
        pid_t id = -1;
        int out = -1;
        std::string shown;
    };
    [[nodiscard]] Started start(
        const std::vector<std::string>& arguments,
        const std::function<void()>& before = [] {}) const {
        int ends[2];
        LOCKKEEPER_CHECK(pipe2(ends, O_CLOEXEC) == 0);
        std::vector<char*> words{const_cast<char*>("lockkeeper")};
        for (const std::string& argument : arguments) {
            words.push_back(const_cast<char*>(argument.c_str()));
        }
        words.push_back(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDOUT_FILENO);
            dup2(ends[1], STDERR_FILENO);
            before();
            execv(LOCKKEEPER_EXECUTABLE, words.data());
            _exit(127);
        }
        ::close(ends[1]);
        return {child, ends[0], ""};
    }
    static bool read_until(Started& started, const std::string& part) {
        char buffer[4096];
        while (!contains(started.shown, part)) {
            const ssize_t count = ::read(started.out, buffer, sizeof buffer);
            if (count <= 0) {
                return false;
            }
            started.shown.append(buffer, static_cast<std::size_t>(count));
        }
        return true;
    }
    static int wait_for_end(Started& started) {
        static_cast<void>(read_until(started, "\x01 never"));
        ::close(started.out);
        int status = 0;
        EXPECT_EQ(started.id, waitpid(started.id, &status, 0));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    // Takes for ever.
    [[nodiscard]] std::vector<std::string> long_search() const {
        return {"explore",
                write("big.json", R"({"version": 1, "system": "canal",
            "check": ["over-allocation"], "symmetry": false, "faults": {"crashes": 4},
            "callers": [{"name": "A", "count": 8, "script": [
            {"acquire": {"key": "db", "max_per": 2, "buckets": 3}}, {"release": {"key": "db"}}]}]})"),
                "--jobs",
                "1",
                "--memory",
                "1G",
                "--checkpoint",
                path("kept"),
                "--checkpoint-every",
                "50ms"};
    }
};

TEST_F(CommandProcess, OfTwoSearchesWithOneCheckpointTheSecondIsRefused) {
    Started first = start(long_search());
    ASSERT_TRUE(read_until(first, "scope")) << first.shown;
    Started second = start(long_search());
    EXPECT_EQ(kExitInput, wait_for_end(second));
    EXPECT_TRUE(contains(second.shown,
                         "kept: cannot be written: another run of Lockkeeper is "
                         "writing it"))
        << second.shown;
    kill(first.id, SIGINT);
    EXPECT_EQ(kExitInterrupted, wait_for_end(first));
    EXPECT_EQ((std::vector<std::string>{"big.json", "kept"}), names());
}

TEST_F(CommandProcess, HangUpIsAnInterrupt) {
    Started search = start(long_search());
    ASSERT_TRUE(read_until(search, "scope"));
    kill(search.id, SIGHUP);
    EXPECT_EQ(kExitInterrupted, wait_for_end(search));
    EXPECT_TRUE(contains(search.shown, "verdict: inconclusive: ended by limit: interrupted"))
        << search.shown;
    EXPECT_TRUE(contains(search.shown, "kept is being written (about 1 s)")) << search.shown;
    EXPECT_EQ((std::vector<std::string>{"big.json", "kept"}), names());
}

TEST_F(CommandProcess, HangUpThatIsIgnoredStaysIgnored) {
    std::vector<std::string> arguments = long_search();
    arguments.insert(arguments.end(),
                     {"--max-states", testing_model::kIsSlowBuild ? "500000" : "1000000"});
    Started search = start(arguments, [] { signal(SIGHUP, SIG_IGN); });
    ASSERT_TRUE(read_until(search, "scope"));
    kill(search.id, SIGHUP);
    EXPECT_EQ(kExitInconclusive, wait_for_end(search)) << "goes on, to an end of its own";
    EXPECT_TRUE(contains(search.shown, "verdict: inconclusive: ended by limit: states"))
        << search.shown;
}

// Once: the checkpoint is written and the report printed. Twice: at once, with a line, and without
// a file that nobody can use.
TEST_F(CommandProcess, ASecondInterruptEndsAtOnceWithALineAndWithoutLeftovers) {
    // Stopped at the report: nobody reads, and the pipe is full.
    Started search = start(long_search());
    ASSERT_TRUE(read_until(search, "scope"));
    kill(search.id, SIGSTOP);
    kill(search.id, SIGINT);
    kill(search.id, SIGTERM);
    kill(search.id, SIGCONT);
    EXPECT_EQ(kExitInterrupted, wait_for_end(search));
    EXPECT_TRUE(contains(search.shown, "lockkeeper: interrupted again: ended at once"))
        << search.shown;
    const auto left = names();
    EXPECT_TRUE(left == (std::vector<std::string>{"big.json"}) ||
                left == (std::vector<std::string>{"big.json", "kept"}))
        << left.size();
}

TEST_F(CommandProcess, ACheckpointThatMayNotGrowIsToldWithTheResult) {
    std::vector<std::string> arguments = long_search();
    arguments.insert(arguments.end(), {"--max-states", "20000", "-q"});
    Started search = start(arguments, [] {
        const rlimit limit{10'000, 10'000};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(kExitInput, wait_for_end(search));
    EXPECT_TRUE(contains(search.shown, "kept: checkpoint cannot be written: File too large"))
        << search.shown;
    EXPECT_TRUE(contains(search.shown, "verdict: inconclusive: ended by limit: states"))
        << search.shown;
    EXPECT_EQ((std::vector<std::string>{"big.json"}), names());
}

// Files cannot grow, as on a full disk (scheduler/base/output_file_test.cpp): the report is whole,
// one line on stderr names the file, and nothing is left of it.
TEST_F(CommandProcess, FilesThatMayNotGrowAreToldBesideTheReport) {
    struct Case {
        std::vector<std::string> arguments;
        std::string file;
        std::string report;  // its end
    };
    const std::string leaking =
        write_pair("pair.json", R"("check": ["leak"], "faults": {"crashes": 1}, )");
    const std::string alone = write("alone.json", R"({"version": 1, "system": "canal",
        "check": ["leak"], "faults": {"crashes": 1}, "callers": [{"name": "A", "script": [
        {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})");
    fs::create_directory(path("out"));
    const std::vector<Case> cases{
        {{"explore", leaking, "-q", "--out", path("out")}, "out/leak-", "verdict: violated: P2"},
        {{"fuzz", leaking, "-q", "--out", path("out")}, "out/leak-", "verdict: violated: P2"},
        {{"measure", alone, "-q", "--csv", path("a.csv")}, "a.csv", "verdict: measured"},
        {{"measure", alone, "-q", "--svg", path("a.svg")}, "a.svg", "verdict: measured"},
        {{"measure", alone, "-q", "--prism", path("out")}, "out/chain.", "verdict: measured"},
        {{"measure", alone, "-q", "--bounds", "--out", path("out")}, "out/", "verdict: "},
        {{"replay", alone, "--schedule", "lk1:1:s0", "--history", path("a.jsonl")},
         "a.jsonl",
         "verdict: passed"}};
    for (const Case& one : cases) {
        SCOPED_TRACE(one.arguments.front() + " " + one.arguments[3]);
        Started run = start(one.arguments, [] {
            const rlimit limit{10, 10};
            setrlimit(RLIMIT_FSIZE, &limit);
        });
        EXPECT_EQ(kExitInput, wait_for_end(run));
        EXPECT_TRUE(contains(run.shown, "lockkeeper: " + path(one.file))) << run.shown;
        EXPECT_TRUE(contains(run.shown, ": cannot be written: File too large\n")) << run.shown;
        EXPECT_TRUE(contains(run.shown, one.report)) << run.shown;
        EXPECT_FALSE(contains(run.shown, "written: /")) << run.shown;
        EXPECT_EQ((std::vector<std::string>{"alone.json", "out", "pair.json"}), names());
        EXPECT_TRUE(fs::is_empty(path("out")));
    }
}

TEST_F(CommandProcess, AStdoutThatMayNotGrowIsTold) {
    const std::string file = write_pair("pair.json");
    const std::string out = path("out.txt");
    Started run = start({"explore", file, "-q"}, [&] {
        static_cast<void>(freopen(out.c_str(), "w", stdout));
        const rlimit limit{100, 100};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(kExitInternal, wait_for_end(run));
    EXPECT_TRUE(contains(run.shown, "stdout: cannot be written: File too large")) << run.shown;
}
#endif

}  // namespace
}  // namespace lockkeeper
