// SPDX-License-Identifier: Apache-2.0

// Monglock's write lock: a field `lock` of a document, {active, timestamp}, taken and released by
// conditional updates. Source: docs/decisions/models/monglock.md, "writeLock"; numbers as there.
//
//   acquire   1 read the clock  2 take, if absent, inactive or old  --matched--> ok(timestamp)
//                                 --not matched--> 3 look: there: LockAlreadyTaken, else not found
//   release   4 set inactive, if the timestamp is the given one  --matched--> ok
//                                 --not matched--> 5 look: there: LockWasReacquired, else not found
//
// The timestamp is the token. Times are each client's own clock; the server compares numbers. The
// expiry period is the contender's own, or that of the single acquire. The holder keeps no
// deadline.
//
// Granted: the document's lock is active and was set by this very acquisition. That somebody else
// may take it now is no end of the grant: nothing happens at expiry. Which acquisition it was is
// kept in `generation`, which only the judgement reads, and the repairs that need an id.
//
// An operation that is not answered in time is declared failed: time_limit.hpp. With w: majority a
// fail-over forgets only a newest write that nobody has been told of (acknowledge()).
//
// Repaired, each a switch:
//   unique_ids         a token is unique for ever; release compares it (two acquisitions in one
//                      millisecond have one timestamp)
//   checked_release    release asks that the lock is active, and never goes without a token
//   guarded_writes     an effect is an update on the condition that the lock is still one's own
//   own_deadline       the holder stops believing `grace` before the others may take it, and does
//                      not begin to when the update has taken longer than that
//   clean_up           an acquire that failed removes what it may have left, and then says so; a
//                      release that failed is tried again
//   settling_reads     a failed read is an error, not silence
//   monotone_tokens    a timestamp is made larger than the one that it replaces
//   applied_once       an update carries an id and is applied once; its copies get the first
//                      answer, and who cleans up takes back one that has not come yet
//   kept_writes        the lock is written with w: majority, and by nobody else: no fail-over and
//                      no application undoes a write
//
// Invariants
//   1. A step reads or changes one document.
//   2. A take is the only step that begins a grant; nothing happens at expiry.
//   3. The generations of a document's acquisitions grow, and are never used again.
//
// Limits: 4 clients, 3 documents, 255 acquisitions of one document.
#pragma once

#include "impl/monglock/client_side.hpp"

namespace lockkeeper::monglock {

enum WriteLockRepair : std::uint16_t {
    kUniqueIds = 1U << 0,
    kCheckedRelease = 1U << 1,
    kGuardedWrites = 1U << 2,
    kOwnDeadline = 1U << 3,
    kCleanUp = 1U << 4,
    kSettlingReads = 1U << 5,
    kMonotoneTokens = 1U << 6,
    kKeptWrites = 1U << 7,
    kAppliedOnce = 1U << 8,
    kAllWriteLockRepairs = (1U << 9U) - 1U,
};

struct WriteLockRules;  // monglock_rules.hpp
extern const WriteLockRules kSoundWriteLockRules;

struct WriteLockOptions : ClientSideOptions {
    const WriteLockRules* rules = &kSoundWriteLockRules;
    std::int32_t lock_timeout = 10'000;
    bool keeps_earlier = false;  // some script releases with the token before the last
    std::uint16_t repairs = 0;
};

enum class WriteLockAt : std::uint8_t {
    kNowhere,
    kReadClock,
    kTake,
    kLookAfterTake,
    kCheckClock,  // own_deadline
    kRelease,
    kLookAfterRelease,
    kCleanUp,
    kWrite,
    kLieDown,
    kAsleep,
    kForEver,  // the call never returns
};

// Calls beside acquire and release.
enum class WriteLockCall : std::uint8_t { kReleaseAny, kWrite, kReleaseEarlier };

class WriteLock : public ClientSide<WriteLock> {
  public:
    using Size = WorldSize<4, 3, std::uint8_t, std::uint8_t, 1>;
    using At = WriteLockAt;
    static constexpr ShownNames kShownNames{.servers = "database",
                                            .steps = "impl/monglock/write_lock.cpp",
                                            .page = "docs/findings/monglock_write.md"};
    static constexpr std::uint32_t kFeatures = kShowsGrants | kShowsEffects | kShowsTokens;

