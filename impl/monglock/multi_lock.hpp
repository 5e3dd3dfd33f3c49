// SPDX-License-Identifier: Apache-2.0

// Monglock's multi lock: a field `lock` of a document, a map from tag to a list of {timestamp,
// id} entries. Tags exclude each other as the configuration says. Source:
// docs/decisions/models/monglock.md, "multiLock"; numbers as there. A tag of a document is a key of
// the scenario: "tag", or "document.tag" where there are several documents.
//
//   acquire     1 read the clock, to judge by; read it again, for the timestamp (who has no
//                 cooperative tags reads it once)
//               2 push an entry, if all cooperative tags are free  --matched-->
//                 3b read the clock, then look whether all assertive tags are free: ok, else
//                    AssertiveLock (the entry stays)
//                                 --not matched--> 3a look: there: CooperativeLock, else not found
//   ask again   4 look whether all assertive tags are free, by the time of the entry
//   release     5 remove the entry by its id  --not matched--> 6 look: LockNotFound, or not found
//
// Asking again takes the last lock that the client was given, be it pending, granted or released;
// withdrawing takes the one that AssertiveLock has carried. Who has none has nothing to send.
//
// free(tag): no entry, or SOME entry is old. That is what the published query reads; its author
// means ALL.
//
// The period is the contender's own. Granted: the entry is there, acquire or ask-again has said ok,
// and by true time it is not older than its tag's period, as the parameters give it. Two tags
// exclude each other when each names the other. Where only one does, it is to let the other's
// holders leave, but they may come as they like while it holds: that is no overlap. What is one is
// an entry that was let in while the tag that it names was granted.
//
// A key may also be the write lock of its document. Both kinds write the same field: taking the
// write lock replaces the whole map, and an entry that was pushed keeps it from being taken, except
// where it was there first. Its own state is the first entry of the key's list; `id` 0: never set.
// (multi_lock_write_lock.cpp)
//
// A tag of which the configuration has no relations is unknown: acquire ends in a TypeError and
// sends nothing. One without a time-out never becomes old: its time-out is kNeverOld.
//
// Operations that are not answered in time, and w: as for the write lock.
//
// Repaired, each a switch:
//   own_fields        the two kinds of lock have a field each, and the write lock's release
//                     compares its id and asks that it is active
//   all_elements      a tag is free when ALL of its entries are old
//   current_clock     ask-again reads the clock, a step before it asks, instead of the entry's time
//   own_entry         acquire and ask-again ask that the own entry is in what they read, and is not
//                     old; a holder who asks again is answered by the own clock; release says ok
//                     only when, by the clock after its answer, it is not old
//   own_deadline      as for the write lock: the clock is looked at again after the answer
//   guarded_writes, clean_up, settling_reads, kept_writes, applied_once   as for the write lock
//
// Invariants
//   1. Ids of entries are never used again; a release removes none but the entry of its id.
//   2. A push that does not match changes nothing.
//   3. An old entry stays: nothing removes an entry but its release, a clean-up, or a fault.
#pragma once

#include <algorithm>

#include "impl/monglock/client_side.hpp"
#include "impl/monglock/multi_lock_options.hpp"

namespace lockkeeper::monglock {

class MultiLock : public ClientSide<MultiLock> {
  public:
    using Size = WorldSize<4, 4, std::uint8_t, std::uint8_t, 1>;
    using At = MultiLockAt;
    static constexpr Traits kTraits = ClientSide::kTraits.with(&Traits::excludes);
    static constexpr ShownNames kShownNames{.servers = "database",
                                            .steps = "impl/monglock/multi_lock.cpp",
                                            .page = "docs/findings/monglock_multi.md"};
    static constexpr std::uint32_t kFeatures = kShowsGrants | kShowsEffects;
    static constexpr std::size_t kEntriesMax = 6;  // of one tag
    static constexpr TagSet kAllTags = 0xFF;
    static constexpr std::size_t kDocuments = Size::kKeys;

    struct Entry {
        Instant timestamp;
        std::uint8_t id;       // 0: no entry
        std::uint8_t granted;  // kGranted, kLetIn, kActive
    };
    // Entry::granted
    static constexpr std::uint8_t kGranted = 1;
    static constexpr std::uint8_t kLetIn = 2;   // while a tag was granted that its own one names
    static constexpr std::uint8_t kActive = 4;  // of a write lock
    using List = std::array<Entry, kEntriesMax>;
    // The field `lock` of all documents.
    struct Lock {
        std::array<List, Size::kKeys> lists;  // by tag
        std::uint16_t is_set;  // bit d: document d has the field; 0 where no write lock asks

