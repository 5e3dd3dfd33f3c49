// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/shared_memory.hpp"

#include <sys/types.h>

#include <gtest/gtest.h>

#include "validate/processes/watched_child.hpp"

namespace lockkeeper::wire {
namespace {

struct Memory {
    Memory() : directory("/tmp/lockkeeper-memory-test-"), memory(directory.path()) {}

    // A loop of a thread of process 32,766 that waits until the end of this many nanoseconds.
    void add_loop(pid_t thread, std::int64_t nanoseconds) {
        lockkeeper_wire_slot& slot = memory->slots[memory->slots_end++];
        slot.used = 1;
        slot.waits = 1;
        slot.is_loop = 1;
        slot.pid = 32'766;
        slot.tid = thread;
        slot.until = kBeginning + nanoseconds;
    }

    WatchedDirectory directory;
    SharedMemory memory;
};

TEST(SharedMemory, AThreadIsKnownByItsAgeAlsoWhereTheNumbersOfThreadsBeginAnew) {
    Memory own;
    own.add_loop(301, 1);
    own.add_loop(32'766, 2);
    own.add_loop(32'767, 3);
    const auto sleepers = own.memory.sleepers_of(0);
    ASSERT_EQ(3U, sleepers.size());
    EXPECT_EQ(2U, sleepers[0].thread);
    EXPECT_EQ(0U, sleepers[1].thread);
    EXPECT_EQ(1U, sleepers[2].thread);
}

TEST(SharedMemory, AtOneInstantTheOldestThreadIsFirst) {
    Memory own;
    own.add_loop(301, 1);
    own.add_loop(32'767, 1);
    own.add_loop(32'766, 1);
    const auto sleepers = own.memory.sleepers_of(0);
    ASSERT_EQ(3U, sleepers.size());
    EXPECT_EQ(0U, sleepers[0].thread);
    EXPECT_EQ(1U, sleepers[1].thread);
    EXPECT_EQ(2U, sleepers[2].thread);
}

}  // namespace
}  // namespace lockkeeper::wire
