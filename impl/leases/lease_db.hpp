// SPDX-License-Identifier: Apache-2.0

// A leaser on PostgreSQL: one row per lease, {key unique, random token, expires_at}, the database's
// clock. Source: docs/decisions/models/leases.md, "DB"; numbers as there.
//
//   acquire   1 insert --no row--> ok: renewals begin   --row, even an expired one--> Conflict
//                 \--an uncommitted insert or delete of the key--> wait for its COMMIT, then the
//                 same
//   renewal   2 after TTL/2: update where token and key match --no row--> lost
//                 no answer within TTL/2: lost; the row stays (lease_side.hpp)
//   release   3 delete where token and key match --row--> ok  --no row--> LeaseLost
//   reap      4 delete all rows with expires_at < now, one statement
//
// Renewals, deletes and the reaper wait for whoever has their row (lease_db_rows.cpp).
//
// now is when the transaction began: a statement that waited writes an expires_at of before.
//
// Asynchronous calls on top (parameter calls): a key is one call, its first try and its retry. One
// transaction, a step each (lease_db_calls.cpp):
//
//   acquire   a a SELECT picks what is pending, as committed, and locks nothing --none--> NoCall
//             b insert the lease, as above; it is not committed
//             c set the call to executing by its id alone, whatever it is by then; waits while
//               somebody else has changed the call and not committed
//             d renewals begin
//             e COMMIT --no answer--> DbError, and the renewals go on
//   complete  update the call by its id alone, waits as c does, COMMIT; then release
//   clean-up  a call that executes without a lease has failed, and its retry is pending
//
//   pending --acquire--> executing --complete--> succeeded
//                            \--clean-up--> failed, and the retry is pending
//
// Singleton tasks on top (parameter singleton): the holder keeps its lease in a variable and looks
// only whether it is set, so that nobody tells it of a loss. The reaper may be such a task
// (parameter reaped_by_task): what has expired is reaped by the call `reap` of who holds its lease.
//
// The connection of a renewal breaks: the same as no answer, but at once.
//
// Granted: the row is there, committed, and expires_at >= now.
//
// Repaired, each a switch:
//   own_deadline        the holder gives up `grace` before TTL has passed since it sent the request
//   clean_up            an acquire or a release that failed, and a renewal that was given up, are
//                       followed by a delete, until it is acknowledged
//   tombstones          what cleans up leaves a note of the token, and an insert that comes later
//                       finds it
//   applied_once        an insert carries an id, is applied once, and is answered when it comes
//                       again as it was the first time
//   growing_tokens      tokens grow
//   fencing             the guarded resource refuses a token smaller than one it has seen
//   guarded_writes      an effect is in one transaction with a look at the lease's row
//   checked_completion  so is the completion of a call
//   checked_pick        c sets the call to executing only if it is pending then
//
// Invariants
//   1. A key has at most one row. One that is not committed is of the client whose transaction it
//   is.
//   2. A renewal makes no row. Nothing removes one but a release or a clean-up of its token, the
//      reaper once it has expired, a roll-back, or somebody's deletion (fault).
//   3. Whoever waits for a row, or for a call, goes on before time does once it is free.
//   4. What a client has left of an acquisition that has ended is zero (end()), but for what it has
//      sent and what is not handled yet.
//
// Limits: 8 clients, 3 keys, 2 controllers, 127 acquisitions of a run.
#pragma once

#include <utility>

#include "impl/leases/lease_db_options.hpp"
#include "impl/leases/row_lease.hpp"

namespace lockkeeper::leases {

class LeaseDb : public RowLease<LeaseDb> {
  public:
    using Size = WorldSize<8, 3, std::uint8_t, std::uint8_t, 1, 2>;
    using At = LeaseDbAt;
    static constexpr Traits kTraits =
        RowLease::kTraits.with(&Traits::server).with(&Traits::server_rows);
    static constexpr RowRepairs kRowRepairs{kDbCleanUp, kDbTombstones, kDbGrowingTokens};
    static constexpr ShownNames kShownNames{.servers = "database",
                                            .steps = "impl/leases/lease_db.cpp",
                                            .page = "docs/findings/lease_db.md"};
    static constexpr std::uint32_t kFeatures =
        kShowsGrants | kShowsEffects | kShowsTokens | kShowsData | kCountsEffects;
    static constexpr std::int32_t kTtlLeast = 5'000;
    static constexpr std::size_t kControllers = 2;

