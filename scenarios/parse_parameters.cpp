#include <algorithm>

#include <fmt/format.h>

#include "model/crash_takes.hpp"
#include "model/observation.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kRepairsMax = 32;

// {"warm": n}: n empty buckets that exist, all of them registered.
ScenarioTable warm_table(const Place& buckets_count) {
    const auto count = buckets_count.integer<std::int32_t>(1, kBucketsMax);
    return {std::vector<std::int32_t>(static_cast<std::size_t>(count), 0), count};
}

bool is_warm(const Place& place) {
    const auto warm = place.find("warm");
    return warm && warm->is_integer();
}

ScenarioTable parse_table_of_key(const Place& place) {
    if (place.is_text()) {
        static_cast<void>(place.word({"cold"}));
        return {};
    }
    if (is_warm(place)) {
        return warm_table(place.has_only({"warm"}).at("warm"));
    }
    place.has_only({"buckets", "highest"});
    ScenarioTable table;
    for (const Place& counter : place.at("buckets").elements(0, kBucketsMax)) {
        table.buckets.push_back(counter.integer<std::int32_t>(kCounterMin, kCounterMax));
    }
    if (const auto highest = place.find("highest")) {
        table.highest = highest->integer<std::int32_t>(1, kBucketsMax);
    }
    return table;
}

void parse_tables(const Place& place, Scenario& scenario) {
    auto& tables = scenario.parameters.tables;
    if (place.is_text()) {
        static_cast<void>(place.word({"cold"}));
        return;
    }
    if (is_warm(place)) {
        const ScenarioTable table = warm_table(place.has_only({"warm"}).at("warm"));
        for (const std::string& key : scenario.world.keys) {
            tables[key] = table;
        }
        return;
    }
    for (const auto& [key, table_place] : place.members()) {
        refuse_unknown(table_place, "key", key, scenario.world.keys);
        const ScenarioTable table = parse_table_of_key(table_place);
        if (!table.buckets.empty() || table.highest) {
            tables[key] = table;
        }
    }
}

// {"read": {"cooperative": ["write"]}}: names of keys.
void parse_relations(const Place& place, Scenario& scenario) {
    for (const auto& [key, kinds] : place.members()) {
        refuse_unknown(kinds, "key", key, scenario.world.keys);
        for (const auto& [kind, list] : kinds.members()) {
            auto& related = scenario.parameters.relations[key][kind];
            related = parse_names(list, kKeysMax);
            for (const std::string& name : related) {
                refuse_unknown(list, "key", name, scenario.world.keys);
            }
        }
    }
}

RepairChoice parse_repairs(const Place& place) {
    if (place.is_array()) {
        return {false, parse_names(place, kRepairsMax)};
    }
    if (!place.is_object()) {
        place.refuse_type("a list of names or {\"all_but\": [...]}");
    }
    return {true, parse_names(place.has_only({"all_but"}).at("all_but"), kRepairsMax)};
}

// Those of the keys that say something. The text of a trace has all of them, and of a shrunk
// scenario a "manager_max_per" that is no longer the largest: whether its author gave one is not
// known.
void note_given_keys(const Scenario& scenario, bool is_in_trace, ScenarioSource& source) {
    Scenario without;
    without.parameters.manager_max_per =
        is_in_trace ? scenario.parameters.manager_max_per : largest_max_per(scenario.world);
    for (const Field& field : all_fields()) {
        if (field.part && field.get(scenario) != field.get(without)) {
            source.given.push_back({*field.part, fmt::format("/{}/{}", field.object, field.key)});
        }
    }
    if (!scenario.parameters.tables.empty()) {
        source.given.push_back({FormatKey::kTable, "/parameters/table"});
    }
}

}  // namespace

std::uint16_t largest_max_per(const WorldConfig& world) {
    std::optional<std::uint16_t> largest;
    for (const CallerConfig& caller : world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire || operation.verb == Verb::kRelease) {
                largest = std::max(largest.value_or(0), operation.place_capacity);
            }
        }
    }
    return largest.value_or(1);
}

void parse_parameters(const Place& document, Scenario& scenario, ScenarioSource& source) {
    ScenarioParameters& parameters = scenario.parameters;
    parameters.manager_max_per = largest_max_per(scenario.world);
    if (const auto faults = document.find("faults")) {
        parameters.faults = parse_numbers(*faults, keys_of("faults"));
        read_fields("faults", *faults, scenario);
    }
    const auto place = document.find("parameters");
    if (!place) {
        return;
    }
    parameters.own = parse_numbers(*place, keys_of("parameters"));
    if (const auto takes = place->find(kCrashTakesName)) {
        parameters.own[std::string(kCrashTakesName)] = static_cast<std::int32_t>(
            takes->word({kCrashTakesWords[0], kCrashTakesWords[1], kCrashTakesWords[2]}));
    }
    if (const auto relations = place->find("relations")) {
        parse_relations(*relations, scenario);
    }
    read_fields("parameters", *place, scenario);
    if (const auto table = place->find("table")) {
        parse_tables(*table, scenario);
    }
    if (const auto repairs = place->find("repairs")) {
        parameters.repairs = parse_repairs(*repairs);
    }
    note_given_keys(scenario, !document.pointer().empty(), source);
}

}  // namespace lockkeeper
