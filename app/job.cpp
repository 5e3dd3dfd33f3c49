#include "app/job.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {
namespace {

// What --check names is the command line's fault, not the file's.
void refuse_bad_checks(const std::vector<std::string>& names) {
    for (auto name_at = names.begin(); name_at != names.end(); ++name_at) {
        const std::string& name = *name_at;
        if (std::find(names.begin(), name_at, name) != name_at) {
            throw UsageError("--check: \"" + name + "\" stands in the list twice");
        }
        if (name != "all" && name != "safety" && find_property(name) == nullptr) {
            throw UsageError("--check: " + unknown_property(name, {"all", "safety"}));
        }
    }
}

// The same of properties that the system does not show.
void refuse_checks_that_do_not_apply(const InputError& error) {
    if (error.pointer.starts_with("/check")) {
        throw BadInput({error.file, "--check", error.message});
    }
}

// What is refused only since --set has changed a number is that flag's fault.
void refuse_what_is_set(const Registry& registry, const Scenario& as_written,
                        const InputError& error, const std::string& set_flags) {
    if (!set_flags.empty() && !std::holds_alternative<InputError>(make_job(registry, as_written))) {
        throw UsageError(fmt::format("{}: {}{}{}", set_flags.substr(1), error.pointer,
                                     error.pointer.empty() ? "" : ": ", error.message));
    }
}

}  // namespace

void take_checks(const Options& options, Scenario& scenario) {
    if (!options.check.empty()) {
        refuse_bad_checks(options.check);
        scenario.check = options.check;
    }
}

void take_limits(const Options& options, ScenarioLimits& limits) {
    const auto take = [](const auto& flag, auto& limit) { limit = flag ? flag : limit; };
    take(options.states_max, limits.states_max);
    take(options.steps_max, limits.steps_max);
    take(options.schedules_max, limits.schedules_max);
    take(options.seconds_max, limits.seconds_max);
}

Schedule schedule_of_flag(const std::string& flag, const std::string& line) {
    auto parsed = parse_schedule(line);
    if (const auto* error = std::get_if<ScheduleError>(&parsed)) {
        throw BadInput({flag, "character " + std::to_string(error->offset + 1), error->message});
    }
    return std::get<Schedule>(std::move(parsed));
}

Job prepare(const Session& session, Scenario scenario) {
    const Options& options = session.options;
    take_checks(options, scenario);
    if (!options.check.empty()) {
        scenario.expect.max_rate.clear();  // bounds are of what the file checks
    }
    if (const auto error = strategy_error(scenario.strategy); error && !scenario.strategy.empty()) {
        refuse(scenario, "/strategy",
               *error + nearest_or_known(scenario.strategy, {std::begin(kPlainStrategies),
                                                             std::end(kPlainStrategies)}));
    }
    const Scenario as_written = scenario;
    std::string set_flags;
    for (const auto& [name, number] : options.numbers) {
        set_number(session.registry, name, number, scenario, "--set");
        set_flags += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    scenario.seed = options.seed.value_or(scenario.seed);
    scenario.strategy = options.strategy.value_or(scenario.strategy);
    take_limits(options, scenario.limits);
    auto made = make_job(session.registry, std::move(scenario));
    if (const auto* error = std::get_if<InputError>(&made)) {
        if (!options.check.empty()) {
            refuse_checks_that_do_not_apply(*error);
        }
        refuse_what_is_set(session.registry, as_written, *error, set_flags);
    }
    Job job = value_or_throw(as_written, std::move(made));
    job.program = options.program;
    job.set_flags = set_flags;
    job.is_check_of_flag = !options.check.empty();
    return job;
}

RunReport begin_report(const Session& session, const Job& job, const std::string& strategy) {
    return begin_report(job, name_of(session.options.command), strategy);
}

}  // namespace lockkeeper
