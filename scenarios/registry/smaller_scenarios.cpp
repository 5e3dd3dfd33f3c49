// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/smaller_scenarios.hpp"

#include <algorithm>
#include <set>

#include "scenarios/fields.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

using Changes = std::vector<ScenarioChange>;

// How many of `count` can go at once: all but `least`, then half, a quarter ... one.
std::vector<std::size_t> portions(std::size_t count, std::size_t least) {
    std::vector<std::size_t> out;
    if (count > least) {
        out.push_back(count - least);
        for (std::size_t part = count / 2; part > 0; part /= 2) {
            if (part < out.back()) {
                out.push_back(part);
            }
        }
    }
    return out;
}

// Callers of one group are interchangeable: of each group so many are kept, the first ones.
using GroupCounts = std::vector<std::size_t>;

void keep_callers(const GroupCounts& counts, Scenario& scenario) {
    GroupCounts kept(counts.size(), 0);
    std::erase_if(scenario.world.callers, [&](const CallerConfig& caller) {
        return ++kept[caller.group] > counts[caller.group];
    });
}

Changes fewer_callers(const Scenario& scenario) {
    const auto& callers = scenario.world.callers;
    GroupCounts all(callers.back().group + 1U, 0);
    for (const CallerConfig& caller : callers) {
        ++all[caller.group];
    }
    Changes changes;
    std::set<GroupCounts> known;
    for (const std::size_t portion : portions(callers.size(), 1)) {
        for (std::size_t end = callers.size(); end >= portion; --end) {
            GroupCounts counts = all;
            for (std::size_t i = end - portion; i < end; ++i) {
                --counts[callers[i].group];
            }
            if (known.insert(counts).second) {
                changes.emplace_back([counts](Scenario& other) { keep_callers(counts, other); });
            }
        }
    }
    return changes;
}

Changes smaller_fields(const Scenario& scenario) {
    Changes changes;
    for (const Field& field : all_fields()) {
        if (field.shrinks) {
            const auto number = field.get(scenario).get<std::size_t>();
            for (const std::size_t portion : portions(number, field.allowed.least)) {
                changes.emplace_back([&field, number, portion](Scenario& other) {
                    field.set(other, number - portion);
                });
            }
        }
    }
    return changes;
}

Changes fewer_resizes(const Scenario& scenario) {
    Changes changes;
    for (const std::size_t portion : portions(scenario.world.resizes_max(), 0)) {
        changes.emplace_back([portion](Scenario& other) {
            other.world.views.resize(other.world.views.size() - portion);
        });
    }
    return changes;
}

Changes fewer_faults(const Scenario& scenario) {
    Changes changes;
    for (const auto& entry : scenario.parameters.faults) {
        const auto budget = static_cast<std::size_t>(std::max(0, entry.second));
        for (const std::size_t portion : portions(budget, 0)) {
            changes.emplace_back([name = entry.first, portion](Scenario& other) {
                other.parameters.faults[name] -= static_cast<std::int32_t>(portion);
            });
        }
    }
    return changes;
}

// Where each operation begins that is not governed by another one, and the end.
std::vector<std::size_t> beginnings(const std::vector<Operation>& script) {
    std::vector<std::size_t> out;
    for (std::size_t at = 0; at < script.size(); at += 1 + script[at].governs) {
        out.push_back(at);
    }
    out.push_back(script.size());
    return out;
}

// The length of the shortest part that the script repeats, or else of the whole script.
std::size_t period_of(const std::vector<Operation>& script) {
    for (std::size_t period = 1; period <= script.size() / 2; ++period) {
        const auto second = script.begin() + static_cast<std::ptrdiff_t>(period);
        if (script.size() % period == 0 && std::equal(second, script.end(), script.begin())) {
            return period;
        }
    }
    return script.size();
}

// Changes every caller that does the same as caller `first`, so that they still do the same.
template <class Change>
void change_alike(std::size_t first, const Change& change, Scenario& scenario) {
    const CallerConfig pattern = scenario.world.callers[first];
    for (CallerConfig& caller : scenario.world.callers) {
        if (caller.repeats_forever == pattern.repeats_forever && caller.script == pattern.script) {
            change(caller);
        }
    }
}

