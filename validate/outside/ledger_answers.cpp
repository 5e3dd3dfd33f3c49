// SPDX-License-Identifier: Apache-2.0

// What an answer means: who holds from now on, and which promise is broken by it.
#include <algorithm>
#include <utility>

#include "validate/outside/ledger.hpp"

namespace lockkeeper {

void Ledger::judge_places(std::size_t caller, const BelievedHolding& grant, bool is_new) {
    const std::uint8_t key = grant.operation.key;
    const std::uint32_t capacity = grant.operation.capacity();
    if (time_.is_over(caller, grant)) {
        return;  // in force once, and never held
    }
    const std::uint32_t own = holds(caller, key);
    const std::uint32_t others = held_count(key) - own;
    if (leased_[key] && capacity == 1) {
        decide(PropertyNumber::kBeliefOverlap);
        if (others > 0) {
            event_.what |= kOverlap;
            show(PropertyNumber::kBeliefOverlap, steps_of_holders(key));
        }
        return;
    }
    if (is_new && own > 0 && others < capacity && capacity == 1 && !world_.reentrant) {
        tally.leave_open(PropertyNumber::kOverAllocation,
                         "a caller was granted what it holds already, and the scenario does not "
                         "say whether the lock is \"reentrant\"");
        return;
    }
    decide(PropertyNumber::kOverAllocation);
    const bool takes_own_places = is_new && !world_.reentrant.value_or(false);
    event_.capacity = capacity;
    event_.holding_before = others + (takes_own_places ? own : 0);
    show(PropertyNumber::kOverAllocation, steps_of_holders(key));
}

std::vector<std::uint32_t> Ledger::steps_of_holders(std::uint8_t key) const {
    std::vector<std::uint32_t> steps;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        for (const BelievedHolding& holding : accounts_[i]->held) {
            if (holding.operation.key == key && believes(i, holding)) {
                steps.push_back(holding.window.last);
            }
        }
    }
    std::sort(steps.begin(), steps.end());
    steps.push_back(steps_);
    return steps;
}

// The grant that had its token, or a larger one, before; null: none.
const Ledger::GrantedToken* Ledger::out_of_order(std::size_t caller,
                                                 const BelievedHolding& grant) const {
    const Account& account = *accounts_[caller];
    const std::int64_t token = *grant.token;
    const bool is_own =
        std::any_of(account.held.begin(), account.held.end(), [&](const BelievedHolding& holding) {
            return holding.operation.key == grant.operation.key && holding.token == token &&
                   !holding.given_up;
        });
    for (const GrantedToken& earlier : tokens_[grant.operation.key]) {
        const bool is_below = account.token_floor == earlier.token && token < earlier.token;
        if (is_below || (token == earlier.token && !is_own)) {
            return &earlier;
        }
    }
    return nullptr;
}

void Ledger::judge_tokens(std::size_t caller, const BelievedHolding& grant) {
    if (!grant.token) {
        return;
    }
    std::vector<GrantedToken>& tokens = tokens_[grant.operation.key];
    if (!tokens.empty()) {
        decide(PropertyNumber::kTokenOrder);
    }
    if (const GrantedToken* earlier = out_of_order(caller, grant)) {
        event_.note(Breach::kTokenRepeated);
        show(PropertyNumber::kTokenOrder, {earlier->step, steps_});
    }
    const auto place = std::lower_bound(
        tokens.begin(), tokens.end(), *grant.token,
        [](const GrantedToken& one, std::int64_t token) { return one.token < token; });
    if (place == tokens.end() || place->token != *grant.token) {
        tokens.insert(place, {*grant.token, steps_});
    }
    forget_tokens(caller, grant.operation.key);
}

// Who calls from now on has to be given a larger one than the largest; who has called already, one
// that is larger than its floor, and new.
void Ledger::forget_tokens(std::size_t caller, std::uint8_t key) {
    std::vector<GrantedToken>& tokens = tokens_[key];
    std::int64_t least = tokens.back().token;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const Account& other = *accounts_[i];
        if (i != caller && other.calling && other.operation.verb == Verb::kAcquire &&
            other.operation.key == key) {
            least = std::min(least, other.token_floor.value_or(INT64_MIN));
        }
    }
    std::erase_if(tokens, [&](const GrantedToken& one) { return one.token < least; });
}

