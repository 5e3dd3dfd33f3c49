// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/planted_bugs.hpp"

#include "impl/transactional/transaction_rules.hpp"

namespace lockkeeper::transactional {
namespace broken {

// Several may own a line.
struct Broken : TransactionRules {
    bool lines_have_one_owner() const override { return false; }
};

struct GrantsAllInLine : Broken {
    bool is_granted(bool is_next, std::uint8_t left) const override { return is_next || left == 1; }
};

struct ServesTheNewest : Broken {
    bool is_before(std::uint8_t place, std::uint8_t other) const override { return place > other; }
};

struct FreesAtInnerEnd : Broken {
    Outcome step(const TransactionServer& server, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool is_inner_end = call.at == At::kLeave && record.blocks > 1;
        const Outcome outcome = Broken::step(server, shared, record, call, operation, event);
        if (is_inner_end) {
            server.free_all(shared, record);
        }
        return outcome;
    }
};

struct FreesAtRead : Broken {
    Outcome step(const TransactionServer& server, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool reads = call.at == At::kRead && server.holds(shared, record, operation.key);
        const Outcome outcome = Broken::step(server, shared, record, call, operation, event);
        if (reads && outcome == Outcome::kDone) {
            server.free_all(shared, record);
        }
        return outcome;
    }
};

struct FreesAtSavepointRelease : Broken {
    Outcome step(const TransactionServer& server, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const std::uint8_t savepoint = call.at == At::kReleaseSavepoint
                                           ? TransactionServer::savepoint_of_script(record)
                                           : std::uint8_t{0};
        const auto levels = record.session.level;
        const Outcome outcome = Broken::step(server, shared, record, call, operation, event);
        for (std::size_t line = 0; line < levels.size(); ++line) {
            if (savepoint != 0 && outcome == Outcome::kDone && levels[line] > savepoint) {
                TransactionServer::free_lock(shared, record, line);
            }
        }
        return outcome;
    }
};

struct FreesAllAtRollBackTo : Broken {
    void roll_back_to_savepoint(const TransactionServer& server, Shared& shared,
                                Record& record) const override {
        Broken::roll_back_to_savepoint(server, shared, record);
        server.free_all(shared, record);
    }
};

struct KeepsLocksAtRollback : Broken {
    void roll_back(const TransactionServer& server, Shared& shared,
                   Session& session) const override {
        if (session.transaction == Transaction::kNone) {
            return Broken::roll_back(server, shared, session);
        }
        const auto place = session.place;
        const auto level = session.level;
        const auto vacated = shared.vacated;  // by another, in the same step
        Broken::roll_back(server, shared, session);
        session.place = place;
        session.level = level;
        shared.vacated = vacated;
    }
};

struct ReleasesBeforeVisible : Broken {
    void begin_commit(const TransactionServer& server, Shared& shared,
                      Session& session) const override {
        shared.hidden = static_cast<KeySet>(shared.hidden | server.written_by(session));
        server.free_all(shared, session);
    }
    void end_commit(const TransactionServer& server, Shared& shared,
                    Session& session) const override {
        shared.hidden = static_cast<KeySet>(shared.hidden & ~server.written_by(session));
        server.make_visible(shared, session);
        Broken::end_commit(server, shared, session);
    }
};

struct NeverLooksForDeadlocks : Broken {
    bool looks_for_deadlocks() const override { return false; }
};

struct DeadlockKeepsTransaction : Broken {
    bool deadlock_ends_transaction() const override { return false; }
};

struct TimesOutAll : Broken {
    bool timeout_frees_all() const override { return true; }
};

struct TimesOutAtEvents : Broken {
    bool timeouts_are_punctual() const override { return false; }
};

struct ForgetsTheLine : Broken {
    bool row_is_there(bool is_stored, std::uint8_t /*in_line*/) const override { return is_stored; }
};

// The clean-up waits for one deletion more than it has counted.
struct DeletesOneTooMany : Broken {
    Outcome step(const TransactionServer& server, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool counts = call.at == At::kCount;
        const Outcome outcome = Broken::step(server, shared, record, call, operation, event);
        if (counts && record.to_delete > 0) {
            ++record.to_delete;
        }
        return outcome;
    }
};

void forget_outcome(ServerOptions& options) {
    options.repairs = static_cast<std::uint16_t>(options.repairs & ~kAskOutcome);
}
void share_one_id(ServerOptions& options) {
    for (KeyNumbers& key : options.numbers) {
        key.id = 0;
    }
}
void never_notice(ServerOptions& options) { options.notices = false; }

}  // namespace broken

namespace broken::pooled {

struct UnlocksByKey : PooledRules {
    Outcome step(const PooledLock& lock, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        if (call.at != PooledAt::kUnlock) {
            return PooledRules::step(lock, shared, record, call, operation, event);
        }
        const bool held = lock.holds(shared, record, operation.key);
        unlock_by_key(lock, shared, record, operation.key, event);
        const Outcome outcome = PooledRules::step(lock, shared, record, call, operation, event);
        if (held) {
            event.forget(Breach::kFalseOk);
        }
        return outcome;
    }

