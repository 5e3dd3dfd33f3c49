// SPDX-License-Identifier: Apache-2.0

// `lockkeeper check-certificate`: whether the certificate in a file, which is untrusted, is a proof
// for a scenario. Of which kind it is, the file says; the kinds know nothing of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/registry/job.hpp"
#include "scenarios/registry/read_certificate.hpp"
#include "work/results/run_report.hpp"
#include "work/results/watcher.hpp"

namespace lockkeeper {

struct CertificateFile {
    std::string text;
    AnyCertificate certificate;
};
// BadInput: it is none.
[[nodiscard]] CertificateFile load_certificate(const std::string& file);

[[nodiscard]] RunReport begin_check(const CertificateFile& file, const Job& job,
                                    const std::string& command);
struct CertificateLimits {
    std::optional<std::uint64_t> bytes_max;  // else memory_default()
    std::optional<double> seconds_max;       // in all
};
// Passed: it is a proof, and the scenario reaches its goals.
void check_job(const Registry& registry, const Job& job, const CertificateFile& file,
               const CertificateLimits& limits, Watcher& watcher, RunReport& report);

}  // namespace lockkeeper
