// SPDX-License-Identifier: Apache-2.0

// validate --against SYSTEM/VARIANT SCENARIO...: the scenario's system, or a --program, beside a
// reference (validate/compare/), with the first difference, shrunk, and the command to replay it.
#include "app/validate.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"
#include "work/compare.hpp"

namespace lockkeeper {
namespace {

RunReport compare_file(const Session& session, const std::string& file,
                       const RegisteredSystem& reference) {
    const Options& options = session.options;
    const Overlay left = within(session.options, session.deadline);
    const ComparedWith with{session.registry, reference, left};
    Scenario scenario = value_or_throw(load_scenario(file));
    RunReport report;
    if (options.validate.program) {
        const ProgramJob job = program_job(session, scenario);
        report = job.report;
        compare_program(with, job, scenario, report);
    } else {
        const against::Way way = way_of_model(with, scenario);
        const Job job = prepare(session, std::move(scenario));
        report = begin_report(session, job, "compared");
        compare_model(with, way, job, report);
    }
    session.writer->result(report);
    return report;
}

}  // namespace

int validate_against(const Session& session) {
    const RegisteredSystem& reference =
        system_named(session.registry, "--against", *session.options.validate.against);
    if (session.options.files.empty()) {
        throw UsageError("validate: --against needs scenario files");
    }
    Results results;
    results.kind = ResultsKind::kReferenceComparisons;
    results.beside = reference.system + "/" + reference.variant;
    return run_files(
        session, std::move(results), find_files(session.options.files, FileKind::kScenarios),
        [&](const std::string& file) { return compare_file(session, file, reference); });
}

}  // namespace lockkeeper
