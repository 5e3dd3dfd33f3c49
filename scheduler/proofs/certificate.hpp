// SPDX-License-Identifier: Apache-2.0

// Why a property holds for every number of callers, in a form that anybody can check by taking the
// steps of the implementation: a set of markings that the steps do not leave, and the weights that
// they keep (scheduler/proofs/check_certificate.hpp). Published schema:
// reports/schema/certificate.schema.json.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/proofs/marking_search.hpp"

namespace lockkeeper::proofs {

// A part of a state as the World has it; how it is written in the file.
[[nodiscard]] std::string to_hex(const Bytes& bytes);

struct Certificate {
    static constexpr int kVersion = 1;       // of what to_text() writes
    static constexpr int kShortVersion = 2;  // with groups, and numbers for zero bytes
    static constexpr const char* kSchema = "certificate.schema.json";
    static constexpr std::int64_t kAny = -1;

    struct Situation {
        Local local;
        std::vector<std::int64_t> weights;
    };
    struct SharedPart {
        Bytes bytes;
        std::vector<std::int64_t> weights;
    };
    struct Many {
        std::size_t situation = 0;
        std::int64_t count = 0;  // above 0, or kAny
    };
    struct Combination {
        std::size_t shared = 0;
        std::vector<Many> counts;
    };

    std::string scenario;             // what it is a proof of; who writes it says how
    std::vector<std::string> proved;  // names of properties
    bool everybody = false;           // every situation may be there any number of times
    std::vector<Situation> situations;
    std::vector<SharedPart> shared;
    std::vector<Combination> combinations;
};

[[nodiscard]] Certificate certificate_of(const ReplicatedSteps& steps, const ClosedSet& set,
                                         const std::vector<const Property*>& proved);

[[nodiscard]] std::string to_text(const Certificate& certificate);

}  // namespace lockkeeper::proofs