    // kShared: a transaction of somebody else looks at the row FOR SHARE.
    enum class Pending : std::uint8_t { kNo, kInsert, kDelete, kShared };
    enum class CallState : std::uint8_t { kNone, kPending, kExecuting, kSucceeded, kFailed };
    struct Row {
        Instant expires;     // on the database's clock
        std::uint8_t token;  // 0: no row
        std::uint8_t generation;
        Pending pending;
        std::uint8_t padding;
    };
    struct Shared {
        std::array<Row, Size::kKeys> rows;
        std::array<Resource, Size::kKeys> resources;
        std::array<std::array<CallState, 2>, Size::kKeys> calls;  // as committed
        // Which of them somebody has changed, not committed: a bit each.
        std::array<std::uint8_t, Size::kKeys> locked_calls;
        std::array<std::uint8_t, Size::kKeys> done;      // monitor: 1, it has been completed
        std::array<std::uint8_t, kControllers> crashes;  // so far, of each controller
        std::int16_t clock;                              // the database's, ahead of the true time
        Instant now;
        Tokens tokens;
        EndOfTime end;  // the last two: Traits::time_left, faults_left
        Budgets left;
    };
    struct Record {
        std::array<Renewal, Size::kKeys> renewal;
        std::array<Instant, Size::kKeys> deadline;  // own_deadline
        std::array<Instant, Size::kKeys> late_by;   // an insert that failed comes by then
        std::array<std::uint8_t, Size::kKeys> token;
        std::array<std::uint8_t, Size::kKeys> generation;
        std::array<std::uint8_t, Size::kKeys> attempt;
        std::array<std::uint8_t, Size::kKeys> flags;
        std::array<std::uint8_t, Size::kKeys> late_token;  // of the row that it has inserted
        std::array<std::uint8_t, Size::kKeys> locks;       // its bit in locked_calls
        Instant wake;
        Instant by;           // the message of the call under way is there at the latest
        Instant started;      // acquire: its transaction
        std::int16_t jumped;  // and how far the database's clock was ahead then
    };
    struct Call {
        At at;
        std::uint8_t key;
        std::uint8_t token;  // write: as it was sent; clean-up: what to delete; insert: as before
        std::uint8_t generation;
        std::uint8_t cause;       // clean-up: the error to return then
        std::uint8_t attempt;     // of the call that was picked
        std::uint8_t controller;  // that was asked; 0: none beside the client itself
        std::uint8_t crashes;     // of it by then
    };

    explicit LeaseDb(const LeaseDbOptions& options)
        : RowLease(options),
          rules_(options.rules),
          calls_(options.calls),
          retries_(options.retries),
          singleton_(options.singleton),
          reaped_by_task_(options.reaped_by_task),
          oldest_first_(options.oldest_first),
          stream_end_(options.stream_end) {}

    [[nodiscard]] Shared initial_shared() const;
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const;
    [[nodiscard]] std::uint32_t faults_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;

    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const;
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const;
    void on_death(Shared& shared, Record& record) const;
    void on_restart(Shared&, Record& record) const { record = {}; }
    [[nodiscard]] bool idle(const Shared& shared, Records<const Record> records) const;

    [[nodiscard]] static bool has_sent(At at) { return at == At::kWriteArrives; }
    [[nodiscard]] static bool awaits_answer(At at) { return at == At::kInsertReply; }
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return is_granted(shared, shared.rows[key]) && shared.rows[key].token == record.token[key];
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    // On a real server (validate/servers/).
    [[nodiscard]] static ServerAct server_step(const Shared&, Records<const Record>, std::size_t,
                                               const Call&, const Operation&);
    [[nodiscard]] ServerAct server_background(const Shared&, Records<const Record>, Action) const;
    [[nodiscard]] static ServerFault server_fault(unsigned fault);
    [[nodiscard]] static ServerRow server_row(const Shared& shared, std::size_t key);
    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string describe_background(const Shared& shared,
                                                  Records<const Record> records,
                                                  Action action) const;
    [[nodiscard]] std::string show(const Shared& shared) const;

