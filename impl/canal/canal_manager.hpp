// SPDX-License-Identifier: Apache-2.0

// The manager: one mailbox message after the other, and for the dead steps 5 to 9 with its own
// max_per, each an atomic step during which callers go on. A failure in them kills it, and its
// tables vanish with it.
#pragma once

#include <cstring>

#include "impl/canal/canal_caller.hpp"

namespace lockkeeper::canal {

template <class SizeType>
class CanalManager : public CanalCaller<SizeType> {
  public:
    using Base = CanalCaller<SizeType>;
    using Base::Base;
    using Base::options;
    using Base::repaired;
    using typename Base::Manager;
    using typename Base::Record;
    using typename Base::Row;
    using typename Base::Shared;
    using typename Base::Size;

    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        const At at = shared.manager.at;
        if (at == At::kManagerDead) {
            return;
        }
        if (at != At::kNowhere) {
            out.add({0, ActionKind::kBackground, kContinue});
            return;
        }
        bool any_dead = false;
        for (std::size_t i = 0; i < records.size(); ++i) {
            any_dead |= records[i].is(Record::kDead);
        }
        if (any_dead) {
            for (std::size_t i = 0; i < records.size(); ++i) {
                background_of(shared, records[i], i, out);
            }
            return;
        }
        ActionList::Appender messages(out, records.size());
        for (std::size_t i = 0; i < records.size(); ++i) {
            const bool has_lock = records[i].channel.has_lock();
            messages.add_if(has_lock | records[i].is(Record::kUnlockSent),
                            {static_cast<std::uint8_t>(i), ActionKind::kBackground,
                             static_cast<std::uint16_t>(has_lock ? kHandleLock : kHandleUnlock)});
        }
    }

