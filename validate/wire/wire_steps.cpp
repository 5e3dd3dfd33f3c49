// SPDX-License-Identifier: Apache-2.0

// Does each action in the held world, and describes it in words.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/check.hpp"
#include "model/event.hpp"
#include "validate/wire/call_line.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

// The effects that the end of a process may have on the beliefs of others.
constexpr std::uint32_t kEnds =
    StepEffect::kReleaseCalled | StepEffect::kReleaseReturned | StepEffect::kRefusal;

void add_result(std::string& result, const std::string& more) {
    if (!more.empty()) {
        result += (result.empty() ? "-> " : ", ") + more;
    }
}

}  // namespace

WireRun::Step WireRun::take(Action action) {
    if (action.kind == ActionKind::kBackground && !keeps_keys_) {
        begin_again_with_keys();
    }
    taken_.push_back(action);
    Step step;
    ledger_.step();
    stored_.reset();
    std::vector<bool> was_done;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        was_done.push_back(is_done(i));
    }
    step.effect.caller = action.actor;
    const std::size_t index = action.actor;
    switch (action.kind) {
        case ActionKind::kStep: step_of_caller(index, action.argument, step); break;
        case ActionKind::kBackground:
            if (action.argument == kReceives) {
                receive(index, step);
            } else if (action.argument > 0) {
                wake_server(index, action.argument - 1U, step);
            } else {
                wake(index, step);
            }
            break;
        case ActionKind::kCrash: crash(index, step); break;
        case ActionKind::kTime: pass_time(action.argument, step); break;
        case ActionKind::kFault: drop(index, action.argument, step); break;
        case ActionKind::kDisturb: disturb(action, step); break;
        case ActionKind::kResize: unreachable("no such action is ever enabled");
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (i != index || action.kind != ActionKind::kStep) {
            callers_[i].waits_for_change = false;
        }
    }
    remark_what_is_left();  // what was remarked before the run's own steps is not kept
    wire_.proxy().take_pushes();
    Touched touched = wire_.proxy().take_touched();
    step.effect.footprint += touched.footprint;
    step.effect.inboxes.insert(step.effect.inboxes.end(), touched.inboxes.begin(),
                               touched.inboxes.end());
    refresh();
    if (action.kind == ActionKind::kCrash && was_done[index]) {
        step.effect.events |= StepEffect::kOfDone;
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        step.effect.events |= is_done(i) && !was_done[i] ? StepEffect::kCallerDone : 0U;
    }
    step.bytes = wire_.proxy().take_fingerprint();
    note_lived(action, step);
    return step;
}

void WireRun::disturb(Action action, Step& step) {
    if (is_restart(action)) {
        restart(action.actor, step);
    } else if (is_late(action)) {
        execute_late(action.actor, action.argument - kLateFirst, step);
    } else if (action.argument == kJumpForward || action.argument == kJumpBack) {
        jump(action.actor, action.argument == kJumpForward, step);
    } else if (is_cut(action)) {
        cut_off(action.actor, action.argument - kCutFirst, step);
    } else if (is_reach(action)) {
        reach_again(action.actor, action.argument - kReachFirst, step);
    } else {
        disturb_server(action.actor, action.argument, step);
    }
}

Connection& WireRun::connection_of(std::size_t index, std::size_t argument) {
    Connection* connection = wire_.proxy().find(index, (argument - 1) / 2);
    LOCKKEEPER_CHECK(connection != nullptr);
    return *connection;
}

