// SPDX-License-Identifier: Apache-2.0

// A database server of one's own for the time of a test or a command: a data directory under the
// temporary directory, a socket in it, no network. Stopped and deleted with the object, and when
// this process ends, however it ends (validate/processes/watched_child.hpp).
//
// Started as root it runs as the server's own user (or nobody), because PostgreSQL refuses root.
// Called by `validate --server`, and by tests, which are skipped with the reason when it cannot
// start.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "validate/processes/kept_tree.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/servers/connection.hpp"

namespace lockkeeper::databases {

enum class Engine : std::uint8_t { kPostgresql, kMariadb };

[[nodiscard]] const char* name_of(Engine engine);
[[nodiscard]] std::optional<Engine> engine_of(std::string_view name);

// Why there is no server: one sentence.
struct NoServer {
    std::string reason;
};

// The path of a program, from PATH or from where Debian puts it; the newest of several. Empty: it
// is not installed.
[[nodiscard]] std::string find_program(const std::string& name);

// Variables and files for a server, beside its own.
struct ServerExtras {
    std::vector<std::string> variables;     // "NAME=value"
    std::vector<std::string> files;         // which its user has to open
    std::vector<std::string> options = {};  // of its command line
    // Called again and again while the server starts or ends: it may have been given a clock.
    std::function<void()> while_waiting = {};
};

class PrivateServer {
  public:
    // Waits until the server answers, at most `seconds_max`.
    [[nodiscard]] static std::variant<std::unique_ptr<PrivateServer>, NoServer> start(
        Engine engine, int seconds_max = 60, ServerExtras extras = {});
    PrivateServer(const PrivateServer&) = delete;
    PrivateServer& operator=(const PrivateServer&) = delete;
    ~PrivateServer();

    [[nodiscard]] Engine engine() const { return engine_; }
    // The server's own text: "PostgreSQL 15.18 ...", "10.11.19-MariaDB ...".
    [[nodiscard]] const std::string& version() const { return version_; }
    [[nodiscard]] pid_t pid() const { return process_ == nullptr ? -1 : process_->id(); }
    [[nodiscard]] const std::string& directory() const { return directory_->path(); }

    // A new session in `database` (empty: the one that is always there). DatabaseError.
    [[nodiscard]] std::unique_ptr<Connection> connect(const std::string& database = "") const;
    // The sessions among these of this server whose statement waits for a lock now.
    [[nodiscard]] std::vector<std::uint64_t> waiting(
        Connection& monitor, const std::vector<std::uint64_t>& sessions) const;
    // Ends a session and returns when it is gone with its locks.
    void kill(Connection& monitor, std::uint64_t session) const;
    // The server is killed without warning and started again. All sessions are lost.
    void crash_and_restart();
    // put_data_back does the same with all data as they were kept, the server's counters among
    // them. keep_data restarts it as well, in order.
    void keep_data();
    void put_data_back();

  private:
    PrivateServer(Engine engine, std::unique_ptr<WatchedDirectory> directory, int seconds_max,
                  ServerExtras extras)
        : engine_(engine),
          directory_(std::move(directory)),
          seconds_max_(seconds_max),
          extras_(std::move(extras)) {}

    void prepare();
    void launch();
    void wait_until_ready();
    void stop(int signal) noexcept;
    [[nodiscard]] std::string last_words() const;

    Engine engine_;
    std::unique_ptr<WatchedDirectory> directory_;
    int seconds_max_;
    ServerExtras extras_;
    std::unique_ptr<WatchedChild> process_;
    std::unique_ptr<KeptTree> kept_;
    std::string version_;
};

}  // namespace lockkeeper::databases