  private:
    static void unlock_by_key(const PooledLock& lock, Shared& shared, const Record& record,
                              std::size_t key, Event& event) {
        for (std::size_t at = 0; at < shared.sessions.size(); ++at) {
            if (shared.sessions[at].place[key] == 1) {
                event.note(Breach::kForeignRemoval, at + 1 != record.connection);
                lock.leave_line(shared, shared.sessions[at], key);
                return;
            }
        }
    }
};

struct GrantsAllInLine : PooledRules {
    std::uint8_t moved_up(std::uint8_t place, std::uint8_t left, std::uint8_t last) const override {
        return left == 1 ? std::uint8_t{1} : PooledRules::moved_up(place, left, last);
    }
};

struct ServesTheNewest : PooledRules {
    std::uint8_t moved_up(std::uint8_t place, std::uint8_t left, std::uint8_t last) const override {
        return left != 1       ? PooledRules::moved_up(place, left, last)
               : place == last ? std::uint8_t{1}
                               : place;
    }
};

struct GrantsTheTaken : PooledRules {
    bool grants_try(bool /*is_free*/) const override { return true; }
};

struct RefusesTheFree : PooledRules {
    bool grants_try(bool /*is_free*/) const override { return false; }
};

struct SharesConnections : PooledRules {
    bool is_free(const Session& /*connection*/) const override { return true; }
};

struct FreesAtEffect : PooledRules {
    Outcome step(const PooledLock& lock, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        if (call.at == PooledAt::kEffect && record.connection != 0) {
            lock.leave_line(shared, shared.sessions[record.connection - 1U], operation.key);
        }
        return PooledRules::step(lock, shared, record, call, operation, event);
    }
};

struct UnlocksAtOnce : PooledRules {
    Outcome step(const PooledLock& lock, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        if (call.at == PooledAt::kUnlock && record.connection != 0) {
            auto& count = shared.sessions[record.connection - 1U].count[operation.key];
            count = std::min(count, std::uint8_t{1});
        }
        return PooledRules::step(lock, shared, record, call, operation, event);
    }
};

struct KeepsLocksAtReturn : PooledRules {
    void put_back(const PooledLock& /*lock*/, Shared& /*shared*/, Session& /*session*/,
                  bool /*resets*/) const override {}
};

struct LosesConnections : PooledRules {
    void put_back(const PooledLock& lock, Shared& shared, Session& session,
                  bool resets) const override {
        PooledRules::put_back(lock, shared, session, resets);
        session.in_use = 1;
    }
};

struct KeepsTheOther : PooledRules {
    void put_back_other(const PooledLock& lock, Shared& shared, Session& session,
                        bool resets) const override {
        PooledRules::put_back_other(lock, shared, session, resets);
        session.in_use = 1;
    }
};

// In more than one table.
constexpr PlantedBugs<PooledOptions>::value_type kLosesConnections{
    "loses_connections", "deadlock", "what is put back into the pool is not handed out again",
    follow<LosesConnections>};
constexpr PlantedBugs<PooledOptions>::value_type kRefusesTheFree{
    "refuses_the_free", "livelock", "a try is refused although nobody has the lock",
    follow<RefusesTheFree>};
constexpr PlantedBugs<PooledOptions>::value_type kSharesAConnection{
    "shares_a_connection", "belief-overlap", "the pool hands out a connection that is in use",
    follow<SharesConnections>};
constexpr PlantedBugs<PooledOptions>::value_type kFreesAtEffect{
    "frees_at_effect", "unprotected-effect", "the lock ends with a statement of the block",
    follow<FreesAtEffect>};

}  // namespace broken::pooled

PlantedBugs<ServerOptions> server_bugs() {
    using namespace broken;
    static constexpr PlantedBugs<ServerOptions>::value_type kBugs[] = {
        {"grants_all_in_line", "grant-overlap",
         "the end of a transaction grants to everybody who waits", follow<GrantsAllInLine>},
        {"frees_at_inner_end", "belief-overlap",
         "the end of an inner block frees the locks of the outer", follow<FreesAtInnerEnd>},
        {"frees_at_savepoint_release", "false-ok",
         "releasing a savepoint frees its locks instead of moving them up",
         follow<FreesAtSavepointRelease>},
        {"frees_at_read", "unprotected-effect", "the locks end with a statement",
         follow<FreesAtRead>},
        {"keeps_locks_at_rollback", "phantom", "ROLLBACK does not free the locks",
         follow<KeepsLocksAtRollback>},
        {"serves_the_newest", "token-order", "the last in line is served first",
         follow<ServesTheNewest>},
        {"releases_before_visible", "stale-read",
         "COMMIT releases the locks before its changes become visible",
         follow<ReleasesBeforeVisible>},
        {"forgets_outcome", "false-error", "a COMMIT without an acknowledgement counts as failed",
         forget_outcome},
        {"never_notices", "phantom", "the server keeps a session whose connection was lost",
         never_notice},
        {"frees_all_at_rollback_to", "false-ok",
         "ROLLBACK TO frees what was locked before the savepoint, too",
         follow<FreesAllAtRollBackTo>},
        {"never_looks_for_deadlocks", "deadlock", "a waiter never looks for a cycle",
         follow<NeverLooksForDeadlocks>},
        {"two_names_one_lock", "deadlock",
         "names are cut to so few bytes of their hash that two of them are one lock, as tooz 3.1.0 "
         "does on PostgreSQL",
         share_one_id},
        {"times_out_at_events", "deadlock",
         "a wait that is over ends when somebody else releases or waits, as in Berkeley DB 5.3.28",
         follow<TimesOutAtEvents>},
    };
    return kBugs;
}

PlantedBugs<ServerOptions> innodb_bugs() {
    using namespace broken;
    static constexpr PlantedBugs<ServerOptions>::value_type kBugs[] = {
        {"forgets_the_line", "grant-overlap",
         "who waits for a row that the clean-up has deleted is not seen", follow<ForgetsTheLine>},
        {"deadlock_keeps_transaction", "false-error",
         "a deadlock of rows is told, and the victim's transaction stays open, as MariaDB leaves "
         "it "
         "where the locks are those of GET_LOCK",
         follow<DeadlockKeepsTransaction>},
        {"times_out_all", "false-ok",
         "who waits too long loses what it holds, too, and is not told, as with tooz 3.1.0",
         follow<TimesOutAll>},
        {"deletes_one_too_many", "livelock",
         "the clean-up waits for one deletion more than it has counted", follow<DeletesOneTooMany>},
    };
    return kBugs;
}

PlantedBugs<PooledOptions> session_lock_bugs() {
    using namespace broken::pooled;
    static constexpr PlantedBugs<PooledOptions>::value_type kBugs[] = {
        {"unlocks_by_key", "foreign-removal", "unlock removes whatever lock of the key there is",
         follow<UnlocksByKey>},
    };
    return kBugs;
}

PlantedBugs<PooledOptions> session_pool_bugs() {
    using namespace broken::pooled;
    static constexpr PlantedBugs<PooledOptions>::value_type kBugs[] = {
        kLosesConnections,
        {"keeps_the_other", "deadlock",
         "a connection that a block has taken beside its own does not come back into the pool",
         follow<KeepsTheOther>},
        kRefusesTheFree,
        kSharesAConnection,
        {"grants_all_in_line", "grant-overlap", "unlock grants to everybody who waits",
         follow<GrantsAllInLine>},
        kFreesAtEffect,
        {"unlocks_at_once", "false-ok", "one unlock frees a lock that was taken twice",
         follow<UnlocksAtOnce>},
        {"keeps_locks_at_return", "phantom", "a session is not reset when it comes back",
         follow<KeepsLocksAtReturn>},
        {"serves_the_newest", "token-order", "the last in line is served first",
         follow<ServesTheNewest>},
    };
    return kBugs;
}

PlantedBugs<PooledOptions> try_retry_bugs() {
    using namespace broken::pooled;
    static constexpr PlantedBugs<PooledOptions>::value_type kBugs[] = {
        kLosesConnections,
        kRefusesTheFree,
        kSharesAConnection,
        {"grants_the_taken", "grant-overlap", "a try is granted whoever has the lock",
         follow<GrantsTheTaken>},
        kFreesAtEffect,
        {"unlocks_by_key", "foreign-removal", "the end removes whatever lock of the key there is",
         follow<UnlocksByKey>},
        {"keeps_locks_at_return", "phantom",
         "a transaction is not rolled back when its connection comes back",
         follow<KeepsLocksAtReturn>},
    };
    return kBugs;
}

}  // namespace lockkeeper::transactional
