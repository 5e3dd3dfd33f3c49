// SPDX-License-Identifier: Apache-2.0

// `lockkeeper check-certificate`: whether the certificate in a file, which is untrusted, is a proof
// for a scenario. Of which kind it is, the file says; the kinds know nothing of each other.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/coarse_time.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/read_certificate.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/process_memory.hpp"
#include "scheduler/proofs/check_certificate.hpp"
#include "scheduler/proofs/check_closed_states.hpp"
#include "scheduler/proofs/replicated_world.hpp"
#include "work/jobs.hpp"
#include "work/make_report.hpp"
#include "work/prove_job.hpp"
#include "work/results/run_report.hpp"
#include "work/results/watcher.hpp"
#include "work/results/words.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

struct CertificateFile {
    std::string text;
    AnyCertificate certificate;
};

struct CertificateLimits {
    std::optional<std::uint64_t> bytes_max;  // else memory_default()
    std::optional<double> seconds_max;       // in all
};

constexpr const char* kAnotherScenario = "it belongs to another scenario";

// Whether it is a proof for the job, by kind.
class KindOfCheck {
  public:
    KindOfCheck(const Registry& registry, const Job& job, RunReport& report,
                proofs::ProofWatch& watch)
        : registry_(registry), job_(job), report_(report), watch_(watch) {}

    proofs::CertificateCheck operator()(const proofs::Certificate& certificate) const {
        if (certificate.scenario != subject_of_proof(job_)) {
            return {kAnotherScenario, ""};
        }
        for (const Property* property : report_.checked) {
            if (std::find(certificate.proved.begin(), certificate.proved.end(), property->name) ==
                certificate.proved.end()) {
                return {"it says nothing of " + std::string(property->name), ""};
            }
        }
        try {
            const auto apart = value_or_throw(
                job_.scenario, take_apart(registry_, job_.scenario, report_.checked));
            return proofs::check_certificate(certificate, apart, watch_);
        } catch (const proofs::DoesNotFit& reason) {
            return {reason.what(), ""};
        }
    }

    proofs::CertificateCheck operator()(const proofs::ClosedStates& closed) const {
        if (closed.scenario != identity_of(job_.scenario)) {
            return {kAnotherScenario, ""};
        }
        const auto found =
            proofs::check_closed_states(closed, job_.runner->erased(), report_.checked, watch_);
        std::get<CheckedStates>(report_.details).steps = found.steps;
        return {found.refused, found.limit};
    }

  private:
    const Registry& registry_;
    const Job& job_;
    RunReport& report_;
    proofs::ProofWatch& watch_;
};

// BadInput: it is none.
CertificateFile load_certificate(const std::string& file) {
    auto text = read_text(file, kCertificateBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        throw BadInput({name_in_messages(file), "", none->message});
    }
    CertificateFile loaded{std::get<std::string>(std::move(text)), {}};
    loaded.certificate = value_or_throw(read_any_certificate(loaded.text, name_in_messages(file)));
    return loaded;
}

RunReport begin_check(const CertificateFile& file, const Job& job, const std::string& command) {
    const auto* closed = std::get_if<proofs::ClosedStates>(&file.certificate);
    if (closed == nullptr) {
        return begin_proof(job, command);
    }
    RunReport report = begin_report(job, command, "every listed state");
    report.checked = seen_in_states(job, true);
    report.details = CheckedStates{closed->states.size(), 0, seen_in_states(job, false)};
    return report;
}

// Passed: it is a proof, and the scenario reaches its goals.
void check_job(const Registry& registry, const Job& job, const CertificateFile& file,
               const CertificateLimits& limits, Watcher& watcher, RunReport& report) {
    const Deadline began;
    const Deadline rest(limits.seconds_max.value_or(kNoTimeLimit));
    const std::uint64_t bytes_max = limits.bytes_max.value_or(memory_default());
    proofs::ProofWatch watch(rest.left(), bytes_max,
                             [&](const proofs::ProofProgress& at) { watcher.show(at); });
    proofs::CertificateCheck found;
    if (!is_as_written(file.certificate, file.text)) {
        found.refused = "it is not written as certificates are";
    } else {
        found = std::visit(KindOfCheck(registry, job, report, watch), file.certificate);
    }
    watcher.wipe();
    if (found.refused.empty() && found.limit.empty()) {
        found.limit = instants_left_out(job.system->vocabulary, job.scenario);
    }
    report.seconds = began.elapsed();
    report.complete = found.refused.empty() && found.limit.empty();
    conclude(report, !found.limit.empty() ? Verdict(Inconclusive{found.limit})
                     : report.complete
                         ? Verdict(Passed{"the certificate is a proof"})
                         : Verdict(Violated{"the certificate is no proof: " + found.refused}));
    doubt_without_rest(found.has_rest, "the certificate is a proof", report);
    judge_goals(job, goals_of_proof(job),
                GoalLimits{.bytes_max = bytes_max, .seconds_max = rest.left()},
                "the certificate is a proof", report);
}

}  // namespace

RunReport check_certificate(const Desk& desk, const std::string& file_of_certificate,
                            const std::string& file) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    const CertificateFile certificate = load_certificate(file_of_certificate);
    RunReport report = begin_check(certificate, job, desk.asked.command);
    desk.head(report);
    check_job(desk.registry, job, certificate, {desk.asked.bytes_max, desk.deadline.left()},
              *desk.watch(), report);
    return report;
}

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