// Grants of the key to others than `owner`, wholly after `earlier`.
std::uint32_t Ledger::later_in_force(std::size_t owner, const BelievedHolding& earlier) const {
    std::uint32_t later = 0;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        for (const BelievedHolding& other : accounts_[i]->held) {
            later += i != owner && other.operation.key == earlier.operation.key &&
                             believes(i, other) && other.window.is_wholly_after(earlier.window)
                         ? 1U
                         : 0U;
        }
    }
    return later;
}

// By the newest that the caller holds.
void Ledger::note_overtaken(std::size_t caller) {
    const BelievedHolding grant = accounts_[caller]->held.back();
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        for (BelievedHolding& earlier : accounts_[i]->held) {
            if (i == caller || earlier.overtaken || earlier.operation.key != grant.operation.key ||
                !grant.window.is_wholly_after(earlier.window)) {
                continue;
            }
            const auto places = std::max(earlier.operation.capacity(), grant.operation.capacity());
            earlier.overtaken =
                places == 1 || (believes(caller, grant) && later_in_force(i, earlier) >= places);
            earlier.overtaken_by = grant.window.last;
        }
    }
}

void Ledger::judge_grant(std::size_t caller, const BelievedHolding& grant, bool is_new) {
    // Where nothing decides how many were held, more may be.
    event_.what |= kGranted;
    event_.holding_before = 0;
    event_.capacity = grant.operation.capacity();
    if (grant.until) {
        leased_[grant.operation.key] = true;
        if (!grant.end_in_time) {  // or else the scope lets no lock come to its end
            tally.add_lease(time_.time_left(caller, grant));
        }
    }
    judge_places(caller, grant, is_new);
    if (is_new) {
        judge_tokens(caller, grant);
    }
}

// Others hold all places, since before the call.
bool Ledger::is_held_throughout(std::size_t caller) const {
    const Account& account = *accounts_[caller];
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const std::vector<BelievedHolding>& held = accounts_[i]->held;
        count += static_cast<std::uint32_t>(
            std::count_if(held.begin(), held.end(), [&](const BelievedHolding& holding) {
                return i != caller && believes(i, holding) &&
                       holding.operation.key == account.operation.key &&
                       holding.window.last < account.first_step;
            }));
    }
    return count >= account.subject->operation.capacity();
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

// Of the call that is under way.
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

// Only a call that has happened can be one that no order explains.
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
    const bool is_overtaken = account.subject && account.subject->overtaken;
    switch (told.kind) {
        case Told::Kind::kOk:
            decide(PropertyNumber::kFalseOk);
            if (is_overtaken) {
                event_.note(Breach::kFalseOk);
                show(PropertyNumber::kFalseOk,
                     {account.subject->window.last, account.subject->overtaken_by, steps_});
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
        case Told::Kind::kLost:  // says nothing of when
            record(caller, {HistoryType::kInfo, told.error});
            break;
        case Told::Kind::kFailed:
            // The section was left at the call: nobody acts under it, and its place may be granted.
            record(caller, {HistoryType::kInfo, told.error});
            if (account.subject) {
                account.subject->is_left = true;
                account.held.push_back(*account.subject);
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
            held->given_up = true;
        }
        record(caller,
               {.type = told.kind == Told::Kind::kUnknown ? HistoryType::kInfo : HistoryType::kFail,
                .error = told.error,
                .loses = is_lost});
        return {.ends = told.kind == Told::Kind::kLost};
    }
    if (told.until && is_about_one) {
        // Renewed: holds until then, also when the time before was over meanwhile.
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
        *held = grant;
        return {.begins = true};
    }
    CallHistory::Return with;
    if (is_about_one && told.end_in_time) {
        held->end_in_time = told.end_in_time;
        with.lasts_in_time = time_between(time_.now(), *told.end_in_time);
    }
    // A renewal that says ok and not until when: at some moment of its call it holds.
    const bool is_renewal = is_about_one && word_of(world_.world, account.operation) == kRenewWord;
    if (is_renewal && is_held_throughout(caller)) {
        const bool is_lease = leased_[account.operation.key];
        event_.what |= is_lease ? kOverlap : kGranted;
        event_.holding_before = event_.capacity = account.subject->operation.capacity();
        show(is_lease ? PropertyNumber::kBeliefOverlap : PropertyNumber::kOverAllocation,
             steps_of_holders(account.operation.key));
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
    // Who may have acquired does not ask again: it would wait for itself.
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
