// SPDX-License-Identifier: Apache-2.0

// with_transactional_lock(name) { block } and the server that it talks to, as far as both databases
// do the same. PostgreSQL and InnoDB differ where a function is virtual. Source:
// docs/decisions/models/transactional_lock.md. Steps, one atomic step each:
//
//   acquire    1 BEGIN (only outermost; else joins, nothing is sent)
//              2 the lock statement: granted at once, or in line  --in line--> 3 it returns
//                failed, and outermost: 4 ROLLBACK, then the error
//   release    the block ends normally. Outermost: 5 COMMIT, the changes become visible
//              6 the locks are released, the next in line are granted  7 the acknowledgement
//              Inner: nothing is sent, the lock stays until the outer end.
//   rollback   the block ends by an error. Outermost: ROLLBACK, one step.
//
// A caller believes to hold from the return of the lock statement until its block ends. When the
// server has told it of an error inside the block, the block is still running until the script
// ends it; `release` then ends it by that error, unless the caller `rescues`.
//
// A lock is kept in the owner's Record as its place in the line of the key: 1 is granted, n waits
// behind n - 1 others. A step writes its own Record and says in Shared what it left; `watch`, part
// of the same step, lets the lines close up. So Shared names nobody, and no state remembers how
// the line came about. Time is kept as what is left of each timer.
//
// Invariants, after every step (settle())
//   1. The places in a line are 1 to its length, each of one session.
//   2. A session waits in one line, or for one gap, and then its statement has no answer yet.
//   3. The ranks of those who wait for one key are 1, 2, ..., in the order in which they came.
//
// Limits: 8 callers, 3 keys, 6 blocks inside of each other, 6 savepoints of a transaction, one lost
// session of each caller that the server has not noticed.
#pragma once

#include <string>
#include <vector>

#include "impl/transactional/transaction_state.hpp"

namespace lockkeeper::transactional {

enum Repair : std::uint16_t {
    kGuardSavepoint = 1U << 0,  // PostgreSQL: each block runs in a savepoint of its own
    kReadCommitted = 1U << 1,   // PostgreSQL: never locks under a snapshot
    kCheckedEnd = 1U << 2,      // a COMMIT that was a roll-back is an error
    kOutbox = 1U << 3,          // effects are rows of the transaction; COMMIT makes them real
    kAskOutcome = 1U << 4,      // after a lost acknowledgement, ask what became of the COMMIT
    kRowFirst = 1U << 5,        // InnoDB: the row is there, committed, before it is locked
    kLockingReads = 1U << 6,    // InnoDB: reads under the lock are locking reads
    kCountsAgain = 1U << 7,     // InnoDB: the clean-up ends when nothing is left to delete
    kFixedByteOrder = 1U << 8,  // one name has one id, whatever the byte order of the host
    kInnerSavepoint = 1U << 9,  // InnoDB: a block inside of a transaction has a savepoint
    kCheckedLock = 1U << 10,    // InnoDB, user locks: only 1 is a grant, NULL is none
    kRollsBack = 1U << 11,      // InnoDB: ROLLBACK is sent after a deadlock, too
};

struct TransactionRules;  // transaction_rules.hpp
extern const TransactionRules kSoundTransactionRules;

struct ServerOptions {
    std::vector<std::string> keys{"db"};
    std::vector<KeyNumbers> numbers{{}};
    std::vector<Client> clients;
    std::int32_t deadlock_timeout = 1000;  // PostgreSQL: a waiter looks for a cycle after so long
    std::int32_t lock_timeout = 0;         // a waiter gives up; 0: never
    bool notices = true;                   // the server, that a connection was lost; or never
    bool by_weight = false;                // InnoDB: who blocks most others is served first
    std::uint8_t rows = 0;                 // InnoDB: bit k: the row of key k is there
    std::uint8_t shared = 0;      // PostgreSQL: bit k: key k is the shared mode of its line
    std::uint8_t user_locks = 0;  // InnoDB: bit k: key k is a lock of GET_LOCK, no row
    Budgets faults{};
    std::uint16_t repairs = 0;
    const TransactionRules* rules = &kSoundTransactionRules;
    std::int32_t time_unit = 1;  // of the scenario's times in one of these
};

class TransactionServer : public Defaults {
  public:
    using Size = WorldSize<8, 3, std::uint8_t, std::uint8_t, 1, 4>;
    static_assert(Size::kKeys == kKeys);
    static constexpr Traits kTraits{.faults = true,
                                    .disturbances = true,
                                    .excludes = true,
                                    .watches = true,
                                    .errors = true,
                                    .server = true,
                                    .messages = true,
                                    .faults_left = true,
                                    .tells_what_concerns_others = true,
                                    .begins_unblocked = true};
    static constexpr std::uint32_t kFeatures =
        kShowsGrants | kShowsEffects | kShowsTokens | kShowsData | kShowsOutcomes;
    using KeySet = transactional::KeySet;
    using Stack = transactional::Stack;
    using Shared = transactional::Shared;
    using Session = transactional::Session;
    using Record = transactional::Record;
    using Call = transactional::Call;