        [[nodiscard]] List& operator[](std::size_t tag) { return lists[tag]; }
        [[nodiscard]] const List& operator[](std::size_t tag) const { return lists[tag]; }
    };
    struct Shared {
        Lock lock;
        Older<Lock> older;  // zero unless somebody may bring it back, or see it
        Instant now;
        Stray stray;  // an entry that is pushed; removing is harmless, because ids are unique
        // Bit kDocuments + d: with w: majority, only the primary has the newest write.
        DocumentSet exists;
        std::uint8_t ids;
        Budgets left;  // last: Traits::faults_left
    };
    struct Record {
        // From the lock that the client was given, by ok or AssertiveLock.
        std::array<Instant, Size::kKeys> timestamp;
        std::array<Instant, Size::kKeys> deadline;
        std::array<std::uint8_t, Size::kKeys> id;
        std::array<std::uint8_t, Size::kKeys> left;  // of one whose acquire said an error
        std::int16_t clock;
        Instant wake;     // until when it sleeps, or waits for an answer that will not come
        Instant reading;  // to be pushed as a timestamp; else 0
        Instant
            asked;  // to compare others' entries with; else 0, or where there is no tag to ask for
        // Bit t: AssertiveLock, the entry stands and the answer may change. Bit kKeys + t:
        // released, and kept to ask again with.
        std::uint8_t pending;
        std::uint8_t has_sent;  // 1: the stray is of this client
    };
    struct Call {
        Instant timestamp;  // of the entry that it has pushed, or asks about
        std::uint16_t id;   // of that entry, however often its push comes; 0: none so far
        At at;
        Error after_clean_up;   // what to return then; kNone: DbError
        std::uint8_t was_lost;  // release: when the entry was removed
        std::uint8_t answer;    // of the update when it was sent first
    };
    // Call::answer
    static constexpr std::uint8_t kMatched = 1;
    static constexpr std::uint8_t kNotMatched = 2;
    static constexpr std::uint8_t kWasLost = 4;

    explicit MultiLock(const MultiLockOptions& options);

    [[nodiscard]] Shared initial_shared() const;
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] std::uint32_t faults_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;

