// SPDX-License-Identifier: Apache-2.0

// Turns a client's answers into those for the ledger. If a lock does not say until when it is held,
// its caller believes to hold until the keys end that the call has written, counted from the call.
#include <algorithm>

#include "model/acquired_units.hpp"
#include "validate/wire/call_line.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

// P10 (caller-death) is not judged: nobody sees at the wire what kills a client.
bool is_judged_at_wire(const Property& property) {
    return is_judged_outside(property) && !property.is(PropertyNumber::kCallerDeath);
}

std::string line_of_call(const WorldConfig& world, const Operation& operation) {
    std::string first;
    std::string others;
    for_each_key(operation, [&](std::uint8_t key) {
        if (first.empty()) {
            first = " " + world.keys[key];
        } else {
            others += (others.empty() ? " with=" : ",") + world.keys[key];
        }
    });
    const bool has_number = operation.number != 0 &&
                            (operation.verb == Verb::kCall || operation.verb == Verb::kAcquire);
    const std::uint32_t weight = weight_of(operation);
    return word_of(world, operation) + first +
           (has_number ? " " + std::to_string(operation.number) : "") + others +
           (weight == 1 ? "" : " weight=" + std::to_string(weight));
}

std::int64_t WireRun::end_of(std::size_t caller, const BelievedHolding& holding) const {
    return holding.of_world ? *holding.until : wire_.when_wall_clock(caller, *holding.until);
}

// By the caller's own wall clock, where the caller has named a moment of it. Else servers tell the
// end of what they store to the millisecond: in the last one nobody is sure to hold.
bool WireRun::is_over(std::size_t caller, const BelievedHolding& holding) const {
    return holding.until && (holding.of_world ? wire_.now() + kMillisecond
                                              : wire_.wall_clock(caller)) >= *holding.until;
}

std::int64_t WireRun::time_left(std::size_t caller, const BelievedHolding& holding) const {
    return time_between(wire_.now(), end_of(caller, holding));
}

// No jump lengthens a lease that is timed by the caller's steady clock or by its keys.
void WireRun::give_end(std::size_t index, const ClientAnswer& answer, Told& told) const {
    const Caller& caller = callers_[index];
    const bool knows_end = caller.lease && (is_timed_ || has_slept_);
    if (wire_.runs_on_real_time(index) && (answer.until || answer.lasts || knows_end)) {
        told.until = kEndOnRealTime;
        told.of_world = true;
        return;
    }
    told.until = answer.until;
    told.of_world = !answer.until;
    if (answer.lasts && !answer.until) {
        told.until = wire_.when_steady(index, *answer.lasts);
    } else if (caller.lease && !answer.until) {
        const std::int64_t end = caller.called_at + *caller.lease;
        told.until = knows_end ? std::optional(end) : std::nullopt;
        told.end_in_time = is_timed_ ? std::nullopt : std::optional(end);
    }
}

// During the call under way, the key that its own requests wrote may have come to its end.
Told::OwnGrant WireRun::own_grant(std::size_t index) const {
    const Caller& caller = callers_[index];
    if (!caller.lease) {
        return Told::OwnGrant::kNone;
    }
    if (wire_.now() >= caller.called_at + *caller.lease) {
        return Told::OwnGrant::kOver;
    }
    const bool has_passed =
        wire_.now() > caller.called_at || wire_.wall_clock(index) != caller.wall_at_call;
    return has_passed ? Told::OwnGrant::kWaned : Told::OwnGrant::kNone;
}

