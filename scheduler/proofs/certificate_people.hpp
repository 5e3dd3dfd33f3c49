// SPDX-License-Identifier: Apache-2.0

// The callers that can be there in a combination of a certificate, and what the weights leave for
// those of any number. Part of the check (check_certificate.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "scheduler/proofs/certificate.hpp"

namespace lockkeeper::proofs {

class CertificatePeople {
  public:
    using Many = Certificate::Many;
    using Values = std::map<std::size_t, std::int64_t>;  // by situation, of all that are asked for

    CertificatePeople(const Certificate& said, const Certificate::Combination& at)
        : said_(said), counts_(at.counts), room_(said.shared[at.shared].weights) {
        for (std::size_t i = 0; said.everybody && i < said.situations.size(); ++i) {
            counts_.push_back({i, Certificate::kAny});
        }
        for (const Many& many : counts_) {
            take_room(many.situation, is_any(many) ? 0 : many.count);
        }
        leave_out_heavy();
    }

    [[nodiscard]] const std::vector<Many>& counts() const { return counts_; }
    // The weights contradict the counts: there is no such state.
    [[nodiscard]] bool is_impossible() const {
        return std::any_of(room_.begin(), room_.end(), [](std::int64_t left) { return left < 0; });
    }
    // One of them, who is there, taken out.
    [[nodiscard]] CertificatePeople without(std::size_t situation) const {
        CertificatePeople others = *this;
        const auto found =
            std::find_if(others.counts_.begin(), others.counts_.end(),
                         [&](const Many& many) { return many.situation == situation; });
        if (is_any(*found)) {
            others.take_room(situation, 1);
            others.leave_out_heavy();
        } else if (--found->count == 0) {
            others.counts_.erase(found);
        }
        return others;
    }
    // The greatest possible sum of the values of all. Nothing: the sum has no limit.
    [[nodiscard]] std::optional<std::int64_t> most(const Values& values) const {
        return sum(counts_, values, std::greater_equal<>());
    }
    // The sum of the values where only these are there. Nothing: it is not always the same.
    [[nodiscard]] std::optional<std::int64_t> always(const std::vector<Many>& only,
                                                     const Values& values) const {
        return sum(only, values, std::equal_to<>());
    }

  private:
    using Numbers = std::vector<std::int64_t>;

    static bool is_any(const Many& many) { return many.count == Certificate::kAny; }
    [[nodiscard]] const Numbers& weights_of(std::size_t situation) const {
        return said_.get().situations[situation].weights;
    }
    void take_room(std::size_t situation, std::int64_t count) {
        for (std::size_t i = 0; i < room_.size(); ++i) {
            room_[i] -= weights_of(situation)[i] * count;
        }
    }
    void leave_out_heavy() {
        std::erase_if(counts_, [&](const Many& many) {
            bool fits = true;
            for (std::size_t i = 0; i < room_.size(); ++i) {
                fits = fits && weights_of(many.situation)[i] <= room_[i];
            }
            return is_any(many) && !fits;
        });
    }

    // Adds the values of exact counts, and what the weights leave for situations of any number,
    // where some weight is `like` the value of each of them.
    template <class Like>
    [[nodiscard]] std::optional<std::int64_t> sum(const std::vector<Many>& counts,
                                                  const Values& values, Like like) const {
        std::int64_t exact = 0;
        bool is_open = false;
        std::vector<bool> fits(room_.size(), true);
        for (const Many& many : counts) {
            const std::int64_t each = values.at(many.situation);
            exact += is_any(many) ? 0 : each * many.count;
            is_open = is_open || (is_any(many) && each != 0);
            for (std::size_t i = 0; is_any(many) && i < room_.size(); ++i) {
                fits[i] = fits[i] && like(weights_of(many.situation)[i], each);
            }
        }
        std::optional<std::int64_t> least;
        for (std::size_t i = 0; i < room_.size(); ++i) {
            least = fits[i] ? std::min(least.value_or(room_[i]), room_[i]) : least;
        }
        if (is_open && !least) {
            return std::nullopt;
        }
        return exact + (is_open ? *least : 0);
    }

    std::reference_wrapper<const Certificate> said_;
    std::vector<Many> counts_;
    Numbers room_;
};

}  // namespace lockkeeper::proofs
