// SPDX-License-Identifier: Apache-2.0

// Random valid scenarios, for property tests. Inside of a property only: draws with RapidCheck.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "scenarios/arbitrary_world_test.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper::testing_scenarios {

inline std::map<std::string, ScenarioTable> arbitrary_tables(const std::vector<std::string>& keys) {
    std::map<std::string, ScenarioTable> tables;
    for (const std::string& key : some_of(keys)) {
        ScenarioTable& table = tables[key];
        table.buckets.resize(drawn<std::size_t>(1, 5));
        std::generate(table.buckets.begin(), table.buckets.end(),
                      [] { return drawn(kCounterMin, kCounterMax); });
        if (coin()) {
            table.highest = drawn<std::int32_t>(1, kBucketsMax);
        }
    }
    return tables;
}

inline NamedNumbers arbitrary_numbers(const std::vector<std::string>& names) {
    NamedNumbers numbers;
    for (const std::string& name : some_of(names)) {
        numbers[name] = drawn(-kOwnNumberMax, kOwnNumberMax);
    }
    return numbers;
}

// Turns that the scripts have operations for.
inline std::vector<std::string> arbitrary_order(const WorldConfig& world) {
    std::vector<std::string> order{world.callers.front().name};
    for (const CallerConfig& caller : world.callers) {
        const auto operations = static_cast<std::size_t>(std::count_if(
            caller.script.begin(), caller.script.end(),
            [](const Operation& operation) { return operation.verb != Verb::kIfHolding; }));
        const auto turns = drawn<std::size_t>(0, std::min<std::size_t>(operations - 1, 6));
        order.insert(order.end(), turns, caller.name);
    }
    return *rc::gen::map(rc::gen::just(order), [](std::vector<std::string> turns) {
        if (turns.size() > 2) {
            std::rotate(turns.begin(), turns.begin() + 1, turns.end());
        }
        return turns;
    });
}

inline Schedule arbitrary_schedule() {
    Schedule schedule{*rc::gen::arbitrary<std::uint64_t>(), {}};
    for (int i = drawn(0, 20); i > 0; --i) {
        Action action;
        action.kind = static_cast<ActionKind>(drawn(0, 6));
        if (action.kind != ActionKind::kResize) {
            action.actor = drawn<std::uint8_t>(0, 15);
        }
        if (action.kind != ActionKind::kResize && action.kind != ActionKind::kStep &&
            action.kind != ActionKind::kCrash) {
            action.argument = drawn<std::uint16_t>(0, 40);
        }
        schedule.actions.push_back(action);
    }
    return schedule;
}

inline std::vector<ExpectedResult> arbitrary_results(bool with_counts) {
    using Kind = ExpectedResult::Kind;
    std::vector<ExpectedResult> results;
    for (int i = drawn(0, 5); i > 0; --i) {
        ExpectedResult result;
        result.kind = *rc::gen::element(Kind::kAcquired, Kind::kFull, Kind::kReleased, Kind::kDied,
                                        Kind::kError, with_counts ? Kind::kCount : Kind::kFull);
        if (result.kind == Kind::kCount) {
            result.count = drawn<std::uint32_t>(0, 300);
        }
        if (result.kind == Kind::kError) {
            result.error = coin() ? "LockAlreadyTaken" : "DbError";
        }
        results.insert(results.end(), drawn<std::size_t>(1, 8), result);
    }
    return results;
}

inline double arbitrary_weight() { return coin() ? drawn(0, 1'000'000) / 1000.0 : drawn(0, 3); }

inline Law arbitrary_law() {
    Law law;
    law.kind = static_cast<LawKind>(drawn(0, 2));
    if (law.kind != LawKind::kUniform) {
        std::generate(law.weights.begin(), law.weights.end(), arbitrary_weight);
        law.weights[static_cast<std::size_t>(ActionClass::kStep)] += 1;
    }
    return law;
}

inline void draw_results(Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        if (coin()) {
            scenario.expect.results[caller.name] =
                arbitrary_results(scenario.parameters.returns_count);
        }
    }
}

inline void draw_relations(Scenario& scenario) {
    const std::vector<std::string>& keys = scenario.world.keys;
    for (const std::string& key : some_of(keys)) {
        scenario.parameters.relations[key]["assertive"] = some_of(keys);
    }
}

