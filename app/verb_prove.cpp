// SPDX-License-Identifier: Apache-2.0
#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"
#include "work/check_job.hpp"
#include "work/prove_job.hpp"

namespace lockkeeper {

int verb_prove(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    if (files.size() > 1 && (session.options.certificate || session.options.scenario_out)) {
        throw UsageError("--certificate and --scenario-out go with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files, [&](const std::string& file) {
        const Job job = prepare(session, value_or_throw(load_scenario(file)));
        RunReport report = begin_proof(job, name_of(session.options.command));
        session.writer->head(report);
        execute_prove(session, job, report);
        session.writer->result(report);
        return report;
    });
}

int verb_check_certificate(const Session& session) {
    const std::vector<std::string>& files = session.options.files;
    if (files.size() != 2) {
        throw UsageError("check-certificate: a certificate and its scenario are needed");
    }
    return run_files(session, ResultsKind::kRuns, {{files[1], ""}}, [&](const std::string& file) {
        const Job job = prepare(session, value_or_throw(load_scenario(file)));
        const CertificateFile certificate = load_certificate(files[0]);
        RunReport report = begin_check(certificate, job, name_of(session.options.command));
        session.writer->head(report);
        ProgressLine line = progress_line(session, {});
        check_job(session.registry, job, certificate,
                  {session.options.bytes_max, session.deadline.left()}, line, report);
        session.writer->result(report);
        return report;
    });
}

}  // namespace lockkeeper
