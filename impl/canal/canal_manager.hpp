// SPDX-License-Identifier: Apache-2.0

// The manager handles one message after the other. For dead callers it takes steps 5 to 9 with its
// own max_per, each an atomic step between which callers go on. A failed step kills the manager,
// and its tables vanish with it.
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

    // Lists the actions for one record: a message of its caller, or giving back after its death.
    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const {
        if (shared.manager.at != At::kNowhere) {
            if (shared.manager.at == At::kReap && record.is(Record::kBeingReaped)) {
                add_message(out, caller, kReapEntry);
            }
            return;
        }
        if (record.channel.has_lock()) {
            add_message(out, caller, kHandleLock);
        } else if (record.has_unlock()) {
            add_message(out, caller, kHandleUnlock);
        } else if (record.is(Record::kDead)) {
            add_downs(out, caller, record);
        }
    }

    void apply_background(Shared& shared, Record& record, Action action, Event& event) const {
        switch (static_cast<Background>(action.argument % 8)) {
            case kHandleLock:
                event.key = static_cast<std::uint8_t>(record.channel.head());
                record.channel.pop();
                record.add(event.key, ReferenceKind::kMonitored);
                return;
            case kHandleUnlock: handle_unlock(record, event); return;
            case kReapEntry: reap(shared, record, event); return;
            default: handle_down(shared, record, action, event); return;
        }
    }

    [[nodiscard]] static bool is_elsewhere(Action action) { return action.argument == kContinue; }
    bool apply_background(Shared& shared, Action, Event& event) const {
        return give_back_for_the_dead(shared, event);
    }
    // The manager is dead: what it knew of the caller is gone.
    void hear(const Shared&, Record& record) const {
        const bool dead = record.is(Record::kDead);
        const bool replied = record.is(Record::kReplied);
        record = {};
        if (dead) {
            record.raise(Record::kDead);
        }
        if (replied) {
            record.raise(Record::kReplied);
        }
    }

    void on_death(const Shared&, Record& record) const {
        record.raise(Record::kDead);
        record.lower(Record::kReplied);
    }

    bool idle(const Shared& shared) const {
        return shared.manager.at == At::kNowhere || shared.manager.at == At::kManagerDead;
    }
    bool idle(const Shared&, const Record& record) const {
        return !record.channel.has_lock() && !record.has_unlock() && !record.is(Record::kReplied) &&
               !(record.is(Record::kDead) && owes_anything(record));
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
                sum += record.references_left(key);
            }
        }
        return sum;
    }

  protected:
    static constexpr unsigned kKinds = 8;  // background arguments a key

    LOCKKEEPER_SELDOM static void lose_tables(Shared& shared) {
        shared.manager = {};
        for (Row& row : shared.rows) {
            row.clear();
        }
        shared.manager.at = At::kManagerDead;
    }

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
        std::size_t key = 0;
        const bool waits = record.take_unlock(key);
        event.key = static_cast<std::uint8_t>(key);
        if (waits && !record.is(Record::kDead)) {
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

    // True: the manager died of it.
    LOCKKEEPER_SELDOM bool give_back_for_the_dead(Shared& shared, Event& event) const {
        Manager& manager = shared.manager;
        const auto key = static_cast<std::size_t>(manager.key);
        Row& row = shared.rows[key];
        event.key = static_cast<std::uint8_t>(manager.key);
        if (manager.at == At::kGiveBack) {
            RowUpdate<Size>::give_back(row, options().manager_max_per, !repaired(kWholeRowTake),
                                       event);
            manager = {};
            return false;
        }
        const ReleaseOutcome outcome =
            Release<Size>::step(row, {manager.at, manager.bucket, manager.tries},
                                options().manager_max_per, options().max_decr_tries, event);
        if (outcome == ReleaseOutcome::kFailed) {
            die(shared, event);
            return true;
        }
        if (outcome != ReleaseOutcome::kContinues) {
            manager = {};
        }
        return false;
    }

    // One entry of the dead caller, if the row has one: the row says what it held.
    void reap(Shared& shared, Record& record, Event& event) const {
        Manager& manager = shared.manager;
        event.key = static_cast<std::uint8_t>(manager.key);
        record.lower(Record::kBeingReaped);
        if (record.count(event.key, ReferenceKind::kOwned) == 0) {
            manager = {};
            return;
        }
        record.remove(event.key, ReferenceKind::kOwned);
        if (repaired(kWholeRowGiveBack)) {
            RowUpdate<Size>::give_back(shared.rows[event.key], options().manager_max_per,
                                       !repaired(kWholeRowTake), event);
            manager = {};
        } else {
            manager.at = At::kReadHighest;
        }
    }

    LOCKKEEPER_SELDOM static void die(Shared& shared, Event& event) {
        event.what |= kServersDied;
        lose_tables(shared);
    }
};

}  // namespace lockkeeper::canal