    void collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                 ActionList& out) const;
    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const;
    void on_death(Shared& shared, Record& record) const {
        ClientSide::on_death(shared, record);
        record.asked = 0;
        record.pending = 0;
        record.timestamp = {};
        record.left = {};
    }

    [[nodiscard]] bool excludes(std::size_t tag, std::size_t other) const {
        return (tag == other && is_write_lock(tag)) || (names(tag, other) && names(other, tag));
    }
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t tag) const;
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string show(const Shared& shared) const;

    // Relative time (monglock_times.cpp).
    [[nodiscard]] RelativeTime::Bounds time_bounds() const;
    void tell_times(Shared& shared, RelativeTime& times) const;
    void tell_times(Record& record, bool is_over, RelativeTime& times) const;
    void tell_times(Call& call, std::size_t tag, RelativeTime& times) const;

  private:
    friend ClientSide;
    [[nodiscard]] bool asks_for_own_age() const;
    void tell_time_of_own(Instant& timestamp, std::size_t tag, RelativeTime& times) const;
    [[nodiscard]] bool repairs(MultiLockRepair repair) const {
        return (options_.repairs & repair) != 0;
    }
    // `tag` is cooperative or assertive to `other`.
    [[nodiscard]] bool names(std::size_t tag, std::size_t other) const {
        return has_bit(options_.cooperative[tag] | options_.assertive[tag], other);
    }
    // `tag` names it, and a lock of it is granted; it does not name `tag`.
    [[nodiscard]] bool is_granted_one_way(const Shared& shared, std::size_t tag,
                                          std::size_t other) const;
    // A lock of one of them is.
    [[nodiscard]] bool any_granted_one_way(const Shared& shared, std::size_t tag,
                                           TagSet others) const;
    [[nodiscard]] bool any_let_in(const Shared& shared, std::size_t tag) const;
    [[nodiscard]] bool is_granted(const Shared& shared, const Entry& entry, std::size_t tag) const {
        return entry.id != 0 && (entry.granted & kGranted) != 0 && stands(shared, entry, tag);
    }
    // True: the entry keeps others away: a write lock until taken or released, others until old.
    [[nodiscard]] bool stands(const Shared& shared, const Entry& entry, std::size_t tag) const {
        return is_write_lock(tag) ? (entry.granted & kActive) != 0
                                  : entry.timestamp + options_.lock_timeouts[tag] > shared.now;
    }
    [[nodiscard]] bool is_write_lock(std::size_t tag) const {
        return has_bit(options_.write_locks, tag);
    }
    [[nodiscard]] std::size_t document_of(std::size_t tag) const {
        return options_.documents.empty() ? 0 : options_.documents[tag];
    }
    [[nodiscard]] std::size_t documents_count() const { return documents_count_; }
    [[nodiscard]] bool exists(const Shared& shared, std::size_t tag) const {
        return has_bit(shared.exists, document_of(tag));
    }
    // Returns the part of the lock that belongs to one document.
    [[nodiscard]] Lock part_of(const Lock& lock, std::size_t document) const;
    void put_part(Lock& lock, const Lock& part, std::size_t document) const;
    // Notes that the field is there, which only a write lock asks.
    void mark_set(Lock& lock, std::size_t document) const;
    [[nodiscard]] bool may_become_old(const Entry& entry, std::size_t tag) const {
        return entry.id != 0 && (!is_write_lock(tag) || (entry.granted & kActive) != 0);
    }
    [[nodiscard]] bool differ(const Lock& one, const Lock& other, std::size_t document) const;
    // Returns the contender's time-out for the tag.
    [[nodiscard]] std::int32_t timeout_of(std::size_t caller, std::size_t tag) const {
        const Client& client = common().clients[caller];
        const std::int32_t of_tag = client.lock_timeouts.empty() ? 0 : client.lock_timeouts[tag];
        const std::int32_t own = of_tag == 0 ? client.lock_timeout : of_tag;
        return own == 0 ? options_.lock_timeouts[tag] : own;
    }
    static bool has_bit(unsigned tags, std::size_t tag) { return (tags >> tag & 1U) != 0; }
    static TagSet with(TagSet tags, std::size_t tag) {
        return static_cast<TagSet>(tags | 1U << tag);
    }
    static TagSet without(TagSet tags, std::size_t tag) {
        return static_cast<TagSet>(tags & ~(1U << tag));
    }
    // An acquire that is to go on until it has acquired asks again with the lock that it was given.
    static bool asks_again(const Record& record, const Operation& operation) {
        return operation.until_acquired && has_bit(record.pending, operation.key);
    }
    static bool is_pending(const Record& record, std::size_t tag) {
        return has_bit(record.pending, tag);
    }
    static bool is_released(const Record& record, std::size_t tag) {
        return has_bit(record.pending, Size::kKeys + tag);
    }
    static bool is_believed(const Record& record, std::size_t tag) {
        return record.id[tag] != 0 && !is_pending(record, tag) && !is_released(record, tag);
    }
    // There is a lock to ask again with.
    [[nodiscard]] bool can_ask(const Record& record, std::size_t tag) const {
        return options_.keeps_released ? record.id[tag] != 0 : is_pending(record, tag);
    }
    // Asking again reads the clock, in a step of its own.
    [[nodiscard]] bool asks_by_clock() const {
        return repairs(kCurrentClock) || repairs(kOwnEntry);
    }

    // Clock readings of one acquire: one to compare others' entries with, one for its own entry.
    struct Readings {
        Instant judged_by;
        Instant timestamp;
    };
    // The result of a read of the document.
    struct Sight {
        bool failed;
        bool exists;
        Lock lock;
    };
    [[nodiscard]] Sight read_document(Shared& shared, const Operation& operation) const;
    [[nodiscard]] std::uint32_t faults_of_sight(const Shared& shared, std::size_t tag) const;
    [[nodiscard]] bool is_free(const Lock& lock, std::size_t tag, std::int32_t now,
                               std::size_t caller) const;
    [[nodiscard]] bool all_free(const Lock& lock, TagSet tags, std::int32_t now,
                                std::size_t caller) const;
    // Null when the tag has no entry of that id.
    template <class AnyLock>
    [[nodiscard]] static auto* find(AnyLock& lock, std::size_t tag, unsigned id) {
        auto& list = lock[tag];
        const auto found = std::find_if(list.begin(), list.end(),
                                        [&](const Entry& entry) { return entry.id == id; });
        return id == 0 || found == list.end() ? nullptr : &*found;
    }
    [[nodiscard]] bool keeps_newest_write(const Shared& shared) const;
    [[nodiscard]] static bool keeps_two_writes(const Shared& shared);
    void keep_older(Shared& shared, std::size_t document) const;
    [[nodiscard]] bool keeps_writes() const;
    [[nodiscard]] bool asks_for_majority(const Budgets& left) const;
    void acknowledge(Shared& shared, std::size_t tag, OperationFault fault) const;
    void forget_older(Shared& shared) const;
    void remove(Shared& shared, std::size_t tag, unsigned id) const;
    static void forget(Record& record, std::size_t tag);
    void lay_aside(Record& record, std::size_t tag) const;
    static void receive(Record& record, const Call& call, std::size_t tag);

    void read_clock(const Shared& shared, Record& record, Call& call, std::size_t tag,
                    const Event& event) const;
    void read_timestamp(const Shared& shared, Record& record, Call& call, const Event& event) const;
    Outcome push(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    [[nodiscard]] static std::uint8_t next_id(Shared& shared);
    void add_entry(Shared& shared, Entry entry, std::size_t tag) const;
    [[nodiscard]] bool may_push(const Shared& shared, std::size_t tag, const Readings& readings,
                                std::size_t caller) const;
    void let_travel(Shared& shared, Record& record, Call& call, Readings readings,
                    const Operation& operation, const Event& event) const;
    void arrive(Shared& shared, Records<Record> records, Event& event) const;
    void note_acknowledged(Shared& shared, Disturbance what, std::size_t document) const;
    void disturb_document(Shared& shared, Records<Record> records, Action action) const;
    // True: the entry that a stray has pushed is not there any more.
    [[nodiscard]] static bool has_ended(const Shared& shared) {
        const Stray& stray = shared.stray;
        return stray.what() == Stray::What::kHasCome &&
               find(shared.lock, stray.key(), stray.id) == nullptr;
    }
    [[nodiscard]] std::string show_write_lock(const Entry& field) const;
    [[nodiscard]] bool is_pushed_for_nobody(const Shared& shared, Records<const Record> records,
                                            const Observation& out, std::size_t tag) const;
    Outcome look_at_assertive(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Event& event) const;
    Outcome read_clock_again(Shared& shared, Record& record, Call& call, std::size_t tag,
                             Event& event) const;
    Outcome ask(Shared& shared, Record& record, Call& call, const Operation& operation,
                Event& event) const;
    static Outcome ask_while_holding(Record& record, bool is_fresh, std::size_t tag, Event& event);
    Outcome ask_again(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const;
    Outcome free_of_assertive(Shared& shared, Record& record, Call& call, std::size_t tag) const;
    Outcome believe(Shared& shared, Record& record, Call& call, std::size_t tag) const;
    void note_let_in(Shared& shared, const Call& call, std::size_t tag, TagSet asked_for) const;
    Outcome check_clock(Shared& shared, Record& record, Call& call, std::size_t tag,
                        Event& event) const;
    static Outcome give(Shared& shared, Record& record, const Call& call, std::size_t tag);
    // `now`: a reading of the client's own clock.
    [[nodiscard]] bool is_fresh(Instant timestamp, std::size_t tag, std::int32_t now) const {
        return now < timestamp + options_.lock_timeouts[tag] - common().grace;
    }
    [[nodiscard]] static bool sees_own_entry(const Sight& sight, const Call& call, std::size_t tag);
    Outcome withdraw(Shared& shared, Record& record, Call& call, const Operation& operation,
                     Event& event) const;
    Outcome release(Shared& shared, Record& record, Call& call, const Operation& operation,
                    Event& event) const;
    static Outcome released(bool was_lost, Event& event) {
        event.note(Breach::kFalseOk, was_lost);
        return Outcome::kReleased;
    }
    Outcome check_release(Shared& shared, Record& record, Call& call, std::size_t tag,
                          Event& event) const;
    Outcome look_after(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Error if_there, Event& event) const;
    [[nodiscard]] bool may_take(const Shared& shared, std::size_t tag, Instant reading,
                                std::size_t caller) const;
    void take(Shared& shared, Entry entry, std::size_t tag) const;
    [[nodiscard]] bool may_set_inactive(const Shared& shared, const Record& record,
                                        std::size_t tag) const;
    void set_inactive(Shared& shared, std::size_t tag) const;
    // For a release.
    [[nodiscard]] bool may_remove(const Shared& shared, const Record& record,
                                  std::size_t tag) const;
    void remove_own(Shared& shared, const Record& record, std::size_t tag, Event& event) const;
    Outcome look_after_push(Shared& shared, Record& record, Call& call, const Operation& operation,
                            Event& event) const;
    Outcome clean_up(Shared& shared, Record& record, const Call& call, const Operation& operation,
                     Event& event) const;
    Outcome write_under(Shared& shared, Record& record, std::size_t tag, Event& event) const;
    Outcome unanswered(Record& record, Call& call, std::size_t tag, Event& event) const;
    Outcome failed_to_release(Event& event) const;
    Outcome declare_failure(Record& record, Call& call, std::size_t tag, Event& event) const;

    MultiLockOptions options_;
    std::size_t documents_count_ = 1;
};

}  // namespace lockkeeper::monglock
