// SPDX-License-Identifier: Apache-2.0

// A lease service that keeps everything in the memory of one process, and its client library.
// Source: docs/decisions/models/leases.md, "SV"; numbers as there.
//
//   handle(scope, ttl)   1 this stream has an entry, the very one in the map, and expiry > now:
//                            expiry := now + ttl, ok;  it has one, but not so: fail
//                          it has none, and the map's expiry > now: fail;  otherwise take it
//                        2 fail ends the stream. The end of a stream deletes its entries at once,
//                            if they are still its own. A restart forgets everything.
//   library, acquire     has it already: AlreadyHeld;  ask, read the answer: ok, or Conflict
//   library, heartbeat   every TTL/2 a message; its answer is not read. A send error: lost
//   library, release     forget it; when nothing is held any more, end the stream
//
// The client learns that a stream has broken when it sends the next time. One that the service has
// ended with a refusal shows to the sender as an ordinary end, which the library takes for success:
// it goes on believing, for ever. One stream a client,
// opened by the first acquire. There is no message that gives back one of two leases: the entry
// runs out. What a client sends on its stream arrives in that order. The end that the client sends
// is a message, too: until it is there the entries stand, though the client may have opened its
// next stream. What was on its way when the client died, or when its connection broke and the
// service did not notice, may still be handled.
//
// Granted: the map has the entry of this acquisition, and expiry > now.
//
// Repaired, each a switch:
//   own_deadline     answers are read, and so is the end of a stream; the holder gives up `grace`
//                    before TTL has passed since it sent the last request that was answered with ok
//   keeps_entries    the end of a stream that nobody asked for leaves its entries to run out
//   keeps_stream     a refusal does not end a stream on which another entry stands; what was lost
//                    can be asked for again on the same stream
//   restart_wait     nothing is granted for a TTL after a restart, the longest that there is
//   checked_release  release asks whether the entry is still there, and says so
//   fencing, guarded_writes   as for the database leases
//
// Invariants
//   1. A scope has at most one entry, and ids of entries are never used again: a stream extends and
//      deletes none but those it has made.
//   2. What a client sends on one stream is handled in that order.
//   3. The service remembers nothing of a stream that it knows to have ended.
//
// Limits: 4 clients, 3 scopes, 4 messages under way on a stream, 127 acquisitions of a run.
#pragma once

#include <algorithm>
#include <utility>

#include "impl/leases/lease_side.hpp"

namespace lockkeeper::leases {

enum LeaseServiceRepair : std::uint8_t {
    kSvOwnDeadline = 1U << 0,
    kSvKeepsEntries = 1U << 1,
    kSvRestartWait = 1U << 2,
    kSvCheckedRelease = 1U << 3,
    kSvFencing = 1U << 4,
    kSvGuardedWrites = 1U << 5,
    kSvKeepsStream = 1U << 6,
    kAllLeaseServiceRepairs = (1U << 7) - 1,
};

struct LeaseServiceRules;  // lease_rules.hpp
extern const LeaseServiceRules kSoundLeaseServiceRules;

struct LeaseServiceOptions : LeaseOptions {
    const LeaseServiceRules* rules = &kSoundLeaseServiceRules;
    bool heartbeats = true;
};

enum class LeaseServiceAt : std::uint8_t {
    kNowhere,
    kAsk,
    kAsked,
    kAnswered,
    kRefused,
    kRelease,
    kRenew,
    kSendWrite,
    kWriteArrives,
    kHang,
    kLieDown,
    kAsleep,
};

// Calls beside acquire and release.
enum class LeaseServiceCall : std::uint8_t { kWrite, kRenew, kHang };

class LeaseService : public LeaseSide<LeaseService> {
  public:
    using Size = WorldSize<4, 3, std::uint8_t, std::uint8_t, 1, 2>;
    using At = LeaseServiceAt;
    static constexpr ShownNames kShownNames{.servers = "lease service",
                                            .steps = "impl/leases/lease_service.cpp",
                                            .page = "docs/findings/lease_service.md"};
    static constexpr std::uint32_t kFeatures =
        kShowsGrants | kShowsEffects | kShowsTokens | kShowsData;

