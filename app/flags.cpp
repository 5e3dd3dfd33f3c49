// SPDX-License-Identifier: Apache-2.0
#include "app/flags.hpp"

#include <cctype>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "measure/measured_point.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/units.hpp"
#include "validate/compare/against.hpp"
#include "validate/erlang/conformance.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/stepped_run.hpp"
#include "validate/servers/conformance.hpp"
#include "work/prove_job.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string schedules_of_validate() {
    return fmt::format(
        "{} of a stepped program, {} of a black box, {} with --against, {} with --server",
        with_commas(OutsideOptions().schedules_max), BlackBoxOptions().schedules_max,
        with_commas(against::CompareLimits().schedules_max),
        databases::ComparisonLimits().random_schedules);
}

// `erlang`: of --server erlang.
std::string steps_of_validate(std::uint64_t erlang) {
    return fmt::format(
        "{} of a stepped program, {} operations of a black box, {} with --against, {} with "
        "--server, {} with --server erlang",
        with_commas(OutsideOptions().steps_max), with_commas(BlackBoxOptions().operations_max),
        with_commas(against::CompareLimits().steps_max), databases::ComparisonLimits().steps_max,
        erlang);
}

constexpr unsigned kFuzzes = kForRun | kForFuzz;
constexpr unsigned kLooksAtOne = (kForScenarios & ~kForRun) | kForMeasure | kForValidate |
                                 kForServe | kForProve | kForCertificates;
constexpr unsigned kWritesFiles =
    kForScenarios | kForMeasure | kForSweep | kForValidate | kForProve;

// Each row has the flag, the verbs, what it takes, and what it does.

}  // namespace

std::vector<Flag> flags_of_limits() {
    const FuzzOptions fuzz;
    const MeasureOptions measure;
    return {
        Flag("--seed", kForScenarios | kForMeasure | kForValidate, takes::count(&Options::seed),
             "Seed of all random choices", Given::kOrByVariable)
            .by_default(kForAll, fmt::format("the scenario's, else {}", Scenario().seed)),
        Flag("--strategy", kFuzzes, takes::strategy_name(),
             "Who chooses when fuzzing (`list strategies` names them)", Given::kOrByVariable)
            .by_default(kFuzzes, std::string("the scenario's, else ") + fuzz.strategy),
        Flag("--schedules", kFuzzes | kForValidate, takes::limit(&Options::schedules_max),
             "Ends after so many schedules", Given::kOrByVariable)
            .by_default(kFuzzes, with_commas(fuzz.schedules_max))
            .by_default(kForValidate, schedules_of_validate()),
        Flag("--max-steps", kForSearches | kForMeasure | kForValidate,
             takes::limit(&Options::steps_max),
             "Longest run when fuzzing and sampling; greatest depth when exploring",
             Given::kOrByVariable)
            .by_default(kFuzzes, with_commas(fuzz.steps_max) + " when fuzzing")
            .by_default(kForMeasure, with_commas(measure.steps_max))
            .by_default(kForValidate, steps_of_validate(erlang::comparison_limits().steps_max)),
        Flag("--max-states",
             kForRun | kForExplore | kForMeasure | kForSweep | kForServe | kForProve,
             takes::limit(&Options::states_max), "Exploring ends after so many distinct states",
             Given::kOrByVariable)
            .by_default(kForMeasure,
                        fmt::format("{}; {} with --method auto", with_commas(measure.states_max),
                                    with_commas(kExactStates)))
            .by_default(kForProve, with_commas(kProveStates) + " for each number of callers"),
        Flag("--time-limit",
             kForScenarios | kForMeasure | kForSweep | kForValidate | kForReport | kForProve |
                 kForCertificates | kForThreads | kForExplain,
             takes::duration(&Options::seconds_max),
             "All that the command does ends after this time: 60s, 500ms, 2m, 1h, or seconds",
             Given::kOrByVariable)
            .by_default(kForValidate, duration_text(CheckLimits().seconds_max) + " with --history")
            .by_default(kForProve, duration_text(kProveSeconds) + " in all")
            .by_default(kForThreads, duration_text(threads::Asked().seconds_max))
            .by_default(kForExplain, duration_text(logs::Asked().seconds_max)),
        Flag(
            "--memory",
            kForRun | kForExplore | kForMeasure | kForSweep | kForValidate | kForServe | kForProve |
                kForCertificates | kForExplain,
            takes::parsed("SIZE", "a size above 0 (20G, 512M, or bytes)", parse_memory_size,
                          &Options::bytes_max),
            "Ends when the process takes this much: 20G, 512M; below 64M, when what it stores does "
            "(default: 3/4 of the machine or of its control group)",
            Given::kOrByVariable),
        Flag("--jobs", kForSearches | kForMeasure | kForSweep | kForServe | kForProve,
             takes::workers(),
             "Workers that search or sample together (default: one a processor); the result is "
             "the same",
             Given::kOrByVariable),
    };
}

