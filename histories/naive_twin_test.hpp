// The search again, in few lines and without any of its means: every order is tried. What a lock
// may do comes from a naive model, which says every state that can follow. For the tests of
// histories/; nothing else includes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "histories/linearize.hpp"

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

// What a twin, or the search, says of one key.
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
    const bool passed = result.verdict == HistoryVerdict::kPassed;
    return {passed, passed || !result.stuck ? 0 : list.operations[*result.stuck].completed};
}

}  // namespace lockkeeper::testing_histories
