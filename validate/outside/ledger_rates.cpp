// SPDX-License-Identifier: Apache-2.0

// A rate limiter's grants are counted, not held. P31 (over-rate): more grants than the burst are
// certainly in one window. P32 (under-rate): a refusal, and at every moment of the call too few
// grants could be in the last window.
#include <algorithm>

#include "validate/outside/ledger.hpp"

namespace lockkeeper {

// For the caller's acquire under way: counts others under way as if granted at this moment.
void Ledger::note_recent(std::size_t caller) {
    Account& account = *accounts_[caller];
    std::uint32_t recent = rates_.possible(account.operation.key, time_.now());
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const Account& other = *accounts_[i];
        recent += i != caller && other.calling && other.operation.verb == Verb::kAcquire &&
                          other.operation.key == account.operation.key
                      ? 1U
                      : 0U;
    }
    account.recent_most = std::max(account.recent_most, recent);
}

std::string Ledger::granted_lately() const {
    std::uint32_t grants = 0;
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        grants += rates_.possible(static_cast<std::uint8_t>(key), time_.now());
    }
    return std::to_string(grants) + (grants == 1 ? " grant" : " grants") + " in the window";
}

void Ledger::doubt_rate(const Account& account) {
    rates_.doubt(account.operation.key, account.began_at,
                 time_.effects_end() ? time_.now() : kAnyLater);
}

void Ledger::judge_rate(const Account& account, const Told& told) {
    if (!time_.is_held()) {
        for (const PropertyNumber number :
             {PropertyNumber::kOverRate, PropertyNumber::kUnderRate}) {
            tally.leave_open(number, "somebody runs on real time, which nobody here can hold");
        }
        return;
    }
    const RateLimit& limit = world_.rate_limit;
    const std::uint8_t key = account.operation.key;
    const bool is_granted = told.kind == Told::Kind::kOk;
    if (rates_.certain(key, time_.now()).size() >= limit.grants) {
        decide(PropertyNumber::kOverRate);
    }
    if (account.recent_most < limit.at_least && rates_.was_granted(key)) {
        decide(PropertyNumber::kUnderRate);
    }
    if (is_granted) {
        rates_.grant(key, account.began_at, time_.now(), steps_);
        const std::vector<std::uint32_t> steps = rates_.certain(key, time_.now());
        if (steps.size() > limit.most()) {
            event_.note(Breach::kOverRate);
            show(PropertyNumber::kOverRate, steps);
        }
    } else if (account.recent_most < limit.at_least) {
        event_.note(Breach::kUnderRate);
        show(PropertyNumber::kUnderRate, {account.first_step, steps_});
    }
}

// Ends an acquire that was granted or refused.
Ledger::Changed Ledger::end_rated(const Account& account, const Told& told) {
    const bool is_granted = told.kind == Told::Kind::kOk;
    judge_rate(account, told);
    if (is_granted) {
        event_.what |= kGranted;
        tally.add_grant();
    }
    return {.begins = is_granted};
}

}  // namespace lockkeeper