std::vector<Flag> flags_of_questions() {
    return {
        Flag("--check", kLooksAtOne, takes::property_names(),
             "Judges these properties instead of the scenario's (all, safety, or names)"),
        Flag("--set", kLooksAtOne, takes::number_of_system(),
             "A number of the system instead of the scenario's", Given::kOften),
        Flag("--find-smallest", kForExplore | kForProve, takes::range_to_search(true),
             "The smallest value of a parameter of the system with which nothing is violated"),
        Flag("--find-largest", kForExplore | kForProve, takes::range_to_search(false),
             "The largest such value"),
    };
}

std::vector<Flag> flags_of_outputs() {
    return {
        Flag("--out", kWritesFiles | kForServe, takes::directory(&Options::out_directory),
             "Writes a trace file for each violation found; `fuzz` and `validate` first try those "
             "that are there; `measure --bounds`: one for each extreme schedule; `sweep`: each "
             "point as a scenario; `serve`: what the page saves",
             Given::kOrByVariable),
        Flag("--force", kWritesFiles | kForReport | kForThreads | kForExplain,
             takes::on_or_off(&Options::force),
             "Files that are written may replace regular files that Lockkeeper has not written"),
        Flag("--format", kForAll | kForThreads | kForExplain, takes::report_format(),
             takes::report_format().expected, Given::kOrByVariable)
            .by_default(kForAll | kForThreads | kForExplain, Options().format),
        Flag("--report",
             kForScenarios | kForMeasure | kForValidate | kForReport | kForProve | kForThreads |
                 kForExplain,
             takes::report_file(), "Writes the report to FILE, too, in the format of its ending",
             Given::kOften, "-o"),
        Flag("--csv", kForMeasure | kForSweep, takes::file(&Options::csv_file),
             "Writes every figure, or the table, as CSV"),
        Flag("--quiet", kForAll | kForExplain, takes::on_or_off(&Options::quiet),
             "No progress on stderr", Given::kOnce, "-q"),
        Flag("--verbose", kForAll, takes::on_or_off(&Options::verbose),
             "Says more: the scenario's own words", Given::kOnce, "-v"),
    };
}

const std::vector<Flag>& flags() {
    static const std::vector<Flag> kFlags = [] {
        std::vector<Flag> all;
        for (const auto rows :
             {flags_of_histories, flags_of_programs, flags_of_threads, flags_of_explaining,
              flags_of_clinic, flags_of_wire, flags_of_measuring, flags_of_sweeps,
              flags_of_questions, flags_of_runs, flags_of_exploring, flags_of_limits,
              flags_of_outputs}) {
            const std::vector<Flag> some = rows();
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }();
    return kFlags;
}

const Flag* find_flag(std::string_view name, Command command) {
    const auto found = std::find_if(flags().begin(), flags().end(), [&](const Flag& flag) {
        return flag.name == name && has(flag.commands, command);
    });
    return found == flags().end() ? nullptr : &*found;
}

std::string variable_of(const Flag& flag) {
    if (flag.given != Given::kOrByVariable) {
        return "";
    }
    std::string name = "LOCKKEEPER" + flag.name.substr(1);  // one hyphen stays
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char character) {
        return character == '-' ? '_' : static_cast<char>(std::toupper(character));
    });
    return name;
}

std::string default_of(const Flag& flag, Command command) {
    for (const FlagDefault& one : flag.defaults) {
        if (has(one.commands, command)) {
            return one.text;
        }
    }
    return "";
}

std::string help_of(const Flag& flag, Command command) {
    const std::string variable = variable_of(flag);
    const std::string otherwise = default_of(flag, command);
    return flag.help + (variable.empty() ? "" : fmt::format(" [{}]", variable)) +
           (otherwise.empty() ? "" : fmt::format(" (default: {})", otherwise));
}

void set_flag(const Flag& flag, const std::string& name, const std::string& value,
              Options& options) {
    options.given.push_back({flag.name, value, flag.value.form.empty()});
    if (flag.value.set(options, value)) {
        return;
    }
    const std::string too_large = too_large_text(flag.value.form, name, value);
    const Words words = flag.value.words;
    throw UsageError(!too_large.empty()
                         ? too_large
                         : fmt::format("{}: expected {}, found \"{}\"{}", name, flag.value.expected,
                                       printable(value),
                                       did_you_mean(value, {words.begin(), words.end()})));
}

}  // namespace lockkeeper
