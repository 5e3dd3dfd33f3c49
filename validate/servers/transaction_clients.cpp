// SPDX-License-Identifier: Apache-2.0

// with_transactional_lock as its callers send it, statement by statement.
#include <algorithm>

#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {
namespace {

class TransactionClients final : public ServerClients {
  public:
    // Beside each caller the session that it has lost.
    TransactionClients(const Subject& subject, PrivateServer& server)
        : ServerClients(subject, server, subject.clients.size()) {}

  private:
    void step(std::size_t caller, const Advance& done, const std::string& error) override {
        if (loses_connection(done.step) && done.step.step != Step::kAcknowledge) {
            return lose(caller, done, error);
        }
        send_step(caller, done, error);
    }
    void send_step(std::size_t caller, const Advance& done, const std::string& error) {
        Client& who = client(caller);
        // A step that the client itself refuses is not sent. On PostgreSQL the client is told of a
        // roll-back where a block ends, after its statements.
        const bool refuses =
            !is_pg() && done.step.step != Step::kEnd && done.step.step != Step::kInnerEnd;
        if (error == "SnapshotTaken" || (error == "RolledBack" && refuses)) {
            who.answer.reset();
            return;
        }
        switch (done.step.step) {
            case Step::kBegin: return begin(caller, done.step.verb != Verb::kAcquire);
            case Step::kLock: return lock(caller, done.event.key);
            case Step::kGiveUp:
            case Step::kRollBack: return end_transaction(caller, false);
            case Step::kEnd: return end_of_block(caller, done);
            case Step::kAcknowledge: return acknowledge(caller, done);
            case Step::kAsk: return ask(caller);
            case Step::kInnerEnd:
                leave_inner(caller, false, error);
                return who.answer ? void() : ask_at_inner_end(caller, done, error);
            case Step::kInnerError: return leave_inner(caller, true);
            case Step::kJoin:  // nothing is sent, so nothing is answered
                who.blocks.push_back(Block::kJoined);
                who.answer.reset();
                return;
            case Step::kGuard:
            case Step::kOpenNew:
            case Step::kSavepoint:
            case Step::kRollBackTo:
            case Step::kReleaseSavepoint: return savepoint(caller, done.step.step);
            case Step::kRead:
            case Step::kWrite:
            case Step::kEffect:
            case Step::kLook:
            case Step::kFail: return statement(caller, done);
            case Step::kCount:
                (void)run(caller, Step::kCount,
                          "SELECT count(*) FROM transactional_advisory_locks");
                return;
            case Step::kDelete:
            case Step::kDeleteEnds:
                set_timers(caller, timers());
                return send(caller, Step::kDelete,
                            "DELETE FROM transactional_advisory_locks LIMIT 1000");
            case Step::kRowFirst: return row_first(caller, done.event.key);
            default: who.answer.reset(); return;
        }
    }
    // A lost request is not sent. If only the answer is lost, the request is sent and settles at
    // the server. Then the client has no connection, and knows it.
    void lose(std::size_t caller, const Advance& done, const std::string& error) {
        Client& who = client(caller);
        const Step step = done.step.step;
        const std::vector<Block> blocks = who.blocks;
        const std::string lock_error = who.lock_error;
        const std::string failed_with = error == "ConnectionLost" ? "" : error;
        const bool commits = step == Step::kEnd && blocks.size() == 1 &&
                             (failed_with.empty() || subject().clients[caller].rescues);
        if (done.step.fault == StepFault::kReplyLost) {
            Advance sent = done;
            sent.action.kind = ActionKind::kStep;
            send_step(caller, sent, failed_with);
            settle();
        } else if (commits && subject().has("ask_outcome") && !who.aborted) {
            name_transaction(caller);
        }
        told_of_loss(caller, step, blocks, lock_error);
    }
    void answered(std::size_t caller) override {
        Client& who = client(caller);
        const Answer& answer = *who.answer;
        if (answer.ok() && who.statement == Step::kLock && !guard_follows(who)) {
            who.blocks.push_back(Block::kJoined);
        }
        if (answer.ok()) {
            return;
        }
        who.aborted = is_pg() && who.in_transaction;
        if (!is_pg() && answer.failure == Failure::kDeadlock) {  // the whole transaction is gone
            who.in_transaction = false;
            who.savepoints.clear();
            who.written = 0;
        }
        if (answer.failure == Failure::kConnectionLost) {
            reconnect_in_block(caller);
        }
    }

