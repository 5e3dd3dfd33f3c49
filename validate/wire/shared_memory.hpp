// SPDX-License-Identifier: Apache-2.0

// The memory that the harness shares with the processes it holds (preload/shared.h), and the
// command that starts a process so that it is held.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validate/wire/preload/shared.h"

namespace lockkeeper::wire {

// The library that is preloaded, as a part of this executable.
[[nodiscard]] std::string preloaded_library();
// And the script that processes of Node.js load first.
[[nodiscard]] std::string preloaded_script();

inline constexpr std::int64_t kBeginning = LOCKKEEPER_WIRE_BEGINNING;

// A thread of a process that waits with a time limit, or a timer of it.
struct Sleeper {
    std::size_t slot = 0;
    std::int64_t until = 0;  // nanoseconds of the harness's clock
    bool is_loop = false;    // it may wait again without having done anything
    std::size_t thread = 0;  // so many threads of its process that have waited are older
};

class SharedMemory {
  public:
    // Writes the memory and the library into this directory. Throws std::system_error.
    explicit SharedMemory(const std::string& directory);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] lockkeeper_wire_memory& operator*() const { return *memory_; }
    [[nodiscard]] lockkeeper_wire_memory* operator->() const { return memory_; }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    // The library's path inside of the directory.
    [[nodiscard]] static const char* library_name() { return "/wire.so"; }

    [[nodiscard]] std::int64_t now() const;
    void set_now(std::int64_t now);
    // The time of this slot has come: its thread or process is told so, and has begun to run again
    // when this returns.
    void fire(std::size_t slot);
    // From now on the caller's random numbers are those of this incarnation of it.
    void begin_random(std::size_t caller, std::uint64_t incarnation);

    // The files that a held process opens. If it runs as another user, that user must own them.
    [[nodiscard]] std::vector<std::string> files() const;
    // Waits and timers of this caller, or of this process of a server, by the time at which they
    // end.
    [[nodiscard]] std::vector<Sleeper> sleepers_of(std::size_t caller,
                                                   std::optional<pid_t> process = {}) const;
    // Where the first thread of a process of this caller's sleeps for nothing but the time: until
    // when; the first of them.
    [[nodiscard]] std::optional<std::int64_t> sleep_of_first_thread(std::size_t caller) const;
    // The path of the script for Node.js.
    [[nodiscard]] std::string script_path() const { return directory_ + "/node.cjs"; }
    // The variables of a held process: "NAME=value".
    [[nodiscard]] std::vector<std::string> variables(unsigned caller) const;

  private:
    [[nodiscard]] std::string node_variable(unsigned caller) const;

    std::string directory_;
    lockkeeper_wire_memory* memory_ = nullptr;
    std::uint64_t epochs_ = 0;
};

}  // namespace lockkeeper::wire
