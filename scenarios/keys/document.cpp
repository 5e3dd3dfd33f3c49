// SPDX-License-Identifier: Apache-2.0

// The frame of a scenario, and the objects whose members are rows of the table.
#include <algorithm>

#include "scenarios/cases.hpp"
#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/schema_parts.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kParameters[] = "parameters";
constexpr char kFaults[] = "faults";
constexpr char kLimits[] = "limits";
constexpr char kRateLimit[] = "rate_limit";
constexpr char kServer[] = "server";
constexpr char kTraffic[] = "traffic";
constexpr char kExpect[] = "expect";

void read_schema_name(const Place& place, const Reading&) { static_cast<void>(place.text()); }

Json schema_of_text() { return {{"type", "string"}}; }

Json written_version(const Scenario&) { return kScenarioVersion; }

Json schema_of_version() { return {{"type", "integer"}, {"enum", {kScenarioVersion}}}; }

void refuse_cases(const Place& place, const Reading&) {
    place.refuse("only a scenario file has cases");
}

Json nothing_written(const Scenario&) { return nullptr; }

Json schema_of_cases() { return list_schema(defined("case"), 1, kCasesMax); }

template <const char* kObject>
void read_object(const Place& place, const Reading& reading) {
    place.has_only(keys_of(kObject));
    read_fields(kObject, place, reading);
}

template <const char* kObject>
Json written_object(const Scenario& scenario) {
    Json json;
    write_fields(kObject, scenario, json);
    return json;
}

template <const char* kObject>
Json schema_of_object() {
    return object_schema(schema_of_fields(kObject));
}

// Names that the table does not have are numbers of the system.
template <const char* kObject, NamedNumbers ScenarioParameters::*kOwn>
void read_with_own(const Place& place, const Reading& reading) {
    reading.scenario.parameters.*kOwn = parse_numbers(place, keys_of(kObject));
    read_fields(kObject, place, reading);
}

template <const char* kObject, NamedNumbers ScenarioParameters::*kOwn>
Json written_with_own(const Scenario& scenario) {
    Json json = written_object<kObject>(scenario);
    const std::vector<std::string_view> keys = keys_of(kObject);
    for (const auto& [name, number] : scenario.parameters.*kOwn) {
        if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
            json[name] = number;
        }
    }
    return json;
}

template <const char* kObject>
Json schema_with_own() {
    return {{"type", "object"},
            {"additionalProperties", defined("own_number")},
            {"properties", schema_of_fields(kObject)}};
}

void read_traffic(const Place& place, const Reading& reading) {
    reading.scenario.traffic.emplace();
    read_object<kTraffic>(place, reading);
}

Json written_traffic(const Scenario& scenario) {
    return scenario.traffic ? written_object<kTraffic>(scenario) : Json();
}

Json schema_of_traffic() {
    return object_schema(schema_of_fields(kTraffic), {"acquires_per_second"});
}

// No more may be sure than the limit gives, nor may a window have less.
void read_rate_limit(const Place& place, const Reading& reading) {
    read_object<kRateLimit>(place, reading);
    const RateLimit& limit = reading.scenario.rate_limit;
    if (const auto burst = place.find("burst"); burst && limit.burst < limit.grants) {
        burst->refuse("expected \"grants\" (" + std::to_string(limit.grants) +
                      ") or more: so many fall into one window anyway");
    }
    if (const auto sure = place.find("at_least"); sure && limit.at_least > limit.grants) {
        sure->refuse("expected at most \"grants\" (" + std::to_string(limit.grants) + ")");
    }
}

Json schema_of_rate_limit() {
    return object_schema(schema_of_fields(kRateLimit), {"grants", "within"});
}

Json schema_of_expect() {
    Json schema = object_schema(schema_of_fields(kExpect));
    schema["if"] = {{"required", {"properties"}}};
    schema["then"] = {{"required", {"verdict"}},
                      {"properties", {{"verdict", {{"enum", {Violated::kName}}}}}}};
    return schema;
}

}  // namespace

constinit const Codec kSchemaNameCodec{read_schema_name, nothing_written, schema_of_text};
// Read before all else.
constinit const Codec kVersionCodec{nullptr, written_version, schema_of_version};
constinit const Codec kCasesCodec{refuse_cases, nothing_written, schema_of_cases};
constinit const Codec kParametersCodec{read_with_own<kParameters, &ScenarioParameters::own>,
                                       written_with_own<kParameters, &ScenarioParameters::own>,
                                       schema_with_own<kParameters>};
constinit const Codec kFaultsCodec{read_with_own<kFaults, &ScenarioParameters::faults>,
                                   written_with_own<kFaults, &ScenarioParameters::faults>,
                                   schema_with_own<kFaults>};
constinit const Codec kRateLimitCodec{read_rate_limit, written_object<kRateLimit>,
                                      schema_of_rate_limit};
constinit const Codec kServerCodec{read_object<kServer>, written_object<kServer>,
                                   schema_of_object<kServer>};
constinit const Codec kLimitsCodec{read_object<kLimits>, written_object<kLimits>,
                                   schema_of_object<kLimits>};
constinit const Codec kTrafficCodec{read_traffic, written_traffic, schema_of_traffic};
constinit const Codec kExpectCodec{read_object<kExpect>, written_object<kExpect>, schema_of_expect};

}  // namespace lockkeeper