    template <class AnyShared>
    [[nodiscard]] static auto& left(AnyShared& shared) {
        return shared.left;
    }

    explicit TransactionServer(ServerOptions options);
    TransactionServer(const TransactionServer&) = default;
    TransactionServer(TransactionServer&&) = default;
    TransactionServer& operator=(const TransactionServer&) = default;
    TransactionServer& operator=(TransactionServer&&) = default;
    virtual ~TransactionServer() = default;

    [[nodiscard]] Shared initial_shared() const;
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const;
    [[nodiscard]] std::uint32_t faults_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const;
    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const;
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const;
    void on_death(Shared& shared, Record& record) const;
    // World passes what it may change; that watch may is not in its contract, so either is taken.
    template <class AnyShared>
    void watch(AnyShared& shared, Records<Record> records) const {
        settle(shared, records);
    }
    // Whether settle() has to look at others, or has anything to tell them.
    [[nodiscard]] bool concerns_others(const Shared& shared, const Record& record,
                                       const Shared& shared_after, const Record& after) const;

    [[nodiscard]] bool idle(const Shared&, Records<const Record> records) const;
    [[nodiscard]] bool excludes(std::size_t key, std::size_t other) const {
        return options_.numbers[key].name == options_.numbers[other].name &&
               !(is_shared(key) && is_shared(other));
    }
    // Also by the session that the caller has lost in its block, until the server notices.
    [[nodiscard]] bool holds(const Shared&, const Record& record, std::size_t key) const {
        return owns(record.session, key) ||
               (record.blocks > 0 && record.session.transaction == Transaction::kNone &&
                owns(record.lost, key));
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    // For reports: of all answers that to COMMIT alone travels.
    [[nodiscard]] static MessagesUnderWay messages_of(const Shared&, const Record&,
                                                      const Call& call) {
        MessagesUnderWay messages;
        messages.reply = call.at == At::kAck ? 1 : 0;
        return messages;
    }
    [[nodiscard]] static bool is_by_caller(Action) { return false; }

    [[nodiscard]] static std::string fault_name(unsigned fault);
    [[nodiscard]] static std::string error_name(unsigned error) {
        return std::string(name_of(static_cast<Error>(error)));
    }
    // The same steps on a real server (validate/servers/).
    [[nodiscard]] ServerAct server_step(const Shared& shared, Records<const Record> records,
                                        std::size_t caller, const Call& call,
                                        const Operation& operation) const;
    [[nodiscard]] static ServerAct server_background(const Shared&, Records<const Record>,
                                                     Action action);
    [[nodiscard]] static ServerFault server_fault(unsigned fault);
    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action action) const;
    [[nodiscard]] std::string show(const Shared& shared) const;

    // --- what its rules are made of ----------------------------------------------------------

    // A step, but for losses.
    Outcome sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    static void free_lock(Shared& shared, Session& session, std::size_t line);
    // The line comes to a session that waits.
    static void grant_next(Session& session, std::size_t line);
    // Frees what the transaction holds; user locks stay, because they are the session's.
    void free_all(Shared& shared, Session& session) const;
    void make_visible(Shared& shared, Session& session) const;
    void end_transaction(Shared& shared, Session& session) const;
    // The script's latest savepoint, by number; 0: none. Guards have names of their own.
    [[nodiscard]] static std::uint8_t savepoint_of_script(const Record& record);
    [[nodiscard]] KeySet written_by(const Session& session) const;
    virtual void roll_back_to_savepoint(Shared& shared, Record& record) const = 0;

