// Reading and writing what the table of fields has.
#include <algorithm>

#include <fmt/format.h>

#include "model/check.hpp"
#include "scenarios/fields.hpp"

namespace lockkeeper {
namespace {

nlohmann::json checked(const Allowed& allowed, const Place& place) {
    using Kind = Allowed::Kind;
    switch (allowed.kind) {
        case Kind::kTruth: return place.truth();
        case Kind::kName: return place.name();
        case Kind::kWord: return allowed.words[place.word({allowed.words[0], allowed.words[1]})];
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

}  // namespace

std::vector<std::string_view> keys_of(std::string_view object) {
    std::vector<std::string_view> keys;
    for (const Field& field : all_fields()) {
        if (field.object == object) {
            keys.push_back(field.key);
        }
    }
    return keys;
}

void read_fields(std::string_view object, const Place& place, Scenario& scenario) {
    for (const Field& field : all_fields()) {
        if (field.object != object || !field.set) {
            continue;
        }
        if (const auto found = field.required ? place.at(field.key) : place.find(field.key)) {
            if (field.only && field.only != scenario.method) {
                found->refuse(fmt::format("goes with \"method\": \"{}\" only",
                                          kMethodNames[static_cast<std::size_t>(*field.only)]));
            }
            field.set(scenario, checked(field.allowed, *found));
        }
    }
}

void write_fields(std::string_view object, const Scenario& scenario, nlohmann::ordered_json& json) {
    const Scenario without;
    for (const Field& field : all_fields()) {
        if (field.object != object || !field.get || (field.only && field.only != scenario.method)) {
            continue;
        }
        const nlohmann::ordered_json value = field.get(scenario);
        if (field.is_always_written || value != field.get(without)) {
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
