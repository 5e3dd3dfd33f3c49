// SPDX-License-Identifier: Apache-2.0

// A search on disk that was ended goes on as if it had never been; on a full disk nothing is lost;
// files that are not what they should be are refused, and never change an answer.
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "scheduler/base/checkpoint.hpp"
#include "scheduler/disk/disk_directory.hpp"
#include "scheduler/disk/disk_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint64_t kInMemory = 600;

class DiskResume : public ::testing::Test {
  protected:
    [[nodiscard]] std::string kept() const {
        return DiskDirectory::checkpoint_in(directory_.path());
    }
    [[nodiscard]] static CanalScope scope() { return once_each({1, 2, 2}, 1, 2); }
    [[nodiscard]] ExploreOptions asking() const {
        ExploreOptions options;
        options.check = properties_for(scope().world);
        std::erase_if(options.check, [](const Property* property) {
            return property->kind == PropertyKind::kEventually;
        });
        options.reach = goals();
        options.symmetry = false;
        options.counting = Counting::kOff;
        options.checkpoint.identity = "this";
        return options;
    }
    [[nodiscard]] ExploreOptions onward(const ExploreOptions& options) const {
        ExploreOptions result = on_disk(options, directory_, kInMemory);
        result.checkpoint.resume_from = kept();
        return result;
    }
    // After so many states.
    ExploreResult interrupt(ExploreOptions options, std::uint64_t states) const {
        options.progress = [=](const ExploreProgress& progress) {
            if (progress.states >= states) {
                request_interrupt();
            }
        };
        ExploreResult result = system_->explore(options);
        clear_interrupt();
        return result;
    }
    [[nodiscard]] std::string refusal(const ExploreOptions& options) const {
        try {
            return system_->explore(options).limit + " accepted";
        } catch (const CheckpointError& error) {
            return error.what();
        }
    }
    [[nodiscard]] std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        for (const auto& entry : fs::directory_iterator(directory_.path())) {
            all.push_back(entry.path());
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    TemporaryDirectory directory_;
    std::unique_ptr<Runner> system_ = runner(scope());
};

TEST_F(DiskResume, GoingOnTellsWhatASearchInOneGoTells) {
    const ExploreResult whole = system_->explore(asking());
    ASSERT_GT(whole.states, 8'000U);
    for (const std::uint64_t states : {1U, 200U, 2'000U, 8'000U}) {
        const ExploreResult first = interrupt(on_disk(asking(), directory_, kInMemory), states);
        ASSERT_EQ(first.limit, "interrupted");
        EXPECT_EQ(first.checkpoint_written, kept());
        EXPECT_EQ(first.checkpoint_error, "");
        ExploreOptions options = onward(asking());
        options.jobs = 2;
        expect_same_search(system_->explore(options), whole);
        EXPECT_TRUE(directory_.is_empty());
    }
}

TEST_F(DiskResume, ASearchMayBeInterruptedManyTimes) {
    const ExploreResult whole = system_->explore(asking());
    interrupt(on_disk(asking(), directory_, kInMemory), 100);
    for (std::uint64_t states = 500; states < whole.states; states += whole.states / 6) {
        const ExploreResult part = interrupt(onward(asking()), states);
        ASSERT_EQ(part.limit, "interrupted");
        ASSERT_GE(part.states, states);
    }
    expect_same_search(system_->explore(onward(asking())), whole);
}

TEST_F(DiskResume, TheDepthLimitMayBeRaised) {
    const ExploreResult whole = system_->explore(asking());
    ExploreOptions options = on_disk(asking(), directory_, kInMemory);
    options.depth_max = 12;
    ASSERT_EQ(system_->explore(options).limit, "depth");
    expect_same_search(system_->explore(onward(asking())), whole);
}

// A search in memory may go on from disk, and not the other way round.
TEST_F(DiskResume, GoesOnFromACheckpointOfASearchInMemory) {
    const ExploreResult whole = system_->explore(asking());
    const TemporaryDirectory elsewhere;
    ExploreOptions options = asking();
    options.checkpoint.save_to = elsewhere.path() / "kept";
    ASSERT_EQ(interrupt(options, 2'000).limit, "interrupted");
    ExploreOptions on = on_disk(asking(), directory_, kInMemory);
    on.checkpoint.resume_from = options.checkpoint.save_to;
    expect_same_search(system_->explore(on), whole);
    EXPECT_TRUE(directory_.is_empty());
}

TEST_F(DiskResume, ASearchOnDiskIsRefusedWithoutItsDirectory) {
    interrupt(on_disk(asking(), directory_, kInMemory), 2'000);
    ExploreOptions options = asking();
    options.checkpoint.resume_from = kept();
    EXPECT_THAT(refusal(options), HasSubstr("is of a search on disk"));
    const TemporaryDirectory other;
    EXPECT_THAT(refusal([&] {
                    ExploreOptions wrong = onward(asking());
                    wrong.disk.directory = other.path();
                    return wrong;
                }()),
                HasSubstr("goes on with --disk and its directory"));
    EXPECT_EQ(refusal(onward(asking())), " accepted");
}

TEST_F(DiskResume, AKeptSearchIsNeitherOverwrittenNorMistakenForAnother) {
    interrupt(on_disk(asking(), directory_, kInMemory), 2'000);
    const auto before = files();
    EXPECT_THAT(refusal(on_disk(asking(), directory_, kInMemory)),
                HasSubstr("a search is kept here"));
    ExploreOptions other = onward(asking());
    other.checkpoint.identity = "other";
    EXPECT_THAT(refusal(other), HasSubstr("of another scenario"));
    EXPECT_EQ(files(), before);
    EXPECT_EQ(refusal(onward(asking())), " accepted");
}

TEST_F(DiskResume, OneDirectoryIsForOneSearchAtATime) {
    const DiskDirectory taken(directory_.path(), "");
    EXPECT_THAT(refusal(on_disk(asking(), directory_, kInMemory)),
                HasSubstr("another search is using the directory"));
}

TEST_F(DiskResume, WhatAKilledSearchLeftGoes) {
    std::ofstream(directory_.path() / "lockkeeper-states-run-7") << "left";
    std::ofstream(directory_.path() / "mine") << "kept";
    EXPECT_TRUE(system_->explore(on_disk(asking(), directory_, kInMemory)).complete);
    EXPECT_EQ(files(), std::vector<fs::path>{directory_.path() / "mine"});
}

// Each file, at many places: a flipped bit is noticed on the way, or is where nobody looks.
TEST_F(DiskResume, DamagedFilesAreNeverAWrongAnswer) {
    const ExploreResult whole = system_->explore(asking());
    const TemporaryDirectory good;
    interrupt(on_disk(asking(), directory_, kInMemory), 3'000);
    fs::copy(directory_.path(), good.path(), fs::copy_options::overwrite_existing);
    std::size_t refused = 0;
    for (const fs::path& file : files()) {
        const auto size = fs::file_size(file);
        const auto stride = std::max<std::uintmax_t>(1, size / (kIsSlowBuild ? 3 : 12));
        for (std::uintmax_t at = stride / 2; at < size; at += stride) {
            for (const bool cuts : {false, true}) {
                fs::copy(good.path(), directory_.path(), fs::copy_options::overwrite_existing);
                if (cuts) {
                    fs::resize_file(file, at);
                } else {
                    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
                    damaged.seekg(static_cast<std::streamoff>(at));
                    const int byte = damaged.get();
                    damaged.seekp(static_cast<std::streamoff>(at));
                    damaged.put(static_cast<char>(byte ^ 0x10));
                }
                try {
                    expect_same_search(system_->explore(onward(asking())), whole);
                } catch (const CheckpointError& error) {
                    ++refused;
                    EXPECT_THAT(error.what(), AnyOf(HasSubstr("damaged"), HasSubstr("truncated"),
                                                    HasSubstr("of another")));
                }
            }
        }
    }
    EXPECT_GT(refused, 10U);
}

// A file of another search of the same scenario, as large, in its place.
TEST_F(DiskResume, FilesOfAnotherSearchAreNoticed) {
    const TemporaryDirectory other;
    interrupt(on_disk(asking(), directory_, kInMemory), 3'000);
    interrupt(on_disk(asking(), other, kInMemory), 3'000);
    for (const fs::path& file : files()) {
        if (file.filename() != "checkpoint") {
            fs::copy(other.path() / file.filename(), file, fs::copy_options::overwrite_existing);
            break;
        }
    }
    EXPECT_THAT(refusal(onward(asking())), HasSubstr("damaged"));
}

// No file may be larger than some blocks: as on a full disk, writing fails.
class LimitOfFiles {
  public:
    explicit LimitOfFiles(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    LimitOfFiles(const LimitOfFiles&) = delete;
    LimitOfFiles& operator=(const LimitOfFiles&) = delete;
    ~LimitOfFiles() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }

  private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

TEST_F(DiskResume, OnAFullDiskWhatWasWrittenCanBeGoneOnWith) {
    ExploreOptions options = asking();
    options.check.clear();
    const ExploreResult whole = system_->explore(options);
    // Not even the first is written; there is no room for the reserve; the log becomes too large.
    std::vector<std::uint64_t> states;
    for (const rlim_t blocks : {1U, 300U, 600U}) {
        ExploreResult full;
        {
            const LimitOfFiles limit(blocks * 4096);
            full = system_->explore(on_disk(options, directory_, kInMemory));
        }
        states.push_back(full.states);
        ASSERT_FALSE(full.complete) << blocks;
        EXPECT_THAT(full.limit, HasSubstr("disk: "));
        EXPECT_TRUE(is<Inconclusive>(full.verdict));
        if (full.checkpoint_written.empty()) {
            EXPECT_TRUE(directory_.is_empty());
            continue;
        }
        expect_same_search(system_->explore(onward(options)), whole);
        EXPECT_TRUE(directory_.is_empty());
    }
    EXPECT_LT(states[1], states[2]);
}

}  // namespace
}  // namespace lockkeeper
