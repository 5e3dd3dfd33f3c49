// SPDX-License-Identifier: Apache-2.0

// Strategies choose what happens next. A strategy sees the list of possible actions and picks one;
// it never sees the state, so that a schedule says everything.
//
//   random        every possible action is equally likely
//   pct:D         priorities by party, lowered at D-1 random steps (Burckhardt et al. 2010): finds
//                 a bug that needs D ordering decisions with a known least probability
//   round-robin   one party after the other, by turns of a length drawn once a run
//   rare-faults   random, but faults (and resizes) are drawn one time in sixteen
//   pos           a priority drawn for each action when it becomes possible, and kept until it is
//                 taken (the basic partial order sampling of Yuan, Yang and Gu 2018: without what
//                 races, which lists of actions do not say)
//   portfolio     random, pct, rare-faults and round-robin, one after the other
//   feedback      goes where no run has been: feedback_simulator.hpp (the default of `fuzz`)
//   replay        what a schedule says (`lockkeeper replay`)
//   order         whole operations, one after the other (scenario method "order")
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/action.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper {

// A party that acts: each caller, the background as one party, the faults.
using Party = std::uint8_t;
inline constexpr Party kBackgroundParty = 250;
inline constexpr Party kCrashParty = 251;
inline constexpr Party kResizeParty = 252;
inline constexpr Party kTimeParty = 249;
inline constexpr Party kFaultParty = 253;

[[nodiscard]] constexpr Party party_of(Action action) {
    switch (action.kind) {
        case ActionKind::kStep: return action.actor;
        case ActionKind::kBackground: return kBackgroundParty;
        case ActionKind::kCrash: return kCrashParty;
        case ActionKind::kResize: return kResizeParty;
        case ActionKind::kTime: return kTimeParty;
        case ActionKind::kFault:
        case ActionKind::kDisturb: return kFaultParty;
    }
    return kBackgroundParty;
}

class RandomStrategy {
  public:
    void begin(std::uint64_t seed) { random_ = Random(seed); }
    std::size_t choose(const ActionList& actions) {
        return choose_among(static_cast<std::uint32_t>(actions.size()), 0);
    }
    // The same choice by numbers alone: of `all` that is possible the first `plain` are no faults.
    std::uint32_t choose_among(std::uint32_t all, std::uint32_t) { return random_.below(all); }

  private:
    Random random_;
};

class RareFaultsStrategy {
  public:
    void begin(std::uint64_t seed) { random_ = Random(seed); }
    std::size_t choose(const ActionList& actions) {
        return choose_where(static_cast<std::uint32_t>(actions.size()),
                            [&](std::uint32_t index) { return is_fault(actions[index]); });
    }
    std::uint32_t choose_among(std::uint32_t all, std::uint32_t plain) {
        return choose_where(all, [&](std::uint32_t index) { return index >= plain; });
    }

  private:
    template <class IsFault>
    std::uint32_t choose_where(std::uint32_t all, IsFault is_fault) {
        for (int attempt = 0; attempt < 16; ++attempt) {
            const std::uint32_t index = random_.below(all);
            if (!is_fault(index) || random_.below(16) == 0) {
                return index;
            }
        }
        return 0;
    }

    Random random_;
};

class PctStrategy {
  public:
    // `steps`: how long a run is expected to be; change points are drawn among them.
    PctStrategy(std::uint32_t depth, std::uint32_t steps) : depth_(depth), steps_(steps) {}
    void begin(std::uint64_t seed);
    std::size_t choose(const ActionList& actions);
    // Behind all others from now on. So does each change point behind this, which else would put
    // the chosen one before who was lowered.
    void lower(Party party) { priority_[party] = --least_; }

  private:
    std::uint32_t depth_;
    std::uint32_t steps_;
    std::uint32_t step_ = 0;
    Random random_;
    std::array<std::int64_t, 256> priority_{};
    std::int64_t least_ = 0;  // of those that were lowered
    std::vector<std::uint32_t> change_points_;
};

class PosStrategy {
  public:
    void begin(std::uint64_t seed) {
        random_ = Random(seed);
        priority_.clear();
    }
    std::size_t choose(const ActionList& actions);

  private:
    Random random_;
    // For each action, as a word, that was possible and has not been taken.
    std::map<std::uint32_t, std::uint64_t> priority_;
};

class RoundRobinStrategy {
  public:
    void begin(std::uint64_t seed);
    std::size_t choose(const ActionList& actions);

  private:
    Random random_;
    std::uint32_t turn_ = 1;
    std::uint32_t left_ = 0;
    Party party_ = 0;
    bool started_ = false;
};

// Goes on from what runs have seen; all others depend on the list of actions alone.
inline constexpr const char* kFeedback = "feedback";
// The strategies that take no parameter.
inline constexpr const char* kPlainStrategies[] = {"portfolio",   "random", "rare-faults",
                                                   "round-robin", "pos",    kFeedback};
// All of the above, for `list`; --strategy takes those that choose by themselves.
[[nodiscard]] std::vector<std::string> strategy_names();
// Says what is wrong with a name ("pct:0"), or nothing.
[[nodiscard]] std::optional<std::string> strategy_error(std::string_view name);
// The D of "pct:D"; nothing for other names.
[[nodiscard]] std::optional<std::uint32_t> pct_depth(std::string_view name);

}  // namespace lockkeeper
