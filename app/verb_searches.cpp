// SPDX-License-Identifier: Apache-2.0

// The verbs that search a scenario.
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {

int verb_run(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kEachCase);
    return run_files(session, ResultsKind::kTests, files,
                     [&](const std::string& file) { return test_scenario(session, file); });
}

int verb_fuzz(const Session& session) {
    return run_files(session, ResultsKind::kRuns,
                     find_files(session.options.files, FileKind::kScenarios),
                     [&](const std::string& file) { return fuzz_scenario(session, file); });
}

int verb_explore(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    const Options& asked = session.options;
    if (files.size() > 1 && (asked.checkpoint || asked.resume || asked.disk || asked.certificate)) {
        throw UsageError("--certificate, --checkpoint, --disk and --resume go with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return explore_scenario(session, file); });
}

int verb_prove(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    if (files.size() > 1 && (session.options.certificate || session.options.scenario_out)) {
        throw UsageError("--certificate and --scenario-out go with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return prove_scenario(session, file); });
}

int verb_check_certificate(const Session& session) {
    const std::vector<std::string>& files = session.options.files;
    if (files.size() != 2) {
        throw UsageError("check-certificate: a certificate and its scenario are needed");
    }
    return run_files(session, ResultsKind::kRuns, {{files[1], ""}}, [&](const std::string& file) {
        return check_certificate(session, files[0], file);
    });
}

}  // namespace lockkeeper
