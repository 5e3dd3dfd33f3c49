// SPDX-License-Identifier: Apache-2.0

// The wishes of a person for a job, beyond what its scenario says. A setting that is not given is
// as the scenario says, else the default. Made from the command line by app/parse_options; tests
// and other programs fill it in themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "measure/measure.hpp"
#include "measure/measure_plan.hpp"
#include "scenarios/registry/overlay.hpp"
#include "scenarios/scenario.hpp"
#include "scheduler/runs/trace.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/outside/result.hpp"
#include "validate/wire/wire_choices.hpp"
#include "work/sweep_job.hpp"

namespace lockkeeper {

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
    // Recorded histories.
    std::optional<std::string> history;
    std::optional<std::string> model;
    OrderChoice order;
    // A program that speaks the protocol of docs/reference/protocol.md.
    std::optional<std::string> program;
    std::string level = "stepped";
    // Tasks of one event loop; a word of kPromises.
    std::optional<std::string> tasks;
    std::string promises = "strict";
    OutsideMethod search = OutsideMethod::kBoth;
    std::optional<std::uint32_t> preemptions_max;
    std::optional<double> answer_seconds;
    std::optional<double> recovery_seconds;
    bool process_per_caller = false;
    std::optional<std::string> replay_choices;  // a schedule's line
    // Unmodified clients of a real server.
    std::optional<wire::ServerKind> wire;
    std::optional<std::string> outside_command;
    std::optional<wire::Framing> framing;
    std::optional<std::string> client;
    std::uint64_t callers = 2;
    std::string script = "acquire,release";
    wire::ScopeFlags scope;
    wire::Freshness freshness = wire::Freshness::kKept;
    // A real database server or Erlang node.
    std::optional<std::string> server;
    // Another implementation, driven by the same schedules.
    std::optional<std::string> against;
};

// A flag with its value, of the command line or of the environment: to be pasted again.
struct GivenFlag {
    std::string name;   // "--seed"
    std::string value;  // "7"
    bool is_switch = false;
};

struct Asked : Overlay {
    Ranks* ranks = nullptr;  // see ExploreOptions; for the other verbs see Helpers
    std::string command;     // the verb, as reports name it: "explore"
    std::vector<std::string> files;
    std::vector<GivenFlag> given;  // of the command line, then of the environment
    bool keep_going = false;
    bool verbose = false;  // the heads of tests, and the lines of a program whose run is repeated
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
    std::optional<std::string> certificate;  // prove: files to write
    std::optional<std::string> scenario_out;
    MeasureFlags measure;
    SweepFlags sweep;
    ValidateFlags validate;
};

[[nodiscard]] bool is_given(const Asked& asked, std::string_view flag);
// " --set grace=3 --bounds": those of the flags that were given, to be pasted.
[[nodiscard]] std::string given_again(const Asked& asked,
                                      std::initializer_list<std::string_view> flags);

// Workers: --jobs, else one a processor.
[[nodiscard]] inline std::size_t jobs_of(const Asked& asked) {
    return asked.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

// A limit: the flag before the scenario file before the default.
template <class Value>
[[nodiscard]] Value first_of(const std::optional<Value>& flag, const std::optional<Value>& file,
                             Value otherwise) {
    return flag ? *flag : file.value_or(otherwise);
}

}  // namespace lockkeeper
