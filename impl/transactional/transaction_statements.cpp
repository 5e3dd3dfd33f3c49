// SPDX-License-Identifier: Apache-2.0

// Statements of the block, and what the end of a transaction does at the server.
#include <algorithm>
#include <bit>
#include <limits>

#include "impl/transactional/transaction_rules.hpp"
#include "model/check.hpp"

namespace lockkeeper::transactional {
namespace {

constexpr std::uint8_t kSavepointsMax = 6;
constexpr std::uint8_t kBlocksMax = 6;

}  // namespace

Outcome TransactionServer::statement(Shared& shared, Record& record, Call& call,
                                     const Operation& operation, Event& event) const {
    const bool opens_inner_anew = call.at == At::kOpenNew && record.blocks > 0;
    if ((call.at == At::kOpen || call.at == At::kOpenNew) && record.blocks == kBlocksMax) {
        throw LimitExceeded("more than 6 blocks inside of each other");
    }
    if ((call.at == At::kOpen || call.at == At::kOpenNew) && !opens_inner_anew) {
        if (record.blocks++ == 0) {
            begin_transaction(shared, record, event);
            record.session.fixed_view = options().clients[event.caller].repeatable_read ? 1 : 0;
        }
        return Outcome::kDone;
    }
    if (call.at == At::kEffect && !repairs(kOutbox)) {
        event.what |= kEffect;  // on the outside world, which asks no database
        return Outcome::kDone;
    }
    Error refused =
        record.connection == Connection::kGone ? Error::kConnectionLost : why_not(record);
    if (refused == Error::kInFailedTransaction && call.at == At::kRollBackTo) {
        refused = Error::kNone;
    }
    if (call.at == At::kGuard && refused != Error::kNone) {
        return fail(record, call, refused, event);
    }
    if (refused != Error::kNone) {
        return refuse_statement(record, refused, call.at, event);
    }
    if (record.session.fixed_view != 0 && takes_view(call.at)) {
        record.session.viewed = 1;
    }
    switch (call.at) {
        case At::kRead: return read(shared, record, operation, event);
        case At::kWrite: return write(shared, record, operation, event);
        case At::kEffect: return effect(record, event);
        case At::kFail:
            statement_failed(shared, record);
            return refuse_statement(record, Error::kStatementFailed, call.at, event);
        case At::kLook: engage(record); return Outcome::kDone;
        case At::kGuard:
        case At::kOpenNew:
        case At::kSavepoint: return set_savepoint(record, call, event);
        default: return go_to_savepoint(shared, record, call, event);
    }
}

Outcome TransactionServer::refuse_statement(Record& record, Error error, At at,
                                            Event& event) const {
    told(record, error, event);
    if (at == At::kOpen || at == At::kOpenNew) {
        ++record.unopened;
    }
    if (at == At::kWrite || at == At::kEffect) {
        event.what |= kEffectRefused;
    }
    return refuse(error, event);
}

// The code of a block that could not be opened is not reached: nothing of it is sent. Its end ends
// no other block.
Outcome TransactionServer::pass_over(Record& record, const Call& call, const Operation& operation,
                                     Event& event) {
    if (call.at == At::kOpen || call.at == At::kOpenNew) {
        ++record.unopened;
    } else if (call.at == At::kLeave || call.at == At::kRollBack) {
        --record.unopened;
    }
    return operation.verb == Verb::kAcquire ? refuse(Error::kConnectionLost, event)
                                            : Outcome::kDone;
}

Outcome TransactionServer::read(Shared& shared, Record& record, const Operation& operation,
                                Event& event) const {
    engage(record);
    if (operation.fault != 0) {
        --shared.left.statement_errors;
        statement_failed(shared, record);
        return refuse_statement(record, Error::kStatementFailed, At::kRead, event);
    }
    if (!holds(shared, record, operation.key)) {
        return Outcome::kDone;  // not under the lock, whatever the caller believes
    }
    const KeySet key = bit(operation.key);
    const bool old_view = record.session.viewed != 0 && (record.session.outdated & key) != 0 &&
                          record.session.written[operation.key] == 0 && !keeps_view_fresh();
    event.note(Breach::kStale, old_view || (shared.hidden & key) != 0);
    return Outcome::kDone;
}

Outcome TransactionServer::write(Shared& shared, Record& record, const Operation& operation,
                                 Event& event) const {
    engage(record);
    const bool fails = operation.fault != 0;
    if (fails || row_conflict(record, operation.key)) {
        shared.left.statement_errors =
            static_cast<std::uint8_t>(shared.left.statement_errors - (fails ? 1 : 0));
        statement_failed(shared, record);
        return refuse_statement(record,
                                fails ? Error::kStatementFailed : Error::kSerializationFailure,
                                At::kWrite, event);
    }
    event.what |= kEffect;
    if (record.session.written[operation.key] == 0) {
        record.session.written[operation.key] = level_of(record);
    }
    if (record.session.transaction == Transaction::kNone) {
        make_visible(shared, record);  // in no transaction: a transaction of its own
    }
    return Outcome::kDone;
}

// Writes a row of the transaction, whose COMMIT makes the effect real; in none it is real at once.
Outcome TransactionServer::effect(Record& record, Event& event) const {
    if (record.session.transaction == Transaction::kNone) {
        event.what |= kEffect;
    } else if (record.session.outbox == 0) {
        engage(record);
        record.session.outbox = level_of(record);
    }
    return Outcome::kDone;
}

// Outside of a transaction no server keeps one; which of them says so differs.
Outcome TransactionServer::set_savepoint(Record& record, Call& call, Event& event) const {
    const bool keeps = record.session.transaction != Transaction::kNone;
    const bool guards = call.at != At::kSavepoint;
    if (!keeps && savepoint_needs_transaction()) {
        return refuse_statement(record, Error::kStatementFailed, call.at, event);
    }
    if (keeps && record.session.savepoints == kSavepointsMax) {
        throw LimitExceeded("more than 6 savepoints in one transaction");
    }
    if (keeps) {
        record.session.guards = static_cast<Stack>(record.session.guards |
                                                   (guards ? 1U << record.session.savepoints : 0));
        ++record.session.savepoints;
    }
    if (!guards) {
        return Outcome::kDone;
    }
    const auto block = static_cast<Stack>(1U << record.blocks);
    record.guarded = static_cast<Stack>(record.guarded | block);
    record.unguarded = static_cast<Stack>(record.unguarded | (keeps ? 0 : block));
    record.anew = static_cast<Stack>(record.anew | (call.at == At::kOpenNew ? block : 0));
    ++record.blocks;
    return call.at == At::kOpenNew ? Outcome::kDone : Outcome::kAcquired;
}

// ROLLBACK TO and RELEASE. One that is not there is an error like any other.
Outcome TransactionServer::go_to_savepoint(Shared& shared, Record& record, Call& call,
                                           Event& event) const {
    const std::uint8_t savepoint = savepoint_of_script(record);
    if (savepoint == 0) {
        statement_failed(shared, record);
        return refuse_statement(record, Error::kStatementFailed, call.at, event);
    }
    if (call.at == At::kRollBackTo) {
        go_back_to(shared, record, savepoint);
        record.failed = Error::kNone;
        record.failed_in = 0;
        return Outcome::kDone;
    }
    release_savepoint(record, savepoint);
    return Outcome::kDone;
}

std::uint8_t TransactionServer::savepoint_of_script(const Record& record) {
    std::uint8_t savepoint = record.session.savepoints;
    const auto not_its_own = static_cast<Stack>(record.session.guards | record.session.ended);
    while (savepoint > 0 && (not_its_own >> (savepoint - 1U) & 1U) != 0) {
        --savepoint;
    }
    return savepoint;
}

void TransactionServer::go_back_to(Shared& shared, Record& record, std::uint8_t savepoint) const {
    keep_savepoints(record, savepoint);
    rules().roll_back_to_savepoint(*this, shared, record);
}

// The savepoints of blocks are set and go in the order of their blocks: those that go are of the
// innermost blocks that still have theirs.
void TransactionServer::keep_savepoints(Record& record, std::uint8_t savepoints) {
    for (auto gone = static_cast<Stack>(record.session.guards >> savepoints); gone != 0;
         gone = static_cast<Stack>(gone & (gone - 1U))) {
        const auto guarded = static_cast<Stack>(record.guarded & ~record.unguarded);
        record.unguarded = static_cast<Stack>(record.unguarded | std::bit_floor(guarded));
    }
    record.session.savepoints = savepoints;
    record.session.guards = static_cast<Stack>(record.session.guards & ((1U << savepoints) - 1U));
    record.session.ended = static_cast<Stack>(record.session.ended & ((1U << savepoints) - 1U));
}

// Moves what was done since the savepoint to the level below.
void TransactionServer::release_savepoint(Record& record, std::uint8_t savepoint) {
    keep_savepoints(record, static_cast<std::uint8_t>(savepoint - 1));
    const std::uint8_t deepest = level_of(record);
    const auto lower = [deepest](std::uint8_t& level) { level = std::min(level, deepest); };
    std::for_each(record.session.level.begin(), record.session.level.end(), lower);
    std::for_each(record.session.written.begin(), record.session.written.end(), lower);
    lower(record.session.outbox);
    lower(record.session.engaged);
}

void TransactionServer::undo_level(Session& session) {
    const auto undo = [&](std::uint8_t& level) {
        level = level > session.savepoints ? std::uint8_t{0} : level;
    };
    std::for_each(session.written.begin(), session.written.end(), undo);
    undo(session.outbox);
}

// --- at the server -----------------------------------------------------------------------------

void TransactionServer::free_lock(Shared& shared, Session& session, std::size_t line) {
    shared.vacated[line] = session.place[line];
    session.in_shared = static_cast<KeySet>(session.in_shared & ~bit(line));
    session.place[line] = 0;
    session.level[line] = 0;
}

void TransactionServer::free_all(Shared& shared, Session& session) const {
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (session.place[line] != 0 && !is_user_lock(line)) {
            free_lock(shared, session, line);
        }
    }
}

