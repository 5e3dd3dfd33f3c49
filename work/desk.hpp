// SPDX-License-Identifier: Apache-2.0

// Everything that work on jobs has at hand: the systems that there are, what is asked, and whom to
// tell while it works. A command makes one; tests make one of a registry and what they ask.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/find_files.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/output_file.hpp"
#include "scheduler/base/process_memory.hpp"
#include "work/asked.hpp"
#include "work/make_report.hpp"
#include "work/results/watcher.hpp"

namespace lockkeeper {

// Parts of results that take time, and that only some formats show.
struct WantedParts {
    bool runs = false;          // of failed tests, with words
    bool comparisons = false;   // all runs, and the nearest run that passes beside each
    bool drawn_states = false;  // a graph of what was explored, where it is small
};

struct Desk {
    const Registry& registry;
    const Asked& asked;
    std::ostream& standard;  // stdout, for files that are called so
    Deadline deadline{};     // --time-limit, for all that is done
    WantedParts wants = {};
    // Null: nobody is told.
    std::function<void(const std::string&)> on_complaint = nullptr;  // a problem that ends nothing
    std::function<void(const RunReport&)> on_head = nullptr;         // what is known before a run
    std::function<void(const std::string&)> on_line = nullptr;  // of a program, see Asked::verbose
    std::function<std::unique_ptr<Watcher>(const ProgressLimits&)> on_progress = nullptr;

    void complain(const std::string& problem) const;
    void head(const RunReport& report) const;
    [[nodiscard]] std::unique_ptr<Watcher> watch(const ProgressLimits& limits = {}) const;
};

// Made once for each scenario.
[[nodiscard]] inline Job prepare(const Desk& desk, Scenario scenario) {
    return prepare(desk.registry, desk.asked, std::move(scenario));
}
// The report with everything that is known before the run.
[[nodiscard]] inline RunReport begin_report(const Desk& desk, const Job& job,
                                            const std::string& strategy) {
    return begin_report(job, desk.asked.command, strategy);
}

// Ends a search that does not count what it stores: when the process takes more than --memory says,
// counted from now on where that is little (ProcessLimit). Not safe with threads.
struct MemoryWatch {
    explicit MemoryWatch(const Asked& asked);
    // To be asked now and then, beside interrupts.
    [[nodiscard]] bool is_exceeded() { return was_exceeded = limit.is_exceeded() || was_exceeded; }
    // A search that this has ended says that it was interrupted: "memory", then.
    [[nodiscard]] std::string named(const std::string& limit_told) const;

    ProcessLimit limit;
    bool was_exceeded = false;
};

// By --force and the files that are read. `inputs`: those found in directories.
[[nodiscard]] OutputRule output_rule(const Desk& desk, std::string_view mark,
                                     const std::vector<InputFile>& inputs = {});
// Runs `write`, for one more file of the report. Where it cannot be written, as on a full disk,
// somebody is told, and the report goes on.
void write_beside(const Desk& desk, RunReport& report, const std::function<void()>& write);

}  // namespace lockkeeper
