#include "erlang/canal_walk.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace lockkeeper::erlang {
namespace {

// The steps of the published lock. Where one begins like another, the longer comes first.
constexpr std::array<std::string_view, 10> kSteps{
    "update_counter", "insert_new", "register", "notify", "read highest",
    "subtract mark",  "subtract",   "undo",     "force",  "send unlock"};

bool take_prefix(std::string_view& text, std::string_view beginning) {
    const bool fits = text.starts_with(beginning);
    text.remove_prefix(fits ? beginning.size() : 0);
    return fits;
}

std::string caller_text(std::size_t caller) { return "@" + std::to_string(caller); }
std::string key_text(std::size_t key) { return "#" + std::to_string(key); }

std::string value_text(const std::string& label, const Event& event) {
    if (event.is(kCallerDied) || event.is(kManagerDied)) {
        return " -> died";
    }
    if (label.starts_with("insert_new")) {
        return event.is(kBucketCreated) ? " -> true" : " -> false";
    }
    const bool is_told = event.value != Event::kNoValue;
    std::string text = is_told ? " -> " + std::to_string(event.value) : "";
    text += !is_told && label.starts_with("update_counter") ? " -> absent" : "";
    return text + (event.is(kOutOfBuckets) ? ", out_of_buckets" : "");
}

std::string counter_text(std::int32_t counter) {
    return counter == kAbsentCounter ? "-" : std::to_string(counter);
}

void join(std::string& text, const std::string& next) {
    text += text.empty() ? "" : ", ";
    text += next;
}

}  // namespace

CanalWalk::CanalWalk(const CanalSubject& subject)
    : subject_(subject),
      state_(subject.system.initial()),
      in_call_(subject.world.callers.size(), false) {}

std::string CanalWalk::begin() const {
    Observation seen;
    subject_.system.observe(state_, seen);
    const auto tries = subject_.max_decr_tries;
    std::string text = "begin " + std::to_string(subject_.world.callers.size());
    for (const std::string& word :
         {std::to_string(subject_.world.keys.size()), std::to_string(subject_.manager_max_per),
          tries ? std::to_string(*tries) : "infinity", std::to_string(int{subject_.has_manager}),
          std::to_string(int{subject_.returns_count})}) {
        text += " " + word;
    }
    for (std::size_t key = 0; key < seen.keys_count; ++key) {
        const KeyObservation& row = seen.keys[key];
        const auto add = [&](const std::string& bucket, std::int32_t counter) {
            text += counter == kAbsentCounter
                        ? ""
                        : " " + std::to_string(key) + ":" + bucket + "=" + std::to_string(counter);
        };
        for (std::size_t at = 0; at < row.buckets_count; ++at) {
            add(std::to_string(at + 1), row.counters[at]);
        }
        add("highest", row.highest);
    }
    return text;
}

// "db" or "db[2]" with the key's number.
std::string CanalWalk::key_in(std::string_view text) const {
    for (std::size_t key = 0; key < subject_.world.keys.size(); ++key) {
        std::string_view rest = text;
        if (!take_prefix(rest, subject_.world.keys[key])) {
            continue;
        }
        const bool is_bucket = rest.size() > 2 && rest.front() == '[' && rest.back() == ']' &&
                               rest.find_first_not_of("0123456789", 1) == rest.size() - 1;
        if (rest.empty() || is_bucket) {
            return key_text(key) + std::string(rest);
        }
    }
    return std::string(text);
}

std::string CanalWalk::label_in(std::string_view text) const {
    if (text == "receive reply" || text == "notice that the manager is dead") {
        return "receive reply";
    }
    for (const std::string_view step : kSteps) {
        std::string_view rest = text;
        if (take_prefix(rest, step) && take_prefix(rest, " ")) {
            return std::string(step) + " " + key_in(rest);
        }
    }
    return std::string(text);
}

// "manager: lock db of A" as "lock #0 of @0"; "manager: DOWN of A, db" as "DOWN of @0 #0"; empty
// for another text.
std::string CanalWalk::message_in(std::string_view text) const {
    for (std::size_t caller = 0; caller < subject_.world.callers.size(); ++caller) {
        const std::string& name = subject_.world.callers[caller].name;
        for (std::size_t key = 0; key < subject_.world.keys.size(); ++key) {
            const std::string& key_name = subject_.world.keys[key];
            const std::string of_caller = key_text(key) + " of " + caller_text(caller);
            for (const std::string_view verb : {"lock ", "unlock "}) {
                std::string_view said = text;
                const bool fits = take_prefix(said, "manager: ") && take_prefix(said, verb) &&
                                  take_prefix(said, key_name) && take_prefix(said, " of ");
                if (fits && said == name) {
                    return std::string(verb).append(of_caller);
                }
            }
            std::string_view rest = text;
            const bool died = take_prefix(rest, "manager: DOWN of ") && take_prefix(rest, name) &&
                              take_prefix(rest, ", ");
            if (died && rest == key_name) {
                return "DOWN of " + caller_text(caller) + " " + key_text(key);
            }
        }
    }
    return "";
}

