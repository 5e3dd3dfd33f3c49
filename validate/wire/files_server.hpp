// SPDX-License-Identifier: Apache-2.0

// The folder of --wire files, as a server that callers ask: each call of theirs on it is a request
// of one line ("mkdir db.lock"), the answer lets it happen, and then the caller's process does it
// itself (preload/files.h). Below is a real file system. Made by Wire; the proxy asks it.
//
// Between runs the folder is empty, or as "prepare" has left it. Its files' times are of the
// harness's clock; what a program does past the C library is noticed by files that nobody was seen
// to make.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validate/wire/footprint.hpp"
#include "validate/wire/held_server.hpp"
#include "validate/wire/shared_memory.hpp"

namespace lockkeeper::wire {

class FilesServer final : public HeldServer {
  public:
    // Makes the folder in the memory's directory, and tells the callers' processes of it. Throws
    // std::filesystem::filesystem_error.
    explicit FilesServer(SharedMemory& memory);
    ~FilesServer() override;

    [[nodiscard]] std::string socket_path() const override { return ""; }
    [[nodiscard]] std::uint16_t port() const override { return 0; }
    // "LOCKKEEPER_FILES=/tmp/.../files"; and Node.js, whose threads would take calls that it has
    // under way at once in whatever order they come to, has one for them.
    [[nodiscard]] std::vector<std::string> variables() const override;
    [[nodiscard]] int connect_upstream() override;
    void close_upstream(Connection& connection) override;
    void closed(const Connection& /*connection*/) override {}
    void asked(Connection& connection) override;
    // For a lock that is not free. Throws Misbehaved where nobody can know that.
    [[nodiscard]] bool waits(const Connection& connection) override;
    void reset() override;
    void keep() override;
    void add_script(const std::string& /*body*/) override {}
    // Names in the folder, with what is in the files.
    [[nodiscard]] std::vector<KeyState> keys() override;
    void restore(const std::vector<KeyState>& keys) override;
    void forget_scripts() override {}
    // Locks of the kernel are not shown.
    [[nodiscard]] bool shows_all() const override { return false; }
    [[nodiscard]] bool shows_ends() const override { return false; }

    // The names that this request reads and writes, as the folder is now.
    [[nodiscard]] KeyFootprint footprint(std::string_view line) const;

  private:
    struct Peer {
        int file = -1;     // the other end of the proxy's
        std::string lock;  // what it waits for: "PID FD flock ex"
    };
    void answer(Peer& peer);
    void register_all();

    SharedMemory& memory_;
    std::string folder_;
    std::map<int, Peer> peers_;  // by the proxy's end
    bool is_kept_ = false;
    std::map<std::string, lockkeeper_wire_file> kept_;  // by name: the times
    bool has_aliases_ = false;  // in this run a file had another name than it was opened by
};

// True: the lock that is described so ("PID FD flock ex", "PID FD range wr 0 0") could be taken.
// Throws Misbehaved.
[[nodiscard]] bool is_free(const std::string& lock);

}  // namespace lockkeeper::wire
