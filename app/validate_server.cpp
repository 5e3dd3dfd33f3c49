// SPDX-License-Identifier: Apache-2.0

// validate --server: the scenarios of database locks and of the canal lock, model and private
// server driven by the same schedules (validate/servers/compared_server.hpp).
#include "app/validate.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/erlang/conformance.hpp"
#include "work/compare.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
namespace {

using databases::ComparedServer;

RunReport compare(const Session& session, const std::string& file, ComparedServer& server) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, "compared");
    compare_with_server(job, server, within(session.options, session.deadline), report);
    if (has_answer(report.verdict)) {
        session.writer->result(report);
    }
    return report;
}

}  // namespace

int validate_server(const Session& session) {
    Results results;
    results.kind = ResultsKind::kServerComparisons;
    results.beside = *session.options.validate.server;
    const std::vector<InputFile> files =
        session.options.files.empty() ? erlang::shipped_scenarios(session.registry, results.beside)
                                      : find_files(session.options.files, FileKind::kScenarios);
    auto started = erlang::start_server(results.beside);
    if (const auto* none = std::get_if<databases::NoServer>(&started)) {
        session.complain(none->reason);
        results.exit_code = interrupt_requested() ? kExitInterrupted : kExitInternal;
        session.writer->end(results);
        return results.exit_code;
    }
    ComparedServer& server = *std::get<std::unique_ptr<ComparedServer>>(started);
    results.beside_version = server.version();
    results.beside_kind = server.kind();
    return run_files(session, std::move(results), files,
                     [&](const std::string& file) { return compare(session, file, server); });
}

}  // namespace lockkeeper
