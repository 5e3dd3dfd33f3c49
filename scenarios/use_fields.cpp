// SPDX-License-Identifier: Apache-2.0

// The table of keys, and reading and writing what it has.
#include <algorithm>

#include "model/check.hpp"
#include "scenarios/field_row.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

std::vector<Field> joined() {
    std::vector<Field> fields;
    for (const auto table : {table_of_top_level, table_of_objects, table_of_expect}) {
        const std::vector<Field> part = table();
        fields.insert(fields.end(), part.begin(), part.end());
    }
    return fields;
}

void read_field(const Field& field, const Place& place, const Reading& reading) {
    if (!field.goes(reading.scenario)) {
        place.refuse("goes with " + std::string(field.goes_with.text));
    }
    if (field.set) {
        field.set(reading.scenario, checked(field.allowed, place));
    } else if (field.codec.read != nullptr) {
        field.codec.read(place, reading);
    }
}

}  // namespace

std::span<const Field> all_fields() {
    static const std::vector<Field> kFields = joined();
    return kFields;
}

nlohmann::json checked(const Allowed& allowed, const Place& place) {
    using Kind = Allowed::Kind;
    switch (allowed.kind) {
        case Kind::kTruth: return place.truth();
        case Kind::kName: return place.name();
        case Kind::kText: return place.text();
        case Kind::kWord: return allowed.words[place.word(allowed.words)];
        case Kind::kNames:
            return allowed.or_one && place.is_text()
                       ? nlohmann::json::array({place.name()})
                       : nlohmann::json(parse_names(place, allowed.most));
        case Kind::kNumber:
            if (allowed.or_zero && place.real(0, allowed.most_number) == 0) {
                return 0.0;
            }
            return place.real(allowed.least_number, allowed.most_number);
        case Kind::kWhole:
            if (!allowed.or_word.empty() && !place.is_integer()) {
                if (!place.is_text(allowed.or_word)) {
                    place.refuse_type("an integer or " + in_quotes(allowed.or_word));
                }
                return allowed.or_word;
            }
            return place.integer<std::uint64_t>(static_cast<std::int64_t>(allowed.least),
                                                allowed.most);
        case Kind::kOwnCode: break;
    }
    unreachable("a field without a member");
}

std::vector<std::string_view> keys_of(std::string_view object) {
    std::vector<std::string_view> keys;
    for (const Field& field : all_fields()) {
        if (field.object == object) {
            keys.push_back(field.key);
        }
    }
    return keys;
}

void read_fields(std::string_view object, const Place& place, const Reading& reading) {
    for (const bool is_object : {false, true}) {
        for (const Field& field : all_fields()) {
            if (field.object != object || field.is_object != is_object) {
                continue;
            }
            const bool is_needed = field.required && field.goes(reading.scenario);
            if (const auto found = is_needed ? place.at(field.key) : place.find(field.key)) {
                read_field(field, *found, reading);
            }
        }
    }
}

void write_fields(std::string_view object, const Scenario& scenario, nlohmann::ordered_json& json) {
    const Scenario without;
    for (const Field& field : all_fields()) {
        if (field.object != object || !field.get || !field.goes(scenario)) {
            continue;
        }
        const nlohmann::ordered_json value = field.get(scenario);
        if (field.is_always_written || (!value.is_null() && value != field.get(without))) {
            json[std::string(field.key)] = value;
        }
    }
}

const Field* field_named(std::string_view name) {
    const auto fields = all_fields();
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
        return field.has_own_name && field.key == name;
    });
    return found == fields.end() ? nullptr : &*found;
}

}  // namespace lockkeeper
