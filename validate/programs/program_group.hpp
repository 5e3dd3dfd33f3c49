// SPDX-License-Identifier: Apache-2.0

// The processes of a run at the black-box level: one for all callers, or one for each caller, which
// share nothing but the data directory. The probe has its own where callers have theirs. Used by
// BlackBoxRun only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validate/programs/program.hpp"

namespace lockkeeper {

class ProgramGroup {
  public:
    struct Heard {
        std::size_t process = 0;
        Message message;
    };

    ProgramGroup(const ProgramOptions& options, bool one_each);

    [[nodiscard]] std::size_t size() const { return programs_.size(); }
    [[nodiscard]] std::size_t process_of(std::size_t caller) const {
        return one_each_ ? caller : 0;
    }
    [[nodiscard]] bool is_of(std::size_t process, std::size_t caller) const {
        return process_of(caller) == process;
    }
    [[nodiscard]] Program& at(std::size_t process) { return *programs_[process]; }
    [[nodiscard]] const ProgramOptions& options() const { return programs_.front()->options(); }

    void start();
    void kill();
    void stop_by(const StopRule& rule);
    void check_time() const { programs_.front()->check_time(); }
    // Returns the process for the fresh caller; starts it where each caller has its own.
    [[nodiscard]] std::size_t start_probe(const std::string& caller);

    // The message of the process that speaks first, or nothing at the deadline.
    [[nodiscard]] std::optional<Heard> next_until(Moment deadline);

    [[nodiscard]] std::optional<CrashTakes> crash_takes() const {
        return programs_.front()->crash_takes();
    }
    // The last words on stderr of the first process that wrote any.
    [[nodiscard]] std::string last_words() const;

  private:
    void add(ProgramOptions options, const std::string& caller);

    bool one_each_;
    StopRule stop_;
    std::vector<std::unique_ptr<Program>> programs_;
    std::size_t first_ = 0;  // the process to hear next, so that none drowns out another
};

}  // namespace lockkeeper
