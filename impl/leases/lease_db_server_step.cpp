// SPDX-License-Identifier: Apache-2.0

// Which statement of a real server each step of the database leases is (model/server_step.hpp), and
// what its rows have to show.
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {
namespace {

ServerStep server_doing(Doing what, bool is_blocked) {
    switch (what) {
        case Doing::kSend: return ServerStep::kRenewalSent;
        case Doing::kHandle:
            return is_blocked ? ServerStep::kRenewalGoesOn : ServerStep::kRenewalHandled;
        case Doing::kAnswer: return ServerStep::kRenewalAnswered;
        case Doing::kGiveUp:
        case Doing::kDeadline: return ServerStep::kGivenUp;
        case Doing::kReap: return ServerStep::kReap;
        case Doing::kCleanUp: return ServerStep::kLeaseCleanUp;
        case Doing::kNotice: return ServerStep::kNotice;
        case Doing::kLate: return ServerStep::kLate;
        case Doing::kCut: return ServerStep::kRenewalCut;
        case Doing::kUnlock: return ServerStep::kRowUnlocked;
        case Doing::kCallOn:
        case Doing::kTakeBack: break;
    }
    return ServerStep::kUnknown;
}

ServerStep server_disturbance(Disturbance what) {
    switch (what) {
        case Disturbance::kLoseRequest: return ServerStep::kNothing;  // before it is sent
        case Disturbance::kLoseReply: return ServerStep::kReplyLost;
        case Disturbance::kDelete: return ServerStep::kRowDeleted;
        case Disturbance::kForward: return ServerStep::kClockForward;
        case Disturbance::kBack: return ServerStep::kClockBack;
        case Disturbance::kReset: return ServerStep::kRenewalReset;
        case Disturbance::kHalfReset: return ServerStep::kGivenUp;
        case Disturbance::kLockRow: return ServerStep::kRowLocked;
        case Disturbance::kCrashController: return ServerStep::kControllerCrashed;
        case Disturbance::kRestart:
        case Disturbance::kNotifyAgain:
        case Disturbance::kClientForward:
        case Disturbance::kClientBack:
        case Disturbance::kFailHook: break;
    }
    return ServerStep::kUnknown;
}

}  // namespace

ServerAct LeaseDb::server_step(const Shared& shared, Records<const Record>, std::size_t,
                               const Call& call, const Operation&) {
    if (is_orphaned(shared, call)) {
        return {.step = ServerStep::kOrphaned};
    }
    switch (call.at) {
        case At::kPick: return {.step = ServerStep::kCallPick};
        case At::kInsert: return {.step = ServerStep::kLeaseInsert};
        case At::kMark: return {.step = ServerStep::kCallMark};
        case At::kInsertWaits:
        case At::kMarkWaits:
        case At::kDeleteWaits:
        case At::kCompleteWaits: return {.step = ServerStep::kGoesOn};
        case At::kBeginRenewals: return {.step = ServerStep::kRenewalsBegin};
        case At::kPickCommit: return {.step = ServerStep::kPickCommit};
        case At::kInsertCommit:
        case At::kDeleteCommit: return {.step = ServerStep::kLeaseCommit};
        case At::kInsertReply: return {.step = ServerStep::kLeaseReply};
        case At::kDelete: return {.step = ServerStep::kLeaseDelete};
        case At::kCleanUp: return {.step = ServerStep::kLeaseCleanUp};
        case At::kSendWrite: return {.step = ServerStep::kWriteSent};
        case At::kWriteArrives: return {.step = ServerStep::kWriteArrives};
        case At::kComplete: return {.step = ServerStep::kComplete};
        case At::kCompleteCommit: return {.step = ServerStep::kCompleteCommit};
        case At::kDeleteRow: return {.step = ServerStep::kRowDeleted};
        case At::kReapRows: return {.step = ServerStep::kReap};
        case At::kHang:
        case At::kLieDown:
        case At::kAsleep:
        case At::kNowhere: break;
    }
    return {};
}

ServerAct LeaseDb::server_background(const Shared&, Records<const Record> records,
                                     Action action) const {
    // A controller's action carries the controller's number, and no key.
    const std::size_t number = key_of(action);
    const std::size_t key = number < keys_count() ? number : 0;
    if (action.kind == ActionKind::kDisturb) {
        return {.step = server_disturbance(disturbance(action)),
                .key = static_cast<std::uint8_t>(key)};
    }
    const bool is_blocked = records[action.actor].renewal[key].is_blocked();
    return {.step = server_doing(doing(action), is_blocked), .key = static_cast<std::uint8_t>(key)};
}

ServerFault LeaseDb::server_fault(unsigned fault) {
    switch (static_cast<StepFault>(fault)) {
        case StepFault::kNone: return ServerFault::kNone;
        case StepFault::kLostRequest: return ServerFault::kRequestLost;
        case StepFault::kLostReply: return ServerFault::kReplyLost;
        case StepFault::kSlowCommit: return ServerFault::kSlowCommit;
        case StepFault::kSmallToken: return ServerFault::kSmallToken;
        case StepFault::kLateRequest: return ServerFault::kRequestLate;
        case StepFault::kSentAgain:
        case StepFault::kCopied:
        case StepFault::kHookFails: break;
    }
    return ServerFault::kUnknown;
}

ServerRow LeaseDb::server_row(const Shared& shared, std::size_t key) {
    const Row& row = shared.rows[key];
    return {.acquisition = row.token == 0 ? 0U : unsigned{row.generation},
            .inserting = row.token != 0 && row.pending == Pending::kInsert,
            .deleting = row.token != 0 && row.pending == Pending::kDelete,
            .looked_at = row.token != 0 && row.pending == Pending::kShared};
}

}  // namespace lockkeeper::leases
