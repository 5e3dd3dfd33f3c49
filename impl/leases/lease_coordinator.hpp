// SPDX-License-Identifier: Apache-2.0

// The lease coordinator as it was designed. Source: docs/decisions/models/leases.md, "D".
//
//   acquire     insert {lease key, deadline := now + duration} and WillInsert, one transaction
//                   --no row--> ok, with the deadline   --row, wait = 0--> Conflict
//                   --row, wait > 0--> listen --> wait for a release --> insert again, or TimedOut
//   heartbeat   deadline := now + duration, by lease key  --no row--> LeaseLost
//   release     delete the row by its lease key and WillReleaseOk (or Fail), one transaction
//   reap        the expired leases of a namespace, with its children when asked for; of several
//               namespaces, those of a use case, in one transaction
//   upsert      (parameter) acquire obtains or renews: a row that is there gets a new deadline and
//               keeps its lease key, whosever it is
//   write       what the lease guards, a transaction: begin, COMMIT
//   nested      a call made under the lease, which writes some time, and is cancelled with the
//               lease; number 2 or 3: it makes another one, which may make a third
//
// now is the database's clock. The holder compares the deadline with its own clock, gives up
// `grace` before it, and cancels its nested calls by a message. Module lease (parameter module):
// the library renews every `renew` (a third of the duration), a failure leaves time for another
// try.
//
// The design does not say what a release does that finds no row: nothing looks. Nor whether reaping
// notifies, or when listening begins: it is after the conflict, and only releases notify. A key of
// a scenario is a scope: "runner:reserve:R1" is the namespace [runner, reserve] and the key R1.
//
// A hook that fails (fault hook_failures) rolls its whole transaction back, and is an error for who
// asked; the module's library takes it for no answer.
//
// Granted: the row is there and its deadline >= now.
//
// Repaired, each a switch:
//   listen_first     who waits listens before it tries
//   reap_notifies    every deletion of a row notifies, reaping and those by others, too
//   checked_release  a release that finds no row fails, and writes nothing
//   clean_up         an acquire or a release that failed, and a give-up while a request is not
//                    answered, is followed by a delete, until acknowledged
//   applied_once     a request carries an id, is applied once, and is answered when it comes again
//                    as it was the first time
//   tombstones, growing_tokens, fencing, guarded_writes   as for the database leases
//
// Invariants
//   1. A scope has at most one row. A heartbeat and a release change none but that of their own
//      lease key.
//   2. A row and the business data of its hooks change in one step, or neither does.
//   3. Who has given up renews no more: the row stands for the grace, unless a request that was
//      under way then extends it.
//
// Limits: 8 clients, 4 scopes, 3 nested calls inside of each other, 127 acquisitions of a run.
#pragma once

#include <utility>

#include "impl/leases/nested_calls.hpp"
#include "impl/leases/row_lease.hpp"

