// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/needs.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {
namespace {

// The most locks of each key that a script can have at once, when every acquire succeeds.
class Outstanding {
  public:
    std::size_t locks = 0;
    std::size_t remembered = 0;

    // A script that repeats for ever and gains locks each time is cut off after the second round:
    // it reaches the compiled limit and is refused there, by name.
    explicit Outstanding(const CallerConfig& caller) {
        for (int round = 0; round < (caller.repeats_forever ? 2 : 1); ++round) {
            follow(caller.script);
        }
    }

  private:
    void follow(std::span<const Operation> operations) {
        while (!operations.empty()) {
            const Operation& operation = operations.front();
            if (operation.verb == Verb::kIfHolding) {
                follow_or_pass_over(operation.key, operations.subspan(1, operation.governs));
            } else {
                follow(operation);
            }
            operations = operations.subspan(1 + operation.governs);
        }
    }

    void follow(const Operation& operation) {
        std::size_t& count = held_[operation.key];
        if (operation.verb == Verb::kAcquire) {
            ++count;
            locks = std::max(locks, count);
            if (operation.follows_resizes) {
                remembered = std::max(remembered, count);
            }
        } else if (operation.verb == Verb::kRelease && count > 0) {
            --count;
        }
    }

    // A caller that passes it over, because an acquire was refused, holds nothing of the key.
    void follow_or_pass_over(std::size_t key, std::span<const Operation> governed) {
        auto passed_over = held_;
        passed_over[key] = 0;
        if (held_[key] > 0) {
            follow(governed);
        }
        for (std::size_t i = 0; i < held_.size(); ++i) {
            held_[i] = std::max(held_[i], passed_over[i]);
        }
    }

    std::array<std::size_t, kKeysMax> held_{};
};

}  // namespace

Needs needs_of(const Scenario& scenario) {
    Needs needs;
    needs.callers = std::max(scenario.world.callers.size(), scenario.world.room_for_callers);
    needs.keys = scenario.world.keys.size();
    needs.signals = scenario.world.signals.size();
    needs.max_per = scenario.parameters.manager_max_per;
    for (const std::uint16_t view : scenario.world.views) {
        needs.buckets = std::max<std::size_t>(needs.buckets, view);
    }
    for (const auto& [key, table] : scenario.parameters.tables) {
        needs.buckets = std::max(needs.buckets, table.buckets.size());
        for (const std::int32_t counter : table.buckets) {
            needs.counter = std::max(needs.counter, static_cast<std::size_t>(std::max(counter, 0)));
        }
        needs.counter = std::max(needs.counter,
                                 static_cast<std::size_t>(std::max(table.highest.value_or(0), 0)));
    }
    const std::size_t largest_view =
        *std::max_element(scenario.world.views.begin(), scenario.world.views.end());
    std::size_t locks_of_all = 0;
    std::size_t capacity = 0;
    for (const CallerConfig& caller : scenario.world.callers) {
        needs.script = std::max(needs.script, caller.script.size());
        const Outstanding most(caller);
        needs.locks = std::max(needs.locks, most.locks);
        locks_of_all += most.locks;
        needs.remembered = std::max(needs.remembered, most.remembered);
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire || operation.verb == Verb::kRelease) {
                needs.buckets = std::max<std::size_t>(needs.buckets, operation.places);
                needs.max_per = std::max<std::size_t>(needs.max_per, operation.place_capacity);
                const std::size_t views =
                    operation.follows_resizes ? largest_view : operation.places;
                capacity = std::max(capacity, operation.place_capacity * views);
            }
        }
    }
    needs.held = std::min(locks_of_all, capacity);
    return needs;
}

bool fits(const Needs& needs, const Needs& compiled) { return lacking(needs, compiled).empty(); }

std::string lacking(const Needs& needs, const Needs& compiled) {
    struct Room {
        std::size_t Needs::*of;
        const char* what;
    };
    constexpr Room kRooms[] = {{&Needs::callers, "callers"},
                               {&Needs::keys, "keys"},
                               {&Needs::buckets, "buckets"},
                               {&Needs::max_per, "max_per"},
                               {&Needs::script, "operations in a script"},
                               {&Needs::locks, "locks of a key in one hand"},
                               {&Needs::remembered, "locks that follow resizes in one hand"},
                               {&Needs::signals, "signals"},
                               {&Needs::counter, "the counters that a table begins with"},
                               {&Needs::held, "locks of a key in all hands"}};
    std::string text;
    for (const Room& room : kRooms) {
        if (needs.*room.of > compiled.*room.of) {
            text += (text.empty() ? "" : ", ") + std::string(room.what) + " " +
                    std::to_string(needs.*room.of) + " of at most " +
                    std::to_string(compiled.*room.of);
        }
    }
    return text;
}

std::string text_of(const Needs& needs) {
    const auto some = [](std::size_t count, const char* what) {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    return some(needs.callers, "caller") + ", " + some(needs.keys, "key") + ", " +
           some(needs.buckets, "bucket") + ", max_per " + std::to_string(needs.max_per) + ", " +
           some(needs.script, "operation") + " in a script, " + some(needs.locks, "lock") +
           " of a key in one hand" +
           (needs.remembered > 0 ? " (" + std::to_string(needs.remembered) + " following resizes)"
                                 : "") +
           (needs.signals > 0 ? ", " + some(needs.signals, "signal") : "");
}

OwnNumber client_restarts() {
    return {"client_restarts", 0, 4, 0,
            "a dead client starts again, as a fresh process, with its script"};
}

}  // namespace lockkeeper
