// SPDX-License-Identifier: Apache-2.0

// The keys of a scenario file. One row of a table (table_of_*.cpp) is all that there is of a key:
// reading, writing, the published schema and the page docs/reference/scenario_keys.md follow from
// it. For plain values (whole numbers, numbers, words, true or false, names) random scenarios for
// tests, --set, --sweep and shrinking follow, too.
//
// A value that is not plain (a law, a table, callers) has a Codec in a file of its own in
// scenarios/keys/, with reading, writing and schema side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/json.hpp"
#include "scenarios/parse_place.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

// Limits a plain value. Bounds are of whole numbers, or of numbers.
struct Allowed {
    enum class Kind : std::uint8_t {
        kOwnCode,
        kWhole,
        kNumber,
        kTruth,
        kWord,
        kName,
        kNames,  // a list of different ones, at most `most`
        kText,
    };
    Kind kind = Kind::kOwnCode;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    double least_number = 0;
    double most_number = 0;
    bool or_zero = false;  // kNumber: below the bounds, too
    bool or_one = false;   // kNames: a single name stands for a list of it
    // kWord: two, or one that says what is not so without it.
    std::vector<std::string_view> words = {};
    std::size_t true_word = 0;      // which of them is `true` in the member
    std::string_view or_word = {};  // kWhole: "unlimited"
};

// Checks the value at `place`.
[[nodiscard]] nlohmann::json checked(const Allowed& allowed, const Place& place);
[[nodiscard]] nlohmann::ordered_json schema_of(const Allowed& allowed);
[[nodiscard]] std::string values_of(const Allowed& allowed);  // in Markdown

// A document is read into it. What its keys mean may depend on those that were read before.
struct Reading {
    Scenario& scenario;
    ScenarioSource& source;

    // The place in the text of the scenario.
    [[nodiscard]] std::string in_scenario(const Place& place) const {
        return place.pointer().substr(source.pointer.size());
    }
};

// How a value that is no plain one is read, written and described.
struct Codec {
    void (*read)(const Place& place, const Reading& reading) = nullptr;
    // Null: the scenario says nothing.
    nlohmann::ordered_json (*written)(const Scenario& scenario) = nullptr;
    nlohmann::ordered_json (*schema)() = nullptr;
};

// When a key has a place in a scenario.
struct Condition {
    bool (*holds)(const Scenario& scenario) = nullptr;  // null: always
    std::string_view text = {};                         // of a message: "goes with ..."
};

struct Field {
    std::string_view object = {};  // "limits"; empty: the top level
    std::string_view key;
    Allowed allowed = {};
    Codec codec = {};                 // of kOwnCode
    std::string_view values = {};     // of kOwnCode, for a reader, in Markdown
    std::string_view meaning = {};    // a phrase, for a reader
    std::string_view otherwise = {};  // what holds without it, where the member does not say
    bool required = false;            // where it goes
    bool is_always_written = false;   // though it says what holds anyway
    bool is_object = false;           // of other fields: read when the top level is known
    Condition goes_with = {};
    std::optional<FormatKey> part = {};  // known to systems that know this
    bool has_own_name = false;           // --set KEY, --sweep KEY
    bool shrinks = false;                // fewer of it make a smaller scenario

    // Null: the scenario says nothing.
    std::function<nlohmann::ordered_json(const Scenario&)> get = nullptr;
    // A value that is allowed. Of plain values.
    std::function<void(Scenario&, const nlohmann::json&)> set = nullptr;

    [[nodiscard]] bool goes(const Scenario& scenario) const {
        return goes_with.holds == nullptr || goes_with.holds(scenario);
    }
};

[[nodiscard]] std::span<const Field> all_fields();

// The keys of one object in the order of the table.
[[nodiscard]] std::vector<std::string_view> keys_of(std::string_view object);

// Reads every field that the object at `place` has, and refuses those that are not allowed.
void read_fields(std::string_view object, const Place& place, const Reading& reading);
void write_fields(std::string_view object, const Scenario& scenario, nlohmann::ordered_json& json);

// For --set and --sweep: the field of this name, if it has one.
[[nodiscard]] const Field* field_named(std::string_view name);

// {"states": {...}, ...} of one object.
[[nodiscard]] nlohmann::ordered_json schema_of_fields(std::string_view object);
// The published schema: scenarios/schema/scenario.schema.json.
[[nodiscard]] nlohmann::ordered_json scenario_schema();
// The rows of a table of Markdown.
[[nodiscard]] std::string fields_as_markdown();

}  // namespace lockkeeper
