// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/marked/marked_run.hpp"

#include <algorithm>
#include <utility>

namespace lockkeeper::threads {
namespace {

// Until the test says otherwise.
constexpr std::int64_t kFar = std::int64_t{1} << 40U;

std::string name_of(Thread thread) { return thread == 0 ? "main" : "T" + std::to_string(thread); }

// Each acquire says how large the lock is then: a limiter may change that.
Operation operation_of(const Mark& mark) {
    Operation operation;
    operation.verb = mark.what == Mark::What::kReleasing ? Verb::kRelease : Verb::kAcquire;
    operation.place_capacity = static_cast<std::uint16_t>(mark.capacity);
    return operation;
}

bool begins_call(Mark::What what) {
    return what == Mark::What::kAcquiring || what == Mark::What::kReleasing;
}

// The callers that each thread is, and the calls of each.
struct Scripts {
    std::array<std::vector<std::vector<Operation>>, kThreadsMax> of_unit;

    explicit Scripts(const std::vector<Mark>& marks) {
        std::array<std::vector<std::uint32_t>, kThreadsMax> held;
        std::array<std::uint32_t, kThreadsMax> asked{};
        for (const Mark& mark : marks) {
            std::uint32_t units = 0;
            if (mark.what == Mark::What::kAcquiring) {
                units = asked[mark.thread] = mark.units;
            } else if (mark.what == Mark::What::kAcquired) {
                held[mark.thread].push_back(asked[mark.thread]);
            } else if (mark.what == Mark::What::kReleasing) {
                units = held[mark.thread].front();
                held[mark.thread].erase(held[mark.thread].begin());
            }
            auto& scripts = of_unit[mark.thread];
            scripts.resize(std::max<std::size_t>(scripts.size(), units));
            for (std::uint32_t unit = 0; unit < units; ++unit) {
                scripts[unit].push_back(operation_of(mark));
            }
        }
    }
};

}  // namespace

OutsideWorld world_of(const std::vector<Mark>& marks, const std::vector<const Property*>& check) {
    OutsideWorld world;
    world.check = check;
    world.world.keys = {"lock"};
    world.reentrant =
        std::any_of(marks.begin(), marks.end(), [](const Mark& mark) { return mark.is_reentrant; });
    const Scripts scripts(marks);
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        for (std::size_t unit = 0; unit < scripts.of_unit[thread].size(); ++unit) {
            CallerConfig caller;
            caller.name = name_of(thread) + (unit == 0 ? "" : "/" + std::to_string(unit + 1));
            caller.script = scripts.of_unit[thread][unit];
            world.world.callers.push_back(std::move(caller));
        }
    }
    return world;
}

MarkedRun::MarkedRun(const OutsideWorld& world, const std::vector<Mark>& marks)
    : Source(world), marks_(marks), accounts_(world.world.callers.size()) {
    const Scripts scripts(marks);
    std::size_t callers = 0;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        first_caller_[thread] = callers;
        callers += scripts.of_unit[thread].size();
    }
    for (std::size_t index = 0; index < marks.size(); ++index) {
        of_thread_[marks[index].thread].push_back(index);
        has_time_ = has_time_ || marks[index].has_end;
    }
}

void MarkedRun::begin() {
    next_ = {};
    calling_ = {};
    held_ = {};
    at_rest_.reset();
    is_looking_ = false;
    now_ = 0;
    open_calls_ = 0;
    std::fill(accounts_.begin(), accounts_.end(), Account{});
    ledger_.begin(accounts_of(accounts_));
}

std::vector<Action> MarkedRun::enabled() {
    std::vector<Action> actions;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (next_[thread] < of_thread_[thread].size()) {
            actions.push_back({static_cast<std::uint8_t>(thread), ActionKind::kStep, 0});
        }
    }
    return actions;
}

void MarkedRun::expire(std::size_t caller) {
    const auto held = accounts_[caller].youngest(0);
    if (held != accounts_[caller].held.rend() && !is_over(caller, *held)) {
        held->until = now();
        ledger_.no_longer(caller, *held);
    }
}

// The callers of a thread that call together get the same answer.
void MarkedRun::answer(Thread thread, std::uint32_t units, const Told& told) {
    for (std::uint32_t unit = 0; unit < units; ++unit) {
        ledger_.answer(first_caller_[thread] + unit, told);
    }
}

void MarkedRun::tell(const Mark& mark) {
    const Thread thread = mark.thread;
    const bool was_looking = std::exchange(is_looking_, false);
    at_rest_.reset();
    Told told;
    switch (mark.what) {
        case Mark::What::kAcquiring: calling_[thread] = mark.units; break;
        case Mark::What::kAcquired:
            if (mark.has_end) {
                told.until = now() + kFar;
            }
            held_[thread].push_back(calling_[thread]);
            break;
        case Mark::What::kReleasing:
            calling_[thread] = held_[thread].front();
            held_[thread].erase(held_[thread].begin());
            break;
        case Mark::What::kReleased: break;
        case Mark::What::kRefused: told.kind = Told::Kind::kRefused; break;
        case Mark::What::kLost: told.kind = Told::Kind::kLost; break;
        case Mark::What::kExpired:
            for (std::uint32_t unit = 0; unit < held_[thread].front(); ++unit) {
                expire(first_caller_[thread] + unit);
            }
            return;
        case Mark::What::kLook: is_looking_ = open_calls_ == 0; return;
        case Mark::What::kAtRest:
            if (was_looking) {
                at_rest_ = std::int64_t{mark.units} - mark.capacity;
            }
            return;
    }
    if (!begins_call(mark.what)) {
        answer(thread, calling_[thread], told);
        --open_calls_;
        return;
    }
    ++open_calls_;
    const Operation operation = operation_of(mark);
    for (std::uint32_t unit = 0; unit < calling_[thread]; ++unit) {
        ledger_.call(first_caller_[thread] + unit, operation);
    }
}

OutsideStep MarkedRun::take(Action action) {
    const Thread thread = action.actor;
    ledger_.step();
    ++now_;
    tell(marks_[of_thread_[thread][next_[thread]++]]);
    ledger_.refresh([](std::size_t) { return false; });
    return {};
}

std::size_t MarkedRun::run(const std::vector<std::size_t>& order) {
    begin();
    for (const std::size_t mark : order) {
        take({static_cast<std::uint8_t>(marks_[mark].thread), ActionKind::kStep, 0});
        if (!ledger_.violated().empty()) {
            return static_cast<std::size_t>(now_);
        }
    }
    if (at_rest_ && at_rest()) {
        look(Look::kSearching);
    } else {
        ledger_.finish();
    }
    return order.size();
}

// The test itself has asked, in its last look. The view is the widest of all calls', and the lock
// may be smaller at rest.
Source::Asked MarkedRun::ask_fresh(const Operation& view, const Asking& asking, Look) {
    const auto most = static_cast<std::int64_t>(asking.most);
    const std::int64_t left = view.capacity() + *at_rest_ - static_cast<std::int64_t>(asking.first);
    Asked asked;
    asked.granted = std::clamp<std::int64_t>(left, 0, most);
    return asked;
}

}  // namespace lockkeeper::threads
