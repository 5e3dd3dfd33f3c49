// SPDX-License-Identifier: Apache-2.0
#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

RunReport fuzz_file(const Session& session, const std::string& file) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, fuzz_options_of(job).strategy);
    session.writer->head(report);
    SearchChoice choice;
    choice.stop_at_first = !session.options.keep_going;
    choice.uses_corpus = true;
    execute_fuzz(session, job, choice, report);
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_fuzz(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return fuzz_file(session, file); });
}

}  // namespace lockkeeper
