// SPDX-License-Identifier: Apache-2.0

// The caller's steps: acquire (steps 1 to 4), release (5 to 10), and the repaired steps that
// replace them. Every table operation of anybody fails once the manager is dead, and a failure
// kills the caller.
#pragma once

#include "impl/canal/canal_release.hpp"
#include "impl/canal/canal_state.hpp"
#include "model/implementation.hpp"

namespace lockkeeper::canal {

template <class SizeType>
class CanalCaller : public CanalState<SizeType> {
  public:
    using Base = CanalState<SizeType>;
    using Base::Base;
    using Base::options;
    using Base::repaired;
    using typename Base::Call;
    using typename Base::Record;
    using typename Base::Row;
    using typename Base::Shared;
    using typename Base::Size;

    void begin(const Operation& operation, Call& call) const {
        if (operation.verb == Verb::kRelease) {
            call.at = repaired(kWholeRowGiveBack) ? At::kGiveBack : At::kReadHighest;
        } else if (repaired(kAnnounceFirst) && options().has_manager) {
            call.at = At::kAnnounce;
        } else {
            begin_taking(call);
        }
    }

    bool blocked(const Shared&, const Record& record, const Call&) const {
        // The flag falls when the manager handles the request, or dies.
        return record.is(Record::kUnlockSent);
    }

    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        Row& row = shared.rows[operation.key];
        const bool lives = shared.manager.at != At::kManagerDead;
        switch (call.at) {
            case At::kUpdateCounter:
                return lives ? update_counter(row, record, call, operation, event) : Outcome::kDied;
            case At::kInsertNew: return lives ? insert_new(row, call, event) : Outcome::kDied;
            case At::kRegister:
                return lives ? register_bucket(row, record, call, operation, event)
                             : Outcome::kDied;
            case At::kNotify:
                if (lives) {
                    record.channel.push(operation.key);
                }
                return acquired(call, operation, event);
            case At::kAnnounce:
                if (lives) {
                    record.channel.push(operation.key);
                }
                begin_taking(call);
                return Outcome::kContinues;
            case At::kTake:
                return lives ? take(row, record, call, operation, event) : Outcome::kDied;
            case At::kReadHighest:
            case At::kSubtract:
            case At::kUndo:
            case At::kSubtractMark:
            case At::kForce:
                return lives ? release_step(row, record, call, operation, event) : Outcome::kDied;
            case At::kGiveBack:
                return lives ? give_back(row, record, call, operation, event) : Outcome::kDied;
            case At::kSendUnlock:
            case At::kWithdraw: return send_unlock(lives, record, call, operation);
            case At::kAwaitReply:
            case At::kAwaitWithdrawal: return receive_reply(record, call);
            case At::kNowhere:
            case At::kReap:
            case At::kManagerDead: break;
        }
        unreachable("a label of a caller");
    }

    bool granted(const Call& call) const {
        return call.at == At::kRegister || call.at == At::kNotify;
    }

  private:
    void begin_taking(Call& call) const {
        const bool whole_row = repaired(kWholeRowTake);
        call.at = whole_row ? At::kTake : At::kUpdateCounter;
        call.bucket = whole_row ? 0 : 1;
    }

    [[nodiscard]] bool announces() const {
        return repaired(kAnnounceFirst) && options().has_manager;
    }

    Outcome update_counter(Row& row, Record& record, Call& call, const Operation& operation,
                           Event& event) const {
        event.place = call.bucket;
        const std::int32_t cap = operation.place_capacity + 1;
        const auto counter = row.add_capped(call.bucket, cap);
        if (!counter) {
            call.at = At::kInsertNew;
            return Outcome::kContinues;
        }
        event.value = *counter;
        if (*counter == cap) {
            event.what |= kFoundFull;
            if (call.bucket == operation.places) {
                return refused(call, event);
            }
            go_on_to_next_bucket(call);
            return Outcome::kContinues;
        }
        return granted_at(*counter, record, call, operation, event);
    }

    // With 0 buckets the walk never ends: the published lock compares for equality, and no bucket
    // is number 0.
    static void go_on_to_next_bucket(Call& call) {
        if (call.bucket == Size::kBuckets) [[unlikely]] {
            has_no_more_buckets();
        }
        ++call.bucket;
    }
    [[noreturn]] LOCKKEEPER_SELDOM static void has_no_more_buckets() {
        throw LimitExceeded("an acquire that walks beyond bucket " +
                            std::to_string(Size::kBuckets));
    }

    Outcome insert_new(Row& row, Call& call, Event& event) const {
        event.place = call.bucket;
        if (!row.insert_new(call.bucket, 1)) {
            call.at = At::kUpdateCounter;
            return Outcome::kContinues;
        }
        event.value = 1;
        event.what |= kTookUnit | kPlaceCreated;
        call.at = At::kRegister;
        return Outcome::kContinues;
    }