  protected:
    [[nodiscard]] const ServerOptions& options() const { return options_; }
    [[nodiscard]] bool repairs(Repair repair) const { return (options_.repairs & repair) != 0; }
    [[nodiscard]] const TransactionRules& rules() const { return *options_.rules; }
    // Keys with one id in one database have one line.
    [[nodiscard]] std::size_t line_of(std::size_t key) const { return lines_[key]; }
    [[nodiscard]] std::size_t keys_count() const { return options_.keys.size(); }
    [[nodiscard]] bool is_shared(std::size_t key) const {
        return (options_.shared >> key & 1U) != 0;
    }
    [[nodiscard]] bool owns(const Session& session, std::size_t key) const {
        const std::size_t line = line_of(key);
        return session.place[line] == 1 && is_in_shared(session, line) == is_shared(key);
    }
    [[nodiscard]] static bool is_in_shared(const Session& session, std::size_t line) {
        return (session.in_shared & bit(line)) != 0;
    }
    // Takes the number of a line, not of a key.
    [[nodiscard]] bool is_user_lock(std::size_t line) const {
        return (options_.user_locks >> line & 1U) != 0;
    }
    // The level of what is done now: a roll-back to a savepoint below undoes it.
    static std::uint8_t level_of(const Session& session) {
        return static_cast<std::uint8_t>(session.savepoints + 1);
    }
    static KeySet bit(std::size_t key) { return static_cast<KeySet>(1U << key); }

    // --- what the databases do differently ---------------------------------------------------

    // The lock statement arrives, or a waiting insert goes on.
    virtual Outcome request(Shared& shared, Record& record, Call& call, std::size_t line,
                            Event& event) const = 0;
    // A waiting insert of a session goes on (InnoDB); false: it has to wait.
    virtual bool take(Shared&, Session&, std::size_t) const { return true; }
    // Before the lock statement; false: refused.
    virtual bool may_lock(Record& record, std::size_t caller) const = 0;
    // An ordinary statement has failed.
    virtual void statement_failed(Shared& shared, Session& session) const = 0;
    // A SAVEPOINT outside of a transaction is an error; if not, it is done and keeps nothing.
    [[nodiscard]] virtual bool savepoint_needs_transaction() const = 0;
    // The server gives the waiting statement of `caller` this error.
    virtual void refuse_waiter(Shared& shared, Session& session, Error error) const = 0;
    // A wait has closed a cycle: somebody was chosen and rolled back.
    virtual bool resolve_deadlock(Shared&, const Sessions&) const { return false; }
    [[nodiscard]] virtual Error why_not(const Record& record) const = 0;  // a statement is refused
    [[nodiscard]] virtual bool takes_view(At at) const = 0;  // this statement, when none is taken
    [[nodiscard]] virtual bool keeps_view_fresh() const { return false; }
    [[nodiscard]] virtual bool row_conflict(const Record& record, std::size_t key) const = 0;
    // The session that is granted when the line's owner has gone; by default the first in line.
    [[nodiscard]] virtual std::size_t next_of(const Sessions& sessions, std::size_t line) const;
    virtual void engage(Record&) const {}
    virtual Outcome prepare(Shared& shared, Record& record, Call& call, const Operation& operation,
                            Event& event) const;
    [[nodiscard]] virtual bool shows_rows() const { return false; }

    // --- what they are made of ---------------------------------------------------------------