    // --- what its rules are made of --------------------------------------------------------------

    Outcome sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    // Some transaction has its row: a delete of its own waits, or would find nothing.
    [[nodiscard]] static bool is_locked(const Shared& shared, const Record& record,
                                        std::size_t key) {
        return shared.rows[key].pending != Pending::kNo &&
               shared.rows[key].token == record.token[key];
    }
    // True: the call's controller has crashed since it was asked.
    [[nodiscard]] static bool is_orphaned(const Shared& shared, const Call& call) {
        return call.controller != 0 && asks_controller(call.at) &&
               shared.crashes[call.controller - 1U] != call.crashes;
    }
    static void roll_back(Shared& shared, Record& record, std::size_t key);
    static void end(Record& record, std::size_t key);
    // The holder holds no longer: nothing is renewed.
    static void stop(Record& record, std::size_t key) {
        leave(record.renewal[key]);
        record.deadline[key] = 0;
    }

    // Relative time (lease_times.cpp).
    [[nodiscard]] CappedAges::Bounds time_bounds() const;
    void tell_times(Shared& shared, CappedAges& times) const;
    void tell_times(Record& record, bool is_over, CappedAges& times) const;
    static void tell_times(Call& call, std::size_t key, CappedAges& times);

  protected:
    // background() without time: what is due, and by when.
    void collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                 ActionList& out) const;

  private:
    friend LeaseSide;
    friend RowLease;
    // Record::flags, further
    static constexpr std::uint8_t kCleaning = 2;
    static constexpr std::uint8_t kWaitsForRow = 4;  // the statement of a call under way
    static constexpr std::uint8_t kWaitsForCall = 8;
    static void set(std::uint8_t& flags, std::uint8_t flag, bool value) {
        flags = static_cast<std::uint8_t>(value ? flags | flag : flags & ~flag);
    }
    // True: the wait of a statement is over, and the server goes on with it at once.
    [[nodiscard]] static bool goes_on(const Shared& shared, const Record& record, std::size_t key);

    [[nodiscard]] std::int32_t expiry(const Shared& shared, std::size_t caller) const;
    // Returns when own_deadline comes, after a request that was sent at `sent` and answered now.
    [[nodiscard]] std::int32_t own_deadline(const Shared& shared, Instant sent,
                                            std::size_t caller) const;
    // An uncommitted insert is visible only to its own transaction.
    [[nodiscard]] static bool is_visible(const Row& row) {
        return row.token != 0 && row.pending != Pending::kInsert;
    }
    // Inserted or deleted, and not committed: an insert of its key waits.
    [[nodiscard]] static bool is_changing(const Row& row) {
        return row.pending == Pending::kInsert || row.pending == Pending::kDelete;
    }
    [[nodiscard]] static bool is_granted(const Shared& shared, const Row& row) {
        return is_visible(row) && row.expires >= database_time(shared);
    }
    // True: a message of the client is under way, or it has a clean-up left to do.
    [[nodiscard]] bool has_under_way(const Record& record) const;
    [[nodiscard]] bool is_stale(const Shared& shared, const Row& row) const;
    // True: the reaper's statement waits for a transaction that has a row which it would delete.
    [[nodiscard]] bool reaper_waits(const Shared& shared) const;
    void tell_of_loss(Event& event, std::size_t caller, std::size_t key) const {
        if (!singleton_) {
            lose(event, caller, key);
        }
    }
    [[nodiscard]] int abandoned_attempt(const Shared& shared, std::size_t key) const;
    [[nodiscard]] static bool is_call_locked(const Shared& shared, std::size_t key,
                                             std::size_t attempt) {
        return (shared.locked_calls[key] & (1U << attempt)) != 0;
    }
    [[nodiscard]] bool finds_call(const Shared& shared, const Call& call) const;
    [[nodiscard]] std::uint32_t faults_of_call(const Shared& shared, const Call& call) const;
    [[nodiscard]] std::uint32_t faults_of_insert(const Shared& shared, const Record& record,
                                                 const Call& call) const;
    [[nodiscard]] bool takes_time() const { return options().delay + options().pause > 0; }
    [[nodiscard]] Instant latest(const Shared& shared) const {
        return instant(shared.now + options().delay + options().pause);
    }
    [[nodiscard]] static bool asks_controller(At at);
    Outcome orphaned(Record& record, Call& call, std::size_t key, Event& event) const;
    void ask_controller(const Shared& shared, Call& call, std::size_t caller) const;
    void crash_controller(Shared& shared, Records<Record> records, std::size_t controller) const;
    [[nodiscard]] bool is_oldest(const Shared& shared, std::size_t key, unsigned attempt) const;
    static Instant end_transaction(Record& record);

