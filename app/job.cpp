#include "app/job.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/json_position.hpp"
#include "properties/catalogue.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {
namespace {

// A property that does not exist is never violated: the expectation could not be met, whatever the
// lock does.
void refuse_unknown_expectations(const Scenario& scenario) {
    const std::vector<std::string>& expected = scenario.expect.properties;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (find_property(expected[i]) == nullptr) {
            refuse(scenario, fmt::format("/expect/properties/{}", i),
                   unknown_property(expected[i]));
        }
    }
}

// The same for bounds of rates; and what is not checked is not measured.
void refuse_unknown_bounds(const Job& job) {
    for (const auto& entry : job.scenario.expect.max_rate) {
        const std::string& name = entry.first;
        const std::string where = "/expect/max_rate/" + pointer_step(name);
        const Property* property = find_property(name);
        if (property == nullptr) {
            refuse(job.scenario, where, unknown_property(name));
        }
        if (property->is(PropertyNumber::kLivelock)) {
            refuse(job.scenario, where,
                   "livelock is a property of cycles, not of runs: it has no rate");
        }
        if (std::find(job.check.begin(), job.check.end(), property) == job.check.end()) {
            refuse(job.scenario, where, fmt::format("\"{}\" is not in \"check\"", name));
        }
    }
}

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
void refuse_checks_that_do_not_apply(const Registry& registry, const Scenario& scenario) {
    const RegisteredSystem* known = registry.find(scenario.system, scenario.variant);
    if (known == nullptr) {
        return;
    }
    const auto checks = properties_to_check(scenario, known->features);
    if (const auto* error = std::get_if<InputError>(&checks)) {
        throw BadInput({scenario.file, "--check", error->message});
    }
}

// What the scenario's system refuses only since --set has changed a number is that flag's fault.
template <class Made>
void refuse_what_is_set(const Registry& registry, const Scenario& as_written, const Made& made,
                        const std::string& set_flags) {
    const auto* error = std::get_if<InputError>(&made);
    if (error != nullptr && !set_flags.empty() &&
        !std::holds_alternative<InputError>(registry.make(as_written))) {
        throw UsageError(fmt::format("{}: {}{}{}", set_flags.substr(1), error->pointer,
                                     error->pointer.empty() ? "" : ": ", error->message));
    }
}

void build(const Registry& registry, const Scenario& as_written, const Scenario& scenario,
           Job& job) {
    auto understood = registry.understand(scenario);
    refuse_what_is_set(registry, as_written, understood, job.set_flags);
    job.understood = value_or_throw(scenario, std::move(understood));
    MadeRunner made = job.understood.system->make(job.understood.scenario);
    refuse_what_is_set(registry, as_written, made, job.set_flags);
    job.runner = value_or_throw(scenario, std::move(made));
}

}  // namespace

void take_checks(const Options& options, Scenario& scenario) {
    if (!options.check.empty()) {
        refuse_bad_checks(options.check);
        scenario.check = options.check;
    }
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
        refuse_checks_that_do_not_apply(session.registry, scenario);
    }
    if (const auto error = strategy_error(scenario.strategy); error && !scenario.strategy.empty()) {
        refuse(scenario, "/strategy",
               *error + nearest_or_known(scenario.strategy, {std::begin(kPlainStrategies),
                                                             std::end(kPlainStrategies)}));
    }
    Job job;
    job.program = options.program;
    const Scenario as_written = scenario;
    for (const auto& [name, number] : options.numbers) {
        set_number(session.registry, name, number, scenario, "--set");
        job.set_flags += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    scenario.seed = options.seed.value_or(scenario.seed);
    scenario.strategy = options.strategy.value_or(scenario.strategy);
    job.file = scenario.file;
    build(session.registry, as_written, scenario, job);
    job.check = value_or_throw(scenario, properties_to_check(scenario, job.runner->features()));
    job.reach = value_or_throw(scenario, goals_to_reach(scenario));
    refuse_unknown_expectations(scenario);
    job.scenario = std::move(scenario);
    if (options.check.empty()) {
        refuse_unknown_bounds(job);
    }
    return job;
}

RunReport begin_report(const Session& session, const Job& job, const std::string& strategy) {
    return begin_report(job, name_of(session.options.command), strategy);
}

}  // namespace lockkeeper
