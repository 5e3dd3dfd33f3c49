// What a step showed: who holds from now on, and which promise is broken by it.
#include <algorithm>

#include "model/check.hpp"
#include "outside/stepped_run.hpp"

namespace lockkeeper {
const std::vector<std::string>& outside_properties() {
    static const std::vector<std::string> kNames{
        "over-allocation", "leak",           "under-allocation", "double-release", "caller-death",
        "deadlock",        "belief-overlap", "false-ok",         "token-order"};
    return kNames;
}

void SteppedRun::note(const char* property) {
    for (const Property* asked : world_.check) {
        if (asked->name == property &&
            std::find(violated_.begin(), violated_.end(), asked) == violated_.end()) {
            violated_.push_back(asked);
        }
    }
}

// After every step: leases that are over, scripts that can go on, and what the calls under way
// have to know of the others.
void SteppedRun::refresh() {
    expire();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        pass_over(i);
    }
    for (Caller& caller : callers_) {
        if (caller.activity.id >= 0 && caller.operation.verb == Verb::kAcquire) {
            // Without its own unit, if it has one already.
            const std::uint32_t possible = possible_count(caller.operation.key);
            caller.possible_most = std::max(caller.possible_most, possible - 1);
        }
    }
}

// By the caller's own clock.
bool SteppedRun::is_over(const Caller& caller, const BelievedHolding& holding) const {
    const auto& settings =
        world_.world.callers[static_cast<std::size_t>(&caller - callers_.data())].settings;
    const auto offset = settings.find("clock");
    const std::int64_t now = shared_.clock() + (offset == settings.end() ? 0 : offset->second);
    return holding.until && now >= *holding.until;
}

void SteppedRun::expire() {
    for (Caller& caller : callers_) {
        std::erase_if(caller.held,
                      [&](const BelievedHolding& holding) { return is_over(caller, holding); });
    }
}

std::uint32_t SteppedRun::held_count(std::uint8_t key) const {
    std::uint32_t count = 0;
    for (const Caller& caller : callers_) {
        for (const BelievedHolding& holding : caller.held) {
            count += holding.operation.key == key ? 1U : 0U;
        }
    }
    return count;
}

// Of the living. They may be taken for ever, which is no leak, or be free.
std::uint32_t SteppedRun::doubtful_count(std::uint8_t key) const {
    std::uint32_t count = 0;
    for (const Caller& caller : callers_) {
        count += caller.doubtful[key];
    }
    return count;
}

// At most so many units are taken: held, being acquired or released, or nobody knows.
std::uint32_t SteppedRun::possible_count(std::uint8_t key) const {
    std::uint32_t count = held_count(key) + ghosts_[key] + doubtful_count(key);
    for (const Caller& caller : callers_) {
        count += caller.activity.id >= 0 && caller.operation.verb != Verb::kCall &&
                         caller.operation.key == key
                     ? 1U
                     : 0U;
    }
    return count;
}

// "error 22"
std::string SteppedRun::failed(const Message& error, bool& definite) {
    definite = is_definite_error(error.code);
    return "error " + std::to_string(error.code);
}

void SteppedRun::judge_grant(const Caller& caller, const BelievedHolding& grant, bool is_new) {
    const std::uint8_t key = grant.operation.key;
    const std::uint32_t capacity = grant.operation.capacity();
    leased_[key] = leased_[key] || grant.until.has_value();
    uses_time_ = uses_time_ || grant.until.has_value();
    std::uint32_t others = 0;
    for (Caller& other : callers_) {
        for (BelievedHolding& holding : other.held) {
            if (holding.operation.key == key && &other != &caller) {
                ++others;
                holding.overtaken = holding.overtaken || (is_new && capacity == 1);
            }
        }
    }
    if (!leased_[key]) {
        if (held_count(key) >= capacity) {
            note("over-allocation");
        }
    } else if (capacity == 1 && others > 0 && !is_over(caller, grant)) {
        note("belief-overlap");
    }
    if (is_new && grant.token) {
        if (last_token_[key] && *grant.token <= *last_token_[key]) {
            note("token-order");
        }
        last_token_[key] = std::max(*grant.token, last_token_[key].value_or(INT64_MIN));
    }
}

std::string SteppedRun::end_acquire(Caller& caller, const Message& answer) {
    if (answer.kind == MessageKind::kError) {
        bool definite = false;
        const std::string text = failed(answer, definite);
        caller.doubtful[caller.operation.key] += definite ? 0U : 1U;
        if (definite && !leased_[caller.operation.key] &&
            caller.possible_most < caller.operation.capacity()) {
            note("under-allocation");
        }
        return definite ? "full" : text;
    }
    const BelievedHolding grant{caller.operation, answer.until, answer.token};
    judge_grant(caller, grant, true);
    caller.held.push_back(grant);
    return "acquired" + (answer.count ? ", count " + std::to_string(*answer.count) : "") +
           (answer.until ? ", until " + std::to_string(*answer.until) : "");
}

std::string SteppedRun::end_release(Caller& caller, const Message& answer) {
    if (answer.kind != MessageKind::kError) {
        if (caller.subject && caller.subject->overtaken) {
            note("false-ok");
        }
        return "released";
    }
    bool definite = false;
    std::string text = failed(answer, definite);
    if (!definite) {
        ++caller.doubtful[caller.operation.key];
    } else if (caller.subject && answer.code != kErrorNotHeld) {
        caller.held.push_back(*caller.subject);
    }
    return text;
}

