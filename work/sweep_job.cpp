// SPDX-License-Identifier: Apache-2.0
#include "work/sweep_job.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "measure/sweep.hpp"
#include "measure/sweep_points.hpp"
#include "measure/sweep_run.hpp"
#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/base/process_memory.hpp"
#include "work/desk.hpp"
#include "work/jobs.hpp"
#include "work/results/sweep_table.hpp"
#include "work/results/text_output.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

// `where`: of several axes all, of one axis any. UsageError (--where) for unknown names.
SweepCondition condition_of(const Sweep& sweep,
                            const std::vector<std::pair<std::string, std::string>>& where) {
    SweepCondition condition;
    for (const auto& [name, choice] : where) {
        std::vector<std::string> axes;
        std::vector<std::string> choices;
        for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
            axes.push_back(sweep.axes[i].name);
            if (axes.back() != name) {
                continue;
            }
            for (const SweepChoice& one : sweep.axes[i].choices) {
                choices.push_back(one.name);
            }
            SweepAlternative alternative;
            alternative.all = {choice};
            condition[i].push_back(std::move(alternative));
        }
        if (choices.empty()) {
            throw UsageError("--where: unknown axis \"" + name + "\"" +
                             nearest_or_known(name, axes));
        }
        if (std::find(choices.begin(), choices.end(), choice) == choices.end()) {
            throw UsageError(fmt::format("--where: \"{}\" has no choice \"{}\"{}", name, choice,
                                         nearest_or_known(choice, choices)));
        }
    }
    return condition;
}

// The registry must outlive it.
VaryScenario vary_by(const Registry& registry) {
    return [&registry](const std::string& name, double value, Scenario& scenario) {
        Law law = scenario.law.value_or(Law());
        vary(registry, name, value, scenario, law, "the sweep");
        if (scenario.law) {
            scenario.law = law;
        }
    };
}

std::string stored_table(const std::string& file) {
    auto stored = read_text(file, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&stored)) {
        throw BadInput({name_in_messages(file), "", none->message});
    }
    return std::move(std::get<std::string>(stored));
}

std::set<std::string> rows_left_out(const SweepQuestion& question) {
    if (!question.check_up_to) {
        return {};
    }
    if (!question.check) {
        throw UsageError("--check-up-to: needs --check, which says how many states a row has");
    }
    return rows_above(stored_table(*question.check), *question.check_up_to);
}

// A point as a scenario file, "0001.json", for whoever wants to look into it: name, text.
std::pair<std::string, std::string> scenario_file_of(const Registry& registry,
                                                     const SweptTable& table, std::size_t index) {
    const Scenario scenario =
        value_or_throw(scenario_of(table.sweep, table.points.at(index), vary_by(registry)));
    return {fmt::format("{:04}.json", index + 1), to_json_text(scenario)};
}

// After the time, or an interrupt, the rest is left out.
void write_scenarios(const Desk& desk, const SweptTable& table) {
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        if (interrupt_requested() || desk.deadline.is_past()) {
            return;
        }
        const auto [name, text] = scenario_file_of(desk.registry, table, i);
        TextOutput(desk.standard, *desk.asked.out_directory + "/" + name, output_rule(desk, "{\n"))
            .write(text);
    }
}

void explore_points(const Desk& desk, SweptTable& table) {
    const Asked& options = desk.asked;
    const auto watcher = desk.watch({table.points.size()});
    SweepLimits limits{static_cast<unsigned>(jobs_of(options)), {options.ranks}};
    limits.states_max = first_of(options.states_max, table.sweep.states_max, UINT64_MAX);
    limits.seconds_max = desk.deadline.left(limits.seconds_max);
    limits.bytes_max = options.bytes_max.value_or(memory_default());
    limits.progress = [&](std::uint64_t done, double seconds) {
        watcher->show(MeasureProgress{done, seconds});
    };
    table.results = value_or_throw(
        run_sweep(desk.registry, table.sweep, table.points, limits, vary_by(desk.registry)));
}

}  // namespace

