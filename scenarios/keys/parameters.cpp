// SPDX-License-Identifier: Apache-2.0

// Parameters that are not numbers: "table", "repairs", "relations", "crash_takes".
#include <vector>

#include "model/crash_takes.hpp"
#include "model/observation.hpp"
#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/schema_parts.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRepairsMax = 32;

// {"warm": n}: n empty buckets that exist, all of them registered.
ScenarioTable parsed_warm_table(const Place& buckets_count) {
    const auto count = buckets_count.integer<std::int32_t>(1, kBucketsMax);
    return {std::vector<std::int32_t>(static_cast<std::size_t>(count), 0), count};
}

bool says_warm(const Place& place) {
    const auto warm = place.find("warm");
    return warm && warm->is_integer();
}

ScenarioTable parse_table_of_key(const Place& place) {
    if (place.is_text()) {
        static_cast<void>(place.word({"cold"}));
        return {};
    }
    if (says_warm(place)) {
        return parsed_warm_table(place.has_only({"warm"}).at("warm"));
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

void read_table(const Place& place, const Reading& reading) {
    auto& tables = reading.scenario.parameters.tables;
    const std::vector<std::string>& keys = reading.scenario.world.keys;
    if (place.is_text()) {
        static_cast<void>(place.word({"cold"}));
        return;
    }
    if (says_warm(place)) {
        const ScenarioTable table = parsed_warm_table(place.has_only({"warm"}).at("warm"));
        for (const std::string& key : keys) {
            tables[key] = table;
        }
        return;
    }
    for (const auto& [key, table_place] : place.members()) {
        refuse_unknown(table_place, "key", key, keys);
        const ScenarioTable table = parse_table_of_key(table_place);
        if (!table.buckets.empty() || table.highest) {
            tables[key] = table;
        }
    }
}

Json written_table(const Scenario& scenario) {
    Json json;
    for (const auto& [key, table] : scenario.parameters.tables) {
        Json& written = json[key];
        written["buckets"] = table.buckets;
        if (table.highest) {
            written["highest"] = *table.highest;
        }
    }
    return json;
}

Json schema_of_table() {
    const Json warm =
        object_schema({{"warm", described(whole_schema(1, kBucketsMax),
                                          "This many buckets exist, are registered and count 0.")}},
                      {"warm"});
    const Json counters = object_schema(
        {{"buckets", list_schema(whole_schema(kCounterMin, kCounterMax), 0, kBucketsMax)},
         {"highest", described(whole_schema(1, kBucketsMax), "Default: absent.")}},
        {"buckets"});
    const Json cold = words_schema({"cold"});
    const Json of_key = {{"anyOf", {cold, warm, counters}}};
    return {
        {"anyOf",
         {cold, warm, described(map_schema(of_key, kKeysMax), "By key; the others are cold.")}}};
}

void read_repairs(const Place& place, const Reading& reading) {
    const bool is_list = place.is_array();
    if (!is_list && !place.is_object()) {
        place.refuse_type("a list of names or {\"all_but\": [...]}");
    }
    reading.scenario.parameters.repairs = RepairChoice{
        !is_list,
        parse_names(is_list ? place : place.has_only({"all_but"}).at("all_but"), kRepairsMax)};
}

Json written_repairs(const Scenario& scenario) {
    const auto& repairs = scenario.parameters.repairs;
    return !repairs           ? Json()
           : repairs->all_but ? Json{{"all_but", repairs->names}}
                              : Json(repairs->names);
}

Json schema_of_repairs() {
    Json names = list_schema(defined("name"), 0, kRepairsMax);
    names["uniqueItems"] = true;
    return {{"anyOf", {names, object_schema({{"all_but", names}}, {"all_but"})}}};
}

// {"read": {"cooperative": ["write"]}}: names of keys.
void read_relations(const Place& place, const Reading& reading) {
    const std::vector<std::string>& known = reading.scenario.world.keys;
    for (const auto& [key, kinds] : place.members()) {
        refuse_unknown(kinds, "key", key, known);
        for (const auto& [kind, list] : kinds.members()) {
            auto& related = reading.scenario.parameters.relations[key][kind];
            related = parse_names(list, kKeysMax);
            for (const std::string& name : related) {
                refuse_unknown(list, "key", name, known);
            }
        }
    }
}

Json written_relations(const Scenario& scenario) {
    Json json;
    for (const auto& [key, kinds] : scenario.parameters.relations) {
        for (const auto& [kind, keys] : kinds) {
            json[key][kind] = keys;
        }
    }
    return json;
}

Json schema_of_relations() {
    Json keys = list_schema(defined("name"), 0, kKeysMax);
    keys["uniqueItems"] = true;
    return map_schema({{"type", "object"}, {"additionalProperties", keys}}, kKeysMax);
}

// Kept as a number of the system's, which programs are told.
void read_crash_takes(const Place& place, const Reading& reading) {
    reading.scenario.parameters.own[std::string(kCrashTakesName)] =
        static_cast<std::int32_t>(place.word(kCrashTakesWords));
}

Json written_crash_takes(const Scenario& scenario) {
    const NamedNumbers& own = scenario.parameters.own;
    const auto takes = own.find(std::string(kCrashTakesName));
    return takes == own.end() ? Json()
                              : Json(kCrashTakesWords.at(static_cast<std::size_t>(takes->second)));
}

Json schema_of_crash_takes() { return words_schema(kCrashTakesWords); }

}  // namespace

constinit const Codec kTableCodec{read_table, written_table, schema_of_table};
constinit const Codec kRepairsCodec{read_repairs, written_repairs, schema_of_repairs};
constinit const Codec kRelationsCodec{read_relations, written_relations, schema_of_relations};
constinit const Codec kCrashTakesCodec{read_crash_takes, written_crash_takes,
                                       schema_of_crash_takes};

}  // namespace lockkeeper
