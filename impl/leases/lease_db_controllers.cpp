// SPDX-License-Identifier: Apache-2.0

// The database leases: controllers as parties of their own (setting controller of a client).
//
//   client --asks--> controller --statements, renewals--> database
//                        |
//                    crashes (fault controller_crashes), starts again at once, and knows nothing:
//                      what it had not committed is rolled back; renewals end, of all its clients;
//                      what it was asked and has not answered is ControllerLost for who asked;
//                      who holds goes on believing, until `stream_end` later or its own_deadline
//
// The row stays, as after a client's death. Clients keep their tokens, so that a release or a
// completion of later goes through the fresh controller. Writes do not go through it.
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {

bool LeaseDb::asks_controller(At at) {
    switch (at) {
        case At::kPick:
        case At::kInsert:
        case At::kInsertWaits:
        case At::kMark:
        case At::kMarkWaits:
        case At::kBeginRenewals:
        case At::kPickCommit:
        case At::kInsertCommit:
        case At::kInsertReply:
        case At::kDelete:
        case At::kDeleteWaits:
        case At::kDeleteCommit:
        case At::kComplete:
        case At::kCompleteWaits:
        case At::kCompleteCommit: return true;
        default: return false;
    }
}

// With the first step of a call.
void LeaseDb::ask_controller(const Shared& shared, Call& call, std::size_t caller) const {
    const std::int32_t controller = options().clients[caller].controller;
    if (controller != 0 && call.controller == 0 && asks_controller(call.at)) {
        call.controller = static_cast<std::uint8_t>(controller);
        call.crashes = shared.crashes[call.controller - 1U];
    }
}

// Its client has no answer; what the controller had committed is there.
Outcome LeaseDb::orphaned(Record& record, Call& call, std::size_t key, Event& event) const {
    end_transaction(record);
    record.by = 0;
    leave(record.renewal[key]);
    record.deadline[key] = 0;
    // Before it has inserted there is no row of its own, but for one that was sent before.
    const bool may_be_there =
        call.at != At::kPick && call.at != At::kInsert && call.at != At::kInsertWaits;
    return unanswered(call, may_be_there ? record.token[key] : call.token, Error::kControllerLost,
                      event);
}

void LeaseDb::crash_controller(Shared& shared, Records<Record> records,
                               std::size_t controller) const {
    --shared.left.restarts;
    ++shared.crashes[controller];
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        if (options().clients[caller].controller != static_cast<std::int32_t>(controller) + 1) {
            continue;
        }
        Record& record = records[caller];
        for (std::size_t key = 0; key < keys_count(); ++key) {
            roll_back(shared, record, key);
            record.flags[key] &= static_cast<std::uint8_t>(~(kWaitsForRow | kWaitsForCall));
            const Renewal& renewal = record.renewal[key];
            const bool renewed = renewal.phase != Phase::kNone && !renewal.is_ghost();
            if (renewed && stream_end_ >= 0) {
                const Instant told = instant(shared.now + stream_end_);
                const Instant own = record.deadline[key];
                record.deadline[key] = own == 0 ? told : std::min(own, told);
            }
            leave(record.renewal[key]);
        }
    }
}

}  // namespace lockkeeper::leases