    Outcome register_bucket(Row& row, Record& record, Call& call, const Operation& operation,
                            Event& event) const {
        if (call.bucket == 1) {
            row.highest = 1;
        } else if (row.highest == Table<Size>::kAbsent) {
            return Outcome::kDied;
        } else {
            ++row.highest;
        }
        const Outcome outcome = granted_at(1, record, call, operation, event);
        event.what &= ~static_cast<std::uint32_t>(kTookUnit);  // step 2 took it
        event.value = row.highest;
        return outcome;
    }

    // The unit is taken; what remains of acquire is to tell the manager.
    Outcome granted_at(std::int32_t position, Record& record, Call& call,
                       const Operation& operation, Event& event) const {
        event.what |= kTookUnit;
        event.place = call.bucket;
        call.scratch = static_cast<typename Size::Counter>(position);
        if (repaired(kOwnersInRow)) {
            record.add(operation.key, ReferenceKind::kOwned);
        }
        if (options().has_manager && !announces()) {
            call.at = At::kNotify;
            return Outcome::kContinues;
        }
        return acquired(call, operation, event);
    }

    Outcome acquired(const Call& call, const Operation& operation, Event& event) const {
        event.count = (call.bucket - 1) * operation.place_capacity + call.scratch;
        return Outcome::kAcquired;
    }

    Outcome refused(Call& call, Event&) const {
        if (!announces()) {
            return Outcome::kRefused;
        }
        call = {At::kWithdraw, 0, 0};
        return Outcome::kContinues;
    }

    Outcome take(Row& row, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        if (!RowUpdate<Size>::take(row, operation, repaired(kCountAgainstView), event)) {
            return refused(call, event);
        }
        call.bucket = static_cast<std::uint8_t>(event.place);
        return granted_at(event.count - (call.bucket - 1) * operation.place_capacity, record, call,
                          operation, event);
    }

    Outcome release_step(Row& row, Record& record, Call& call, const Operation& operation,
                         Event& event) const {
        const ReleaseOutcome outcome =
            Release<Size>::step(row, {call.at, call.bucket, call.scratch}, operation.place_capacity,
                                options().max_decr_tries, event);
        switch (outcome) {
            case ReleaseOutcome::kContinues: return Outcome::kContinues;
            case ReleaseOutcome::kFailed: return Outcome::kDied;
            case ReleaseOutcome::kGivenBack:
                if (repaired(kOwnersInRow) &&
                    record.count(operation.key, ReferenceKind::kOwned) > 0) {
                    record.remove(operation.key, ReferenceKind::kOwned);
                }
                break;
            case ReleaseOutcome::kNothingToGive: break;
        }
        return given_back(call);
    }

    Outcome give_back(Row& row, Record& record, Call& call, const Operation& operation,
                      Event& event) const {
        if (!repaired(kOwnersInRow)) {
            RowUpdate<Size>::give_back(row, operation.place_capacity, !repaired(kWholeRowTake),
                                       event);
        } else if (record.count(operation.key, ReferenceKind::kOwned) > 0) {
            record.remove(operation.key, ReferenceKind::kOwned);
            RowUpdate<Size>::give_back(row, operation.place_capacity, !repaired(kWholeRowTake),
                                       event);
        } else {
            event.what |=
                kNothingToRelease;  // holds nothing: nothing is given back, nobody is told
            return Outcome::kReleased;
        }
        return given_back(call);
    }

    Outcome given_back(Call& call) const {
        if (!options().has_manager) {
            return Outcome::kReleased;
        }
        call = {At::kSendUnlock, 0, 0};
        return Outcome::kContinues;
    }

    [[nodiscard]] bool waits_for_reply() const {
        return Size::kQueue == 0 || !options().asynchronous_release;
    }

    // A request to a dead manager reaches nobody; the caller dies of waiting for the reply.
    Outcome send_unlock(bool lives, Record& record, Call& call, const Operation& operation) const {
        if (lives) {
            record.send_unlock(operation.key, waits_for_reply());
        }
        if (!waits_for_reply()) {
            return call.at == At::kWithdraw ? Outcome::kRefused : Outcome::kReleased;
        }
        call.at = call.at == At::kWithdraw ? At::kAwaitWithdrawal : At::kAwaitReply;
        return Outcome::kContinues;
    }

    Outcome receive_reply(Record& record, const Call& call) const {
        if (!record.is(Record::kReplied)) {
            return Outcome::kDied;  // the manager died while the caller waited
        }
        record.lower(Record::kReplied);
        return call.at == At::kAwaitWithdrawal ? Outcome::kRefused : Outcome::kReleased;
    }
};

}  // namespace lockkeeper::canal
