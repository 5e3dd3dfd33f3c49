// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "work/jobs.hpp"
#include "work/measure_files.hpp"
#include "work/measure_verdict.hpp"
#include "work/program_job.hpp"
#include "work/results/words.hpp"
#include "work/scope.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// The command that gives the same figures again. The file keeps what it says, but for the seed.
std::string repeat_command(const Asked& options, const RunReport& report) {
    return fmt::format(
        "{} measure {} --seed {}{}", options.program, shell_quoted(report.file), report.seed,
        given_again(options,
                    {"--law", "--method", "--below", "--runs", "--max-states", "--max-steps",
                     "--keep-loss-under", "--confidence", "--relative-width", "--bounds", "--ages",
                     "--check", "--set", "--sweep", "--compare"}) +
            given_again(options, {"--program", "--tasks", "--promises", "--wire", "--client"}) +
            wire_flags_again(options));
}

RunReport begin(const Desk& desk, const Scenario& scenario) {
    const MeasureFlags& flags = desk.asked.measure;
    const Job job = prepare(desk, scenario);
    RunReport report = begin_report(desk, job, "");
    report.words = kMeasureWords;
    report.checked = measurable(job.check);
    const ChosenLaw law = law_for(flags.chosen_law, scenario);
    report.details = Measurement{law, warnings_about(law.law, job.scenario), flags.confidence, {}};
    report.repeat_command = repeat_command(desk.asked, report);
    return report;
}

// `chain`: null without --prism. What was measured is told also where a file cannot be written.
MeasuredPoint measure(const Desk& desk, const Job& job, const Law& law, PrismFiles* chain,
                      RunReport& report) {
    const Asked& flags = desk.asked;
    MeasureOptions options = measure_options(desk, job, law);
    const auto watcher = desk.watch();
    options.progress = [&](std::uint64_t done, double seconds) {
        watcher->show(MeasureProgress{done, seconds});
    };
    MeasuredPoint point =
        measure_point(*job.runner, job.scenario, options,
                      job.scenario.limits.states_max.has_value(), flags.measure.keep_loss_under);
    point.scope = scope_of(job);
    watcher->wipe();
    write_beside(desk, report, [&] {
        if (flags.out_directory) {
            write_extremes(job, point.result, *flags.out_directory, output_rule(desk, kTraceMark),
                           report.files_written);
        }
    });
    options.progress = nullptr;
    write_beside(desk, report, [&] {
        if (chain != nullptr) {
            write_chain(job, options, *chain, report);
        }
    });
    return point;
}

}  // namespace

RunReport measure_outside(const Desk& desk, const std::string& file) {
    const Asked& options = desk.asked;
    ProgramJob job =
        (options.validate.wire ? wire_job : program_job)(desk, value_or_throw(load_scenario(file)));
    const MeasureOptions asked = begin_measuring(job, options);
    job.report.repeat_command = repeat_command(options, job.report);
    desk.head(job.report);
    measure_program(job, asked, *desk.watch());
    return std::move(job.report);
}

RunReport measure_scenario(const Desk& desk, const std::string& file, const ChainFiles& chains) {
    const Deadline began;
    const MeasureFlags& flags = desk.asked.measure;
    const Scenario scenario = value_or_throw(load_scenario(file));
    refuse_contradictions(flags, flags.plan, desk.asked.numbers);
    RunReport report = begin(desk, scenario);
    Measurement& measured = std::get<Measurement>(report.details);
    desk.head(report);
    // All of them before the first is measured: a bad value costs no finished point.
    std::vector<Job> jobs;
    auto points = planned_points(desk.registry, scenario, measured.law, flags.plan);
    jobs.reserve(points.size());
    for (const PlannedPoint& point : points) {
        jobs.push_back(prepare(desk, point.scenario));
    }
    for (std::size_t i = 0; i < jobs.size() && !interrupt_requested(); ++i) {
        PrismFiles* chain = chains.empty() ? nullptr : chains.at(i).get();
        measured.points.push_back(measure(desk, jobs[i], points[i].law, chain, report));
        measured.points.back().at = points[i].at;
    }
    const bool is_as_it_stands = flags.plan.variants.empty() && flags.plan.sweep.empty();
    report.seconds = began.elapsed();
    judge_measurement(flags.below, is_as_it_stands ? scenario.expect.max_rate : RateBounds{}, jobs,
                      desk.asked.bytes_max, report);
    return report;
}

}  // namespace lockkeeper