    struct Entry {
        Instant expires;
        std::uint8_t id;  // which object; 0: none
        std::uint8_t token;
    };
    struct Shared {
        std::array<Entry, Size::kKeys> map;
        std::array<Resource, Size::kKeys> resources;
        Tokens tokens;
        Budgets left;
        Instant closed_until;  // restart_wait
        Instant now;
        EndOfTime end;  // last: Traits::time_left
    };
    // kRefused: the service has ended it with a refusal, which nobody has read.
    enum class Stream : std::uint8_t { kClosed, kOpen, kEnded, kRefused };
    struct Record {
        std::array<Renewal, Size::kKeys> renewal;
        std::array<Instant, Size::kKeys> deadline;
        std::array<Instant, Size::kKeys> orphan_by;  // its end is there by then; 0: some time
        std::array<Instant, Size::kKeys> late;       // of such a stream: what may still be handled
        std::array<std::uint8_t, Size::kKeys> late_of;  // late: the keys its stream remembers, bits
        std::array<std::uint8_t, Size::kKeys> entry;    // that the stream remembers
        std::array<std::uint8_t, Size::kKeys> orphan;   // of a stream whose end is not known yet
        std::array<std::uint8_t, Size::kKeys> generation;
        std::array<std::uint8_t, Size::kKeys> token;
        std::array<std::uint8_t, Size::kKeys> flags;
        Instant wake;
        Instant by;
        Instant sent;  // acquire
        Stream stream;
        std::array<std::uint8_t, Size::kKeys + 1> under_way;  // on the stream, oldest first
        std::uint8_t padding;
    };
    struct Call {
        At at;
        std::uint8_t token;  // write: as it was sent
        std::uint8_t generation;
        std::uint8_t padding;
    };

    explicit LeaseService(const LeaseServiceOptions& options)
        : LeaseSide(options), rules_(options.rules), heartbeats_(options.heartbeats) {}

    [[nodiscard]] Shared initial_shared() const { return at_the_beginning<Shared>(); }
    void begin(const Operation& operation, Call& call) const;
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return (call.at == At::kAsleep && shared.now < record.wake) ||
               (call.at == At::kAsked && record.stream == Stream::kOpen && !is_next(record)) ||
               (sends_itself(call) && record.under_way[0] != 0);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void watch(const Shared& shared, Records<Record> records) const;

    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const;
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const;
    void on_death(Shared& shared, Record& record) const;
    // A restarted client opens another stream; the service notices the old one's end some time.
    // Late messages of the old stream come first: else they would count as messages of the new one.
    [[nodiscard]] bool can_restart(const Shared&, const Record& record) const {
        return std::all_of(record.late.begin(), record.late.end(),
                           [](Instant late) { return late == 0; });
    }
    void on_restart(Shared&, Record&) const {}
    [[nodiscard]] bool idle(const Shared& shared, Records<const Record> records) const;

    [[nodiscard]] static bool has_sent(At at) {
        return at == At::kAsked || at == At::kWriteArrives;
    }
    [[nodiscard]] static bool awaits_answer(At at) {
        return at == At::kAnswered || at == At::kRefused;
    }
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return is_valid(shared, key) && shared.map[key].id == record.generation[key];
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const;

    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const;
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action action) const {
        return describe_common(action);
    }
    [[nodiscard]] std::string show(const Shared& shared) const;

    // --- what its rules are made of --------------------------------------------------------------

    Outcome sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const;
    [[nodiscard]] static bool is_valid(const Shared& shared, std::size_t key) {
        return shared.map[key].id != 0 && shared.map[key].expires > shared.now;
    }
    // Steps that ask and read the answer at once, behind what was sent before.
    [[nodiscard]] bool sends_itself(const Call& call) const {
        return call.at == At::kRenew || (call.at == At::kRelease && repairs(kSvCheckedRelease));
    }
    void next_heartbeat(Record& record, Instant now, std::size_t caller, std::size_t key) const;
    void forget(Record& record, std::size_t key) const;

    // Relative time (lease_times.cpp).
    [[nodiscard]] CappedAges::Bounds time_bounds() const;
    void tell_times(Shared& shared, CappedAges& times) const;
    void tell_times(Record& record, bool is_over, CappedAges& times) const;
    static void tell_times(Call& call, std::size_t key, CappedAges& times);