    void begin(std::size_t caller, bool by_call) {
        Client& who = client(caller);
        const SubjectClient& configured = subject().clients[caller];
        if (who.lost) {
            forget_connection(who);
        }
        const bool repeatable =
            configured.repeatable_read && (by_call || !subject().has("read_committed"));
        const std::string level = repeatable ? "REPEATABLE READ" : "READ COMMITTED";
        bool begun = false;
        if (is_pg()) {
            begun = run(caller, Step::kBegin, "BEGIN ISOLATION LEVEL " + level);
        } else {
            begun = run(caller, Step::kBegin, "SET TRANSACTION ISOLATION LEVEL " + level) &&
                    run(caller, Step::kBegin, "START TRANSACTION");
        }
        who.in_transaction = begun;
        who.written = 0;
        if (by_call) {
            who.blocks.push_back(Block::kJoined);
        }
    }
    void lock(std::size_t caller, std::size_t key) {
        set_timers(caller, timers());
        send(caller, Step::kLock,
             is_pg()
                 ? "SELECT pg_advisory_xact_lock" +
                       std::string(subject().keys[key].shared ? "_shared(" : "(") + id_of(key) + ")"
                 : "INSERT INTO transactional_advisory_locks (lock_id) VALUES (" + id_of(key) +
                       ") ON DUPLICATE KEY UPDATE lock_id = lock_id");
    }
    void end_of_block(std::size_t caller, const Advance& done) {
        Client& who = client(caller);
        if (who.blocks.empty()) {
            who.answer.reset();
            return;  // no block, nothing is sent
        }
        const bool failed = done.step.after_error;
        const SubjectClient& configured = subject().clients[caller];
        end_transaction(caller, !failed || configured.rescues);
        if (failed && !configured.rescues && configured.reconnects) {
            who.answer.reset();  // ROLLBACK on its new connection is not what it is told
        }
    }
    // PostgreSQL has a name for each. MariaDB gets one as a row of the transaction itself: it is
    // there afterwards exactly when that was committed.
    void name_transaction(std::size_t caller) {
        Client& who = client(caller);
        if (is_pg()) {
            (void)run(caller, Step::kEnd, "SELECT pg_current_xact_id()");
            who.transaction_id = who.answer ? who.answer->value() : "";
            return;
        }
        who.transaction_id = std::to_string(++named_transactions_);
        (void)run(caller, Step::kEnd, "INSERT INTO outcomes VALUES (" + who.transaction_id + ")");
    }
    void end_transaction(std::size_t caller, bool commits) {
        Client& who = client(caller);
        who.blocks.clear();
        who.savepoints.clear();
        who.written = 0;
        if (who.lost && !commits) {
            forget_connection(who);
            who.answer.reset();
            return;
        }
        if (commits && subject().has("ask_outcome") && !who.lost && !who.aborted) {
            name_transaction(caller);
        }
        const bool in_none = is_pg() && !who.in_transaction;
        (void)run(caller, Step::kEnd, commits ? "COMMIT" : "ROLLBACK");
        if (in_none && who.answer) {
            who.answer->tag.clear();  // COMMIT, and a warning: there was none
        }
        who.in_transaction = who.aborted = false;
        if (who.lost) {
            forget_connection(who);
        }
    }
    void acknowledge(std::size_t caller, const Advance& done) {
        if (done.action.kind == ActionKind::kFault) {
            Client& who = client(caller);
            const std::string id = who.transaction_id;
            end_session(who);  // the answer is not read, the connection is given up
            who.transaction_id = id;
        }
    }
    void ask(std::size_t caller) {
        Client& who = client(caller);
        const std::string question = is_pg() ? "SELECT pg_xact_status('" + who.transaction_id + "')"
                                             : "SELECT IF(COUNT(*) = 1, 'committed', 'not "
                                               "committed') FROM outcomes WHERE id = " +
                                                   who.transaction_id;
        if (!run(caller, Step::kAsk, question)) {
            return;
        }
        if (who.answer->value() != "committed") {
            who.answer->failure = Failure::kConnectionLost;  // what it is told
            who.answer->message = "what became of the transaction: " + who.answer->value();
        }
    }
    // A block with a savepoint of its own names it, whatever was set since. `error`: what the model
    // gives to the caller; MariaDB's answer stays to be judged where it says otherwise.
    void leave_inner(std::size_t caller, bool by_error, const std::string& error = "") {
        Client& who = client(caller);
        who.answer.reset();
        if (who.blocks.empty()) {
            return;
        }
        const std::string guard = guard_of(who.blocks.size());
        const Block block = who.blocks.back();
        who.blocks.pop_back();
        if (block != Block::kJoined && !who.lost) {
            const bool anew = block == Block::kAnew;
            const bool back = by_error || who.aborted || (anew && !error.empty());
            // A block with its own transaction keeps the savepoint that it went back to.
            const bool released =
                (!back || go_back_to(caller, Step::kInnerEnd, guard)) &&
                ((anew && back) || release_savepoint(caller, Step::kInnerEnd, guard));
            const bool misses = error == "RolledBack";
            if (is_pg() || by_error || (released ? !misses : !error.empty())) {
                who.answer.reset();
            }
        }
    }
    // Repaired: a lock that ends inside of another asks for its connection, by a statement that an
    // aborted transaction does not refuse. Who has an error to raise already does not ask.
    void ask_at_inner_end(std::size_t caller, const Advance& done, const std::string& error) {
        const bool asks = done.step.asks_connection && done.step.verb == Verb::kRelease &&
                          (error.empty() || error == "ConnectionLost");
        if (asks && run(caller, Step::kInnerEnd, is_pg() ? "" : "DO 0")) {
            client(caller).answer.reset();
        }
    }
    void statement(std::size_t caller, const Advance& done) {
        Client& who = client(caller);
        const std::string key = std::to_string(done.event.key);
        if (done.action.kind == ActionKind::kFault) {
            return fail(caller, done.step.step);
        }
        switch (done.step.step) {
            case Step::kRead:
                (void)run(caller, Step::kRead,
                          "SELECT version FROM data WHERE id = " + key +
                              (subject().has("locking_reads") ? " LOCK IN SHARE MODE" : ""));
                return;
            case Step::kWrite: {
                const std::uint32_t bit = 1U << done.event.key;
                const bool again = who.in_transaction && (who.written & bit) != 0;
                const bool done_it = run(caller, Step::kWrite,
                                         std::string("UPDATE data SET version = version + ") +
                                             (again ? "0" : "1") + " WHERE id = " + key);
                who.written |= done_it && who.in_transaction ? bit : 0;
                return;
            }
            case Step::kEffect:
                if (subject().has("outbox")) {
                    (void)run(caller, Step::kEffect, "INSERT INTO outbox VALUES (" + key + ")");
                } else {
                    who.answer.reset();
                }
                return;
            case Step::kLook:
                (void)run(caller, Step::kLook, "SELECT sum(version) FROM data");
                return;
            default: return fail(caller, Step::kFail);
        }
    }
    // The script names the latest savepoint that it has set. Where it has set none it names "s1",
    // which the server refuses.
    void savepoint(std::size_t caller, Step step) {
        if (step == Step::kSavepoint || step == Step::kGuard || step == Step::kOpenNew) {
            return set_savepoint(caller, step);
        }
        const auto& set = client(caller).savepoints;
        const auto latest = std::find_if(set.rbegin(), set.rend(),
                                         [](const Savepoint& one) { return !one.guards; });
        const std::string name = latest == set.rend() ? "s1" : latest->name;
        (void)(step == Step::kRollBackTo ? go_back_to(caller, step, name)
                                         : release_savepoint(caller, step, name));
    }
    // A statement that reads first, and then fails.
    void fail(std::size_t caller, Step step) {
        (void)run(caller, step, "SELECT version + (SELECT id FROM failing) FROM data");
    }

