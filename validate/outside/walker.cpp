// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/walker.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

bool always(const Observation&, const Event&) { return true; }

}  // namespace

std::vector<Property> as_event_bits(const std::vector<const Property*>& check) {
    constexpr std::size_t kBits = 24;  // below those that say more than the step itself
    LOCKKEEPER_CHECK(check.size() <= kBits);
    std::vector<Property> out;
    for (std::size_t i = 0; i < check.size(); ++i) {
        Property& shown = out.emplace_back(*check[i]);
        shown.kind = PropertyKind::kAlways;
        shown.triggers = 1U << i;
        shown.needs_observation = false;
        shown.holds_not = always;
    }
    return out;
}

OutsideWalker::OutsideWalker(OutsideSearch& search, const std::vector<const Property*>& check,
                             const Law& law, std::optional<OutsideFinding>& bad_run,
                             OutsideTally& tally)
    : source_(search.source()), check_(check), law_(law), bad_run_(bad_run), tally_(tally) {
    source_.stop_by({search.deadline()});
}

void OutsideWalker::begin() {
    actions_.clear();
    violated_ = 0;
    is_over_ = false;
    try {
        source_.begin();
        tally_ += source_.take_tally();
        ++tally_.answers.runs;
    } catch (const Stopped&) {
        source_.give_up();
        throw LimitExceeded(interrupt_requested() ? "interrupted" : "time");
    }
}

std::uint32_t OutsideWalker::news(const std::vector<const Property*>& violated) {
    std::uint32_t bits = 0;
    for (const Property* property : violated) {
        const auto place = std::find(check_.begin(), check_.end(), property) - check_.begin();
        bits |= 1U << static_cast<std::uint32_t>(place);
    }
    bits &= ~violated_;
    if (bits != 0 && !bad_run_) {
        bad_run_.emplace();
        bad_run_->property = violated.front();
        bad_run_->actions = actions_;
        bad_run_->found_by = "the law";
    }
    violated_ |= bits;
    return bits;
}

// Draws an action by weight; nothing: no action has a weight.
std::optional<Action> OutsideWalker::chosen(const std::vector<Action>& enabled, Walk& walk) {
    std::vector<double> weights;
    double sum = 0;
    for (const Action action : enabled) {
        sum += weights.emplace_back(law_.weight(source_.class_of(action)));
    }
    if (sum <= 0) {
        return std::nullopt;
    }
    walk.seconds += law_.kind == LawKind::kRates ? 1 / sum : 0;
    double left = walk.random.unit() * sum;
    std::optional<Action> last;
    for (std::size_t i = 0; i < enabled.size(); ++i) {
        if (weights[i] <= 0) {
            continue;
        }
        last = enabled[i];
        left -= weights[i];
        if (left < 0) {
            break;
        }
    }
    return last;
}

WalkStop OutsideWalker::step(Walk& walk) {
    const std::vector<Action> enabled = source_.enabled();
    if (source_.is_deadlock(enabled)) {
        source_.note_deadlock();
    }
    walk.event = {};
    walk.event.what = news(source_.violated());
    if (walk.event.what != 0) {
        is_over_ = true;  // a deadlock
        return WalkStop::kShown;
    }
    const auto action = chosen(enabled, walk);
    if (!action) {
        is_over_ = true;
        if (source_.finished()) {
            source_.look(Look::kSearching);
            tally_ += source_.take_tally();
            walk.event.what = news(source_.violated());
        }
        return walk.event.what != 0 ? WalkStop::kShown : WalkStop::kFinished;
    }
    actions_.push_back(*action);
    static_cast<void>(source_.take(*action));
    ++walk.steps;
    const OutsideTally told = source_.take_tally();
    walk.grants += told.answers.grants;
    tally_ += told;
    walk.event.what = news(source_.violated());
    return walk.event.what != 0 ? WalkStop::kShown : WalkStop::kSteps;
}

WalkStop OutsideWalker::walk(Walk& walk) {
    try {
        while (!is_over_) {
            if (walk.steps >= walk.steps_end) {
                return WalkStop::kSteps;
            }
            const WalkStop stop = step(walk);
            if (stop == WalkStop::kFinished ||
                (stop == WalkStop::kShown && (walk.event.what & walk.triggers) != 0)) {
                return stop;
            }
        }
        return WalkStop::kFinished;
    } catch (const Stopped&) {
        source_.give_up();
        throw LimitExceeded(interrupt_requested() ? "interrupted" : "time");
    } catch (const Misbehaved&) {
        source_.give_up();
        throw;
    }
}

std::size_t OutsideWalker::state_bytes() const { unreachable("a process has no state to keep"); }
void OutsideWalker::save(std::byte* /*to*/) const { unreachable("a process is not kept"); }
void OutsideWalker::load(const std::byte* /*from*/) { unreachable("a process is not kept"); }

}  // namespace lockkeeper
