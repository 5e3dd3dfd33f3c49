// SPDX-License-Identifier: Apache-2.0

// The operations of a script and their keys: {"acquire": {"key": "db", "until": "acquired"}}. One
// row of the tables in operations.cpp is all that there is of a key: reading, writing, the schema
// and the page follow from it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/fields.hpp"
#include "scenarios/parse_script.hpp"

namespace lockkeeper {

// One operation, or an if_holding with all that it governs: what can be repeated.
using ScriptUnit = std::span<const Operation>;

// Handed to the functions that read the keys of one operation.
struct ReadingScript {
    ScriptNames& names;
    std::size_t conditions = 0;  // how many if_holding it stands in
};

struct OperationKey {
    std::string_view key;
    std::vector<Verb> verbs;  // that have it
    Allowed allowed = {};     // of plain values
    std::string_view values = {};
    std::string_view meaning = {};
    std::string otherwise = {};  // without it
    bool required = false;

    std::function<void(const Place& place, const ReadingScript& reading, ScriptNode& node)> read =
        nullptr;
    // Null: what holds anyway.
    std::function<nlohmann::ordered_json(ScriptUnit unit, const WorldConfig& world)> written =
        nullptr;
    std::function<nlohmann::ordered_json()> schema = nullptr;
    // Sets a plain value that is allowed.
    std::function<void(Operation&, const nlohmann::json&)> set = nullptr;

    [[nodiscard]] bool is_of(Verb verb) const;
};
[[nodiscard]] std::span<const OperationKey> operation_keys();

// An element of a script, in the order in which messages name them.
struct OperationName {
    std::string_view key;
    std::optional<Verb> verb;  // none: "repeat", which has a list of operations
    std::string_view meaning;  // a sentence, for a reader
};
[[nodiscard]] std::span<const OperationName> operation_names();

// {"key": ...} of an operation of this verb.
void read_operation(const Place& place, Verb verb, const ReadingScript& reading, ScriptNode& node);
[[nodiscard]] nlohmann::ordered_json written_operation(ScriptUnit unit, const WorldConfig& world);

// The schema of an element of a script, with "repeat" and "times".
[[nodiscard]] nlohmann::ordered_json schema_of_operation();
// The rows of a table of Markdown.
[[nodiscard]] std::string operations_as_markdown();

}  // namespace lockkeeper
