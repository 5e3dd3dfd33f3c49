// Statements of the block, and what the end of a transaction does at the server.
#include <algorithm>
#include <bit>
#include <limits>

#include "impl/transactional/transaction_server.hpp"
#include "model/check.hpp"

namespace lockkeeper::transactional {
namespace {

constexpr std::uint8_t kSavepointsMax = 6;
constexpr std::uint8_t kBlocksMax = 6;

}  // namespace

Outcome TransactionServer::statement(Shared& shared, Record& record, Call& call,
                                     const Operation& operation, Event& event) const {
    if (call.at == At::kOpen) {
        if (record.blocks == kBlocksMax) {
            throw LimitExceeded("more than 6 blocks inside of each other");
        }
        if (record.blocks++ == 0) {
            LOCKKEEPER_CHECK(record.savepoints == 0);
            record.transaction = Transaction::kOpen;
            record.fixed_view = options().clients[event.caller].repeatable_read ? 1 : 0;
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
    if (record.fixed_view != 0 && takes_view(call.at)) {
        record.viewed = 1;
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
        case At::kSavepoint: return set_savepoint(record, call, event);
        default: return go_to_savepoint(shared, record, call, event);
    }
}

Outcome TransactionServer::refuse_statement(Record& record, Error error, At at,
                                            Event& event) const {
    if (record.failed == Error::kNone && record.blocks > 0) {
        record.failed = error;
    }
    if (at == At::kWrite || at == At::kEffect) {
        event.what |= kEffectRefused;
    }
    return refuse(error, event);
}

Outcome TransactionServer::read(Shared& shared, Record& record, const Operation& operation,
                                Event& event) const {
    engage(record);
    if (event.fault != 0) {
        --shared.left.statement_errors;
        statement_failed(shared, record);
        return refuse_statement(record, Error::kStatementFailed, At::kRead, event);
    }
    if (!holds(shared, record, operation.key)) {
        return Outcome::kDone;  // not under the lock, whatever the caller believes
    }
    const KeySet key = bit(operation.key);
    const bool old_view = record.viewed != 0 && (record.outdated & key) != 0 &&
                          record.written[operation.key] == 0 && !keeps_view_fresh();
    if (old_view || (shared.hidden & key) != 0) {
        event.what |= kStale;
    }
    if (has(Bug::kFreesAtRead)) {
        free_all(shared, record);
    }
    return Outcome::kDone;
}

Outcome TransactionServer::write(Shared& shared, Record& record, const Operation& operation,
                                 Event& event) const {
    engage(record);
    const bool fails = event.fault != 0;
    if (fails || row_conflict(record, operation.key)) {
        shared.left.statement_errors =
            static_cast<std::uint8_t>(shared.left.statement_errors - (fails ? 1 : 0));
        statement_failed(shared, record);
        return refuse_statement(record,
                                fails ? Error::kStatementFailed : Error::kSerializationFailure,
                                At::kWrite, event);
    }
    event.what |= kEffect;
    if (record.written[operation.key] == 0) {
        record.written[operation.key] = level_of(record);
    }
    if (record.transaction == Transaction::kNone) {
        make_visible(shared, record);  // in no transaction: a transaction of its own
    }
    return Outcome::kDone;
}

// As a row of the transaction, made real by its COMMIT; in no transaction that is at once.
Outcome TransactionServer::effect(Record& record, Event& event) const {
    if (record.transaction == Transaction::kNone) {
        event.what |= kEffect;
    } else if (record.outbox == 0) {
        engage(record);
        record.outbox = level_of(record);
    }
    return Outcome::kDone;
}

// Outside of a transaction no server keeps one; which of them says so differs.
Outcome TransactionServer::set_savepoint(Record& record, Call& call, Event& event) const {
    const bool keeps = record.transaction != Transaction::kNone;
    const bool guards = call.at == At::kGuard;
    if (!keeps && savepoint_needs_transaction()) {
        return refuse_statement(record, Error::kStatementFailed, call.at, event);
    }
    if (keeps && record.savepoints == kSavepointsMax) {
        throw LimitExceeded("more than 6 savepoints in one transaction");
    }
    if (keeps) {
        record.guards = static_cast<Stack>(record.guards | (guards ? 1U << record.savepoints : 0));
        ++record.savepoints;
    }
    if (!guards) {
        return Outcome::kDone;
    }
    const auto block = static_cast<Stack>(1U << record.blocks);
    record.guarded = static_cast<Stack>(record.guarded | block);
    record.unguarded = static_cast<Stack>(record.unguarded | (keeps ? 0 : block));
    ++record.blocks;
    return Outcome::kAcquired;
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
        return Outcome::kDone;
    }
    for (std::size_t line = 0; line < keys_count() && has(Bug::kFreesAtSavepointRelease); ++line) {
        if (record.level[line] > savepoint) {
            free_lock(shared, record, line);
        }
    }
    release_savepoint(record, savepoint);
    return Outcome::kDone;
}

std::uint8_t TransactionServer::savepoint_of_script(const Record& record) {
    std::uint8_t savepoint = record.savepoints;
    while (savepoint > 0 && (record.guards >> (savepoint - 1U) & 1U) != 0) {
        --savepoint;
    }
    return savepoint;
}

void TransactionServer::go_back_to(Shared& shared, Record& record, std::uint8_t savepoint) const {
    keep_savepoints(record, savepoint);
    roll_back_to_savepoint(shared, record);
}

// The savepoints of blocks are set and go in the order of their blocks: those that go are of the
// innermost blocks that still have theirs.
void TransactionServer::keep_savepoints(Record& record, std::uint8_t savepoints) {
    for (auto gone = static_cast<Stack>(record.guards >> savepoints); gone != 0;
         gone = static_cast<Stack>(gone & (gone - 1U))) {
        const auto guarded = static_cast<Stack>(record.guarded & ~record.unguarded);
        record.unguarded = static_cast<Stack>(record.unguarded | std::bit_floor(guarded));
    }
    record.savepoints = savepoints;
    record.guards = static_cast<Stack>(record.guards & ((1U << savepoints) - 1U));
}

// What was done since is of the level below from now on.
void TransactionServer::release_savepoint(Record& record, std::uint8_t savepoint) {
    keep_savepoints(record, static_cast<std::uint8_t>(savepoint - 1));
    const std::uint8_t deepest = level_of(record);
    const auto lower = [deepest](std::uint8_t& level) { level = std::min(level, deepest); };
    std::for_each(record.level.begin(), record.level.end(), lower);
    std::for_each(record.written.begin(), record.written.end(), lower);
    lower(record.outbox);
    lower(record.engaged);
}

void TransactionServer::undo_level(Record& record) {
    const auto undo = [&](std::uint8_t& level) {
        level = level > record.savepoints ? std::uint8_t{0} : level;
    };
    std::for_each(record.written.begin(), record.written.end(), undo);
    undo(record.outbox);
}

// --- at the server -----------------------------------------------------------------------------

void TransactionServer::free_lock(Shared& shared, Record& record, std::size_t line) {
    shared.vacated[line] = record.place[line];
    record.place[line] = 0;
    record.level[line] = 0;
}

void TransactionServer::free_all(Shared& shared, Record& record) const {
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (record.place[line] != 0) {
            free_lock(shared, record, line);
        }
    }
}

void TransactionServer::make_visible(Shared& shared, Record& record) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (record.written[key] != 0) {
            if (shared.versions[key] == std::numeric_limits<std::uint8_t>::max()) {
                throw LimitExceeded("more than 255 committed writes of one key");
            }
            ++shared.versions[key];
        }
    }
    shared.published = static_cast<KeySet>(shared.published | written_by(record));
    record.written = {};
}

