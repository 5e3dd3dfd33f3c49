// SPDX-License-Identifier: Apache-2.0

// The database of the leases: its tables and its clock, what happens beside the callers, what it
// shows.
#include <cstdio>

#include "model/virtual_time.hpp"
#include "validate/servers/lease_clients.hpp"

namespace lockkeeper::databases {

std::string LeaseClients::label(std::size_t slot) const {
    if (slot < work_.size()) {
        return ServerClients::label(slot);
    }
    if (slot >= background_slot()) {
        return slot == background_slot() ? "-" : "another transaction";
    }
    return ServerClients::label((slot - work_.size()) / subject().keys.size()) + "'s renewal";
}

std::string LeaseClients::draw(bool small) {
    if (subject().has("growing_tokens")) {
        return monitor().require("SELECT " + growing_token()).value();
    }
    std::array<char, 40> text{};
    (void)std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012x",
                        small ? --smallest_ : ++largest_);
    return text.data();
}

// The new virtual time holds for transactions that begin from now on.
void LeaseClients::set_clock() {
    monitor().require("INSERT INTO lockkeeper_clock VALUES (clock_timestamp(), to_timestamp(0) + " +
                      std::string("interval '") + std::to_string((time_ + ahead_).count()) +
                      " milliseconds')");
}

void LeaseClients::prepare() {
    constexpr unsigned kMiddle = 0x800;
    std::fill(work_.begin(), work_.end(), Work{});
    acquisitions_.clear();
    newest_.clear();
    largest_ = smallest_ = kMiddle;
    time_ = ahead_ = {};
    make_database(0);
    const auto session = server().connect(name_of_database(0));
    session->require("SET client_min_messages = error");
    session->require("DROP TABLE IF EXISTS leases, resources, calls");
    session->require("DROP SEQUENCE IF EXISTS lease_tokens");
    create_lease_table(*session);
    create_work_tables(*session);
    session->require(
        "CREATE TABLE IF NOT EXISTS lockkeeper_clock "
        "(since timestamptz PRIMARY KEY, instant timestamptz NOT NULL)");
    session->require(
        "CREATE OR REPLACE FUNCTION lockkeeper_time(timestamptz) RETURNS timestamptz "
        "LANGUAGE sql STABLE AS 'SELECT instant FROM lockkeeper_clock WHERE since <= $1 "
        "ORDER BY since DESC LIMIT 1'");
    session->require("TRUNCATE lockkeeper_clock");
    session->require("INSERT INTO lockkeeper_clock VALUES (clock_timestamp(), to_timestamp(0))");
    for (std::size_t key = 0; key < subject().keys.size(); ++key) {
        session->require("INSERT INTO resources VALUES (" + quoted(name(key)) + ")");
        if (subject().leases->calls) {
            session->require("INSERT INTO calls VALUES (" + quoted(name(key)) + ", 0)");
        }
    }
}

// Loses the caller's connection, and all that was not committed. A renewal may still arrive.
void LeaseClients::crash(std::size_t caller) {
    end_session(client(caller));
    client(caller).dead = true;
}

// Ends the sessions of its clients' calls, too. Renewals that it sent may still arrive.
void LeaseClients::crash_controller(std::size_t controller) {
    for (std::size_t caller = 0; caller < work_.size(); ++caller) {
        if (subject().leases->controllers[caller] != controller) {
            continue;
        }
        end_session(client(caller));
        for (Holding& holding : work_[caller].keys) {
            holding.ended = true;
        }
    }
}

// The caller has taken the insert for failed, and reads no answer.
void LeaseClients::insert_late(std::size_t caller, std::size_t key) {
    work_[caller].keys[key].late_comes = false;
    send(background_slot(), Step::kLeaseInsert,
         acquire_sql(lease(caller, key, ""), with(work_[caller].keys[key].late)));
}

// Runs a reaper and a clean-up although the model has nothing for them.
void LeaseClients::find_nothing() {
    const std::size_t own = background_slot();
    if (!subject().leases->reaped_by_task) {
        (void)run(own, Step::kReap, reap_sql(sources_));
    }
    for (std::size_t key = 0; subject().leases->calls && key < subject().keys.size(); ++key) {
        (void)run(own, Step::kNotice, clean_up_calls_sql(name(key), subject().leases->retries));
    }
}

