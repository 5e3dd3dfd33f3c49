// SPDX-License-Identifier: Apache-2.0

// The write lock of a document that has a multi lock as well. The published packages keep both in
// the field `lock`: the write lock as {active, timestamp}, the multi lock as a map from tag to
// list.
//   take      if the field is absent, or inactive, or its timestamp is old: REPLACE the whole field
//   release   set it inactive, if its timestamp is the given one
// A map that has never had a write lock in it has no `active` and no timestamp: it is none of the
// three, and the write lock can never be taken. Where the write lock was there first, the tags push
// their lists beside it, and the next one that takes it removes them all.
#include "impl/monglock/multi_lock.hpp"

namespace lockkeeper::monglock {

void MultiLock::mark_set(Lock& lock, std::size_t document) const {
    for (std::size_t tag = 0; tag < keys_count() && !repairs(kOwnFields); ++tag) {
        if (is_write_lock(tag) && document_of(tag) == document) {
            lock.is_set = static_cast<std::uint16_t>(lock.is_set | 1U << document);
        }
    }
}

bool MultiLock::may_take(const Shared& shared, std::size_t tag, Instant reading,
                         std::size_t caller) const {
    const Entry& field = shared.lock[tag][0];
    const bool is_absent =
        repairs(kOwnFields) ? field.id == 0 : !has_bit(shared.lock.is_set, document_of(tag));
    const bool is_inactive = (field.granted & kActive) == 0;
    const bool is_old = field.timestamp <= reading - timeout_of(caller, tag);
    return is_absent || (field.id != 0 && (is_inactive || is_old));
}

void MultiLock::take(Shared& shared, Entry entry, std::size_t tag) const {
    const std::size_t document = document_of(tag);
    keep_older(shared, document);
    if (!repairs(kOwnFields)) {
        put_part(shared.lock, {}, document);
    }
    entry.granted |= kActive;
    shared.lock[tag][0] = entry;
    mark_set(shared.lock, document);
}

// Published: whether it is active is not asked, nor whose it is; two that were taken in one
// millisecond have one timestamp.
bool MultiLock::may_set_inactive(const Shared& shared, const Record& record,
                                 std::size_t tag) const {
    const Entry& field = shared.lock[tag][0];
    return repairs(kOwnFields)
               ? field.id != 0 && field.id == record.id[tag] && (field.granted & kActive) != 0
               : field.timestamp != 0 && field.timestamp == record.timestamp[tag];
}

void MultiLock::set_inactive(Shared& shared, std::size_t tag) const {
    keep_older(shared, document_of(tag));
    shared.lock[tag][0].granted = 0;
}

bool MultiLock::may_remove(const Shared& shared, const Record& record, std::size_t tag) const {
    return is_write_lock(tag) ? may_set_inactive(shared, record, tag)
                              : find(shared.lock, tag, record.id[tag]) != nullptr;
}

void MultiLock::remove_own(Shared& shared, const Record& record, std::size_t tag,
                           Event& event) const {
    if (!is_write_lock(tag)) {
        remove(shared, tag, record.id[tag]);
        return;
    }
    const Entry& field = shared.lock[tag][0];
    const bool is_own = field.id == record.id[tag] || field.id == record.left[tag];
    event.note(Breach::kForeignRemoval, is_granted(shared, field, tag) && !is_own);
    set_inactive(shared, tag);
}

}  // namespace lockkeeper::monglock
