// SPDX-License-Identifier: Apache-2.0

// Which marking of a set covers another: one with the same shared part, any number of whoever is
// any number in the other, and else the same exact counts. Those with the same situations of any
// number lie together, told apart by their exact counts, of which there are few.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduler/proofs/marking.hpp"

namespace lockkeeper::proofs {

class CoveringMarkings {
  public:
    void add(const Marking& marking, std::size_t number) {
        if (of_shared_.size() <= marking.shared) {
            of_shared_.resize(marking.shared + 1);
        }
        Counts any;
        Counts exact;
        for (const LocalCount& some : marking.counts) {
            (some.count == kAnyNumber ? any : exact).push_back(some);
        }
        Alike& alike = of_shared_[marking.shared][any];
        alike.exact_most = std::max(alike.exact_most, exact.size());
        alike.numbers.emplace(std::move(exact), number);
    }
    // Returns the number of the first that covers these, in the order in which who checks a
    // certificate looks for it. Nothing: none does.
    [[nodiscard]] std::optional<std::size_t> covering(SharedId shared, const Counts& counts) const {
        if (shared < of_shared_.size()) {
            for (const auto& [any, alike] : of_shared_[shared]) {
                if (const auto number = find(any, alike, counts)) {
                    return number;
                }
            }
        }
        return std::nullopt;
    }
    // Whether one covers this one of the set that has any number of more situations.
    [[nodiscard]] bool has_wider(const Marking& marking) const {
        const auto& all = of_shared_[marking.shared];
        if (all.size() == 1) {
            return false;
        }
        const auto any_count = static_cast<std::size_t>(
            std::count_if(marking.counts.begin(), marking.counts.end(),
                          [](const LocalCount& some) { return some.count == kAnyNumber; }));
        return std::any_of(all.begin(), all.end(), [&](const auto& each) {
            return each.first.size() > any_count && find(each.first, each.second, marking.counts);
        });
    }

  private:
    struct HashOfCounts {
        std::size_t operator()(const Counts& counts) const {
            std::uint64_t hash = 0x9E3779B97F4A7C15U;
            for (const LocalCount& some : counts) {
                hash ^= static_cast<std::uint64_t>(some.local) << 16U | some.count;
                hash *= 0xFF51AFD7ED558CCDU;
                hash ^= hash >> 32U;
            }
            return hash;
        }
    };
    struct Alike {
        std::unordered_map<Counts, std::size_t, HashOfCounts> numbers;  // by exact counts
        std::size_t exact_most = 0;
    };

    [[nodiscard]] static std::optional<std::size_t> find(const Counts& any, const Alike& alike,
                                                         const Counts& counts) {
        Counts exact;
        auto next = any.begin();
        for (const LocalCount& some : counts) {
            next = std::find_if(next, any.end(),
                                [&](const LocalCount& each) { return each.local >= some.local; });
            if (next == any.end() || next->local != some.local) {
                if (exact.size() == alike.exact_most) {
                    return std::nullopt;
                }
                exact.push_back(some);
            }
        }
        const auto found = alike.numbers.find(exact);
        return found != alike.numbers.end() ? std::optional(found->second) : std::nullopt;
    }

    std::vector<std::map<Counts, Alike>> of_shared_;  // by situations of any number
};

}  // namespace lockkeeper::proofs
