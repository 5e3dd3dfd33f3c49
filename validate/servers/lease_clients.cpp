// SPDX-License-Identifier: Apache-2.0

// The statements that the callers send, and how they understand the answers.
#include "validate/servers/lease_clients.hpp"

namespace lockkeeper::databases {

const char* error_of(LeaseResult result) {
    constexpr const char* kErrors[] = {"", "Conflict", "LeaseLost", "TtlTooShort", "DbError"};
    return kErrors[static_cast<std::size_t>(result)];
}

void LeaseClients::pick(std::size_t caller, std::size_t key, StepFault fault) {
    Holding& holding = work_[caller].keys[key];
    work_[caller].key = key;
    holding.attempt.clear();
    holding.started = time_;
    holding.ended = false;
    if (fault != StepFault::kNone) {
        return fail(caller, LeaseResult::kFailed);
    }
    ask(caller, "BEGIN");
    const bool any = subject().leases->oldest_first;
    const Answer found = ask(caller, any ? pick_oldest_sql() : pick_sql(name(key)));
    const bool is_other = !found.rows.empty() && any && found.rows[0][1] != name(key);
    holding.picked = is_other ? "" : found.value();
    if (holding.picked.empty()) {
        ask(caller, "ROLLBACK");
        work_[caller].error = is_other ? "OtherCall" : "NoCall";
    }
}

// An asynchronous call acquires within the transaction of its pick.
void LeaseClients::acquire(std::size_t caller, std::size_t key, StepFault fault) {
    Holding& holding = work_[caller].keys[key];
    const bool calls = subject().leases->calls;
    if (is_refused(lease(caller, key, ""))) {
        return calls ? roll_back(caller, error_of(LeaseResult::kRefused))
                     : fail(caller, LeaseResult::kRefused);
    }
    holding.attempt.clear();
    holding.started = calls ? holding.started : time_;
    holding.ended = false;
    if (fault == StepFault::kRequestLate) {
        holding.late = draw(false);
        holding.late_comes = true;
    }
    if (fault == StepFault::kRequestLost || fault == StepFault::kRequestLate) {
        return calls ? lose_answer(caller) : fail(caller, LeaseResult::kFailed);
    }
    const bool slow = fault == StepFault::kSlowCommit;
    work_[caller].commits = !slow && !calls;
    work_[caller].key = key;
    work_[caller].rolls_back = calls && fault == StepFault::kReplyLost;
    if (slow) {
        ask(caller, "BEGIN");
    }
    holding.attempt = draw(fault == StepFault::kSmallToken);
    work_[caller].newest = newest_;
    send(caller, Step::kLeaseInsert, acquire_sql(lease(caller, key, ""), with(holding.attempt)));
    settle();
    if (fault == StepFault::kReplyLost) {
        lose_answer(caller);
    }
}

void LeaseClients::roll_back(std::size_t caller, const std::string& error) {
    ask(caller, "ROLLBACK");
    work_[caller].error = error;
}

void LeaseClients::mark(std::size_t caller, std::size_t key, StepFault fault) {
    if (fault != StepFault::kNone) {
        return lose_answer(caller);
    }
    const std::string& picked = work_[caller].keys[key].picked;
    (void)run(caller, Step::kCallMark, mark_sql(name(key), picked, subject().has("checked_pick")));
}

void LeaseClients::commit_pick(std::size_t caller, std::size_t key, StepFault fault) {
    if (fault == StepFault::kSlowCommit) {
        return;
    }
    if (fault == StepFault::kRequestLost) {
        return lose_answer(caller);
    }
    const bool done = run(caller, Step::kPickCommit, "COMMIT");
    if (fault == StepFault::kReplyLost) {
        lose_answer(caller);
    } else if (done && !subject().leases->takes_time) {
        acquired(caller, key);
    }
}

// The caller learns of the error at once or when it has cleaned up.
void LeaseClients::fail(std::size_t caller, LeaseResult result) {
    work_[caller].error = work_[caller].cause = error_of(result);
}

// The statement has been done, its connection is given up.
void LeaseClients::lose_answer(std::size_t caller) {
    end_session(client(caller));
    fail(caller, LeaseResult::kFailed);
}

// Takes the answer to an insert, whoever asked for it, or to a statement that waits as inserts do.
void LeaseClients::answered(std::size_t slot) {
    const Client& who = client(slot);
    const bool done = who.answer->ok();
    switch (who.statement) {
        case Step::kLeaseInsert:
            if (done && (slot >= work_.size() || !work_[slot].rolls_back)) {
                const std::string token = who.answer->value();
                acquisitions_.emplace(token, acquisitions_.size() + 1);
                newest_ = std::max(newest_, token);
            }
            return slot < work_.size() ? inserted(slot) : void();
        case Step::kCallMark:
            return done && who.answer->rows.empty() ? roll_back(slot, "NoCall") : void();
        case Step::kComplete:
            return done && work_[slot].commits ? end_completion(slot, work_[slot].key) : void();
        default: return;
    }
}

void LeaseClients::inserted(std::size_t caller) {
    Work& work = work_[caller];
    if (!client(caller).answer->ok()) {
        if (subject().leases->calls) {
            ask(caller, "ROLLBACK");
        }
        return;
    }
    Holding& holding = work.keys[work.key];
    holding.token = holding.attempt;
    holding.executing = holding.picked;
    work.token_repeated = holding.token <= work.newest;
    if (work.commits && work.error.empty() && !subject().leases->takes_time) {
        acquired(caller, work.key);
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

// Commits an insert or a delete.
void LeaseClients::commit(std::size_t caller, std::size_t key) {
    const bool inserts = client(caller).statement != Step::kLeaseDelete;
    const bool done = run(caller, Step::kLeaseCommit, "COMMIT");
    if (inserts && done && !subject().leases->takes_time) {
        acquired(caller, key);
    }
}

// Gives up what an acquire whose insert may be there, or a release, has left; or a late insert.
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
    work_[caller].commits = fault != StepFault::kSlowCommit;
    work_[caller].key = key;
    ask(caller, "BEGIN");
    (void)run(caller, Step::kComplete, complete_sql(name(key), holding.executing));
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
        case Step::kCallPick: return pick(caller, key, done.step.fault);
        case Step::kLeaseInsert: return acquire(caller, key, done.step.fault);
        case Step::kCallMark: return mark(caller, key, done.step.fault);
        case Step::kPickCommit: return commit_pick(caller, key, done.step.fault);
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
        case Step::kReap: (void)run(caller, Step::kReap, reap_sql(sources_)); return;
        case Step::kExits: return crash(caller);
        case Step::kOrphaned: work_[caller].error = work_[caller].cause = "ControllerLost"; return;
        default: return;
    }
}

}  // namespace lockkeeper::databases
