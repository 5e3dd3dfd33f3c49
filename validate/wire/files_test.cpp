// SPDX-License-Identifier: Apache-2.0

// Locks on files: the examples and their scenarios, what the clocks of callers and of the file
// system do to what is stale, and what is refused.
#include <filesystem>
#include <fstream>
#include <utility>

#include "validate/wire/files_server.hpp"
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

#define SKIP_FILES_WITHOUT_PYTHON()                   \
    if (databases::find_program("python3").empty()) { \
        GTEST_SKIP() << "python3 is not installed";   \
    }

std::string file_lock(const std::string& kind) {
    return "/usr/bin/python3 " + kExamples + "files/locks.py " + kind;
}

// A verdict, or the property that is violated.
std::string judged_on_files(const std::string& client, const std::string& scenario) {
    const OutsideResult result = searched_on(ServerKind::kFiles, client, "files/" + scenario);
    if (!result.finding) {
        return !result.diverged.empty() ? result.diverged
               : result.complete        ? "passed"
                                        : "inconclusive: " + result.limit;
    }
    return result.finding->property == nullptr ? result.finding->detail
                                               : std::string(result.finding->property->name);
}

std::string outcome_on_files(const std::string& kind, const std::string& scenario) {
    return judged_on_files(file_lock(kind), scenario);
}

TEST(Files, SoundLocksOfTwoCallersPassCompletely) {
    SKIP_FILES_WITHOUT_PYTHON();
    for (const char* kind : everyday(2, {"excl", "flock_waits", "mkdir", "fcntl_waits"})) {
        EXPECT_EQ("passed", outcome_on_files(kind, "two_callers")) << kind;
    }
}

TEST(Files, WhoLooksAndThenCreatesSharesTheLock) {
    SKIP_FILES_WITHOUT_PYTHON();
    EXPECT_EQ("over-allocation", outcome_on_files("check", "two_callers"));
}

TEST(Files, AnUnlinkedFileIsLockedByWhoWaitsForIt) {
    SKIP_FILES_WITHOUT_PYTHON();
    EXPECT_EQ("over-allocation", outcome_on_files("flock_unlink", "again"));
}

TEST(Files, ALockOfTheKernelEndsWithItsHolderAndAFileDoesNot) {
    SKIP_FILES_WITHOUT_PYTHON();
    EXPECT_EQ("passed", outcome_on_files("flock", "killed"));
    EXPECT_EQ("leak", outcome_on_files("excl", "killed"));
}

// A kept process would remove, in the look at the end, the file that it made in the run before.
TEST(Files, NoProcessGoesOnFromOneRunToTheNext) {
    SKIP_FILES_WITHOUT_PYTHON();
    EXPECT_EQ("leak", outcome_on_files("excl_del", "killed"));
}

TEST(Files, AStaleLockIsRemovedTwice) {
    SKIP_FILES_WITHOUT_PYTHON();
    EXPECT_EQ("over-allocation", outcome_on_files("stale left", "two_callers"));
    EXPECT_EQ("passed", outcome_on_files("stale", "two_callers"));
}

TEST(Files, ThreeLocksAreThreeFiles) {
    SKIP_FILES_WITHOUT_PYTHON();
    if (!testing_model::is_short_run()) {
        EXPECT_EQ("passed", outcome_on_files("excl", "three_places"));
    }
    EXPECT_EQ("over-allocation", outcome_on_files("check", "three_places"));
}

// The server alone.
struct HeldFolder {
    HeldFolder()
        : directory("/tmp/lockkeeper-files-test-"), memory(directory.path()), files(memory) {}
    WatchedDirectory directory;
    SharedMemory memory;
    FilesServer files;
};

TEST(Files, NamesThatNobodyElseUsesCommute) {
    HeldFolder folder;
    const auto of = [&](const char* line) { return folder.files.footprint(line); };
    EXPECT_FALSE(of("mkdir db.lock").everything);
    EXPECT_EQ("db.lock", of("mkdir db.lock").keys.front().key);
    EXPECT_TRUE(of("mkdir db.lock").keys.front().writes);
    EXPECT_FALSE(of("stat db.lock").keys.front().writes);
    EXPECT_TRUE(of("open db.lock w creat excl").keys.front().writes);
    EXPECT_TRUE(of("open db.lock w trunc").keys.front().writes);
    EXPECT_FALSE(of("open db.lock r").keys.front().writes);
    EXPECT_TRUE(of("unlink a/b").keys.at(1).writes);
    EXPECT_TRUE(of("rename a b").everything);
    EXPECT_TRUE(of("stat .").everything);
    EXPECT_TRUE(of("something db.lock").keys.front().writes);
}

TEST(Files, AFileThatNobodyWasSeenToMakeIsToldAndNotJudged) {
    HeldFolder folder;
    EXPECT_TRUE(folder.files.keys().empty());
    std::ofstream(folder.files.variables().front().substr(std::string("LOCKKEEPER_FILES=").size()) +
                  "/secret");
    EXPECT_THROW(static_cast<void>(folder.files.keys()), Misbehaved);
    folder.files.reset();
    EXPECT_TRUE(folder.files.keys().empty());
}

TEST(Files, WhatIsNoLockIsRefused) {
    EXPECT_THROW(static_cast<void>(is_free("1 2 semaphore ex")), Misbehaved);
    EXPECT_THROW(static_cast<void>(is_free("")), Misbehaved);
    EXPECT_THROW(static_cast<void>(is_free("0 999 flock ex")), Misbehaved);
}

}  // namespace
}  // namespace lockkeeper::wire
