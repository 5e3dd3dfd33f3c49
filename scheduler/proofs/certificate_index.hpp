// SPDX-License-Identifier: Apache-2.0

// Puts what a certificate says in its place, each thing once. Nothing is believed here:
// check_certificate.cpp finds out whether it is a proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduler/proofs/certificate.hpp"

namespace lockkeeper::proofs {

struct CertificateRefused {
    std::string why;
};

inline void demand(bool holds, const char* what) {
    if (!holds) {
        throw CertificateRefused{what};
    }
}

class CertificateIndex {
  public:
    using Counts = std::map<std::size_t, std::int64_t>;  // by situation; Certificate::kAny

    // CertificateRefused: something does not fit, or is said twice.
    CertificateIndex(const Certificate& certificate, const ReplicatedWorld& world);

    [[nodiscard]] const std::vector<const Property*>& properties() const { return properties_; }
    // The events after which a property is asked; whether any property is asked of rest.
    [[nodiscard]] std::uint32_t triggers() const { return triggers_; }
    [[nodiscard]] bool asks_of_rest() const { return asks_of_rest_; }
    [[nodiscard]] std::size_t weights_count() const { return weights_; }
    // The places of parts, and of the combination that covers exactly these, and any number of
    // some. CertificateRefused: it is not listed.
    [[nodiscard]] std::size_t situation(const Local& local) const;
    [[nodiscard]] std::size_t shared(const Bytes& bytes) const;
    [[nodiscard]] std::size_t covering(std::size_t shared, const Counts& counts) const;

  private:
    void read_properties(const ReplicatedWorld& world);
    void read_parts(const ReplicatedWorld& world);
    void read_combination(std::size_t number);

    const Certificate& said_;
    std::vector<const Property*> properties_;
    std::uint32_t triggers_ = 0;
    bool asks_of_rest_ = false;
    std::size_t weights_ = 0;
    std::map<Local, std::size_t> situations_;
    std::map<Bytes, std::size_t> shared_;
    // By shared part: who is any number, then the exact counts.
    std::vector<std::map<std::set<std::size_t>, std::map<Counts, std::size_t>>> covers_;
};

}  // namespace lockkeeper::proofs
