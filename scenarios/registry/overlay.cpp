// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/overlay.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {
namespace {

// A wrong name in --check is the command line's fault, not the file's.
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

// --set is at fault where a scenario is refused only since the flag has changed a number.
void refuse_what_is_set(const Registry& registry, const Scenario& as_written,
                        const InputError& error, const std::string& set_flags) {
    if (!set_flags.empty() && !std::holds_alternative<InputError>(make_job(registry, as_written))) {
        throw UsageError(fmt::format("{}: {}{}{}", set_flags.substr(1), error.pointer,
                                     error.pointer.empty() ? "" : ": ", error.message));
    }
}

}  // namespace

Scenario laid_over(const Overlay& overlay, Scenario scenario) {
    if (!overlay.check.empty()) {
        refuse_bad_checks(overlay.check);
        scenario.check = overlay.check;
    }
    const auto take = [](const auto& flag, auto& limit) { limit = flag ? flag : limit; };
    take(overlay.states_max, scenario.limits.states_max);
    take(overlay.steps_max, scenario.limits.steps_max);
    take(overlay.schedules_max, scenario.limits.schedules_max);
    take(overlay.seconds_max, scenario.limits.seconds_max);
    scenario.seed = overlay.seed.value_or(scenario.seed);
    return scenario;
}

Schedule schedule_of_flag(const std::string& flag, const std::string& line) {
    auto parsed = parse_schedule(line);
    if (const auto* error = std::get_if<ScheduleError>(&parsed)) {
        throw BadInput({flag, "character " + std::to_string(error->offset + 1), error->message});
    }
    return std::get<Schedule>(std::move(parsed));
}

std::string set_flags_of(const Overlay& overlay) {
    std::string text;
    for (const auto& [name, number] : overlay.numbers) {
        text += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    return text;
}

Job prepare(const Registry& registry, const Overlay& overlay, Scenario scenario) {
    scenario = laid_over(overlay, std::move(scenario));
    if (!overlay.check.empty()) {
        scenario.expect.max_rate.clear();  // bounds are of what the file checks
    }
    if (const auto error = strategy_error(scenario.strategy); error && !scenario.strategy.empty()) {
        refuse(scenario, "/strategy",
               *error + nearest_or_known(scenario.strategy, {std::begin(kPlainStrategies),
                                                             std::end(kPlainStrategies)}));
    }
    const Scenario as_written = scenario;
    for (const auto& [name, number] : overlay.numbers) {
        set_number(registry, name, number, scenario, "--set");
    }
    scenario.strategy = overlay.strategy.value_or(scenario.strategy);
    auto made = make_job(registry, std::move(scenario));
    if (const auto* error = std::get_if<InputError>(&made)) {
        if (!overlay.check.empty()) {
            refuse_checks_that_do_not_apply(*error);
        }
        refuse_what_is_set(registry, as_written, *error, set_flags_of(overlay));
    }
    Job job = value_or_throw(as_written, std::move(made));
    job.program = overlay.program;
    job.set_flags = set_flags_of(overlay);
    job.is_check_of_flag = !overlay.check.empty();
    return job;
}

}  // namespace lockkeeper
