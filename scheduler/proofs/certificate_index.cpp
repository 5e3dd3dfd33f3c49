// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/certificate_index.hpp"

#include <algorithm>

#include "properties/catalogue.hpp"
#include "scheduler/proofs/decidable.hpp"

namespace lockkeeper::proofs {

CertificateIndex::CertificateIndex(const Certificate& certificate, const ReplicatedWorld& world)
    : said_(certificate) {
    read_properties(world);
    read_parts(world);
    covers_.resize(shared_.size());
    for (std::size_t i = 0; i < said_.combinations.size(); ++i) {
        read_combination(i);
    }
}

void CertificateIndex::read_properties(const ReplicatedWorld& world) {
    std::set<std::string> names;
    for (const std::string& name : said_.proved) {
        const Property* property = find_property(name);
        demand(property != nullptr && is_decidable(*property) && world.shows(*property) &&
                   names.insert(name).second,
               "a property that cannot be proved, or is said twice");
        properties_.push_back(property);
        triggers_ |= property->kind == PropertyKind::kAlways ? property->triggers : 0U;
        asks_of_rest_ = asks_of_rest_ || property->kind == PropertyKind::kAtQuiescence;
    }
    demand(!properties_.empty(), "nothing is proved");
}

void CertificateIndex::read_parts(const ReplicatedWorld& world) {
    demand(!said_.situations.empty(), "nobody is there");
    weights_ = said_.situations.front().weights.size();
    std::vector<std::vector<std::int64_t>> columns(weights_);
    for (const Certificate::Situation& each : said_.situations) {
        demand(each.local.group < world.groups().size() &&
                   each.local.slot.size() == world.slot_bytes() &&
                   each.weights.size() == weights_ &&
                   std::none_of(each.weights.begin(), each.weights.end(),
                                [](std::int64_t weight) { return weight < 0; }) &&
                   situations_.emplace(each.local, situations_.size()).second,
               "a situation that fits no caller, or is said twice");
        for (std::size_t i = 0; i < weights_; ++i) {
            columns[i].push_back(each.weights[i]);
        }
    }
    for (const Certificate::SharedPart& each : said_.shared) {
        demand(each.bytes.size() == world.shared_bytes() && each.weights.size() == weights_ &&
                   shared_.emplace(each.bytes, shared_.size()).second,
               "a shared part that does not fit, or is said twice");
    }
    std::sort(columns.begin(), columns.end());
    demand(std::adjacent_find(columns.begin(), columns.end()) == columns.end(),
           "weights that are said twice");
}

void CertificateIndex::read_combination(std::size_t number) {
    const Certificate::Combination& each = said_.combinations[number];
    demand(each.shared < shared_.size(), "a combination without a shared part");
    demand(!said_.everybody || each.counts.empty(), "counts where everybody may be");
    std::set<std::size_t> any;
    Counts exact;
    std::size_t least = 0;
    for (const Certificate::Many& many : each.counts) {
        demand(many.situation >= least && many.situation < situations_.size() &&
                   (many.count > 0 || many.count == Certificate::kAny),
               "a count that is none, or is said twice");
        least = many.situation + 1;
        if (many.count == Certificate::kAny) {
            any.insert(many.situation);
        } else {
            exact.emplace(many.situation, many.count);
        }
    }
    demand(covers_[each.shared][any].emplace(exact, number).second,
           "a combination that is said twice");
}

std::size_t CertificateIndex::situation(const Local& local) const {
    const auto found = situations_.find(local);
    demand(found != situations_.end(), "a caller comes into a situation that is not listed");
    return found->second;
}

std::size_t CertificateIndex::shared(const Bytes& bytes) const {
    const auto found = shared_.find(bytes);
    demand(found != shared_.end(), "a shared part comes up that is not listed");
    return found->second;
}

std::size_t CertificateIndex::covering(std::size_t shared, const Counts& counts) const {
    for (const auto& [any, known] : covers_[shared]) {
        Counts exact;
        for (const auto& [situation, count] : counts) {
            if (count != 0 && !said_.everybody && !any.contains(situation)) {
                exact.emplace(situation, count);
            }
        }
        const auto found = known.find(exact);
        if (found != known.end()) {
            return found->second;
        }
    }
    throw CertificateRefused{"a step leads out of the combinations"};
}

}  // namespace lockkeeper::proofs
