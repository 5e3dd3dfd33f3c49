// SPDX-License-Identifier: Apache-2.0

// The clocks of the callers: each has a wall clock and a steady one. Both may drift; only the wall
// clock has an offset, and may jump.
#include <cstdlib>

#include <fmt/format.h>

#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

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

void Wire::jump(std::size_t caller, std::int64_t by) {
    memory_->callers[caller].clock_offset += by;
    for (lockkeeper_wire_slot& slot : memory_->slots) {
        if (slot.used != 0 && slot.wall != 0 && slot.until != INT64_MAX &&
            slot.caller == static_cast<std::int32_t>(caller)) {
            slot.until = when_wall_clock(caller, slot.wall);
        }
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

// What a jump may change for others: that somebody believes to hold, or no longer. A belief that
// was over may begin again, while others hold.
constexpr std::uint32_t kOfJump = StepEffect::kFaults | StepEffect::kOfDone | StepEffect::kGranted |
                                  StepEffect::kRefused | StepEffect::kAcquireCalled |
                                  StepEffect::kReleaseCalled | StepEffect::kReleaseReturned;

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
        believed.push_back(believes(caller, holding));
    }
    wire_.jump(index, std::int64_t{is_forward ? length : -length} * 1'000'000);
    for (std::size_t i = 0; i < believed.size(); ++i) {
        if (!believed[i] && believes(caller, caller.held[i])) {
            judge_grant(caller, caller.held[i], false);
        }
    }
}

}  // namespace lockkeeper::wire
