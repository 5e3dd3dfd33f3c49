// SPDX-License-Identifier: Apache-2.0
#include "work/measure_files.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/process_memory.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// "a/b.svg" of the second file of several: "a/b-2.svg".
std::string numbered(const std::string& file, std::size_t number) {
    if (number == 0) {
        return file;
    }
    const std::filesystem::path path(file);
    const std::string name =
        fmt::format("{}-{}{}", path.stem().string(), number + 1, path.extension().string());
    return (path.parent_path() / name).string();
}

// "chain", "chain-2" of the second point, "2-chain" of the second file.
std::string chain_prefix(const std::string& directory, std::size_t file, std::size_t point) {
    const std::string file_part = file > 0 ? fmt::format("{}-", file + 1) : "";
    const std::string point_part = point > 0 ? fmt::format("-{}", point + 1) : "";
    return directory + "/" + file_part + "chain" + point_part;
}

Finding run_of(const Job& job, const Property* property, const Schedule& schedule) {
    Finding run;
    run.property = property;
    run.schedule = schedule;
    ReplayOptions options;
    options.check = {property};
    run.trace = job.runner->replay(run.schedule, options);
    run.is_violation = !run.trace.violated.empty();
    return run;
}

}  // namespace

std::vector<MeasureOutputs> claim_measure_outputs(std::ostream& standard,
                                                  const WantedOutputs& wanted,
                                                  std::size_t files_count, const OutputRule& rule,
                                                  const OutputRule& rule_of_plots) {
    if (wanted.prism_directory) {
        std::error_code ignored;  // claiming the files in it reports the error
        std::filesystem::create_directories(*wanted.prism_directory, ignored);
    }
    std::vector<MeasureOutputs> outputs(files_count);
    for (std::size_t file = 0; file < files_count; ++file) {
        if (wanted.svg_file) {
            outputs[file].svg = std::make_unique<TextOutput>(
                standard, numbered(*wanted.svg_file, file), rule_of_plots);
        }
        for (std::size_t point = 0; wanted.prism_directory && point < wanted.points_count;
             ++point) {
            outputs[file].chains.push_back(std::make_unique<PrismFiles>(
                chain_prefix(*wanted.prism_directory, file, point), rule));
        }
    }
    return outputs;
}

void write_extremes(const Job& job, const MeasureResult& result, const std::string& directory,
                    const OutputRule& rule, std::vector<std::string>& files_written) {
    for (const PropertyRates& rates : result.properties) {
        if (!rates.extremes) {
            continue;
        }
        for (const auto& schedule :
             {rates.extremes->schedule_most, rates.extremes->schedule_least}) {
            if (!schedule) {
                continue;
            }
            const Finding run = run_of(job, rates.property, *schedule);
            const std::string path = write_trace(directory, job.scenario, run, rule);
            if (std::find(files_written.begin(), files_written.end(), path) ==
                files_written.end()) {
                files_written.push_back(path);
            }
        }
    }
}

void write_chain(const Job& job, const MeasureOptions& options, PrismFiles& files,
                 RunReport& report) {
    if (const auto wrong = export_to_prism(job.runner->erased(), options, files)) {
        throw BadInput({report.file, "", "--prism: " + *wrong});
    }
    for (const OutputClaim* file : {&files.states, &files.transitions, &files.labels}) {
        report.files_written.push_back(file->path());
    }
}

namespace {

// The worst one stays.
void take_worse(Verdict verdict, RunReport& report) {
    const int before = exit_code_of(report.verdict);
    if (worse_exit_code(before, exit_code_of(verdict)) != before) {
        report.verdict = std::move(verdict);
    }
}

void judge_below(const MeasureResult& result, double bound, RunReport& report) {
    if (result.properties.empty()) {
        return;
    }
    const auto [largest, is_below] = check_below(result, bound);
    const std::string text = fmt::format("{}: {} per run", title_of(*largest->property),
                                         number_text(largest->per_run.value));
    if (!is_below) {
        take_worse(Inconclusive{"", fmt::format("{}: not decided whether below {}", text,
                                                number_text(bound))},
                   report);
    } else if (!*is_below) {
        take_worse(Violated{fmt::format("{} is not below {}", text, number_text(bound))}, report);
    }
}

void judge_bounds(const MeasureResult& result, const RateBounds& max_rate, RunReport& report) {
    report.rates = check_bounds(result, max_rate);
    for (const RateCheck& check : report.rates) {
        const std::string text =
            fmt::format("{}: {} per run, allowed {}", title_of(*check.property),
                        number_text(check.rate.value), number_text(check.bound));
        if (!check.met) {
            take_worse(Inconclusive{"", text}, report);
        } else if (!*check.met) {
            take_worse(Violated{text}, report);
        }
    }
}

void note_interrupt(RunReport& report) {
    if (interrupt_requested()) {
        report.verdict = Inconclusive{"", "interrupted"};
        report.is_interrupted = true;
    }
}

}  // namespace

void judge_measurement(std::optional<double> below, const RateBounds& max_rate, RunReport& report) {
    const auto& points = std::get<Measurement>(report.details).points;
    for (const MeasuredPoint& point : points) {
        const MeasureResult& result = point.result;
        if (point.agreement && !point.agreement->agrees()) {
            take_worse(
                Disagreement{"exact and sampled differ: " + difference_text(*point.agreement)},
                report);
        }
        // A whole graph may still lack bounds over all schedulers.
        if (!result.complete || !result.limit.empty()) {
            take_worse(Inconclusive{result.limit}, report);
        }
        if (below) {
            judge_below(result, *below, report);
        }
    }
    if (!max_rate.empty() && !points.empty()) {
        judge_bounds(points.front().result, max_rate, report);
    }
    note_interrupt(report);
}

void judge_points_left(std::size_t planned, RunReport& report) {
    const std::size_t measured = std::get<Measurement>(report.details).points.size();
    if (measured < planned && !report.is_interrupted) {
        take_worse(Inconclusive{"time"}, report);
    }
}

void judge_measurement(std::optional<double> below, const RateBounds& max_rate,
                       const std::vector<Job>& jobs, std::optional<std::uint64_t> bytes_max,
                       RunReport& report) {
    judge_measurement(below, max_rate, report);
    if (jobs.size() == 1 && !interrupt_requested()) {
        const auto& seconds_max = jobs.front().scenario.limits.seconds_max;
        const GoalLimits limits{
            .bytes_max = bytes_max.value_or(memory_default()),
            .seconds_max = std::max(0.0, seconds_max.value_or(kNoTimeLimit) - report.seconds)};
        const Deadline began;
        judge_goals(jobs.front(), jobs.front().reach, limits, "measured", report);
        report.seconds += began.elapsed();
        note_interrupt(report);
    }
}

}  // namespace lockkeeper
