// SPDX-License-Identifier: Apache-2.0

// Where a caller is in its script, and what it believes to hold: what all runs of outside code have
// in common.
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

// When a call can have had its effect: from its first step to that of its return, by the number of
// steps of the run until then.
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
    // At the wire, `of_world`: the end once time has passed in the run. See Ledger::time_passes.
    std::optional<std::int64_t> end_in_time = {};
    CallWindow window = {};          // of its acquire; at the black box by records of the history
    bool of_world = false;           // at the wire: `until` is not of the caller's own wall clock
    bool overtaken = false;          // all places were granted to others since: P21 in ledger.hpp
    bool given_up = false;           // a call was told that the lock is lost
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
    // What was acquired and not released, the youngest last. Its time may be over.
    std::vector<BelievedHolding> held;

    [[nodiscard]] const Operation& upcoming(const CallerConfig& config) const {
        return config.script[next];
    }
    void advance(const CallerConfig& config, std::size_t by = 1);
    using Believes = std::function<bool(const BelievedHolding&)>;
    // Passes over conditions, calls of somebody who has nothing that they could be about, and a
    // sleep that is over (`wakes`, which then forgets it): up to what has to be begun or waited
    // for. A condition asks who `believes` to hold; a release or another call asks what was
    // acquired, because clients do call release after their time is over.
    void pass_over(const CallerConfig& config, const Believes& believes,
                   const std::function<bool()>& wakes, PassedOverCounts& counts);
    // Has been granted.
    void hold(const BelievedHolding& grant, const CallerConfig& config, const Believes& believes);
    // An operation as this caller sees it now; `view`: how many buckets there are.
    [[nodiscard]] Operation resolved(Operation operation, std::uint16_t view) const;
    // What a release or a word is about: the youngest holding of its key, which a release puts down
    // at once.
    [[nodiscard]] std::optional<BelievedHolding> take_subject(const Operation& operation);
    [[nodiscard]] std::vector<BelievedHolding>::reverse_iterator youngest(std::uint8_t key);

  private:
    [[nodiscard]] std::optional<LeftOut> pass_over_one(const CallerConfig& config,
                                                       const Believes& believes);
};

// Of the first step of what comes next.
[[nodiscard]] ActionClass class_of_beginning(const Operation& operation);
// A signal, or a wait that is over. Needs no program.
void pass_signal(const Operation& operation, std::vector<std::uint32_t>& signals);
// Of all acquires of the key in the scripts the one that sees most places; `view`: as in resolved.
[[nodiscard]] std::optional<Operation> widest_acquire(const WorldConfig& world, std::uint8_t key,
                                                      std::uint16_t view);

}  // namespace lockkeeper