// Draws values of the keys that are not plain, by name. None: nothing is drawn.
using Draw = std::function<void(Scenario&)>;
inline const std::map<std::string, Draw>& draws() {
    static const std::map<std::string, Draw> kDraws{
        {"$schema", {}},
        {"version", {}},
        {"cases", {}},
        // The world is drawn as a whole, and the method decides which of the others there are.
        {"keys", {}},
        {"callers", {}},
        {"view", {}},
        {"resizes", {}},
        {"method", {}},
        {"find",
         [](Scenario& scenario) {
             const auto from = drawn(-kOwnNumberMax, kOwnNumberMax);
             scenario.find = BoundarySearch{"grace", coin(), from, drawn(from, kOwnNumberMax)};
         }},
        {"order", [](Scenario& scenario) { scenario.order = arbitrary_order(scenario.world); }},
        {"schedule", [](Scenario& scenario) { scenario.schedule = arbitrary_schedule(); }},
        {"law", [](Scenario& scenario) { scenario.law = arbitrary_law(); }},
        {"traffic", [](Scenario& scenario) { scenario.traffic.emplace(); }},
        {"limits", {}},
        {"rate_limit", {}},
        {"server", {}},
        {"expect", {}},
        {"parameters",
         [](Scenario& scenario) {
             scenario.parameters.own = arbitrary_numbers({"locktimeout", "grace"});
         }},
        {"parameters.table",
         [](Scenario& scenario) {
             scenario.parameters.tables = arbitrary_tables(scenario.world.keys);
         }},
        {"parameters.relations", draw_relations},
        {"parameters.repairs",
         [](Scenario& scenario) {
             scenario.parameters.repairs = {coin(), some_of({"whole_row_take", "owners_in_row"})};
         }},
        {"parameters.crash_takes",
         [](Scenario& scenario) { scenario.parameters.own["crash_takes"] = drawn(0, 2); }},
        {"faults",
         [](Scenario& scenario) {
             scenario.parameters.faults = arbitrary_numbers({"lost_replies", "clock_jumps"});
         }},
        {"expect.verdict",
         [](Scenario& scenario) {
             scenario.expect.verdict = *rc::gen::elementOf(
                 std::vector<Verdict>{Passed{}, Violated{}, Stuck{}, Inconclusive{}});
         }},
        {"expect.value",
         [](Scenario& scenario) {
             scenario.expect.value = drawn(scenario.find->from, kOwnNumberMax);
         }},
        {"expect.interleavings",
         [](Scenario& scenario) { scenario.expect.interleavings = "12345678901234567890123"; }},
        {"expect.max_rate",
         [](Scenario& scenario) {
             for (const std::string& property : some_of({"leak", "over-allocation"})) {
                 scenario.expect.max_rate[property] = drawn(0, 1'000'000) / 1e6;
             }
         }},
        {"expect.counters",
         [](Scenario& scenario) {
             for (const std::string& key : some_of(scenario.world.keys)) {
                 scenario.expect.counters[key].assign(drawn<std::size_t>(0, 4), drawn(-3, 251));
             }
         }},
        {"expect.results", draw_results},
    };
    return kDraws;
}

inline void draw_field(const Field& field, Scenario& scenario) {
    if (field.set) {
        const bool is_outside = field.object.empty() && field.key == "system" && drawn(0, 3) == 0;
        field.set(scenario,
                  is_outside ? nlohmann::json(kProgramSystem) : arbitrary_value(field.allowed));
        return;
    }
    const std::string name =
        (field.object.empty() ? "" : std::string(field.object) + ".") + std::string(field.key);
    const auto found = draws().find(name);
    if (found == draws().end()) {
        throw std::logic_error("draws() has no " + name);
    }
    if (found->second) {
        found->second(scenario);
    }
}

// Every field of the table is there, or not.
inline Scenario arbitrary_scenario() {
    Scenario scenario;
    scenario.file = "x.json";
    scenario.world = arbitrary_world();
    scenario.method = static_cast<Method>(drawn(0, 3));
    for (const Field& field : all_fields()) {
        const bool has_object = field.object != "traffic" || scenario.traffic;
        if (has_object && field.goes(scenario) && (field.required || coin())) {
            draw_field(field, scenario);
        }
    }
    RateLimit& limit = scenario.rate_limit;
    limit.burst = limit.burst == 0 ? 0 : std::max(limit.burst, limit.grants);
    limit.at_least = limit.is_given() ? std::min(limit.at_least, limit.grants) : 1;
    return scenario;
}

}  // namespace lockkeeper::testing_scenarios
