// SPDX-License-Identifier: Apache-2.0

// Where time stops, and the clocks of the callers: each has a wall clock and a steady one. Both may
// drift; only the wall clock has an offset, and may jump.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "model/check.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

// MariaDB waits for a lock second by second, and looks in between whether its client is there. A
// step goes through so many of them: ten minutes.
constexpr std::int64_t kMariadbSlice = 1'000'000'000;
constexpr unsigned kMariadbSlicesMax = 600;

}  // namespace

std::int64_t Wire::wall_clock(std::size_t caller) const {
    const lockkeeper_wire_caller& own = memory_->callers[caller];
    return lockkeeper_wire_shown(now(), own.clock_drift) + own.clock_offset;
}

std::int64_t Wire::when_wall_clock(std::size_t caller, std::int64_t shows) const {
    const lockkeeper_wire_caller& own = memory_->callers[caller];
    return lockkeeper_wire_moment(shows - own.clock_offset, own.clock_drift);
}

std::int64_t Wire::when_steady(std::size_t caller, std::int64_t passed) const {
    const std::int64_t drift = memory_->callers[caller].clock_drift;
    return lockkeeper_wire_moment(lockkeeper_wire_shown(now(), drift) + passed, drift);
}

void Wire::wake_server(Connection& connection, const Sleeper& sleeper) {
    if (!is_database(settings_.server)) {
        set_now(std::max(memory_.now(), sleeper.until));  // with all that ends up to then
        return;
    }
    std::optional<Sleeper> next = sleeper;
    for (unsigned slices = 0; next && slices < kMariadbSlicesMax; ++slices) {
        const std::int64_t began = next->until;
        memory_.set_now(std::max(memory_.now(), next->until));
        memory_.fire(next->slot);
        proxy_.await_woken(connection);
        const std::vector<Sleeper> left = proxy_.server_sleepers(connection);
        const bool goes_on = settings_.server == ServerKind::kMariadb && !left.empty() &&
                             left.front().until <= std::max(began, memory_.now()) + kMariadbSlice;
        next = goes_on ? std::optional(left.front()) : std::nullopt;
    }
}

void Wire::jump(std::size_t caller, std::int64_t by) {
    memory_->callers[caller].clock_offset += by;
    for (lockkeeper_wire_slot& slot : memory_->slots) {
        if (slot.used != 0 && slot.wall != 0 && slot.until != INT64_MAX &&
            slot.caller == static_cast<std::int32_t>(caller)) {
            slot.until = when_wall_clock(caller, slot.wall);
        }
    }
}

// The first wait of somebody that ends by time: of the caller, or of what serves a statement of it.
std::vector<WireRun::TimedWait> WireRun::timed_waits(std::size_t index) {
    std::vector<TimedWait> out;
    const auto& connections = wire_.proxy().of(index);
    const bool waits_for_server =
        std::any_of(connections.begin(), connections.end(), [](const auto& connection) {
            return connection->client >= 0 &&
                   (!connection->requests.empty() || !connection->replies.empty());
        });
    const std::vector<Sleeper> own = sleepers(index);
    if (!own.empty() && (!waits_for_server || drops_ < scope_.drops_max)) {
        out.push_back({own.front(), 0});
    }
    for (const auto& connection : connections) {
        const std::vector<Sleeper> at_server = wire_.proxy().server_sleepers(*connection);
        if (!at_server.empty()) {
            out.push_back({at_server.front(), static_cast<std::uint16_t>(1 + connection->number)});
        }
    }
    return out;
}

void WireRun::wake_server(std::size_t index, std::size_t number, Step& step) {
    Connection* const connection = wire_.proxy().find(index, number);
    LOCKKEEPER_CHECK(connection != nullptr);
    const std::vector<Sleeper> sleepers = wire_.proxy().server_sleepers(*connection);
    LOCKKEEPER_CHECK(!sleepers.empty());
    ++wakes_;
    step.effect.events |= StepEffect::kEverything;
    const std::int64_t left = std::max<std::int64_t>(sleepers.front().until - wire_.now(), 0);
    step.text = fmt::format("{}'s request has waited at the server for {}", name_of_caller(index),
                            shown_seconds(left));
    note_sleep(left);
    wire_.wake_server(*connection, sleepers.front());
    step.result = connection->owed > 0 ? "-> waits at the server" : "-> executed";
    if (connection->owed == 0 && !scope_.splits && !connection->replies.front().is_push) {
        step.result = "-> " + wire_.deliver(*connection);
    }
    look_at_keys(step.effect);
    look_at_answer(index, step);
}

