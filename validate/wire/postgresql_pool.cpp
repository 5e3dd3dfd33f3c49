// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/postgresql_pool.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/outside/stop_rule.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/servers/connection.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/task_states.hpp"

namespace lockkeeper::wire {
namespace {

constexpr auto kBetweenLooksAtPool = std::chrono::milliseconds(1);
constexpr const char* kPoolFolder = "{dir}";
constexpr const char* kPoolSocket = "/.s.PGSQL.5432";

class PooledPostgresql final : public HeldServer {
  public:
    PooledPostgresql(SharedMemory& memory, std::string command, double answer_seconds)
        : memory_(memory),
          command_(std::move(command)),
          answer_seconds_(answer_seconds),
          behind_(start_postgresql(memory)),
          directory_(memory.directory() + "/pool") {
        struct stat owner {};
        if (::stat(behind_->directory().c_str(), &owner) != 0) {
            throw ServerError("stat " + behind_->directory());
        }
        user_ = {owner.st_uid, owner.st_gid};
        start();
    }
    ~PooledPostgresql() override { end_pooler(); }

    [[nodiscard]] std::string socket_path() const override { return directory_ + kPoolSocket; }
    [[nodiscard]] std::uint16_t port() const override { return behind_->port(); }
    [[nodiscard]] std::vector<std::string> variables() const override {
        return behind_->variables();
    }
    // Local sockets deliver at once: nothing is on its way between those who sleep.
    [[nodiscard]] bool waits(const Connection& connection) override { return rests(connection); }
    [[nodiscard]] bool rests(const Connection& /*connection*/) override {
        check_alive();
        return tasks_.all_sleep({pooler_->id(), behind_->root()});
    }
    [[nodiscard]] std::vector<pid_t> processes(const Connection& /*connection*/) const override {
        return {pooler_->id(), behind_->root()};
    }
    // Nobody knows which session serves the connection: the waits of all of them.
    [[nodiscard]] std::vector<Sleeper> sleepers(const Connection& /*connection*/) const override {
        const std::vector<pid_t> sessions = behind_->sessions();
        std::vector<Sleeper> out = memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER);
        std::erase_if(out, [&](const Sleeper& sleeper) {
            return std::find(sessions.begin(), sessions.end(), memory_->slots[sleeper.slot].pid) ==
                   sessions.end();
        });
        return out;
    }
    void closed(const Connection& /*connection*/) override {
        if (pooler_ && !tasks_.has_ended(pooler_->id())) {
            settle();
        }
    }
    void upstream_ended(const Connection& /*connection*/) override { check_alive(); }
    void reset() override {
        stop();
        behind_->reset();
        start();
    }
    void keep() override {
        stop();
        behind_->keep();
        start();
    }
    void add_script(const std::string& body) override { behind_->add_script(body); }
    [[nodiscard]] std::vector<KeyState> keys() override { return behind_->keys(); }
    [[nodiscard]] bool shows_all() const override { return behind_->shows_all(); }
    void restore(const std::vector<KeyState>& keys) override { behind_->restore(keys); }
    // The server's sessions end with the pooler's.
    void forget_scripts() override {
        stop();
        start();
    }

  private:
    [[nodiscard]] std::string last_words() const {
        std::ifstream file(directory_ + "/log");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const std::string line = last_line(text);
        return line.empty() ? "" : "; it said " + quoted_piece(line);
    }

    void check_alive() {
        if (!pooler_ || tasks_.has_ended(pooler_->id())) {
            throw Misbehaved(Misbehaviour::kDied, "the pooler ended" + last_words());
        }
    }

    // All rest, or the time is over.
    void settle() {
        AnswerTime time(answer_seconds_);
        while (!tasks_.all_sleep({pooler_->id(), behind_->root()})) {
            if (interrupt_requested()) {
                throw Stopped();
            }
            if (time.is_over({pooler_->id(), behind_->root()})) {
                throw Misbehaved(Misbehaviour::kHung,
                                 fmt::format("the pooler, or PostgreSQL, is still at work after "
                                             "{:g} s",
                                             answer_seconds_));
            }
            sched_yield();
        }
    }

    void end_pooler() {
        if (pooler_) {
            for (const pid_t process : tasks_.descendants({pooler_->id()})) {
                if (process != pooler_->id()) {
                    ::kill(process, SIGKILL);
                }
                tasks_.forget(process);
            }
            pooler_->kill();
            pooler_.reset();
        }
    }

    void stop() {
        end_pooler();
        behind_->end_sessions();
    }

    void start() {
        namespace fs = std::filesystem;
        fs::remove_all(directory_);
        fs::create_directory(directory_);
        if (geteuid() == 0 && chown(directory_.c_str(), user_.user, user_.group) != 0) {
            throw ServerError("chown " + directory_);
        }
        std::string command = command_;
        for (std::size_t at = 0; (at = command.find(kPoolFolder, at)) != std::string::npos;) {
            command.replace(at, std::string(kPoolFolder).size(), directory_);
            at += directory_.size();
        }
        std::vector<std::string> words{"/usr/bin/env"};
        for (std::string& variable : memory_.variables(LOCKKEEPER_WIRE_SERVER)) {
            words.push_back(std::move(variable));
        }
        for (std::string& variable : behind_->variables()) {
            words.push_back(variable.starts_with("PGHOST=") ? "PGHOST=" + behind_->directory()
                                                            : std::move(variable));
        }
        words.insert(words.end(), {"sh", "-c", replacing_shell(command)});
        const std::string log = directory_ + "/log";
        const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        const int out =
            open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
        try {
            pooler_ = std::make_unique<WatchedChild>(WatchedChild::Order{
                std::move(words),
                {null, out, out},
                directory_,
                geteuid() == 0 && user_.user != 0 ? std::optional(user_) : std::nullopt,
                SIGKILL});
        } catch (const std::system_error& error) {
            close(null);
            close(out);
            throw ServerError(std::string("the pooler: ") + error.what());
        }
        close(null);
        close(out);
        await_socket();
    }

    void await_socket() {
        const auto deadline = moment_after(answer_seconds_);
        for (;;) {
            const bool has_ended = pooler_->status().has_value();
            if (has_ended || SteadyClock::now() > deadline) {
                throw BadInput(
                    {command_, "",
                     "cannot be started: the pooler " +
                         (has_ended ? "ended"
                                    : fmt::format("listens at no {}{} after {:g} s", kPoolFolder,
                                                  kPoolSocket, answer_seconds_)) +
                         last_words()});
            }
            if (interrupt_requested()) {
                throw Stopped();
            }
            if (std::filesystem::exists(socket_path())) {
                break;
            }
            std::this_thread::sleep_for(kBetweenLooksAtPool);
        }
        settle();
    }

    SharedMemory& memory_;
    std::string command_;
    double answer_seconds_;
    std::unique_ptr<BehindPool> behind_;
    std::string directory_;
    WatchedChild::User user_;
    std::unique_ptr<WatchedChild> pooler_;
    TaskStates tasks_;
};

}  // namespace

std::unique_ptr<HeldServer> start_pool(SharedMemory& memory, std::string command,
                                       double answer_seconds) {
    try {
        return std::make_unique<PooledPostgresql>(memory, std::move(command), answer_seconds);
    } catch (const databases::DatabaseError& error) {
        throw ServerError(error.what());
    }
}

}  // namespace lockkeeper::wire
