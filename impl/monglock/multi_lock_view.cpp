// SPDX-License-Identifier: Apache-2.0

// Shows the multi lock: who holds, which grants overlap, and words for reports.
#include <algorithm>

#include "impl/monglock/multi_lock.hpp"

namespace lockkeeper::monglock {

bool MultiLock::holds(const Shared& shared, const Record& record, std::size_t tag) const {
    const Entry* own = find(shared.lock, tag, record.id[tag]);
    return exists(shared, tag) && own != nullptr && is_granted(shared, *own, tag);
}

bool MultiLock::is_granted_one_way(const Shared& shared, std::size_t tag, std::size_t other) const {
    const auto& list = shared.lock[other];
    return names(tag, other) && !names(other, tag) &&
           std::any_of(list.begin(), list.end(),
                       [&](const Entry& entry) { return is_granted(shared, entry, other); });
}

bool MultiLock::any_granted_one_way(const Shared& shared, std::size_t tag, TagSet others) const {
    for (std::size_t other = 0; other < keys_count(); ++other) {
        if (has_bit(others, other) && is_granted_one_way(shared, tag, other)) {
            return true;
        }
    }
    return false;
}

// A grant that was let in stands beside one that it had to wait for.
bool MultiLock::any_let_in(const Shared& shared, std::size_t tag) const {
    const auto& list = shared.lock[tag];
    return std::any_of(list.begin(), list.end(), [&](const Entry& entry) {
        return (entry.granted & kLetIn) != 0 && is_granted(shared, entry, tag) &&
               any_granted_one_way(shared, tag, kAllTags);
    });
}

bool MultiLock::is_pushed_for_nobody(const Shared& shared, Records<const Record> records,
                                     const Observation& out, std::size_t tag) const {
    const Stray& stray = shared.stray;
    if (stray.what() != Stray::What::kHasCome || stray.key() != tag) {
        return false;
    }
    const Entry* entry = find(shared.lock, tag, stray.id);
    return entry != nullptr && stands(shared, *entry, tag) &&
           is_nobodys(records, out, [&](const Record& record) {
               return record.id[tag] == stray.id || record.left[tag] == stray.id;
           });
}

void MultiLock::observe(const Shared& shared, Records<const Record> records,
                        Observation& out) const {
    for (std::size_t tag = 0; tag < out.keys_count; ++tag) {
        KeyObservation& seen = out.keys[tag];
        seen.counters.clear();
        for (const Entry& entry : shared.lock[tag]) {
            seen.granted += is_granted(shared, entry, tag) ? 1U : 0U;
            if (entry.id != 0) {
                seen.counters.push_back(told(entry.timestamp));
            }
        }
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const CallerObservation& who = out.callers[caller];
            const Record& record = records[caller];
            const auto blocks = [&](unsigned id) {
                const Entry* entry = find(shared.lock, tag, id);
                return entry != nullptr && stands(shared, *entry, tag);
            };
            const bool unaware =
                who.believed[tag] == 0 && !is_pending(record, tag) && !is_released(record, tag);
            if (!who.dead && !who.calling &&
                ((unaware && blocks(record.id[tag])) || blocks(record.left[tag]))) {
                ++seen.phantoms;
            }
        }
        seen.phantoms += is_pushed_for_nobody(shared, records, out, tag) ? 1U : 0U;
    }
    for (std::size_t tag = 0; tag < out.keys_count; ++tag) {
        out.grants_overlap |= any_let_in(shared, tag);
        for (std::size_t other = 0; other < out.keys_count; ++other) {
            const std::uint32_t least = tag == other ? 2 : 1;
            if (excludes(tag, other) && out.keys[tag].granted >= least &&
                out.keys[other].granted >= least) {
                out.grants_overlap = true;
            }
        }
    }
}

std::string MultiLock::describe_step(const Shared& shared, const Record& record, const Call& call,
                                     const Operation& operation) const {
    const std::string& tag = common().keys[operation.key];
    const bool is_write = is_write_lock(operation.key);
    std::string assertive = "look whether what " + tag + " is assertive to is free";
    const std::string asks =
        asks_by_clock() ? "read the clock, to ask again" : "ask again: " + assertive;
    if (TimeLimit::waits(record, call)) {
        return "declare failure: no answer in time";
    }
    switch (call.at) {
        case At::kReadClock: return asks_again(record, operation) ? asks : "read the clock";
        case At::kReadTimestamp: return "read the clock again, for the timestamp";
        case At::kReadClockAgain: return "read the clock";
        case At::kAsk:
            return can_ask(record, operation.key) ? asks
                                                  : "no lock of " + tag + " to ask again with";
        case At::kCheckClock:
        case At::kCheckRelease: return "check that the own deadline has not passed";
        case At::kPush:
            if (is_write) {
                return "take " + tag + " at " + text_of(record.reading) +
                       " if there is no lock, or an inactive or old one";
            }
            return "push an entry of " + tag + " at " + text_of(record.reading) +
                   " if what it is cooperative to is free" +
                   (record.asked == 0 || record.asked == record.reading
                        ? ""
                        : " at " + text_of(record.asked));
        case At::kLookAfterPush:
        case At::kLookAfterRelease: return "look whether the document is there";
        case At::kLookAtAssertive: return assertive;
        case At::kAskAgain: return "ask again: " + assertive;
        case At::kWithdraw:
            if (!is_pending(record, operation.key)) {
                return "no lock of " + tag + " to withdraw";
            }
            [[fallthrough]];
        case At::kRelease:
            return is_write ? "set " + tag + " inactive if it has the timestamp"
                            : "remove the entry of " + tag;
        case At::kCleanUp: return "remove what may have been left of " + tag;
        case At::kWrite: return "write: change what " + tag + " protects";
        case At::kLieDown: return "until " + text_of(shared.now + operation.time());
        case At::kAsleep: return "wake up";
        case At::kForEver:
        case At::kNowhere: break;
    }
    return "idle";
}

std::string MultiLock::show_write_lock(const Entry& field) const {
    if (field.id == 0) {
        return "unlocked";
    }
    const bool is_active = (field.granted & kActive) != 0;
    return (is_active ? "active since " : "inactive, ") + text_of(field.timestamp) + "#" +
           std::to_string(field.id);
}

std::string MultiLock::show(const Shared& shared) const {
    std::string text = "time " + text_of(shared.now);
    if (shared.exists == 0) {
        return text + "  deleted";
    }
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        text += "  " + common().keys[tag] + " ";
        if (!exists(shared, tag)) {
            text += "deleted";
            continue;
        }
        if (is_write_lock(tag)) {
            text += show_write_lock(shared.lock[tag][0]);
            continue;
        }
        text += "[";
        const char* separator = "";
        for (const Entry& entry : shared.lock[tag]) {
            if (entry.id != 0) {
                text += separator + text_of(entry.timestamp) + "#" + std::to_string(entry.id);
                separator = " ";
            }
        }
        text += "]";
    }
    return text;
}

}  // namespace lockkeeper::monglock
