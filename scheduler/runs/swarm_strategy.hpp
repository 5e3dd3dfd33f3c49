// SPDX-License-Identifier: Apache-2.0

// Draws by weights. Either a fault is three times as likely as a step, or each run draws its own
// weights, so that runs differ in more than their order (swarm testing: Groce et al. 2012): each
// party is up to sixteen times as fast as another, half of the kinds of faults hardly happen, and
// the others often or seldom. The strategy `feedback` chooses by it.
#pragma once

#include <array>
#include <cstdint>

#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {

class SwarmStrategy {
  public:
    enum class Weights : std::uint8_t { kManyFaults, kDrawn };

    explicit SwarmStrategy(Weights weights) : weights_(weights) {}

    void begin(std::uint64_t seed) {
        random_ = Random(seed);
        if (weights_ == Weights::kDrawn) {
            salt_ = random_.next();
            of_fault_ = drawn();
            for (std::uint32_t& weight : of_party_) {
                weight = drawn();
            }
        }
    }

    std::size_t choose(const ActionList& actions) {
        std::uint32_t sum = 0;
        for (const Action action : actions) {
            sum += weight(action);
        }
        std::uint32_t left = random_.below(sum);
        std::size_t index = 0;
        for (; left >= weight(actions[index]); ++index) {
            left -= weight(actions[index]);
        }
        return index;
    }

  private:
    static constexpr std::uint32_t kUsual = 16;

    // From a quarter of the usual weight to four times as much.
    [[nodiscard]] std::uint32_t drawn() { return (kUsual / 4) << random_.below(5); }

    [[nodiscard]] std::uint32_t weight(Action action) const {
        if (weights_ == Weights::kManyFaults) {
            return is_fault(action) ? 3 * kUsual : kUsual;
        }
        if (!is_fault(action)) {
            return of_party_[party_of(action)];
        }
        return often(action) ? 2 * of_fault_ : of_fault_ / 4;
    }
    // A bit for each kind of fault. The argument of a crash or resize says nothing.
    [[nodiscard]] bool often(Action fault) const {
        const bool has_kinds =
            fault.kind == ActionKind::kFault || fault.kind == ActionKind::kDisturb;
        const std::uint64_t kind =
            static_cast<std::uint64_t>(fault.kind) << 16U | (has_kinds ? fault.argument : 0U);
        return Random(salt_ ^ kind).next() >> 63U != 0;
    }

    Weights weights_;
    Random random_;
    std::uint64_t salt_ = 0;
    std::uint32_t of_fault_ = kUsual;
    std::array<std::uint32_t, 256> of_party_{};
};

}  // namespace lockkeeper
