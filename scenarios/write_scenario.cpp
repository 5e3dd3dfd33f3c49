#include <utility>

#include "model/crash_takes.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/json_layout.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/write_script.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

// Fewer equal results than this are shorter written one by one.
constexpr std::size_t kRunLeast = 5;

// "worker" when the callers from `first` on are worker1, worker2, ... of one group, and how many.
std::pair<std::string, std::size_t> common_entry(const std::vector<CallerConfig>& callers,
                                                 std::size_t first) {
    const CallerConfig& leader = callers[first];
    std::size_t count = 1;
    while (first + count < callers.size() && callers[first + count].group == leader.group) {
        ++count;
    }
    if (count == 1 || leader.name.size() < 2 || leader.name.back() != '1') {
        return {leader.name, 1};
    }
    const std::string base = leader.name.substr(0, leader.name.size() - 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (callers[first + i].name != base + std::to_string(i + 1) ||
            !behave_alike(leader, callers[first + i])) {
            return {leader.name, 1};
        }
    }
    return {base, count};
}

Json written_callers(const WorldConfig& world) {
    Json entries = Json::array();
    for (std::size_t i = 0; i < world.callers.size();) {
        const auto [name, count] = common_entry(world.callers, i);
        Json entry;
        entry["name"] = name;
        if (count > 1) {
            entry["count"] = count;
        }
        if (!world.callers[i].may_crash) {
            entry["may_crash"] = false;
        }
        if (!world.callers[i].settings.empty()) {
            entry["settings"] = world.callers[i].settings;
        }
        write_script(world.callers[i], world, entry);
        entries.push_back(entry);
        i += count;
    }
    return entries;
}

Json written_parameters(const Scenario& scenario) {
    const ScenarioParameters& parameters = scenario.parameters;
    Json json;
    write_fields("parameters", scenario, json);
    for (const auto& [key, table] : parameters.tables) {
        Json& written = json["table"][key];
        written["buckets"] = table.buckets;
        if (table.highest) {
            written["highest"] = *table.highest;
        }
    }
    for (const auto& [key, kinds] : parameters.relations) {
        for (const auto& [kind, keys] : kinds) {
            json["relations"][key][kind] = keys;
        }
    }
    if (parameters.repairs) {
        const RepairChoice& repairs = *parameters.repairs;
        json["repairs"] = repairs.all_but ? Json{{"all_but", repairs.names}} : Json(repairs.names);
    }
    for (const auto& [name, number] : parameters.own) {
        json[name] = number;
    }
    const auto takes = parameters.own.find(std::string(kCrashTakesName));
    if (takes != parameters.own.end()) {
        json[takes->first] = kCrashTakesWords.at(static_cast<std::size_t>(takes->second));
    }
    return json;
}

void write_world(const Scenario& scenario, Json& json) {
    const WorldConfig& world = scenario.world;
    json["keys"] = world.keys;
    json["callers"] = written_callers(world);
    json["view"] = world.views.front();
    if (world.views.size() > 1) {
        json["resizes"] = std::vector<std::uint16_t>(world.views.begin() + 1, world.views.end());
    }
    write_fields("faults", scenario, json["faults"]);
}

// Turns in a row are one entry.
Json written_order(const std::vector<std::string>& order) {
    Json entries = Json::array();
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && order[end] == order[i]) {
            ++end;
        }
        entries.push_back(end - i == 1 ? Json(order[i])
                                       : Json({{"caller", order[i]}, {"times", end - i}}));
        i = end;
    }
    return entries;
}

void write_run(const Scenario& scenario, Json& json) {
    json["method"] = kMethodNames[static_cast<std::size_t>(scenario.method)];
    if (const auto& find = scenario.find; find && scenario.method == Method::kExplore) {
        json["find"] = {{find->smallest ? "smallest" : "largest", find->parameter},
                        {"from", find->from},
                        {"to", find->to}};
    }
    write_fields("", scenario, json);
    if (scenario.method == Method::kOrder) {
        json["order"] = written_order(scenario.order);
    }
    if (scenario.method == Method::kReplay && scenario.schedule) {
        json["schedule"] = to_line(*scenario.schedule);
    }
}

// Rates are written per second: what is per hour in a file reads back to the same number.
Json written_law(const Law& law) {
    if (law.kind == LawKind::kUniform) {
        return "uniform";
    }
    Json weights;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        weights[std::string(name_of(static_cast<ActionClass>(i)))] = law.weights[i];
    }
    Json json;
    json[law.kind == LawKind::kWeights ? "weights" : "rates_per_second"] = weights;
    return json;
}

Json written(const ExpectedResult& result) {
    switch (result.kind) {
        case ExpectedResult::Kind::kAcquired: return "acquired";
        case ExpectedResult::Kind::kCount: return result.count;
        case ExpectedResult::Kind::kFull: return "full";
        case ExpectedResult::Kind::kReleased: return "ok";
        case ExpectedResult::Kind::kDied: return "died";
        case ExpectedResult::Kind::kError: return result.error;
    }
    return nullptr;
}

Json written_results(const std::vector<ExpectedResult>& results) {
    Json list = Json::array();
    for (std::size_t i = 0; i < results.size();) {
        std::size_t end = i;
        while (end < results.size() && results[end] == results[i]) {
            ++end;
        }
        if (end - i >= kRunLeast) {
            list.push_back({{"result", written(results[i])}, {"times", end - i}});
        } else {
            list.insert(list.end(), end - i, written(results[i]));
        }
        i = end;
    }
    return list;
}

Json written_expectation(const Scenario& scenario) {
    const Expectation& expect = scenario.expect;
    Json json;
    json["verdict"] = name_of(expect.verdict);
    if (is<Violated>(expect.verdict) && !expect.properties.empty()) {
        json["properties"] = expect.properties;
    }
    write_fields("expect", scenario, json);
    if (expect.value) {
        json["value"] = *expect.value;
    }
    if (scenario.method == Method::kExplore && expect.interleavings) {
        json["interleavings"] = *expect.interleavings;
    }
    if (const auto& rates = expect.max_rate; !rates.empty()) {
        json["max_rate"] = rates;
    }
    if (scenario.method == Method::kOrder || scenario.method == Method::kReplay) {
        for (const auto& [key, counters] : expect.counters) {
            json["counters"][key] = counters;
        }
        for (const auto& [caller, results] : expect.results) {
            json["results"][caller] = written_results(results);
        }
    }
    return json;
}

}  // namespace

std::string to_json_text(const Scenario& scenario) {
    Json json;
    json["version"] = kScenarioVersion;
    if (!scenario.about.empty()) {
        json["about"] = scenario.about;
    }
    json["system"] = scenario.system;
    json["variant"] = scenario.variant;
    json["parameters"] = written_parameters(scenario);
    write_world(scenario, json);
    for (const auto& [name, budget] : scenario.parameters.faults) {
        json["faults"][name] = budget;
    }
    json["check"] = scenario.check;
    if (!scenario.reach.empty()) {
        json["reach"] = scenario.reach;
    }
    write_run(scenario, json);
    if (scenario.law) {
        json["law"] = written_law(*scenario.law);
    }
    if (scenario.traffic) {
        write_fields("traffic", scenario, json["traffic"]);
    }
    if (Json limits = Json::object(); write_fields("limits", scenario, limits), !limits.empty()) {
        json["limits"] = limits;
    }
    json["expect"] = written_expectation(scenario);
    return laid_out(json);
}

}  // namespace lockkeeper
