// SPDX-License-Identifier: Apache-2.0

// How scripts go on: what a caller passes over on its way to its next operation, and how callers
// wait for each other. A part of World.
//
// A signal counts how often it was given and not yet taken. Giving and taking are one atomic step
// each, and no calls: a caller that waits is at rest, as one is that thinks.
#pragma once

#include <string>

#include "model/world_state.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldScript {
  public:
    using Pc = typename WorldState<I>::Pc;
    using Slot = typename WorldState<I>::Slot;
    using State = typename WorldState<I>::State;
    using Status = typename WorldState<I>::Status;

    explicit WorldScript(const WorldState<I>& world) : world_(world) {}

    // A signal only lets others go on. A wait that is possible stays so when nobody else takes from
    // the signal, and takes from nobody when nobody else waits for it.
    [[nodiscard]] bool concerns_nobody_else(const Operation& operation, std::size_t caller) const {
        using Callers = typename WorldState<I>::Callers;
        const Callers self = Callers{}.set(caller);
        switch (operation.verb) {
            case Verb::kSignal: return true;
            case Verb::kWait:
                return operation.keep ? (world_.takers(operation.signal) & ~self).none()
                                      : world_.waiters(operation.signal) == self;
            default: return false;
        }
    }

    // From slot.pc on to an operation that has something to do: a release of nothing is passed
    // over, and what an if_holding governs. What is held does not change on the way, and each
    // round moves on, so a script that repeats for ever has been seen whole after its length.
    void settle(Slot& slot, std::size_t caller) const {
        const std::size_t size = world_.script_size(caller);
        std::size_t pc = slot.pc;
        for (std::size_t passed = 0; passed <= size; ++passed, ++pc) {
            if (pc == size && world_.config().callers[caller].repeats_forever) {
                pc = 0;
            }
            if (pc >= size) {
                break;
            }
            const Operation& next = world_.scripted(caller, pc);
            const bool holds = slot.held[next.key] > 0;
            if (next.verb == Verb::kIfHolding) {
                pc += holds ? 0 : next.governs;
            } else if (holds || next.unchecked ||
                       (next.verb != Verb::kRelease && !next.needs_lock)) {
                slot.status = Status::kResting;
                slot.pc = static_cast<Pc>(pc);
                return;
            }
        }
        slot.status = Status::kFinished;
        slot.pc = static_cast<Pc>(size);
    }

    // At a wait for a signal that counts too little.
    [[nodiscard]] bool waits(const State& state, std::size_t caller) const {
        if (!world_.has_waits() || state.slots[caller].status != Status::kResting) {
            return false;
        }
        const Operation& next = world_.scripted(caller, state.slots[caller].pc);
        return next.verb == Verb::kWait && state.signals[next.signal] < next.amount;
    }

    // The whole of a signal, or of a wait that is possible.
    LOCKKEEPER_SELDOM void pass_signal(State& state, std::size_t caller, const Operation& operation,
                                       Event& event) const {
        unsigned count = state.signals[operation.signal];
        if (operation.verb == Verb::kSignal) {
            count += operation.amount;
            if (count > kSignalCountMax) {
                throw LimitExceeded("the signal " + name_of_signal(operation) +
                                    " counts more than " + std::to_string(kSignalCountMax));
            }
        } else if (!operation.keep) {
            count -= operation.amount;
        }
        state.signals[operation.signal] = static_cast<std::uint8_t>(count);
        event.invoked = operation.verb;
        event.value = static_cast<std::int32_t>(count);
        Slot& slot = state.slots[caller];
        ++slot.pc;
        settle(slot, caller);
    }

    [[nodiscard]] std::string describe_signal(const Operation& operation) const {
        return (operation.verb == Verb::kWait ? "wait for " : "signal ") +
               name_of_signal(operation) +
               (operation.amount > 1 ? " x" + std::to_string(operation.amount) : "");
    }

  private:
    [[nodiscard]] const std::string& name_of_signal(const Operation& operation) const {
        return world_.config().signals[operation.signal];
    }

    const WorldState<I>& world_;
};

}  // namespace lockkeeper
