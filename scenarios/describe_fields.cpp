// SPDX-License-Identifier: Apache-2.0

// Describes the table of fields to people and editors.
#include <fmt/format.h>

#include "scenarios/fields.hpp"
#include "scenarios/keys/schema_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;
using AllowedKind = Allowed::Kind;

// Validators of schemas differ above it.
constexpr std::uint64_t kExactMax = std::uint64_t{1} << 53U;

std::string default_of(const Field& field) {
    const Json value = field.required ? Json() : field.get(Scenario{});
    return field.required            ? "required"
           : field.otherwise.empty() ? (value.is_string() ? value.get<std::string>() : value.dump())
                                     : std::string(field.otherwise);
}

Json schema_of(const Field& field) {
    return described(
        field.codec.schema != nullptr ? field.codec.schema() : schema_of(field.allowed),
        fmt::format("{}. {}", field.meaning,
                    field.required ? "Required." : "Default: " + default_of(field) + "."));
}

}  // namespace

Json schema_of(const Allowed& allowed) {
    switch (allowed.kind) {
        case AllowedKind::kTruth: return {{"type", "boolean"}};
        case AllowedKind::kName: return defined("name");
        case AllowedKind::kText: return {{"type", "string"}};
        case AllowedKind::kWord: return words_schema(allowed.words);
        case AllowedKind::kNames: {
            Json list = list_schema(defined("name"), 0, allowed.most);
            list["uniqueItems"] = true;
            return allowed.or_one ? Json{{"oneOf", {defined("name"), list}}} : list;
        }
        case AllowedKind::kNumber: {
            const Json number = {{"type", "number"},
                                 {"minimum", allowed.least_number},
                                 {"maximum", allowed.most_number}};
            return allowed.or_zero ? Json{{"oneOf", {number, {{"type", "number"}, {"enum", {0}}}}}}
                                   : number;
        }
        case AllowedKind::kWhole: {
            const Json number = allowed.most > kExactMax
                                    ? Json{{"type", "integer"}}
                                    : whole_schema(static_cast<std::int64_t>(allowed.least),
                                                   static_cast<std::int64_t>(allowed.most));
            return allowed.or_word.empty()
                       ? number
                       : Json{{"oneOf", {number, words_schema({allowed.or_word})}}};
        }
        case AllowedKind::kOwnCode: break;
    }
    return nullptr;
}

std::string values_of(const Allowed& allowed) {
    switch (allowed.kind) {
        case AllowedKind::kTruth: return "`true`, `false`";
        case AllowedKind::kName: return "a name";
        case AllowedKind::kText: return "prose";
        case AllowedKind::kWord:
            return fmt::format("`\"{}\"`", fmt::join(allowed.words, "\"`, `\""));
        case AllowedKind::kNames:
            return fmt::format("{}at most {} names", allowed.or_one ? "a name, or " : "",
                               allowed.most);
        case AllowedKind::kNumber:
            return fmt::format("{}{} to {}", allowed.or_zero ? "0, " : "", allowed.least_number,
                               allowed.most_number);
        case AllowedKind::kWhole:
            return fmt::format(
                "whole, {} to {}{}", allowed.least, allowed.most,
                allowed.or_word.empty() ? "" : fmt::format(", `\"{}\"`", allowed.or_word));
        case AllowedKind::kOwnCode: break;
    }
    return "";
}

Json schema_of_fields(std::string_view object) {
    Json schema = Json::object();
    for (const Field& field : all_fields()) {
        if (field.object == object) {
            schema[std::string(field.key)] = schema_of(field);
        }
    }
    return schema;
}

std::string fields_as_markdown() {
    std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : all_fields()) {
        text += fmt::format("| `{}{}{}` | {} | {} | {} |\n", field.object,
                            field.object.empty() ? "" : ".", field.key,
                            field.values.empty() ? values_of(field.allowed) : field.values,
                            default_of(field), field.meaning);
    }
    return text;
}

}  // namespace lockkeeper