namespace lockkeeper::leases {

enum LeaseCoordinatorRepair : std::uint16_t {
    kCoListenFirst = 1U << 0,
    kCoReapNotifies = 1U << 1,
    kCoCheckedRelease = 1U << 2,
    kCoCleanUp = 1U << 3,
    kCoGrowingTokens = 1U << 4,
    kCoFencing = 1U << 5,
    kCoGuardedWrites = 1U << 6,
    kCoTombstones = 1U << 7,
    kCoAppliedOnce = 1U << 8,
    kAllLeaseCoordinatorRepairs = (1U << 9) - 1,
};

struct LeaseCoordinatorRules;  // lease_rules.hpp
extern const LeaseCoordinatorRules kSoundLeaseCoordinatorRules;

struct LeaseCoordinatorOptions : LeaseOptions {
    const LeaseCoordinatorRules* rules = &kSoundLeaseCoordinatorRules;
    bool module = false;
    bool reaps = true;
    bool is_reaped = true;         // by itself, or by somebody's call
    bool hooks = false;            // WillInsert and WillHeartbeat change what the lease guards
    bool upsert = false;           // an acquire renews the row that it finds, whosever it is
    std::int32_t renew = 0;        // 0: a third of the duration
    std::int32_t transaction = 0;  // a write takes at most so long from begin to COMMIT
    std::int32_t wait = 0;
    std::vector<std::vector<std::string>> namespaces;  // by key
    std::vector<std::int32_t> use_cases;               // by key; none: one
};

enum class LeaseCoordinatorAt : std::uint8_t {
    kNowhere,
    kInsert,
    kListen,
    kWaits,
    kInsertReply,
    kHeartbeat,
    kHeartbeatArrives,
    kHeartbeatReply,
    kRelease,
    kWriteReleased,
    kCleanUp,
    kBeginWrite,
    kCommitWrite,
    kNested,
    kNestedRuns,
    kReap,
    kLieDown,
    kAsleep,
};

// Calls beside acquire and release, which is ReleaseOk.
enum class LeaseCoordinatorCall : std::uint8_t { kWrite, kHeartbeat, kNested, kReap, kReleaseFail };

class LeaseCoordinator : public RowLease<LeaseCoordinator> {
  public:
    using Size = WorldSize<8, 4, std::uint8_t, std::uint8_t, 1, 2>;
    using At = LeaseCoordinatorAt;
    static constexpr std::int32_t kForEver = 60'000;  // a wait
    static constexpr RowRepairs kRowRepairs{kCoCleanUp, kCoTombstones, kCoGrowingTokens};
    static constexpr ShownNames kShownNames{.servers = "coordinator",
                                            .steps = "impl/leases/lease_coordinator.cpp",
                                            .page = "docs/findings/lease_coordinator.md"};
    static constexpr std::uint32_t kFeatures =
        kShowsCounters | kShowsGrants | kShowsEffects | kShowsTokens | kShowsData;

    struct Row {
        Instant deadline;    // on the database's clock
        std::uint8_t token;  // the lease key; 0: no row
        std::uint8_t generation;
    };
    struct Shared {
        std::array<Row, Size::kKeys> rows;
        std::array<Resource, Size::kKeys> resources;
        std::array<std::uint8_t, Size::kKeys> notified;  // so many notifications so far
        std::int16_t clock;
        Instant now;
        Tokens tokens;
        EndOfTime end;  // the last two: Traits::time_left, faults_left
        Budgets left;
    };
    struct Record {
        std::array<Renewal, Size::kKeys> renewal;   // answered: `sent` is the new deadline
        std::array<Instant, Size::kKeys> deadline;  // as the coordinator said; 0: not held
        std::array<Instant, Size::kKeys> cancel_by;
        std::array<Instant, Size::kKeys> late_by;  // an insert that failed comes by then
        std::array<std::uint8_t, Size::kKeys> token;
        std::array<std::uint8_t, Size::kKeys> generation;
        std::array<std::uint8_t, Size::kKeys> flags;
        std::array<std::uint8_t, Size::kKeys> late_token;  // of the row that it has inserted
        std::array<NestedCalls, Size::kKeys> nested;
        std::array<std::uint8_t, Size::kKeys> nested_token;
        std::array<std::uint8_t, Size::kKeys> nested_generation;
        Instant wake;
        Instant by;
        Instant waits_until;
        Instant returned;    // acquire, heartbeat: the deadline, while its answer travels
        std::int16_t clock;  // sum of its jumps
    };
    struct Call {
        At at;
        std::uint8_t key;
        // write: as it began; clean-up: what to delete; insert, release: as it was sent before
        std::uint8_t token;
        std::uint8_t generation;  // release: whether the row was away when it was sent before
        std::uint8_t cause;       // clean-up: the error to return then
        std::uint8_t seen;        // waits: the notifications at the beginning
    };

    explicit LeaseCoordinator(const LeaseCoordinatorOptions& options)
        : RowLease(options), own_(options) {}

