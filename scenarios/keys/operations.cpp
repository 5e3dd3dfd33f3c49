// SPDX-License-Identifier: Apache-2.0
#include "scenarios/keys/operations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/observation.hpp"
#include "scenarios/field_row.hpp"
#include "scenarios/keys/schema_parts.hpp"
#include "scenarios/parse_script.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

OperationName named(Verb verb, std::string_view meaning) { return {name_of(verb), verb, meaning}; }

const std::vector<OperationName> kNames{
    named(Verb::kAcquire, "Asks for one lock."),
    named(Verb::kRelease, "Gives one back. Passed over by a caller that holds nothing of the key."),
    named(Verb::kExit, "The process ends, holding whatever it holds. The last of a script."),
    {"repeat", std::nullopt, "These, one after the other."},
    named(Verb::kSignal, "Adds to what the signal counts. Never blocks."),
    named(Verb::kWait, "Goes on when the signal counts enough, and takes that away from it."),
    named(Verb::kIfHolding,
          "Operations for a caller that holds a lock of the key when it gets here. Others pass "
          "them over."),
    named(Verb::kCall,
          "Another operation, by the word that the system has for it: write, renew ..."),
    named(Verb::kSleep,
          "Nothing until so much virtual time has passed, in systems that have time."),
};

// `member`: of an Operation that may be written to, or not.
template <class Member>
OperationKey with_operation_member(OperationKey row, Member Operation::*member) {
    const Allowed allowed = row.allowed;
    const bool is_always_written = row.required;
    if (row.otherwise.empty() && !row.required) {
        const Operation without;
        row.otherwise = written_plain(allowed, without.*member).dump();
    }
    row.read = [=](const Place& place, const ReadingScript&, ScriptNode& node) {
        set_plain(allowed, checked(allowed, place), node.operation.*member);
    };
    row.written = [=](ScriptUnit unit, const WorldConfig&) {
        const Operation without;
        const bool says_more = unit.front().*member != without.*member;
        return says_more || is_always_written ? written_plain(allowed, unit.front().*member)
                                              : Json();
    };
    row.schema = [=] { return schema_of(allowed); };
    row.set = [=](Operation& operation, const nlohmann::json& value) {
        set_plain(allowed, value, operation.*member);
    };
    return row;
}

// The index of the key, which is added when it is new.
std::uint8_t key_index(std::vector<std::string>& keys, const Place& name) {
    const std::string key = name.name();
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end() && keys.size() == kKeysMax) {
        name.refuse(fmt::format("{} would be key number {}; a scenario has at most {}",
                                in_quotes(key), keys.size() + 1, kKeysMax));
    }
    const auto index = static_cast<std::uint8_t>(known - keys.begin());
    if (known == keys.end()) {
        keys.push_back(key);
    }
    return index;
}

void read_key(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    ScriptNames& names = reading.names;
    node.operation.key = key_index(names.keys, place);
    const bool is_known = std::any_of(names.holdings.begin(), names.holdings.end(),
                                      [&](auto& use) { return use.key == node.operation.key; });
    if (node.operation.verb == Verb::kIfHolding && !is_known) {
        names.holdings.push_back({node.operation.key, place});
    }
}

// The other keys of one call, behind its own.
void read_with(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    std::uint8_t& bits = node.operation.signal;
    bits = key_bit(node.operation.key);
    for (const Place& name : place.elements(1, kKeysMax - 1)) {
        const std::uint8_t bit = key_bit(key_index(reading.names.keys, name));
        if ((bits & bit) != 0) {
            name.refuse("the call asks for " + in_quotes(name.name()) + " already");
        }
        bits = static_cast<std::uint8_t>(bits | bit);
    }
}

Json written_with(ScriptUnit unit, const WorldConfig& world) {
    Json names;
    for_each_key(unit.front(), [&](std::uint8_t key) {
        if (key != unit.front().key) {
            names.push_back(world.keys.at(key));
        }
    });
    return names;
}
// The same for signals, with what the operation does to it.
void read_signal(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    std::vector<SignalUse>& signals = reading.names.signals;
    const std::string name = place.name();
    auto known = std::find_if(signals.begin(), signals.end(),
                              [&](const SignalUse& signal) { return signal.name == name; });
    if (known == signals.end()) {
        if (signals.size() == kSignalsMax) {
            place.refuse(fmt::format("{} would be signal number {}; a scenario has at most {}",
                                     in_quotes(name), signals.size() + 1, kSignalsMax));
        }
        known = signals.insert(signals.end(), SignalUse{.name = name, .first = place});
    }
    const bool signals_it = node.operation.verb == Verb::kSignal;
    (signals_it ? known->signalled : known->waited_for) = true;
    node.operation.signal = static_cast<std::uint8_t>(known - signals.begin());
}

