// SPDX-License-Identifier: Apache-2.0

// A lock whose acquire may restart its caller: deadlocks are prevented by age, as Erlang's mnesia
// 4.21.3 does it (docs/decisions/models/real_locks.md, row 8). A caller runs a function; its locks
// last until the function ends.
//
//   acquire   1 ask: free, or its own --> acquired
//               held, and everybody in line began later --> in line  --granted--> 2 acquired
//               else: thrown out. All its locks are free, and its function ends here
//   release   inner: nothing is sent, the lock stays.  The last: 3 commit  4 all its locks are free
//   a function that was thrown out runs again from the beginning, at any time
//
// A question and its answer are one step. Who waits is older than all in front of it, so nobody
// ever waits in a circle. What the function did outside, though, it does again.
//
// How often a function may run again is the budget `client_restarts`: mnesia's retries 0 and 1 are
// both a single run. Reading: a run that was thrown out has lost its age, and begins with a new
// one. To World a function that is thrown out dies by the lock's doing: P10 (caller-death) sees
// each.
//
// Repaired: effects_after_commit, what is to be done outside is done by the commit, once.
//
// Invariants
//   1. The places in a line are 1 to its length, each of one caller; 1 holds.
//   2. The ages of those who run a function are 1, 2, ..., in the order in which they began.
//   3. In a line each caller began earlier than all before it.
//
// Limits: 4 callers, 3 keys.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/implementation.hpp"

namespace lockkeeper::wait_die {

struct Options {
    std::vector<std::string> keys{"a"};
    bool effects_after_commit = false;
    bool younger_waits = false;  // planted
};

enum class At : std::uint8_t { kNowhere, kAsk, kWait, kEffect, kCommit, kFree };

class WaitDieLock : public Defaults {
  public:
    using Size = WorldSize<4, 3, std::uint8_t, std::uint8_t, 1>;
    static constexpr std::size_t kKeys = Size::kKeys;
    static constexpr Traits kTraits{.restarts = true, .no_background = true};
    static constexpr ShownNames kShownNames{.servers = "lock manager",
                                            .steps = "impl/wait_die/wait_die_lock.hpp",
                                            .page = "docs/decisions/models/real_locks.md"};
    static constexpr std::uint32_t kFeatures = kShowsGrants | kShowsEffects | kCountsEffects;

    struct Shared {
        std::uint8_t nothing;
    };
    struct Record {
        std::array<std::uint8_t, kKeys> place;  // 0: none, 1: holds, more: waits
        std::uint8_t age;                       // 1: began first of all; 0: no function runs
        std::uint8_t blocks;                    // acquired and not released
        std::uint8_t done;                      // bit k: effect of key k in this run
        std::uint8_t done_before;               // ... in runs of it that were thrown out
        std::uint8_t thrown_out;                // and not begun again
    };
    struct Call {
        At at;
        std::uint8_t key;
    };
    using AllRecords = Records<Record>;

    explicit WaitDieLock(Options options) : options_(std::move(options)) {}

    [[nodiscard]] static Shared initial_shared() { return {}; }

    static void begin(const Operation& operation, Call& call) {
        call.key = operation.key;
        call.at = operation.verb == Verb::kAcquire   ? At::kAsk
                  : operation.verb == Verb::kRelease ? At::kCommit
                                                     : At::kEffect;
    }

    [[nodiscard]] static bool blocked(const Shared&, const Record& record, const Call& call) {
        return call.at == At::kWait && record.place[call.key] != 1;
    }

    Outcome step(Shared&, AllRecords records, std::size_t caller, Call& call,
                 const Operation& operation, Event& event) const {
        Record& record = records[caller];
        switch (call.at) {
            case At::kAsk: return ask(records, caller, call, operation.key);
            case At::kWait: ++record.blocks; return Outcome::kAcquired;
            case At::kEffect: return effect(record, operation.key, event);
            case At::kCommit: return commit(record, call, event);
            case At::kFree:
                end_run(records, caller);
                record.done = record.done_before = 0;
                return Outcome::kReleased;
            case At::kNowhere: break;
        }
        unreachable("a label of the wait-die lock");
    }

    // Crashed, or thrown out: the latter has left its locks already, and may come again.
    static void on_death(Shared&, AllRecords records, std::size_t caller) {
        if (records[caller].thrown_out == 0) {
            end_run(records, caller);
            records[caller] = {};
        }
    }
    [[nodiscard]] static bool can_restart(const Shared&, const Record& record) {
        return record.thrown_out != 0;
    }
    static void on_restart(Shared&, Record& record) { record.thrown_out = 0; }

    [[nodiscard]] static bool holds(const Shared&, const Record& record, std::size_t key) {
        return record.place[key] == 1;
    }