void LeaseClients::background(const Advance& done) {
    const std::size_t caller = done.action.actor;
    const std::size_t key = done.step.key;
    const std::size_t own = background_slot();
    if (done.action.kind == ActionKind::kCrash) {
        return crash(caller);
    }
    if (done.action.kind == ActionKind::kTime) {
        time_ = std::chrono::milliseconds(done.action.argument - kBeginning);
        set_clock();
        return done.others_idle ? find_nothing() : void();
    }
    Holding& holding = work_[caller].keys[key];
    switch (done.step.step) {
        case Step::kRenewalSent: holding.renewing = holding.token; return;
        case Step::kRenewalHandled:
            return send(renewal_slot(caller, key), Step::kRenewalHandled,
                        renew_sql(lease(caller, key, holding.renewing), sources_));
        case Step::kRenewalAnswered:
            holding.ended = holding.ended || !told(done).error.empty();
            return;
        case Step::kGivenUp: holding.ended = true; return;
        case Step::kRenewalReset:
            holding.ended = true;
            return end_session(client(renewal_slot(caller, key)));
        case Step::kRenewalCut:
        case Step::kReplyLost: return end_session(client(renewal_slot(caller, key)));
        case Step::kRowLocked:
            ask(locker_slot(key), "BEGIN");
            (void)run(locker_slot(key), Step::kRowLocked,
                      "SELECT 1 FROM leases WHERE key = " + quoted(name(key)) + " FOR SHARE");
            return;
        case Step::kRowUnlocked: (void)run(locker_slot(key), Step::kRowUnlocked, "COMMIT"); return;
        case Step::kControllerCrashed: return crash_controller(done.action.argument % kKeysMax + 1);
        case Step::kReap: return send(own, Step::kReap, reap_sql(sources_));
        case Step::kLeaseCleanUp:
            return send(own, Step::kLeaseCleanUp, release_sql(lease(caller, key, holding.token)));
        case Step::kNotice:
            return send(own, Step::kNotice,
                        clean_up_calls_sql(name(key), subject().leases->retries));
        case Step::kLate: return insert_late(caller, key);
        case Step::kRowDeleted:
            return send(own, Step::kRowDeleted,
                        "DELETE FROM leases WHERE key = " + quoted(name(key)));
        case Step::kClockForward: ahead_ += subject().leases->jump; return set_clock();
        case Step::kClockBack: ahead_ -= subject().leases->jump; return set_clock();
        default: return;
    }
}

// --- what the server shows -----------------------------------------------------------------------

// The answer as the client understands it.
Observed LeaseClients::result_of(std::size_t slot) const {
    Observed seen = ServerClients::observed(slot);
    const Client& who = client(slot);
    if (who.outstanding || !who.answer) {
        return seen;
    }
    const Step step = who.statement;
    const bool by_rows =
        step == Step::kLeaseDelete || step == Step::kWriteArrives || step == Step::kRenewalHandled;
    const LeaseResult result = step == Step::kLeaseInsert ? result_of_acquire(*who.answer)
                               : by_rows                  ? result_of_change(*who.answer)
                               : who.answer->ok()         ? LeaseResult::kOk
                                                          : LeaseResult::kFailed;
    seen.error = error_of(result);
    seen.status = result == LeaseResult::kOk ? Status::kOk : Status::kError;
    seen.said = who.answer->ok() ? "no row" : seen.said;
    return seen;
}

Observed LeaseClients::observed(std::size_t caller) const {
    Observed seen = result_of(caller);
    seen.token_repeated = work_[caller].token_repeated;
    if (work_[caller].error.empty()) {
        return seen;
    }
    seen = {};
    seen.status = Status::kError;
    seen.error = work_[caller].error;
    seen.said = "found by the client";
    return seen;
}

Observed LeaseClients::told(const Advance& done) const {
    switch (done.step.step) {
        case Step::kRenewalAnswered:
            return result_of(renewal_slot(done.action.actor, done.step.key));
        case Step::kRenewalHandled:  // whatever the answer will say
            return ServerClients::observed(renewal_slot(done.action.actor, done.step.key));
        default: return {};
    }
}

ServerView LeaseClients::look() {
    ServerView view;
    view.leases.resize(subject().keys.size());
    for (std::size_t key = 0; key < subject().keys.size(); ++key) {
        LeaseView& seen = view.leases[key];
        const Answer rows = monitor().require(
            "SELECT token, round(extract(epoch FROM expires_at) * 1000)::bigint, expires_at < " +
            sources_.now + " FROM leases WHERE key = " + quoted(name(key)));
        seen.there = !rows.rows.empty();
        if (seen.there) {
            const auto known = acquisitions_.find(rows.rows[0][0]);
            seen.acquisition = known == acquisitions_.end() ? 0 : known->second;
            seen.expires = std::stoll(rows.rows[0][1]);
            seen.expired = rows.rows[0][2] == "t";
        }
        if (subject().leases->calls) {
            seen.calls.resize(2);
            for (const auto& row :
                 monitor()
                     .require("SELECT attempt, state FROM calls WHERE key = " + quoted(name(key)))
                     .rows) {
                seen.calls.at(std::stoul(row[0])) = row[1];
            }
        }
    }
    return view;
}

std::unique_ptr<ServerClients> make_lease_clients(const Subject& subject, PrivateServer& server) {
    return std::make_unique<LeaseClients>(subject, server);
}

}  // namespace lockkeeper::databases
