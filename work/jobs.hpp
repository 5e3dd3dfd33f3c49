// SPDX-License-Identifier: Apache-2.0

// Everything that is done with a file: one function each, which the command, the explorer and
// machines that work together call. A file in, its report out; desk.hpp says what else is told and
// written. Errors are exceptions, which run_one_file (failure.hpp) turns into a verdict: BadInput
// and UsageError of the file and what is asked, LimitExceeded, OutputError before the work begins.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "validate/histories/check_history.hpp"
#include "validate/histories/model_choice.hpp"
#include "work/desk.hpp"
#include "work/measure_files.hpp"
#include "work/results/listing.hpp"

namespace lockkeeper {

namespace databases {
class ComparedServer;
}  // namespace databases
struct RegisteredSystem;
namespace logs {
struct Asked;
}  // namespace logs
namespace threads {
struct ProgramResult;
}  // namespace threads

// All interleavings; or the boundary of a parameter, where the file or somebody asks for one.
[[nodiscard]] RunReport explore_scenario(const Desk& desk, const std::string& file);
[[nodiscard]] RunReport fuzz_scenario(const Desk& desk, const std::string& file);
// The way that the scenario's author wants, and whether it comes to what the author expects.
[[nodiscard]] RunReport test_scenario(const Desk& desk, const std::string& file);
// One run: of a trace, of a scenario's own order, of a schedule that is asked for. UsageError also
// for a cycle that is no part of the run.
[[nodiscard]] RunReport replay_file(const Desk& desk, const std::string& file);
// For every number of callers.
[[nodiscard]] RunReport prove_scenario(const Desk& desk, const std::string& file);
[[nodiscard]] RunReport check_certificate(const Desk& desk, const std::string& file_of_certificate,
                                          const std::string& file);

// How often. `chains`: where the chain of each point goes; may be empty.
[[nodiscard]] RunReport measure_scenario(const Desk& desk, const std::string& file,
                                         const ChainFiles& chains);
// The same of programs of the protocol, and of unmodified clients.
[[nodiscard]] RunReport measure_outside(const Desk& desk, const std::string& file);
[[nodiscard]] RunReport sweep_file(const Desk& desk, const std::string& file);

// A recorded history; a program or clients; beside another implementation; beside a real server.
[[nodiscard]] RunReport judge_history_file(const Desk& desk, const std::string& file,
                                           const ModelChoice& model);
[[nodiscard]] RunReport validate_outside(const Desk& desk, const std::string& file,
                                         std::int64_t lease_time = 0);
[[nodiscard]] RunReport compare_to_reference(const Desk& desk, const std::string& file,
                                             const RegisteredSystem& reference);
[[nodiscard]] RunReport compare_to_server(const Desk& desk, const std::string& file,
                                          databases::ComparedServer& server);

// Logs, with all that is made of an answer: its run in a system's own steps, a scenario file,
// another variant's answer. `out`: where answers are told as text, or as the document of `asked`.
// Errors: as run_command (validate/logs/command.hpp) and ask_incident (incident.hpp).
struct ExplainedLogs {
    int exit_code = 0;
    std::vector<RunReport> reports;  // of each lock, where they are wanted
};
[[nodiscard]] ExplainedLogs explain_logs(const Desk& desk, const logs::Asked& asked,
                                         bool wants_reports, std::ostream& out);

// The entries of `lockkeeper list`: systems, properties, strategies, limits. UsageError, with the
// nearest name, where what is wanted does not exist.
[[nodiscard]] Listing make_listing(const Registry& registry, std::vector<std::string> wanted);

// The report of a program with threads, from what the program has said of itself: for other
// formats than text. `program`: as it was named. No errors: a program that says nothing is a
// verdict, too.
[[nodiscard]] RunReport threads_report(const threads::ProgramResult& result,
                                       const std::string& program);

// The parts of judge_history_file. Errors: BadInput for the file.

// The model that --model names; UsageError.
[[nodiscard]] ModelChoice model_named(const std::string& name);

// Parse --clock-tolerance and --time-unit. False: it is neither a time nor a number; no unit.
[[nodiscard]] bool set_clock_tolerance(const std::string& text, OrderChoice& order);
inline constexpr const char* kHistoryTimeUnits[] = {"ns", "us", "ms", "s"};
[[nodiscard]] bool set_time_unit(const std::string& text, OrderChoice& order);

// Nothing: as it is by default. Ends when the command is interrupted.
[[nodiscard]] CheckLimits history_limits(std::optional<double> seconds_max,
                                         std::optional<std::uint64_t> bytes_max);

// Read and put in order; the rest is empty.
[[nodiscard]] JudgedHistory read_for_judgement(const std::string& file, const OrderChoice& order);
// Fills the rest, and the verdict of the report that has it.
void judge_history(const ModelChoice& model, const CheckLimits& limits, JudgedHistory& judged,
                   RunReport& report);

}  // namespace lockkeeper
