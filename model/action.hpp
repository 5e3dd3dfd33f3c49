// SPDX-License-Identifier: Apache-2.0

// One choice of the scheduler. EVERYTHING that can happen next is an action: a caller's step, a
// message being handled, a crash, a resize. Four bytes, so that a schedule is a plain array.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "model/check.hpp"

namespace lockkeeper {

enum class ActionKind : std::uint8_t {
    kStep,        // caller `actor` takes its next atomic step
    kBackground,  // the implementation's own doing (manager, delivery, timer); `argument` says
                  // which
    kCrash,       // caller `actor` dies
    kResize,      // the next resize of the scenario becomes visible to calls that begin from now on
    kFault,    // caller `actor` takes its next step and something goes wrong; `argument` says what
    kDisturb,  // something goes wrong that is nobody's step; `argument` says what
    kTime,     // virtual time goes on to `argument`
};

struct Action {
    std::uint8_t actor = 0;
    ActionKind kind = ActionKind::kStep;
    std::uint16_t argument = 0;

    friend auto operator<=>(const Action&, const Action&) = default;
};
// A kDisturb action with this argument restarts the dead caller `actor`.
inline constexpr std::uint16_t kRestartArgument = 0xFFFF;
[[nodiscard]] constexpr bool is_restart(Action action) {
    return action.kind == ActionKind::kDisturb && action.argument == kRestartArgument;
}
static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(Action) == 4 && std::has_unique_object_representations_v<Action>);

// The actions that are possible in a state, in the order that the System's contract fixes.
// A plain array with a length: filled millions of times a second, never on the heap.
class ActionList {
  public:
    static constexpr std::size_t kCapacity = 640;

    void clear() { size_ = 0; }
    void add(Action action) {
        LOCKKEEPER_CHECK(size_ < kCapacity);
        actions_[size_++] = action;
    }
    // Sets the actor of all actions from index `first` on.
    void name_actor(std::size_t first, std::uint8_t actor) {
        for (std::size_t i = first; i < size_; ++i) {
            actions_[i].actor = actor;
        }
    }
    // Takes virtual time out of the actions from index `first` on.
    void remove_time(std::size_t first) {
        std::size_t kept = first;
        for (std::size_t i = first; i < size_; ++i) {
            if (actions_[i].kind != ActionKind::kTime) {
                actions_[kept++] = actions_[i];
            }
        }
        size_ = kept;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] Action operator[](std::size_t index) const { return actions_[index]; }
    [[nodiscard]] const Action* begin() const { return actions_.data(); }
    [[nodiscard]] const Action* end() const { return actions_.data() + size_; }
    [[nodiscard]] bool contains(Action action) const {
        for (Action candidate : *this) {
            if (candidate == action) {
                return true;
            }
        }
        return false;
    }

    // Appends without a branch on `possible`, which no processor could predict, and keeps its place
    // in a register. Checks once that there is room for `most` further actions. A list has one
    // Appender at a time, which must end before any other use of the list.
    class Appender {
      public:
        Appender(ActionList& list, std::size_t most) : list_(list) {
            LOCKKEEPER_CHECK(list.size_ + most < kCapacity);
            end_ = list.actions_.data() + list.size_;
        }
        Appender(const Appender&) = delete;
        Appender& operator=(const Appender&) = delete;
        ~Appender() { list_.size_ = static_cast<std::size_t>(end_ - list_.actions_.data()); }
        void add_if(bool possible, Action action) {
            // One store: three small ones, read back as four bytes, would stall the processor.
            const std::uint32_t word = action.actor |
                                       static_cast<std::uint32_t>(action.kind) << 8U |
                                       static_cast<std::uint32_t>(action.argument) << 16U;
            std::memcpy(static_cast<void*>(end_), &word, sizeof(word));
            end_ += possible ? 1 : 0;
        }

      private:
        ActionList& list_;
        Action* end_;
    };

  private:
    std::size_t size_ = 0;
    std::array<Action, kCapacity> actions_;
};

// An action that need not happen: no caller may rely on it to make progress.
[[nodiscard]] constexpr bool is_fault(Action action) {
    switch (action.kind) {
        case ActionKind::kStep:
        case ActionKind::kBackground:
        case ActionKind::kTime: return false;
        case ActionKind::kCrash:
        case ActionKind::kResize:
        case ActionKind::kFault:
        case ActionKind::kDisturb: return true;
    }
    return false;
}

// True: only faults can still happen, or nothing, so that no caller can go on by itself.
[[nodiscard]] inline bool only_faults(const ActionList& actions) {
    for (Action action : actions) {
        if (!is_fault(action)) {
            return false;
        }
    }
    return true;
}

}  // namespace lockkeeper