void TransactionServer::free_user_locks(Shared& shared, Session& session) const {
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (session.place[line] != 0 && is_user_lock(line)) {
            free_lock(shared, session, line);
        }
    }
}

void TransactionServer::make_visible(Shared& shared, Session& session) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (session.written[key] != 0) {
            if (shared.versions[key] == std::numeric_limits<std::uint8_t>::max()) {
                throw LimitExceeded("more than 255 committed writes of one key");
            }
            ++shared.versions[key];
        }
    }
    shared.published = static_cast<KeySet>(shared.published | written_by(session));
    session.written = {};
}

TransactionServer::KeySet TransactionServer::written_by(const Session& session) const {
    KeySet keys = 0;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        keys = static_cast<KeySet>(keys | (session.written[key] != 0 ? bit(key) : 0));
    }
    return keys;
}

void TransactionServer::end_transaction(Shared& shared, Session& session) const {
    free_all(shared, session);
    session.transaction = Transaction::kNone;
    session.savepoints = 0;
    session.guards = session.ended = 0;
    session.fixed_view = session.viewed = 0;
    session.outdated = 0;
    session.written = {};
    session.outbox = 0;
    session.inserted = session.gaps = 0;
    session.engaged = 0;
}

void TransactionServer::end_transaction(Shared& shared, Record& record) const {
    end_transaction(shared, record.session);
    record.unguarded = record.guarded;
}

