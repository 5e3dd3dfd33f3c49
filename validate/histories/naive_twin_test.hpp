// SPDX-License-Identifier: Apache-2.0

// The search again in few lines, without any optimisation: it tries every order. A naive model says
// what a lock may do, by listing every state that can follow. For the tests of histories/; nothing
// else includes it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "validate/histories/linearize.hpp"

namespace lockkeeper::testing_histories {

// Naive: a State with <, and after(state, operation): all states that the operation can lead to,
// none where a correct lock would not have done it.
template <class Naive>
class NaiveTwin {
  public:
    using State = typename Naive::State;

    NaiveTwin(const std::vector<TimedOperation>& operations, const Naive& naive)
        : operations_(operations), naive_(naive) {}

    bool explains() { return place({}, 0); }
    // The return at which the longest prefix ends, where nothing explains all.
    [[nodiscard]] std::size_t first_unexplained() const { return first_unexplained_; }

  private:
    bool place(const State& state, std::uint32_t placed) {
        if (!seen_.emplace(placed, state).second) {
            return false;
        }
        std::size_t first_return = kNeverCompleted;
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            first_return = (placed >> i & 1U) != 0
                               ? first_return
                               : std::min(first_return, operations_[i].completed);
        }
        if (first_return == kNeverCompleted) {
            return true;
        }
        first_unexplained_ = std::max(first_unexplained_, first_return);
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if ((placed >> i & 1U) != 0 || operations_[i].invoked > first_return) {
                continue;
            }
            const std::size_t after = operations_[i].after;
            if (after != kNeverCompleted && (placed >> after & 1U) == 0) {
                continue;
            }
            for (const State& next : naive_.after(state, operations_[i].operation)) {
                if (place(next, placed | 1U << i)) {
                    return true;
                }
            }
        }
        return false;
    }

    const std::vector<TimedOperation>& operations_;
    const Naive& naive_;
    std::set<std::pair<std::uint32_t, State>> seen_;
    std::size_t first_unexplained_ = 0;
};

// Tokens, with all that they can have been: (validate/histories/models/tokens.hpp says it in three
// numbers).
struct NaiveTokens {
    std::int64_t last = -1;
    std::int64_t top = -1;
    std::set<std::int64_t> granted;
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const NaiveTokens&) const = default;

    // A grant has one of them; or none, where it says so.
    [[nodiscard]] std::vector<NaiveTokens> after_grant(std::int64_t said, std::int64_t most) const {
        std::vector<NaiveTokens> all;
        if (said == kInvalidToken) {
            all.push_back(*this);
        }
        for (std::int64_t token = last + 1; token <= most; ++token) {
            if (said == kUnknownNumber || said == kInvalidToken || said == token) {
                all.push_back(*this);
                all.back().last = token;
                all.back().granted.insert(token);
            }
        }
        return all;
    }
    bool takes(const LockOperation& write) {
        if (write.number == kUnknownNumber) {
            return true;
        }
        const bool is_right = write.number >= top && granted.count(write.number) > 0;
        top = write.number;
        return is_right;
    }
};

// Above all tokens that anybody can have had.
inline std::int64_t token_max_of(const KeyOperations& list) {
    auto most = static_cast<std::int64_t>(list.operations.size()) + 1;
    for (const TimedOperation& timed : list.operations) {
        most = std::max(
            most, timed.operation.number + 1 + static_cast<std::int64_t>(list.operations.size()));
    }
    return most;
}

// An effect has a token that no grant is known to have: where there is a grant whose token nobody
// has said, the models may take it for that one's (documented), and the twin knows better.
inline bool has_guessed_token(const KeyOperations& list) {
    return std::any_of(list.operations.begin(), list.operations.end(), [](const auto& timed) {
        return timed.operation.code == LockCode::kWrite && timed.operation.number >= 0 &&
               !timed.operation.is_token_granted;
    });
}

// With effects, the models may report a longer prefix than the twin (models/tokens.hpp).
inline bool has_effects(const KeyOperations& list) {
    return std::any_of(list.operations.begin(), list.operations.end(), [](const auto& timed) {
        return timed.operation.code == LockCode::kWrite && timed.operation.number != kUnknownNumber;
    });
}

// The answer of a twin, or of the search, for one key.
struct Said {
    bool passed = false;
    std::size_t first_unexplained = 0;
    friend bool operator==(const Said&, const Said&) = default;
};

template <class Naive>
Said said_by(const Naive& naive, const std::vector<TimedOperation>& operations) {
    NaiveTwin<Naive> twin(operations, naive);
    const bool passed = twin.explains();
    return {passed, passed ? 0 : twin.first_unexplained()};
}

inline Said said_by(const Linearization& result, const KeyOperations& list) {
    const bool passed = is<Passed>(result.verdict);
    return {passed, passed || !result.stuck ? 0 : list.operations[*result.stuck].completed};
}

}  // namespace lockkeeper::testing_histories
