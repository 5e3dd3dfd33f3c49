// validate --server: the scenarios of database locks and of the canal lock, model and private
// server driven by the same schedules (validate/servers/compared_server.hpp).
#include <algorithm>

#include "app/job.hpp"
#include "app/validate.hpp"
#include "reports/conclusion.hpp"
#include "reports/findings.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/erlang/conformance.hpp"

namespace lockkeeper {
namespace {

using databases::ComparedServer;

databases::ComparisonLimits limits_of(const Options& options, const ComparedServer& server) {
    databases::ComparisonLimits limits = server.limits();
    limits.random_schedules = options.schedules_max.value_or(limits.random_schedules);
    limits.seconds_max = options.seconds_max.value_or(limits.seconds_max);
    limits.seed = options.seed.value_or(limits.seed);
    limits.steps_max = options.steps_max.value_or(limits.steps_max);
    return limits;
}

RunReport compare(const Session& session, const std::string& file, ComparedServer& server) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, "compared");
    report.words = kServerWords;
    ServerComparison& compared = report.details.emplace<ServerComparison>();
    try {
        compared.comparison =
            databases::compare(server, job, *job.runner,
                               databases::own_schedules(job.scenario, *job.runner, job.check),
                               limits_of(session.options, server));
    } catch (const databases::NotExpressible& none) {
        compared.not_expressible = none.because;
    }
    report.verdict = compared.comparison.verdict;
    if (const auto& difference = compared.comparison.difference) {
        Finding& finding = report.findings.emplace_back();
        finding.difference = "step " + std::to_string(difference->step) + ": the model shows " +
                             difference->model + ", the server " + difference->server;
        finding.schedule = difference->schedule;
        finding.replay_command = replay_command(job, finding, false);
    }
    if (has_answer(report.verdict)) {
        session.writer->result(report);
    }
    return report;
}

// Where none are named: all of systems that this kind of server has; with a database those of the
// other one, too, which are not expressible.
std::vector<InputFile> files_of(const Session& session, const std::string& server) {
    if (!session.options.files.empty()) {
        return find_files(session.options.files, FileKind::kScenarios);
    }
    const bool is_node = server == kErlangServer;
    const std::vector<std::string> all =
        is_node ? std::vector<std::string>{"scenarios/canal/findings", "scenarios/canal/seeds",
                                           "scenarios/canal/small_scopes"}
                : std::vector<std::string>{"scenarios/transactional", "scenarios/leases"};
    std::vector<InputFile> files = find_files(all, FileKind::kScenarios);
    std::erase_if(files, [&](const InputFile& file) {
        const auto scenario = load_scenario(file.path);
        const auto* loaded = std::get_if<Scenario>(&scenario);
        const RegisteredSystem* system =
            loaded == nullptr ? nullptr : session.registry.find(loaded->system, loaded->variant);
        if (system == nullptr) {
            return false;
        }
        const RealServer& own = system->server;
        return is_node ? own.name != kErlangServer || !own.why_not.empty()
                       : !databases::engine_of(own.name).has_value();
    });
    return files;
}

}  // namespace

int validate_server(const Session& session) {
    Results results;
    results.kind = ResultsKind::kServerComparisons;
    results.beside = *session.options.validate.server;
    const std::vector<InputFile> files = files_of(session, results.beside);
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
