// SPDX-License-Identifier: Apache-2.0

// The conversation with one child: init, reset, operations, answers. Whatever the program does
// wrong leaves here as Misbehaved, within `answer_seconds`. Used by SteppedRun and BlackBoxRun.
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

struct ProgramOptions {
    std::string command;
    bool stepped = true;
    double answer_seconds = 10;
    std::vector<std::string> callers;
    std::vector<std::string> keys;
    std::map<std::string, std::int32_t> parameters;
    std::string data_dir;  // black box
    // Each line as it is written ("> ...") and read ("< ..."), where somebody wants to see them.
    std::function<void(const std::string&)> on_line;
};

// "10 s", for messages.
[[nodiscard]] std::string answer_time_text(double seconds);

class Program {
  public:
    static constexpr const char* kHarness = "harness";
    static constexpr const char* kNode = "n1";

    explicit Program(ProgramOptions options) : options_(std::move(options)) {}

    // Starts the child (kills the one before) and says init. What is no misbehaviour later is
    // kCannotStart here: the command ends, or answers with an error.
    void start();
    [[nodiscard]] bool is_running() const { return child_ != nullptr; }
    // Everything forgotten; starts the child where there is none.
    void reset();
    void kill();
    // From now on, for this child and those to come: every call here may throw Stopped.
    void stop_by(const StopRule& rule);
    // Throws Stopped; for who does not talk to the child.
    void check_time() const { ChildProcess::check_time(stop_); }

    // A message of `src` that has a msg_id, which is returned.
    std::int64_t ask(const std::string& src, const std::string& type,
                     const nlohmann::ordered_json& members);
    // "crash": nobody answers.
    void tell_crash(const std::string& client);
    // The answer to a question.
    void answer(const Message& question, const std::string& type, const std::string& more);

    // The next message. Throws Misbehaved(kHung) when none comes in time.
    [[nodiscard]] Message next();
    // The same, or nothing at the deadline.
    [[nodiscard]] std::optional<Message> next_until(Moment deadline);

    // For who waits for several programs.
    [[nodiscard]] ChildProcess& child();
    // Until this moment nothing was there to be read that has not been given out since.
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
