// The two levels of `validate --program`: the flags laid over the scenario's limits, the search or
// the recorded runs, and what they came to as a report.
#include <algorithm>
#include <filesystem>

#include "app/execute.hpp"
#include "app/validate_program.hpp"
#include "reports/black_box_text.hpp"
#include "reports/program_report.hpp"
#include "reports/progress.hpp"
#include "reports/run_text.hpp"
#include "reports/stepped_text.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

// Limits that both levels have. The flags are laid over those of the scenario.
void take_limits(const ScenarioLimits& limits, std::uint64_t& schedules_max,
                 std::uint64_t& steps_max, double& seconds_max) {
    schedules_max = limits.schedules_max.value_or(schedules_max);
    steps_max = limits.steps_max.value_or(steps_max);
    seconds_max = limits.seconds_max.value_or(seconds_max);
}

SteppedOptions stepped_options(const Session& session, const ProgramJob& job) {
    const Options& flags = session.options;
    const std::string method = flags.validate.search.value_or(kSearchDefault);
    SteppedOptions options;
    options.method = method == "explore"  ? SteppedMethod::kExplore
                     : method == "random" ? SteppedMethod::kRandom
                                          : SteppedMethod::kBoth;
    options.seed = job.report.seed;
    take_limits(job.scenario.limits, options.schedules_max, options.steps_max, options.seconds_max);
    options.preemptions_max = flags.validate.preemptions_max;
    return options;
}

ModelChoice parsed_model(const std::string& name) {
    const auto parsed = parse_model(name);
    if (const auto* error = std::get_if<ModelError>(&parsed)) {
        throw UsageError("--model: " + error->message);
    }
    return std::get<ModelChoice>(parsed);
}

BlackBoxOptions black_box_options(const Session& session, const ProgramJob& job,
                                  const std::string& model) {
    const Options& flags = session.options;
    BlackBoxOptions options;
    options.model = parsed_model(model);
    options.model_is_chosen = flags.validate.model.has_value();
    options.process_per_caller = flags.validate.process_per_caller;
    options.recovery_seconds = flags.validate.recovery_seconds.value_or(options.recovery_seconds);
    options.seed = job.report.seed;
    take_limits(job.scenario.limits, options.schedules_max, options.operations_max,
                options.seconds_max);
    options.check.stop = interrupt_requested;
    options.check.ladder = false;
    options.check.seconds_max = std::min(options.check.seconds_max, options.seconds_max);
    return options;
}

void run_stepped(const Session& session, ProgramJob& job, SteppedSearch& search,
                 const Program& program, ProgressLine& line) {
    RunReport& report = job.report;
    SteppedAnswer& answer = report.details.emplace<SteppedAnswer>();
    answer.ticks_max = job.world.ticks_max;
    answer.tick_width = job.world.tick_width;
    const auto take = [&](const SteppedVerdict& judged) {
        conclude(report, judged.verdict);
        take_run(judged, replay_command(session, job, to_line(judged.schedule)), report);
        answer.is_cut_short = judged.trace.stopped;
        answer.misbehaves = judged.misbehaves;
        answer.last_words = program.last_words();
    };
    if (job.replayed) {
        take(judge_replay(search, *job.replayed, job.labels));
        return;
    }
    const SteppedResult& result = answer.searched.emplace(search.search());
    line.wipe();
    const SteppedVerdict judged = judge_search(search, result, job.world, report.seed);
    take_result(result, job.reach, report);
    take(judged);
    if (!report.findings.empty() && session.options.out_directory) {
        // A trace file has the steps that can be replayed; the look at the end comes by itself.
        Finding written = report.findings.front();
        written.trace.steps.resize(written.schedule.actions.size());
        write_finding(session, job.scenario, written, report);
        report.findings.front().trace_file = written.trace_file;
    }
}

void write_history_file(const Session& session, const BlackBoxResult& result, RunReport& report) {
    if (!session.options.out_directory) {
        return;
    }
    std::string name = std::filesystem::path(report.file).stem().string() + "-" +
                       std::to_string(report.seed + result.schedules - 1) + ".history.jsonl";
    std::replace(name.begin(), name.end(), ':', '-');
    const std::string path = *session.options.out_directory + "/" + name;
    report.has_failed_output |= !write_or_complain(session, [&] {
        OutputClaim(path, output_rule(session, kHistoryMark))
            .write(marked_history(write_history(result.history)));
        report.files_written.push_back(path);
    });
}

}  // namespace

void validate_stepped(const Session& session, ProgramJob& job) {
    SteppedOptions options = stepped_options(session, job);
    job.report.strategy =
        job.replayed ? "replay" : session.options.validate.search.value_or(kSearchDefault);
    session.writer->head(job.report);
    ProgressLine line(session.err, session.err_is_terminal, session.options.quiet);
    options.progress = [&](const FuzzProgress& progress) { line.show(progress); };
    Program program(job.program);
    SteppedSearch search(program, job.world, options);
    try {
        run_stepped(session, job, search, program, line);
        session.writer->result(job.report);
    } catch (const Misbehaved& error) {
        line.wipe();
        program.kill();
        throw Misbehaved(error.kind(), error.what(), program.last_words());
    }
}

void validate_black_box(const Session& session, ProgramJob& job) {
    RunReport& report = job.report;
    const std::string model = session.options.validate.model.value_or(model_of(job));
    BlackBoxOptions options = black_box_options(session, job, model);
    report.strategy = "recorded";
    report.checked.clear();
    session.writer->head(report);
    ProgressLine line(session.err, session.err_is_terminal, session.options.quiet);
    options.progress = [&](const FuzzProgress& progress) { line.show(progress); };
    BlackBoxResult result = run_black_box(job.program, job.world, options);
    line.wipe();
    if (!result.refused.empty()) {
        throw BadInput({"--model " + model, "", result.refused});
    }
    take_result(result, job.reach, report);
    conclude(report, black_box_verdict(report, job.world, result, model));
    write_history_file(session, result, report);
    report.details = BlackBoxAnswer{std::move(result), model};
    session.writer->result(report);
}

}  // namespace lockkeeper