    // Of one record: one message of its caller.
    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const {
        if (shared.manager.at != At::kNowhere) {
            return;
        }
        if (record.channel.has_lock()) {
            add_message(out, caller, kHandleLock);
        } else if (record.is(Record::kUnlockSent)) {
            add_message(out, caller, kHandleUnlock);
        } else if (record.is(Record::kDead)) {
            add_downs(out, caller, record);
        }
    }

    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        if (action.argument == kContinue) {
            give_back_for_the_dead(shared, records, event);
            return;
        }
        Record& record = records[action.actor];
        event.caller = action.actor;
        switch (static_cast<Background>(action.argument % 8)) {
            case kHandleLock:
                event.key = static_cast<std::uint8_t>(record.channel.head());
                record.channel.pop();
                record.add(event.key, ReferenceKind::kMonitored);
                return;
            case kHandleUnlock: handle_unlock(record, event); return;
            default: handle_down(shared, record, action, event); return;
        }
    }

    void on_death(const Shared&, Record& record) const {
        record.raise(Record::kDead);
        record.lower(Record::kReplied);
    }

    bool idle(const Shared& shared, Records<const Record> records) const {
        if (shared.manager.at != At::kNowhere && shared.manager.at != At::kManagerDead) {
            return false;
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            const Record& record = records[i];
            if (record.channel.has_lock() || record.is(Record::kUnlockSent) ||
                record.is(Record::kReplied)) {
                return false;
            }
            if (record.is(Record::kDead) && owes_anything(record)) {
                return false;
            }
        }
        return true;
    }

    std::uint32_t pending_cleanup(const Shared& shared, Records<const Record> records,
                                  std::size_t key) const {
        std::uint32_t sum = shared.manager.at != At::kNowhere &&
                                    shared.manager.at != At::kManagerDead &&
                                    static_cast<std::size_t>(shared.manager.key) == key
                                ? 1
                                : 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const Record& record = records[i];
            if (record.is(Record::kDead)) {
                sum += record.count(key, ReferenceKind::kMonitored) + record.channel.locks_of(key);
            }
        }
        return sum;
    }

  protected:
    static constexpr unsigned kKinds = 8;  // background arguments a key

  private:
    static void add_message(ActionList& out, std::size_t caller, std::size_t kind) {
        out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground,
                 static_cast<std::uint16_t>(kind)});
    }

    // DOWN is the last that the manager hears of a caller, whether the reference was made while the
    // caller lived or after its death.
    LOCKKEEPER_SELDOM static void add_downs(ActionList& out, std::size_t caller,
                                            const Record& record) {
        for (std::size_t key = 0; key < Size::kKeys; ++key) {
            if (record.count(key, ReferenceKind::kMonitored) > 0) {
                add_message(out, caller, kHandleDown + kKinds * key);
            }
        }
    }

    static bool owes_anything(const Record& record) {
        for (std::size_t key = 0; key < Size::kKeys; ++key) {
            if (record.count(key, ReferenceKind::kMonitored) > 0) {
                return true;
            }
        }
        return false;
    }

    static void handle_unlock(Record& record, Event& event) {
        event.key = static_cast<std::uint8_t>(record.channel.key_of_unlock());
        record.lower(Record::kUnlockSent);
        record.channel.set_unlock_key(0);
        if (!record.is(Record::kDead)) {
            record.raise(Record::kReplied);
        }
        if (record.count(event.key, ReferenceKind::kMonitored) == 0) {
            event.what |= kForeignRelease;  // logged as unexpected_unlock
            return;
        }
        record.remove(event.key, ReferenceKind::kMonitored);
    }

    LOCKKEEPER_SELDOM void handle_down(Shared& shared, Record& record, Action action,
                                       Event& event) const {
        event.key = static_cast<std::uint8_t>(action.argument / kKinds);
        record.remove(event.key, ReferenceKind::kMonitored);
        shared.manager.key = static_cast<typename Size::Counter>(event.key);
        if (repaired(kOwnersInRow)) {
            record.raise(Record::kBeingReaped);
            shared.manager.at = At::kReap;
        } else {
            shared.manager.at = repaired(kWholeRowGiveBack) ? At::kGiveBack : At::kReadHighest;
        }
    }

    LOCKKEEPER_SELDOM void give_back_for_the_dead(Shared& shared, Records<Record> records,
                                                  Event& event) const {
        Manager& manager = shared.manager;
        const auto key = static_cast<std::size_t>(manager.key);
        Row& row = shared.rows[key];
        event.key = static_cast<std::uint8_t>(manager.key);
        if (manager.at == At::kReap) {
            reap(manager, row, records, event);
            return;
        }
        if (manager.at == At::kGiveBack) {
            RowUpdate<Size>::give_back(row, options().manager_max_per, !repaired(kWholeRowTake),
                                       event);
            manager = {};
            return;
        }
        const ReleaseOutcome outcome =
            Release<Size>::step(row, {manager.at, manager.bucket, manager.tries},
                                options().manager_max_per, options().max_decr_tries, event);
        if (outcome == ReleaseOutcome::kFailed) {
            die(shared, records, event);
        } else if (outcome != ReleaseOutcome::kContinues) {
            manager = {};
        }
    }

    // One entry of the dead caller, if the row has one: the row says what it held.
    void reap(Manager& manager, Row& row, Records<Record> records, Event& event) const {
        std::size_t dead = 0;
        while (!records[dead].is(Record::kBeingReaped)) {
            ++dead;
            LOCKKEEPER_CHECK(dead < records.size());
        }
        Record& record = records[dead];
        event.caller = static_cast<std::uint8_t>(dead);
        record.lower(Record::kBeingReaped);
        if (record.count(event.key, ReferenceKind::kOwned) == 0) {
            manager = {};
            return;
        }
        record.remove(event.key, ReferenceKind::kOwned);
        if (repaired(kWholeRowGiveBack)) {
            RowUpdate<Size>::give_back(row, options().manager_max_per, !repaired(kWholeRowTake),
                                       event);
            manager = {};
        } else {
            manager.at = At::kReadHighest;
        }
    }

    LOCKKEEPER_SELDOM static void die(Shared& shared, Records<Record> records, Event& event) {
        event.what |= kServersDied;
        shared = {};
        for (Row& row : shared.rows) {
            row.clear();
        }
        shared.manager.at = At::kManagerDead;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const bool dead = records[i].is(Record::kDead);
            const bool replied = records[i].is(Record::kReplied);
            records[i] = {};
            if (dead) {
                records[i].raise(Record::kDead);
            }
            if (replied) {
                records[i].raise(Record::kReplied);
            }
        }
    }
};

}  // namespace lockkeeper::canal
