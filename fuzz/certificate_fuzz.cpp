// SPDX-License-Identifier: Apache-2.0

// Any bytes as a certificate: read, or refused in one line. What is read is written as it is read
// again. Of one scope, nothing is accepted but the states that there are. Seeds: certificates of
// `lockkeeper explore` and `prove`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/registry/read_certificate.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scheduler/proofs/check_closed_states.hpp"
#include "work/prove_job.hpp"

namespace {

using namespace lockkeeper;

// One caller of the canal lock, and the states that it comes to.
struct Scope {
    Registry registry = shipped_systems();
    Job job;
    std::vector<const Property*> proved;
    std::size_t states = 0;

    Scope() {
        constexpr const char* kText = R"({"version": 1, "system": "canal", "callers": [{"script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}},
            {"release": {"key": "db", "max_per": 1, "buckets": 1}}]}], "check": ["leak"]})";
        job = std::get<Job>(
            make_job(registry, std::get<Scenario>(parse_scenario(kText, "scope.json"))));
        proved = seen_in_states(job, true);
        ExploreOptions options;
        options.check = proved;
        options.symmetry = false;
        states = job.runner->explore(options).states;
    }
};

void check(proofs::ClosedStates closed) {
    static const Scope kScope;
    closed.proved = {"leak"};
    proofs::ProofWatch watch;
    const auto found =
        proofs::check_closed_states(closed, kScope.job.runner->erased(), kScope.proved, watch);
    if (found.refused.empty() && closed.states.size() != kScope.states) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto read = read_any_certificate(text, "certificate.json");
    if (const auto* error = std::get_if<InputError>(&read)) {
        if (error->text().find('\n') != std::string::npos) {
            std::abort();
        }
        return 0;
    }
    const auto& certificate = std::get<AnyCertificate>(read);
    const std::string written = to_text(certificate);
    const auto again = read_any_certificate(written, "written.json");
    if (written.size() <= kCertificateBytesMax &&
        (!std::holds_alternative<AnyCertificate>(again) ||
         to_text(std::get<AnyCertificate>(again)) != written)) {
        std::abort();
    }
    if (const auto* closed = std::get_if<proofs::ClosedStates>(&certificate)) {
        check(*closed);
    }
    return 0;
}
