// SPDX-License-Identifier: Apache-2.0

// The write lock for every number of callers: WriteLock's own steps, each with one record
// (Traits::by_record). `lockkeeper prove` takes it apart; nobody explores it but tests, which
// compare it with the WriteLock.
//
// The differences from the WriteLock in a World:
//
//   time       goes on by one unit, whatever comes next, and never ends. It waits for the late in
//              the same way.
//   instants   now is the same in all states. What is forgotten makes a lock look older, and a
//              reading of a clock younger, than it is: more takes match, never fewer, and an
//              acquire that is refused changes nothing.
//                a lock that every clock finds old   is as old as can be; so is an inactive one
//                a lock that is taken                is as old as the reading of the clock: tokens
//                                                    of one instant push each other ahead
//                a reading whose deadline is over    is of just then, and its lock is old at once
//   tokens     are not compared: P23 (token-order) is not told. monotone_tokens makes each larger
//              than the last.
//   numbers    of acquisitions do not grow. The document has kRow; a client has the document's
//              number, or kOther: of a lock that is gone. One client at most has kRow.
//   a take-over   of a lock whose number a client may have is a step that everybody hears of: the
//              document has kNew, nobody but a crash goes on, and the next step tells all.
//
// Limits: see why_not().
#pragma once

#include <string>
#include <vector>

#include "impl/callers_by_kind.hpp"
#include "impl/monglock/write_lock.hpp"

namespace lockkeeper::monglock {

class WriteLockByRecord : public CallersByKind<WriteLock> {
  public:
    static constexpr Traits kTraits{
        .local_background = true, .by_record = true, .waits_for_the_late = true, .phantoms = true};
    static constexpr std::uint32_t kFeatures = WriteLock::kFeatures & ~kShowsTokens;

    struct Shared {
        WriteLock::Shared lock;
        std::uint16_t is_taken_over;  // nobody has been told yet
    };
    struct Record {
        WriteLock::Record lock;
        std::uint16_t kind;
    };

    // Why these locks, used like this, are not proved; empty: they are. `options`: clients as in
    // the world.
    [[nodiscard]] static std::string why_not(const WriteLockOptions& options,
                                             const WorldConfig& world);

    // Only what why_not() accepts. `options`: as there. `world`: with_kinds_in_operations().
    WriteLockByRecord(const WriteLockOptions& options, const WorldConfig& world);

    [[nodiscard]] Shared initial_shared() const;
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return shared.is_taken_over != 0 || CallersByKind::blocked(shared, record, call);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void on_death(Shared& shared, Record& record) const;

    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const;
    void background_elsewhere(const Shared& shared, ActionList& out) const;
    [[nodiscard]] static bool is_elsewhere(Action action) {
        return action.kind == ActionKind::kBackground && action.argument == kTellsAll;
    }
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const;
    bool apply_background(Shared& shared, Action action, Event& event) const;
    [[nodiscard]] Heard hear(const Shared& shared, Record& record, Call& call, Action action) const;
    [[nodiscard]] bool late(const Shared& shared, const Record& record) const;

    [[nodiscard]] bool idle(const Shared& shared) const { return shared.is_taken_over == 0; }
    [[nodiscard]] bool idle(const Shared&, const Record&) const { return true; }
    // Whether it blocks others or not: how long it does is cut off.
    [[nodiscard]] bool is_phantom(const Shared& shared, const Record& record,
                                  const CallerObservation& caller, std::size_t key) const;

    [[nodiscard]] std::string describe_background(const Shared& shared,
                                                  Records<const Record> records,
                                                  Action action) const;

  private:
    static constexpr std::size_t kKey = 0;          // there is one document
    static constexpr std::uint16_t kTellsAll = 16;  // argument of the step
    static constexpr std::uint8_t kRow = 1;         // numbers of acquisitions
    static constexpr std::uint8_t kOther = 2;
    static constexpr std::uint8_t kNew = kOther + 1;  // the next that the document gives

    // Before a step of a client.
    struct Before {
        Record record;
        bool has_row;
        bool may_be_others;  // somebody else may have the document's number
    };

    [[nodiscard]] Instant stalest_reading(const Record& record) const {
        return instant(now_ + clocks_[record.kind] - reading_oldest_);
    }
    [[nodiscard]] static bool has_number(const Record& record, const Call* call, unsigned number);
    [[nodiscard]] static Before before_of(const Shared& shared, const Record& record,
                                          const Call* call) {
        const bool has_row = has_number(record, call, kRow);
        return {record, has_row, !has_row && shared.lock.documents[kKey].lock.generation == kRow};
    }
    static void renumber(Record& record, Call* call);
    void forget_the_past(Shared& shared) const;
    void forget_the_past(Record& record, Call* call) const;
    void settle(const Before& before, Shared& shared, Record& record, Call* call) const;

    std::vector<std::int32_t> clocks_;  // of each kind
    Instant now_;                       // in all states
    std::int32_t reading_oldest_;       // from then on the deadline of what it takes has passed
    std::int32_t old_for_all_;          // age of a lock
    Instant oldest_;  // timestamp of such a lock: that of no reading prevents a take
};

static_assert(Implementation<WriteLockByRecord>);

}  // namespace lockkeeper::monglock