void WireRun::step_of_caller(std::size_t index, std::size_t argument, Step& step) {
    if (argument == 0) {
        call(index, step);
        return;
    }
    Connection& connection = connection_of(index, argument);
    const Caller& caller = callers_[index];
    step.text = name_of_caller(index) + " " +
                (caller.calling ? word_of(world_.world, caller.operation) : "in the background") +
                ": ";
    if (argument % 2 == 1) {
        execute(index, connection, step);
    } else {
        const bool is_of_files = wire_.settings().server == ServerKind::kFiles;
        step.effect.events |= is_of_files ? StepEffect::kEverything : 0U;
        step.text += at_server(connection.server) + (connection.replies.front().is_push ? "is told"
                                                     : is_of_files ? "tries the lock again"
                                                                   : "is answered");
        add_result(step.result, wire_.deliver(connection));
    }
    look_at_answer(index, step);
}

void WireRun::call(std::size_t index, Step& step) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    const Operation operation = caller.resolved(caller.upcoming(config), 1);
    const std::string word = word_of(world_.world, operation);
    step.text = name_of_caller(index) + " calls " + word;
    if (operation.uses_signal()) {
        step.text =
            name_of_caller(index) + " " + word + " " + world_.world.signals[operation.signal];
        step.effect.events = StepEffect::kEverything;
        pass_signal(operation, signals_);
        caller.advance(config);
        return;
    }
    caller.called_at = wire_.now();
    caller.wall_at_call = wire_.wall_clock(index);
    caller.lease.reset();
    caller.touched_lease.reset();
    caller.lost_connection = false;
    ledger_.call(index, operation);
    if (operation.verb == Verb::kAcquire) {
        step.effect.events |=
            StepEffect::kAcquireCalled | (operation.until_acquired ? StepEffect::kEverything : 0U);
    } else if (operation.verb == Verb::kRelease || word == kRenewWord ||
               world_.checked(PropertyNumber::kUnexplainedHistory) != nullptr) {
        // The order of a renewal and a grant matters, too; for histories, the order of all calls.
        step.effect.events |= StepEffect::kReleaseCalled;
    }
    refresh();
    const std::string line = line_of_call(world_.world, caller.operation);
    step.text += takes_several(caller.operation) ? line.substr(word.size()) : "";
    wire_.say(index, line);
    look_at_answer(index, step);
}

void WireRun::look_at_keys(StepEffect& effect) {
    if (!keeps_keys_) {
        return;
    }
    std::vector<KeyState> now = wire_.keys();
    bool sends = false;
    if (now != keys_) {
        for (std::size_t server = 0; server < wire_.servers(); ++server) {
            std::vector<KeyState> before = keys_of_server(keys_, server);
            if (before != keys_of_server(now, server)) {
                keys_before_[server] = std::move(before);
                sends = sends || server == 0;
            }
        }
        keys_ = std::move(now);
        if (sends) {
            send_to_replicas(effect);
        }
        const bool loses_last = scope_.failovers_max > 0 && first_replica() == wire_.servers();
        effect.events |= loses_last ? StepEffect::kChanged : 0U;
    }
}

// An unknown server's leases belong to the callers that were told of them. A call's grant lasts as
// long as the caller's latest lease: a session of etcd is granted one lease for many locks, and a
// release may let the acquire of somebody else go on.
void WireRun::look_at_own_leases() {
    for (const KeyState& key : keys_) {
        const bool is_known =
            key.caller >= 0 && static_cast<std::size_t>(key.caller) < callers_.size();
        Caller* const caller = is_known ? &callers_[static_cast<std::size_t>(key.caller)] : nullptr;
        if (caller != nullptr && caller->calling) {
            const std::int64_t end = key.expires_at * 1'000'000 - caller->called_at;
            caller->lease = std::max(end, caller->lease.value_or(0));
        }
    }
}