void TransactionServer::roll_back(Shared& shared, Session& session) const {
    shared.vanished = static_cast<KeySet>(shared.vanished | session.inserted);
    rules().roll_back(*this, shared, session);
}

void TransactionServer::roll_back(Shared& shared, Record& record) const {
    roll_back(shared, record.session);
    record.unguarded = record.guarded;
}

// The waiting statement of that session; where this ends its transaction, its blocks are told.
void TransactionServer::refuse(Shared& shared, const Sessions& sessions, std::size_t at,
                               Error error) const {
    refuse_waiter(shared, sessions[at], error);
    Record* const record = sessions.record(at);
    if (record != nullptr && record->session.transaction == Transaction::kNone) {
        record->unguarded = record->guarded;
    }
}

// --- the clean-up: count, then delete until its own deletions reach the count ------------------

Outcome TransactionServer::count_rows(const Shared& shared, Record& record, Call& call) const {
    const auto committed = static_cast<KeySet>(shared.rows & ~shared.uncommitted);
    record.to_delete = static_cast<std::uint8_t>(std::popcount(committed));
    call.at = At::kDelete;
    if (record.to_delete == 0) {
        return Outcome::kDone;
    }
    return Outcome::kContinues;
}

// One row a step: the statement locks each, in the order of the index, and keeps its locks.
Outcome TransactionServer::delete_rows(Shared& shared, Record& record, Call& call,
                                       Event& event) const {
    if (record.connection == Connection::kGone) {
        return clean_up_failed(shared, record, Error::kConnectionLost, event);
    }
    record.session.transaction = Transaction::kOpen;
    while (call.cursor < keys_count() &&
           (line_of(call.cursor) != call.cursor || (shared.rows & bit(call.cursor)) == 0)) {
        ++call.cursor;
    }
    if (call.cursor == keys_count()) {
        return end_of_delete(shared, record, call);
    }
    const std::size_t line = call.cursor;
    if (record.session.place[line] == 0 && shared.length[line] > 0) {
        return wait_in_line(shared, record, call, line, event.caller);
    }
    if (record.session.place[line] == 0) {
        grant(record, line);
    }
    ++call.cursor;
    return Outcome::kContinues;
}

Outcome TransactionServer::end_of_delete(Shared& shared, Record& record, Call& call) const {
    std::uint8_t now = 0;
    for (std::size_t line = 0; line < keys_count(); ++line) {
        // One that waited for a row that was deleted meanwhile finds nothing to delete.
        if (record.session.place[line] == 1 && (shared.rows & bit(line)) != 0) {
            shared.rows = static_cast<KeySet>(shared.rows & ~bit(line));
            ++now;
        }
    }
    record.deleted = static_cast<std::uint8_t>(record.deleted + now);
    end_transaction(shared, record);
    call.cursor = 0;
    const bool ends = repairs(kCountsAgain) ? now == 0 : record.deleted >= record.to_delete;
    if (!ends) {
        return Outcome::kContinues;
    }
    record.to_delete = 0;
    record.deleted = 0;
    return Outcome::kDone;
}

Outcome TransactionServer::clean_up_failed(Shared& shared, Record& record, Error error,
                                           Event& event) const {
    end_transaction(shared, record);
    record.connection = Connection::kFine;
    record.to_delete = 0;
    record.deleted = 0;
    return refuse(error, event);
}

}  // namespace lockkeeper::transactional