Told WireRun::told_by(std::size_t index, const ClientAnswer& answer) {
    using Kind = ClientAnswer::Kind;
    Caller& caller = callers_[index];
    const bool is_acquire = caller.operation.verb == Verb::kAcquire;
    Told told{.token = answer.token, .error = answer.text};
    switch (answer.kind) {
        case Kind::kOk:
            if (is_acquire && !caller.lease) {
                // A caller granted a lock that it finds to be its own has it as long as the key
                // lives.
                caller.lease = caller.touched_lease;
            }
            give_end(index, answer, told);
            break;
        case Kind::kDone:
            if (caller.operation.verb != Verb::kRelease) {
                throw Misbehaved(Misbehaviour::kNonsense,
                                 "says \"done\" to another operation than release");
            }
            told.kind = Told::Kind::kDone;
            break;
        case Kind::kRefused:
            told.kind = is_acquire ? Told::Kind::kRefused : Told::Kind::kLost;
            told.own_grant = own_grant(index);
            // Whoever was cut off does not know: no better than an error.
            if (is_acquire && caller.lost_connection) {
                told.kind = Told::Kind::kUnknown;
                told.error = "refused, without the server's answer";
            }
            break;
        // An acquire is told "lost" where it may have been granted in between.
        case Kind::kLost: told.kind = is_acquire ? Told::Kind::kUnknown : Told::Kind::kLost; break;
        case Kind::kError: told.kind = Told::Kind::kUnknown; break;
        case Kind::kUnsupported:
            throw Misbehaved(
                Misbehaviour::kNotSupported,
                "it has no operation " + quoted_piece(word_of(world_.world, caller.operation), 40) +
                    (is_acquire && weight_of(caller.operation) > 1 ? " that takes a weight" : ""));
    }
    if (told.kind == Told::Kind::kLost) {
        told.error = "lost";
    }
    return told;
}

// "! lost db": from here on it does not believe to hold.
std::string WireRun::lose_by_itself(std::size_t index, const std::string& line,
                                    StepEffect& effect) {
    const std::string beginning = std::string(kByItself) + "lost ";
    const std::vector<std::string>& keys = world_.world.keys;
    const auto key = std::find(keys.begin(), keys.end(),
                               line.starts_with(beginning) ? line.substr(beginning.size()) : "");
    if (key == keys.end()) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "says " + quoted_piece(line) + " by itself, where \"! lost KEY\" is due");
    }
    if (!ledger_.lost(index, static_cast<std::uint8_t>(key - keys.begin()))) {
        return "";
    }
    effect.events |= StepEffect::kReleaseCalled | StepEffect::kReleaseReturned;
    callers_[index].answers += "lost by itself,";
    return "lost by itself";
}

std::string WireRun::end_operation(std::size_t index, const ClientAnswer& answer,
                                   StepEffect& effect) {
    Caller& caller = callers_[index];
    const Verb verb = caller.operation.verb;
    const bool is_shared = caller.operation.capacity() > 1;
    const Told told = told_by(index, answer);
    const Ledger::Changed changed = ledger_.answer(index, told);
    effect.events |= changed.begins ? StepEffect::kBeliefBegins : 0U;
    effect.events |= changed.ends ? StepEffect::kReleaseCalled | StepEffect::kReleaseReturned : 0U;
    effect.events |= verb == Verb::kRelease ? StepEffect::kReleaseReturned : 0U;
    if (verb == Verb::kAcquire && !changed.begins) {
        // The first grant with an end of its own decides what a refusal among several places means.
        effect.events |= StepEffect::kRefusal | (is_shared ? StepEffect::kBeliefBegins : 0U);
    }
    if (told.own_grant != Told::OwnGrant::kNone) {
        effect.events |= StepEffect::kEverything;  // time has passed, and the lock has ends
    }
    std::string text = "error: " + quoted_piece(answer.text);
    switch (told.kind) {
        case Told::Kind::kOk:
            text = verb == Verb::kAcquire         ? "acquired"
                   : verb == Verb::kRelease       ? "released"
                   : told.until && changed.begins ? "renewed"
                                                  : "ok";
            break;
        case Told::Kind::kRefused: text = "refused"; break;
        case Told::Kind::kLost: text = "lost"; break;
        case Told::Kind::kDone: text = "done"; break;
        case Told::Kind::kFailed:
        case Told::Kind::kUnknown:
            text = answer.kind == ClientAnswer::Kind::kRefused ? "refused" : text;
            break;
    }
    caller.answers += text + ",";
    return text;
}

}  // namespace lockkeeper::wire
