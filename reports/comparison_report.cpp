// SPDX-License-Identifier: Apache-2.0
#include "reports/comparison_report.hpp"

#include "reports/against_text.hpp"
#include "reports/findings.hpp"

namespace lockkeeper {

Finding* compare_with_reference(const against::Against& against,
                                const against::CompareLimits& limits,
                                const std::vector<CallerConfig>& callers,
                                const std::string& candidate, RunReport& report) {
    const ReferenceComparison& comparison = report.details.emplace<ReferenceComparison>(
        ReferenceComparison{candidate, against::compare(against, report.seed, limits)});
    const against::Compared& compared = comparison.compared;
    report.verdict = compared.verdict;
    report.is_interrupted = interrupt_requested();
    if (!compared.shown) {
        return nullptr;
    }
    std::vector<std::string> names;
    names.reserve(callers.size());
    for (const CallerConfig& caller : callers) {
        names.push_back(caller.name);
    }
    Finding& finding = report.findings.emplace_back();
    finding.difference = difference_text(compared, names);
    finding.schedule = {report.seed, compared.shown->actions};
    return &finding;
}

void compare_with_server(const Job& job, databases::ComparedServer& server,
                         const databases::ComparisonLimits& limits, RunReport& report) {
    report.words = kServerWords;
    ServerComparison& compared = report.details.emplace<ServerComparison>();
    try {
        compared.comparison = databases::compare(
            server, job, *job.runner,
            databases::own_schedules(job.scenario, *job.runner, job.check), limits);
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
}

}  // namespace lockkeeper
