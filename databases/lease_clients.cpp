// What the callers send, and what they make of the answers.
#include "databases/lease_clients.hpp"

namespace lockkeeper::databases {

const char* error_of(LeaseResult result) {
    switch (result) {
        case LeaseResult::kOk: return "";
        case LeaseResult::kConflict: return "Conflict";
        case LeaseResult::kLost: return "LeaseLost";
        case LeaseResult::kRefused: return "TtlTooShort";
        case LeaseResult::kFailed: return "DbError";
    }
    return "?";
}

void LeaseClients::acquire(std::size_t caller, std::size_t key, StepFault fault) {
    Holding& holding = work_[caller].keys[key];
    if (is_refused(lease(caller, key, ""))) {
        return fail(caller, LeaseResult::kRefused);
    }
    holding.attempt.clear();
    holding.started = time_;
    holding.ended = false;
    if (fault == StepFault::kRequestLate) {
        holding.late = draw(false);
        holding.late_comes = true;
    }
    if (fault == StepFault::kRequestLost || fault == StepFault::kRequestLate) {
        return fail(caller, LeaseResult::kFailed);
    }
    const bool slow = fault == StepFault::kSlowCommit;
    work_[caller].commits = !slow;
    work_[caller].key = key;
    if (slow || subject().leases->calls) {
        ask(caller, "BEGIN");
    }
    if (subject().leases->calls) {
        holding.picked = ask(caller, pick_sql(name(key))).value();
        if (holding.picked.empty()) {
            ask(caller, "ROLLBACK");
            work_[caller].error = "NoCall";
            return;
        }
    }
    holding.attempt = draw(fault == StepFault::kSmallToken);
    work_[caller].newest = newest_;
    send(caller, Step::kLeaseInsert, acquire_sql(lease(caller, key, ""), with(holding.attempt)));
    settle();
    if (fault == StepFault::kReplyLost) {
        lose_answer(caller);
    }
}

// As the caller is told, at once or when it has cleaned up.
void LeaseClients::fail(std::size_t caller, LeaseResult result) {
    work_[caller].error = work_[caller].cause = error_of(result);
}

// The statement has been done, its connection is given up.
void LeaseClients::lose_answer(std::size_t caller) {
    end_session(client(caller));
    fail(caller, LeaseResult::kFailed);
}

// Of an insert, whoever asked for it; a pick has more to do in its transaction.
void LeaseClients::answered(std::size_t slot) {
    const Client& who = client(slot);
    if (who.statement != Step::kLeaseInsert) {
        return;
    }
    const std::string token = who.answer->value();
    if (who.answer->ok()) {
        const std::size_t number = acquisitions_.size() + 1;
        acquisitions_.emplace(token, number);
        newest_ = std::max(newest_, token);
    }
    if (slot >= work_.size()) {
        return;
    }
    Work& work = work_[slot];
    if (who.answer->ok()) {
        Holding& holding = work.keys[work.key];
        holding.token = holding.attempt;
        holding.executing = holding.picked;
        work.token_repeated = token <= work.newest;
    }
    if (subject().leases->calls) {
        picked(slot);
    }
    if (who.answer->ok() && work.commits && work.error.empty() && !subject().leases->takes_time) {
        acquired(slot, work.key);
    }
}

// The answer has come. Whoever has lost the lease by then does not begin to hold it: its renewals
// have ended, or its own deadline has come.
void LeaseClients::acquired(std::size_t caller, std::size_t key) {
    Holding& holding = work_[caller].keys[key];
    const SubjectLeases& leases = *subject().leases;
    const auto timer = leases.ttls[caller] - leases.grace;
    const auto due = holding.started + timer + timer * leases.drifts[caller] / 1000;
    const bool late = subject().has("own_deadline") && time_ >= due;
    if (late || (leases.calls && holding.ended)) {
        fail(caller, LeaseResult::kLost);
    }
    holding.attempt = holding.token;
}

void LeaseClients::picked(std::size_t caller) {
    Work& work = work_[caller];
    bool done = client(caller).answer->ok();
    if (done && ask(caller, mark_sql(name(work.key), work.keys[work.key].picked)).rows.empty()) {
        work.error = "NoCall";
        done = false;
    }
    if (!done || work.commits) {
        ask(caller, done ? "COMMIT" : "ROLLBACK");
    }
}

void LeaseClients::release(std::size_t caller, std::size_t key, StepFault fault) {
    Holding& holding = work_[caller].keys[key];
    holding.attempt = holding.token;
    if (fault == StepFault::kRequestLost) {
        return fail(caller, LeaseResult::kFailed);
    }
    if (fault == StepFault::kSlowCommit) {
        ask(caller, "BEGIN");
    }
    const bool done =
        run(caller, Step::kLeaseDelete, release_sql(lease(caller, key, holding.token)));
    if (fault == StepFault::kReplyLost) {
        lose_answer(caller);
    } else if (fault == StepFault::kSlowCommit && done && client(caller).answer->rows.empty()) {
        ask(caller, "COMMIT");
    }
}

// Of an insert or a delete.
void LeaseClients::commit(std::size_t caller, std::size_t key) {
    const bool inserts = client(caller).statement == Step::kLeaseInsert;
    const bool done = run(caller, Step::kLeaseCommit, "COMMIT");
    if (inserts && done && !subject().leases->takes_time) {
        acquired(caller, key);
    }
}

// What an acquire whose insert may be there, or a release, has left; or an insert that comes later.
void LeaseClients::clean_up(std::size_t caller, std::size_t key, StepFault fault) {
    Work& work = work_[caller];
    const Holding& holding = work.keys[key];
    const std::string& token = holding.attempt.empty() ? holding.late : holding.attempt;
    work.error = work.cause;
    if (token.empty() || fault == StepFault::kRequestLost) {
        return;
    }
    for (const std::string& sql :
         give_up_sql(lease(caller, key, token), subject().has("tombstones"))) {
        ask(caller, sql);
    }
    // Whenever it comes now, it has to find the tombstone. The model has no step for that.
    if (subject().has("tombstones") && holding.attempt.empty() && holding.late_comes) {
        insert_late(caller, key);
        settle();
    }
}

void LeaseClients::write(std::size_t caller, std::size_t key) {
    const WorkRepairs repairs{subject().has("fencing"), subject().has("guarded_writes")};
    (void)run(caller, Step::kWriteArrives,
              write_sql(lease(caller, key, work_[caller].keys[key].writing), repairs, sources_));
}

void LeaseClients::complete(std::size_t caller, std::size_t key, StepFault fault) {
    Holding& holding = work_[caller].keys[key];
    holding.attempt = holding.token;
    if (fault == StepFault::kRequestLost) {
        return fail(caller, LeaseResult::kFailed);
    }
    ask(caller, "BEGIN");
    if (run(caller, Step::kComplete, complete_sql(name(key), holding.executing)) &&
        fault != StepFault::kSlowCommit) {
        end_completion(caller, key);
    }
    if (fault == StepFault::kReplyLost) {
        lose_answer(caller);
    }
}

// Checked: under the lease until COMMIT.
void LeaseClients::end_completion(std::size_t caller, std::size_t key) {
    const Lease held = lease(caller, key, work_[caller].keys[key].token);
    const bool lost =
        subject().has("checked_completion") && ask(caller, check_sql(held, sources_)).rows.empty();
    ask(caller, lost ? "ROLLBACK" : "COMMIT");
    if (lost) {
        fail(caller, LeaseResult::kLost);
    }
}

void LeaseClients::step(std::size_t caller, const Advance& done, const std::string&) {
    const std::size_t key = done.event.key;
    Holding& holding = work_[caller].keys[key];
    client(caller).answer.reset();
    work_[caller].error.clear();
    work_[caller].token_repeated = false;
    switch (done.step.step) {
        case Step::kLeaseInsert: return acquire(caller, key, done.step.fault);
        case Step::kLeaseCommit: return commit(caller, key);
        case Step::kLeaseReply: return acquired(caller, key);
        case Step::kLeaseDelete: return release(caller, key, done.step.fault);
        case Step::kLeaseCleanUp: return clean_up(caller, key, done.step.fault);
        case Step::kRowDeleted:
            (void)run(caller, Step::kRowDeleted,
                      "DELETE FROM leases WHERE key = " + quoted(name(key)));
            return;
        case Step::kWriteSent:
            holding.writing = holding.token;
            if (done.event.is(kEffect) || done.event.is(kEffectRefused)) {
                write(caller, key);
            }
            return;
        case Step::kWriteArrives: return write(caller, key);
        case Step::kComplete: return complete(caller, key, done.step.fault);
        case Step::kCompleteCommit: return end_completion(caller, key);
        case Step::kExits: return crash(caller);
        default: return;
    }
}

}  // namespace lockkeeper::databases