// For a rate limiter, time also stops at the ends of windows: those of grants, and the one that
// begins with the run.
std::optional<std::int64_t> WireRun::next_stop() const {
    std::optional<std::int64_t> next = next_end();
    if (!world_.rate_limit.is_given()) {
        return next;
    }
    const auto take = [&](std::int64_t end) { next = std::min(next.value_or(end), end); };
    if (const auto end = ledger_.rates().next_end(wire_.now())) {
        take(*end);
    }
    if (const std::int64_t first = wire_.beginning() + world_.rate_limit.within + world_.rate_grain;
        first > wire_.now()) {
        take(first);
    }
    return next;
}

void WireRun::add_time(std::vector<Action>& out) {
    const auto next = next_stop();
    if (expiries_ >= scope_.expiries_max || !next || !can_pass_time()) {
        return;
    }
    const auto add = [&](std::uint16_t where) {
        out.push_back({0, ActionKind::kTime, static_cast<std::uint16_t>(where + expiries_ + 1)});
    };
    const bool is_limiter = world_.rate_limit.is_given();
    const bool is_near = is_limiter && *next - wire_.now() <= kJustBeforeIt;
    add(0);
    if ((is_limiter || !wire_.server().shows_ends()) && !is_near) {
        add(kHalfWay);
    }
    if (is_limiter && !is_near) {
        add(kJustBefore);
    }
}

// Forward, back, or either: as the scenario says.
void WireRun::add_jumps(std::size_t index, std::vector<Action>& out) {
    const Caller& caller = callers_[index];
    if (jumps_ >= scope_.jumps_max || caller.dead || (is_done(index) && caller.held.empty())) {
        return;
    }
    const NamedNumbers& settings = world_.world.callers[index].settings;
    const auto by = settings.find(kJumpSetting);
    for (const std::uint16_t way : {kJumpForward, kJumpBack}) {
        const bool is_forward = way == kJumpForward;
        if (by == settings.end() || (is_forward ? by->second > 0 : by->second < 0)) {
            out.push_back({static_cast<std::uint8_t>(index), ActionKind::kDisturb, way});
        }
    }
}

// A jump may begin or end the caller's belief to hold, which matters to others. A belief that was
// over may begin again while others hold.
constexpr std::uint32_t kOfJump =
    StepEffect::kFaults | StepEffect::kOfDone | StepEffect::kBeliefBegins | StepEffect::kRefusal |
    StepEffect::kAcquireCalled | StepEffect::kReleaseCalled | StepEffect::kReleaseReturned;

void WireRun::jump(std::size_t index, bool is_forward, Step& step) {
    Caller& caller = callers_[index];
    const std::int32_t length =
        std::abs(world_.world.callers[index].settings.value_or(kJumpSetting, kJumpMilliseconds));
    ++jumps_;
    step.effect.events |= kOfJump;
    step.text = fmt::format("{}'s wall clock jumps {} by {:g} s", name_of_caller(index),
                            is_forward ? "forward" : "back", length / 1e3);
    std::vector<bool> believed;
    for (const BelievedHolding& holding : caller.held) {
        believed.push_back(ledger_.believes(index, holding));
    }
    wire_.jump(index, std::int64_t{is_forward ? length : -length} * 1'000'000);
    for (std::size_t i = 0; i < believed.size(); ++i) {
        const bool believes_now = ledger_.believes(index, caller.held[i]);
        if (!believed[i] && believes_now) {
            ledger_.believes_again(index, caller.held[i]);
        } else if (believed[i] && !believes_now) {
            ledger_.no_longer(index, caller.held[i]);
        }
    }
}

}  // namespace lockkeeper::wire
