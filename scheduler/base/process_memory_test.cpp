// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/process_memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

// A file system with the control groups that a test says; removed with it.
class ControlGroups : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "lockkeeper-groups-XXXXXX").string();
        ASSERT_NE(nullptr, mkdtemp(pattern.data()));
        root_ = pattern;
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    [[nodiscard]] std::uint64_t limit() const { return control_group_bytes(root_); }

    fs::path root_;
};

TEST_F(ControlGroups, of_version_2_limit_the_process) {
    write("proc/self/cgroup", "0::/user/job\n");
    write("sys/fs/cgroup/user/job/memory.max", "2000000000\n");
    EXPECT_EQ(2'000'000'000U, limit());
}

TEST_F(ControlGroups, limit_also_what_lies_in_them) {
    write("proc/self/cgroup", "0::/user/job\n");
    write("sys/fs/cgroup/user/job/memory.max", "max\n");
    write("sys/fs/cgroup/user/memory.max", "500\n");
    write("sys/fs/cgroup/memory.max", "900\n");
    EXPECT_EQ(500U, limit());
}

// A container sees its own group as the root, whatever its name outside.
TEST_F(ControlGroups, of_a_container_are_found_at_the_root) {
    write("proc/self/cgroup", "0::/docker/0123\n");
    write("sys/fs/cgroup/memory.max", "700\n");
    EXPECT_EQ(700U, limit());
}

TEST_F(ControlGroups, of_version_1_limit_the_process) {
    write("proc/self/cgroup", "3:cpu,cpuacct:/a\n2:freezer,memory:/b\n1:name=systemd:/c\n");
    write("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "600\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n");
    EXPECT_EQ(600U, limit());
}

TEST_F(ControlGroups, that_are_not_there_limit_nothing) {
    EXPECT_EQ(UINT64_MAX, limit());
    write("proc/self/cgroup", "0::/\nnonsense\n:\n");
    EXPECT_EQ(UINT64_MAX, limit());
    write("sys/fs/cgroup/memory.max", "12 bananas\n99999999999999999999999\n");
    EXPECT_EQ(12U, limit());
    write("sys/fs/cgroup/memory.max", "99999999999999999999999\n");
    EXPECT_EQ(UINT64_MAX, limit());
}

TEST(MemoryDefault, is_at_most_three_quarters_of_the_machine) {
    const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    EXPECT_GT(memory_default(), 0U);
    EXPECT_LE(memory_default(), machine / 4 * 3);
}

TEST(ProcessLimit, counts_all_that_the_process_has) {
    const std::uint64_t before = resident_bytes();
    ASSERT_GT(before, 0U);
    const std::uint64_t limit = before + ProcessLimit::kLeast;
    EXPECT_FALSE(ProcessLimit(limit).is_exceeded());
    ProcessLimit has_room_for_one_step(before + 3 * ProcessLimit::kLeast);
    const std::vector<char> much(2 * ProcessLimit::kLeast, 'x');
    EXPECT_GE(resident_bytes(), before + ProcessLimit::kLeast);
    EXPECT_TRUE(ProcessLimit(limit).is_exceeded());
    EXPECT_TRUE(has_room_for_one_step.is_exceeded()) << "the next step would be as large";
    EXPECT_FALSE(ProcessLimit(UINT64_MAX).is_exceeded());
    EXPECT_FALSE(ProcessLimit(1).is_exceeded()) << "the program alone has more";
    EXPECT_EQ('x', much.back());
}

// Less than the program has itself: what it takes from then on counts.
TEST(ProcessLimit, FromNowOnASmallOneIsALimit) {
    ProcessLimit limit = ProcessLimit::from_now_on(std::uint64_t{8} << 20U);
    ProcessLimit none(std::uint64_t{8} << 20U);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(limit.is_exceeded());
    const std::vector<char> taken(std::size_t{64} << 20U, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(limit.is_exceeded()) << taken.size();
    EXPECT_FALSE(none.is_exceeded());
}

}  // namespace
}  // namespace lockkeeper
