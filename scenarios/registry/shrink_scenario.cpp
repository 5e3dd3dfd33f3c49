// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/shrink_scenario.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "model/check.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/registry/vary.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {
namespace {

// Changes to something smaller. Nothing here knows whether the changed scenario is valid, or fails
// still. Numbers of the system, the law and the keys stay as they are.
using ScenarioChange = std::function<void(Scenario&)>;
using Changes = std::vector<ScenarioChange>;
// All changes of one kind that this scenario has; each is to be applied to that very scenario.
using ChangesOf = Changes (*)(const Scenario& scenario);

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

// In this order; the largest change of each kind comes first.
constexpr ChangesOf kKindsOfChange[] = {
    fewer_callers,   smaller_fields,           fewer_resizes,           fewer_faults,
    shorter_scripts, lessened<lessen_max_per>, lessened<lessen_buckets>};

class ScenarioShrinker {
  public:
    ScenarioShrinker(const Registry& registry, const Scenario& scenario, const Property& property,
                     std::size_t steps_max, const ShrinkLimits& limits)
        : registry_(registry),
          property_(property),
          steps_max_(steps_max),
          limits_(limits),
          scenario_(only_to_explore(scenario, {std::string(property.name)})) {}

    std::optional<SmallerScope> shrink() {
        for (bool is_smaller = true; is_smaller;) {
            is_smaller = false;
            for (const ChangesOf changes_of : kKindsOfChange) {
                while (takes_one_of(changes_of(scenario_))) {
                    is_smaller = true;
                }
            }
        }
        if (runner_ == nullptr) {
            return std::nullopt;
        }
        return SmallerScope{std::move(scenario_), std::move(runner_), std::move(violation_)};
    }

  private:
    bool takes_one_of(const Changes& changes) {
        return std::any_of(changes.begin(), changes.end(),
                           [&](const ScenarioChange& change) { return takes(change); });
    }

    bool takes(const ScenarioChange& change) {
        Scenario changed = scenario_;
        change(changed);
        leave_out_unknown(changed);
        const std::string text = to_json_text(changed);
        if (text == to_json_text(scenario_) || !tried_.insert(text).second) {
            return false;
        }
        // Numbers of callers and keys are those that the trace's reader will give them.
        auto parsed = parse_scenario(text, scenario_.file);
        auto* candidate = std::get_if<Scenario>(&parsed);
        if (candidate == nullptr) {
            return false;
        }
        try {
            return fails_still(*candidate);
        } catch (const LimitExceeded&) {
            return false;
        }
    }

    // Where there is no manager, what it would have been started with is derived, as in a file that
    // does not say.
    void leave_out_unknown(Scenario& changed) const {
        const RegisteredSystem* known = registry_.find(changed.system, changed.variant);
        if (known != nullptr && !knows(known->vocabulary, FormatKey::kManager)) {
            changed.parameters.manager_max_per = largest_max_per(changed.world);
        }
    }

    // If so, it is the scenario from now on.
    bool fails_still(Scenario& candidate) {
        if (explorations_ == kSmallerExplorationsMax || interrupt_requested() ||
            limits_.deadline.is_past()) {
            return false;
        }
        MadeRunner made = registry_.make(candidate);
        if (!std::holds_alternative<std::unique_ptr<Runner>>(made)) {
            return false;
        }
        auto runner = std::move(std::get<std::unique_ptr<Runner>>(made));
        if ((property_.needs & ~runner->features()) != 0) {
            return false;
        }
        ++explorations_;
        ExploreResult result = runner->explore(options_for(candidate));
        for (FoundViolation& violation : result.violations) {
            if (violation.property == &property_ &&
                violation.schedule.actions.size() <= steps_max_) {
                steps_max_ = violation.schedule.actions.size();
                violation_ = std::move(violation);
                scenario_ = std::move(candidate);
                runner_ = std::move(runner);
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] ExploreOptions options_for(const Scenario& candidate) const {
        ExploreOptions options;
        options.check = {&property_};
        options.counting = Counting::kOff;
        options.symmetry = candidate.symmetry;
        options.stop_at_first = true;
        options.states_max = kSmallerStatesMax;
        options.depth_max = steps_max_;
        options.seconds_max = limits_.deadline.left();
        options.process_bytes_max = limits_.process_bytes_max;
        return options;
    }

    const Registry& registry_;
    const Property& property_;
    std::size_t steps_max_;
    ShrinkLimits limits_;
    Scenario scenario_;               // the smallest so far
    std::unique_ptr<Runner> runner_;  // of it; null: nothing smaller has been found
    FoundViolation violation_;
    std::set<std::string> tried_;
    int explorations_ = 0;
};

}  // namespace

std::optional<SmallerScope> shrink_scenario(const Registry& registry, const Scenario& scenario,
                                            const Property& property, std::size_t steps_max,
                                            const ShrinkLimits& limits) {
    return ScenarioShrinker(registry, scenario, property, steps_max, limits).shrink();
}

}  // namespace lockkeeper