TransactionServer::KeySet TransactionServer::written_by(const Record& record) const {
    KeySet keys = 0;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        keys = static_cast<KeySet>(keys | (record.written[key] != 0 ? bit(key) : 0));
    }
    return keys;
}

void TransactionServer::end_transaction(Shared& shared, Record& record) const {
    free_all(shared, record);
    record.transaction = Transaction::kNone;
    keep_savepoints(record, 0);
    record.fixed_view = record.viewed = 0;
    record.outdated = 0;
    record.written = {};
    record.outbox = 0;
    record.inserted = record.gaps = 0;
    record.engaged = 0;
}

void TransactionServer::roll_back(Shared& shared, Record& record) const {
    shared.vanished = static_cast<KeySet>(shared.vanished | record.inserted);
    if (has(Bug::kKeepsLocksAtRollback) && record.transaction != Transaction::kNone) {
        const auto place = record.place;
        const auto level = record.level;
        end_transaction(shared, record);
        record.place = place;
        record.level = level;
        shared.vacated = {};
        return;
    }
    end_transaction(shared, record);
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
    record.transaction = Transaction::kOpen;
    while (call.cursor < keys_count() &&
           (line_of(call.cursor) != call.cursor || (shared.rows & bit(call.cursor)) == 0)) {
        ++call.cursor;
    }
    if (call.cursor == keys_count()) {
        return end_of_delete(shared, record, call);
    }
    const std::size_t line = call.cursor;
    if (record.place[line] == 0 && shared.length[line] > 0) {
        return wait_in_line(shared, record, call, line, event.caller);
    }
    if (record.place[line] == 0) {
        grant(record, line);
    }
    ++call.cursor;
    return Outcome::kContinues;
}

Outcome TransactionServer::end_of_delete(Shared& shared, Record& record, Call& call) const {
    std::uint8_t now = 0;
    for (std::size_t line = 0; line < keys_count(); ++line) {
        // One that waited for a row that was deleted meanwhile finds nothing to delete.
        if (record.place[line] == 1 && (shared.rows & bit(line)) != 0) {
            shared.rows = static_cast<KeySet>(shared.rows & ~bit(line));
            ++now;
        }
    }
    record.deleted = static_cast<std::uint8_t>(record.deleted + now);
    end_transaction(shared, record);
    call.cursor = 0;
    const int wanted = record.to_delete + (has(Bug::kDeletesOneTooMany) ? 1 : 0);
    const bool ends = repairs(kCountsAgain) ? now == 0 : record.deleted >= wanted;
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