    void set_savepoint(std::size_t caller, Step step) {
        Client& who = client(caller);
        const bool guards = step != Step::kSavepoint;
        const std::string name = guards ? guard_of(who.blocks.size() + 1)
                                        : "s" + std::to_string(who.savepoints.size() + 1);
        if (!run(caller, step, "SAVEPOINT " + name)) {
            return;
        }
        if (who.in_transaction) {  // outside of one MariaDB says ok, and keeps nothing
            who.savepoints.push_back({name, guards, who.written});
        }
        if (guards) {
            who.blocks.push_back(step == Step::kOpenNew ? Block::kAnew : Block::kGuarded);
        }
    }
    bool go_back_to(std::size_t caller, Step step, const std::string& name) {
        Client& who = client(caller);
        if (!run(caller, step, "ROLLBACK TO SAVEPOINT " + name)) {
            return false;
        }
        who.aborted = false;
        while (!who.savepoints.empty() && who.savepoints.back().name != name) {
            who.savepoints.pop_back();
        }
        who.written = who.savepoints.empty() ? who.written : who.savepoints.back().written_before;
        return true;
    }
    bool release_savepoint(std::size_t caller, Step step, const std::string& name) {
        Client& who = client(caller);
        if (!run(caller, step, "RELEASE SAVEPOINT " + name)) {
            return false;
        }
        const auto named = [&](const Savepoint& savepoint) { return savepoint.name == name; };
        const auto latest = std::find_if(who.savepoints.rbegin(), who.savepoints.rend(), named);
        if (latest != who.savepoints.rend()) {
            who.savepoints.erase(std::next(latest).base(), who.savepoints.end());
        }
        return true;
    }
    // Whether the block that begins has a savepoint of its own.
    [[nodiscard]] bool guard_follows(const Client& who) const {
        return subject().has("guard_savepoint") ||
               (subject().has("inner_savepoint") && !who.blocks.empty());
    }
    static std::string guard_of(std::size_t block) { return "block_" + std::to_string(block); }

    std::uint64_t named_transactions_ = 0;
};

}  // namespace

std::unique_ptr<ServerClients> make_clients(const Subject& subject, PrivateServer& server) {
    if (subject.leases) {
        return make_lease_clients(subject, server);
    }
    if (subject.connections > 0) {
        return make_pooled_clients(subject, server);
    }
    return std::make_unique<TransactionClients>(subject, server);
}

}  // namespace lockkeeper::databases
