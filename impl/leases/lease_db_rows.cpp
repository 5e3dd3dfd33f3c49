// SPDX-License-Identifier: Apache-2.0

// The database leases: transactions that have a row, and who waits for them. An insert or a delete
// that is not committed is the client's own (slow_commits); a look FOR SHARE is somebody else's
// (row_locks), such as a check of the lease within a longer transaction.
//
//   statement       a delete, not committed       a look FOR SHARE
//   insert          waits                         Conflict
//   renewal         waits                         waits
//   delete, reap    waits                         waits
//   guarded write   (its own client's: not sent)  goes on, and looks, too
//
// A renewal that waits is blocked. Its expires_at is of its transaction's start, so it grants less
// than a TTL when it goes on, and nothing when the row has gone:
//
//   asked --handled--> answered
//        \--its row is locked--> blocked --the row is free--> answered
//                                       \--statement time-out--> silent
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

bool LeaseDb::is_stale(const Shared& shared, const Row& row) const {
    return is_visible(row) && rules_->is_expired(row.expires, database_time(shared), options());
}

std::int32_t LeaseDb::expiry(const Shared& shared, std::size_t caller) const {
    return shared.now + rules_->expiry_clock(shared.clock, options().clients[caller]) +
           ttl_of(caller);
}

bool LeaseDb::reaper_waits(const Shared& shared) const {
    for (const Row& row : shared.rows) {
        if (row.token != 0 && row.pending != Pending::kNo && is_stale(shared, row)) {
            return true;
        }
    }
    return false;
}

// 2. False: no such row.
bool LeaseDb::renew_row(Shared& shared, const Record& record, std::size_t key,
                        Instant expires) const {
    Row& row = shared.rows[key];
    if (row.token == 0 || !rules_->renews(row, record.token[key]) || row.pending != Pending::kNo) {
        return false;
    }
    row.expires = expires;
    return true;
}

// Its update would change the row: it waits for who has it.
bool LeaseDb::waits_for_row(const Shared& shared, const Record& record, std::size_t key) const {
    const Row& row = shared.rows[key];
    return row.token != 0 && rules_->renews(row, record.token[key]) &&
           (row.pending == Pending::kDelete || row.pending == Pending::kShared);
}

void LeaseDb::handle_renewal(Shared& shared, Record& record, std::size_t caller,
                             std::size_t key) const {
    Renewal& renewal = record.renewal[key];
    const bool has_waited = renewal.is_blocked();
    const Instant expires = has_waited ? renewal.by : instant(expiry(shared, caller));
    if (!has_waited && waits_for_row(shared, record, key)) {
        renewal.phase = renewal.is_ghost() ? Phase::kBlockedGhost : Phase::kBlocked;
        renewal.by = expires;
        return;
    }
    const bool there = renew_row(shared, record, key, expires);
    const bool ghost = renewal.is_ghost();
    answer(renewal, shared.now, !there);
    if (ghost && record.generation[key] == 0) {
        record.token[key] = 0;
    }
}

// The server's time-out counts from the arrival of the statement, and so is later than its
// client's by what it travelled.
void LeaseDb::add_blocked(Agenda& agenda, const Shared& shared, const Record& record,
                          std::size_t caller, std::size_t key, ActionList& out) const {
    const Renewal& renewal = record.renewal[key];
    if (!renewal.is_blocked()) {
        return;
    }
    if (!waits_for_row(shared, record, key)) {
        add(out, caller, Doing::kHandle, key);
        agenda.no_later_than(shared.now);
    }
    agenda.due(renewal.at, options().delay);
    if (shared.now >= renewal.at) {
        add(out, caller, Doing::kCut, key);
    }
}

// Nothing has happened, and its client learns of it as of no answer.
void LeaseDb::cut(Record& record, std::size_t key) {
    Renewal& renewal = record.renewal[key];
    if (renewal.phase == Phase::kBlocked) {
        renewal.phase = Phase::kSilent;
        renewal.by = 0;
        return;
    }
    renewal = {};
    if (record.generation[key] == 0) {
        record.token[key] = 0;
    }
}

bool LeaseDb::cleaning_waits(const Shared& shared, const Record& record, const Call& call) {
    const Row& row = shared.rows[call.key];
    const std::uint8_t token = call.token != 0 ? call.token : record.late_token[call.key];
    return row.pending == Pending::kShared && row.token == token;
}

void LeaseDb::reap(Shared& shared) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (is_stale(shared, shared.rows[key])) {
            shared.rows[key] = {};
        }
    }
}

}  // namespace lockkeeper::leases
