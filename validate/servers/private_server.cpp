// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/private_server.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "scheduler/search/explore.hpp"

namespace lockkeeper::databases {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A socket's address has room for 107 bytes; PostgreSQL adds "/.s.PGSQL.5432".
constexpr std::size_t kDirectoryMax = 80;
constexpr auto kBetweenLooks = std::chrono::milliseconds(5);

using User = WatchedChild::User;

// Whom the server runs as. PostgreSQL refuses root.
User user_for(Engine engine) {
    if (geteuid() != 0) {
        return {geteuid(), getegid()};
    }
    for (const char* name : {engine == Engine::kPostgresql ? "postgres" : "mysql", "nobody"}) {
        if (const passwd* entry = getpwnam(name)) {
            return {entry->pw_uid, entry->pw_gid};
        }
    }
    throw DatabaseError("no other user than root to run a server as");
}

std::string installed(const std::string& name) {
    std::string program = find_program(name);
    return program.empty() ? throw DatabaseError(name + " is not installed") : program;
}

// Runs the command as `user`, with its output in `log`.
std::unique_ptr<WatchedChild> spawn(std::vector<std::string> command, const User& user,
                                    const std::string& directory, int last_signal) {
    const std::string log = directory + "/log";
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const bool changes_user = geteuid() == 0 && user.user != 0;
    std::unique_ptr<WatchedChild> child;
    std::string problem = null < 0 || out < 0 ? log + ": " + std::strerror(errno) : "";
    if (problem.empty()) {
        try {
            child = std::make_unique<WatchedChild>(
                WatchedChild::Order{std::move(command),
                                    {null, out, out},
                                    directory,
                                    changes_user ? std::optional(user) : std::nullopt,
                                    last_signal});
        } catch (const std::system_error& error) {
            problem = error.what();
        }
    }
    close(null);
    close(out);
    if (!problem.empty()) {
        throw DatabaseError(problem);
    }
    return child;
}

constexpr const char* kInterrupted = "interrupted while it was being started";

// The exit status, or nothing when it goes on after `end`, or after an interrupt.
std::optional<int> wait_for(WatchedChild& child, Clock::time_point end,
                            bool until_interrupt = false,
                            const std::function<void()>& while_waiting = {}) {
    for (;;) {
        if (while_waiting) {
            while_waiting();
        }
        const std::optional<int> status = child.status();
        if (status || Clock::now() >= end || (until_interrupt && interrupt_requested())) {
            return status;
        }
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

// SIGQUIT is PostgreSQL's way to end at once, with its children and without a checkpoint.
int last_signal_of(Engine engine) { return engine == Engine::kPostgresql ? SIGQUIT : SIGKILL; }

std::unique_ptr<WatchedDirectory> make_directory() {
    const char* chosen = std::getenv("TMPDIR");
    std::string base = chosen == nullptr ? "/tmp" : chosen;
    const std::string name = "/lockkeeper-";
    constexpr std::size_t kRandomEnd = 6;
    if (base.empty() || base.size() + name.size() + kRandomEnd > kDirectoryMax) {
        base = "/tmp";
    }
    try {
        return std::make_unique<WatchedDirectory>(base + name);
    } catch (const std::system_error& error) {
        throw DatabaseError(std::string("no directory: ") + error.what());
    }
}

}  // namespace

std::string find_program(const std::string& name) {
    std::vector<fs::path> places;
    std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        places.emplace_back(path.substr(at, end - at));
        at = end + 1;
    }
    places.emplace_back("/usr/sbin");
    places.emplace_back("/usr/local/sbin");
    std::error_code ignored;
    std::vector<std::pair<int, fs::path>> versions;
    for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
        versions.emplace_back(std::atoi(entry.path().filename().c_str()), entry.path() / "bin");
    }
    std::sort(versions.rbegin(), versions.rend());
    for (const auto& version : versions) {
        places.push_back(version.second);
    }
    for (const fs::path& place : places) {
        if (access((place / name).c_str(), X_OK) == 0) {
            return place / name;
        }
    }
    return "";
}