    enum class Active : std::uint8_t { kAbsent, kYes, kNo };
    struct Field {
        Instant timestamp;  // 0: none
        Active active;
        std::uint8_t generation;  // of the acquisition that set it; 0: none
    };
    struct Document {
        Field lock;
        Older<Field> older;
        std::uint8_t exists;       // kThere, kUnacknowledged; 0: it does not
        std::uint8_t generations;  // acquisitions so far
    };
    // Document::exists
    static constexpr std::uint8_t kThere = 1;
    static constexpr std::uint8_t kUnacknowledged = 2;  // w: majority, and only the primary has it
    struct Shared {
        std::array<Document, Size::kKeys> documents;
        Instant now;
        Stray stray;
        Budgets left;  // last: Traits::faults_left
    };
    struct Record {
        std::array<Instant, Size::kKeys> token;            // of the last acquire that said ok
        std::array<Instant, Size::kKeys> earlier_token;    // of the one before, if kept
        std::array<Instant, Size::kKeys> deadline;         // own_deadline: 0 without
        std::array<std::uint8_t, Size::kKeys> generation;  // of the lock that it was told of
        std::array<std::uint8_t, Size::kKeys> earlier_generation;
        std::array<std::uint8_t, Size::kKeys> left;  // of one whose acquire said an error
        std::uint8_t padding;
        std::int16_t clock;      // sum of its jumps
        Instant wake;            // until when it sleeps, or waits for an answer that will not come
        Instant reading;         // acquire: what the clock showed; else 0
        std::uint16_t has_sent;  // 1: the stray is of this client
    };
    struct Call {
        Instant token;     // acquire: what its update has written
        std::uint16_t id;  // acquire: of its update, however often that comes; 0: never so far
        At at;
        std::uint8_t flags;
    };
    // Call::flags
    static constexpr std::uint8_t kAny = 1;         // release without a token
    static constexpr std::uint8_t kMatched = 2;     // the update, when it was sent first
    static constexpr std::uint8_t kNotMatched = 4;  // nor was it applied
    static constexpr std::uint8_t kWasLost = 8;     // it matched a lock that was no longer its own
    static constexpr std::uint8_t kEarlier = 16;    // release with the token before the last
    static constexpr std::uint8_t kWhichRelease = kAny | kEarlier;

    explicit WriteLock(const WriteLockOptions& options);

    [[nodiscard]] Shared initial_shared() const;
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] std::uint32_t faults_of(const Shared& shared, const Record&, const Call& call,
                                          const Operation& operation) const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;

