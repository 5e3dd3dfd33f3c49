// SPDX-License-Identifier: Apache-2.0
#include "work/explain_job.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "scheduler/base/interrupt.hpp"
#include "scheduler/proofs/proof_progress.hpp"
#include "work/incident_model.hpp"
#include "work/incident_report.hpp"
#include "work/save_incident.hpp"

namespace lockkeeper {

ExplainedLogs explain_logs(const Desk& desk, const logs::Asked& asked, bool wants_reports,
                           std::ostream& out) {
    const IncidentModel model = incident_model(desk.registry, asked.model);
    logs::Asked question = asked;
    question.model = model.model;
    question.shown_model = asked.model;
    IncidentAsked incident;
    incident.system = model.system;
    incident.variant = asked.variant;
    std::optional<OutputClaim> claim;
    if (asked.save) {
        OutputRule rule = output_rule(desk, kIncidentMark);
        for (const std::string& log : asked.logs) {
            rule.inputs.push_back(logs::log_file_of(log).path);
        }
        claim.emplace(*asked.save, std::move(rule));
        incident.save = &*claim;
    }
    incident.stop = interrupt_requested;
    const auto watcher = desk.watch({0, asked.seconds_max});
    const auto begin = std::chrono::steady_clock::now();
    question.on_progress = [&](std::size_t explained, std::size_t lines, std::uint64_t) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        proofs::ProofProgress progress;
        progress.doing = "explaining";
        progress.what = "lines";
        progress.done = explained;
        progress.all = lines;
        progress.seconds = passed.count();
        watcher->show(progress);
    };
    ExplainedLogs explained;
    explained.exit_code = logs::run_command(question, out, [&](const logs::ToldAnswer& told) {
        watcher->wipe();
        if (wants_reports) {
            explained.reports.push_back(incident_report(told, asked.model));
        }
        std::string text = ask_incident(desk.registry, incident, told);
        incident.save = nullptr;  // a file has the run of one lock
        return text;
    });
    return explained;
}

}  // namespace lockkeeper
