// SPDX-License-Identifier: Apache-2.0

// The baselines with which docs/decisions/models/transactional_lock.md compares the transactional
// lock. Callers take a connection from a pool, lock with one statement on PostgreSQL, and put the
// connection back.
//
//   acquire   1 take a connection: the first that is free, or wait  2 the lock statement
//               blocking: granted, or in line  --in line--> 3 it returns
//               trying: granted or refused; refused outside of any block, the connection goes
//               back at once
//   release   4 unlock, or COMMIT; of an inner block at transaction level nothing is sent
//             5 outermost: put the connection back
//   drop      5 alone: the block ended by an error and nobody unlocks
//   other_connection   6 take another connection, too, or wait for one  7 put that one back
//
// A caller that waits in line, or for another connection, keeps its connection. No caller gives up
// waiting for a connection, and the database does not see that a caller waits for one.
//
// Session level: the lock belongs to the connection, counts, and ends by unlock only. Transaction
// level: the lock lasts until COMMIT, and the pool rolls back what comes back open. Both exclude
// each other; one session may have a key at both. Sessions are not reset when they come back: that
// is the leak, and no transaction ends it.
//
// A caller asks from its first lock statement to its grant, whether it tries again and again or
// waits in line. It is overtaken when one that began to ask later is granted first. `tolerated`
// overtakings of each acquire are no violation. A caller that has locked a key overtakes nobody
// when it locks the key once more; one that finds the key leaked on its connection does.
//
// Repaired: reset_on_return, the pool releases what the session holds (DISCARD ALL).
//
// Invariants
//   1. A connection that is in use belongs to one caller.
//   2. The places in a line are 1 to its length, each of one session; 1 is granted.
//   3. A session counts locks at session level only of keys that it is granted.
//
// Limits: 8 callers, 2 keys, 8 connections.
#pragma once

#include <string>
#include <vector>

#include "model/implementation.hpp"

namespace lockkeeper::transactional {

enum PooledRepair : std::uint8_t { kResetOnReturn = 1U << 0, kAllPooledRepairs = 1U << 0 };

struct PooledRules;  // transaction_rules.hpp
extern const PooledRules kSoundPooledRules;

struct PooledClient {
    bool session_level = false;
    bool tries = false;
};

struct PooledOptions {
    std::vector<std::string> keys{"db"};
    std::vector<PooledClient> clients;
    std::size_t connections = 4;
    std::int32_t tolerated = 0;
    std::uint8_t repairs = 0;
    const PooledRules* rules = &kSoundPooledRules;
};

enum class PooledAt : std::uint8_t {
    kNowhere,
    kCheckOut,
    kLock,
    kWait,
    kUnlock,
    kReturn,
    kEffect,
    kCheckOutOther,
    kReturnOther,
};

enum class PooledWord : std::uint8_t { kDrop, kEffect, kOtherConnection };

class PooledLock : public Defaults {
  public:
    using Size = WorldSize<8, 2, std::uint8_t, std::uint8_t, 1, 4>;
    using At = PooledAt;
    static constexpr std::size_t kKeys = Size::kKeys;
    static constexpr std::size_t kConnectionsMax = 8;
    static constexpr Traits kTraits{
        .watches = true, .server = true, .tells_what_concerns_others = true, .no_background = true};
    static constexpr ShownNames kShownNames{.servers = "database",
                                            .steps = "impl/transactional/pooled_lock.cpp",
                                            .page = "docs/findings/lock_pools.md"};
    static constexpr std::uint32_t kFeatures = kShowsGrants | kShowsEffects | kShowsTokens;

    struct Session {
        std::array<std::uint8_t, kKeys> place;  // 0: none, 1: granted, more: waits
        std::array<std::uint8_t, kKeys> count;  // session level: how often it is locked
        std::uint8_t in_transaction;            // bit key: locked, or waits, at transaction level
        std::uint8_t in_use;
    };
    struct Shared {
        std::array<Session, kConnectionsMax> sessions;
    };
    struct Record {
        std::uint8_t connection;   // plus 1; 0: none
        std::uint8_t other;        // the same, of the one that it has beside that
        std::uint8_t blocks;       // of its own, inside of each other
        std::uint8_t asks;         // key plus 1, from the first lock statement to the grant
        std::uint8_t rank;         // by when that was; 255: just now
        std::uint8_t overtaken;    // so often, at most tolerated plus 1
        std::uint8_t granted_now;  // key plus 1, in this step; zero at its end
        std::array<std::uint8_t, kKeys> own;  // how often the caller itself has locked it
    };
    struct Call {
        At at;
    };

    explicit PooledLock(PooledOptions options);

    [[nodiscard]] Shared initial_shared() const { return {}; }
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void on_death(Shared& shared, Record& record) const;
    void watch(const Shared& shared, Records<Record> records) const;
    // True: the caller began to ask, stopped asking or was granted.
    [[nodiscard]] static bool concerns_others(const Shared&, const Record& record, const Shared&,
                                              const Record& after) {
        return record.asks != after.asks || record.rank != after.rank || after.granted_now != 0;
    }

    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return record.connection != 0 && shared.sessions[record.connection - 1U].place[key] == 1;
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    // The same steps on a real server (validate/servers/). What it does by itself it does by
    // itself.
    [[nodiscard]] ServerAct server_step(const Shared& shared, Records<const Record> records,
                                        std::size_t caller, const Call& call,
                                        const Operation& operation) const;
    [[nodiscard]] static ServerAct server_background(const Shared&, Records<const Record>, Action) {
        return {};
    }
    [[nodiscard]] static ServerFault server_fault(unsigned) { return ServerFault::kNone; }
    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string show(const Shared& shared) const;

    // --- what its rules are made of ----------------------------------------------------------

    Outcome sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    void leave_line(Shared& shared, Session& session, std::size_t key) const;
    // The transaction ends; with `all`, so does what the session holds at session level.
    void reset(Shared& shared, Session& session, bool all) const;

  private:
    [[nodiscard]] std::size_t free_connection(const Shared& shared) const;
    [[nodiscard]] static std::uint8_t length(const Shared& shared, std::size_t key);
    static void hold(Session& session, std::size_t key, const PooledClient& client);
    void end_transaction(Shared& shared, Session& session) const;
    [[nodiscard]] static bool is_in_transaction(const Shared& shared, const Record& record) {
        return record.connection != 0 &&
               shared.sessions[record.connection - 1U].in_transaction != 0;
    }
    Outcome lock(Shared& shared, Record& record, Call& call, const Operation& operation,
                 const PooledClient& client, Event& event) const;
    Outcome granted_to(Record& record, const Operation& operation, Event& event) const;
    Outcome unlock(Shared& shared, Record& record, Call& call, const Operation& operation,
                   const PooledClient& client, Event& event) const;
    void put_back(Shared& shared, Record& record, bool is_closed) const;
    void put_back_other(Shared& shared, Record& record, bool is_closed) const;

    PooledOptions options_;
};

static_assert(Implementation<PooledLock>);

}  // namespace lockkeeper::transactional
