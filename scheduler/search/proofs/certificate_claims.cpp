// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/proofs/certificate_claims.hpp"

#include <algorithm>

#include "properties/catalogue.hpp"
#include "scheduler/search/proofs/decidable.hpp"

namespace lockkeeper::proofs {
namespace {

constexpr std::int64_t kEndless = 1'000'000;

std::int64_t least_weight(const CertificateClaims::Numbers& weights) {
    return weights.empty() ? 0 : *std::min_element(weights.begin(), weights.end());
}

bool is_any(const Certificate::Many& many) { return many.count == Certificate::kAny; }

std::int64_t value_of(const CertificateClaims::Values& values, std::size_t situation) {
    const auto found = values.find(situation);
    return found == values.end() ? 0 : found->second;
}

}  // namespace

CertificateClaims::CertificateClaims(const Certificate& certificate, const ReplicatedWorld& world)
    : said_(certificate) {
    read_properties();
    read_parts(world);
    read_combinations();
}

void CertificateClaims::read_properties() {
    std::set<std::string> names;
    for (const std::string& name : said_.proved) {
        const Property* property = find_property(name);
        demand(property != nullptr && is_decidable(*property) && names.insert(name).second,
               "a property that cannot be proved, or is said twice");
        properties_.push_back(property);
    }
    demand(!properties_.empty(), "nothing is proved");
}

void CertificateClaims::read_parts(const ReplicatedWorld& world) {
    demand(!said_.situations.empty() && !said_.shared.empty(), "a part is missing");
    weights_ = said_.situations.front().weights.size();
    for (const Certificate::Situation& each : said_.situations) {
        demand(each.local.group < world.groups().size() &&
                   each.local.slot.size() == world.slot_bytes() &&
                   each.weights.size() == weights_ && least_weight(each.weights) >= 0 &&
                   situations_.emplace(each.local, situations_.size()).second,
               "a situation that fits no caller, or is said twice");
    }
    for (const Certificate::SharedPart& each : said_.shared) {
        demand(each.bytes.size() == world.shared_bytes() && each.weights.size() == weights_ &&
                   shared_.emplace(each.bytes, shared_.size()).second,
               "a shared part that does not fit, or is said twice");
    }
    std::set<Numbers> columns;
    for (std::size_t i = 0; i < weights_; ++i) {
        Numbers column;
        for (const Certificate::Situation& each : said_.situations) {
            column.push_back(each.weights[i]);
        }
        demand(columns.insert(std::move(column)).second, "weights that are said twice");
    }
}

void CertificateClaims::read_combinations() {
    covers_.resize(said_.shared.size());
    for (std::size_t i = 0; i < said_.combinations.size(); ++i) {
        const Certificate::Combination& each = said_.combinations[i];
        demand(each.shared < said_.shared.size(), "a combination without a shared part");
        demand(!said_.everybody || each.counts.empty(), "counts where everybody may be");
        std::set<std::size_t> any;
        Exact exact;
        std::size_t least = 0;
        for (const Many& many : each.counts) {
            demand(many.situation >= least && many.situation < said_.situations.size() &&
                       (many.count > 0 || is_any(many)),
                   "a count that is none, or is said twice");
            least = many.situation + 1;
            if (is_any(many)) {
                any.insert(many.situation);
            } else {
                exact[many.situation] = many.count;
            }
        }
        demand(covers_[each.shared][any].emplace(exact, i).second,
               "a combination that is said twice");
    }
}

std::size_t CertificateClaims::situation(const Local& local) const {
    const auto found = situations_.find(local);
    demand(found != situations_.end(), "a caller comes into a situation that is not listed");
    return found->second;
}

std::size_t CertificateClaims::shared(const Bytes& bytes) const {
    const auto found = shared_.find(bytes);
    demand(found != shared_.end(), "a shared part comes up that is not listed");
    return found->second;
}

std::size_t CertificateClaims::covering(std::size_t shared, const std::vector<Many>& people) const {
    for (const auto& [any, known] : covers_[shared]) {
        Exact exact;
        for (const Many& many : people) {
            if (!said_.everybody && any.count(many.situation) == 0) {
                exact[many.situation] = many.count;
            }
        }
        const auto found = known.find(exact);
        if (found != known.end()) {
            return found->second;
        }
    }
    throw CertificateRefused{"a step leads out of the combinations"};
}

bool CertificateClaims::is_impossible(const People& people) {
    return least_weight(people.room) < 0;
}

CertificateClaims::People CertificateClaims::people_of(const Certificate::Combination& at) const {
    People people{at.counts, said_.shared[at.shared].weights};
    for (std::size_t i = 0; said_.everybody && i < said_.situations.size(); ++i) {
        people.counts.push_back({i, Certificate::kAny});
    }
    for (const Many& many : people.counts) {
        for (std::size_t i = 0; !is_any(many) && i < weights_; ++i) {
            people.room[i] -= weight(many.situation, i) * many.count;
        }
    }
    leave_out_heavy(people);
    return people;
}

void CertificateClaims::leave_out_heavy(People& people) const {
    std::erase_if(people.counts, [&](const Many& many) {
        bool fits = true;
        for (std::size_t i = 0; i < weights_; ++i) {
            fits = fits && weight(many.situation, i) <= people.room[i];
        }
        return is_any(many) && !fits;
    });
}

CertificateClaims::People CertificateClaims::without(const People& people,
                                                     std::size_t situation) const {
    People others = people;
    const auto found = std::find_if(others.counts.begin(), others.counts.end(),
                                    [&](const Many& many) { return many.situation == situation; });
    if (is_any(*found)) {
        for (std::size_t i = 0; i < weights_; ++i) {
            others.room[i] -= weight(situation, i);
        }
        leave_out_heavy(others);
    } else if (--found->count == 0) {
        others.counts.erase(found);
    }
    return others;
}

std::int64_t CertificateClaims::most(const People& people, const Values& values) const {
    std::int64_t exact = 0;
    bool is_open = false;
    std::vector<bool> bounds(weights_, true);
    for (const Many& many : people.counts) {
        const std::int64_t each = value_of(values, many.situation);
        exact += is_any(many) ? 0 : each * many.count;
        is_open = is_open || (is_any(many) && each > 0);
        for (std::size_t i = 0; i < weights_; ++i) {
            bounds[i] = bounds[i] && (!is_any(many) || weight(many.situation, i) >= each);
        }
    }
    std::int64_t least = is_open ? kEndless : 0;
    for (std::size_t i = 0; is_open && i < weights_; ++i) {
        least = bounds[i] ? std::min(least, people.room[i]) : least;
    }
    return exact + least;
}

std::int64_t CertificateClaims::always(std::size_t shared, const std::vector<Many>& people,
                                       const Values& values) const {
    std::int64_t exact = 0;
    bool is_open = false;
    std::vector<bool> says(weights_, true);
    for (const Many& many : people) {
        const std::int64_t each = value_of(values, many.situation);
        exact += is_any(many) ? 0 : each * many.count;
        is_open = is_open || (is_any(many) && each != 0);
        for (std::size_t i = 0; i < weights_; ++i) {
            says[i] = says[i] && weight(many.situation, i) == each;
        }
    }
    const auto found = std::find(says.begin(), says.end(), true);
    demand(!is_open || found != says.end(), "how much is held at rest is not decided");
    const auto which = static_cast<std::size_t>(found - says.begin());
    return is_open ? said_.shared[shared].weights[which] : exact;
}

}  // namespace lockkeeper::proofs