// And for calls.
void read_word(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    std::vector<WordUse>& words = reading.names.words;
    const std::string word = place.name();
    const auto known = std::find_if(words.begin(), words.end(),
                                    [&](const WordUse& use) { return use.name == word; });
    if (known == words.end() && words.size() == kWordsMax) {
        place.refuse(fmt::format("more than {} different calls", kWordsMax));
    }
    node.operation.word = static_cast<std::uint8_t>(known - words.begin());
    if (known == words.end()) {
        words.push_back({word, place});
    }
}

// The name of the operation in ScriptNames::numbers.
std::string number_of(const ScriptNode& node, const ScriptNames& names) {
    return node.operation.verb == Verb::kCall ? names.words[node.operation.word].name
                                              : std::string(name_of(node.operation.verb));
}

// "number", whose place is noted: not every system has one.
OperationKey with_place(OperationKey row) {
    row.read = [plain = row.read](const Place& place, const ReadingScript& reading,
                                  ScriptNode& node) {
        plain(place, reading, node);
        if (node.operation.number != 0) {
            reading.names.numbers.emplace(number_of(node, reading.names), place);
        }
    };
    return row;
}

void note_places(const Place& place, const ReadingScript& reading, bool says_more_than_one) {
    if (!reading.names.places && says_more_than_one) {
        reading.names.places = place;
    }
}

void read_max_per(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    node.has_max_per = true;
    node.operation.place_capacity = place.integer<std::uint16_t>(0, kMaxPerMax);
    note_places(place, reading, node.operation.place_capacity != 1);
}

void read_buckets(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    node.has_buckets = true;
    Operation& operation = node.operation;
    if (place.is_text("current")) {
        operation.follows_resizes = true;
    } else if (place.is_integer()) {
        operation.places = place.integer<std::uint16_t>(0, kBucketsMax);
    } else {
        place.refuse_type("an integer or \"current\"");
    }
    note_places(place, reading, operation.follows_resizes || operation.places != 1);
}

void read_then(const Place& place, const ReadingScript& reading, ScriptNode& node) {
    if (reading.conditions == kConditionsMax) {
        node.place.at("if_holding")
            .refuse(
                fmt::format("more than {} \"if_holding\" inside of each other", kConditionsMax));
    }
    node.body = parse_script(place, reading.names, reading.conditions + 1);
}

const std::vector<OperationKey> kKeys{
    {.key = "what",
     .verbs = {Verb::kCall},
     .values = "a word of the system",
     .meaning = "what is called: lockkeeper list",
     .required = true,
     .read = read_word,
     .written = [](ScriptUnit unit, const WorldConfig& world) -> Json {
         return world.words.at(unit.front().word);
     },
     .schema = [] { return defined("name"); }},
    {.key = "key",
     .verbs = {Verb::kAcquire, Verb::kRelease, Verb::kIfHolding, Verb::kCall},
     .values = "a name; a scenario has at most 4",
     .meaning = "of the lock",
     .required = true,
     .read = read_key,
     .written = [](ScriptUnit unit, const WorldConfig& world) -> Json {
         return world.keys.at(unit.front().key);
     },
     .schema = [] { return defined("name"); }},
    {.key = "with",
     .verbs = {Verb::kAcquire},
     .values = "1 to 3 names",
     .meaning = "other keys of the same call, with `--wire`",
     .otherwise = "none",
     .read = read_with,
     .written = written_with,
     .schema = [] { return list_schema(defined("name"), 1, kKeysMax - 1); }},
    with_operation_member({.key = "weight",
                           .verbs = {Verb::kAcquire},
                           .allowed = whole(1, kMaxPerMax),
                           .meaning = "places of each key that the call takes, with `--wire`"},
                          &Operation::amount),
    {.key = "name",
     .verbs = {Verb::kSignal, Verb::kWait},
     .values = "a name; a scenario has at most 16",
     .meaning = "of the signal; each is signalled somewhere and waited for somewhere",
     .required = true,
     .read = read_signal,
     .written = [](ScriptUnit unit, const WorldConfig& world) -> Json {
         return world.signals.at(unit.front().signal);
     },
     .schema = [] { return defined("name"); }},
    {.key = "max_per",
     .verbs = {Verb::kAcquire, Verb::kRelease},
     .values = "whole, 0 to 250",
     .meaning = "places in each bucket, as the caller sees it",
     .otherwise = "1; release: of the latest acquire of the key before it, repetitions written out",
     .read = read_max_per,
     .written = [](ScriptUnit unit, const WorldConfig&) -> Json {
         return unit.front().place_capacity;
     },
     .schema = [] { return whole_schema(0, kMaxPerMax); }},
    {.key = "buckets",
     .verbs = {Verb::kAcquire, Verb::kRelease},
     .values = "whole, 0 to 99, `\"current\"`",
     .meaning = "buckets as the caller sees them; current: what the resizes made of \"view\" when "
                "the call begins, and what its acquire saw for a release",
     .otherwise = "as max_per",
     .read = read_buckets,
     .written = [](ScriptUnit unit, const WorldConfig&) -> Json {
         const Operation& operation = unit.front();
         return operation.follows_resizes ? Json("current") : Json(operation.places);
     },
     .schema = []() -> Json {
         return {{"oneOf", {whole_schema(0, kBucketsMax), words_schema({"current"})}}};
     }},
    with_operation_member({.key = "until",
                           .verbs = {Verb::kAcquire},
                           .allowed = word("acquired"),
                           .meaning = "a refused call is begun again until it succeeds",
                           .otherwise = "one call"},
                          &Operation::until_acquired),
    with_place(with_operation_member(
        {.key = "number",
         .verbs = {Verb::kAcquire, Verb::kCall},
         .allowed = whole(0, kOwnNumberMax),
         .meaning = "what the system makes of it, where its call has a number"},
        &Operation::number)),
    with_operation_member({.key = "unchecked",
                           .verbs = {Verb::kRelease, Verb::kCall},
                           .allowed = truth(),
                           .meaning = "made even when nothing is held (a misuse)"},
                          &Operation::unchecked),
    with_operation_member({.key = "amount",
                           .verbs = {Verb::kSignal, Verb::kWait},
                           .allowed = whole(1, kSignalCountMax),
                           .meaning = "what a signal adds, what a wait needs"},
                          &Operation::amount),
    with_operation_member(
        {.key = "keep",
         .verbs = {Verb::kWait},
         .allowed = truth(),
         .meaning = "the wait takes nothing away, so that everybody passes once the signal "
                    "is there"},
        &Operation::keep),
    {.key = "then",
     .verbs = {Verb::kIfHolding},
     .values = "a list of operations",
     .meaning = "what is governed; at most 8 if_holding inside of each other",
     .required = true,
     .read = read_then,
     .written = [](ScriptUnit unit,
                   const WorldConfig& world) { return written_script(unit.subspan(1), world); },
     .schema = [] { return defined("script"); }},
    with_operation_member({.key = "time",
                           .verbs = {Verb::kSleep},
                           .allowed = whole(1, kOwnNumberMax),
                           .meaning = "units of virtual time",
                           .required = true},
                          &Operation::number),
};

