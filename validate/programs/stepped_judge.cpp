// What a step showed: who holds from now on, and which promise is broken by it.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {
namespace {

// A re-entrant lock answers its holder the token of the hold that is not released yet.
bool holds_with_token(const std::vector<BelievedHolding>& held, const BelievedHolding& grant) {
    return std::any_of(held.begin(), held.end(), [&](const BelievedHolding& holding) {
        return holding.operation.key == grant.operation.key && holding.token == grant.token &&
               !holding.given_up;
    });
}

}  // namespace

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
            const auto after =
                std::find_if(violated_.begin(), violated_.end(),
                             [&](const Property* other) { return other->number > asked->number; });
            violated_.insert(after, asked);
        }
    }
}

// After every step: time limits that are over, scripts that can go on, and what the calls under way
// have to know of the others.
void SteppedRun::refresh() {
    note_ends();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        pass_over(i);
    }
    for (Caller& caller : callers_) {
        if (caller.activity.id >= 0 && caller.operation.verb == Verb::kAcquire) {
            // Without its own unit, if it has one already.
            const std::uint32_t possible = possible_count(caller.operation.key);
            caller.possible_most = std::max(caller.possible_most, possible - 1);
            note_holders(caller);
        }
    }
}

std::int64_t SteppedRun::time_of(const Caller& caller) const {
    const auto& settings =
        world_.world.callers[static_cast<std::size_t>(&caller - callers_.data())].settings;
    const auto offset = settings.find("clock");
    return shared_.clock() + (offset == settings.end() ? 0 : offset->second * world_.tick_width);
}

// By the caller's own clock.
bool SteppedRun::is_over(const Caller& caller, const BelievedHolding& holding) const {
    return holding.until && time_of(caller) >= *holding.until;
}

bool SteppedRun::believes(const Caller& caller, const BelievedHolding& holding) const {
    return !holding.given_up && !is_over(caller, holding);
}

void SteppedRun::note_ends() {
    for (Caller& caller : callers_) {
        const bool ends =
            std::any_of(caller.held.begin(), caller.held.end(),
                        [&](const BelievedHolding& holding) { return is_over(caller, holding); });
        tally_.sees_lease_end = tally_.sees_lease_end || ends;
        if (world_.gives_up_at_end) {
            std::erase_if(caller.held, [&](const BelievedHolding& holding) {
                return !believes(caller, holding);
            });
        }
    }
}

void SteppedRun::note_holders(Caller& caller) {
    const std::uint8_t key = caller.operation.key;
    caller.met_all_taken = caller.met_all_taken || held_count(key) >= caller.operation.capacity();
    for (const Caller& other : callers_) {
        caller.met_holder = caller.met_holder || (&other != &caller && holds(other, key) > 0);
    }
}

void SteppedRun::tally_contended(const Caller& caller, bool is_judged) {
    if (caller.met_holder) {
        tally_.met_holder.add(is_judged);
    }
    if (caller.met_all_taken) {
        tally_.met_all_taken.add(is_judged);
    }
}

std::uint32_t SteppedRun::holds(const Caller& caller, std::uint8_t key) const {
    std::uint32_t count = 0;
    for (const BelievedHolding& holding : caller.held) {
        count += holding.operation.key == key && believes(caller, holding) ? 1U : 0U;
    }
    return count;
}