// A script that compares and does nothing, and a SET NX that is refused, write none of the keys
// that they could. What is written with the end and the value that it has is known by the count.
void WireRun::learn_lease(Caller& caller, const KeyFootprint& footprint, std::size_t server,
                          const StoredBefore& before) const {
    const bool writes = wire_.server(server).writes() != before.writes;
    for (const KeyState& key : keys_) {
        if (key.caller >= 0 || key.expires_at < 0 || key.server != server) {
            continue;
        }
        const bool is_changed =
            std::find(before.keys.begin(), before.keys.end(), key) == before.keys.end();
        const bool is_touched =
            footprint.everything
                ? is_changed
                : std::any_of(footprint.keys.begin(), footprint.keys.end(), [&](const KeyUse& use) {
                      return use.writes && use.key == key_name(key.key, server);
                  });
        const std::int64_t left = key.expires_at * 1'000'000 - wire_.now();
        if (is_touched && (is_changed || writes)) {
            caller.lease = std::min(left, caller.lease.value_or(INT64_MAX));
        } else if (is_touched) {
            caller.touched_lease = std::min(left, caller.touched_lease.value_or(INT64_MAX));
        }
    }
}

void WireRun::execute(std::size_t index, Connection& connection, Step& step) {
    wire_.proxy().look_at_footprint(connection);
    step.text += at_server(connection.server) + connection.requests.front().text;
    refuse_with_replicas(connection.requests.front(), connection.server);
    const std::size_t number = connection.number;
    const KeyFootprint footprint = connection.requests.front().footprint;
    step.effect.footprint += footprint;
    const StoredBefore before{keys_, wire_.server(connection.server).writes()};
    wire_.execute(connection);
    look_at_keys(step.effect);
    Caller& caller = callers_[index];
    if (caller.calling) {
        learn_lease(caller, footprint, connection.server, before);
    }
    look_at_own_leases();
    if (connection.owed > 0) {
        step.effect.events |= StepEffect::kEverything;  // who waits is answered by others
        add_result(step.result, "waits at the server");
    } else if (connection.client < 0) {
        add_result(step.result, "nobody hears the answer");
    } else if (!connection.replies.empty() && !scope_.splits &&
               !connection.replies.front().is_push) {
        add_result(step.result, wire_.deliver(connection));
        const Connection* const same = wire_.proxy().find(index, number);
        step.effect.events |=
            same != nullptr && same->owed > 0 ? StepEffect::kEverything : 0U;  // for a lock
    } else {
        add_result(step.result, "executed");
    }
}

void WireRun::drop(std::size_t index, std::size_t argument, Step& step) {
    Connection& connection = connection_of(index, argument);
    ++drops_;
    callers_[index].lost_connection = true;
    ledger_.tally.events |= kFailed;
    step.effect.events |= StepEffect::kFaults;
    const bool is_executed = argument % 2 == 0;
    if (is_executed && connection.replies.empty()) {
        step.effect.footprint += connection.requests.front().footprint;
        step.text = connection.requests.front().text;
        wire_.execute(connection);
        look_at_keys(step.effect);
    } else {
        step.text = is_executed ? "" : connection.requests.front().text;
    }
    step.text = fmt::format("{} loses its connection {} {} {}{}", name_of_caller(index),
                            is_executed ? "after" : "before", name_of_server(connection.server),
                            is_executed ? "has executed" : "has",
                            step.text.empty() ? " the request" : ": " + step.text);
    // Nobody knows what is taken where some of it may come later, whatever the caller answers.
    if (wire_.lose(connection, scope_.late_max > 0)) {
        ledger_.doubt(index);
    }
    look_at_answer(index, step);
}

void WireRun::crash(std::size_t index, Step& step) {
    ++crashes_;
    step.text = name_of_caller(index) + " is killed";
    step.effect.events |= StepEffect::kFaults | kEnds;
    wire_.kill(index, scope_.late_max > 0);
    ledger_.crash(index);
    callers_[index].answers += "killed,";
}

// A fresh process holds nothing: it goes on with its next acquire.
void WireRun::restart(std::size_t index, Step& step) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    ++restarts_;
    step.text = name_of_caller(index) + " starts again";
    step.effect.events |= StepEffect::kEverything;
    caller.dead = false;
    while (!caller.done && caller.upcoming(config).verb != Verb::kAcquire) {
        caller.advance(config);
    }
    wire_.begin_caller(index, ++caller.incarnation);
}