Json schema_of_keys_of(Verb verb) {
    Json keys = Json::object();
    Json::array_t required;
    for (const OperationKey& row : kKeys) {
        if (row.is_of(verb)) {
            keys[std::string(row.key)] = described(
                row.schema(), fmt::format("{}. {}.", row.meaning,
                                          row.required ? "Required" : "Default: " + row.otherwise));
            if (row.required) {
                required.push_back(row.key);
            }
        }
    }
    return object_schema(keys, required.empty() ? Json() : Json(required));
}

}  // namespace

bool OperationKey::is_of(Verb verb) const {
    return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

std::span<const OperationKey> operation_keys() { return kKeys; }
std::span<const OperationName> operation_names() { return kNames; }

void read_operation(const Place& place, Verb verb, const ReadingScript& reading, ScriptNode& node) {
    std::vector<std::string_view> known;
    for (const OperationKey& row : kKeys) {
        if (row.is_of(verb)) {
            known.push_back(row.key);
        }
    }
    place.has_only(known);
    node.operation.verb = verb;
    if (verb == Verb::kSleep && !reading.names.sleep) {
        reading.names.sleep = place;  // not every system has time
    }
    for (const OperationKey& row : kKeys) {
        if (!row.is_of(verb)) {
            continue;
        }
        if (const auto found = row.required ? place.at(row.key) : place.find(row.key)) {
            row.read(*found, reading, node);
        }
    }
}

Json written_operation(ScriptUnit unit, const WorldConfig& world) {
    Json body = Json::object();
    for (const OperationKey& row : kKeys) {
        if (row.is_of(unit.front().verb)) {
            if (const Json value = row.written(unit, world); !value.is_null()) {
                body[std::string(row.key)] = value;
            }
        }
    }
    return body;
}

nlohmann::ordered_json schema_of_operation() {
    Json names = Json::object();
    Json::array_t one_of_them;
    for (const OperationName& row : kNames) {
        names[std::string(row.key)] =
            described(row.verb ? schema_of_keys_of(*row.verb) : defined("script"), row.meaning);
        one_of_them.push_back({{"required", {row.key}}});
    }
    names["times"] = described(whole_schema(1, kOperationsMax), "How often in a row. Default: 1.");
    Json schema = object_schema(names);
    schema["oneOf"] = one_of_them;
    return schema;
}

std::string operations_as_markdown() {
    std::string text = "| operation | key | value | default | meaning |\n|---|---|---|---|---|\n";
    for (const OperationKey& row : kKeys) {
        std::string verbs;
        for (const Verb verb : row.verbs) {
            verbs += fmt::format("{}`{}`", verbs.empty() ? "" : ", ", name_of(verb));
        }
        text += fmt::format("| {} | `{}` | {} | {} | {} |\n", verbs, row.key,
                            row.values.empty() ? values_of(row.allowed) : row.values,
                            row.required ? "required" : row.otherwise, row.meaning);
    }
    return text;
}

}  // namespace lockkeeper
