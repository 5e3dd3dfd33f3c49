// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/verbs.hpp"
#include "measure/sweep_condition.hpp"
#include "model/read_text.hpp"
#include "reports/conclusion.hpp"
#include "reports/outputs.hpp"
#include "reports/progress.hpp"
#include "reports/sweep_report.hpp"
#include "reports/sweep_table.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/process_memory.hpp"

namespace lockkeeper {
namespace {

// The points as scenario files, "0001.json", for whoever wants to look into one of them.
void write_scenarios(const Session& session, const SweptTable& table) {
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const Scenario scenario =
            value_or_throw(scenario_of(table.sweep, table.points[i], vary_by(session.registry)));
        const std::string name = fmt::format("{:04}.json", i + 1);
        const auto path = std::filesystem::path(*session.options.out_directory) / name;
        TextOutput(session.out, path.string(), output_rule(session, "{\n"))
            .write(to_json_text(scenario));
    }
}

void compare(const Session& session, const SweptTable& table, RunReport& report) {
    const std::string& file = *session.options.sweep.check;
    const auto stored = read_text(file, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&stored)) {
        throw BadInput({name_in_messages(file), "", none->message});
    }
    const std::string difference = first_table_difference(std::get<std::string>(stored), table);
    if (!difference.empty() && is<Passed>(report.verdict)) {
        report.verdict = Violated{name_in_messages(file) + ": " + difference};
    }
}

SweptTable begin(const Session& session, const std::string& file) {
    SweptTable table;
    table.sweep = value_or_throw(load_sweep(file));
    table.points = value_or_throw(points_of(table.sweep));
    const SweepFlags& flags = session.options.sweep;
    const SweepCondition where = condition_of(table.sweep, flags.where);
    const auto is_asked = [&](const SweepPoint& point) {
        const bool has_effort = flags.is_hours
                                    ? point.effort == SweepEffort::kHours
                                    : point.effort == SweepEffort::kQuick ||
                                          (flags.is_long && point.effort == SweepEffort::kLong);
        return has_effort && holds(where, point.chosen);
    };
    const auto others = std::stable_partition(table.points.begin(), table.points.end(), is_asked);
    for (auto point = others; point != table.points.end(); ++point) {
        table.not_asked.push_back(std::move(point->chosen));
    }
    table.points.erase(others, table.points.end());
    if (table.points.empty()) {
        throw UsageError(name_in_messages(file) + ": no point is left");
    }
    return table;
}

void explore(const Session& session, SweptTable& table) {
    const Options& options = session.options;
    ProgressLine line(session.err, session.err_is_terminal, options.quiet, {table.points.size()});
    SweepLimits limits;
    limits.jobs = static_cast<unsigned>(jobs_of(options));
    limits.states_max = first_of(options.states_max, table.sweep.states_max, UINT64_MAX);
    limits.bytes_max = options.bytes_max.value_or(memory_default());
    limits.progress = [&](std::uint64_t done, double seconds) {
        line.show(MeasureProgress{done, seconds});
    };
    table.results = value_or_throw(
        run_sweep(session.registry, table.sweep, table.points, limits, vary_by(session.registry)));
}

RunReport sweep_file(const Session& session, const std::string& file) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    const SweepFlags& flags = session.options.sweep;
    if (flags.is_long && flags.is_hours) {
        throw UsageError("--long: excludes --hours");
    }
    std::optional<TextOutput> table_file;
    if (flags.table_file) {
        table_file.emplace(session.out, *flags.table_file, output_rule(session, kSweepTableMark));
    }
    RunReport report;
    report.command = name_of(session.options.command);
    report.file = file;
    SweptTable& table = report.details.emplace<SweptTable>(begin(session, file));
    report.about = table.sweep.about;
    session.writer->head(report);
    if (session.options.out_directory) {
        write_scenarios(session, table);
    }
    explore(session, table);
    report.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    report.verdict = sweep_verdict(table);
    report.is_interrupted = interrupt_requested();
    if (flags.check) {
        compare(session, table, report);
    }
    if (table_file) {
        table_file->write(sweep_table_json(table));
    }
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_sweep(const Session& session) {
    const SweepFlags& flags = session.options.sweep;
    const bool has_one_answer = flags.check || flags.table_file || session.options.csv_file ||
                                session.options.out_directory || session.options.format == "json";
    if (has_one_answer && session.options.files.size() != 1) {
        throw UsageError("--check, --table, --csv, --out and --format json go with one sweep");
    }
    std::vector<InputFile> files;
    for (const std::string& file : session.options.files) {
        files.push_back({file, ""});
    }
    return run_files(session, ResultsKind::kSweeps, files,
                     [&](const std::string& file) { return sweep_file(session, file); });
}

}  // namespace lockkeeper
