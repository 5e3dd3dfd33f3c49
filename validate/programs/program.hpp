// SPDX-License-Identifier: Apache-2.0

// The conversation with one child: init, reset, operations, answers. Throws Misbehaved at whatever
// the program does wrong, within `answer_seconds`. Used by SteppedRun and BlackBoxRun.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validate/programs/child_process.hpp"
#include "validate/programs/message.hpp"

namespace lockkeeper {

// The version of the messages between TasksRun and an event loop.
inline constexpr std::int64_t kTasksVersion = 1;

struct ProgramOptions {
    std::string command;
    bool stepped = true;
    // Tasks of one event loop (TasksRun), and whether it keeps the orders that it promises.
    bool is_tasks = false;
    bool keeps_promises = true;
    double answer_seconds = 10;
    std::vector<std::string> callers;
    std::vector<std::string> keys;
    std::map<std::string, std::int32_t> parameters;
    std::string data_dir;  // black box
    // Receives each line as it is written ("> ...") and read ("< ..."); may be empty.
    std::function<void(const std::string&)> on_line;
};

// "10 s", for messages.
[[nodiscard]] std::string answer_time_text(double seconds);

class Program {
  public:
    static constexpr const char* kHarness = "harness";
    static constexpr const char* kNode = "n1";

    explicit Program(ProgramOptions options) : options_(std::move(options)) {}

    // Kills the child before, starts a new one and says init. If the command ends here or answers
    // with an error, that is kCannotStart.
    void start();
    [[nodiscard]] bool is_running() const { return child_ != nullptr; }
    // Lets the program forget everything; starts the child if there is none.
    void reset();
    void kill();
    // From now on, every call may throw Stopped by this rule, for this child and later ones.
    void stop_by(const StopRule& rule);
    // Throws Stopped by the rule, without talking to the child.
    void check_time() const { ChildProcess::check_time(stop_); }

    // Sends a message from `src` and returns its msg_id.
    std::int64_t ask(const std::string& src, const std::string& type,
                     const nlohmann::ordered_json& members);
    // Sends "crash", which has no answer.
    void tell_crash(const std::string& client);
    // Answers a question of the program.
    void answer(const Message& question, const std::string& type, const std::string& more);

    // The next message. Throws Misbehaved(kHung) when none comes in time.
    [[nodiscard]] Message next();
    // The same, or nothing at the deadline.
    [[nodiscard]] std::optional<Message> next_until(Moment deadline);

    // For code that waits for several programs.
    [[nodiscard]] ChildProcess& child();
    // All that the program wrote until this moment has been read and returned.
    [[nodiscard]] Moment quiet_until() const;

    [[nodiscard]] bool is_stateless() const { return stateless_; }
    [[nodiscard]] std::optional<CrashTakes> crash_takes() const { return crash_takes_; }
    [[nodiscard]] const std::vector<std::string>& background() const { return background_; }
    [[nodiscard]] const std::string& last_words() const;
    [[nodiscard]] std::uint64_t starts() const { return starts_; }
    [[nodiscard]] const ProgramOptions& options() const { return options_; }

  private:
    [[nodiscard]] Moment deadline() const;
    void write(const std::string& line);
    // Throws Misbehaved: kNonsense, kScriptError.
    [[nodiscard]] Message heard(const std::string& line) const;
    void greet();
    [[nodiscard]] Message expect(std::int64_t msg_id, const std::string& type);

    ProgramOptions options_;
    StopRule stop_;
    std::unique_ptr<ChildProcess> child_;
    std::string last_words_;  // of a child that has gone
    std::int64_t next_id_ = 1;
    std::uint64_t starts_ = 0;
    bool stateless_ = false;
    std::optional<CrashTakes> crash_takes_;
    std::vector<std::string> background_;
};

}  // namespace lockkeeper
