// SPDX-License-Identifier: Apache-2.0

// The settings of the command line and the environment. A setting that is not given is as the
// scenario file says, else the default. Made by parse_options from flags.hpp, read by the verbs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "measure/measure.hpp"
#include "measure/measure_plan.hpp"
#include "scenarios/registry/overlay.hpp"
#include "scenarios/scenario.hpp"
#include "scheduler/runner.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/logs/command.hpp"
#include "validate/programs/stepped_run.hpp"
#include "validate/threads/command/command.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "work/begin_sweep.hpp"

namespace lockkeeper {

enum class Command : std::uint8_t {
    kRun,
    kReplay,
    kExplore,
    kFuzz,
    kMeasure,
    kSweep,
    kValidate,
    kReport,
    kList,
    kServe,
    kProve,
    kCheckCertificate,
    kThreads,
    kExplain
};

[[nodiscard]] constexpr const char* name_of(Command command) {
    constexpr const char* kNames[] = {
        "run",    "replay", "explore", "fuzz",  "measure",           "sweep",   "validate",
        "report", "list",   "serve",   "prove", "check-certificate", "threads", "explain"};
    return kNames[static_cast<std::size_t>(command)];
}

// The settings of measuring, where no scenario says more.
struct MeasureFlags : MeasureOptions {
    std::optional<Law> chosen_law;  // else the scenario's, else of its traffic, else uniform
    double keep_loss_under = 0.01;  // a share, above 0 and below 1
    MeasurePlan plan;               // --compare and --sweep, at most two
    std::optional<std::string> prism_directory;
    std::optional<std::string> svg_file;
};

struct SweepFlags : SweepQuestion {
    std::optional<std::string> table_file;
};

// One of five ways in, each with its own.
struct ValidateFlags {
    // Recorded histories (validate_history.cpp).
    std::optional<std::string> history;
    std::optional<std::string> model;
    OrderChoice order;
    // A program that speaks the protocol of docs/reference/protocol.md (validate_program.cpp).
    std::optional<std::string> program;
    std::string level = "stepped";
    OutsideMethod search = OutsideMethod::kBoth;
    std::optional<std::uint32_t> preemptions_max;
    std::optional<double> answer_seconds;
    std::optional<double> recovery_seconds;
    bool process_per_caller = false;
    std::optional<std::string> replay_choices;  // a schedule's line
    // Unmodified clients of a real server (validate_wire.cpp).
    std::optional<wire::ServerKind> wire;
    std::optional<std::string> outside_command;
    std::optional<wire::Framing> framing;
    std::optional<std::string> client;
    std::uint64_t callers = 2;
    std::string script = "acquire,release";
    wire::ScopeFlags scope;
    wire::Freshness freshness = wire::Freshness::kKept;
    // A real database server or Erlang node (validate_server.cpp).
    std::optional<std::string> server;
    // Another implementation, driven by the same schedules (validate_against.cpp).
    std::optional<std::string> against;
};

struct Options : Overlay {
    Ranks* ranks = nullptr;  // see ExploreOptions; for the other verbs see Helpers
    Command command = Command::kRun;
    std::vector<std::string> files;
    // Each flag with its value, of the command line, then of the environment: ("--seed", "7").
    std::vector<std::pair<std::string, std::string>> given;
    std::string format = "text";  // of stdout; see report_formats()
    std::vector<std::string> report_files;
    std::optional<std::string> csv_file;
    bool quiet = false;
    bool verbose = false;
    bool keep_going = false;
    std::optional<std::string> out_directory;
    bool force = false;  // regular files that are not Lockkeeper's may be replaced
    std::optional<std::uint64_t> bytes_max;
    // explore
    std::optional<Frontier> frontier;
    std::optional<Storage> storage;
    std::optional<Counting> counting;
    bool no_symmetry = false;
    bool no_sleep_sets = false;
    std::optional<AskedReduction> reduction;
    std::optional<std::uint64_t> jobs;
    std::optional<std::string> checkpoint;  // file to write
    std::optional<double> checkpoint_every;
    std::optional<std::string> resume;  // file to go on from
    std::optional<std::string> disk;    // directory
    std::optional<BoundarySearch> find;
    // fuzz
    bool check_determinism = false;
    // replay
    std::optional<std::string> schedule;
    std::optional<std::uint64_t> cycle_from;  // from 1
    std::optional<std::string> history_out;
    OnDivergence on_divergence = OnDivergence::kStop;
    std::uint16_t port = 0;                  // serve; 0: any that is free
    std::optional<std::string> certificate;  // prove: files to write
    std::optional<std::string> scenario_out;
    MeasureFlags measure;
    SweepFlags sweep;
    ValidateFlags validate;
    threads::Asked threads;
    logs::Asked explain;
};

// Text to be printed on stdout, with exit code 0: help or version.
struct PrintAndEnd {
    std::string text;
};

using Environment = std::function<const char*(const char* name)>;

// Throws UsageError, naming the flag or the variable.
[[nodiscard]] std::variant<Options, PrintAndEnd> parse_options(
    const std::vector<std::string>& arguments, const Environment& environment);

[[nodiscard]] bool is_given(const Options& options, std::string_view flag);
// " --set grace=3 --bounds": those of the flags that were given, to be pasted.
[[nodiscard]] std::string given_again(const Options& options,
                                      std::initializer_list<std::string_view> flags);

// Workers: --jobs, else one a processor.
[[nodiscard]] inline std::size_t jobs_of(const Options& options) {
    return options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

// A limit: the flag before the scenario file before the default.
template <class Value>
[[nodiscard]] Value first_of(const std::optional<Value>& flag, const std::optional<Value>& file,
                             Value otherwise) {
    return flag ? *flag : file.value_or(otherwise);
}

}  // namespace lockkeeper