std::string CanalWalk::label_of_caller(std::size_t caller) const {
    const std::string full =
        subject_.system.describe(state_, {static_cast<std::uint8_t>(caller), ActionKind::kStep, 0});
    std::string_view text = full;
    take_prefix(text, subject_.world.callers[caller].name);
    take_prefix(text, " ");
    (void)(take_prefix(text, "acquire: ") || take_prefix(text, "release: "));
    return label_in(text);
}

// Of max_per 0 the capacity does not say it (app/compared_server.cpp refuses scripts in which it
// is not certain).
std::uint32_t CanalWalk::buckets_of(std::size_t caller, const Event& event) const {
    if (event.max_per > 0) {
        return event.capacity / event.max_per;
    }
    for (const Operation& operation : subject_.world.callers[caller].script) {
        if (operation.verb == Verb::kAcquire && operation.key == event.key &&
            operation.max_per == 0) {
            return operation.follows_resizes ? subject_.world.views[resizes_] : operation.buckets;
        }
    }
    return 1;
}

std::string CanalWalk::call_of(std::size_t caller, const Event& event) const {
    std::string text = "call " + std::to_string(caller);
    text += event.invoked == Verb::kRelease ? " release" : " acquire";
    for (const std::uint32_t number :
         {std::uint32_t{event.key}, event.max_per, buckets_of(caller, event)}) {
        text += " " + std::to_string(number);
    }
    return text;
}

void CanalWalk::step(Action action, const Event& event, const std::string& label, Move& move) {
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
    move.did = label + value_text(label, event);
    const bool counts = subject_.returns_count;
    if (event.is(kAcquired)) {
        move.did += ", acquired" + (counts ? " " + std::to_string(event.count) : "");
    } else if (event.is(kRefused)) {
        move.did += ", full";
    } else if (event.is(kReleased)) {
        move.did += ", released";
    }
    in_call_[caller] = (event.what & (kAcquired | kRefused | kReleased | kCallerDied)) == 0;
}

void CanalWalk::background(Action action, const Event& event, Move& move) const {
    std::string_view text = move.text;
    const std::string message = message_in(text);
    if (message.empty()) {
        take_prefix(text, "manager: ");
        move.command = "manager";
        move.did = label_in(text);
        move.did += value_text(move.did, event);
        return;
    }
    const bool is_down = message.starts_with("DOWN");
    move.command = "take " + std::to_string(action.actor) + " ";
    move.command += is_down ? std::to_string(event.key) : "any";
    move.did = message + (event.is(kForeignRelease) ? ", unexpected_unlock" : "");
}

Move CanalWalk::advance(Action action) {
    Move move;
    ActionList actions;
    subject_.system.enabled(state_, actions);
    if (!actions.contains(action)) {
        return move;
    }
    move.text = subject_.system.describe(state_, action);
    const bool steps = action.kind == ActionKind::kStep;
    const std::string label = steps ? label_of_caller(action.actor) : "";
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
        case ActionKind::kStep: step(action, event, label, move); break;
        case ActionKind::kBackground: background(action, event, move); break;
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
    if (seen.manager_dead) {
        return "gone";
    }
    std::string text;
    for (std::size_t key = 0; key < seen.keys_count; ++key) {
        const KeyObservation& row = seen.keys[key];
        std::string counters;
        for (const std::int32_t counter : row.buckets()) {
            counters += (counters.empty() ? "" : ",") + counter_text(counter);
        }
        join(text, key_text(key) + " [" + counters + "] highest " + counter_text(row.highest));
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
                               : actions.contains(next)  ? "next " + label_of_caller(caller)
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
    if (seen.manager_dead) {
        return "dead";
    }
    ActionList actions;
    subject_.system.enabled(state_, actions);
    std::string text = "idle";
    for (const Action action : actions) {
        if (action.kind == ActionKind::kBackground) {
            const std::string full = subject_.system.describe(state_, action);
            const std::string message = message_in(full);
            std::string_view step = full;
            if (message.empty() && take_prefix(step, "manager: ")) {
                return "next " + label_in(step);
            }
            join(text, message);
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