    void on_death(Shared& shared, Record& record) const {
        ClientSide::on_death(shared, record);
        record.token = {};
        record.earlier_token = {};
        record.earlier_generation = {};
        record.left = {};
        if (record.has_sent != 0 && shared.stray.is_answer()) {
            take_back(shared, record);
        } else if (shared.stray.is_release()) {
            record.has_sent = 0;  // nobody asks again
        }
    }
    void collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                 ActionList& out) const;
    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const;

    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return is_of(shared.documents[key].lock, record.generation[key]);
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string show(const Shared& shared) const;
    // Relative time (monglock_times.cpp). A number is of one document.
    [[nodiscard]] RelativeTime::Bounds time_bounds() const;
    void tell_times(Shared& shared, RelativeTime& times) const;
    void tell_times(Record& record, bool is_over, RelativeTime& times) const;
    static void tell_times(Call& call, std::size_t key, RelativeTime& times);
    // Counts the different periods of all acquires.
    [[nodiscard]] std::size_t periods_count() const { return periods_.size(); }

    // --- what its rules are made of --------------------------------------------------------------

    Outcome sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    // The acquisition that a release names.
    struct Named {
        Instant token;
        std::uint8_t generation;
    };
    [[nodiscard]] static Named named(const Record& record, const Call& call, std::size_t key) {
        return (call.flags & kEarlier) != 0
                   ? Named{record.earlier_token[key], record.earlier_generation[key]}
                   : Named{record.token[key], record.generation[key]};
    }
    // The contents of the caller's update, besides the condition.
    struct Request {
        Instant timestamp;        // to set, or to compare with
        std::uint8_t generation;  // its id
        bool any;                 // release: compares nothing
    };
    [[nodiscard]] bool is_named(const Field& lock, const Request& request) const;
    void set_inactive(Document& document, const Budgets& left) const {
        write(document, {document.lock.timestamp, Active::kNo, document.lock.generation}, left);
    }

  private:
    friend ClientSide;
    [[nodiscard]] std::int32_t latest_tokens() const;
    [[nodiscard]] bool tells_no_tokens() const;
    [[nodiscard]] bool repairs(WriteLockRepair repair) const { return (repairs_ & repair) != 0; }
    // The client's period where no operation gives another.
    [[nodiscard]] std::int32_t own_period(std::size_t caller) const {
        return periods_[periods_of_clients_[caller].front()];
    }
    // An index of periods_: what the operation gives, else the client's, else the lock's.
    [[nodiscard]] std::size_t period_of(std::size_t caller, const Operation& operation) const;
    [[nodiscard]] bool keeps_newest_write(const Budgets& left) const {
        return !keeps_writes() && undoes_a_write(left);
    }
    [[nodiscard]] bool keeps_two_writes(const Budgets& left) const {
        return !keeps_writes() && undoes_two_writes(left);
    }
    // Its rules decide whether what is configured is asked for.
    [[nodiscard]] bool keeps_writes() const;
    [[nodiscard]] bool asks_for_majority(const Budgets& left) const;
    void write(Document& document, const Field& lock, const Budgets& left) const {
        if (keeps_newest_write(left)) {
            keep_value(document.older, document.lock, keeps_two_writes(left));
        }
        document.lock = lock;
        document.exists |= asks_for_majority(left) ? kUnacknowledged : std::uint8_t{0};
    }
    // A majority has an update that is answered, and all that was written before.
    static void acknowledge(Document& document, OperationFault fault) {
        if (fault == OperationFault::kNone || fault == OperationFault::kCopied) {
            document.exists &= kThere;
        }
    }
    // The client has its timestamp still, and may release once more.
    static void end_grant(Record& record, std::size_t key) {
        record.deadline[key] = 0;
        record.generation[key] = 0;
    }
    static void forget(Record& record, std::size_t key) {
        end_grant(record, key);
        record.token[key] = 0;
    }
    [[nodiscard]] static bool is_of(const Field& lock, unsigned generation) {
        return lock.active == Active::kYes && lock.generation == generation;
    }

    [[nodiscard]] bool may_take(const Document& document, Instant reading,
                                std::size_t period) const;
    [[nodiscard]] std::uint8_t next_generation(Document& document) const;
    void let_travel(Shared& shared, Record& record, Call& call, const Operation& operation,
                    Instant reading, const Event& event) const;
    void arrive(Shared& shared, Records<Record> records, Event& event) const;
    void disturb_document(Shared& shared, Records<Record> records, Action action) const;
    // Sets the lock inactive by a release; `own`: the lock is the sender's.
    void set_inactive(Document& document, bool own, const Budgets& left, Event& event) const {
        event.note(Breach::kForeignRemoval, document.lock.active == Active::kYes && !own);
        set_inactive(document, left);
    }
    void arrive_to_release(Shared& shared, const Stray& stray, bool is_awaited, Event& event) const;
    void meet_late(Shared& shared, Record& record, Call& call, std::size_t key) const;
    // True: the lock that a stray has taken is no longer the stray's.
    [[nodiscard]] static bool has_ended(const Shared& shared) {
        const Field& lock = shared.documents[shared.stray.key()].lock;
        return shared.stray.what() == Stray::What::kHasCome && !is_of(lock, shared.stray.id);
    }
    [[nodiscard]] bool is_locked_for_nobody(const Shared& shared, Records<const Record> records,
                                            const Observation& out, std::size_t key) const;
    Outcome take(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void grant(Shared& shared, Call& call, Instant timestamp, std::size_t key, Event& event) const;
    Outcome acquired(Record& record, const Call& call, std::size_t key) const;
    static Outcome released(Record& record, bool earlier, std::size_t key);
    [[nodiscard]] Instant token_for(const Document& document, Instant timestamp) const;
    Outcome failed_to_take(Record& record, Call& call, std::size_t key, Event& event) const;
    Outcome unanswered_take(const Shared& shared, Record& record, Call& call, std::size_t key,
                            Event& event) const;
    Outcome failed_to_release(Event& event) const;
    Outcome declare_failure(Record& record, Call& call, std::size_t key, Event& event) const;
    Outcome look_after_take(Shared& shared, Record& record, Call& call, const Operation& operation,
                            Event& event) const;
    Outcome check_clock(Shared& shared, Record& record, Call& call, std::size_t key,
                        Event& event) const;
    Outcome clean_up(Shared& shared, Record& record, const Call& call, const Operation& operation,
                     Event& event) const;
    Outcome release(Shared& shared, Record& record, Call& call, const Operation& operation,
                    Event& event) const;
    [[nodiscard]] bool may_release(const Document& document, const Request& request) const;
    bool apply_release(Shared& shared, const Record& record, Call& call, std::size_t key,
                       Event& event) const;
    Outcome look_after(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Error if_there, Event& event) const;
    Outcome write_under(Shared& shared, Record& record, std::size_t key, Event& event) const;

    const WriteLockRules* rules_;
    std::int32_t lock_timeout_;
    std::vector<std::int32_t> periods_;
    std::vector<std::vector<std::size_t>> periods_of_clients_;  // indices of periods_
    bool keeps_earlier_;
    std::uint16_t repairs_;
    bool goes_by_key_;  // RelativeTime::Bounds
};

}  // namespace lockkeeper::monglock