const char* name_of(Engine engine) {
    return engine == Engine::kPostgresql ? "postgresql" : "mariadb";
}

std::optional<Engine> engine_of(std::string_view name) {
    if (name == "postgresql") {
        return Engine::kPostgresql;
    }
    return name == "mariadb" ? std::optional(Engine::kMariadb) : std::nullopt;
}

std::variant<std::unique_ptr<PrivateServer>, NoServer> PrivateServer::start(Engine engine,
                                                                            int seconds_max,
                                                                            ServerExtras extras) {
    try {
        std::unique_ptr<PrivateServer> server(
            new PrivateServer(engine, make_directory(), seconds_max, std::move(extras)));
        server->prepare();
        server->launch();
        return server;
    } catch (const DatabaseError& error) {
        return NoServer{std::string("no private ") + name_of(engine) + " server: " + error.what()};
    }
}

PrivateServer::~PrivateServer() {
    // Its data is thrown away, so it need not shut down in order.
    stop(last_signal_of(engine_));
}

void PrivateServer::prepare() {
    const User user = user_for(engine_);
    const std::string data = directory() + "/data";
    if (geteuid() == 0 && chown(directory().c_str(), user.user, user.group) != 0) {
        throw DatabaseError("chown " + directory() + ": " + std::strerror(errno));
    }
    for (const std::string& file : extras_.files) {
        if (geteuid() == 0 && chown(file.c_str(), user.user, user.group) != 0) {
            throw DatabaseError("chown " + file + ": " + std::strerror(errno));
        }
    }
    if (engine_ == Engine::kMariadb) {
        // An empty directory is enough for a server without accounts.
        if (mkdir(data.c_str(), 0700) != 0 ||
            (geteuid() == 0 && chown(data.c_str(), user.user, user.group) != 0)) {
            throw DatabaseError("mkdir " + data + ": " + std::strerror(errno));
        }
        return;
    }
    process_ = spawn(
        {installed("initdb"), "--pgdata=" + data, "--username=lockkeeper", "--auth=trust",
         "--no-sync", "--encoding=UTF8", "--locale=C", "--no-instructions", "--wal-segsize=1"},
        user, directory(), SIGKILL);
    const auto status =
        wait_for(*process_, Clock::now() + std::chrono::seconds(seconds_max_), true);
    process_.reset();
    if (!status) {
        throw DatabaseError(interrupt_requested() ? kInterrupted : "initdb does not end");
    }
    if (*status != 0) {
        throw DatabaseError("initdb fails: " + last_words());
    }
}

void PrivateServer::launch() {
    const std::string data = directory() + "/data";
    std::vector<std::string> command;
    if (engine_ == Engine::kPostgresql) {
        command = {installed("postgres"), "-D", data, "-k", directory()};
        for (const char* setting :
             {"listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=40",
              "shared_buffers=8MB", "autovacuum=off", "wal_level=minimal", "max_wal_senders=0",
              "jit=off", "log_min_messages=fatal"}) {
            command.insert(command.end(), {"-c", setting});
        }
    } else {
        command = {installed("mariadbd"),
                   "--no-defaults",
                   "--datadir=" + data,
                   "--socket=" + directory() + "/socket",
                   "--pid-file=" + directory() + "/pid",
                   "--tmpdir=" + directory()};
        for (const char* option :
             {"--skip-grant-tables", "--skip-networking", "--skip-log-bin", "--skip-name-resolve",
              "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M",
              "--innodb-flush-log-at-trx-commit=2", "--innodb-flush-method=nosync",
              "--aria-pagecache-buffer-size=1M", "--key-buffer-size=1M", "--performance-schema=OFF",
              "--max-connections=60"}) {
            command.emplace_back(option);
        }
    }
    command.insert(command.end(), extras_.options.begin(), extras_.options.end());
    if (!extras_.variables.empty()) {
        command.insert(command.begin(), extras_.variables.begin(), extras_.variables.end());
        command.insert(command.begin(), "/usr/bin/env");
    }
    process_ = spawn(std::move(command), user_for(engine_), directory(), last_signal_of(engine_));
    wait_until_ready();
}

