#include "app/defaults.hpp"

#include <vector>

#include <fmt/format.h>

#include "app/measure_job.hpp"
#include "app/settings.hpp"
#include "app/validate.hpp"
#include "model/check.hpp"
#include "reports/measure_words.hpp"
#include "reports/words.hpp"
#include "validate/compare/compare.hpp"
#include "validate/erlang/conformance.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/program.hpp"
#include "validate/programs/stepped_search.hpp"
#include "validate/servers/conformance.hpp"

namespace lockkeeper {
namespace {

// "10m", as a flag takes it.
std::string time_text(double seconds) {
    const bool is_minutes = seconds >= 60;
    return fmt::format("{:g}{}", is_minutes ? seconds / 60 : seconds, is_minutes ? "m" : "s");
}

// Each row where the flag means something else, or ends something else.
std::vector<FlagDefault> make_defaults() {
    const FuzzOptions fuzz;
    const ExploreOptions explore;
    const MeasureOptions measure;
    const SteppedOptions stepped;
    const BlackBoxOptions black_box;
    const databases::ComparisonLimits server;
    constexpr unsigned kFuzzes = kForRun | kForFuzz;
    const auto of_setting = [](const char* flag, auto value) {
        for (const Setting& setting : settings()) {
            if (std::string(flag) == setting.flag) {
                return FlagDefault{flag, setting.commands,
                                   setting.words[static_cast<std::size_t>(value)]};
            }
        }
        unreachable("a default of a flag that is not there");
    };
    return {
        {"--seed", kForAll, fmt::format("the scenario's, else {}", Scenario().seed)},
        {"--strategy", kFuzzes, std::string("the scenario's, else ") + fuzz.strategy},
        {"--schedules", kFuzzes, with_commas(fuzz.schedules_max)},
        {"--schedules", kForValidate,
         fmt::format("{} of a stepped program, {} of a black box, {} with --against, {} with "
                     "--server",
                     with_commas(stepped.schedules_max), black_box.schedules_max,
                     with_commas(against::CompareLimits().schedules_max), server.random_schedules)},
        {"--max-steps", kFuzzes, with_commas(fuzz.steps_max) + " when fuzzing"},
        {"--max-steps", kForMeasure, with_commas(measure.steps_max)},
        {"--max-steps", kForValidate,
         fmt::format("{} of a stepped program, {} operations of a black box, {} with --against, {} "
                     "with --server, {} with --server erlang",
                     with_commas(stepped.steps_max), with_commas(black_box.operations_max),
                     with_commas(against::CompareLimits().steps_max), server.steps_max,
                     erlang::kLimits.steps_max)},
        {"--time-limit", kForValidate, time_text(CheckLimits().seconds_max) + " with --history"},
        {"--max-states", kForMeasure,
         fmt::format("{}; {} with --method auto", with_commas(measure.states_max),
                     with_commas(kExactStates))},
        of_setting("--format", Options().format),
        of_setting("--frontier", explore.frontier),
        of_setting("--storage", explore.storage),
        of_setting("--interleavings", explore.counting),
        of_setting("--on-divergence", Options().on_divergence),
        {"--checkpoint-every", kForExplore, time_text(explore.checkpoint.every)},
        {"--method", kForMeasure, name_of(measure.method)},
        {"--confidence", kForMeasure, fmt::format("{:g}", MeasureFlags().confidence)},
        {"--runs", kForMeasure, with_commas(measure.runs_max)},
        {"--keep-loss-under", kForMeasure, fmt::format("{:g}%", kLossShareDefault * 100)},
        {"--level", kForValidate, kLevelDefault},
        {"--search", kForValidate, kSearchDefault},
        {"--answer-time", kForValidate, time_text(ProgramOptions().answer_seconds)},
        {"--recovery-time", kForValidate, time_text(black_box.recovery_seconds)},
    };
}

}  // namespace

std::span<const FlagDefault> flag_defaults() {
    static const std::vector<FlagDefault> kDefaults = make_defaults();
    return kDefaults;
}

std::string default_of(const std::string& flag, Command command) {
    for (const FlagDefault& one : flag_defaults()) {
        if (flag == one.flag && (one.commands & (1U << static_cast<unsigned>(command))) != 0) {
            return one.text;
        }
    }
    return "";
}

}  // namespace lockkeeper
