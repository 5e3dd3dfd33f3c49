// SPDX-License-Identifier: Apache-2.0

// How a scenario is run: "method", "find", "order", "schedule".
#include <algorithm>

#include <fmt/format.h>

#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/schema_parts.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMethodNames[] = {"explore", "fuzz", "order", "replay"};  // by Method

void read_method(const Place& place, const Reading& reading) {
    reading.scenario.method = static_cast<Method>(place.word(kMethodNames));
}

Json written_method(const Scenario& scenario) {
    return kMethodNames[static_cast<std::size_t>(scenario.method)];
}

Json schema_of_method() { return words_schema(kMethodNames); }

void read_find(const Place& place, const Reading& reading) {
    place.has_only({"smallest", "largest", "from", "to"});
    const auto smallest = place.find("smallest");
    const auto largest = place.find("largest");
    if (smallest.has_value() == largest.has_value()) {
        place.refuse("expected one of \"smallest\" and \"largest\"");
    }
    BoundarySearch find;
    find.smallest = smallest.has_value();
    find.parameter = (smallest ? *smallest : *largest).name();
    find.from = place.at("from").integer<std::int32_t>(-kOwnNumberMax, kOwnNumberMax);
    find.to = place.at("to").integer<std::int32_t>(find.from, kOwnNumberMax);
    reading.scenario.find = find;
}

Json written_find(const Scenario& scenario) {
    if (!scenario.find) {
        return nullptr;
    }
    const BoundarySearch& find = *scenario.find;
    return {{find.smallest ? "smallest" : "largest", find.parameter},
            {"from", find.from},
            {"to", find.to}};
}

Json schema_of_find() {
    Json schema = object_schema({{"smallest", defined("name")},
                                 {"largest", defined("name")},
                                 {"from", defined("own_number")},
                                 {"to", defined("own_number")}},
                                {"from", "to"});
    schema["oneOf"] = {{{"required", {"smallest"}}}, {{"required", {"largest"}}}};
    return schema;
}

// {"caller": "A", "times": 3} or "A".
void add_order_entry(const Place& entry, const std::vector<std::string>& callers,
                     std::vector<std::string>& order) {
    std::size_t times = 1;
    if (!entry.is_text()) {
        entry.has_only({"caller", "times"});
        if (const auto times_place = entry.find("times")) {
            times = times_place->integer<std::size_t>(1, kOrderEntriesMax);
        }
    }
    const Place caller = entry.is_text() ? entry : entry.at("caller");
    refuse_unknown(caller, "caller", caller.text(), callers);
    if (times > kOrderEntriesMax - order.size()) {
        entry.refuse(
            fmt::format("more than {} entries, repetitions written out", kOrderEntriesMax));
    }
    order.insert(order.end(), times, caller.text());
}

// More turns than operations is a mistake of the author, and would be an idle turn.
void check_turns(const Place& place, const Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        const auto operations = static_cast<std::size_t>(std::count_if(
            caller.script.begin(), caller.script.end(),
            [](const Operation& operation) { return operation.verb != Verb::kIfHolding; }));
        const auto turns = static_cast<std::size_t>(
            std::count(scenario.order.begin(), scenario.order.end(), caller.name));
        if (!caller.repeats_forever && turns > operations) {
            place.refuse(fmt::format("{} has {} turns but only {} operations",
                                     in_quotes(caller.name), turns, operations));
        }
    }
}

void read_order(const Place& place, const Reading& reading) {
    const auto callers = caller_names(reading.scenario.world);
    for (const Place& entry : place.elements(1, kOrderEntriesMax)) {
        add_order_entry(entry, callers, reading.scenario.order);
    }
    check_turns(place, reading.scenario);
}

// Turns in a row are one entry.
Json written_order(const Scenario& scenario) {
    const std::vector<std::string>& order = scenario.order;
    Json::array_t entries;
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

Json schema_of_order() {
    const Json caller{{"type", "string"}};
    const Json turns = object_schema(
        {{"caller", caller}, {"times", whole_schema(1, kOrderEntriesMax)}}, {"caller"});
    return list_schema({{"oneOf", {caller, turns}}}, 1, kOrderEntriesMax);
}

void read_schedule(const Place& place, const Reading& reading) {
    reading.scenario.schedule = schedule_at(place);
}

Json written_schedule(const Scenario& scenario) {
    return scenario.schedule ? Json(to_line(*scenario.schedule)) : Json();
}

Json schema_of_schedule() { return {{"type", "string"}}; }

}  // namespace

Method method_without_key(const Place& document) {
    return document.find("order")      ? Method::kOrder
           : document.find("schedule") ? Method::kReplay
                                       : Method::kExplore;
}

constinit const Codec kMethodCodec{read_method, written_method, schema_of_method};
constinit const Codec kFindCodec{read_find, written_find, schema_of_find};
constinit const Codec kOrderCodec{read_order, written_order, schema_of_order};
constinit const Codec kScheduleCodec{read_schedule, written_schedule, schema_of_schedule};

}  // namespace lockkeeper
