// SPDX-License-Identifier: Apache-2.0

// Which statement of a real server each step of the transactional locks is (model/server_step.hpp).
#include "impl/transactional/pooled_lock.hpp"
#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {

ServerAct TransactionServer::end_of_block(const Record& record) const {
    const bool outermost = record.blocks <= 1;
    if (outermost) {
        return {.step = ServerStep::kEnd, .after_error = record.failed != Error::kNone};
    }
    return {.step = ServerStep::kInnerEnd,
            .asks_connection = !in_block_anew(record) && asks_at_inner_end()};
}

bool TransactionServer::has_row_to_delete(const Shared& shared, const Call& call) const {
    for (std::size_t row = call.cursor; row < keys_count(); ++row) {
        if ((shared.rows & bit(row)) != 0) {
            return true;
        }
    }
    return false;
}

ServerAct TransactionServer::server_step(const Shared& shared, Records<const Record> records,
                                         std::size_t caller, const Call& call,
                                         const Operation& operation) const {
    const Record& record = records[caller];
    if (passes_over(record, operation)) {
        return {};
    }
    const bool outside = record.blocks == 0;
    switch (call.at) {
        case At::kEnter:
            if (repairs(kRowFirst)) {
                return {.step = ServerStep::kRowFirst};
            }
            [[fallthrough]];
        case At::kBegin: return {.step = outside ? ServerStep::kBegin : ServerStep::kLock};
        case At::kLock: return {.step = ServerStep::kLock};
        case At::kWait: return {.step = ServerStep::kGoesOn};
        case At::kGuard: return {.step = ServerStep::kGuard};
        case At::kGiveUp: return {.step = ServerStep::kGiveUp};
        case At::kLeave: return end_of_block(record);
        case At::kUnlock: return {.step = ServerStep::kCommitEnds};
        case At::kAck: return {.step = ServerStep::kAcknowledge};
        case At::kAsk: return {.step = ServerStep::kAsk};
        case At::kRollBack:
            return {.step = record.blocks <= 1 ? ServerStep::kRollBack : ServerStep::kInnerError};
        case At::kOpen: return {.step = outside ? ServerStep::kBegin : ServerStep::kJoin};
        case At::kOpenNew: return {.step = outside ? ServerStep::kBegin : ServerStep::kOpenNew};
        case At::kRead: return {.step = ServerStep::kRead};
        case At::kWrite: return {.step = ServerStep::kWrite};
        case At::kEffect: return {.step = ServerStep::kEffect};
        case At::kLook: return {.step = ServerStep::kLook};
        case At::kFail: return {.step = ServerStep::kFail};
        case At::kSavepoint: return {.step = ServerStep::kSavepoint};
        case At::kRollBackTo: return {.step = ServerStep::kRollBackTo};
        case At::kReleaseSavepoint: return {.step = ServerStep::kReleaseSavepoint};
        case At::kCount: return {.step = ServerStep::kCount};
        case At::kDelete:
            return {.step = has_row_to_delete(shared, call) ? ServerStep::kDelete
                                                            : ServerStep::kDeleteEnds};
        case At::kLieDown:
        case At::kAsleep:
        case At::kNowhere: break;
    }
    return {};
}

ServerAct TransactionServer::server_background(const Shared&, Records<const Record>,
                                               Action action) {
    if (action.kind == ActionKind::kDisturb) {
        switch (static_cast<Disturbance>(action.argument)) {
            case Disturbance::kKill: return {.step = ServerStep::kSessionKilled};
            case Disturbance::kCrash: return {.step = ServerStep::kServerCrashes};
            case Disturbance::kLose: return {.step = ServerStep::kConnectionLost};
            case Disturbance::kKillQuery: return {.step = ServerStep::kUnknown};
        }
    }
    switch (action.argument) {
        case kLooksForDeadlock: return {.step = ServerStep::kLooksForDeadlock};
        case kTimesOut: return {.step = ServerStep::kTimesOut};
        case kNoticed: return {.step = ServerStep::kNoticesLoss};
        case kLostLooks: return {.step = ServerStep::kLooksForDeadlock, .of_lost_session = true};
        case kLostTimesOut: return {.step = ServerStep::kTimesOut, .of_lost_session = true};
        case kLostNoticed: return {.step = ServerStep::kNoticesLoss, .of_lost_session = true};
        default: return {.step = ServerStep::kSessionGoesOn};
    }
}

ServerFault TransactionServer::server_fault(unsigned fault) {
    switch (static_cast<StatementFault>(fault)) {
        case StatementFault::kNone: break;
        case StatementFault::kFails: return ServerFault::kStatementFails;
        case StatementFault::kAckLost: return ServerFault::kAcknowledgementLost;
        case StatementFault::kRequestLost: return ServerFault::kRequestLost;
        case StatementFault::kAnswerLost: return ServerFault::kReplyLost;
    }
    return ServerFault::kNone;
}

ServerAct PooledLock::server_step(const Shared& shared, Records<const Record> records,
                                  std::size_t caller, const Call& call, const Operation&) const {
    const Record& record = records[caller];
    switch (call.at) {
        case At::kCheckOut: return {.step = ServerStep::kCheckOut};
        case At::kLock: return {.step = ServerStep::kPooledLock};
        case At::kWait: return {.step = ServerStep::kGoesOn};
        case At::kUnlock: {
            const bool is_inner = is_in_transaction(shared, record) && record.blocks > 1;
            return {.step = is_inner ? ServerStep::kInnerEnd : ServerStep::kUnlock};
        }
        case At::kReturn: return {.step = ServerStep::kPutBack};
        case At::kEffect: return {.step = ServerStep::kEffect};
        case At::kCheckOutOther: return {.step = ServerStep::kCheckOutOther};
        case At::kReturnOther: return {.step = ServerStep::kPutBackOther};
        case At::kNowhere: break;
    }
    return {};
}

}  // namespace lockkeeper::transactional
