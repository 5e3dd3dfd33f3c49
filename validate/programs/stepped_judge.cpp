// SPDX-License-Identifier: Apache-2.0

// What a step showed: who holds from now on, and which promise is broken by it.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {
namespace {

std::string error_text(const Message& error) { return "error " + std::to_string(error.code); }

HistoryType failed_as(const Message& error) {
    return is_definite_error(error.code) ? HistoryType::kFail : HistoryType::kInfo;
}

}  // namespace

bool is_judged_outside(const Property& property) {
    using Number = PropertyNumber;
    constexpr Number kJudged[] = {Number::kOverAllocation,  Number::kLeak,
                                  Number::kUnderAllocation, Number::kDoubleRelease,
                                  Number::kCallerDeath,     Number::kDeadlock,
                                  Number::kBeliefOverlap,   Number::kFalseOk,
                                  Number::kTokenOrder,      Number::kUnexplainedHistory};
    return std::any_of(std::begin(kJudged), std::end(kJudged),
                       [&](Number number) { return property.is(number); });
}

// By number.
void SteppedRun::note(PropertyNumber property) {
    const Property* asked = world_.checked(property);
    const auto after = std::find_if(violated_.begin(), violated_.end(), [&](const Property* other) {
        return asked != nullptr && other->number >= asked->number;
    });
    if (asked != nullptr && (after == violated_.end() || *after != asked)) {
        violated_.insert(after, asked);
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
    const auto& settings = config_of(caller).settings;
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

void SteppedRun::judge_grant(const Caller& caller, const BelievedHolding& grant, bool is_new) {
    const std::uint8_t key = grant.operation.key;
    const std::uint32_t capacity = grant.operation.capacity();
    if (grant.until) {
        leased_[key] = true;
        uses_time_ = true;
        tally_.add_lease(std::clamp<std::int64_t>(*grant.until, 0, kFinalTicksMax) -
                         shared_.clock());
    }
    const std::uint32_t others = held_count(key) - holds(caller, key);
    const bool is_lease = leased_[key] && capacity == 1;
    tally_.decide(is_lease ? PropertyNumber::kBeliefOverlap : PropertyNumber::kOverAllocation);
    if (is_lease) {
        if (others > 0 && !is_over(caller, grant)) {
            note(PropertyNumber::kBeliefOverlap);
        }
    } else if ((is_new ? held_count(key) : others) >= capacity && !is_over(caller, grant)) {
        note(PropertyNumber::kOverAllocation);
    }
    if (is_new && breaks_token_order(caller, grant, last_token_[key])) {
        note(PropertyNumber::kTokenOrder);
    }
    if (is_new && grant.token && last_token_[key]) {
        tally_.decide(PropertyNumber::kTokenOrder);
    }
    if (is_new && grant.token) {
        last_token_[key] = std::max(*grant.token, last_token_[key].value_or(INT64_MIN));
    }
}

std::string SteppedRun::refuse(Caller& caller, const Message& answer) {
    const std::uint8_t key = caller.operation.key;
    const bool refused = is_refusal(answer.code);
    tally_.add_contended(caller.met_holder, caller.met_all_taken, refused);
    record_return(caller, {failed_as(answer), error_text(answer)});
    if (!is_definite_error(answer.code)) {
        ++caller.doubtful[key];
    } else if (refused && !leased_[key]) {
        tally_.decide(PropertyNumber::kUnderAllocation);
        if (caller.possible_most < caller.operation.capacity()) {
            note(PropertyNumber::kUnderAllocation);
        }
    }
    return refused ? "full" : error_text(answer);
}

std::string SteppedRun::end_acquire(Caller& caller, const Message& answer) {
    if (answer.kind == MessageKind::kError) {
        return refuse(caller, answer);
    }
    tally_.add_grant();
    tally_.add_contended(caller.met_holder, caller.met_all_taken, true);
    const BelievedHolding grant{
        caller.operation, answer.until, answer.token, {caller.first_step, steps_}};
    tally_.grants_over_on_return += is_over(caller, grant) ? 1U : 0U;
    judge_grant(caller, grant, true);
    record_return(caller, {.lasts = lasts(caller, grant),
                           .token = grant.token,
                           .again = caller.youngest(grant.operation.key) != caller.held.rend()});
    caller.hold(grant, config_of(caller),
                [&](const BelievedHolding& holding) { return believes(caller, holding); });
    note_overtaken(held_of(callers_, caller.operation.key,
                           [&](const Caller& other, const BelievedHolding& holding) {
                               return believes(other, holding);
                           }),
                   caller.held.back());
    return "acquired" + (answer.count ? ", count " + std::to_string(*answer.count) : "") +
           (answer.until ? ", until " + std::to_string(*answer.until) : "");
}

std::string SteppedRun::end_release(Caller& caller, const Message& answer) {
    if (answer.kind != MessageKind::kError) {
        tally_.decide(PropertyNumber::kFalseOk);
        if (caller.subject && caller.subject->overtaken) {
            note(PropertyNumber::kFalseOk);
        }
        tally_.events |= kReleased;
        record_return(caller, {});
        return "released";
    }
    // That the lock is lost says nothing of when.
    const bool is_lost = answer.code == kErrorNotHeld;
    record_return(caller, {is_lost ? HistoryType::kInfo : failed_as(answer), error_text(answer)});
    if (!is_definite_error(answer.code)) {
        ++caller.doubtful[caller.operation.key];
    } else if (caller.subject && !is_lost) {
        caller.held.push_back(*caller.subject);
    }
    return error_text(answer);
}

std::string SteppedRun::end_call(Caller& caller, const Message& answer) {
    const auto held = caller.youngest(caller.operation.key);
    const bool is_about_one = caller.subject && held != caller.held.rend();
    if (answer.kind == MessageKind::kError) {
        const bool is_lost = answer.code == kErrorNotHeld && is_about_one;
        if (is_lost) {
            held->given_up = true;
        }
        record_return(caller,
                      {.type = failed_as(answer), .error = error_text(answer), .loses = is_lost});
        return error_text(answer) + (is_lost ? ", lost" : "");
    }
    if (!answer.until || !is_about_one) {
        record_return(caller, {});
        return "ok";
    }
    // Renewed: holds until then, also when the time before was over meanwhile.
    BelievedHolding grant = *held;
    grant.until = answer.until;
    judge_grant(caller, grant, false);
    record_return(caller, {.lasts = lasts(caller, grant), .renews = true});
    *held = grant;
    return "ok, until " + std::to_string(*answer.until);
}

std::optional<std::int64_t> SteppedRun::lasts(const Caller& caller,
                                              const BelievedHolding& grant) const {
    return grant.until ? std::optional(time_between(time_of(caller), *grant.until)) : std::nullopt;
}

// Of the call that is under way.
void SteppedRun::record_return(const Caller& caller, CallHistory::Return with) {
    const bool is_ok = with.type == HistoryType::kOk;
    calls_.end(static_cast<std::size_t>(&caller - callers_.data()), std::move(with),
               shared_.clock());
    if (is_ok) {
        judge_history(false);
    }
}

// Only a call that has happened can be one that no order explains.
void SteppedRun::judge_history(bool all) {
    tally_.decide(PropertyNumber::kUnexplainedHistory);
    if (world_.checked(PropertyNumber::kUnexplainedHistory) != nullptr &&
        !calls_.is_explained(all)) {
        note(PropertyNumber::kUnexplainedHistory);
    }
}

std::string SteppedRun::end_operation(std::size_t index, const Message& answer) {
    Caller& caller = callers_[index];
    const std::string word = word_of(world_.world, caller.operation);
    const bool is_error = answer.kind == MessageKind::kError;
    tally_.decide(PropertyNumber::kCallerDeath);
    refuse_stray(answer, word, world_.world.callers[index].name);
    refuse_unsupported(answer, word);
    if (is_error && answer.code == kErrorCrash) {
        note(PropertyNumber::kCallerDeath);
        caller.activity.id = 0;  // it dies inside of the call
        crash(index);
        return "died";
    }
    if (is_error) {
        tally_.add_error(caller.operation.verb, answer.code);
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
