// SPDX-License-Identifier: Apache-2.0

// The books: who holds, who may hold. ledger_answers.cpp says what an answer means.
#include "validate/outside/ledger.hpp"

#include <algorithm>
#include <utility>

#include "model/acquired_units.hpp"
#include "model/check.hpp"
#include "model/event.hpp"
#include "validate/outside/grant_units.hpp"

namespace lockkeeper {
namespace {

// An event alone does not decide these properties: see judge_places and judge_refusal.
bool is_decided_by_cases(const Property& property) {
    return property.is(PropertyNumber::kOverAllocation) ||
           property.is(PropertyNumber::kUnderAllocation);
}

}  // namespace

Ledger::Ledger(const OutsideWorld& world, const LedgerTime& time, Histories histories)
    : world_(world),
      time_(time),
      rates_(world.rate_limit, world.rate_grain),
      judges_histories_(histories == Histories::kHere && !world.rate_limit.is_given() &&
                        !asks_for_several(world.world)),
      calls_(world.world, world.checked(PropertyNumber::kTokenOrder) != nullptr) {
    LOCKKEEPER_CHECK(world.world.keys.size() <= kLedgerKeysMax);
}

void Ledger::begin(std::vector<Account*> accounts) {
    accounts_ = std::move(accounts);
    ghosts_ = {};
    leased_ = {};
    tokens_ = {};
    rates_.begin();
    steps_ = 0;
    entries_.clear();
    event_ = {};
    shows_.clear();
    violated_.clear();
    shown_by_.clear();
    calls_.begin();
}

void Ledger::note(PropertyNumber property, std::vector<std::uint32_t> steps) {
    const Property* asked = world_.checked(property);
    const auto after = std::find_if(violated_.begin(), violated_.end(), [&](const Property* other) {
        return asked != nullptr && other->number >= asked->number;
    });
    if (asked != nullptr && (after == violated_.end() || *after != asked)) {
        violated_.insert(after, asked);
        shown_by_[asked->number] = std::move(steps);
    }
}

bool is_told(const Property& property) {
    constexpr std::uint32_t kTold = kInvoked | kAcquired | kRefused | kReleased | kDone | kFailed |
                                    kLost | kGranted | kOverlap | kCrashed | kTimePassed | kResized;
    return property.kind == PropertyKind::kAlways && property.holds_not != nullptr &&
           (property.triggers & ~kTold) == 0 && (property.needs & ~kHasCapacity) == 0;
}

void Ledger::show(PropertyNumber property, std::vector<std::uint32_t> steps) {
    shows_[static_cast<int>(property)] = std::move(steps);
}

// Judges by the state after the step, as models are judged.
void Ledger::judge(std::size_t caller) {
    event_.caller = static_cast<std::uint8_t>(caller);
    for (const Property* property : world_.check) {
        if (property->kind != PropertyKind::kAlways || property->holds_not == nullptr ||
            (event_.what & property->triggers) == 0) {
            continue;
        }
        Observation seen;
        if (property->needs_observation) {
            observe(seen);
        }
        const auto shown = shows_.find(property->number);
        if (is_told(*property) && !is_decided_by_cases(*property)) {
            decide(PropertyNumber(property->number));
        }
        if (property->holds_not(seen, event_)) {
            note(PropertyNumber(property->number),
                 shown == shows_.end() ? std::vector<std::uint32_t>{steps_} : shown->second);
        }
    }
    event_ = {};
    shows_.clear();
}

void Ledger::saw(EventBit what) {
    tally.events |= what;
    event_.what |= what;
    judge(Event::kNoCaller);
}

bool Ledger::believes(std::size_t caller, const BelievedHolding& holding) const {
    return !holding.given_up && !holding.is_left && !time_.is_over(caller, holding);
}

std::uint32_t Ledger::holds(std::size_t caller, std::uint8_t key) const {
    const std::vector<BelievedHolding>& held = accounts_[caller]->held;
    return static_cast<std::uint32_t>(
        std::count_if(held.begin(), held.end(), [&](const BelievedHolding& holding) {
            return holding.operation.key == key && believes(caller, holding);
        }));
}

std::uint32_t Ledger::held_count(std::uint8_t key) const {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        count += holds(i, key);
    }
    return count;
}

std::uint32_t Ledger::places_held(std::uint8_t key, std::uint32_t capacity) const {
    const bool is_reentrant = world_.reentrant.value_or(capacity == 1);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        count += is_reentrant ? std::min(holds(i, key), 1U) : holds(i, key);
    }
    return count;
}

