// SPDX-License-Identifier: Apache-2.0

// Shared by the tests of this folder. Nothing else includes it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/fields.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper::testing_scenarios {

inline std::filesystem::path scenarios_folder() {
    return std::filesystem::path(LOCKKEEPER_SOURCE_DIR) / "scenarios";
}

inline std::string read_whole(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Scenario files of this repository, whoever wrote them; other JSON is no scenario.
inline std::vector<std::filesystem::path> shipped_scenarios() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scenarios_folder())) {
        const auto folder = entry.path().parent_path().filename();
        if (entry.path().extension() == ".json" && folder != "schema" && folder != "traces") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

inline bool same(const CallerConfig& left, const CallerConfig& right) {
    return left.name == right.name && left.repeats_forever == right.repeats_forever &&
           left.may_crash == right.may_crash && left.group == right.group &&
           left.script == right.script;
}

inline bool same(const WorldConfig& left, const WorldConfig& right) {
    return left.keys == right.keys && left.signals == right.signals && left.views == right.views &&
           left.crashes_max == right.crashes_max && left.watches_others == right.watches_others &&
           std::equal(left.callers.begin(), left.callers.end(), right.callers.begin(),
                      right.callers.end(),
                      [](const auto& one, const auto& other) { return same(one, other); });
}

inline bool same(const ScenarioParameters& left, const ScenarioParameters& right) {
    const auto same_table = [](const auto& one, const auto& other) {
        return one.first == other.first && one.second.buckets == other.second.buckets &&
               one.second.highest == other.second.highest;
    };
    return left.own == right.own && left.faults == right.faults &&
           left.relations == right.relations && left.repairs == right.repairs &&
           std::equal(left.tables.begin(), left.tables.end(), right.tables.begin(),
                      right.tables.end(), same_table);
}

inline bool same(const Expectation& left, const Expectation& right) {
    return left.verdict.index() == right.verdict.index() && left.value == right.value &&
           left.interleavings == right.interleavings && left.counters == right.counters &&
           left.results == right.results && left.max_rate == right.max_rate;
}

inline bool have_same_fields(const Scenario& left, const Scenario& right) {
    const auto fields = all_fields();
    return std::all_of(fields.begin(), fields.end(),
                       [&](const Field& field) { return field.get(left) == field.get(right); });
}

// Everything but the name of the file.
inline bool same(const Scenario& left, const Scenario& right) {
    return have_same_fields(left, right) && same(left.parameters, right.parameters) &&
           same(left.world, right.world) && left.method == right.method &&
           left.find == right.find && left.order == right.order &&
           left.schedule == right.schedule && left.law == right.law &&
           left.traffic == right.traffic && left.server == right.server &&
           left.rate_limit == right.rate_limit && same(left.expect, right.expect);
}

// The message, or "accepted".
inline std::string refusal_with_position(const std::string& text,
                                         const std::string& named = "x.json") {
    const auto parsed = parse_scenario(text, named);
    const auto* error = std::get_if<InputError>(&parsed);
    return error != nullptr ? error->text() : "accepted";
}
// The same without line and column.
inline std::string refusal(const std::string& text, const std::string& named = "x.json") {
    const std::string file = "x.json";
    std::string message = refusal_with_position(text, named);
    if (message.rfind(file + ":", 0) == 0) {
        message.erase(file.size(), message.find(": ") - file.size());
    }
    return message;
}

// The scenario, or a failed test and an empty one.
inline Scenario accepted(const std::string& text) {
    auto parsed = parse_scenario(text, "x.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        ADD_FAILURE() << error->text();
        return {};
    }
    return std::move(std::get<Scenario>(parsed));
}

// A scenario around the given members, each beginning with ','.
inline std::string with_script(const std::string& script, const std::string& members = "") {
    return R"({"version": 1, "system": "canal", "callers": [{"script": )" + script + "}]" +
           members + "}";
}

inline constexpr const char* kTake = R"({"acquire": {"key": "db", "max_per": 3, "buckets": 1}})";

}  // namespace lockkeeper::testing_scenarios
