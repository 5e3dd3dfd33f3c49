// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/output_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>

#include <gmock/gmock.h>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class OutputFile : public ::testing::Test {
  public:
    OutputFile() {
        std::string pattern = (fs::temp_directory_path() / "lockkeeper_output_XXXXXX").string();
        LOCKKEEPER_CHECK(mkdtemp(pattern.data()) != nullptr);
        directory_ = pattern;
    }
    ~OutputFile() override { fs::remove_all(directory_); }

  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }
    void put(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    [[nodiscard]] std::string content(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(directory_)) {
            found.push_back(entry.path().filename());
        }
        std::sort(found.begin(), found.end());
        return found;
    }
    [[nodiscard]] static OutputRule rule(bool force = false) {
        OutputRule rule;
        rule.mark = "mark";
        rule.force = force;
        return rule;
    }
    // The reason for which a claim is refused; empty: it is not.
    [[nodiscard]] static std::string refusal(const std::string& file, const OutputRule& rule) {
        try {
            const OutputClaim claim(file, rule);
        } catch (const OutputError& error) {
            return error.what();
        }
        return "";
    }

  private:
    fs::path directory_;
};

TEST_F(OutputFile, IsMadeWhereNothingWas) {
    OutputClaim(path("a"), rule()).write("mark and more");
    EXPECT_EQ(content("a"), "mark and more");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, ReplacesWhatHasTheMarkAndKeepsItsRights) {
    put("a", "mark of an earlier run");
    ASSERT_EQ(0, ::chmod(path("a").c_str(), 0640));
    OutputClaim(path("a"), rule()).write("mark");
    EXPECT_EQ(content("a"), "mark");
    EXPECT_EQ(fs::status(path("a")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(OutputFile, ReplacesAnEmptyFile) {
    put("a", "");
    OutputClaim(path("a"), rule()).write("mark");
    EXPECT_EQ(content("a"), "mark");
}

TEST_F(OutputFile, OfSomebodyElseIsReplacedByForceOnly) {
    put("a", "my thesis");
    EXPECT_THAT(refusal(path("a"), rule()), EndsWith("(--force replaces it)"));
    EXPECT_EQ(content("a"), "my thesis");
    OutputClaim(path("a"), rule(true)).write("mark");
    EXPECT_EQ(content("a"), "mark");
}

TEST_F(OutputFile, IsNeverALinkADirectoryADeviceOrAPipe) {
    put("target", "mark");
    fs::create_symlink(path("target"), path("link"));
    fs::create_symlink(path("nowhere"), path("dangling"));
    fs::create_directory(path("directory"));
    ASSERT_EQ(0, mkfifo(path("pipe").c_str(), 0600));
    for (const bool force : {false, true}) {
        EXPECT_THAT(refusal(path("link"), rule(force)), HasSubstr("it is a link"));
        EXPECT_THAT(refusal(path("dangling"), rule(force)), HasSubstr("it is a link"));
        EXPECT_THAT(refusal(path("directory"), rule(force)), HasSubstr("it is a directory"));
        EXPECT_THAT(refusal(path("directory/"), rule(force)), HasSubstr("it is a directory"));
        EXPECT_THAT(refusal(path("pipe"), rule(force)), HasSubstr("it is no regular file"));
        EXPECT_THAT(refusal("/dev/null", rule(force)), HasSubstr("it is a device"));
    }
    EXPECT_EQ(content("target"), "mark");
    EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(OutputFile, IsNeverAnInput) {
    put("a", "mark");
    OutputRule own = rule(true);
    own.inputs = {path("missing"), path("./a")};
    EXPECT_THAT(refusal(path("a"), own), HasSubstr("this run reads it"));
    fs::create_hard_link(path("a"), path("b"));
    EXPECT_THAT(refusal(path("b"), own), HasSubstr("this run reads it"));
}

TEST_F(OutputFile, IsClaimedOnce) {
    const OutputClaim claim(path("a"), rule());
    EXPECT_THAT(refusal(path("./a"), rule()), HasSubstr("this run writes something else there"));
    EXPECT_EQ(refusal(path("b"), rule()), "");
}

TEST_F(OutputFile, NeedsADirectory) {
    EXPECT_EQ(refusal(path("no/a"), rule()),
              path("no/a") + ": cannot be written: No such file or directory");
}

TEST_F(OutputFile, ThatHasComeSinceTheClaimIsNotReplaced) {
    OutputClaim claim(path("a"), rule());
    put("a", "somebody else's");
    EXPECT_THROW(claim.write("mark"), OutputError);
    EXPECT_EQ(content("a"), "somebody else's");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, ThatHasBecomeALinkSinceTheClaimIsNotFollowed) {
    put("target", "mark of the target");
    OutputClaim claim(path("a"), rule());
    fs::create_symlink(path("target"), path("a"));
    EXPECT_THROW(claim.write("mark"), OutputError);
    EXPECT_EQ(content("target"), "mark of the target");
    EXPECT_THAT(names(), ElementsAre("a", "target"));
}

TEST_F(OutputFile, IsAsBeforeWhenWritingFails) {
    put("a", "mark 1");
    OutputClaim claim(path("a"), rule());
    EXPECT_THROW(claim.write([](std::ostream&) { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_EQ(content("a"), "mark 1");
    EXPECT_THAT(names(), ElementsAre("a"));
}

// A disk that is full and a file that may not grow are told alike: the write fails.
TEST_F(OutputFile, ThatMayNotGrowIsToldAndLeavesNothing) {
    put("a", "mark 1");
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        try {
            OutputClaim(path("a"), rule()).write(std::string(100'000, 'x'));
        } catch (const OutputError& error) {
            _exit(std::string(error.what()).ends_with("File too large") ? 7 : 8);
        }
        _exit(9);
    }
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(7, WEXITSTATUS(status));
    EXPECT_EQ(content("a"), "mark 1");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, OnAFullDiskIsToldAndStaysAsBefore) {
    put("a", "mark 1");
    for (const std::size_t size : {std::size_t{1}, std::size_t{100'000}}) {
        const UnfinishedFile full{::open("/dev/full", O_WRONLY | O_CLOEXEC), ""};
        ASSERT_GE(full.descriptor, 0);
        try {
            write_file(full, path("a"), rule(),
                       [&](std::ostream& out) { out << std::string(size, 'x'); });
            ADD_FAILURE() << "it was written";
        } catch (const OutputError& error) {
            EXPECT_EQ(path("a") + ": cannot be written: No space left on device", error.what());
        }
    }
    EXPECT_EQ(content("a"), "mark 1");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, WithAnUnpredictableNameFromTheBeginningIsWrittenTheSame) {
    UnfinishedFile file = begin_file(path("a"), Naming::kAtOnce);
    ASSERT_EQ(1U, names().size());
    EXPECT_THAT(file.name, HasSubstr("/.lockkeeper-"));
    ASSERT_EQ(4, ::write(file.descriptor, "mark", 4));
    publish_file(file, path("a"), rule());
    discard_file(file);
    EXPECT_EQ(content("a"), "mark");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFile, OfTwoNamesNoneIsTheSame) {
    UnfinishedFile one = begin_file(path("a"), Naming::kAtOnce);
    UnfinishedFile other = begin_file(path("a"), Naming::kAtOnce);
    EXPECT_NE(one.name, other.name);
    discard_file(one);
    discard_file(other);
    EXPECT_TRUE(names().empty());
}

TEST_F(OutputFile, UnfinishedVanishesWithoutDestructors) {
    UnfinishedFile file = begin_file(path("a"), Naming::kAtOnce);
    remove_unfinished_files();
    EXPECT_TRUE(names().empty());
    discard_file(file);
}

TEST_F(OutputFile, OfAnotherProcessIsRefusedUntilThatProcessHasEnded) {
    OutputRule own = rule();
    own.excludes_others = true;
    std::array<int, 2> claimed{};
    std::array<int, 2> go_on{};
    ASSERT_EQ(0, pipe(claimed.data()));
    ASSERT_EQ(0, pipe(go_on.data()));
    const pid_t child = fork();
    if (child == 0) {
        ::close(go_on[1]);
        const OutputClaim claim(path("a"), own);
        static_cast<void>(::write(claimed[1], "!", 1) == 1);
        char nothing = 0;
        static_cast<void>(::read(go_on[0], &nothing, 1) == 0);
        _exit(0);  // without destructors, as by SIGKILL
    }
    char told = 0;
    ASSERT_EQ(1, ::read(claimed[0], &told, 1));
    EXPECT_THAT(refusal(path("a"), own), HasSubstr("another run of Lockkeeper is writing it"));
    ::close(go_on[1]);
    ASSERT_EQ(child, waitpid(child, nullptr, 0));
    EXPECT_EQ(refusal(path("a"), own), "");
    EXPECT_TRUE(names().empty()) << "the lock is gone";
    for (const int end : {claimed[0], claimed[1], go_on[0]}) {
        ::close(end);
    }
}

TEST_F(OutputFile, IsNotLockedWithAFileOfSomebodyElse) {
    OutputRule own = rule();
    own.excludes_others = true;
    put(".a.lockkeeper-lock", "diary");
    EXPECT_THAT(refusal(path("a"), own), HasSubstr("is in the way"));
    EXPECT_EQ(content(".a.lockkeeper-lock"), "diary");
}

}  // namespace
}  // namespace lockkeeper
