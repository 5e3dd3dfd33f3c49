// SPDX-License-Identifier: Apache-2.0

// How many callers are where: what is shared, and a count for each situation of a caller, exact or
// "any number". A set of markings stands for all states of the World that it covers, however many
// callers there are.
//
// Weights say more of what is covered: for each of them, the weights of all callers together are
// what belongs to the shared part. A situation whose weight is more than that is one that nobody
// can be in.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/proofs/replicated_steps.hpp"

namespace lockkeeper::proofs {

inline constexpr std::uint16_t kAnyNumber = 0xFFFF;

struct LocalCount {
    LocalId local = 0;
    std::uint16_t count = 0;  // above 0

    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const LocalCount&, const LocalCount&) = default;
};

// Sorted by local; of one that is not named there is nobody.
using Counts = std::vector<LocalCount>;

struct Marking {
    SharedId shared = 0;
    Counts counts;

    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Marking&, const Marking&) = default;
};

struct Weights {
    std::vector<std::int64_t> of_local;  // by number; beyond its end: 0
    std::vector<std::int64_t> of_shared;
    std::vector<bool> knows_shared;

    [[nodiscard]] std::int64_t of(LocalId local) const {
        return local < of_local.size() ? of_local[local] : 0;
    }
    [[nodiscard]] bool knows(SharedId shared) const {
        return shared < knows_shared.size() && knows_shared[shared];
    }
    void set_shared(SharedId shared, std::int64_t weight) {
        if (shared >= knows_shared.size()) {
            of_shared.resize(shared + 1);
            knows_shared.resize(shared + 1);
        }
        of_shared[shared] = weight;
        knows_shared[shared] = true;
    }
};

// A marking with the weights applied: who can be there.
class Populated {
  public:
    Populated(SharedId shared, const Counts& counts, const std::vector<Weights>& weights);

    // The exact counts contradict the weights: no state is like this.
    [[nodiscard]] bool is_impossible() const { return is_impossible_; }
    [[nodiscard]] SharedId shared() const { return shared_; }
    // Everybody who can be there at all; those of a count of "any number" may be none.
    [[nodiscard]] const Counts& counts() const { return counts_; }
    // The same with one caller taken out, who is `local`.
    [[nodiscard]] Populated without(LocalId local) const;
    // The most that the sum of value(local) over all callers can be. Nothing: there is no most.
    template <class Value>
    [[nodiscard]] std::optional<std::int64_t> most(Value value) const {
        std::int64_t exact = 0;
        for (const LocalCount& some : counts_) {
            exact += some.count == kAnyNumber ? 0 : std::int64_t{value(some.local)} * some.count;
        }
        if (!any_has(value)) {
            return exact;
        }
        std::optional<std::int64_t> least;
        for (std::size_t i = 0; i < weights_->size(); ++i) {
            if (bounds((*weights_)[i], value) && (!least || exact + room_[i] < *least)) {
                least = exact + room_[i];
            }
        }
        return least;
    }
    // The same sum in every state in which only those are there that `is_there` accepts. Nothing:
    // it is not always the same.
    template <class Value, class IsThere>
    [[nodiscard]] std::optional<std::int64_t> always(Value value, IsThere is_there) const {
        std::int64_t exact = 0;
        bool depends = false;
        for (const LocalCount& some : counts_) {
            if (is_there(some.local)) {
                const std::int64_t each = value(some.local);
                depends = depends || (some.count == kAnyNumber && each != 0);
                exact += some.count == kAnyNumber ? 0 : each * some.count;
            }
        }
        if (!depends) {
            return exact;
        }
        for (std::size_t i = 0; i < weights_->size(); ++i) {
            bool is_value = true;
            for (const LocalCount& some : counts_) {
                is_value = is_value && (!is_there(some.local) ||
                                        (*weights_)[i].of(some.local) == value(some.local));
            }
            if (is_value) {
                return (*weights_)[i].of_shared[shared_];
            }
        }
        return std::nullopt;
    }

  private:
    template <class Value>
    [[nodiscard]] bool any_has(Value value) const {
        for (const LocalCount& some : counts_) {
            if (some.count == kAnyNumber && value(some.local) > 0) {
                return true;
            }
        }
        return false;
    }
    template <class Value>
    [[nodiscard]] bool bounds(const Weights& weights, Value value) const {
        for (const LocalCount& some : counts_) {
            if (some.count == kAnyNumber && weights.of(some.local) < value(some.local)) {
                return false;
            }
        }
        return true;
    }
    void leave_out_impossible();

    SharedId shared_;
    Counts counts_;
    const std::vector<Weights>* weights_;
    std::vector<std::int64_t> room_;  // by weights: what is left for those of any number
    bool is_impossible_ = false;
};

}  // namespace lockkeeper::proofs
