#include "app/job.hpp"

#include <algorithm>

#include "app/did_you_mean.hpp"
#include "app/exit_code.hpp"
#include "app/vary.hpp"
#include "model/check.hpp"
#include "properties/catalogue.hpp"
#include "reports/scope.hpp"
#include "reports/words.hpp"
#include "scheduler/strategy.hpp"

namespace lockkeeper {
namespace {

// A property that does not exist is never violated: the expectation could not be met, whatever the
// lock does.
void refuse_unknown_expectations(const Scenario& scenario, const std::string& place) {
    const std::vector<std::string>& expected = scenario.expect.properties;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (find_property(expected[i]) == nullptr) {
            throw BadInput({scenario.file, place + "/expect/properties/" + std::to_string(i),
                            unknown_property(expected[i])});
        }
    }
}

// The same for bounds of rates; and what is not checked is not measured.
void refuse_unknown_bounds(const Job& job, const std::string& place) {
    for (const auto& entry : job.scenario.expect.max_rate) {
        const std::string& name = entry.first;
        std::string where = place;
        where += "/expect/max_rate/";
        where += name;
        const InputError error{job.scenario.file, where, ""};
        const Property* property = find_property(name);
        if (property == nullptr) {
            throw BadInput({error.file, error.pointer, unknown_property(name)});
        }
        if (name == "livelock") {
            throw BadInput({error.file, error.pointer,
                            "livelock is a property of cycles, not of runs: it has no rate"});
        }
        if (std::find(job.check.begin(), job.check.end(), property) == job.check.end()) {
            throw BadInput({error.file, error.pointer, "\"" + name + "\" is not in \"check\""});
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

template <class Value>
Value value_at(const std::string& place, std::variant<Value, InputError> result) {
    if (auto* error = std::get_if<InputError>(&result)) {
        error->pointer = place + error->pointer;
    }
    return value_or_throw(std::move(result));
}

}  // namespace

Job prepare(const Session& session, Scenario scenario, const std::string& place) {
    const Options& options = session.options;
    if (!options.check.empty()) {
        refuse_bad_checks(options.check);
        scenario.check = options.check;
    }
    if (const auto error = strategy_error(scenario.strategy); error && !scenario.strategy.empty()) {
        throw BadInput({scenario.file, place + "/strategy", *error});
    }
    Job job;
    job.program = options.program;
    for (const auto& [name, number] : options.numbers) {
        set_number(session.registry, name, number, scenario, "--set");
        job.set_flags += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    scenario.seed = options.seed.value_or(scenario.seed);
    scenario.strategy = options.strategy.value_or(scenario.strategy);
    job.file = scenario.file;
    job.runner = value_at(place, session.registry.make(scenario));
    job.check = value_at(place, properties_to_check(scenario, job.runner->features()));
    job.reach = value_at(place, goals_to_reach(scenario));
    refuse_unknown_expectations(scenario, place);
    job.scenario = std::move(scenario);
    if (options.check.empty()) {
        refuse_unknown_bounds(job, place);
    }
    return job;
}

std::string scope_of(const Scenario& scenario, const WorldConfig& world) {
    const ScenarioParameters& parameters = scenario.parameters;
    std::string text = scope_text(world);
    if (scenario.system.starts_with("canal")) {
        text += parameters.has_manager
                    ? ", manager_max_per " + std::to_string(parameters.manager_max_per)
                    : ", no manager";
        text += ", max_decr_tries " + (parameters.max_decr_tries
                                           ? std::to_string(*parameters.max_decr_tries)
                                           : std::string("unlimited"));
        text += parameters.tables.empty() ? ", cold" : ", warm";
    }
    for (const auto* numbers : {&parameters.own, &parameters.faults}) {
        for (const auto& [name, number] : *numbers) {
            text += ", " + name + " " + std::to_string(number);
        }
    }
    return text;
}

std::string scope_of(const Job& job) { return scope_of(job.scenario, job.runner->world()); }

std::vector<std::size_t> order_of(const Job& job) {
    std::vector<std::size_t> order;
    const auto& callers = job.runner->world().callers;
    for (const std::string& name : job.scenario.order) {
        const auto caller =
            std::find_if(callers.begin(), callers.end(),
                         [&](const CallerConfig& candidate) { return candidate.name == name; });
        LOCKKEEPER_CHECK(caller != callers.end());
        order.push_back(static_cast<std::size_t>(caller - callers.begin()));
    }
    return order;
}

RunReport begin_report(const Session& session, const Job& job, const std::string& strategy) {
    RunReport report;
    report.command = name_of(session.options.command);
    report.file = job.file;
    report.system = job.scenario.system;
    report.variant = job.scenario.variant;
    report.strategy = strategy;
    report.scope = scope_of(job);
    report.short_scope = short_scope_text(job.runner->world());
    report.seed = job.scenario.seed;
    report.checked = job.check;
    return report;
}

}  // namespace lockkeeper
