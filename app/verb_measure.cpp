// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <fmt/format.h>

#include "app/validate.hpp"
#include "app/verbs.hpp"
#include "reports/measure_outputs.hpp"
#include "scenarios/bad_input.hpp"
#include "work/extreme_traces.hpp"
#include "work/measure_verdict.hpp"
#include "work/measured_program.hpp"
#include "work/results/words.hpp"
#include "work/scope.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// The command that gives the same figures again. The file keeps what it says, but for the seed.
std::string repeat_command(const Options& options, const RunReport& report) {
    return fmt::format(
        "{} measure {} --seed {}{}", options.program, shell_quoted(report.file), report.seed,
        given_again(options,
                    {"--law", "--method", "--below", "--runs", "--max-states", "--max-steps",
                     "--keep-loss-under", "--confidence", "--relative-width", "--bounds", "--ages",
                     "--check", "--set", "--sweep", "--compare"}) +
            given_again(options, {"--program", "--wire", "--client"}) + wire_flags_again(options));
}

RunReport begin(const Session& session, const Scenario& scenario) {
    const MeasureFlags& flags = session.options.measure;
    const Job job = prepare(session, scenario);
    RunReport report = begin_report(session, job, "");
    report.words = kMeasureWords;
    report.checked = measurable(job.check);
    const ChosenLaw law = law_for(flags.chosen_law, scenario);
    report.details = Measurement{law, warnings_about(law.law, job.scenario), flags.confidence, {}};
    report.repeat_command = repeat_command(session.options, report);
    return report;
}

// `chain`: null without --prism. What was measured is told also where a file cannot be written.
MeasuredPoint measure(const Session& session, const Job& job, const Law& law, PrismFiles* chain,
                      RunReport& report) {
    const Options& flags = session.options;
    MeasureOptions options = measure_options(session, job, law);
    ProgressLine line = progress_line(session);
    options.progress = [&](std::uint64_t done, double seconds) {
        line.show(MeasureProgress{done, seconds});
    };
    MeasuredPoint point =
        measure_point(*job.runner, job.scenario, options,
                      job.scenario.limits.states_max.has_value(), flags.measure.keep_loss_under);
    point.scope = scope_of(job);
    line.wipe();
    write_beside(session, report, [&] {
        if (flags.out_directory) {
            write_extremes(job, point.result, *flags.out_directory,
                           output_rule(session, kTraceMark), report.files_written);
        }
    });
    options.progress = nullptr;
    write_beside(session, report, [&] {
        if (chain != nullptr) {
            write_chain(job, options, *chain, report);
        }
    });
    return point;
}

// Programs of the protocol, and unmodified clients.
RunReport measure_outside(const Session& session, const std::string& file) {
    const Options& options = session.options;
    const MeasureFlags& flags = options.measure;
    ProgramJob job = (options.validate.wire ? wire_job : program_job)(
        session, value_or_throw(load_scenario(file)));
    const MeasureOptions asked =
        begin_measuring(job, flags.chosen_law, flags, flags.plan,
                        flags.prism_directory || flags.svg_file || options.out_directory,
                        is_given(options, "--runs"));
    job.report.repeat_command = repeat_command(options, job.report);
    session.writer->head(job.report);
    ProgressLine line = progress_line(session);
    measure_program(job, asked, line);
    session.writer->result(job.report);
    return std::move(job.report);
}

RunReport measure_file(const Session& session, const std::string& file, MeasureOutputs& outputs) {
    const auto start = std::chrono::steady_clock::now();
    const MeasureFlags& flags = session.options.measure;
    const Scenario scenario = value_or_throw(load_scenario(file));
    refuse_contradictions(flags, flags.plan, session.options.numbers);
    RunReport report = begin(session, scenario);
    Measurement& measured = std::get<Measurement>(report.details);
    session.writer->head(report);
    // All of them before the first is measured: a bad value costs no finished point.
    std::vector<Job> jobs;
    auto points = planned_points(session.registry, scenario, measured.law, flags.plan);
    jobs.reserve(points.size());
    for (const PlannedPoint& point : points) {
        jobs.push_back(prepare(session, point.scenario));
    }
    for (std::size_t i = 0; i < jobs.size() && !interrupt_requested(); ++i) {
        PrismFiles* chain = outputs.chains.empty() ? nullptr : outputs.chains.at(i).get();
        measured.points.push_back(measure(session, jobs[i], points[i].law, chain, report));
        measured.points.back().at = points[i].at;
    }
    const bool is_as_it_stands = flags.plan.variants.empty() && flags.plan.sweep.empty();
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    judge_measurement(flags.below, is_as_it_stands ? scenario.expect.max_rate : RateBounds{}, jobs,
                      session.options.bytes_max, report);
    write_beside(session, report, [&] {
        if (outputs.svg) {
            write_plot(*outputs.svg, report);
        }
    });
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_measure(const Session& session) {
    const MeasureFlags& flags = session.options.measure;
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    if (names_outside_code(session.options)) {
        return run_files(session, ResultsKind::kMeasurements, files,
                         [&](const std::string& file) { return measure_outside(session, file); });
    }
    std::vector<MeasureOutputs> outputs = claim_measure_outputs(
        session.out, {flags.svg_file, flags.prism_directory, flags.plan.points_count()},
        files.size(), output_rule(session, "", files));
    std::size_t measured = 0;
    return run_files(session, ResultsKind::kMeasurements, files, [&](const std::string& file) {
        return measure_file(session, file, outputs.at(measured++));
    });
}

}  // namespace lockkeeper