ScenarioChange keep_operations(std::size_t caller, std::size_t begin, std::size_t end) {
    return [=](Scenario& other) {
        const auto keep = [&](CallerConfig& changed) {
            const auto at = changed.script.begin();
            changed.script = std::vector<Operation>(at + static_cast<std::ptrdiff_t>(begin),
                                                    at + static_cast<std::ptrdiff_t>(end));
        };
        change_alike(caller, keep, other);
    };
}

void add_shorter(std::size_t index, const CallerConfig& caller, Changes& changes) {
    if (caller.repeats_forever) {
        changes.emplace_back([index](Scenario& other) {
            const auto once = [](CallerConfig& changed) { changed.repeats_forever = false; };
            change_alike(index, once, other);
        });
    }
    if (const std::size_t period = period_of(caller.script); period < caller.script.size()) {
        changes.push_back(keep_operations(index, 0, period));
    }
    const std::vector<std::size_t> begins = beginnings(caller.script);
    const std::size_t count = begins.size() - 1;
    for (const std::size_t portion : portions(count, 1)) {
        changes.push_back(keep_operations(index, 0, begins[count - portion]));
        changes.push_back(keep_operations(index, begins[portion], begins[count]));
    }
}

Changes shorter_scripts(const Scenario& scenario) {
    Changes changes;
    const auto& callers = scenario.world.callers;
    for (auto caller = callers.begin(); caller != callers.end(); ++caller) {
        const bool is_known = std::any_of(callers.begin(), caller, [&](const CallerConfig& other) {
            return other.repeats_forever == caller->repeats_forever &&
                   other.script == caller->script;
        });
        if (!is_known) {
            add_shorter(static_cast<std::size_t>(caller - callers.begin()), *caller, changes);
        }
    }
    return changes;
}

// Different numbers stay different as long as they can: what a bug needs may be just that.
using Lessening = std::uint16_t (*)(std::uint16_t);
constexpr Lessening kLessenings[] = {
    [](std::uint16_t number) { return std::min<std::uint16_t>(number, 1); },
    [](std::uint16_t number) {
        return number < 2 ? number : static_cast<std::uint16_t>(number / 2);
    },
    [](std::uint16_t number) {
        return number < 2 ? number : static_cast<std::uint16_t>(number - 1);
    },
};

template <class Change>
void change_calls(const Change& change, Scenario& scenario) {
    for (CallerConfig& caller : scenario.world.callers) {
        for (Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire || operation.verb == Verb::kRelease) {
                change(operation);
            }
        }
    }
}

// The manager's max_per follows where it is the scripts' largest.
void lessen_max_per(Lessening less, Scenario& scenario) {
    std::uint16_t largest = 1;
    change_calls(
        [&](Operation& operation) {
            largest = std::max(largest, operation.place_capacity);
            operation.place_capacity = less(operation.place_capacity);
        },
        scenario);
    if (scenario.parameters.manager_max_per == largest) {
        scenario.parameters.manager_max_per = less(largest);
    }
}

// Lessens the buckets of the calls, of all sizes that a resize brings, and of warm tables.
void lessen_buckets(Lessening less, Scenario& scenario) {
    change_calls([&](Operation& operation) { operation.places = less(operation.places); },
                 scenario);
    for (std::uint16_t& view : scenario.world.views) {
        view = less(view);
    }
    for (auto& entry : scenario.parameters.tables) {
        if (is_warm(entry.second)) {
            const auto buckets = static_cast<std::uint16_t>(entry.second.buckets.size());
            entry.second = warm_table(less(buckets));
        }
    }
}

template <void (*kLessen)(Lessening, Scenario&)>
Changes lessened(const Scenario&) {
    Changes changes;
    for (const Lessening less : kLessenings) {
        changes.emplace_back([less](Scenario& other) { kLessen(less, other); });
    }
    return changes;
}

constexpr ChangesOf kKindsOfChange[] = {
    fewer_callers,   smaller_fields,           fewer_resizes,           fewer_faults,
    shorter_scripts, lessened<lessen_max_per>, lessened<lessen_buckets>};

}  // namespace

std::span<const ChangesOf> kinds_of_change() { return kKindsOfChange; }

}  // namespace lockkeeper
