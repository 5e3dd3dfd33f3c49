// SPDX-License-Identifier: Apache-2.0

// Each answer decides who holds from now on, and may break a promise. ledger_grants.cpp judges the
// grants.
#include <algorithm>
#include <utility>

#include "model/acquired_units.hpp"
#include "validate/outside/grant_units.hpp"
#include "validate/outside/ledger.hpp"

namespace lockkeeper {

// A key of the caller's grant of which others have held, since before the call, so many places that
// none is left for the grant.
std::optional<std::uint8_t> Ledger::held_throughout(std::size_t caller) const {
    const Account& account = *accounts_[caller];
    const Operation& granted = account.subject->operation;
    std::optional<std::uint8_t> out;
    for_each_key(granted, [&](std::uint8_t key) {
        std::uint32_t count = weight_of(granted);
        for (std::size_t i = 0; i < accounts_.size(); ++i) {
            const std::vector<BelievedHolding>& held = accounts_[i]->held;
            count += static_cast<std::uint32_t>(
                std::count_if(held.begin(), held.end(), [&](const BelievedHolding& holding) {
                    return i != caller && believes(i, holding) && holding.operation.key == key &&
                           holding.window.last < account.first_step;
                }));
        }
        if (!out && count > granted.capacity()) {
            out = key;
        }
    });
    return out;
}

CallHistory::Return Ledger::returned(std::size_t caller, const BelievedHolding& grant) const {
    CallHistory::Return with{.token = grant.token};
    if (grant.until) {
        with.lasts = time_.time_left(caller, grant);
    } else if (grant.end_in_time) {
        with.lasts_in_time = time_between(time_.now(), *grant.end_in_time);
    }
    return with;
}

// Records the end of the call under way.
void Ledger::record(std::size_t caller, CallHistory::Return with) {
    if (!judges_histories_) {
        return;
    }
    const bool is_ok = with.type == HistoryType::kOk;
    calls_.end(caller, std::move(with), time_.now());
    if (is_ok) {
        judge_history(false);
    }
}

// Called after calls that happened: only such a call can make a history unexplained.
void Ledger::judge_history(bool all) {
    if (!judges_histories_) {
        return;
    }
    decide(PropertyNumber::kUnexplainedHistory);
    if (world_.checked(PropertyNumber::kUnexplainedHistory) != nullptr &&
        !calls_.is_explained(all)) {
        note(PropertyNumber::kUnexplainedHistory);
    }
}

void Ledger::finish() {
    decide(PropertyNumber::kDeadlock);
    judge_history(true);
}

void Ledger::count(const Account& account, const Told& told) {
    const bool is_refusal =
        told.kind == Told::Kind::kRefused && account.operation.verb == Verb::kAcquire;
    if (told.kind == Told::Kind::kUnknown) {
        ++tally.answers.indefinite_answers;
    } else if (is_refusal) {
        ++tally.answers.refusals;
        const bool is_full = account.met_all_taken || world_.rate_limit.is_given();
        tally.answers.refusals_while_free += is_full ? 0U : 1U;
        tally.events |= kRefused;
    } else if (told.kind != Told::Kind::kOk && told.kind != Told::Kind::kDone) {
        ++tally.answers.errors;
        tally.events |= told.kind == Told::Kind::kLost ? kLost : 0U;
    }
}

Ledger::Changed Ledger::grant(std::size_t caller, const Told& told) {
    Account& account = *accounts_[caller];
    const std::uint8_t key = account.operation.key;
    BelievedHolding grant{
        account.operation, told.until, told.token, told.end_in_time, {account.first_step, steps_}};
    grant.of_world = told.of_world;
    tally.add_grant();
    tally.grants_over_on_return += time_.is_over(caller, grant) ? 1U : 0U;
    judge_grant(caller, grant, true);
    CallHistory::Return with = returned(caller, grant);
    with.again = account.youngest(key) != account.held.rend();
    record(caller, std::move(with));
    account.hold(grant, config_of(caller),
                 [&](const BelievedHolding& own) { return believes(caller, own); });
    note_overtaken(caller);
    return {.begins = true};
}

Ledger::Changed Ledger::end_acquire(std::size_t caller, const Told& told) {
    const Account& account = *accounts_[caller];
    const bool is_judged = told.kind == Told::Kind::kOk || told.kind == Told::Kind::kRefused;
    tally.add_contended(account.met_holder, account.met_all_taken, is_judged);
    if (world_.rate_limit.is_given() && is_judged) {
        return end_rated(account, told);
    }
    if (told.kind == Told::Kind::kOk) {
        return grant(caller, told);
    }
    const bool is_unknown = told.kind == Told::Kind::kUnknown;
    record(caller, {is_unknown ? HistoryType::kInfo : HistoryType::kFail, told.error});
    if (is_unknown) {
        doubt(caller);
    } else if (told.kind == Told::Kind::kRefused) {
        judge_refusal(account, told.own_grant);
    }
    return {};
}

Ledger::Changed Ledger::end_release(std::size_t caller, const Told& told) {
    Account& account = *accounts_[caller];
    std::vector<BelievedHolding> units;
    if (account.subject) {
        units = take_units(account.held, *account.subject);
        units.push_back(*account.subject);
    }
    const auto overtaken = std::find_if(units.begin(), units.end(),
                                        [](const BelievedHolding& unit) { return unit.overtaken; });
    const bool is_overtaken = overtaken != units.end();
    switch (told.kind) {
        case Told::Kind::kOk:
            decide(PropertyNumber::kFalseOk);
            if (is_overtaken) {
                event_.note(Breach::kFalseOk);
                show(PropertyNumber::kFalseOk,
                     {overtaken->window.last, overtaken->overtaken_by, steps_});
            }
            tally.events |= kReleased;
            record(caller, {});
            break;
        case Told::Kind::kDone:
            if (is_overtaken) {
                tally.leave_open(PropertyNumber::kFalseOk,
                                 "a release after the lock was lost says no more than \"done\"");
            }
            tally.events |= kReleased;
            record(caller, {HistoryType::kInfo, "done"});
            break;
        case Told::Kind::kRefused:
        case Told::Kind::kLost:  // does not say since when
            record(caller, {HistoryType::kInfo, told.error});
            break;
        case Told::Kind::kFailed:
            // The caller left its section at the call, so another caller may be granted its place.
            record(caller, {HistoryType::kInfo, told.error});
            for (BelievedHolding& unit : units) {
                unit.is_left = true;
                unit.is_ending = false;
                unit.given_up = account.subject->given_up;
                account.held.push_back(unit);
            }
            break;
        case Told::Kind::kUnknown:
            record(caller, {HistoryType::kInfo, told.error});
            doubt(caller);
            break;
    }
    return {};
}

Ledger::Changed Ledger::end_call(std::size_t caller, const Told& told) {
    Account& account = *accounts_[caller];
    const auto held = account.youngest(account.operation.key);
    const bool is_about_one = account.subject && held != account.held.rend();
    if (told.kind != Told::Kind::kOk && told.kind != Told::Kind::kDone) {
        const bool is_lost = told.kind == Told::Kind::kLost && is_about_one;
        if (is_lost) {
            give_up_units(account.held, *held);
        }
        record(caller,
               {.type = told.kind == Told::Kind::kUnknown ? HistoryType::kInfo : HistoryType::kFail,
                .error = told.error,
                .loses = is_lost});
        return {.ends = told.kind == Told::Kind::kLost};
    }
    if (told.until && is_about_one) {
        // A renewal: the caller holds until then, even if the earlier time ended meanwhile.
        BelievedHolding grant = *held;
        grant.until = told.until;
        grant.of_world = told.of_world;
        grant.end_in_time = told.end_in_time;
        grant.is_left = false;
        judge_grant(caller, grant, false);
        CallHistory::Return with = returned(caller, grant);
        with.token.reset();
        with.renews = true;
        record(caller, std::move(with));
        renew_units(account.held, *held, grant);
        return {.begins = true};
    }
    CallHistory::Return with;
    if (is_about_one && told.end_in_time) {
        BelievedHolding grant = *held;
        grant.end_in_time = told.end_in_time;
        renew_units(account.held, *held, grant);
        with.lasts_in_time = time_between(time_.now(), *told.end_in_time);
    }
    // A renewal that says ok without a time: the caller holds at some moment of the call.
    const bool is_renewal = is_about_one && word_of(world_.world, account.operation) == kRenewWord;
    if (const auto key = is_renewal ? held_throughout(caller) : std::nullopt) {
        const bool is_lease = leased_[*key];
        event_.key = *key;
        event_.what |= is_lease ? kOverlap : kGranted;
        event_.holding_before = event_.capacity = account.subject->operation.capacity();
        show(is_lease ? PropertyNumber::kBeliefOverlap : PropertyNumber::kOverAllocation,
             steps_of_holders(*key));
    }
    record(caller, std::move(with));
    return {.begins = is_renewal};
}

void Ledger::begin_event(const Account& account, const Told& told) {
    const Verb verb = account.operation.verb;
    const bool is_ok = told.kind == Told::Kind::kOk || told.kind == Told::Kind::kDone;
    const bool is_refused = told.kind == Told::Kind::kRefused && verb == Verb::kAcquire;
    event_.key = account.operation.key;
    event_.capacity = account.operation.capacity();
    event_.possible_most = UINT32_MAX;  // where a refusal decides nothing
    event_.what |= is_refused               ? std::uint32_t{kRefused}
                   : !is_ok                 ? std::uint32_t{kFailed}
                   : verb == Verb::kAcquire ? std::uint32_t{kAcquired}
                   : verb == Verb::kRelease ? std::uint32_t{kReleased}
                                            : std::uint32_t{kDone};
    event_.what |= told.kind == Told::Kind::kLost ? std::uint32_t{kLost} : 0U;
}

Ledger::Changed Ledger::answer(std::size_t caller, const Told& told) {
    Account& account = *accounts_[caller];
    count(account, told);
    const bool is_ok = told.kind == Told::Kind::kOk || told.kind == Told::Kind::kDone;
    begin_event(account, told);
    enter(caller,
          is_ok                               ? HistoryType::kOk
          : told.kind == Told::Kind::kUnknown ? HistoryType::kInfo
                                              : HistoryType::kFail,
          told.kind == Told::Kind::kRefused ? "" : told.error);
    Changed changed;
    switch (account.operation.verb) {
        case Verb::kAcquire: changed = end_acquire(caller, told); break;
        case Verb::kRelease: changed = end_release(caller, told); break;
        default: changed = end_call(caller, told);
    }
    // A caller that may have acquired does not ask again: it would wait for itself.
    const bool is_no = told.kind == Told::Kind::kRefused || told.kind == Told::Kind::kLost ||
                       told.kind == Told::Kind::kFailed;
    const bool again =
        is_no && account.operation.verb == Verb::kAcquire && account.operation.until_acquired;
    account.calling = false;
    account.waits_for_change = account.waits_for_change && again;
    account.subject.reset();
    account.operation = {};
    account.advance(config_of(caller), again ? 0 : 1);
    judge(caller);
    return changed;
}

}  // namespace lockkeeper