std::uint32_t Ledger::possible_count(std::uint8_t key) const {
    std::uint32_t count = held_count(key) + ghosts_[key];
    for (const Account* account : accounts_) {
        const bool may_take = account->calling && account->operation.verb != Verb::kCall;
        const auto left = std::count_if(account->held.begin(), account->held.end(),
                                        [&](const BelievedHolding& holding) {
                                            return holding.is_left && holding.operation.key == key;
                                        });
        count += account->doubtful[key] + (may_take ? units_of(account->operation, key) : 0U) +
                 static_cast<std::uint32_t>(left);
    }
    return count;
}

void Ledger::note_ends() {
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        std::vector<BelievedHolding>& held = accounts_[i]->held;
        tally.sees_lease_end = tally.sees_lease_end || std::any_of(held.begin(), held.end(),
                                                                   [&](const BelievedHolding& own) {
                                                                       return time_.is_over(i, own);
                                                                   });
        if (world_.gives_up_at_end) {
            std::erase_if(held, [&](const BelievedHolding& own) { return !believes(i, own); });
        }
    }
}

// Updates what the caller's acquire under way has met, without counting its own unit.
void Ledger::note_others(std::size_t caller) {
    if (world_.rate_limit.is_given()) {
        note_recent(caller);
        return;
    }
    Account& account = *accounts_[caller];
    const std::uint32_t weight = weight_of(account.operation);
    for_each_key(account.operation, [&](std::uint8_t key) {
        account.possible_most = std::max(account.possible_most, possible_count(key) - weight);
        account.met_all_taken =
            account.met_all_taken || held_count(key) + weight > account.operation.capacity();
        for (std::size_t i = 0; i < accounts_.size(); ++i) {
            account.met_holder = account.met_holder || (i != caller && holds(i, key) > 0);
        }
    });
}

// Notes time limits that are over, then advances scripts. `wakes`: a sleep of this caller is over.
void Ledger::refresh(const std::function<bool(std::size_t)>& wakes) {
    note_ends();
    tally.sees_window_end = rates_.forget(time_.now()) || tally.sees_window_end;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        if (!accounts_[i]->dead && !accounts_[i]->calling) {
            accounts_[i]->pass_over(
                config_of(i), [&](const BelievedHolding& own) { return believes(i, own); },
                [&] { return wakes(i); }, tally.passed_over);
        }
    }
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        if (accounts_[i]->calling && accounts_[i]->operation.verb == Verb::kAcquire) {
            note_others(i);
        }
    }
}

void Ledger::observe(Observation& out) const {
    out.callers_count = static_cast<std::uint8_t>(std::min(accounts_.size(), kCallersMax));
    out.keys_count = static_cast<std::uint8_t>(std::min(world_.world.keys.size(), kKeysMax));
    for (std::size_t i = 0; i < out.callers_count; ++i) {
        const Account& account = *accounts_[i];
        CallerObservation& seen = out.callers[i];
        seen.dead = account.dead;
        seen.calling = account.calling;
        seen.finished = account.done;
        for (std::uint8_t key = 0; key < out.keys_count; ++key) {
            seen.believed[key] = holds(i, key);
            out.keys[key].believed += seen.believed[key];
        }
    }
    for (std::uint8_t key = 0; key < out.keys_count; ++key) {
        const auto view = widest_acquire(world_.world, key, UINT16_MAX);
        out.beliefs_overlap =
            out.beliefs_overlap || (view && places_held(key, view->capacity()) > view->capacity());
    }
}

void Ledger::enter(std::size_t caller, HistoryType type, const std::string& error) {
    const Operation& operation = accounts_[caller]->operation;
    entries_.push_back({{steps_ == 0 ? 0 : steps_ - 1,
                         static_cast<std::uint8_t>(caller),
                         type,
                         operation.verb,
                         operation.key,
                         {},
                         error},
                        word_of(world_.world, operation),
                        event_.what});
}

void Ledger::call(std::size_t caller, const Operation& operation) {
    Account& account = *accounts_[caller];
    account.calling = true;
    account.operation = operation;
    account.subject = account.take_subject(operation);
    if (account.subject && takes_several(account.subject->operation)) {
        account.operation.signal = account.subject->operation.signal;
        account.operation.amount = account.subject->operation.amount;
        if (operation.verb == Verb::kRelease) {  // the other units wait for the answer, unbelieved
            end_units(account.held, *account.subject);
        }
    }
    account.waits_for_change = operation.verb == Verb::kAcquire && operation.until_acquired;
    account.first_step = steps_;
    account.began_at = time_.now();
    event_.what |= kInvoked;
    event_.invoked = operation.verb;
    event_.key = operation.key;
    enter(caller, HistoryType::kInvoke);
    account.token_floors = {};
    for_each_key(account.operation, [&](std::uint8_t key) {
        if (!tokens_[key].empty()) {
            account.token_floors[key] = tokens_[key].back().token;
        }
    });
    account.possible_most = account.recent_most = 0;
    account.met_holder = account.met_all_taken = account.is_doubted = false;
    if (operation.verb == Verb::kAcquire) {
        note_others(caller);
    }
    if (judges_histories_) {
        calls_.call(caller, operation, account.subject.has_value(), time_.now());
    }
    judge(caller);
}