  protected:
    // background() without time: what is due, and by when.
    void collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                 ActionList& out) const;
    // An acquire would not be refused.
    [[nodiscard]] static bool is_free(const Shared& shared, std::size_t key) {
        return !is_valid(shared, key) && shared.closed_until <= shared.now;
    }
    // The record of the key is this caller's, whether or not it has expired.
    [[nodiscard]] static bool stands(const Shared& shared, const Record& record, std::size_t key) {
        const Entry& entry = shared.map[key];
        return entry.id != 0 && (entry.id == record.entry[key] || entry.id == record.orphan[key]);
    }

  private:
    friend LeaseSide;
    // Record::flags, further
    static constexpr std::uint8_t kMine = 2;    // in the library's own view
    static constexpr std::uint8_t kGaveUp = 4;  // the entry runs out by itself: that is the grace

    // When own_deadline comes, of a request that was sent then and answered now.
    [[nodiscard]] std::int32_t own_deadline(const Shared& shared, Instant sent,
                                            std::size_t caller) const;
    // The stream's entry is the very one in the map, and stands.
    [[nodiscard]] static bool is_own(const Shared& shared, const Record& record, std::size_t key) {
        return is_valid(shared, key) && shared.map[key].id == record.entry[key];
    }
    [[nodiscard]] std::int32_t longest_ttl() const;
    [[nodiscard]] std::int32_t entry_age() const;
    [[nodiscard]] bool answers_may_fail(const Shared& shared) const {
        return shared.left.resets > 0 || shared.left.restarts > 0;
    }
    [[nodiscard]] bool has_any(const Record& record) const;

    static constexpr unsigned kAllKeys = (1U << Size::kKeys) - 1;
    static unsigned keys_remembered(const Record& record) {
        unsigned keys = 0;
        for (std::size_t key = 0; key < Size::kKeys; ++key) {
            keys |= record.entry[key] != 0 ? 1U << key : 0U;
        }
        return keys;
    }

    // Messages under way: heartbeats by key, and what acquire asks for.
    static constexpr std::uint8_t kHeartbeat = 1;
    static constexpr std::uint8_t kQuestion = kHeartbeat + Size::kKeys;
    static void put_under_way(Record& record, std::size_t message);
    static void arrive(Record& record);
    [[nodiscard]] static bool is_next(const Record& record) {
        return record.under_way[0] >= kQuestion;
    }

    // The service.
    bool grant(Shared& shared, std::uint8_t& own, std::size_t caller, std::size_t key) const;
    bool handle(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                Event& event) const;
    void delete_entry(Shared& shared, std::size_t key, std::uint8_t id, Event& event) const;
    void end_by_service(Shared& shared, Record& record, Event& event) const;
    [[nodiscard]] bool has_another(const Shared& shared, const Record& record,
                                   std::size_t key) const;
    [[nodiscard]] static bool has_ended(const Record& record) {
        return record.stream == Stream::kEnded || record.stream == Stream::kRefused;
    }
    void end_by_client(const Shared& shared, Record& record) const;
    void notice_end(Shared& shared, Record& record, Instant by, unsigned keys, Event& event) const;
    void handle_late(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                     Event& event) const;
    static void drop_late(Record& record, std::size_t key) {
        record.late[key] = 0;
        record.late_of[key] = 0;
    }
    static void leave_behind(Record& record);
    static void break_connection(Record& record);
    void restart(Shared& shared, Records<Record> records) const;

    // The library.
    Outcome ask(Shared& shared, Record& record, Call& call, std::size_t key, Event& event) const;
    Outcome asked(Shared& shared, Record& record, Call& call, std::size_t key, Event& event) const;
    Outcome answered(Shared& shared, Record& record, std::size_t key, Event& event) const;
    Outcome renew(Shared& shared, Record& record, std::size_t key, Event& event) const;
    Outcome not_renewed(const Shared& shared, Record& record, std::size_t key, Error error,
                        Event& event) const;
    Outcome release(Shared& shared, Record& record, std::size_t key, Event& event) const;
    Outcome write(Shared& shared, Record& record, Call& call, std::size_t key, Event& event) const;
    void give_up(const Shared& shared, Record& record, std::size_t key) const;
    void leave_when_empty(const Shared& shared, Record& record) const;
    void close_when_empty(Record& record) const;
    void act(Shared& shared, Record& record, std::size_t caller, std::size_t key, Doing what,
             Event& event) const;
    void disturb(Shared& shared, Records<Record> records, std::size_t caller, std::size_t key,
                 Disturbance what, Event& event) const;
    void handle_heartbeat(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                          Event& event) const;
    void read_answer(const Shared& shared, Record& record, std::size_t caller, std::size_t key,
                     Event& event) const;
    void add_orphans(Agenda& agenda, const Record& record, std::size_t caller,
                     ActionList& out) const;
    void add_heartbeat(Agenda& agenda, Instant now, const Record& record, std::size_t caller,
                       std::size_t key, ActionList& out) const;

    const LeaseServiceRules* rules_;
    bool heartbeats_;
};

static_assert(Implementation<LeaseService>);

}  // namespace lockkeeper::leases
