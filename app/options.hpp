// What the command line and the environment say. Nothing set means: as the scenario file says,
// else the default. Made by parse_options, read by the verbs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "app/measure_options.hpp"
#include "app/sweep_options.hpp"
#include "app/validate_options.hpp"
#include "scenarios/scenario.hpp"
#include "scheduler/runner.hpp"

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
    kList
};

[[nodiscard]] constexpr const char* name_of(Command command) {
    constexpr const char* kNames[] = {"run",   "replay",   "explore", "fuzz", "measure",
                                      "sweep", "validate", "report",  "list"};
    return kNames[static_cast<std::size_t>(command)];
}

struct Options {
    std::string program = "lockkeeper";  // by which name it was called, for lines to be pasted
    Command command = Command::kRun;
    std::vector<std::string> files;
    std::string format = "text";  // of stdout; see report_formats()
    std::vector<std::string> report_files;
    bool quiet = false;
    bool verbose = false;
    bool keep_going = false;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> out_directory;
    bool force = false;  // regular files that are not Lockkeeper's may be replaced
    // Limits.
    std::optional<std::uint64_t> schedules_max;
    std::optional<std::uint64_t> steps_max;
    std::optional<std::uint64_t> states_max;
    std::optional<std::uint64_t> bytes_max;
    std::optional<double> seconds_max;
    // explore
    std::optional<Frontier> frontier;
    std::optional<Storage> storage;
    std::optional<Counting> counting;
    bool no_symmetry = false;
    bool no_sleep_sets = false;
    std::optional<Reduction> reduction;
    std::optional<std::uint64_t> jobs;
    std::optional<std::string> checkpoint;  // file to write
    std::optional<double> checkpoint_every;
    std::optional<std::string> resume;  // file to go on from
    std::vector<std::string> check;     // empty: the scenario's
    std::optional<BoundarySearch> find;
    // Numbers of the system instead of the scenario's.
    std::map<std::string, std::int32_t> numbers;
    // fuzz
    std::optional<std::string> strategy;
    bool check_determinism = false;
    // replay
    std::optional<std::string> schedule;
    std::optional<std::uint64_t> cycle_from;  // from 1
    std::optional<std::string> history_out;
    OnDivergence on_divergence = OnDivergence::kStop;
    MeasureFlags measure;
    SweepFlags sweep;
    ValidateFlags validate;
};

// Text to be printed on stdout, with exit code 0: help or version.
struct PrintAndEnd {
    std::string text;
};

using Environment = std::function<const char*(const char* name)>;

// Throws UsageError, naming the flag or the variable.
[[nodiscard]] std::variant<Options, PrintAndEnd> parse_options(
    const std::vector<std::string>& arguments, const Environment& environment);

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
