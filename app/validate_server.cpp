// validate --server: the scenarios of database locks and of the canal lock, model and private
// server driven by the same schedules (validate/servers/compared_server.hpp).
#include <algorithm>
#include <ostream>

#include "app/job.hpp"
#include "app/validate.hpp"
#include "reports/conclusion.hpp"
#include "reports/run_text.hpp"
#include "reports/server_comparison.hpp"
#include "reports/words.hpp"
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

ServerComparison compare(const Session& session, const InputFile& file, ComparedServer& server) {
    ServerComparison judged{file.path, "", {}};
    auto failure = failure_of(session, file, [&] {
        const Job job = prepare(session, value_or_throw(load_scenario(file.path)));
        try {
            judged.comparison =
                databases::compare(server, job, *job.runner,
                                   databases::own_schedules(job.scenario, *job.runner, job.check),
                                   limits_of(session.options, server));
        } catch (const databases::NotExpressible& none) {
            judged.not_expressible = none.because;
        }
    });
    if (failure) {
        judged.comparison.verdict = std::move(*failure);
    }
    return judged;
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
    ServerReport report;
    report.server = *session.options.validate.server;
    report.seed = session.options.seed.value_or(report.seed);
    const bool is_text = session.prints_text();
    const std::vector<InputFile> files = files_of(session, report.server);
    auto started = erlang::start_server(report.server);
    if (const auto* none = std::get_if<databases::NoServer>(&started)) {
        session.complain(none->reason);
        report.exit_code = interrupt_requested() ? kExitInterrupted : kExitInternal;
        session.out << (is_text ? "" : server_report_json(report));
        return report.exit_code;
    }
    ComparedServer& server = *std::get<std::unique_ptr<ComparedServer>>(started);
    report.version = server.version();
    if (is_text) {
        session.out << build_text() << "\nprivate " << server.kind() << ": "
                    << printable(report.version) << "\n"
                    << std::flush;
    }
    bool is_compared = false;
    for (const InputFile& file : files) {
        const ServerComparison& judged =
            report.compared.emplace_back(compare(session, file, server));
        if (is_text && has_answer(judged.verdict())) {
            session.out << server_comparison_text(judged) << std::flush;
        }
        is_compared = is_compared || judged.comparison.steps > 0;
        report.exit_code = worse_exit_code(report.exit_code, exit_code_of(judged.verdict()));
        if (interrupt_requested()) {
            report.exit_code = kExitInterrupted;
            break;
        }
    }
    // To have compared nothing is no agreement.
    if (!is_compared) {
        report.exit_code = worse_exit_code(report.exit_code, kExitInconclusive);
        session.out << (is_text ? "nothing was compared\n" : "");
    }
    session.out << (is_text ? server_summary_text(report) : server_report_json(report));
    return report.exit_code;
}

}  // namespace lockkeeper
