// SPDX-License-Identifier: Apache-2.0

// Shows the write lock: who holds, which locks no client knows of, and words for reports.
#include "impl/monglock/write_lock.hpp"

namespace lockkeeper::monglock {

bool WriteLock::is_locked_for_nobody(const Shared& shared, Records<const Record> records,
                                     const Observation& out, std::size_t key) const {
    const Stray& stray = shared.stray;
    const Field& lock = shared.documents[key].lock;
    return stray.what() == Stray::What::kHasCome && stray.key() == key &&
           lock.timestamp + lock_timeout_ > shared.now &&
           is_nobodys(records, out, [&](const Record& record) {
               return record.generation[key] == stray.id || record.left[key] == stray.id;
           });
}

void WriteLock::observe(const Shared& shared, Records<const Record> records,
                        Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        const Field& lock = shared.documents[key].lock;
        KeyObservation& seen = out.keys[key];
        seen.granted = lock.active == Active::kYes ? 1 : 0;
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const CallerObservation& who = out.callers[caller];
            const Record& record = records[caller];
            const bool unaware = (who.believed[key] == 0 && holds(shared, record, key)) ||
                                 is_of(lock, record.left[key]);
            const bool blocks = lock.timestamp + own_period(caller) > shared.now;
            if (!who.dead && !who.calling && unaware && blocks) {
                ++seen.phantoms;
            }
        }
        seen.phantoms += is_locked_for_nobody(shared, records, out, key) ? 1U : 0U;
        seen.counters = {
            lock.active == Active::kAbsent ? kAbsentCounter : (lock.active == Active::kYes ? 1 : 0),
            lock.timestamp == 0 ? kAbsentCounter : told(lock.timestamp)};
    }
}

std::string WriteLock::describe_step(const Shared& shared, const Record& record, const Call& call,
                                     const Operation& operation) const {
    const std::string& document = common().keys[operation.key];
    if (TimeLimit::waits(record, call)) {
        return "declare failure: no answer in time";
    }
    switch (call.at) {
        case At::kReadClock: return "read the clock";
        case At::kTake:
            return "take " + document + " at " + text_of(record.reading) +
                   " if absent, inactive or old";
        case At::kCheckClock: return "check that the own deadline has not passed";
        case At::kLookAfterTake:
        case At::kLookAfterRelease: return "look whether " + document + " is there";
        case At::kRelease:
            return (call.flags & kAny) != 0
                       ? "release_any: set " + document + " inactive"
                       : "set " + document + " inactive if it has " +
                             ((call.flags & kEarlier) != 0 ? "an earlier" : "the") + " timestamp";
        case At::kCleanUp: return "take back what may have been left in " + document;
        case At::kWrite: return "write: change what " + document + " protects";
        case At::kLieDown: return "until " + text_of(shared.now + operation.time());
        case At::kAsleep: return "wake up";
        case At::kForEver:
        case At::kNowhere: break;
    }
    return "idle";
}

std::string WriteLock::show(const Shared& shared) const {
    std::string text = "time " + text_of(shared.now);
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Document& document = shared.documents[key];
        text += "  " + common().keys[key] + " ";
        if (document.exists == 0) {
            text += "deleted";
        } else if (document.lock.active == Active::kAbsent) {
            text += "unlocked";
        } else {
            text +=
                (document.lock.active == Active::kYes ? "active since " : "inactive, ") +
                (document.lock.timestamp == 0 ? "no timestamp" : text_of(document.lock.timestamp));
        }
    }
    return text;
}

}  // namespace lockkeeper::monglock
