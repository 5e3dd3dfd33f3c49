// The orders in which the reference could have answered what the candidate did. Used by against.cpp
// only.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "app/against.hpp"

namespace lockkeeper::against {

// A call has come to its end.
inline constexpr std::uint32_t kReturns =
    kAcquired | kRefused | kReleased | kFailed | kDone | kCallerDied;

inline const std::string kAcquiredWord = "acquired";
// "acquired, count 2", "full", "released", "died", or the error's own name.
[[nodiscard]] std::string answer_of(const ErasedSystem& system, const Event& event,
                                    bool with_count);
// By key: units of capacity in use, cap marks apart.
void units_of(const ErasedSystem& system, const ErasedSystem::State& state,
              std::vector<std::uint32_t>& least, std::vector<std::uint32_t>& most);

class ReferenceSearch {
  public:
    ReferenceSearch(const ErasedSystem& reference, bool with_counts, bool with_units)
        : reference_(reference), with_counts_(with_counts), with_units_(with_units) {}

    [[nodiscard]] Explanation explain(const ObservedRun& observed);

  private:
    static constexpr std::size_t kCallsMax = 64;
    static constexpr std::uint64_t kOrdersMax = 20'000;
    using State = ErasedSystem::State;
    using Mask = std::uint64_t;

    // One whole call, and what the background has to do after it.
    struct Answered {
        bool returned = false;
        Verb verb = Verb::kAcquire;
        std::uint8_t key = 0;
        bool granted = false;
        bool refused = false;
        std::string answer;
    };
    [[nodiscard]] Answered call(State& state, std::uint8_t caller) const;
    bool step_background(State& state) const;
    bool step_caller(State& state, std::uint8_t caller, Event& event) const;

    [[nodiscard]] static bool is_same_answer(const ObservedCall& observed,
                                             const Answered& answered);
    bool place_next(const State& state, Mask placed, std::size_t depth);
    [[nodiscard]] bool may_be_next(std::size_t index, Mask placed) const;
    [[nodiscard]] bool units_agree(const State& state);
    void remember(std::size_t depth, std::size_t index, Difference difference,
                  const std::string& expected);

    const ErasedSystem& reference_;
    bool with_counts_;
    bool with_units_;
    const ObservedRun* observed_ = nullptr;
    std::unordered_set<std::string> seen_;
    std::uint64_t orders_ = 0;
    Explanation deepest_;
};

}  // namespace lockkeeper::against
