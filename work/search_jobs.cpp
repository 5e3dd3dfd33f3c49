// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "scenarios/bad_input.hpp"
#include "work/expectation.hpp"
#include "work/jobs.hpp"
#include "work/searches.hpp"

namespace lockkeeper {
namespace {

// Runs the job as the scenario's author wants. It computes only what the expectation asks for.
void execute(const Desk& desk, const Job& job, RunReport& report) {
    const Expectation& expect = job.scenario.expect;
    const bool compares = desk.wants.comparisons;
    switch (job.scenario.method) {
        case Method::kExplore:
            if (job.scenario.find) {
                execute_find(desk, job, *job.scenario.find, report);
                return;
            }
            execute_explore(desk, job,
                            {.stop_at_first = job.scenario.stop_at_first,
                             .shrinks = false,
                             .writes = false,
                             .counting = expect.interleavings ? Counting::kOn : Counting::kOff},
                            report);
            return;
        case Method::kFuzz:
            execute_fuzz(
                desk, job,
                {.stop_at_first = job.scenario.stop_at_first || expect.properties.size() < 2,
                 .shrinks = expect.steps.has_value(),
                 .writes = false},
                report);
            return;
        case Method::kOrder:
        case Method::kReplay:
            // One line a file; the whole trace is what replay shows, and a page.
            run_own(job, compares, compares, desk.deadline, report);
            return;
    }
}

// Whoever has to look into a failure wants its trace, and only then is it worth the time.
void explain_failure(const Desk& desk, const Job& job, RunReport& report) {
    const bool shows_runs = desk.wants.runs;
    const bool has_run = report.replayed ? shows_runs : !report.findings.empty();
    if (!has_run || (!desk.asked.out_directory && !shows_runs)) {
        return;
    }
    RunReport explained = begin_report(desk, job, report.strategy);
    if (report.replayed) {
        run_own(job, true, false, desk.deadline, explained);
        report.replayed = std::move(explained.replayed);
    } else if (report.explored) {
        execute_explore(desk, job,
                        {.stop_at_first = job.scenario.stop_at_first, .counting = Counting::kOff},
                        explained);
    } else {
        execute_fuzz(desk, job, {}, explained);
    }
    // A search for a boundary has findings of another value.
    if (!explained.findings.empty()) {
        report.findings = std::move(explained.findings);
    }
    report.files_written = std::move(explained.files_written);
}

}  // namespace

RunReport explore_scenario(const Desk& desk, const std::string& file) {
    // Now, and not after hours of searching.
    std::optional<OutputClaim> checkpoint;
    if (desk.asked.checkpoint) {
        OutputRule rule = output_rule(desk, kCheckpointMark, {{file, ""}});
        rule.excludes_others = true;
        checkpoint.emplace(*desk.asked.checkpoint, std::move(rule));
    }
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, strategy_of(desk.asked.frontier));
    if (const auto find = desk.asked.find ? desk.asked.find : job.scenario.find) {
        if (desk.asked.certificate) {
            throw UsageError("--certificate: excludes a search for a boundary");
        }
        desk.head(report);
        execute_find(desk, job, *find, report);
    } else {
        execute_explore(desk, job,
                        {.stop_at_first = !desk.asked.keep_going,
                         .shows_head = true,
                         .counting = desk.asked.counting.value_or(Counting::kAuto),
                         .tells_causes = desk.asked.keep_going},
                        report);
    }
    return report;
}

RunReport fuzz_scenario(const Desk& desk, const std::string& file) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, fuzz_options_of(job).strategy);
    desk.head(report);
    execute_fuzz(desk, job, {.stop_at_first = !desk.asked.keep_going, .uses_corpus = true}, report);
    return report;
}

RunReport test_scenario(const Desk& desk, const std::string& file) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, strategy_of(job));
    if (desk.asked.verbose) {
        desk.head(report);
    }
    execute(desk, job, report);
    judge_expectation(
        job.scenario, job.runner->world(), [&] { return check_rates(desk, job); }, report);
    if (!is<Passed>(*report.met) && !report.is_interrupted) {
        explain_failure(desk, job, report);
    }
    return report;
}

}  // namespace lockkeeper