void Ledger::doubt(std::size_t caller) {
    Account& account = *accounts_[caller];
    if (account.calling && account.operation.verb != Verb::kCall && !account.is_doubted) {
        account.is_doubted = true;
        for_each_key(account.operation, [&](std::uint8_t key) {
            account.doubtful[key] += weight_of(account.operation);
        });
        if (world_.rate_limit.is_given()) {
            doubt_rate(account);
        }
    }
}

// The caller keeps its place in the script.
void Ledger::crash(std::size_t caller) {
    Account& account = *accounts_[caller];
    doubt(caller);
    if (account.calling) {
        enter(caller, HistoryType::kInfo);
    }
    for (const BelievedHolding& holding : account.held) {
        ghosts_[holding.operation.key] += believes(caller, holding) || holding.is_left ? 1U : 0U;
    }
    for (std::size_t key = 0; key < kLedgerKeysMax; ++key) {
        ghosts_[key] += std::exchange(account.doubtful[key], 0U);
    }
    tally.events |= kCrashed;
    event_.what |= kCrashed;
    if (judges_histories_) {
        calls_.gone(caller, time_.now());
    }
    account.held.clear();
    account.subject.reset();
    account.operation = {};
    account.calling = account.waits_for_change = false;
    account.dead = true;
    judge(caller);
}

// A call that took the lock itself for a time must refuse once that time is over, and may before.
void Ledger::judge_refusal(const Account& account, Told::OwnGrant own_grant) {
    bool is_leased = own_grant != Told::OwnGrant::kNone;
    for_each_key(account.operation, [&](std::uint8_t key) {
        leased_[key] = leased_[key] || own_grant != Told::OwnGrant::kNone;
        is_leased = is_leased || leased_[key];
    });
    if (own_grant == Told::OwnGrant::kWaned) {
        tally.leave_open(PropertyNumber::kUnderAllocation,
                         "time had passed since the refused call had taken the lock itself");
    } else if (own_grant == Told::OwnGrant::kOver) {
        decide(PropertyNumber::kUnderAllocation);
    } else if (!is_leased) {
        decide(PropertyNumber::kUnderAllocation);
        event_.possible_most = account.possible_most + weight_of(account.operation) - 1;
        show(PropertyNumber::kUnderAllocation, {account.first_step, steps_});
    }
}

bool Ledger::lost(std::size_t caller, std::uint8_t key) {
    const auto held = accounts_[caller]->youngest(key);
    if (held == accounts_[caller]->held.rend() || held->given_up) {
        return false;
    }
    give_up_units(accounts_[caller]->held, *held);
    no_longer(caller, *held);
    event_.key = key;
    saw(kLost);
    return true;
}

void Ledger::time_passes() {
    calls_.time_passes();
    saw(kTimePassed);
    for (Account* account : accounts_) {
        for (BelievedHolding& holding : account->held) {
            if (holding.end_in_time && !holding.until) {
                holding.until = holding.end_in_time;
                holding.of_world = true;
                leased_[holding.operation.key] = true;
            }
        }
    }
}

void Ledger::believes_again(std::size_t caller, const BelievedHolding& holding) {
    judge_grant(caller, holding, false);
}

void Ledger::no_longer(std::size_t caller, const BelievedHolding& holding) {
    calls_.no_longer(caller, holding.operation, time_.now());
}

std::string Ledger::holders() const {
    std::string out;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const BelievedHolding* last = nullptr;
        for (const BelievedHolding& holding : accounts_[i]->held) {
            if (believes(i, holding) && (last == nullptr || !are_of_one_grant(*last, holding))) {
                out += (out.empty() ? "" : ", ") + config_of(i).name;
                out += weight_of(holding.operation) == 1
                           ? ""
                           : " (" + std::to_string(weight_of(holding.operation)) + ")";
                last = &holding;
            }
        }
    }
    return out;
}

JudgedCalls Ledger::calls() const { return judges_histories_ ? calls_.recorded() : JudgedCalls(); }

OutsideTally Ledger::take_tally() {
    if (judges_histories_) {
        tally.take_histories(calls_, world_);
    } else if (asks_for_several(world_.world) &&
               world_.checked(PropertyNumber::kUnexplainedHistory) != nullptr) {
        tally.remarks.insert(
            "calls ask for several keys or places; not judged: P29 unexplained-history");
    }
    return std::exchange(tally, {});
}

}  // namespace lockkeeper