    Outcome begin_or_lock(Shared& shared, Record& record, Call& call, const Operation& operation,
                          Event& event) const;
    Outcome wait_in_line(const Shared& shared, Record& record, Call& call, std::size_t line,
                         std::size_t caller) const;
    void start_wait(Record& record, Call& call, std::size_t line, std::size_t caller) const;
    static void end_wait(Session& session);
    static void grant(Session& session, std::size_t line);
    Outcome acquired(Shared& shared, Record& record, Call& call, Event& event) const;
    // The call got an error from the server.
    Outcome fail(Record& record, Call& call, Error error, Event& event) const;
    static void note_failure(Record& record, Error error);
    // The caller has been told of an error inside of its block: one that reconnects, does.
    void told(Record& record, Error error, const Event& event) const;
    void reconnect_in_block(Record& record, std::size_t caller) const;
    static Outcome refuse(Error error, Event& event) {
        event.error = static_cast<std::uint8_t>(error);
        return Outcome::kFailed;
    }
    void granted_after_wait(Shared& shared, Session& session, std::size_t line) const;
    // Undoes what the transaction has done since its latest savepoint, except for locks.
    static void undo_level(Session& session);
    // Rolls back the whole transaction at the server. A caller's blocks also lose their savepoints.
    void roll_back(Shared& shared, Session& session) const;
    void roll_back(Shared& shared, Record& record) const;
    void refuse(Shared& shared, const Sessions& sessions, std::size_t at, Error error) const;
    [[nodiscard]] bool can_insert(const Shared& shared, const Session& session,
                                  std::size_t line) const;
    // The statement that waits cannot go on yet.
    [[nodiscard]] bool waits_on_somebody(const Shared& shared, const Session& session) const;
    // Somebody else has to end before `from` goes on, and so on, back to `from`.
    [[nodiscard]] bool in_cycle(const Sessions& sessions, std::size_t from) const;
    [[nodiscard]] static bool waits_on(const Session& waiter, const Session& other,
                                       std::size_t line);