// If a server does not say when its locks end, they could end at any moment on the way.
void WireRun::pass_time(std::uint16_t argument, Step& step) {
    auto next = next_stop();
    LOCKKEEPER_CHECK(next.has_value());
    if (argument > kHalfWay) {
        *next -= (*next - wire_.now()) / 2;
    } else if (argument > kJustBefore) {
        *next -= kJustBeforeIt;
    }
    if (!wire_.server().shows_ends()) {
        missed_faults_ = true;
        ledger_.tally.remarks.insert(
            "the server does not say when its locks end: time has stopped at the ends that callers "
            "believe in and half-way there, and not at every moment");
    }
    ++expiries_;
    ledger_.tally.events |= kTimePassed;
    step.effect.events |= StepEffect::kEverything;
    step.text = "time passes: " + shown_seconds(*next - wire_.now());
    wire_.set_now(*next);
    look_at_keys(step.effect);
}

void WireRun::execute_late(std::size_t index, std::size_t number, Step& step) {
    Connection* connection = wire_.proxy().find(index, number);
    LOCKKEEPER_CHECK(connection != nullptr && connection->next_chosen() != nullptr);
    ++late_;
    step.effect.events |= StepEffect::kFaults | StepEffect::kOfDone;  // so many and no more
    step.effect.footprint += connection->next_chosen()->footprint;
    step.text = name_of_server(connection->server) + " executes what " + name_of_caller(index) +
                (callers_[index].dead ? " had sent before it was killed: "
                                      : " had sent on a connection that is lost: ") +
                connection->next_chosen()->text;
    wire_.proxy().execute_late(*connection);
    look_at_keys(step.effect);
}

// From the first one on that takes time, the ends of locks matter.
void WireRun::note_sleep(std::int64_t left) {
    if (left > 0 && !std::exchange(has_slept_, true)) {
        ledger_.time_passes();
    }
}

void WireRun::wake(std::size_t index, Step& step) {
    const std::vector<Sleeper> sleepers = this->sleepers(index);
    LOCKKEEPER_CHECK(!sleepers.empty());
    ++wakes_;
    const auto& connections = wire_.proxy().of(index);
    const bool gives_up =
        std::any_of(connections.begin(), connections.end(), [](const auto& connection) {
            return connection->client >= 0 &&
                   (!connection->requests.empty() || !connection->replies.empty());
        });
    drops_ += gives_up ? 1 : 0;
    callers_[index].lost_connection = callers_[index].lost_connection || gives_up;
    step.effect.events |= StepEffect::kEverything;
    const std::int64_t left = std::max<std::int64_t>(sleepers.front().until - wire_.now(), 0);
    step.text =
        fmt::format("{} {} after {}", name_of_caller(index),
                    gives_up ? "waits no longer for the server" : "wakes", shown_seconds(left));
    note_sleep(left);
    wire_.wake(index, sleepers.front());
    look_at_keys(step.effect);
    look_at_answer(index, step);
}

void WireRun::look_at_answer(std::size_t index, Step& step) {
    if (wire_.note_refusals(index)) {
        callers_[index].lost_connection = true;
    }
    while (const auto line = wire_.hear(index)) {
        if (line->starts_with(kByItself)) {
            add_result(step.result, lose_by_itself(index, *line, step.effect));
            continue;
        }
        if (!callers_[index].calling) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             "answered " + quoted_piece(*line) + " without having been asked");
        }
        add_result(step.result, end_operation(index, parse_answer(*line), step.effect));
    }
    // Asleep in the middle of a request: nothing will ever come of it.
    if (const std::string half = wire_.proxy().half_sent(index); !half.empty()) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "waits with half a request sent: " + quoted_piece(half, 60));
    }
}

}  // namespace lockkeeper::wire
