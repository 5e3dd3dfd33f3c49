// SPDX-License-Identifier: Apache-2.0

// The process of one caller: a driver around somebody's own client code, which reads a line for
// each operation on stdin and answers a line on stdout (docs/howto/test_unmodified_clients.md). The
// process is held: its clock, its waits, its random numbers and its connections are the harness's.
//
//   harness: acquire db            renew db          reset            fork
//   driver:  ok | ok until=12.5    ok | lost         ready            ready (of the child)
//            ok for=2.5
//            refused | error TEXT
// The first line of a driver is "ready", with "reset", "fork", "close" and "prepare" behind it
// where it knows them. "prepare" is said once, to a fresh client on an empty server; what it stores
// is there at the beginning of every run.
//
// A driver that forks is started once; each run has a fresh child of it. One that resets keeps its
// process from run to run. Else the process is started again for each run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validate/programs/child_process.hpp"
#include "validate/wire/held_process.hpp"
#include "validate/wire/shared_memory.hpp"
#include "validate/wire/task_states.hpp"
#include "validate/wire/wire_choices.hpp"

namespace lockkeeper::wire {

// A line that a driver says unasked begins with this: "! lost db".
inline constexpr std::string_view kByItself = "! ";

// One answer of a driver.
struct ClientAnswer {
    enum class Kind : std::uint8_t { kOk, kDone, kRefused, kLost, kUnsupported, kError };
    Kind kind = Kind::kOk;
    std::optional<std::int64_t> until;  // nanoseconds since 1970, of the caller's own wall clock
    std::optional<std::int64_t> lasts;  // nanoseconds of its steady clock, from the answer on
    std::optional<std::int64_t> token;
    std::string text;  // of an error
};
// Throws Misbehaved.
[[nodiscard]] ClientAnswer parse_answer(const std::string& line);

class Client {
  public:
    struct Settings {
        std::string command;
        std::size_t number = 0;
        std::vector<std::string> variables;  // beside those of a held process
        Freshness freshness = Freshness::kKept;
        double answer_seconds = 10;
    };
    Client(SharedMemory& memory, Settings settings);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void set_freshness(Freshness freshness) { settings_.freshness = freshness; }
    void stop_by(const StopRule& rule);

    // Becomes fresh: begin(), then at every rest take_ready() until it is true. `incarnation`:
    // which start of this caller it is in the run, from 0. `before_fork`: what it has done until
    // then is not of this run.
    void begin(std::uint64_t incarnation);
    [[nodiscard]] bool take_ready(const std::optional<std::string>& line,
                                  const std::function<void()>& before_fork);
    // SIGKILL.
    void kill();
    // The same to what is not kept for the next run. For the end of what a process has forked,
    // begin() waits.
    void let_go();
    // In the next begin() it is not to be kept: it is not at rest.
    void spoil() { spoiled_ = true; }
    [[nodiscard]] bool is_running() const { return running_; }

    void say(const std::string& line);
    // Returns a whole line that the driver has written, if any. Does not wait. Throws Misbehaved.
    [[nodiscard]] std::optional<std::string> hear();
    [[nodiscard]] std::uint64_t written_bytes() const {
        return child_ ? child_->written_bytes() : 0;
    }
    // It is about to be given something to do: from now on its bell says when to look.
    void listen();
    // Returns when a thread of it is about to wait, or has been since listen() or the last look; or
    // soon.
    void wait_for_bell();
    // In the next begin() it is told to reset, if it is at rest then.
    [[nodiscard]] bool is_kept() const {
        return running_ && !spoiled_ && can_reset_ && !never_kept_ && (forked_ || !can_fork_) &&
               settings_.freshness == Freshness::kKept;
    }
    // The same start of the caller, by a fresh process; from now on none of it is kept.
    void begin_unkept();
    [[nodiscard]] bool can_prepare() const { return can_prepare_; }
    // And it is told to close what it has before.
    [[nodiscard]] bool closes() const { return is_kept() && can_close_; }
    // Every thread of it sleeps.
    [[nodiscard]] bool sleeps();
    // Its processes, without those that these have started.
    [[nodiscard]] std::vector<pid_t> roots();
    // For an error: why it does not sleep.
    [[nodiscard]] std::string who_works() { return tasks_.who_works(roots()); }

    // By the time at which their waits end.
    [[nodiscard]] std::vector<Sleeper> sleepers() const;
    void wake(const Sleeper& sleeper);

    // Every process of it. Else: it runs on real time.
    [[nodiscard]] bool is_held();

    [[nodiscard]] const std::string& last_words() const;
    [[nodiscard]] Freshness used() const { return used_; }

  private:
    void start();
    void fork();
    void kill_children();
    bool kill_forked();
    void end_all();
    void free_slots(pid_t process);

    SharedMemory& memory_;
    Settings settings_;
    StopRule stop_;
    std::unique_ptr<ChildProcess> child_;
    std::string last_words_;
    TaskStates tasks_;
    bool can_reset_ = false;
    bool can_fork_ = false;
    bool can_prepare_ = false;
    bool can_close_ = false;
    bool running_ = false;
    bool spoiled_ = false;
    bool never_kept_ = false;
    bool forked_ = false;  // the run's process is a child of the one that was started
    std::uint64_t incarnation_ = 0;
    std::uint64_t born_as_ = 0;  // the incarnation as which the run's process has begun
    Freshness used_ = Freshness::kStarted;
    std::uint32_t heard_bell_ = 0;
    unsigned looks_left_ = 0;      // since the bell rang
    std::vector<pid_t> idle_;      // of a driver that forks: what waits for the end of a child
    std::vector<pid_t> children_;  // and what began with the last fork
};

}  // namespace lockkeeper::wire
