// SPDX-License-Identifier: Apache-2.0

// What an answer means: who holds from now on, and which promise is broken by it. The rules are
// those of the stepped protocol (validate/programs/stepped_judge.cpp), with one more for locks that
// do not say until when they are held: the belief of such a lock ends when the keys that its call
// has written would, counted from the call.
#include <algorithm>

#include "model/event.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

using Kind = ClientAnswer::Kind;

std::uint32_t bit_of(std::uint8_t key) { return 1U << key; }

}  // namespace

bool is_judged_at_wire(const Property& property) {
    using Number = PropertyNumber;
    constexpr Number kJudged[] = {Number::kOverAllocation,  Number::kLeak,
                                  Number::kUnderAllocation, Number::kDeadlock,
                                  Number::kBeliefOverlap,   Number::kFalseOk,
                                  Number::kTokenOrder,      Number::kUnexplainedHistory};
    return std::any_of(std::begin(kJudged), std::end(kJudged),
                       [&](Number number) { return property.is(number); });
}

// By number.
void WireRun::note(PropertyNumber property) {
    const Property* asked = world_.checked(property);
    const auto after = std::find_if(violated_.begin(), violated_.end(), [&](const Property* other) {
        return asked != nullptr && other->number >= asked->number;
    });
    if (asked != nullptr && (after == violated_.end() || *after != asked)) {
        violated_.insert(after, asked);
    }
}

std::int64_t WireRun::time_of(const Caller& caller) const {
    return wire_.wall_clock(index_of(caller));
}

// By the caller's own wall clock, where the caller has named a moment of it. Else servers tell the
// end of what they store to the millisecond: in the last one nobody is sure to hold.
bool WireRun::is_over(const Caller& caller, const BelievedHolding& holding) const {
    return holding.until &&
           (holding.of_world ? wire_.now() + kMillisecond : time_of(caller)) >= *holding.until;
}

bool WireRun::believes(const Caller& caller, const BelievedHolding& holding) const {
    return !holding.given_up && !is_over(caller, holding);
}

std::uint32_t WireRun::holds(const Caller& caller, std::uint8_t key) const {
    return static_cast<std::uint32_t>(
        std::count_if(caller.held.begin(), caller.held.end(), [&](const auto& holding) {
            return holding.operation.key == key && believes(caller, holding);
        }));
}

std::uint32_t WireRun::held_count(std::uint8_t key) const {
    std::uint32_t count = 0;
    for (const Caller& caller : callers_) {
        count += holds(caller, key);
    }
    return count;
}

// At most so many units are taken: held, being acquired or released, or nobody knows.
std::uint32_t WireRun::possible_count(std::uint8_t key) const {
    std::uint32_t count = held_count(key) + ghosts_[key];
    for (const Caller& caller : callers_) {
        const bool may_take =
            caller.calling && caller.operation.verb != Verb::kCall && caller.operation.key == key;
        count += (may_take ? 1U : 0U) + ((caller.doubtful & bit_of(key)) != 0 ? 1U : 0U);
    }
    return count;
}

// After every step: scripts that can go on, and what the calls under way have to know of others.
void WireRun::refresh() {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        Caller& caller = callers_[i];
        if (!caller.dead && !caller.calling) {
            caller.pass_over(
                world_.world.callers[i],
                [&](const BelievedHolding& holding) { return believes(caller, holding); },
                [] { return false; }, tally_.passed_over);
        }
        tally_.sees_lease_end =
            tally_.sees_lease_end ||
            std::any_of(caller.held.begin(), caller.held.end(),
                        [&](const BelievedHolding& holding) { return is_over(caller, holding); });
    }
    for (Caller& caller : callers_) {
        if (caller.calling && caller.operation.verb == Verb::kAcquire) {
            const std::uint8_t key = caller.operation.key;
            // Without its own unit.
            caller.possible_most = std::max(caller.possible_most, possible_count(key) - 1);
            for (const Caller& other : callers_) {
                caller.met_holder =
                    caller.met_holder || (&other != &caller && holds(other, key) > 0);
            }
        }
    }
}

// What lasts so long, by the caller's steady clock or as its keys do, no jump makes longer.
void WireRun::give_end(const Caller& caller, const ClientAnswer& answer,
                       BelievedHolding& grant) const {
    if (wire_.runs_on_real_time(index_of(caller)) &&
        (answer.until || answer.lasts || caller.lease)) {
        grant.until = kEndOnRealTime;
        grant.of_world = true;
        return;
    }
    grant.until = answer.until;
    grant.of_world = !answer.until;
    if (answer.lasts && !answer.until) {
        grant.until = wire_.when_steady(index_of(caller), *answer.lasts);
    } else if (caller.lease && !answer.until) {
        grant.until = caller.called_at + *caller.lease;
    }
}