    [[nodiscard]] Shared initial_shared() const { return at_the_beginning<Shared>(); }
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return (call.at == At::kAsleep && shared.now < record.wake) ||
               (call.at == At::kNestedRuns && record.nested[call.key].any()) ||
               (call.at == At::kWaits && shared.notified[call.key] == call.seen &&
                shared.now < record.waits_until);
    }
    [[nodiscard]] std::uint32_t faults_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;

    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const;
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const;
    void on_death(Shared& shared, Record& record) const;
    void on_restart(Shared&, Record& record) const { start_afresh(record); }
    [[nodiscard]] bool idle(const Shared& shared, Records<const Record> records) const;

    [[nodiscard]] static bool has_sent(At at) { return at == At::kHeartbeatArrives; }
    [[nodiscard]] static bool awaits_answer(At at) {
        return at == At::kInsertReply || at == At::kHeartbeatReply;
    }
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return is_granted(shared, key) && shared.rows[key].token == record.token[key];
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action action) const;
    [[nodiscard]] std::string show(const Shared& shared) const;

    // --- what its rules are made of --------------------------------------------------------------

    Outcome sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    // The number of the call reap.
    static constexpr unsigned kWithChildren = 1;
    static constexpr unsigned kOfUseCase = 2;
    [[nodiscard]] bool arrives_at_once() const { return options().delay == 0; }
    [[nodiscard]] std::int32_t renew_every(std::size_t caller) const {
        return own_.renew == 0 ? ttl_of(caller) / 3 : own_.renew;
    }
    void add_row(Shared& shared, std::size_t caller, std::size_t key, bool small,
                 Event& event) const;
    void stop(const Shared& shared, Record& record, std::size_t key) const;

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
    static constexpr std::uint8_t kGaveUp = 2;
    // The row that was given up stands for longer than the grace: a request that was not answered
    // by then extends it.
    static constexpr std::uint8_t kOutlasts = 4;
    // With clean_up: it has sent a request that was not answered; it deletes what that may leave.
    static constexpr std::uint8_t kUnanswered = 8;
    static constexpr std::uint8_t kTakesBack = 16;

    [[nodiscard]] static bool is_granted(const Shared& shared, std::size_t key) {
        return shared.rows[key].token != 0 && shared.rows[key].deadline >= database_time(shared);
    }
    [[nodiscard]] bool is_expired(const Shared& shared, std::size_t key) const;
    [[nodiscard]] Instant new_deadline(const Shared& shared, std::size_t caller) const;
    // Returns the deadline that the holder keeps when the server returns this one.
    [[nodiscard]] Instant kept_deadline(const Shared& shared, Instant returned,
                                        std::size_t caller) const;
    [[nodiscard]] std::int32_t wait_of(std::size_t caller) const {
        const std::int32_t own = options().clients[caller].wait;
        return own < 0 ? own_.wait : own;
    }
    // When the holder gives up, in true time.
    [[nodiscard]] std::int32_t due(Instant deadline, const Record& record,
                                   std::size_t caller) const {
        return deadline - options().grace - ahead(options().clients[caller], record);
    }
    // A row that others may have obtained, too, is not for one of them to take back.
    [[nodiscard]] bool cleans_up() const { return !own_.upsert && RowLease::cleans_up(); }
    // A row that was given up stands for the grace, on purpose.
    [[nodiscard]] static bool runs_out(const Record& record, std::size_t key) {
        return (record.flags[key] & (kGaveUp | kOutlasts)) == kGaveUp;
    }
    // True: a message, a nested call or a clean-up of the client is still to take effect.
    [[nodiscard]] bool has_under_way(const Record& record) const;
    [[nodiscard]] bool covers(std::size_t parent, std::size_t key, bool with_children) const;
    [[nodiscard]] std::int32_t use_case_of(std::size_t key) const {
        return own_.use_cases.empty() ? 0 : own_.use_cases[key];
    }
    [[nodiscard]] bool is_reaped(std::size_t key, std::size_t parent, unsigned how) const;

    Outcome insert(Shared& shared, Record& record, Call& call, const Operation& operation,
                   Event& event) const;
    Outcome inserted(Shared& shared, Record& record, Call& call, std::size_t key,
                     Event& event) const;
    Outcome conflict(Shared& shared, Record& record, Call& call, std::size_t key,
                     Event& event) const;
    Outcome wait_over(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const;
    Outcome acquired(Shared& shared, Record& record, Call& call, std::size_t key,
                     Event& event) const;
    [[nodiscard]] std::uint32_t faults_of_insert_alone(const Shared& shared, Budgets left,
                                                       std::size_t key) const;
    [[nodiscard]] std::uint32_t faults_of_insert(const Shared& shared, const Record& record,
                                                 const Call& call, std::size_t key) const;
    void renew_whosever(Shared& shared, std::size_t caller, std::size_t key, Event& event) const;
    void insert_late(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                     Event& event) const;
    Outcome send_heartbeat(Shared& shared, Record& record, Call& call, const Operation& operation,
                           Event& event) const;
    Outcome heartbeat(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const;
    Outcome heartbeat_answered(Shared& shared, Record& record, std::size_t key, Event& event) const;
    bool renew_row(Shared& shared, const Record& record, std::size_t caller, std::size_t key,
                   Event& event) const;
    [[nodiscard]] static bool finds_row(const Shared& shared, const Record& record,
                                        std::size_t key) {
        return shared.rows[key].token != 0 && shared.rows[key].token == record.token[key];
    }
    [[nodiscard]] static std::uint32_t faults_of_heartbeat(const Shared& shared,
                                                           const Record& record, std::size_t key) {
        return shared.left.of_message() |
               (finds_row(shared, record, key) ? shared.left.of_hook() : 0U);
    }
    void run_hook(Shared& shared, const Row& author, std::size_t key, Event& event) const;
    Outcome release(Shared& shared, Record& record, Call& call, const Operation& operation,
                    Event& event) const;
    Outcome released(Record& record, const Call& call, std::size_t key, Event& event) const;
    Outcome commit_write(Shared& shared, Record& record, Call& call, std::size_t key,
                         Event& event) const;
    Outcome reap(Shared& shared, std::size_t parent, unsigned asked_for, Event& event) const;
    void delete_row(Shared& shared, std::size_t key, bool notifies = true) const;
    [[nodiscard]] std::int32_t row_age() const;
    void give_up(const Shared& shared, Record& record, std::size_t key) const;
    void extended_late(Record& record, std::size_t key) const;
    void note_unanswered(Record& record, std::size_t key) const {
        record.flags[key] |= cleans_up() ? kUnanswered : std::uint8_t{0};
    }
    static void note_answered(Record& record, std::size_t key) {
        record.flags[key] &= static_cast<std::uint8_t>(~kUnanswered);
    }
    static void end(Record& record, std::size_t key);
    void disturb(Shared& shared, Records<Record> records, std::size_t caller, std::size_t key,
                 Disturbance what, Event& event) const;
    void add_own(Agenda& agenda, const Shared& shared, const Record& record, std::size_t caller,
                 ActionList& out) const;
    void act(Shared& shared, Record& record, std::size_t caller, std::size_t key, Doing what,
             Event& event) const;
    void handle_renewal(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                        Event& event) const;
    static Outcome call_nested(Record& record, Call& call, const Operation& operation);
    void add_nested(Agenda& agenda, const Record& record, std::size_t caller, std::size_t key,
                    ActionList& out) const;
    void cancel_nested(const Shared& shared, Record& record, std::size_t key) const;
    void cancellation_arrives(const Shared& shared, Record& record, std::size_t key) const;
    void nested_writes(Shared& shared, const Record& record, std::size_t key, Event& event) const;
    static void forget_ended(Record& record, std::size_t key);
    [[nodiscard]] bool somebody_knows(const Shared& shared, Records<const Record> records,
                                      const Observation& seen, std::size_t key) const;

    LeaseCoordinatorOptions own_;
};

static_assert(Implementation<LeaseCoordinator>);

}  // namespace lockkeeper::leases
