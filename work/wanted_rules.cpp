// SPDX-License-Identifier: Apache-2.0
#include "work/wanted_rules.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

bool returns(const Event& event) {
    constexpr std::uint32_t kReturns =
        kAcquired | kRefused | kReleased | kFailed | kDone | kNothingToRelease;
    return (event.what & kReturns) != 0;
}

const char* why_wrong(const WantedOperation& wanted, const Event& event, bool has_effect) {
    const bool is_ok = event.is(kAcquired) || event.is(kReleased) || event.is(kDone);
    switch (wanted.answer) {
        case WantedAnswer::kAny: return nullptr;
        case WantedAnswer::kOk: return is_ok ? nullptr : "it is refused";
        case WantedAnswer::kRefused: return is_ok ? "it is not refused" : nullptr;
        case WantedAnswer::kEffect: return has_effect ? nullptr : "it has no effect";
    }
    return nullptr;
}

}  // namespace

bool is_wanted_call(Verb verb) {
    return verb == Verb::kAcquire || verb == Verb::kRelease || verb == Verb::kCall;
}

WantedRules::WantedRules(const std::vector<WantedOperation>& operations) : operations_(operations) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::size_t caller = operations[i].caller;
        own_.resize(std::max(own_.size(), caller + 1));
        place_.push_back(own_[caller].size());
        own_[caller].push_back(i);
    }
    for (const std::vector<std::size_t>& own : own_) {
        std::size_t must = own.size();
        while (must > 0 && !operations[own[must - 1]].must_return) {
            --must;
        }
        must_.push_back(must);
    }
}

bool WantedRules::is_done(const WantedProgress& progress) const {
    for (std::size_t caller = 0; caller < progress.size(); ++caller) {
        if (progress[caller].returned < must_[caller]) {
            return false;
        }
    }
    return true;
}

std::size_t WantedRules::returned(const WantedProgress& progress) {
    std::size_t count = 0;
    for (const CallerProgress& one : progress) {
        count += one.returned;
    }
    return count;
}

const char* WantedRules::follow(WantedProgress& progress, const Event& event) const {
    if (event.caller >= own_.size()) {
        return nullptr;
    }
    CallerProgress& own = progress[event.caller];
    if (event.is(kInvoked) && is_wanted_call(event.invoked)) {
        if (!may_begin(progress, event)) {
            return kTooEarly;
        }
        own.is_open = 1;
    }
    if (own.is_open == 0) {
        return nullptr;
    }
    const WantedOperation& wanted = operations_[own_[event.caller][own.returned]];
    if (event.is(kEffectRefused) && wanted.answer == WantedAnswer::kEffect) {
        return "the write is refused";
    }
    own.has_effect = own.has_effect != 0 || event.is(kEffect) ? 1 : 0;
    if (!returns(event)) {
        return nullptr;
    }
    if (const char* why = why_wrong(wanted, event, own.has_effect != 0)) {
        return why;
    }
    ++own.returned;
    own.is_open = own.has_effect = 0;
    return nullptr;
}

bool WantedRules::may_begin(const WantedProgress& progress, const Event& event) const {
    if (progress[event.caller].is_open != 0 || !has_next(progress, event.caller)) {
        return false;
    }
    const WantedOperation& wanted = operations_[next_of(progress, event.caller)];
    return wanted.verb == event.invoked &&
           std::all_of(wanted.after.begin(), wanted.after.end(), [&](std::size_t before) {
               return progress[operations_[before].caller].returned > place_[before];
           });
}

std::size_t WantedRules::first_missing(const WantedProgress& progress) const {
    std::size_t missed = 0;
    while (missed + 1 < operations_.size() &&
           progress[operations_[missed].caller].returned > place_[missed]) {
        ++missed;
    }
    return missed;
}

}  // namespace lockkeeper
