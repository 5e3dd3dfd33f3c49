// SPDX-License-Identifier: Apache-2.0

// The ledger's own part of a state's key: the data that a later judgement still reads.
#include <algorithm>

#include "model/acquired_units.hpp"
#include "validate/outside/ledger.hpp"

namespace lockkeeper {

// Writes a holding and what can still overtake it, by the order of calls, not by step numbers.
void Ledger::write_holding(std::size_t caller, const BelievedHolding& holding,
                           std::string& out) const {
    const auto add = [&](auto number) { out += std::to_string(number) + ","; };
    add(holding.operation.key);
    add(holding.operation.place_capacity);
    add(holding.operation.places);
    add(holding.operation.signal);
    add(holding.operation.amount);
    // The moment at which its time ended decides nothing.
    add(time_.is_over(caller, holding) ? INT64_MAX : holding.until.value_or(INT64_MIN));
    add(holding.token.value_or(INT64_MIN));
    add(holding.is_ending * 8 + holding.is_left * 4 + holding.overtaken * 2 + holding.given_up);
    // The grants that may overtake it; where callers see different numbers of places, their order.
    const std::uint32_t capacity = holding.operation.capacity();
    const auto add_order = [&](const Operation& other, bool is_asked, bool is_after) {
        if ((is_asked && !holding.overtaken) || other.capacity() != capacity) {
            out += is_after ? '1' : '0';
        }
    };
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const Account& other = *accounts_[i];
        if (i == caller) {
            continue;
        }
        if (other.calling && other.operation.verb == Verb::kAcquire &&
            is_of_key(other.operation, holding.operation.key)) {
            add_order(other.operation, true, other.first_step > holding.window.last);
        }
        for (const BelievedHolding& its : other.held) {
            if (its.operation.key == holding.operation.key) {
                add_order(its.operation, capacity > 1, its.window.is_wholly_after(holding.window));
            }
        }
    }
}

void Ledger::write_key(std::string& out) const {
    const auto add = [&](auto number) { out += std::to_string(number) + ","; };
    if (world_.rate_limit.is_given()) {
        rates_.write_key(time_.now(), out);
        for (const Account* account : accounts_) {
            add(account->calling ? time_.now() - account->began_at : 0);
            add(account->calling ? account->recent_most : 0);
        }
    }
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const Account& account = *accounts_[i];
        add(account.next);
        add(account.dead * 4 + account.done * 2 + account.waits_for_change);
        add(account.calling ? account.possible_most : 0);
        add(account.calling ? account.operation.places : 0);
        for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
            const auto floor = account.token_floors[key];
            add(account.calling && floor ? *floor : INT64_MIN);
        }
        std::for_each(account.doubtful.begin(), account.doubtful.end(), add);
        for (const BelievedHolding& holding : account.held) {
            write_holding(i, holding, out);
        }
        out += "/";
        if (account.subject) {
            write_holding(i, *account.subject, out);
        }
    }
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        add(ghosts_[key]);
        for (const GrantedToken& granted : tokens_[key]) {
            add(granted.token);
        }
        add(static_cast<int>(leased_[key]));
    }
}

}  // namespace lockkeeper
