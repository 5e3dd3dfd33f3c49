// SPDX-License-Identifier: Apache-2.0

// By a clock that goes on only when the test says so.
#include "scheduler/search/checkpoint_saver.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

class CheckpointSaving : public ::testing::Test {
  protected:
    [[nodiscard]] CheckpointSaver with_limit(double seconds_max) {
        return {options_, seconds_max, [this] { return now_; }};
    }
    // A write of `bytes` that takes `seconds`.
    void save(CheckpointSaver& saver, std::size_t bytes, double seconds, bool is_last = false) {
        saver.save(bytes, is_last, [&](const std::string& path) {
            EXPECT_EQ("kept", path);
            now_ += seconds;
            ++writes_;
        });
    }

    CheckpointOptions options_{"kept", 600, "", "", {}};
    double now_ = 0;
    int writes_ = 0;
};

TEST_F(CheckpointSaving, TakesAsLongAsGuessedBeforeTheFirstWrite) {
    const CheckpointSaver saver = with_limit(10);
    EXPECT_DOUBLE_EQ(1.5, saver.seconds_for(100 * kMegabyte));
    EXPECT_DOUBLE_EQ(0, saver.seconds_for(0));
}

TEST_F(CheckpointSaving, TakesAsLongAsTheSpeedOfTheLastWriteSays) {
    CheckpointSaver saver = with_limit(10);
    save(saver, 200 * kMegabyte, 0.5);  // 400 MB/s
    EXPECT_DOUBLE_EQ(1.5, saver.seconds_for(400 * kMegabyte));
    save(saver, 100 * kMegabyte, 2);  // the disk has become slow: 50 MB/s
    EXPECT_DOUBLE_EQ(12, saver.seconds_for(400 * kMegabyte));
}

TEST_F(CheckpointSaving, WithoutAFileTakesNothing) {
    options_.save_to = "";
    CheckpointSaver saver = with_limit(10);
    save(saver, 100 * kMegabyte, 5);
    now_ = 1e6;
    EXPECT_EQ(0, writes_);
    EXPECT_DOUBLE_EQ(0, saver.seconds_for(100 * kMegabyte));
    EXPECT_FALSE(saver.is_due(100 * kMegabyte));
}

// 1.5 s for 100 MB, of 10 s: a fiftieth is reached at 13.3 MB.
TEST_F(CheckpointSaving, IsTriedOnceItIsThoughtToTakeAFiftiethOfTheLimit) {
    CheckpointSaver saver = with_limit(10);
    EXPECT_FALSE(saver.is_due(13 * kMegabyte));
    EXPECT_TRUE(saver.is_due(14 * kMegabyte));
    save(saver, 14 * kMegabyte, 0.14);
    EXPECT_FALSE(saver.is_due(14 * kMegabyte)) << "its speed is known";
    EXPECT_FALSE(saver.is_due(14 * 8 * kMegabyte)) << "another try would cost too much";
}

// Small writes say little of large ones, and a fast disk can be asked again.
TEST_F(CheckpointSaving, IsTriedAgainWhenItHasGrownAndIsStillCheap) {
    CheckpointSaver saver = with_limit(10);
    save(saver, 14 * kMegabyte, 0.01);  // 1.4 GB/s
    EXPECT_FALSE(saver.is_due(14 * 7 * kMegabyte));
    EXPECT_FALSE(saver.is_due(14 * 8 * kMegabyte)) << "0.12 s do not matter";
    EXPECT_TRUE(saver.is_due(200 * kMegabyte)) << "0.21 s";
}

TEST_F(CheckpointSaving, IsNotTriedWithoutALimit) {
    const CheckpointSaver saver = with_limit(kNoTimeLimit);
    EXPECT_FALSE(saver.is_due(100'000 * kMegabyte));
}

TEST_F(CheckpointSaving, ThatHasFailedIsToldAndNotTriedAtEveryLook) {
    CheckpointSaver saver = with_limit(10);
    saver.save(14 * kMegabyte, false,
               [](const std::string&) { throw CheckpointError("kept: full"); });
    EXPECT_EQ("kept: full", saver.error());
    EXPECT_EQ("", saver.written());
    EXPECT_FALSE(saver.is_due(15 * kMegabyte));
    EXPECT_DOUBLE_EQ(1.5, saver.seconds_for(100 * kMegabyte));
    save(saver, 15 * kMegabyte, 0.1);
    EXPECT_EQ("", saver.error());
    EXPECT_EQ("kept", saver.written());
}

// Nobody is left to wonder why the command does not end.
TEST_F(CheckpointSaving, IsToldBeforeItIsTheLastOrTakesLong) {
    std::vector<std::string> told;
    options_.tell = [&](const std::string& text) { told.push_back(text); };
    CheckpointSaver saver = with_limit(kNoTimeLimit);
    save(saver, 90 * kMegabyte, 0.9);
    EXPECT_TRUE(told.empty());
    save(saver, 1'250 * kMegabyte, 12.5);
    ASSERT_EQ(1U, told.size());
    EXPECT_EQ("the checkpoint kept is being written (about 13 s)", told.front());
    save(saver, kMegabyte, 0.01, true);
    ASSERT_EQ(2U, told.size());
    EXPECT_EQ("the checkpoint kept is being written (about 1 s)", told.back());
}

// A limit holds within a tenth, however slow the disk has become.
TEST_F(CheckpointSaving, IsGivenUpWhereItWouldPassTheLimitByTooMuch) {
    std::vector<std::string> told;
    options_.tell = [&](const std::string& text) { told.push_back(text); };
    CheckpointSaver saver = with_limit(100);
    const auto write_until = [&](double instant) {
        saver.save(kMegabyte, false, [&](const std::string&) {
            now_ = instant;
            saver.look_at_clock();
        });
    };
    write_until(109);
    EXPECT_TRUE(saver.was_late());
    EXPECT_NE("", saver.error());
    write_until(107);
    EXPECT_FALSE(saver.was_late());
    EXPECT_EQ("", saver.error());
    EXPECT_TRUE(told.empty());
    write_until(109);
    EXPECT_TRUE(saver.was_late());
    EXPECT_EQ("kept", saver.written()) << "the one before it stays";
    EXPECT_EQ("", saver.error());
    EXPECT_EQ(1U, told.size());
}

TEST_F(CheckpointSaving, IsNeverLateWithoutALimit) {
    CheckpointSaver saver = with_limit(kNoTimeLimit);
    now_ = 1e9;
    EXPECT_NO_THROW(saver.look_at_clock());
}

// Two of the 3 s are none of the write.
TEST_F(CheckpointSaving, TellsTheSpeedFromWhereItBegins) {
    CheckpointSaver saver = with_limit(10);
    saver.save(100 * kMegabyte, false, [&](const std::string&) {
        now_ += 2;
        saver.begins_now();
        now_ += 1;
    });
    EXPECT_DOUBLE_EQ(1.5, saver.seconds_for(100 * kMegabyte));
}

TEST_F(CheckpointSaving, IsDueEveryNowAndThen) {
    options_.every = 60;
    CheckpointSaver saver = with_limit(kNoTimeLimit);
    now_ = 60;
    EXPECT_FALSE(saver.is_due(0));
    now_ = 61;
    EXPECT_TRUE(saver.is_due(0));
    save(saver, kMegabyte, 30);
    now_ += 60;  // from the end of the write on
    EXPECT_FALSE(saver.is_due(kMegabyte));
}

}  // namespace
}  // namespace lockkeeper
