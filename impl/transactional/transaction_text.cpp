// SPDX-License-Identifier: Apache-2.0

// Shows the servers: observations, and words for reports.
#include <string>

#include "impl/transactional/transaction_server.hpp"
#include "impl/transactional/transaction_state.hpp"

namespace lockkeeper::transactional {

void TransactionServer::observe(const Shared& shared, Records<const Record> records,
                                Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        const std::size_t line = line_of(key);
        KeyObservation& seen = out.keys[key];
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const Record& record = records[caller];
            const std::uint32_t grants =
                (owns(record.session, key) ? 1U : 0U) + (owns(record.lost, key) ? 1U : 0U);
            seen.granted += grants;
            // In a transaction it lives until the end; outside of any it has leaked.
            const CallerObservation& who = out.callers[caller];
            if (!who.dead && !who.calling && record.blocks == 0) {
                seen.phantoms += grants;
            }
        }
        const bool with_shared =
            !is_shared(key) && seen.granted > 0 && (shared.in_shared & bit(line)) != 0;
        out.grants_overlap =
            out.grants_overlap || with_shared || (seen.granted > 1 && !is_shared(key));
        seen.counters = {in_line(shared, records, line), shared.versions[key]};
        if (shows_rows()) {
            seen.counters.push_back((shared.rows & bit(line)) != 0 ? 1 : 0);
        }
    }
}

// Owners that share a line stand at one place.
std::int32_t TransactionServer::in_line(const Shared& shared, Records<const Record> records,
                                        std::size_t line) const {
    std::int32_t count = 0;
    for_each(records, [&](std::size_t, const Record& record) {
        count += (record.session.place[line] != 0 ? 1 : 0) + (record.lost.place[line] != 0 ? 1 : 0);
    });
    return options_.shared != 0 ? count : shared.length[line];
}

std::string TransactionServer::fault_name(unsigned fault) {
    switch (static_cast<StatementFault>(fault)) {
        case StatementFault::kNone: return "";
        case StatementFault::kFails: return "the statement fails";
        case StatementFault::kAckLost: return "the acknowledgement is lost";
        case StatementFault::kRequestLost: return "lost on the way, with the connection";
        case StatementFault::kAnswerLost: return "the answer is lost, with the connection";
    }
    return "?";
}

std::string TransactionServer::describe_step(const Shared& shared, const Record& record,
                                             const Call& call, const Operation& operation) const {
    const std::string& key = options_.keys[operation.key];
    if (passes_over(record, operation)) {
        return "passed over, its block was not opened";
    }
    const bool outermost = record.blocks <= 1;
    switch (call.at) {
        case At::kEnter:
            if (repairs(kRowFirst)) {
                return "insert the row of " + key + " on a connection of its own";
            }
            [[fallthrough]];
        case At::kBegin: return record.blocks == 0 ? "BEGIN" : "joins; lock " + key;
        case At::kLock: return (is_shared(operation.key) ? "share " : "lock ") + key;
        case At::kWait: return "the lock statement of " + key + " goes on";
        case At::kGuard: return "SAVEPOINT for the block";
        case At::kGiveUp: return "ROLLBACK, the lock was not granted";
        case At::kLeave:
            if (!outermost && in_block_anew(record)) {
                return "the block ends: RELEASE of its savepoint, or ROLLBACK TO it";
            }
            if (!outermost) {
                return asks_at_inner_end() ? "an inner block ends: is the connection there?"
                                           : "an inner block ends, nothing is sent";
            }
            return record.failed != Error::kNone ? "the block ends by what it got, or COMMIT"
                                                 : "COMMIT, the changes become visible";
        case At::kUnlock: return "COMMIT, the locks are released";
        case At::kAck: return "the COMMIT is acknowledged";
        case At::kAsk: return "ask what became of the COMMIT";
        case At::kRollBack:
            return outermost               ? "ROLLBACK"
                   : in_block_anew(record) ? "ROLLBACK TO the savepoint of the block"
                                           : "an error leaves an inner block";
        case At::kOpen: return outermost && record.blocks == 0 ? "BEGIN" : "joins";
        case At::kOpenNew:
            return record.blocks == 0 ? "BEGIN" : "SAVEPOINT for a block with its own transaction";
        case At::kRead: return "read what " + key + " protects";
        case At::kWrite: return "write what " + key + " protects";
        case At::kEffect: return "effect outside of the database, under " + key;
        case At::kLook: return "look at the data without a lock";
        case At::kFail: return "a statement with an error";
        case At::kSavepoint: return "SAVEPOINT";
        case At::kRollBackTo: return "ROLLBACK TO SAVEPOINT";
        case At::kReleaseSavepoint: return "RELEASE SAVEPOINT";
        case At::kCount: return "clean-up: count the rows";
        case At::kDelete:
            for (std::size_t row = call.cursor; row < keys_count(); ++row) {
                if ((shared.rows & bit(row)) != 0) {
                    return "clean-up: delete the row of " + options_.keys[row];
                }
            }
            return "clean-up: the DELETE ends";
        case At::kLieDown:
            return "for " + std::to_string(told_in(options_.time_unit, operation.time()));
        case At::kAsleep: return "wake up";
        case At::kNowhere: break;
    }
    return "idle";
}

std::string TransactionServer::describe_background(const Shared&, Records<const Record>,
                                                   Action action) const {
    if (action.kind == ActionKind::kTime) {
        return std::to_string(told_in(options_.time_unit, action.argument)) + " units of time pass";
    }
    if (action.kind == ActionKind::kDisturb) {
        switch (static_cast<Disturbance>(action.argument)) {
            case Disturbance::kKill: return "the backend of @ is killed";
            case Disturbance::kCrash: return "the server crashes and restarts";
            case Disturbance::kLose: return "@ loses its connection while its statement waits";
            case Disturbance::kKillQuery: return "KILL QUERY ends the GET_LOCK of @";
        }
    }
    switch (action.argument) {
        case kLooksForDeadlock: return "the waiting backend of @ looks for a deadlock";
        case kTimesOut: return "@ has waited too long";
        case kNoticed: return "the server notices that @ is gone";
        case kLostLooks: return "the waiting session that @ has lost looks for a deadlock";
        case kLostTimesOut: return "the session that @ has lost has waited too long";
        case kLostGoesOn: return "the statement of the session that @ has lost goes on";
        case kLostNoticed: return "the server notices that @ has lost its session";
        default: return "the insert of @, who is gone, goes on";
    }
}

std::string TransactionServer::show(const Shared& shared) const {
    std::string text;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        text += (text.empty() ? "" : "  ") + options_.keys[key] + ": line of " +
                std::to_string(shared.length[line_of(key)]) + ", version " +
                std::to_string(shared.versions[key]);
        if (shows_rows()) {
            const bool there = (shared.rows & bit(line_of(key))) != 0;
            const bool committed = (shared.uncommitted & bit(line_of(key))) == 0;
            text += there ? (committed ? ", row" : ", new row") : ", no row";
        }
    }
    return text;
}

}  // namespace lockkeeper::transactional