std::string SteppedRun::end_call(Caller& caller, const Message& answer) {
    const auto held =
        std::find_if(caller.held.begin(), caller.held.end(), [&](const BelievedHolding& holding) {
            return caller.subject && holding.operation.key == caller.operation.key;
        });
    if (answer.kind == MessageKind::kError) {
        bool definite = false;
        std::string text = failed(answer, definite);
        if (answer.code == kErrorNotHeld && held != caller.held.end()) {
            caller.held.erase(held);
            return text + ", lost";
        }
        return text;
    }
    if (!answer.until || !caller.subject) {
        return "ok";
    }
    // Renewed: holds until then, also when the time before was over meanwhile.
    BelievedHolding grant = *caller.subject;
    grant.until = answer.until;
    judge_grant(caller, grant, false);
    if (held != caller.held.end()) {
        *held = grant;
    } else {
        caller.held.push_back(grant);
    }
    return "ok, until " + std::to_string(*answer.until);
}

std::string SteppedRun::end_operation(std::size_t index, const Message& answer) {
    Caller& caller = callers_[index];
    const std::string& name = world_.world.callers[index].name;
    const std::string word = word_of(world_.world, caller.operation);
    const bool is_error = answer.kind == MessageKind::kError;
    if (answer.dest != name || (!is_error && answer.type != word + "_ok")) {
        throw Misbehaved(Misbehaviour::kNonsense, quoted_piece(answer.type, 40) + " to " +
                                                      quoted_piece(answer.dest, 40) + " where " +
                                                      word + "_ok to \"" + name + "\" was due");
    }
    refuse_unsupported(answer, word);
    if (is_error && answer.code == kErrorCrash) {
        note("caller-death");
        caller.activity.id = 0;  // it dies inside of the call
        crash(index);
        return "died";
    }
    std::string text;
    switch (caller.operation.verb) {
        case Verb::kAcquire: text = end_acquire(caller, answer); break;
        case Verb::kRelease: text = end_release(caller, answer); break;
        default: text = end_call(caller, answer);
    }
    caller.subject.reset();
    // Who may have acquired does not ask again: it would wait for itself.
    const bool again = is_error && is_definite_error(answer.code) &&
                       caller.operation.verb == Verb::kAcquire && caller.operation.until_acquired;
    caller.waits_for_change = caller.waits_for_change && again;
    caller.advance(world_.world.callers[index], again ? 0 : 1);
    caller.operation = {};
    return text;
}

// Activities until each of them waits; the sender with the smallest number first.
void SteppedRun::settle(std::uint64_t& steps) {
    for (std::size_t i = 0; i < activities_.size();) {
        std::vector<Action> possible;
        add_steps(i, possible);
        if (possible.empty() || ++steps > kProbeStepsMax) {
            ++i;
        } else {
            step_of_activity(i, static_cast<std::uint8_t>(possible.front().argument));
            i = 0;
        }
    }
}

SteppedRun::Probed SteppedRun::probe_acquires(const Operation& view) {
    Activity activity;
    activity.id = say_operation(program_, world_.world, "probe", view, std::nullopt);
    std::uint64_t steps = 0;
    auto answer = hear(activity, "probe");
    while (!answer) {
        settle(steps);
        if (shared_.is_blocked(*activity.question) || ++steps > kProbeStepsMax) {
            program_.tell_crash("probe");
            return Probed::kRefused;
        }
        std::string text;
        answer_question(activity, callers_.size() + activities_.size(), std::nullopt, text);
        answer = hear(activity, "probe");
    }
    settle(steps);
    if (answer->kind == MessageKind::kAnswer) {
        return Probed::kAcquired;
    }
    return is_definite_error(answer->code) ? Probed::kRefused : Probed::kNobodyKnows;
}

void SteppedRun::probe_key(std::uint8_t key, const Operation& view) {
    const std::uint32_t capacity = view.capacity();
    const std::uint32_t held = held_count(key);
    if (held >= capacity || leased_[key]) {
        return;
    }
    std::uint32_t got = 0;
    Probed last = Probed::kAcquired;
    while (held + got <= capacity && last == Probed::kAcquired) {
        last = probe_acquires(view);
        got += last == Probed::kAcquired ? 1U : 0U;
    }
    if (last == Probed::kNobodyKnows) {
        return;
    }
    if (held + got > capacity) {
        note("double-release");
    } else if (held + got + doubtful_count(key) < capacity) {
        note("leak");
    }
}

void SteppedRun::probe() {
    LOCKKEEPER_CHECK(at_rest());
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        const auto number = static_cast<std::uint8_t>(key);
        std::optional<Operation> view;
        for (const CallerConfig& config : world_.world.callers) {
            for (const Operation& operation : config.script) {
                if (operation.verb == Verb::kAcquire && operation.key == number) {
                    const Operation seen =
                        ScriptPlace().resolved(operation, world_.world.views[view_]);
                    view = !view || seen.capacity() > view->capacity() ? seen : *view;
                }
            }
        }
        if (view) {
            probe_key(number, *view);
        }
    }
}

}  // namespace lockkeeper