    Outcome pick(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    Outcome insert(Shared& shared, Record& record, Call& call, const Operation& operation,
                   Event& event) const;
    Outcome mark(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    Outcome begin_renewals(Shared& shared, Record& record, Call& call, std::size_t key,
                           Event& event) const;
    Outcome commit_pick(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const;
    void make_visible(Shared& shared, Record& record, const Call& call, std::size_t key) const;
    static void lock_call(Shared& shared, Record& record, std::size_t key, std::size_t attempt);
    static void unlock_call(Shared& shared, Record& record, std::size_t key);
    Outcome refuse(Shared& shared, Record& record, std::size_t key, Error error,
                   Event& event) const;
    Outcome go_on(const Shared& shared, Record& record, Call& call, At at) const;
    void add_row(Shared& shared, Record& record, const Call& call, std::size_t key, StepFault fault,
                 Event& event) const;
    void number(Shared& shared, Row& row, bool small, Event& event) const;
    void insert_late(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                     Event& event) const;
    Outcome inserted(Shared& shared, Record& record, Call& call, std::size_t key,
                     Event& event) const;
    Outcome acquired(Shared& shared, Record& record, Call& call, std::size_t key,
                     Event& event) const;
    Outcome remove(Shared& shared, Record& record, Call& call, const Operation& operation,
                   Event& event) const;
    [[nodiscard]] static std::uint32_t faults_of_delete(const Shared& shared, const Record& record,
                                                        const Call& call);
    Outcome removed(Record& record, std::size_t key, Event& event) const;
    Outcome write(Shared& shared, Record& record, Call& call, std::size_t key, Event& event) const;
    Outcome begin_to_complete(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Event& event) const;
    Outcome complete(Shared& shared, Record& record, Call& call, std::size_t key,
                     Event& event) const;
    void clean_up_call(Shared& shared, std::size_t key) const;
    static void delete_row(Shared& shared, std::size_t key) { shared.rows[key] = {}; }
    [[nodiscard]] std::int32_t row_age() const;
    void act(Shared& shared, Record& record, std::size_t caller, std::size_t key, Doing what,
             Event& event) const;
    void disturb(Shared& shared, Records<Record> records, std::size_t caller, std::size_t key,
                 Disturbance what, Event& event) const;
    void reap(Shared& shared) const;
    [[nodiscard]] bool waits_for_row(const Shared& shared, const Record& record,
                                     std::size_t key) const;
    [[nodiscard]] static bool cleaning_waits(const Shared& shared, const Record& record,
                                             const Call& call);
    bool renew_row(Shared& shared, const Record& record, std::size_t key, Instant expires) const;
    void handle_renewal(Shared& shared, Record& record, std::size_t caller, std::size_t key) const;
    void add_blocked(Agenda& agenda, const Shared& shared, const Record& record, std::size_t caller,
                     std::size_t key, ActionList& out) const;
    static void cut(Record& record, std::size_t key);
    [[nodiscard]] static const char* words_of(Pending pending);
    void give_up(Record& record, std::size_t caller, std::size_t key, Event& event) const;

    const LeaseDbRules* rules_;
    bool calls_;
    bool retries_;
    bool singleton_;
    bool reaped_by_task_;
    bool oldest_first_;
    std::int32_t stream_end_;
};

static_assert(Implementation<LeaseDb>);

}  // namespace lockkeeper::leases
