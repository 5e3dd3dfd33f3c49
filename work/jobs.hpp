// SPDX-License-Identifier: Apache-2.0

// Everything that is done with a file: one function each, which the command, the explorer and
// machines that work together call. A file in, its report out; desk.hpp says what else is told and
// written. Errors are exceptions, which run_one_file (failure.hpp) turns into a verdict: BadInput
// and UsageError of the file and what is asked, LimitExceeded, OutputError before the work begins.
#pragma once

#include <cstdint>
#include <string>

#include "validate/histories/model_choice.hpp"
#include "work/desk.hpp"
#include "work/measure_files.hpp"

namespace lockkeeper {

namespace databases {
class ComparedServer;
}  // namespace databases
struct RegisteredSystem;

// All interleavings; or the boundary of a parameter, where the file or somebody asks for one.
[[nodiscard]] RunReport explore_scenario(const Desk& desk, const std::string& file);
[[nodiscard]] RunReport fuzz_scenario(const Desk& desk, const std::string& file);
// The way that the scenario's author wants, and whether it comes to what the author expects.
[[nodiscard]] RunReport test_scenario(const Desk& desk, const std::string& file);
// One run: of a trace, of a scenario's own order, of a schedule that is asked for.
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

}  // namespace lockkeeper