std::uint32_t SteppedRun::held_count(std::uint8_t key) const {
    std::uint32_t count = 0;
    for (const Caller& caller : callers_) {
        count += holds(caller, key);
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
    tally_.events |= error.code == kErrorNotHeld ? kFailed | kLost : kFailed;
    tally_.answers.indefinite_answers += definite ? 0U : 1U;
    return "error " + std::to_string(error.code);
}

void SteppedRun::judge_grant(const Caller& caller, const BelievedHolding& grant, bool is_new) {
    const std::uint8_t key = grant.operation.key;
    const std::uint32_t capacity = grant.operation.capacity();
    if (grant.until) {
        leased_[key] = true;
        uses_time_ = true;
        tally_.has_leases = true;
        const std::int64_t end = std::clamp<std::int64_t>(*grant.until, 0, kFinalTicksMax);
        tally_.lease_time = std::max(tally_.lease_time, end - shared_.clock());
    }
    std::uint32_t others = 0;
    for (Caller& other : callers_) {
        for (BelievedHolding& holding : other.held) {
            if (holding.operation.key == key && &other != &caller) {
                others += believes(other, holding) ? 1U : 0U;
                holding.overtaken = holding.overtaken || (is_new && capacity == 1);
            }
        }
    }
    if (leased_[key] && capacity == 1) {
        if (others > 0 && !is_over(caller, grant)) {
            note("belief-overlap");
        }
    } else if ((is_new ? held_count(key) : others) >= capacity && !is_over(caller, grant)) {
        note("over-allocation");
    }
    if (is_new && grant.token) {
        const bool is_of_hold =
            grant.token == last_token_[key] && holds_with_token(caller.held, grant);
        if (last_token_[key] && *grant.token <= *last_token_[key] && !is_of_hold) {
            note("token-order");
        }
        last_token_[key] = std::max(*grant.token, last_token_[key].value_or(INT64_MIN));
    }
}

std::string SteppedRun::refuse(Caller& caller, const Message& answer) {
    const std::uint8_t key = caller.operation.key;
    bool definite = false;
    std::string text = failed(answer, definite);
    const bool refused = is_refusal(answer.code);
    tally_.answers.refusals += refused ? 1U : 0U;
    tally_.answers.errors += definite && !refused ? 1U : 0U;
    tally_contended(caller, refused);
    if (!definite) {
        ++caller.doubtful[key];
        return text;
    }
    tally_.events |= refused ? kRefused : 0U;
    if (!leased_[key] && caller.possible_most < caller.operation.capacity()) {
        note("under-allocation");
    }
    return refused ? "full" : text;
}

std::string SteppedRun::end_acquire(Caller& caller, const Message& answer) {
    if (answer.kind == MessageKind::kError) {
        return refuse(caller, answer);
    }
    ++tally_.answers.grants;
    tally_contended(caller, true);
    tally_.events |= kAcquired;
    const BelievedHolding grant{caller.operation, answer.until, answer.token};
    tally_.grants_over_on_return += is_over(caller, grant) ? 1U : 0U;
    judge_grant(caller, grant, true);
    if (world_.world.callers[static_cast<std::size_t>(&caller - callers_.data())].repeats_forever) {
        // What is over would grow for ever in a script that never releases.
        std::erase_if(caller.held, [&](const BelievedHolding& holding) {
            return holding.operation.key == grant.operation.key && !believes(caller, holding);
        });
    }
    caller.held.push_back(grant);
    return "acquired" + (answer.count ? ", count " + std::to_string(*answer.count) : "") +
           (answer.until ? ", until " + std::to_string(*answer.until) : "");
}

std::string SteppedRun::end_release(Caller& caller, const Message& answer) {
    if (answer.kind != MessageKind::kError) {
        if (caller.subject && caller.subject->overtaken) {
            note("false-ok");
        }
        tally_.events |= kReleased;
        return "released";
    }
    bool definite = false;
    std::string text = failed(answer, definite);
    tally_.answers.errors += definite ? 1U : 0U;
    if (!definite) {
        ++caller.doubtful[caller.operation.key];
    } else if (caller.subject && answer.code != kErrorNotHeld) {
        caller.held.push_back(*caller.subject);
    }
    return text;
}

std::string SteppedRun::end_call(Caller& caller, const Message& answer) {
    const auto held =
        std::find_if(caller.held.rbegin(), caller.held.rend(), [&](const BelievedHolding& holding) {
            return caller.subject && holding.operation.key == caller.operation.key;
        });
    if (answer.kind == MessageKind::kError) {
        bool definite = false;
        std::string text = failed(answer, definite);
        tally_.answers.errors += definite ? 1U : 0U;
        if (answer.code == kErrorNotHeld && held != caller.held.rend()) {
            held->given_up = true;
            return text + ", lost";
        }
        return text;
    }
    if (!answer.until || held == caller.held.rend()) {
        return "ok";
    }
    // Renewed: holds until then, also when the time before was over meanwhile.
    BelievedHolding grant = *held;
    grant.until = answer.until;
    judge_grant(caller, grant, false);
    *held = grant;
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

}  // namespace lockkeeper