  private:
    Outcome lock(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    Outcome wait_ended(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    Outcome give_up(Shared& shared, Record& record, Call& call, Event& event) const;
    Outcome leave(Shared& shared, Record& record, Call& call, const Operation& operation,
                  Event& event) const;
    [[nodiscard]] static bool passes_over(const Record& record, const Operation& operation) {
        return record.unopened != 0 &&
               (operation.verb == Verb::kAcquire || operation.verb == Verb::kCall);
    }
    static Outcome pass_over(Record& record, const Call& call, const Operation& operation,
                             Event& event);
    [[nodiscard]] ServerAct end_of_block(const Record& record) const;
    [[nodiscard]] bool has_row_to_delete(const Shared& shared, const Call& call) const;
    [[nodiscard]] bool asks_at_inner_end() const {
        return repairs(kGuardSavepoint) || repairs(kInnerSavepoint) || repairs(kCheckedEnd);
    }
    Outcome leave_inner(Shared& shared, Record& record, const Operation& operation,
                        Event& event) const;
    Outcome commit(Shared& shared, Record& record, Call& call, const Operation& operation,
                   Event& event) const;
    Outcome commit_of_nothing(Shared& shared, Record& record, const Operation& operation,
                              Event& event) const;
    Outcome unlock(Shared& shared, Record& record, Call& call) const;
    Outcome acknowledge(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const;
    Outcome roll_back_block(Shared& shared, Record& record, Event& event) const;
    static void leave_block(Record& record);
    void end_transaction(Shared& shared, Record& record) const;
    // Going back removes the savepoints above `savepoint`; a release removes `savepoint`, too.
    void go_back_to(Shared& shared, Record& record, std::uint8_t savepoint) const;
    static void release_savepoint(Record& record, std::uint8_t savepoint);
    // Keeps this many savepoints: blocks whose savepoints were above lose them.
    static void keep_savepoints(Record& record, std::uint8_t savepoints);
    [[nodiscard]] static bool in_guarded_block(const Record& record) {
        return record.blocks > 0 && (record.guarded >> (record.blocks - 1U) & 1U) != 0;
    }
    // The innermost block ends: back to its savepoint, if by an error, which is released. False: it
    // is not there any more, because the block went to one that was set before it.
    bool end_guard(Shared& shared, Record& record, bool by_error) const;
    [[nodiscard]] static bool in_block_anew(const Record& record) {
        return record.blocks > 0 && (record.anew >> (record.blocks - 1U) & 1U) != 0;
    }
    static void leave_rolled_back(Record& record);
    // A transaction, a block that goes on without one, or a statement under way: it can be lost.
    [[nodiscard]] static bool in_use(const Record& record);
    static void leave_outermost(Record& record);
    void free_user_locks(Shared& shared, Session& session) const;
    void leave_outermost(Shared& shared, Record& record) const;
    void begin_transaction(Shared& shared, Record& record, Event& event) const;
    // Ends the block by an error: ROLLBACK, unless the caller takes the transaction for gone.
    void end_by_error(Shared& shared, Record& record, std::size_t caller) const;
    [[nodiscard]] bool can_kill_query(const Shared& shared, const Record& record) const;
    static Outcome ended(const Operation& operation, bool lost, Event& event) {
        event.note(Breach::kFalseOk, lost);
        return operation.verb == Verb::kRelease ? Outcome::kReleased : Outcome::kDone;
    }
    Outcome statement(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const;
    Outcome refuse_statement(Record& record, Error error, At at, Event& event) const;
    Outcome read(Shared& shared, Record& record, const Operation& operation, Event& event) const;
    Outcome write(Shared& shared, Record& record, const Operation& operation, Event& event) const;
    Outcome effect(Record& record, Event& event) const;
    Outcome set_savepoint(Record& record, Call& call, Event& event) const;
    Outcome go_to_savepoint(Shared& shared, Record& record, Call& call, Event& event) const;
    Outcome count_rows(const Shared& shared, Record& record, Call& call) const;
    Outcome delete_rows(Shared& shared, Record& record, Call& call, Event& event) const;
    Outcome end_of_delete(Shared& shared, Record& record, Call& call) const;
    Outcome clean_up_failed(Shared& shared, Record& record, Error error, Event& event) const;

    [[nodiscard]] bool sends(const Record& record, const Call& call,
                             const Operation& operation) const;
    [[nodiscard]] bool sends_lock(const Record& record) const;
    [[nodiscard]] bool commits(const Record& record, const Call& call, std::size_t caller) const;
    [[nodiscard]] std::uint32_t losses_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const;
    Outcome lose(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    static void leave_session_behind(Record& record);
    static void tidy_up(Session& lost);
    Outcome told_of_loss(Record& record, Call& call, const Operation& operation, Event& event,
                         bool commits_now) const;
    Outcome end_was_lost(Record& record, Call& call, Event& event, bool commits_now) const;
    [[nodiscard]] bool can_lose_waiting(const Shared& shared, const Record& record) const;
    void lose_waiting(Shared& shared, Record& record) const;
    void crash_server(Shared& shared, Records<Record> records) const;
    void lost_goes_on(Shared& shared, Session& lost) const;
    void lost_ends(Shared& shared, Session& lost) const;

    void settle(Shared& shared, Records<Record> records) const;
    void end_connection(Shared& shared, Record& record) const;
    void look_for_deadlock(Shared& shared, const Sessions& sessions, std::size_t at) const;
    void end_abandoned(Shared& shared, Record& record) const;
    static void forget_caller(Record& record);
    void end_due_waits(Shared& shared, const Sessions& sessions) const;
    void close_line(Shared& shared, const Sessions& sessions, std::size_t line) const;
    [[nodiscard]] std::int32_t in_line(const Shared& shared, Records<const Record> records,
                                       std::size_t line) const;
    [[nodiscard]] static bool is_owned(const Sessions& sessions, std::size_t line);
    static void grant_shared(const Sessions& sessions, std::size_t line);
    [[nodiscard]] bool rearranged(const Sessions& sessions, std::size_t at) const;
    void wake_inserts(Shared& shared, const Sessions& sessions, std::size_t line) const;
    static void note_overtaking(const Sessions& sessions, std::size_t line);
    static void renumber(const Sessions& sessions, std::size_t line);
    void recount(Shared& shared, const Sessions& sessions) const;
    [[nodiscard]] Sessions sessions_of(Records<Record> records) const {
        return {records, options_.faults.requests_lost + options_.faults.answers_lost > 0};
    }

    ServerOptions options_;
    std::array<std::size_t, kKeys> lines_{};
};

}  // namespace lockkeeper::transactional
