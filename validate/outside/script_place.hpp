// SPDX-License-Identifier: Apache-2.0

// A caller's place in its script, and what the caller believes to hold. All runs of outside code
// have this in common.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/action_class.hpp"
#include "validate/outside/outside_world.hpp"

namespace lockkeeper {

// The steps of the run between which a call can have had its effect: its first step, and the step
// of its return.
struct CallWindow {
    std::uint32_t first = 0;
    std::uint32_t last = 0;

    [[nodiscard]] constexpr bool is_wholly_after(const CallWindow& other) const {
        return first > other.last;
    }
};

struct BelievedHolding {
    Operation operation;
    std::optional<std::int64_t> until;  // in the time of the level: ticks, or milliseconds
    std::optional<std::int64_t> token;
    // At the wire: the end once time has passed in the run, then `of_world`. Ledger::time_passes.
    std::optional<std::int64_t> end_in_time = {};
    CallWindow window = {};          // of its acquire; at the black box by records of the history
    bool of_world = false;           // at the wire: `until` is not by the caller's own wall clock
    bool overtaken = false;          // all places were granted to others since: P21 in ledger.hpp
    bool given_up = false;           // a call was told that the lock is lost
    bool is_ending = false;          // a unit of the grant whose release is under way
    bool is_left = false;            // its release failed for certain: its place is taken
    std::uint32_t overtaken_by = 0;  // the end of the window of the grant that did it
};

// Operations that a script leaves out, and why.
struct LeftOut {
    std::uint64_t operations = 0;
    std::string why;
};

using PassedOverCounts = std::map<std::string, std::uint64_t>;  // operations, by the reason

struct ScriptPlace {
    std::size_t next = 0;
    bool done = false;
    // The holdings acquired and not released, the youngest last. Their time may be over.
    std::vector<BelievedHolding> held;

    [[nodiscard]] const Operation& upcoming(const CallerConfig& config) const {
        return config.script[next];
    }
    void advance(const CallerConfig& config, std::size_t by = 1);
    using Believes = std::function<bool(const BelievedHolding&)>;
    // Moves to the next operation that must begin or wait. Passes over conditions, calls for which
    // the caller has acquired nothing, and a sleep that is over (`wakes`, which then forgets it). A
    // condition asks whether the caller `believes` to hold. A release or another call asks only
    // what was acquired, because clients do call release after their time is over.
    void pass_over(const CallerConfig& config, const Believes& believes,
                   const std::function<bool()>& wakes, PassedOverCounts& counts);
    // The caller has been granted this.
    void hold(const BelievedHolding& grant, const CallerConfig& config, const Believes& believes);
    // An operation as this caller sees it now; `view`: how many buckets there are.
    [[nodiscard]] Operation resolved(Operation operation, std::uint16_t view) const;
    // The holding that a release or a word is about: the youngest of its key. A release removes it
    // from `held` at once.
    [[nodiscard]] std::optional<BelievedHolding> take_subject(const Operation& operation);
    [[nodiscard]] std::vector<BelievedHolding>::reverse_iterator youngest(std::uint8_t key);

  private:
    [[nodiscard]] std::optional<LeftOut> pass_over_one(const CallerConfig& config,
                                                       const Believes& believes);
};

// The class of the operation's first step.
[[nodiscard]] ActionClass class_of_beginning(const Operation& operation);
// Takes a signal, or a wait that is over, which needs no program.
void pass_signal(const Operation& operation, std::vector<std::uint32_t>& signals);
// The acquire of the key, in any script, that sees most places; `view`: as in resolved.
[[nodiscard]] std::optional<Operation> widest_acquire(const WorldConfig& world, std::uint8_t key,
                                                      std::uint16_t view);

}  // namespace lockkeeper
