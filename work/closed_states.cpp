// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "scenarios/registry/read_certificate.hpp"
#include "scheduler/proofs/check_closed_states.hpp"
#include "work/make_report.hpp"
#include "work/prove_job.hpp"
#include "work/results/words.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

using proofs::ClosedStates;

ExploreOptions plain_options(const ExploreOptions& explored, ClosedStates& closed) {
    ExploreOptions options;
    options.states_max = ClosedStates::kStatesMax + 1;
    options.counting = Counting::kOff;
    options.symmetry = false;
    options.stop_at_first = true;
    options.jobs = explored.jobs;
    options.bytes_max = explored.bytes_max;
    options.process_bytes_max = explored.process_bytes_max;
    options.seconds_max = explored.seconds_max;
    options.progress = explored.progress;
    options.each_state = [&](std::string_view bytes) { closed.states.emplace_back(bytes); };
    return options;
}

// Why there is no certificate of these states; empty: there is one.
std::string why_none(const ExploreResult& result) {
    if (result.limit == "states") {
        return "more than " + with_commas(ClosedStates::kStatesMax) + " states without symmetry";
    }
    return "limit " + result.limit + " ended the search without symmetry";
}

void write(const ClosedStates& closed, OutputClaim& claim, const Following& following,
           RunReport& report, std::string why_not) {
    if (why_not.empty()) {
        const std::string text = proofs::to_text(closed);
        try {
            if (text.size() <= kCertificateBytesMax) {
                claim.write(text);
                report.files_written.push_back(claim.path());
                return;
            }
            why_not = "it would have more than " + with_commas(kCertificateBytesMax) + " bytes";
        } catch (const OutputError& error) {
            following.desk.complain(error.what());
            report.has_failed_output = true;
            return;
        }
    }
    following.desk.complain(claim.path() + ": no certificate: " + why_not);
    report.has_failed_output = true;
}

}  // namespace

std::vector<const Property*> seen_in_states(const Job& job, bool is_seen) {
    std::vector<const Property*> found;
    for (const Property* property : job.check) {
        if (proofs::is_seen_in_states(*property) == is_seen) {
            found.push_back(property);
        }
    }
    return found;
}

void certify_pass(const Job& job, const ExploreOptions& explored, OutputClaim& claim,
                  const Following& following, RunReport& report) {
    const Deadline rest(explored.seconds_max);
    const std::vector<const Property*> proved = seen_in_states(job, true);
    ClosedStates closed;
    closed.scenario = identity_of(job.scenario);
    for (const Property* property : proved) {
        closed.proved.emplace_back(property->name);
    }
    const ErasedSystem system = job.runner->erased();
    closed.widths = proofs::widths_of(system);
    ExploreOptions options = plain_options(explored, closed);
    options.check = proved;
    std::string why_not = "nothing that is checked is seen in states";
    if (!proved.empty()) {
        const ExploreResult result = job.runner->explore(options);
        why_not = is<Passed>(result.verdict) ? "" : why_none(result);
        if (is<Violated>(result.verdict) || is<Stuck>(result.verdict)) {
            conclude(report, Inconclusive{"", "without symmetry it is not passed"});
            return;
        }
    }
    if (why_not.empty()) {
        std::sort(closed.states.begin(), closed.states.end());
        proofs::ProofWatch watch(
            rest.left(), explored.process_bytes_max,
            [&](const proofs::ProofProgress& at) { following.watcher.show(at); });
        const auto found = proofs::check_closed_states(closed, system, proved, watch);
        why_not = found.limit.empty() ? "" : "limit " + found.limit + " ended its check";
        if (!found.refused.empty()) {
            conclude(report, Inconclusive{"", "its certificate is refused: " + found.refused});
            return;
        }
    }
    following.watcher.wipe();
    write(closed, claim, following, report, why_not);
}

}  // namespace lockkeeper