    static void observe(const Shared&, Records<const Record> records, Observation& out) {
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            KeyObservation& seen = out.keys[key];
            std::int32_t length = 0;
            for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
                const Record& record = records[caller];
                const bool holds = record.place[key] == 1;
                const CallerObservation& who = out.callers[caller];
                length += record.place[key] != 0 ? 1 : 0;
                seen.granted += holds ? 1U : 0U;
                seen.phantoms += holds && !who.dead && !who.calling && record.blocks == 0 ? 1U : 0U;
            }
            out.grants_overlap = out.grants_overlap || seen.granted > 1;
            seen.counters = {length};
        }
    }

    std::string describe_step(const Shared&, const Record& record, const Call& call,
                              const Operation& operation) const {
        const std::string& key = options_.keys[operation.key];
        switch (call.at) {
            case At::kAsk: return (record.age == 0 ? "the function begins: lock " : "lock ") + key;
            case At::kWait: return "the wait for " + key + " is over";
            case At::kEffect:
                return options_.effects_after_commit ? "an effect for the commit, under " + key
                                                     : "effect outside, under " + key;
            case At::kCommit:
                return record.blocks > 1 ? "an inner block ends, nothing is sent" : "commit";
            case At::kFree: return "all locks are free";
            case At::kNowhere: break;
        }
        return "idle";
    }
    [[nodiscard]] static std::string show(const Shared&) { return ""; }

  private:
    static std::uint8_t bit(std::size_t key) { return static_cast<std::uint8_t>(1U << key); }

    Outcome ask(AllRecords records, std::size_t caller, Call& call, std::size_t key) const {
        Record& record = records[caller];
        if (record.age == 0) {
            record.age = static_cast<std::uint8_t>(oldest_free_age(records));
        }
        if (record.place[key] == 1) {
            ++record.blocks;
            return Outcome::kAcquired;
        }
        std::uint8_t length = 0;
        bool is_oldest = true;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const Record& other = records[i];
            length = std::max(length, other.place[key]);
            is_oldest = is_oldest && (other.place[key] == 0 || other.age > record.age);
        }
        if (length > 0 && !is_oldest && !options_.younger_waits) {
            throw_out(records, caller);
            return Outcome::kDied;
        }
        record.place[key] = static_cast<std::uint8_t>(length + 1);
        if (length > 0) {
            call.at = At::kWait;
            return Outcome::kContinues;
        }
        ++record.blocks;
        return Outcome::kAcquired;
    }

    Outcome effect(Record& record, std::size_t key, Event& event) const {
        record.done = static_cast<std::uint8_t>(record.done | bit(key));
        if (!options_.effects_after_commit) {
            event.what |= kEffect;
            event.note(Breach::kRepeated, (record.done_before & bit(key)) != 0);
        }
        return Outcome::kDone;
    }

    Outcome commit(Record& record, Call& call, Event& event) const {
        if (record.blocks > 1) {
            --record.blocks;
            return Outcome::kReleased;
        }
        event.what |= options_.effects_after_commit && record.done != 0 ? kEffect : 0U;
        call.at = At::kFree;
        return Outcome::kContinues;
    }

    void throw_out(AllRecords records, std::size_t caller) const {
        Record& record = records[caller];
        end_run(records, caller);
        if (!options_.effects_after_commit) {
            record.done_before = static_cast<std::uint8_t>(record.done_before | record.done);
        }
        record.done = 0;
        record.thrown_out = 1;
    }

    static std::size_t oldest_free_age(AllRecords records) {
        std::size_t newest = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            newest = std::max<std::size_t>(newest, records[i].age);
        }
        return newest + 1;
    }

    // Frees the caller's locks and takes it out of all lines; the next in each is granted.
    static void end_run(AllRecords records, std::size_t caller) {
        Record& record = records[caller];
        for (std::size_t key = 0; key < kKeys; ++key) {
            close_up(records, std::exchange(record.place[key], std::uint8_t{0}),
                     [key](Record& other) -> std::uint8_t& { return other.place[key]; });
        }
        close_up(records, std::exchange(record.age, std::uint8_t{0}),
                 [](Record& other) -> std::uint8_t& { return other.age; });
        record.blocks = 0;
    }

    template <class Number>
    static void close_up(AllRecords records, std::uint8_t left, Number number) {
        for (std::size_t i = 0; left != 0 && i < records.size(); ++i) {
            std::uint8_t& one = number(records[i]);
            one = static_cast<std::uint8_t>(one - (one > left ? 1 : 0));
        }
    }

    Options options_;
};

static_assert(Implementation<WaitDieLock>);

}  // namespace lockkeeper::wait_die
