// SPDX-License-Identifier: Apache-2.0

// Shared by the tests of searches that go on from disk. Nothing else includes it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper::testing_scheduler {

class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = std::filesystem::temp_directory_path() / "lockkeeper-disk-XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(path_); }

  private:
    std::filesystem::path path_;
};

// Keeps so few states in memory that every level is written several times.
[[nodiscard]] inline ExploreOptions on_disk(ExploreOptions options,
                                            const TemporaryDirectory& directory,
                                            std::uint64_t states_in_memory,
                                            std::size_t runs_of_rank = 2) {
    options.disk = {directory.path(), states_in_memory, runs_of_rank};
    return options;
}

// Compares everything except what needs the graph.
inline void expect_same_search(const ExploreResult& disk, const ExploreResult& memory) {
    EXPECT_EQ(name_of(disk.verdict), name_of(memory.verdict));
    EXPECT_EQ(disk.complete, memory.complete);
    EXPECT_EQ(disk.limit, memory.limit);
    EXPECT_EQ(disk.states, memory.states);
    EXPECT_EQ(disk.transitions, memory.transitions);
    EXPECT_EQ(disk.depth, memory.depth);
    EXPECT_EQ(disk.terminal_states, memory.terminal_states);
    EXPECT_EQ(disk.reached, memory.reached);
    ASSERT_EQ(disk.violations.size(), memory.violations.size());
    for (std::size_t i = 0; i < memory.violations.size(); ++i) {
        EXPECT_EQ(disk.violations[i].property, memory.violations[i].property);
        EXPECT_EQ(disk.violations[i].schedule, memory.violations[i].schedule);
        EXPECT_EQ(disk.violations[i].cause, memory.violations[i].cause);
    }
    ASSERT_EQ(is<Stuck>(disk.verdict), is<Stuck>(memory.verdict));
    if (const auto* stuck = std::get_if<Stuck>(&memory.verdict)) {
        EXPECT_EQ(std::get<Stuck>(disk.verdict).schedule, stuck->schedule);
    }
}

}  // namespace lockkeeper::testing_scheduler
