// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/script_place.hpp"

#include <algorithm>

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
        held.erase(std::next(own).base());
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
            return holding.operation.key == grant.operation.key && !believes(holding);
        });
    }
    held.push_back(grant);
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
            if (operation.verb == Verb::kAcquire && operation.key == key) {
                const Operation seen = ScriptPlace().resolved(operation, view);
                widest = !widest || seen.capacity() > widest->capacity() ? seen : *widest;
            }
        }
    }
    return widest;
}

}  // namespace lockkeeper
