// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/script_place.hpp"

#include <algorithm>
#include <iterator>

#include "model/acquired_units.hpp"
#include "validate/outside/grant_units.hpp"

namespace lockkeeper {

std::vector<BelievedHolding>::reverse_iterator ScriptPlace::youngest(std::uint8_t key) {
    return std::find_if(held.rbegin(), held.rend(), [&](const BelievedHolding& holding) {
        return holding.operation.key == key;
    });
}

void ScriptPlace::advance(const CallerConfig& config, std::size_t by) {
    next += by;
    if (next >= config.script.size() && config.repeats_forever) {
        next = 0;
    }
    done = next >= config.script.size();
}

std::optional<LeftOut> ScriptPlace::pass_over_one(const CallerConfig& config,
                                                  const Believes& believes) {
    const Operation& passed = upcoming(config);
    const auto own = youngest(passed.key);
    const char* why = own == held.rend() ? "nothing was acquired"
                      : own->given_up    ? "the lock was lost (error 22)"
                                         : "the time of the lock was over";
    if (passed.verb == Verb::kIfHolding) {
        const bool holds = std::any_of(held.begin(), held.end(), [&](const auto& holding) {
            return holding.operation.key == passed.key && believes(holding);
        });
        const auto first = config.script.begin() + static_cast<std::ptrdiff_t>(next) + 1;
        const auto operations = std::count_if(first, first + passed.governs, [](const auto& left) {
            return left.verb != Verb::kIfHolding;
        });
        advance(config, holds ? 1 : std::size_t{1} + passed.governs);
        return holds ? LeftOut{} : LeftOut{static_cast<std::uint64_t>(operations), why};
    }
    const bool needs_holding = passed.verb == Verb::kRelease || passed.verb == Verb::kCall;
    if (!needs_holding || passed.unchecked || (own != held.rend() && !own->given_up)) {
        return std::nullopt;
    }
    if (passed.verb == Verb::kRelease && own != held.rend()) {
        const BelievedHolding lost = *own;
        held.erase(std::next(own).base());
        static_cast<void>(take_units(held, lost));
    }
    advance(config);
    return LeftOut{1, why};
}

void ScriptPlace::pass_over(const CallerConfig& config, const Believes& believes,
                            const std::function<bool()>& wakes, PassedOverCounts& counts) {
    // A script that repeats for ever and passes over everything would never end here.
    for (std::size_t i = 0; i <= config.script.size() && !done; ++i) {
        if (const auto left_out = pass_over_one(config, believes)) {
            if (left_out->operations > 0) {
                counts[left_out->why] += left_out->operations;
            }
        } else if (wakes()) {
            advance(config);
        } else {
            return;
        }
    }
}

void ScriptPlace::hold(const BelievedHolding& grant, const CallerConfig& config,
                       const Believes& believes) {
    if (config.repeats_forever) {
        // Without this, ended holdings would pile up in a script that never releases.
        std::erase_if(held, [&](const BelievedHolding& holding) {
            return is_of_key(grant.operation, holding.operation.key) && !believes(holding);
        });
    }
    for_each_key(grant.operation, [&](std::uint8_t key) {
        BelievedHolding unit = grant;
        unit.operation.key = key;
        held.insert(held.end(), weight_of(grant.operation), unit);
    });
}

Operation ScriptPlace::resolved(Operation operation, std::uint16_t view) const {
    if (!operation.follows_resizes) {
        return operation;
    }
    operation.places = view;
    for (const BelievedHolding& holding : held) {
        if (holding.operation.key == operation.key && operation.verb == Verb::kRelease) {
            operation.places = holding.operation.places;
        }
    }
    return operation;
}

std::optional<BelievedHolding> ScriptPlace::take_subject(const Operation& operation) {
    const auto own = youngest(operation.key);
    if (operation.verb == Verb::kAcquire || own == held.rend()) {
        return std::nullopt;
    }
    BelievedHolding subject = *own;
    if (operation.verb == Verb::kRelease) {
        held.erase(std::next(own).base());
    }
    return subject;
}

bool asks_for_several(const WorldConfig& world) {
    return std::any_of(world.callers.begin(), world.callers.end(), [](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), takes_several);
    });
}

// No two calls of one caller that take several begin and end with the same steps.
bool are_of_one_grant(const BelievedHolding& left, const BelievedHolding& right) {
    return takes_several(left.operation) && takes_several(right.operation) &&
           left.window.first == right.window.first && left.window.last == right.window.last;
}

void give_up_units(std::vector<BelievedHolding>& held, const BelievedHolding& unit) {
    for (BelievedHolding& holding : held) {
        holding.given_up = holding.given_up || &holding == &unit || are_of_one_grant(holding, unit);
    }
}

void end_units(std::vector<BelievedHolding>& held, const BelievedHolding& unit) {
    for (BelievedHolding& holding : held) {
        if (are_of_one_grant(holding, unit)) {
            holding.given_up = holding.is_ending = true;
        }
    }
}

void renew_units(std::vector<BelievedHolding>& held, const BelievedHolding& unit,
                 const BelievedHolding& renewed) {
    for (BelievedHolding& holding : held) {
        if (&holding == &unit || are_of_one_grant(holding, unit)) {
            holding.until = renewed.until;
            holding.of_world = renewed.of_world;
            holding.end_in_time = renewed.end_in_time;
            holding.is_left = renewed.is_left;
        }
    }
}

std::vector<BelievedHolding> take_units(std::vector<BelievedHolding>& held,
                                        const BelievedHolding& unit) {
    const auto units = std::stable_partition(
        held.begin(), held.end(),
        [&](const BelievedHolding& holding) { return !are_of_one_grant(holding, unit); });
    std::vector<BelievedHolding> out(units, held.end());
    held.erase(units, held.end());
    return out;
}

ActionClass class_of_beginning(const Operation& operation) {
    return operation.verb == Verb::kAcquire   ? ActionClass::kArrival
           : operation.verb == Verb::kRelease ? ActionClass::kDeparture
                                              : ActionClass::kStep;
}

void pass_signal(const Operation& operation, std::vector<std::uint32_t>& signals) {
    std::uint32_t& count = signals[operation.signal];
    if (operation.verb == Verb::kSignal) {
        count = std::min(count + operation.amount, kSignalCountMax);
    } else {
        count -= operation.keep ? 0U : operation.amount;
    }
}

std::optional<Operation> widest_acquire(const WorldConfig& world, std::uint8_t key,
                                        std::uint16_t view) {
    std::optional<Operation> widest;
    for (const CallerConfig& config : world.callers) {
        for (const Operation& operation : config.script) {
            if (operation.verb == Verb::kAcquire && is_of_key(operation, key)) {
                Operation seen = ScriptPlace().resolved(operation, view);
                seen.key = key;
                seen.signal = 0;
                seen.amount = 1;
                widest = !widest || seen.capacity() > widest->capacity() ? seen : *widest;
            }
        }
    }
    return widest;
}

}  // namespace lockkeeper
