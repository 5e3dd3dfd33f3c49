// SPDX-License-Identifier: Apache-2.0

// The messages between a process and its watcher, one packet each. Used by the two sides only.
#pragma once

#include <limits.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

namespace lockkeeper::watcher_detail {

enum class Ask : std::uint32_t { kStart, kSignal, kEnd, kMakeDirectory, kForgetDirectory };

// With kStart come descriptors, in the order of Passed. With the two others about directories comes
// a path, with its NUL.
struct Question {
    Ask what = Ask::kEnd;
    pid_t child = 0;          // kSignal, kEnd
    std::int32_t signal = 0;  // kSignal; kStart: the last one
    // kStart:
    std::uint32_t changes_user = 0;
    uid_t user = 0;
    gid_t group = 0;
    std::uint32_t arguments_count = 0;
    std::uint32_t variables_count = 0;
    std::uint64_t block_bytes = 0;
};

enum Passed : std::size_t { kStdin, kStdout, kStderr, kTold, kDirectory, kBlock, kPassedCount };
// kTold: the watcher writes the wait status (an int) there when the child has ended.
// kBlock: a file in memory. It begins with room for two lists of pointers, each ended by a null
// pointer (arguments, then the environment); the texts follow in the same order, each with its NUL.

struct Reply {
    std::int32_t error = 0;
    pid_t child = 0;          // kStart
    std::int32_t status = 0;  // kEnd
};

// A packet and its path. It has no constructors, because nobody initialises its memory.
template <class Head>
struct Packet {
    Head head;
    std::array<char, PATH_MAX> path;
};

}  // namespace lockkeeper::watcher_detail
