// The plain fields of a scenario: whole numbers, numbers, words, true or false. One row of the
// table in fields.cpp is all that there is of a field: reading, writing, the published schema, the
// page docs/reference/scenario_keys.md, random scenarios for tests, --set, --sweep and shrinking
// follow from it.
//
// Rows without a member have their own code (scripts, tables, lists of names): the table knows
// their names only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "scenarios/parse_place.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

// By Method.
inline constexpr std::string_view kMethodNames[] = {"explore", "fuzz", "order", "replay"};

// What a field may be. Bounds are of whole numbers, or of numbers.
struct Allowed {
    enum class Kind : std::uint8_t { kOwnCode, kWhole, kNumber, kTruth, kWord, kName };
    Kind kind = Kind::kOwnCode;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    double least_number = 0;
    double most_number = 0;
    bool or_zero = false;                 // kNumber: below the bounds, too
    std::vector<std::string_view> words;  // kWord: two
    std::size_t true_word = 0;            // which of them is `true` in the member
    std::string_view or_word = {};        // kWhole: "unlimited"
};

struct Field {
    std::string_view object;  // "limits"; empty: the top level
    std::string_view key;
    Allowed allowed = {};
    std::string_view meaning = {};    // a phrase, for a reader
    std::string_view otherwise = {};  // what holds without it, where the member does not say
    bool required = false;
    bool is_always_written = false;      // though it says what holds anyway
    std::optional<Method> only = {};     // goes with this method
    std::optional<FormatKey> part = {};  // known to systems that know this
    bool has_own_name = false;           // --set KEY, --sweep KEY
    bool shrinks = false;                // fewer of it make a smaller scenario

    // Null: the scenario says nothing.
    std::function<nlohmann::ordered_json(const Scenario&)> get = nullptr;
    // A value that is allowed.
    std::function<void(Scenario&, const nlohmann::json&)> set = nullptr;
};

[[nodiscard]] std::span<const Field> all_fields();

// Those of one object in the order of the table, with those that have their own code.
[[nodiscard]] std::vector<std::string_view> keys_of(std::string_view object);

// Of the object at `place`: every field that it has, refused where it is not allowed.
void read_fields(std::string_view object, const Place& place, Scenario& scenario);
void write_fields(std::string_view object, const Scenario& scenario, nlohmann::ordered_json& json);

// For --set and --sweep: the field of this name, if it has one.
[[nodiscard]] const Field* field_named(std::string_view name);

// The published schema with what the table says; a schema has the other fields itself.
[[nodiscard]] nlohmann::ordered_json with_fields(nlohmann::ordered_json schema);
// The rows of a table of Markdown.
[[nodiscard]] std::string fields_as_markdown();

}  // namespace lockkeeper
