// SPDX-License-Identifier: Apache-2.0

// Judges a grant by places and tokens, and notes the earlier grants that it overtakes.
#include <algorithm>

#include "model/acquired_units.hpp"
#include "validate/outside/ledger.hpp"

namespace lockkeeper {

// Callers may see different numbers of places, and the order of overlapping grants is unknown. True
// if some order leaves each grant a place: the new one, those of others and, `with_own`, those of
// its caller. The search goes backwards from the last grant: a grant that can be the last of so
// many can be the last of fewer.
bool Ledger::fits_in_some_order(std::size_t caller, const BelievedHolding& grant,
                                bool with_own) const {
    std::vector<const BelievedHolding*> grants(weight_of(grant.operation), &grant);
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        for (const BelievedHolding& holding : accounts_[i]->held) {
            if ((i != caller || with_own) && holding.operation.key == grant.operation.key &&
                believes(i, holding)) {
                grants.push_back(&holding);
            }
        }
    }
    while (!grants.empty()) {
        const auto last =
            std::find_if(grants.begin(), grants.end(), [&](const BelievedHolding* one) {
                return one->operation.capacity() >= grants.size() &&
                       std::none_of(grants.begin(), grants.end(),
                                    [&](const BelievedHolding* other) {
                                        return other->window.is_wholly_after(one->window);
                                    });
            });
        if (last == grants.end()) {
            return false;
        }
        grants.erase(last);
    }
    return true;
}

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
        if (others > 0 && !fits_in_some_order(caller, grant, false)) {
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
    const std::uint32_t before = others + (takes_own_places ? own : 0);
    event_.capacity = capacity;
    const std::uint32_t further = weight_of(grant.operation) - 1;  // beside the one that is asked
    if (before + further < capacity || !fits_in_some_order(caller, grant, takes_own_places)) {
        event_.holding_before = before + further;
    }
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
    const auto floor = account.token_floors[grant.operation.key];
    const std::int64_t token = *grant.token;
    const bool is_own =
        std::any_of(account.held.begin(), account.held.end(), [&](const BelievedHolding& holding) {
            return holding.operation.key == grant.operation.key && holding.token == token &&
                   !holding.given_up;
        });
    for (const GrantedToken& earlier : tokens_[grant.operation.key]) {
        const bool is_below = floor == earlier.token && token < earlier.token;
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

// A later call must be given a token above the largest. A call under way needs a new token above
// its floor. All smaller tokens can go.
void Ledger::forget_tokens(std::size_t caller, std::uint8_t key) {
    std::vector<GrantedToken>& tokens = tokens_[key];
    std::int64_t least = tokens.back().token;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const Account& other = *accounts_[i];
        if (i != caller && other.calling && other.operation.verb == Verb::kAcquire &&
            is_of_key(other.operation, key)) {
            least = std::min(least, other.token_floors[key].value_or(INT64_MIN));
        }
    }
    std::erase_if(tokens, [&](const GrantedToken& one) { return one.token < least; });
}

// Counts the grants of the key to others than `owner` that are in force and wholly after `earlier`.
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

// Marks the grants that the caller's newest grant overtakes.
void Ledger::note_overtaken(std::size_t caller) {
    const BelievedHolding grant = accounts_[caller]->held.back();
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        for (BelievedHolding& earlier : accounts_[i]->held) {
            // Units of a grant that is under release: grants behind the call break nothing.
            if (i == caller || earlier.overtaken || earlier.is_ending ||
                !is_of_key(grant.operation, earlier.operation.key) ||
                !grant.window.is_wholly_after(earlier.window)) {
                continue;
            }
            const auto places = std::max(earlier.operation.capacity(), grant.operation.capacity());
            earlier.overtaken =
                places == 1 || (believes(caller, grant) &&
                                later_in_force(i, earlier) + weight_of(earlier.operation) > places);
            earlier.overtaken_by = grant.window.last;
        }
    }
}

// Each key of the grant, up to the first one that breaks a promise.
void Ledger::judge_grant(std::size_t caller, const BelievedHolding& grant, bool is_new) {
    // The count stays zero, and breaks nothing, where nothing decides how many were held.
    event_.what |= kGranted;
    event_.holding_before = 0;
    event_.capacity = grant.operation.capacity();
    if (grant.until && !grant.end_in_time) {  // or else the scope lets no lock come to its end
        tally.add_lease(time_.time_left(caller, grant));
    }
    bool is_broken = false;
    for_each_key(grant.operation, [&](std::uint8_t key) {
        if (is_broken) {
            return;
        }
        BelievedHolding unit = grant;
        unit.operation.key = event_.key = key;
        leased_[key] = leased_[key] || grant.until.has_value();
        event_.holding_before = 0;
        judge_places(caller, unit, is_new);
        if (is_new) {
            judge_tokens(caller, unit);
        }
        is_broken = (event_.what & kOverlap) != 0 || event_.holding_before >= event_.capacity;
    });
}

}  // namespace lockkeeper
