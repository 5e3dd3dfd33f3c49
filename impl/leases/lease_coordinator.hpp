// SPDX-License-Identifier: Apache-2.0

// The lease coordinator as it was designed. Source: docs/decisions/models/leases.md, "D".
//
//   acquire     insert {lease key, deadline := now + duration} and WillInsert, one transaction
//                   --no row--> ok, with the deadline   --row, wait = 0--> Conflict
//                   --row, wait > 0--> listen --> wait for a release --> insert again, or TimedOut
//   heartbeat   deadline := now + duration, by lease key  --no row--> LeaseLost
//   release     delete the row by its lease key and WillReleaseOk (or Fail), one transaction
//   reap        the expired leases of a namespace, with its children when asked for
//   write       what the lease guards, a transaction: begin, COMMIT
//   nested      a call made under the lease, which writes some time, and is cancelled with the
//   lease
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
// Limits: 5 clients, 3 scopes, 127 acquisitions of a run.
#pragma once

#include <utility>

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
    bool hooks = false;            // WillInsert and WillHeartbeat change what the lease guards
    std::int32_t renew = 0;        // 0: a third of the duration
    std::int32_t transaction = 0;  // a write takes at most so long from begin to COMMIT
    std::int32_t wait = 0;
    std::vector<std::vector<std::string>> namespaces;  // by key
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
    using Size = WorldSize<5, 3, std::uint8_t, std::uint8_t, 1, 2>;
    using At = LeaseCoordinatorAt;
    static constexpr std::int32_t kForEver = 60'000;  // a wait
    static constexpr RowRepairs kRowRepairs{kCoCleanUp, kCoTombstones, kCoGrowingTokens};
    static constexpr ShownNames kShownNames{.servers = "coordinator",
                                            .steps = "impl/leases/lease_coordinator.cpp",
                                            .page = "docs/findings/lease_coordinator.md"};
    static constexpr std::uint32_t kFeatures =
        kShowsGrants | kShowsEffects | kShowsTokens | kShowsData;

    struct Row {
        Instant deadline;    // on the database's clock
        std::uint8_t token;  // the lease key; 0: no row
        std::uint8_t generation;
    };
    struct Shared {
        std::array<Row, Size::kKeys> rows;
        std::array<Resource, Size::kKeys> resources;
        std::array<std::uint8_t, Size::kKeys> notified;  // so many notifications so far
        std::uint8_t padding;
        std::int16_t clock;
        Instant now;
        Tokens tokens;
        Budgets left;  // last: Traits::faults_left
    };
    enum class Nested : std::uint8_t { kNone, kRuns, kIsCancelled };
    struct Record {
        std::array<Renewal, Size::kKeys> renewal;   // answered: `sent` is the new deadline
        std::array<Instant, Size::kKeys> deadline;  // as the coordinator said; 0: not held
        std::array<Instant, Size::kKeys> cancel_by;
        std::array<Instant, Size::kKeys> late_by;  // an insert that failed comes by then
        std::array<std::uint8_t, Size::kKeys> token;
        std::array<std::uint8_t, Size::kKeys> generation;
        std::array<std::uint8_t, Size::kKeys> flags;
        std::array<std::uint8_t, Size::kKeys> late_token;  // of the row that it has inserted
        std::array<Nested, Size::kKeys> nested;
        std::array<std::uint8_t, Size::kKeys> nested_token;
        std::array<std::uint8_t, Size::kKeys> nested_generation;
        std::uint8_t padding;
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
               (call.at == At::kNestedRuns && record.nested[call.key] != Nested::kNone) ||
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
    [[nodiscard]] bool arrives_at_once() const { return options().delay == 0; }
    [[nodiscard]] std::int32_t renew_every(std::size_t caller) const {
        return own_.renew == 0 ? ttl_of(caller) / 3 : own_.renew;
    }
    void add_row(Shared& shared, std::size_t caller, std::size_t key, bool small,
                 Event& event) const;
    void stop(const Shared& shared, Record& record, std::size_t key) const;

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
    // What the holder takes for its deadline when this one is returned.
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
    // Given up, it stands for the grace, on purpose.
    [[nodiscard]] static bool runs_out(const Record& record, std::size_t key) {
        return (record.flags[key] & (kGaveUp | kOutlasts)) == kGaveUp;
    }
    // What a client has sent, or called, and what may come of it without its doing.
    [[nodiscard]] bool has_under_way(const Record& record) const;
    [[nodiscard]] bool covers(std::size_t parent, std::size_t key, bool with_children) const;

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
    // The number of the call reap.
    static constexpr unsigned kWithChildren = 1;
    static constexpr unsigned kOfAllKeys = 2;
    Outcome reap(Shared& shared, std::size_t parent, unsigned how, Event& event) const;
    void delete_row(Shared& shared, std::size_t key, bool notifies = true) const;
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
    void nested_writes(Shared& shared, const Record& record, std::size_t key, Event& event) const;

    LeaseCoordinatorOptions own_;
};

static_assert(Implementation<LeaseCoordinator>);

}  // namespace lockkeeper::leases
