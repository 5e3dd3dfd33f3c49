// SPDX-License-Identifier: Apache-2.0

// What a certificate says, as the checker reads it: each thing once, each in its place. Nothing is
// believed here; everything that does not hold together throws CertificateRefused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduler/search/proofs/certificate.hpp"

namespace lockkeeper::proofs {

struct CertificateRefused {
    std::string why;
};

inline void demand(bool holds, const char* what) {
    if (!holds) {
        throw CertificateRefused{what};
    }
}

class CertificateClaims {
  public:
    using Many = Certificate::Many;
    using Numbers = std::vector<std::int64_t>;

    // Who can be there with a shared part, and what the weights leave for those of any number.
    struct People {
        std::vector<Many> counts;
        Numbers room;
    };

    CertificateClaims(const Certificate& certificate, const ReplicatedWorld& world);

    [[nodiscard]] const std::vector<const Property*>& properties() const { return properties_; }
    [[nodiscard]] const Certificate& said() const { return said_; }
    [[nodiscard]] std::size_t weights_count() const { return weights_; }
    [[nodiscard]] std::int64_t weight(std::size_t situation, std::size_t which) const {
        return said_.situations[situation].weights[which];
    }
    // The place of a part, which has to be listed.
    [[nodiscard]] std::size_t situation(const Local& local) const;
    [[nodiscard]] std::size_t shared(const Bytes& bytes) const;
    // The combination that covers exactly these, and any number of some.
    [[nodiscard]] std::size_t covering(std::size_t shared, const std::vector<Many>& people) const;

    // Nobody can be there: the weights contradict the counts.
    [[nodiscard]] static bool is_impossible(const People& people);
    [[nodiscard]] People people_of(const Certificate::Combination& at) const;
    [[nodiscard]] People without(const People& people, std::size_t situation) const;
    // By situation: a value of each caller there.
    using Values = std::map<std::size_t, std::int64_t>;
    // The most that the values of all can sum up to; very much where there is no most.
    [[nodiscard]] std::int64_t most(const People& people, const Values& values) const;
    // What the values of all sum up to, which has to be always the same.
    [[nodiscard]] std::int64_t always(std::size_t shared, const std::vector<Many>& people,
                                      const Values& values) const;

  private:
    void read_properties();
    void read_parts(const ReplicatedWorld& world);
    void read_combinations();
    void leave_out_heavy(People& people) const;

    using Exact = std::map<std::size_t, std::int64_t>;
    using Covers = std::map<std::set<std::size_t>, std::map<Exact, std::size_t>>;

    const Certificate& said_;
    std::vector<const Property*> properties_;
    std::size_t weights_ = 0;
    std::map<Local, std::size_t> situations_;
    std::map<Bytes, std::size_t> shared_;
    std::vector<Covers> covers_;  // by shared part
};

}  // namespace lockkeeper::proofs
