// SPDX-License-Identifier: Apache-2.0
#include "validate/erlang/canal_walk.hpp"

#include <algorithm>
#include <map>

#include "model/check.hpp"

namespace lockkeeper::erlang {
namespace {

std::string why_not(const RegisteredSystem& system) {
    return system.server.name == kErlangServer ? system.server.why_not
                                               : "system " + system.system + " is none of Erlang's";
}

// With max_per 0 the model's events do not tell how many buckets the call was passed.
bool is_ambiguous(const CallerConfig& caller) {
    std::map<std::uint8_t, Operation> first;
    for (const Operation& operation : caller.script) {
        if (operation.verb == Verb::kAcquire && operation.place_capacity == 0) {
            const Operation& other = first.emplace(operation.key, operation).first->second;
            if (other.places != operation.places ||
                other.follows_resizes != operation.follows_resizes) {
                return true;
            }
        }
    }
    return false;
}

// The Erlang side's word for the step; empty: it has no such step.
std::string_view word_of(ServerStep step) {
    switch (step) {
        case ServerStep::kUpdateCounter: return "update_counter";
        case ServerStep::kInsertNew: return "insert_new";
        case ServerStep::kRegister: return "register";
        case ServerStep::kNotify: return "notify";
        case ServerStep::kReadHighest: return "read highest";
        case ServerStep::kSubtract: return "subtract";
        case ServerStep::kUndo: return "undo";
        case ServerStep::kSubtractMark: return "subtract mark";
        case ServerStep::kForce: return "force";
        case ServerStep::kSendUnlock: return "send unlock";
        case ServerStep::kReceiveReply: return "receive reply";
        default: return "";
    }
}

bool is_message(ServerStep step) {
    return step == ServerStep::kTakeLock || step == ServerStep::kTakeUnlock ||
           step == ServerStep::kTakeDown;
}

std::string caller_text(std::size_t caller) { return "@" + std::to_string(caller); }
std::string key_text(std::size_t key) { return "#" + std::to_string(key); }

// "subtract #0[1]"; what the Erlang side has no word for is "?", and so a difference.
std::string text_of(const ServerAct& act) {
    if (act.step == ServerStep::kReceiveReply) {
        return std::string(word_of(act.step));
    }
    const std::string_view word = word_of(act.step);
    return std::string(word.empty() ? "?" : word) + " " + key_text(act.key) +
           (act.bucket == 0 ? "" : "[" + std::to_string(act.bucket) + "]");
}

// "lock #0 of @0", "DOWN of @0 #0".
std::string text_of_message(const ServerAct& act, std::size_t caller) {
    if (act.step == ServerStep::kTakeDown) {
        return "DOWN of " + caller_text(caller) + " " + key_text(act.key);
    }
    return (act.step == ServerStep::kTakeLock ? "lock " : "unlock ") + key_text(act.key) + " of " +
           caller_text(caller);
}

std::string value_text(ServerStep step, const Event& event) {
    if (event.is(kCallerDied) || event.is(kServersDied)) {
        return " -> died";
    }
    if (step == ServerStep::kInsertNew) {
        return event.is(kPlaceCreated) ? " -> true" : " -> false";
    }
    const bool is_told = event.value != Event::kNoValue;
    std::string text = is_told ? " -> " + std::to_string(event.value) : "";
    text += !is_told && step == ServerStep::kUpdateCounter ? " -> absent" : "";
    return text + (event.is(kNothingToRelease) ? ", out_of_buckets" : "");
}

std::string counter_text(std::int32_t counter) {
    return counter == kAbsentCounter ? "-" : std::to_string(counter);
}

void join(std::string& text, const std::string& next) {
    text += text.empty() ? "" : ", ";
    text += next;
}

}  // namespace

CanalSubject canal_subject(const Understood& understood, const Runner& runner) {
    if (const std::string reason = why_not(*understood.system); !reason.empty()) {
        throw databases::NotExpressible{reason};
    }
    const WorldConfig& world = runner.world();
    if (std::any_of(world.callers.begin(), world.callers.end(), is_ambiguous)) {
        throw databases::NotExpressible{
            "one caller passes max_per 0 with different numbers of buckets"};
    }
    return {runner.erased(), world, understood.scenario.parameters};
}

CanalWalk::CanalWalk(const CanalSubject& subject)
    : subject_(subject),
      state_(subject.system.initial()),
      in_call_(subject.world.callers.size(), false) {}

std::string CanalWalk::begin() const {
    Observation seen;
    subject_.system.observe(state_, seen);
    const auto tries = subject_.parameters.max_decr_tries;
    std::string text = "begin " + std::to_string(subject_.world.callers.size());
    for (const std::string& word : {std::to_string(subject_.world.keys.size()),
                                    std::to_string(subject_.parameters.manager_max_per),
                                    tries ? std::to_string(*tries) : "infinity",
                                    std::to_string(int{subject_.parameters.has_manager}),
                                    std::to_string(int{subject_.parameters.returns_count})}) {
        text += " " + word;
    }
    for (std::size_t key = 0; key < seen.keys_count; ++key) {
        const KeyObservation& row = seen.keys[key];
        const auto add = [&](const std::string& bucket, std::int32_t counter) {
            text += counter == kAbsentCounter
                        ? ""
                        : " " + std::to_string(key) + ":" + bucket + "=" + std::to_string(counter);
        };
        for (std::size_t at = 0; at < row.counters.size(); ++at) {
            add(std::to_string(at + 1), row.counters[at]);
        }
        add("highest", subject_.system.server_row(state_, key).last_place);
    }
    return text;
}

// With max_per 0 the capacity does not tell the buckets, so the script does (canal_subject refuses
// scripts in which they are not certain).
std::uint32_t CanalWalk::buckets_of(std::size_t caller, const Event& event) const {
    if (event.place_capacity > 0) {
        return event.capacity / event.place_capacity;
    }
    for (const Operation& operation : subject_.world.callers[caller].script) {
        if (operation.verb == Verb::kAcquire && operation.key == event.key &&
            operation.place_capacity == 0) {
            return operation.follows_resizes ? subject_.world.views[resizes_] : operation.places;
        }
    }
    return 1;
}

std::string CanalWalk::call_of(std::size_t caller, const Event& event) const {
    std::string text = "call " + std::to_string(caller);
    text += event.invoked == Verb::kRelease ? " release" : " acquire";
    for (const std::uint32_t number :
         {std::uint32_t{event.key}, event.place_capacity, buckets_of(caller, event)}) {
        text += " " + std::to_string(number);
    }
    return text;
}

void CanalWalk::step(Action action, const Event& event, const ServerAct& act, Move& move) {
    const std::size_t caller = action.actor;
    if (event.passed_signal()) {
        return;
    }
    if (event.is(kCrashed)) {  // by its script
        in_call_[caller] = false;
        move.command = "kill " + std::to_string(caller);
        move.did = "killed";
        return;
    }
    move.command = in_call_[caller] ? "step " + std::to_string(caller) : call_of(caller, event);
    move.did = text_of(act) + value_text(act.step, event);
    const bool counts = subject_.parameters.returns_count;
    if (event.is(kAcquired)) {
        move.did += ", acquired" + (counts ? " " + std::to_string(event.count) : "");
    } else if (event.is(kRefused)) {
        move.did += ", full";
    } else if (event.is(kReleased)) {
        move.did += ", released";
    }
    in_call_[caller] = (event.what & (kAcquired | kRefused | kReleased | kCallerDied)) == 0;
}

void CanalWalk::background(Action action, const Event& event, const ServerAct& act, Move& move) {
    if (!is_message(act.step)) {
        move.command = "manager";
        move.did = text_of(act) + value_text(act.step, event);
        return;
    }
    move.command = "take " + std::to_string(action.actor) + " ";
    move.command += act.step == ServerStep::kTakeDown ? std::to_string(act.key) : "any";
    move.did = text_of_message(act, action.actor) +
               (event.is(kForeignRelease) ? ", unexpected_unlock" : "");
}

Move CanalWalk::advance(Action action) {
    Move move;
    ActionList actions;
    subject_.system.enabled(state_, actions);
    if (!actions.contains(action)) {
        return move;
    }
    move.text = subject_.system.describe(state_, action);
    const ServerAct act = subject_.system.server_act(state_, action);
    ErasedSystem::State after = state_;
    Event event;
    try {
        event = subject_.system.apply(after, action);
    } catch (const LimitExceeded&) {
        return move;
    }
    state_ = after;
    move.possible = true;
    switch (action.kind) {
        case ActionKind::kStep: step(action, event, act, move); break;
        case ActionKind::kBackground: background(action, event, act, move); break;
        case ActionKind::kCrash:
            in_call_[action.actor] = false;
            move.command = "kill " + std::to_string(action.actor);
            move.did = "killed";
            break;
        case ActionKind::kResize: ++resizes_; break;
        case ActionKind::kFault:
        case ActionKind::kDisturb:
        case ActionKind::kTime: break;  // the canal lock has none
    }
    return move;
}

Shown CanalWalk::shown(const std::string& did) const {
    Observation seen;
    subject_.system.observe(state_, seen);
    return {{did, table(seen), callers(seen), references(seen), manager(seen)}};
}

std::string CanalWalk::table(const Observation& seen) const {
    if (seen.servers_gone) {
        return "gone";
    }
    std::string text;
    for (std::size_t key = 0; key < seen.keys_count; ++key) {
        const KeyObservation& row = seen.keys[key];
        std::string counters;
        for (const std::int32_t counter : row.counters) {
            counters += (counters.empty() ? "" : ",") + counter_text(counter);
        }
        join(text, key_text(key) + " [" + counters + "] highest " +
                       counter_text(subject_.system.server_row(state_, key).last_place));
    }
    return text;
}

std::string CanalWalk::callers(const Observation& seen) const {
    ActionList actions;
    subject_.system.enabled(state_, actions);
    std::string text;
    for (std::size_t caller = 0; caller < seen.callers_count; ++caller) {
        const Action next{static_cast<std::uint8_t>(caller), ActionKind::kStep, 0};
        const std::string at = seen.callers[caller].dead ? "dead"
                               : !in_call_[caller]       ? "idle"
                               : actions.contains(next)
                                   ? "next " + text_of(subject_.system.server_act(state_, next))
                                   : "waits for the reply";
        join(text, caller_text(caller) + " " + at);
    }
    return text;
}

std::string CanalWalk::references(const Observation& seen) {
    std::string text;
    for (std::size_t caller = 0; caller < seen.callers_count; ++caller) {
        for (std::size_t key = 0; key < seen.keys_count; ++key) {
            const std::uint32_t count = seen.callers[caller].references[key];
            if (count > 0) {
                join(text,
                     caller_text(caller) + " " + key_text(key) + " x" + std::to_string(count));
            }
        }
    }
    return text;
}

std::string CanalWalk::manager(const Observation& seen) const {
    if (seen.servers_gone) {
        return "dead";
    }
    ActionList actions;
    subject_.system.enabled(state_, actions);
    std::string text = "idle";
    for (const Action action : actions) {
        if (action.kind == ActionKind::kBackground) {
            const ServerAct act = subject_.system.server_act(state_, action);
            if (!is_message(act.step)) {
                return "next " + text_of(act);
            }
            join(text, text_of_message(act, action.actor));
        }
    }
    return text;
}

std::vector<Action> CanalWalk::choices() const {
    ActionList actions;
    subject_.system.enabled(state_, actions);
    return {actions.begin(), actions.end()};
}

std::string CanalWalk::with_names(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool is_caller = text[at] == '@';
        std::size_t end = at + 1;
        std::size_t number = 0;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') {
            number = number * 10 + static_cast<std::size_t>(text[end++] - '0');
        }
        const std::size_t count =
            is_caller ? subject_.world.callers.size() : subject_.world.keys.size();
        if ((is_caller || text[at] == '#') && end > at + 1 && number < count) {
            out += is_caller ? subject_.world.callers[number].name : subject_.world.keys[number];
            at = end;
        } else {
            out += text[at++];
        }
    }
    return out;
}

}  // namespace lockkeeper::erlang
