#include "app/execute.hpp"

#include <algorithm>
#include <chrono>

#include "reports/findings.hpp"
#include "reports/progress.hpp"
#include "reports/run_text.hpp"
#include "reports/trace_file.hpp"
#include "scheduler/process_memory.hpp"

namespace lockkeeper {
namespace {

// What must be the same for a search to go on: all that decides which states there are, in which
// order they are met and what is asked about them. Not the limits, nor the number of workers.
std::string checkpoint_identity(const Job& job, const ExploreOptions& options) {
    std::string text = build_text() + "\n" + identity_of(job.scenario) + "\n";
    for (const auto* asked : {&options.check, &options.reach}) {
        for (const Property* property : *asked) {
            text += std::string(property->name) + " ";
        }
        text += "\n";
    }
    return text + std::to_string(options.symmetry) + std::to_string(options.stop_at_first) +
           std::to_string(options.causes_max) + std::to_string(options.sleep_sets) +
           std::to_string(static_cast<int>(options.reduction)) +
           std::to_string(static_cast<int>(options.storage)) +
           std::to_string(static_cast<int>(options.frontier));
}

ExploreOptions explore_options(const Session& session, const Job& job, const SearchChoice& choice) {
    const Options& flags = session.options;
    ExploreOptions options = explore_options_of(job);
    options.frontier = flags.frontier.value_or(options.frontier);
    options.storage = flags.storage.value_or(options.storage);
    options.counting = choice.counting;
    options.symmetry = options.symmetry && !flags.no_symmetry;
    options.reduction = flags.reduction.value_or(options.reduction);
    options.sleep_sets = !flags.no_sleep_sets;
    options.jobs = jobs_of(flags);
    options.stop_at_first = choice.stop_at_first;
    // Depth first the ways are none that show a cause.
    const bool tells_causes = choice.tells_causes && options.frontier == Frontier::kQueue;
    options.causes_max = tells_causes ? kCausesMax : 1;
    options.bytes_max = flags.bytes_max.value_or(memory_default());
    options.process_bytes_max = options.bytes_max;
    options.checkpoint.save_to = flags.checkpoint.value_or("");
    options.checkpoint.every = flags.checkpoint_every.value_or(options.checkpoint.every);
    options.checkpoint.resume_from = flags.resume.value_or("");
    options.checkpoint.identity = checkpoint_identity(job, options);
    return options;
}

// Those that a search found, and the run after which nobody can go on.
void add_findings(const Session& session, const Job& job, const SearchChoice& choice,
                  const ShrinkLimits& limits, std::vector<FoundViolation> violations,
                  const std::vector<std::string>& found_by, const Verdict& verdict,
                  RunReport& report) {
    if (const auto* stuck = std::get_if<Stuck>(&verdict)) {
        violations.push_back({nullptr, stuck->schedule});
    }
    Explaining explaining{choice.shrinks, {}, limits};
    if (choice.writes && session.options.out_directory) {
        explaining.write = [&](const Scenario& scenario, Finding& finding) {
            write_finding(session, scenario, finding, report);
        };
    }
    for (std::size_t i = 0; i < violations.size(); ++i) {
        report.findings.push_back(explained(session.registry, job, explaining, violations[i],
                                            i < found_by.size() ? found_by[i] : "", report.seed));
    }
}

}  // namespace

void execute_explore(const Session& session, const Job& job, const SearchChoice& choice,
                     RunReport& report) {
    ExploreOptions options = explore_options(session, job, choice);
    const ShrinkLimits limits{Deadline(options.seconds_max), options.process_bytes_max};
    ProgressLine line(session.err, session.err_is_terminal, session.options.quiet,
                      {0, options.seconds_max});
    options.progress = [&](const ExploreProgress& progress) { line.show(progress); };
    options.hint = [&](const std::string& hint) { line.say("hint: " + hint); };
    ExploreResult result = job.runner->explore(options);
    line.wipe();
    if (!result.checkpoint_error.empty()) {
        session.complain(result.checkpoint_error);
        report.has_failed_output = true;
    } else if (!result.checkpoint_written.empty()) {
        report.files_written.push_back(result.checkpoint_written);
    }
    add_findings(session, job, choice, limits, result.violations, {}, result.verdict, report);
    add_exploration(job, std::move(result), report);
    if (session.writes(&ReportFormat::draws_states)) {
        constexpr std::size_t kDrawnStatesMax = 200;  // more is no picture
        report.graph = draw_graph(job.runner->erased(), report.explored->used_symmetry, job.check,
                                  kDrawnStatesMax);
    }
}

void execute_fuzz(const Session& session, const Job& job, const SearchChoice& choice,
                  RunReport& report) {
    const Options& flags = session.options;
    FuzzOptions options = fuzz_options_of(job);
    const ShrinkLimits limits{Deadline(options.seconds_max),
                              flags.bytes_max.value_or(memory_default())};
    options.stop_at_first = choice.stop_at_first;
    options.check_determinism = flags.check_determinism;
    options.jobs = flags.check_determinism ? 1 : jobs_of(flags);
    if (choice.uses_corpus && flags.out_directory) {
        options.corpus =
            load_corpus(*flags.out_directory, job.scenario,
                        [&](const std::string& why) { session.complain(why + " (left out)"); });
    }
    ProgressLine line(session.err, session.err_is_terminal, flags.quiet,
                      {options.schedules_max, options.seconds_max});
    options.progress = [&](const FuzzProgress& progress) { line.show(progress); };
    FuzzResult result = job.runner->fuzz(options);
    line.wipe();
    add_findings(session, job, choice, limits, result.violations, result.found_by, result.verdict,
                 report);
    add_fuzzing(job, std::move(result), report);
}

void execute_one_run(const Job& job, const Schedule* schedule, const ReplayOptions& options,
                     RunReport& report) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Trace trace =
        schedule != nullptr ? job.runner->replay(*schedule, options) : run_as_written(job, options);
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    add_run(job, std::move(trace), options.on_divergence, report);
}

void write_finding(const Session& session, const Scenario& scenario, Finding& finding,
                   RunReport& report) {
    const bool is_written = write_or_complain(session, [&] {
        finding.trace_file = write_trace(*session.options.out_directory, scenario, finding,
                                         output_rule(session, kTraceMark));
    });
    report.has_failed_output |= !is_written;
    if (is_written && std::find(report.files_written.begin(), report.files_written.end(),
                                finding.trace_file) == report.files_written.end()) {
        report.files_written.push_back(finding.trace_file);
    }
}

std::string explore_strategy(const Options& options) {
    return options.frontier == Frontier::kStack ? "depth-first" : "breadth-first";
}

}  // namespace lockkeeper