void WireRun::judge_grant(const Caller& caller, BelievedHolding& grant, bool is_new) {
    const std::uint8_t key = grant.operation.key;
    const std::uint32_t capacity = grant.operation.capacity();
    if (grant.until) {
        leased_[key] = true;
        tally_.has_leases = true;
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
    if (is_over(caller, grant)) {
        return;
    }
    std::uint32_t others = 0;
    for (const Caller& other : callers_) {
        others += &other == &caller || other.dead ? 0 : holds(other, key);
    }
    const bool is_lease = leased_[key] && capacity == 1;
    tally_.decide(is_lease ? PropertyNumber::kBeliefOverlap : PropertyNumber::kOverAllocation);
    if (is_lease) {
        if (others > 0) {
            note(PropertyNumber::kBeliefOverlap);
        }
    } else if ((is_new ? held_count(key) : others) >= capacity) {
        note(PropertyNumber::kOverAllocation);
    }
}

std::string WireRun::end_acquire(Caller& caller, const ClientAnswer& answer, StepEffect& effect) {
    const std::uint8_t key = caller.operation.key;
    if (answer.kind == Kind::kOk) {
        tally_.add_grant();
        tally_.add_contended(caller.met_holder, caller.met_holder, true);
        effect.events |= StepEffect::kGranted;
        BelievedHolding grant{caller.operation, {}, answer.token, {caller.first_step, steps_}};
        // Who is granted a lock that it finds to be its own has it as long as the key lives.
        caller.lease = caller.lease ? caller.lease : caller.touched_lease;
        give_end(caller, answer, grant);
        tally_.grants_over_on_return += is_over(caller, grant) ? 1U : 0U;
        judge_grant(caller, grant, true);
        record_return(caller, {.lasts = lasts(caller, grant),
                               .token = grant.token,
                               .again = caller.youngest(key) != caller.held.rend()});
        caller.held.push_back(grant);
        note_overtaken(held_of(callers_, caller.operation.key,
                               [&](const Caller& other, const BelievedHolding& holding) {
                                   return believes(other, holding);
                               }),
                       caller.held.back());
        return "acquired";
    }
    // The first grant with an end of its own decides what a refusal among several places means.
    effect.events |=
        StepEffect::kRefused | (caller.operation.capacity() > 1 ? StepEffect::kGranted : 0U);
    const bool refused = answer.kind == Kind::kRefused;
    tally_.add_contended(caller.met_holder, caller.met_holder, refused);
    record_return(caller, {refused ? HistoryType::kFail : HistoryType::kInfo, answer.text});
    if (!refused) {
        // A lock that failed may have been taken all the same.
        caller.doubtful |= bit_of(key);
        ++tally_.answers.indefinite_answers;
        return "error: " + quoted_piece(answer.text);
    }
    tally_.events |= kRefused;
    ++tally_.answers.refusals;
    if (!leased_[key]) {
        tally_.decide(PropertyNumber::kUnderAllocation);
        if (caller.possible_most < caller.operation.capacity()) {
            note(PropertyNumber::kUnderAllocation);
        }
    }
    return "refused";
}

std::string WireRun::end_release(Caller& caller, const ClientAnswer& answer, StepEffect& effect) {
    effect.events |= StepEffect::kReleaseReturned;
    switch (answer.kind) {
        case Kind::kOk:
            // By the grants before the call: later ones it could not know.
            tally_.decide(PropertyNumber::kFalseOk);
            if (caller.subject && caller.subject->overtaken) {
                note(PropertyNumber::kFalseOk);
            }
            tally_.events |= kReleased;
            record_return(caller, {});
            return "released";
        case Kind::kRefused:
        case Kind::kLost:
            ++tally_.answers.errors;
            tally_.events |= kLost;
            record_return(caller, {HistoryType::kInfo, "lost"});
            return "lost";
        default:
            record_return(caller, {HistoryType::kInfo, answer.text});
            caller.doubtful |= bit_of(caller.operation.key);
            ++tally_.answers.indefinite_answers;
            return "error: " + quoted_piece(answer.text);
    }
}

// By others, since before its call.
std::uint32_t WireRun::held_throughout(const Caller& caller) const {
    std::uint32_t count = 0;
    for (const Caller& other : callers_) {
        count += static_cast<std::uint32_t>(
            std::count_if(other.held.begin(), other.held.end(), [&](const auto& holding) {
                return &other != &caller && !other.dead && believes(other, holding) &&
                       holding.operation.key == caller.operation.key &&
                       holding.window.last < caller.first_step;
            }));
    }
    return count;
}

// A renewal that says ok and has written nothing: nobody knows until when the caller believes to
// hold now, but at some moment of its call it does. Where others hold all places throughout the
// call, that is at the same time.
void WireRun::judge_empty_renewal(const Caller& caller, StepEffect& effect) {
    const Operation& operation = caller.operation;
    effect.events |= StepEffect::kGranted;
    if (held_throughout(caller) >= caller.subject->operation.capacity()) {
        note(leased_[operation.key] ? PropertyNumber::kBeliefOverlap
                                    : PropertyNumber::kOverAllocation);
    }
}

std::string WireRun::end_call(Caller& caller, const ClientAnswer& answer, StepEffect& effect) {
    const auto held = caller.youngest(caller.operation.key);
    const bool is_about_one = caller.subject && held != caller.held.rend();
    if (answer.kind == Kind::kLost || answer.kind == Kind::kRefused) {
        effect.events |=
            StepEffect::kReleaseCalled | StepEffect::kReleaseReturned;  // a belief ends
        ++tally_.answers.errors;
        if (is_about_one) {
            held->given_up = true;
        }
        record_return(caller, {.type = HistoryType::kFail, .error = "lost", .loses = is_about_one});
        return "lost";
    }
    if (answer.kind != Kind::kOk) {
        ++tally_.answers.indefinite_answers;
        record_return(caller, {HistoryType::kInfo, answer.text});
        return "error: " + quoted_piece(answer.text);
    }
    BelievedHolding grant = is_about_one ? *held : BelievedHolding();
    give_end(caller, answer, grant);
    if (!is_about_one || !grant.until) {
        if (is_about_one && word_of(world_.world, caller.operation) == kRenewWord) {
            judge_empty_renewal(caller, effect);
        }
        record_return(caller, {});
        return "ok";
    }
    // Renewed: holds until then, also when the time before was over meanwhile.
    effect.events |= StepEffect::kGranted;
    judge_grant(caller, grant, false);
    record_return(caller, {.lasts = lasts(caller, grant), .renews = true});
    *held = grant;
    return "renewed";
}

std::optional<std::int64_t> WireRun::lasts(const Caller& caller,
                                           const BelievedHolding& grant) const {
    if (!grant.until) {
        return std::nullopt;
    }
    const std::int64_t end =
        grant.of_world ? *grant.until : wire_.when_wall_clock(index_of(caller), *grant.until);
    return time_between(wire_.now(), end);
}

// Of the call that is under way.
void WireRun::record_return(const Caller& caller, CallHistory::Return with) {
    const bool is_ok = with.type == HistoryType::kOk;
    calls_.end(index_of(caller), std::move(with), wire_.now());
    if (is_ok) {
        judge_history(false);
    }
}

// Only a call that has happened can be one that no order explains.
void WireRun::judge_history(bool all) {
    tally_.decide(PropertyNumber::kUnexplainedHistory);
    if (world_.checked(PropertyNumber::kUnexplainedHistory) != nullptr &&
        !calls_.is_explained(all)) {
        note(PropertyNumber::kUnexplainedHistory);
    }
}

std::string WireRun::end_operation(std::size_t index, const ClientAnswer& answer,
                                   StepEffect& effect) {
    Caller& caller = callers_[index];
    const std::string word = word_of(world_.world, caller.operation);
    if (answer.kind == Kind::kUnsupported) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "it has no operation " + quoted_piece(word, 40));
    }
    caller.calling = false;
    std::string text;
    switch (caller.operation.verb) {
        case Verb::kAcquire: text = end_acquire(caller, answer, effect); break;
        case Verb::kRelease: text = end_release(caller, answer, effect); break;
        default: text = end_call(caller, answer, effect);
    }
    caller.answers += text + ",";
    caller.subject.reset();
    const bool again = caller.operation.verb == Verb::kAcquire && caller.operation.until_acquired &&
                       answer.kind == Kind::kRefused;
    caller.waits_for_change = caller.waits_for_change && again;
    caller.advance(world_.world.callers[index], again ? 0 : 1);
    caller.operation = {};
    return text;
}

}  // namespace lockkeeper::wire
