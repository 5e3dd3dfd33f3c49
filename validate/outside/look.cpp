// SPDX-License-Identifier: Apache-2.0

// The look at rest, at the end of a run: fresh clients ask for one place more than is free. If they
// get it, that is P4 (double-release). Then everything ends that has an end, and they ask for all
// places that nobody holds: a place that they do not get is P2 (leak). Their grants count only as
// places: P1 (over-allocation) and P17 (belief-overlap) ignore them.
#include <utility>

#include <fmt/format.h>

#include "validate/outside/source.hpp"

namespace lockkeeper {

std::string shown_step(const std::string& text, const std::string& result) {
    return result.empty() ? text : text + " " + result;
}

void Source::observe(Observation& out) {
    ledger_.observe(out);
    out.quiescent = at_rest();
    out.now = time_shown();
}

void Source::show_in_look(Action action, std::string text, std::string result) {
    steps_of_look_.push_back({action, {}, std::move(text), std::move(result), describe(), {}});
    if (tell_) {
        tell_(steps_of_look_.back());
    }
}

void Source::look(Look how, TellStep tell) {
    tell_ = std::move(tell);
    ledger_.finish();
    std::vector<LookedAt> keys;
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        const auto view =
            widest_acquire(world_.world, static_cast<std::uint8_t>(key), places_now());
        if (view && world_.rate_limit.is_given()) {
            look_at_rate(*view, how);
        } else if (view && !is_left_alone(view->key, view->capacity())) {
            keys.push_back({*view, {}});
            look_at_once(keys.back(), how);
        }
    }
    if (world_.checked(PropertyNumber::kLeak) == nullptr || keys.empty() ||
        !ledger_.violated().empty()) {
        return;
    }
    if (!world_.gives_up_at_end) {
        pass_ends(how);
    }
    for (const LookedAt& key : keys) {
        look_later(key, how);
    }
}

// A fresh client asks one window after the last grant that may have happened.
void Source::look_at_rate(const Operation& view, Look how) {
    if (world_.checked(PropertyNumber::kUnderRate) == nullptr || !ledger_.violated().empty() ||
        !ledger_.rates().was_granted(view.key)) {
        return;
    }
    const std::int64_t free_at = ledger_.rates().free_at(view.key);
    if (free_at == kAnyLater || !is_held()) {
        ledger_.tally.leave_open(PropertyNumber::kUnderRate, kLookMayCount);
        return;
    }
    if (free_at > now()) {
        pass_until(free_at, how);
    }
    const Asked asked = ask_fresh(view, {0, 1, false}, how);
    if (asked.is_unknown) {
        ledger_.tally.leave_open(PropertyNumber::kUnderRate, kLookMayHaveMore);
        return;
    }
    ledger_.decide(PropertyNumber::kUnderRate);
    if (asked.granted == 0 && is_lost_for_ever()) {
        ledger_.note(PropertyNumber::kUnderRate);
    }
}

// The models that --against compares with leave such keys alone, too.
bool Source::is_left_alone(std::uint8_t key, std::uint32_t capacity) const {
    return world_.gives_up_at_end && (ledger_.is_lease(key) || ledger_.held_count(key) >= capacity);
}

void Source::look_at_once(LookedAt& key, Look how) {
    const std::uint32_t capacity = key.view.capacity();
    const std::uint32_t held = ledger_.places_held(key.view.key, capacity);
    if (held > capacity || !asks_at_once(capacity, held)) {
        return;
    }
    key.at_once = ask_fresh(key.view, {0, capacity - held + 1, false}, how);
    if (!key.at_once.is_cut && !key.at_once.is_unknown) {
        ledger_.decide(PropertyNumber::kDoubleRelease);
    }
    if (key.at_once.granted > capacity - held) {
        ledger_.note(PropertyNumber::kDoubleRelease);
    }
}

void Source::look_later(const LookedAt& key, Look how) {
    const std::uint32_t capacity = key.view.capacity();
    const std::size_t of_callers = ledger_.places_held(key.view.key, capacity);
    if (of_callers >= capacity) {
        return;  // nothing is left that could be lost
    }
    const std::size_t still = still_held(key);
    const std::size_t held = of_callers + still;
    Asked asked;
    if (held < capacity && !key.at_once.is_unknown && !world_.gives_up_at_end) {
        asked = ask_fresh(key.view, {still, capacity - held, true}, how);
    }
    if (key.at_once.is_unknown || asked.is_unknown) {
        ledger_.tally.leave_open(PropertyNumber::kLeak, kLookMayHaveMore);
        return;
    }
    if (asked.is_cut) {
        ledger_.tally.leave_open(PropertyNumber::kLeak,
                                 fmt::format("the look at the end asks for {} places at most",
                                             still + static_cast<std::size_t>(asked.granted)));
        return;
    }
    ledger_.decide(PropertyNumber::kLeak);
    if (static_cast<std::int64_t>(held) + asked.granted < capacity && is_lost_for_ever()) {
        ledger_.note(PropertyNumber::kLeak);
    }
}

}  // namespace lockkeeper