SweptTable begin_sweep(const std::string& file, const SweepQuestion& question,
                       const Deadline& deadline) {
    if (question.is_long && question.is_hours) {
        throw UsageError("--long: excludes --hours");
    }
    SweptTable table;
    table.sweep = value_or_throw(load_sweep(file));
    table.points = value_or_throw(points_until(deadline, table.sweep));
    const SweepCondition where = condition_of(table.sweep, question.where);
    const std::set<std::string> left_out = rows_left_out(question);
    const auto is_asked = [&](const SweepPoint& point) {
        const bool has_effort = question.is_hours
                                    ? point.effort == SweepEffort::kHours
                                    : point.effort == SweepEffort::kQuick ||
                                          (question.is_long && point.effort == SweepEffort::kLong);
        return has_effort && holds(where, point.chosen) &&
               (left_out.empty() || !left_out.contains(row_name(table.sweep, point.chosen)));
    };
    const auto others = std::stable_partition(table.points.begin(), table.points.end(), is_asked);
    for (auto point = others; point != table.points.end(); ++point) {
        table.not_asked.push_back(std::move(point->chosen));
    }
    table.points.erase(others, table.points.end());
    if (table.points.empty() && !interrupt_requested() && !deadline.is_past()) {
        throw UsageError(name_in_messages(file) + ": no point is left");
    }
    return table;
}

Verdict sweep_verdict(const SweptTable& table) {
    // None: an interrupt came while they were made, or the time was over.
    const char* const limit = interrupt_requested() ? "interrupted" : "time";
    Verdict verdict = table.points.empty() ? Verdict(Inconclusive{limit}) : Passed{};
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const SweptPoint& result = table.results[i];
        const std::string point = point_text(table.sweep, table.points[i]);
        for (const SweptViolation& violation : result.violations) {
            if (!is_expected(table.sweep, table.points[i], violation)) {
                return Violated{name_of(violation) + " (" + point + ")"};
            }
        }
        if (result.measured && result.measured->agreement &&
            !result.measured->agreement->agrees()) {
            return Disagreement{"exact and sampled differ: " +
                                difference_text(*result.measured->agreement) + " (" + point + ")"};
        }
        if (!result.complete && is<Passed>(verdict)) {
            verdict = Inconclusive{"", point + " is not complete (" + what_ended(result) + ")"};
        }
    }
    return verdict;
}

void compare_with_stored(const std::string& file, const SweptTable& table, RunReport& report) {
    const std::string difference = first_table_difference(stored_table(file), table);
    if (!difference.empty() && is<Passed>(report.verdict)) {
        report.verdict = Violated{name_in_messages(file) + ": " + difference};
    }
}

RunReport sweep_file(const Desk& desk, const std::string& file) {
    const Deadline began;
    const SweepFlags& flags = desk.asked.sweep;
    std::optional<TextOutput> table_file;
    if (flags.table_file) {
        table_file.emplace(desk.standard, *flags.table_file, output_rule(desk, kSweepTableMark));
    }
    RunReport report;
    report.command = desk.asked.command;
    report.file = file;
    SweptTable& table = report.details.emplace<SweptTable>(begin_sweep(file, flags, desk.deadline));
    report.about = table.sweep.about;
    desk.head(report);
    if (desk.asked.out_directory) {
        write_scenarios(desk, table);
    }
    explore_points(desk, table);  // none, where they are not all of them
    report.seconds = began.elapsed();
    report.verdict = sweep_verdict(table);
    report.is_interrupted = interrupt_requested();
    if (flags.check) {
        compare_with_stored(*flags.check, table, report);
    }
    if (table_file && !table.points.empty()) {  // else the file of before stays
        table_file->write(sweep_table_json(table));
    }
    return report;
}

}  // namespace lockkeeper
