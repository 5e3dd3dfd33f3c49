// SPDX-License-Identifier: Apache-2.0

// The state of a World and what can be read off it: who holds how much, and what an acquire under
// way may have seen of others. The other parts of World (script, calls, words) read it.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <utility>

#include "model/by_record.hpp"
#include "model/capped_ages.hpp"
#include "model/relative_time.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldState {
  public:
    using Size = typename I::Size;
    using Pc = typename Size::Pc;
    using Count = typename Size::Count;
    static constexpr std::size_t kCallers = Size::kCallers;
    static constexpr std::size_t kKeys = Size::kKeys;
    static constexpr std::size_t kRemembered = Size::kRemembered;
    static constexpr std::size_t kSignals = Size::kSignals;

    enum class Status : Count {
        kResting,   // between two operations; the next one can begin
        kRetrying,  // refused, and about to begin the same acquire again
        kCalling,   // inside an operation
        kFinished,  // at the end of the script
        kDead,
    };

    struct Slot {
        Pc pc;                          // next (or current) operation of the script
        std::array<Count, kKeys> held;  // locks believed to be held
        Count certain_least;            // monitors of the acquire under way;
        Count possible_most;            //   zero unless `watches_others`
        std::array<std::array<std::uint8_t, kRemembered>, kKeys> remembered;
        Status status;
        typename I::Call call;
        typename I::Record record;
    };

    struct State {
        std::array<Slot, kCallers> slots;
        typename I::Shared shared;
        std::uint8_t crashes;
        std::uint8_t resizes;
        // The count of each signal, then padding; the last byte counts restarts().
        std::array<std::uint8_t, kSignals + 8 - (sizeof(slots) + sizeof(shared) + 2 + kSignals) % 8>
            signals;
    };

    WorldState(I implementation, WorldConfig config)
        : implementation_(std::move(implementation)), config_(std::move(config)) {
        LOCKKEEPER_CHECK(config_.callers.size() <= kCallers);
        LOCKKEEPER_CHECK(config_.keys.size() <= kKeys && !config_.views.empty());
        LOCKKEEPER_CHECK(config_.signals.size() <= kSignals);
        for (const CallerConfig& caller : config_.callers) {
            LOCKKEEPER_CHECK(caller.script.size() <= std::numeric_limits<Pc>::max());
            for (std::size_t pc = 0; pc < caller.script.size(); ++pc) {
                const Operation& operation = caller.script[pc];
                // Nothing is remembered for a release of nothing.
                LOCKKEEPER_CHECK(!(operation.unchecked && operation.follows_resizes));
                LOCKKEEPER_CHECK(operation.governs < caller.script.size() - pc);
                LOCKKEEPER_CHECK(!operation.uses_signal() ||
                                 operation.signal < config_.signals.size());
            }
            script_begin_[callers_count_] = static_cast<std::uint32_t>(operations_.size());
            script_size_[callers_count_] = static_cast<std::uint32_t>(caller.script.size());
            operations_.insert(operations_.end(), caller.script.begin(), caller.script.end());
            group_[callers_count_] = caller.group;
            note_waits(caller.script);
            ++callers_count_;
        }
        if constexpr (kTraitsOf<I>.relative_time) {
            time_bounds_ = implementation_.time_bounds();
        }
    }

    // How often a dead caller has started again.
    [[nodiscard]] static std::uint8_t restarts(const State& state) { return state.signals.back(); }

    [[nodiscard]] const WorldConfig& config() const { return config_; }
    [[nodiscard]] std::size_t callers_count() const { return callers_count_; }
    [[nodiscard]] std::size_t script_size(std::size_t caller) const { return script_size_[caller]; }
    [[nodiscard]] std::uint8_t group(std::size_t caller) const { return group_[caller]; }
    [[nodiscard]] const Operation& scripted(std::size_t caller, std::size_t pc) const {
        return operations_[script_begin_[caller] + pc];
    }
    [[nodiscard]] const I& implementation() const { return implementation_; }
    using Times = std::conditional_t<kTraitsOf<I>.time_left, CappedAges, RelativeTime>;
    [[nodiscard]] const typename Times::Bounds& time_bounds() const { return time_bounds_; }
    [[nodiscard]] static Times times_of([[maybe_unused]] typename I::Shared& shared,
                                        const typename Times::Bounds& bounds) {
        if constexpr (kTraitsOf<I>.time_left) {
            return Times(I::now_of(shared), I::end_of(shared), bounds);
        } else {
            return Times(shared.now, bounds);
        }
    }

    // The callers whose scripts wait for the signal, and those that take from it.
    using Callers = std::bitset<kCallers>;
    [[nodiscard]] bool has_waits() const { return has_waits_; }
    [[nodiscard]] const Callers& waiters(std::size_t signal) const { return waiters_[signal]; }
    [[nodiscard]] const Callers& takers(std::size_t signal) const { return takers_[signal]; }

    // Returns the state of the caller's call; where it is in none, of one that begins.
    [[nodiscard]] typename I::Call call_of(const Slot& slot, const Operation& operation) const {
        typename I::Call call = slot.call;
        if (slot.status != Status::kCalling) {
            implementation_.begin(operation, call);
        }
        return call;
    }

    // --- who holds what --------------------------------------------------------------------

    [[nodiscard]] Records<typename I::Record> records(State& state) const {
        return {&state.slots[0].record, sizeof(Slot), callers_count_};
    }
    [[nodiscard]] Records<const typename I::Record> records(const State& state) const {
        return {&state.slots[0].record, sizeof(Slot), callers_count_};
    }

    [[nodiscard]] bool caller_finished(const State& state, std::size_t caller) const {
        return state.slots[caller].status >= Status::kFinished;
    }

    [[nodiscard]] bool quiescent(const State& state) const {
        for (std::size_t i = 0; i < callers_count_; ++i) {
            const Status status = state.slots[i].status;
            if (status == Status::kCalling || status == Status::kRetrying) {
                return false;
            }
        }
        return is_idle(implementation_, state.shared, records(state));
    }

    // Another caller believes to hold a lock that a lock of `key` excludes.
    [[nodiscard]] bool excluded_by_others(const State& state, std::size_t caller,
                                          std::size_t key) const {
        for (std::size_t i = 0; i < callers_count_; ++i) {
            for (std::size_t other = 0; i != caller && other < config_.keys.size(); ++other) {
                if (state.slots[i].held[other] > 0 && excludes(key, other)) {
                    return true;
                }
            }
        }
        return false;
    }
    // Two callers believe to hold locks that exclude each other.
    [[nodiscard]] bool beliefs_overlap(const State& state) const {
        for (std::size_t i = 0; i < callers_count_; ++i) {
            for (std::size_t key = 0; key < config_.keys.size(); ++key) {
                if (state.slots[i].held[key] > 0 && excluded_by_others(state, i, key)) {
                    return true;
                }
            }
        }
        return false;
    }
    [[nodiscard]] bool excludes(std::size_t key, std::size_t other) const {
        if constexpr (kTraitsOf<I>.excludes) {
            return implementation_.excludes(key, other);
        } else {
            return key == other;
        }
    }

    [[nodiscard]] std::uint32_t believed(const State& state, std::size_t key) const {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < callers_count_; ++i) {
            sum += state.slots[i].held[key];
        }
        return sum;
    }

    // Counts the locks that all callers believe to hold, and the unfinished acquires of others
    // that the servers count as granted.
    [[nodiscard]] std::uint32_t believed_or_granted(const State& state, std::size_t caller,
                                                    std::size_t key) const {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < callers_count_; ++i) {
            const Slot& slot = state.slots[i];
            // Without branches: among many callers nobody could predict them.
            bool counts = (i != caller) & (slot.status == Status::kCalling) &
                          static_cast<bool>(implementation_.granted(slot.call));
            if constexpr (kKeys > 1) {
                counts = counts && scripted(i, slot.pc).key == key;
            }
            sum += slot.held[key] + (counts ? 1U : 0U);
        }
        return sum;
    }

    LOCKKEEPER_SELDOM void watch_others(State& state) const {
        for (std::size_t key = 0; key < config_.keys.size(); ++key) {
            const Totals totals = totals_of(state, key);
            for (std::size_t i = 0; i < callers_count_; ++i) {
                if (acquires(state, i, key)) {
                    narrow(state.slots[i], totals);
                }
            }
        }
    }

    // Narrows or widens what the caller, whose acquire is under way, may have seen of others.
    void watch_caller(State& state, std::size_t caller) const {
        narrow(state.slots[caller], totals_of(state, scripted(caller, state.slots[caller].pc).key));
    }

    [[nodiscard]] std::uint32_t held_at_most(const State& state, std::size_t key) const {
        return totals_of(state, key).possible;
    }

  private:
    void note_waits(const std::vector<Operation>& script) {
        for (const Operation& operation : script) {
            if (operation.verb == Verb::kWait) {
                has_waits_ = true;
                waiters_[operation.signal].set(callers_count_);
                Callers& takers = takers_[operation.signal];
                takers[callers_count_] = takers[callers_count_] || !operation.keep;
            }
        }
    }

    // The locks of one key. Certain: believed to be held. Possible: also granted but not returned,
    // being released, or left by the dead and not yet freed.
    struct Totals {
        std::uint32_t certain = 0;
        std::uint32_t possible = 0;
    };
    [[nodiscard]] Totals totals_of(const State& state, std::size_t key) const {
        Totals totals;
        totals.certain = believed(state, key);
        totals.possible =
            totals.certain + implementation_.pending_cleanup(state.shared, records(state), key);
        for (std::size_t i = 0; i < callers_count_; ++i) {
            const Slot& slot = state.slots[i];
            if (slot.status == Status::kCalling && scripted(i, slot.pc).key == key) {
                totals.possible += implementation_.granted(slot.call) ? 1U : 0U;
                totals.possible += scripted(i, slot.pc).verb == Verb::kRelease ? 1U : 0U;
            }
        }
        return totals;
    }
    [[nodiscard]] bool acquires(const State& state, std::size_t caller, std::size_t key) const {
        const Slot& slot = state.slots[caller];
        if (slot.status != Status::kCalling) {
            return false;
        }
        const Operation& operation = scripted(caller, slot.pc);
        return operation.verb == Verb::kAcquire && operation.key == key;
    }
    // Leaves out the caller's own grant, which totals.possible includes.
    void narrow(Slot& slot, Totals totals) const {
        const auto clamp = [](std::uint32_t n) {
            return static_cast<Count>(
                std::min<std::uint32_t>(n, std::numeric_limits<Count>::max()));
        };
        const std::uint32_t own = implementation_.granted(slot.call) ? 1 : 0;
        slot.certain_least = std::min(slot.certain_least, clamp(totals.certain));
        slot.possible_most = std::max(slot.possible_most, clamp(totals.possible - own));
    }

    I implementation_;
    WorldConfig config_;
    // The scripts once more, side by side: read for every caller in every state.
    std::vector<Operation> operations_;
    std::array<std::uint32_t, kCallers> script_begin_{};
    std::array<std::uint32_t, kCallers> script_size_{};
    std::array<std::uint8_t, kCallers> group_{};
    std::size_t callers_count_ = 0;
    bool has_waits_ = false;
    std::array<Callers, kSignalsMax> waiters_{};
    std::array<Callers, kSignalsMax> takers_{};
    typename Times::Bounds time_bounds_;
};

}  // namespace lockkeeper
