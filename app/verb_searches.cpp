// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

RunReport explore_file(const Session& session, const std::string& file) {
    // Now, and not after hours of searching.
    std::optional<OutputClaim> checkpoint;
    if (session.options.checkpoint) {
        OutputRule rule = output_rule(session, kCheckpointMark, {{file, ""}});
        rule.excludes_others = true;
        checkpoint.emplace(*session.options.checkpoint, std::move(rule));
    }
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, strategy_of(session.options.frontier));
    if (const auto find = session.options.find ? session.options.find : job.scenario.find) {
        if (session.options.certificate) {
            throw UsageError("--certificate: excludes a search for a boundary");
        }
        session.writer->head(report);
        execute_find(session, job, *find, report);
    } else {
        execute_explore(session, job,
                        {.stop_at_first = !session.options.keep_going,
                         .shows_head = true,
                         .counting = session.options.counting.value_or(Counting::kAuto),
                         .tells_causes = session.options.keep_going},
                        report);
    }
    session.writer->result(report);
    return report;
}

RunReport fuzz_file(const Session& session, const std::string& file) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, fuzz_options_of(job).strategy);
    session.writer->head(report);
    execute_fuzz(session, job, {.stop_at_first = !session.options.keep_going, .uses_corpus = true},
                 report);
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_fuzz(const Session& session) {
    return run_files(session, ResultsKind::kRuns,
                     find_files(session.options.files, FileKind::kScenarios),
                     [&](const std::string& file) { return fuzz_file(session, file); });
}

int verb_explore(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    const Options& asked = session.options;
    if (files.size() > 1 && (asked.checkpoint || asked.resume || asked.disk || asked.certificate)) {
        throw UsageError("--certificate, --checkpoint, --disk and --resume go with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return explore_file(session, file); });
}

}  // namespace lockkeeper