void PrivateServer::wait_until_ready() {
    const auto end = Clock::now() + std::chrono::seconds(seconds_max_);
    std::string why = "it does not answer";
    while (Clock::now() < end && !interrupt_requested()) {
        if (process_->status()) {
            process_.reset();
            throw DatabaseError("the server ends: " + last_words());
        }
        try {
            const auto session = connect();
            version_ = session->require("SELECT version()").value();
            return;
        } catch (const DatabaseError& error) {
            why = error.what();
        }
        if (extras_.while_waiting) {
            extras_.while_waiting();
        }
        std::this_thread::sleep_for(kBetweenLooks);
    }
    stop(SIGKILL);
    throw DatabaseError(interrupt_requested() ? kInterrupted : why);
}

void PrivateServer::stop(int signal) noexcept {
    if (process_ == nullptr) {
        return;
    }
    if (signal != SIGKILL) {
        process_->signal(signal);
        try {
            static_cast<void>(wait_for(*process_, Clock::now() + std::chrono::seconds(10), false,
                                       extras_.while_waiting));
        } catch (const std::runtime_error&) {  // its watcher was killed, and the server with it
        }
    }
    process_.reset();
}

std::string PrivateServer::last_words() const {
    std::ifstream log(directory() + "/log");
    std::string line;
    std::string last = "it says nothing";
    while (std::getline(log, line)) {
        last = line.empty() ? last : line.substr(0, 300);
    }
    return last;
}

std::unique_ptr<Connection> PrivateServer::connect(const std::string& database) const {
    if (engine_ == Engine::kPostgresql) {
        return connect_postgresql(directory(), database.empty() ? "postgres" : database);
    }
    return connect_mariadb(directory() + "/socket", database);
}

std::vector<std::uint64_t> PrivateServer::waiting(
    Connection& monitor, const std::vector<std::uint64_t>& sessions) const {
    if (sessions.empty()) {
        return {};
    }
    return engine_ == Engine::kPostgresql ? waiting_on_postgresql(monitor, sessions)
                                          : waiting_on_mariadb(monitor, sessions);
}

void PrivateServer::kill(Connection& monitor, std::uint64_t session) const {
    const std::string id = std::to_string(session);
    const bool is_pg = engine_ == Engine::kPostgresql;
    // A session that has gone already is no error.
    (void)monitor.run(is_pg ? "SELECT pg_terminate_backend(" + id + ")"
                            : "KILL HARD CONNECTION " + id);
    const std::string look = is_pg
                                 ? "SELECT 1 FROM pg_stat_activity WHERE pid = " + id
                                 : "SELECT 1 FROM information_schema.processlist WHERE id = " + id;
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (!monitor.require(look).rows.empty()) {
        if (Clock::now() >= end) {
            throw DatabaseError("session " + id + " does not end when it is killed");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void PrivateServer::crash_and_restart() {
    stop(last_signal_of(engine_));
    launch();  // which recovers
}

// Where it has ended in order, the next start has nothing to recover.
void PrivateServer::keep_data() {
    stop(engine_ == Engine::kPostgresql ? SIGINT : SIGTERM);
    const std::string store = directory() + "/kept";
    try {
        kept_.reset();
        fs::remove_all(store);
        kept_ = std::make_unique<KeptTree>(directory() + "/data", store);
    } catch (const std::system_error& error) {
        throw DatabaseError(std::string("its data cannot be kept: ") + error.what());
    }
    launch();
}

void PrivateServer::put_data_back() {
    if (kept_ == nullptr) {
        throw DatabaseError("no data were kept");
    }
    stop(last_signal_of(engine_));
    try {
        kept_->put_back();
    } catch (const std::system_error& error) {
        throw DatabaseError(std::string("its data cannot be put back: ") + error.what());
    }
    launch();
}

}  // namespace lockkeeper::databases
