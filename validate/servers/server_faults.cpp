// SPDX-License-Identifier: Apache-2.0

// Events that clients meet beside their statements: timers, deaths, lost connections, a server that
// ends sessions or itself.
#include <algorithm>
#include <utility>

#include "scheduler/search/explore.hpp"
#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {

// The timer that the schedule says runs out now: until the server has shown that it has.
void ServerClients::await_timer(std::size_t caller, bool looks) {
    Client& who = clients_[caller];
    const unsigned most = std::max(who.timers.check, who.timers.timeout);
    const auto end = who.sent + unit_ * most + std::chrono::seconds(5);
    while (who.outstanding && Clock::now() < end && !interrupt_requested()) {
        (void)collect(5);
        if (looks && who.outstanding && who.connection->has_looked_for_deadlock()) {
            break;
        }
    }
    // A timer runs out once; an answered statement has no timers.
    (looks ? who.timers.check : who.timers.timeout) = 0;
    who.timers = who.outstanding ? who.timers : Timers{};
}

void ServerClients::outwait() {
    for (std::size_t caller = 0; caller < clients_.size(); ++caller) {
        if (clients_[caller].outstanding && clients_[caller].timers.check != 0) {
            await_timer(caller, true);
        }
    }
    settle();
}

void ServerClients::crash(std::size_t caller) {
    // The server is told nothing: it notices when the schedule says so.
    clients_[caller].dead = true;
}

// Its socket stays open and silent, so the server does not notice before the schedule says so. What
// waits at the server waits on, and is nobody's.
void ServerClients::leave_session_behind(std::size_t caller) {
    Client& who = clients_[caller];
    Client& lost = clients_[caller + subject_.clients.size()];
    end_session(lost);
    lost.connection = std::move(who.connection);
    lost.outstanding = std::exchange(who.outstanding, false);
    lost.statement = who.statement;
    lost.sent = who.sent;
    lost.timers = std::exchange(who.timers, Timers{});
    std::vector<Block> blocks = std::move(who.blocks);
    forget_connection(who);
    who.blocks = std::move(blocks);
    who.answer.reset();
    who.lost = who.cut = true;
    who.lock_error = name_of(Failure::kConnectionLost);
}

void ServerClients::reconnect_in_block(std::size_t caller) {
    const bool is_caller = caller < subject_.clients.size();
    if (!is_caller || !subject_.clients[caller].reconnects || clients_[caller].blocks.empty()) {
        return;
    }
    Client& who = clients_[caller];
    std::vector<Block> blocks = std::move(who.blocks);
    forget_connection(who);
    who.blocks = std::move(blocks);
    who.connection = connect_for(caller);
}

void ServerClients::told_of_loss(std::size_t caller, Step step, const std::vector<Block>& blocks,
                                 const std::string& lock_error) {
    Client& who = clients_[caller];
    if (who.connection) {
        leave_session_behind(caller);
    }
    who.blocks = blocks;
    const bool begins = step == Step::kBegin || step == Step::kLock || step == Step::kGuard;
    who.lock_error = begins ? name_of(Failure::kConnectionLost) : lock_error;
    who.answer.reset();
    if ((step == Step::kInnerEnd || step == Step::kInnerError) && !who.blocks.empty()) {
        who.blocks.pop_back();
    }
    if (step == Step::kEnd || step == Step::kRollBack || step == Step::kGiveUp) {
        forget_connection(who);
    }
    if (who.cut) {
        reconnect_in_block(caller);
    }
}

// The model's server: a timer, or that it notices who has gone.
void ServerClients::by_itself(std::size_t caller, const ModelStep& step) {
    const std::size_t session = caller + (step.of_lost_session ? subject_.clients.size() : 0);
    if (is_timer(step.step)) {
        return await_timer(session, step.step == Step::kLooksForDeadlock);
    }
    if (step.step == Step::kNoticesLoss) {
        end_session(clients_[session]);
        clients_[session].dead = !step.of_lost_session;
    }
}

void ServerClients::background(const Advance& done) {
    const std::size_t caller = done.action.actor;
    switch (done.action.kind) {
        case ActionKind::kCrash: crash(caller); return;
        case ActionKind::kBackground: return by_itself(caller, done.step);
        case ActionKind::kDisturb:
            if (done.step.step == Step::kConnectionLost) {
                leave_session_behind(caller);
                return reconnect_in_block(caller);
            }
            if (done.step.step == Step::kSessionKilled) {
                server_.kill(*monitor_, clients_[caller].connection->id());
                clients_[caller].lost = true;
                return;
            }
            server_.crash_and_restart();
            monitor_ = server_.connect(name_of_database(0));
            for (Client& who : clients_) {
                who.lost = who.cut || who.connection != nullptr;
            }
            for (std::size_t at = subject_.clients.size(); at < clients_.size(); ++at) {
                clients_[at] = {};
            }
            return;
        default: return;  // time: the timers are real
    }
}

}  // namespace lockkeeper::databases
