#include <chrono>

#include "app/measure_job.hpp"
#include "app/measure_outputs.hpp"
#include "app/repeat_measure.hpp"
#include "app/verbs.hpp"
#include "reports/conclusion.hpp"
#include "reports/extreme_traces.hpp"
#include "reports/measure_verdict.hpp"
#include "reports/progress.hpp"
#include "reports/trace_file.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

void refuse_what_does_not_go(const Options& options) {
    const MeasureFlags& flags = options.measure;
    const bool is_sampled =
        flags.method == MeasureMethod::kSampled || flags.method == MeasureMethod::kSplitting;
    if (flags.bounds && is_sampled) {
        throw UsageError("--bounds are of the whole graph: they go with --method auto or exact");
    }
    for (const SweepAxis& axis : flags.plan.sweep) {
        if (options.numbers.contains(axis.name)) {
            throw UsageError("--set " + axis.name + " does not go with a sweep over it");
        }
    }
}

RunReport begin(const Session& session, const Scenario& scenario) {
    const MeasureFlags& flags = session.options.measure;
    const Job job = prepare(session, scenario);
    RunReport report = begin_report(session, job, "");
    report.words = kMeasureWords;
    report.checked = measurable(job.check);
    const ChosenLaw law = law_for(flags.law, scenario);
    report.details = Measurement{law, warnings_about(law.law, job.scenario), flags.confidence, {}};
    report.repeat_command = repeat_command(session, report);
    return report;
}

// What was measured is told also where a file cannot be written.
void write(const Session& session, RunReport& report, const std::function<void()>& write_file) {
    report.has_failed_output |= !write_or_complain(session, write_file);
}

void export_chain(const Job& job, const MeasureOptions& options, PrismFiles& files,
                  RunReport& report) {
    if (const auto wrong = export_to_prism(job.runner->erased(), options, files)) {
        throw BadInput({report.file, "", "--prism: " + *wrong});
    }
    for (const OutputClaim* file : {&files.states, &files.transitions, &files.labels}) {
        report.files_written.push_back(file->path());
    }
}

// `chain`: null without --prism.
MeasuredPoint measure(const Session& session, const Job& job, const Law& law, PrismFiles* chain,
                      RunReport& report) {
    const Options& flags = session.options;
    MeasureOptions options = measure_options(session, job, law);
    ProgressLine line(session.err, session.err_is_terminal, flags.quiet);
    options.progress = [&](std::uint64_t done, double seconds) {
        line.show(MeasureProgress{done, seconds});
    };
    MeasuredPoint point = measure_point(*job.runner, job.scenario, options,
                                        job.scenario.limits.states_max.has_value(),
                                        flags.measure.keep_loss_under.value_or(kLossShareDefault));
    point.scope = scope_of(job);
    line.wipe();
    write(session, report, [&] {
        if (flags.out_directory) {
            write_extremes(job, point.result, *flags.out_directory,
                           output_rule(session, kTraceMark), report.files_written);
        }
    });
    if (chain != nullptr) {
        write(session, report,
              [&] { export_chain(job, measure_options(session, job, law), *chain, report); });
    }
    return point;
}

RunReport measure_file(const Session& session, const std::string& file, MeasureOutputs& outputs) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const MeasureFlags& flags = session.options.measure;
    const Scenario scenario = value_or_throw(load_scenario(file));
    refuse_what_does_not_go(session.options);
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
    judge_measurement(flags.below, is_as_it_stands ? scenario.expect.max_rate : RateBounds{},
                      report);
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (outputs.svg) {
        write(session, report, [&] {
            Results only;
            only.kind = ResultsKind::kMeasurements;
            only.files = {report};
            outputs.svg->write(written(*find_format("svg"), only));
            report.files_written.push_back(outputs.svg->path());
        });
    }
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_measure(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    std::vector<MeasureOutputs> outputs = claim_measure_outputs(session, files);
    std::size_t measured = 0;
    return run_files(session, ResultsKind::kMeasurements, files, [&](const std::string& file) {
        return measure_file(session, file, outputs.at(measured++));
    });
}

}  // namespace lockkeeper
