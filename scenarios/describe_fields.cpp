// What the table of fields says to people and editors.
#include <fmt/format.h>

#include "scenarios/fields.hpp"

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

Json schema_of(const Allowed& allowed) {
    switch (allowed.kind) {
        case AllowedKind::kTruth: return {{"type", "boolean"}};
        case AllowedKind::kName: return {{"$ref", "#/definitions/name"}};
        case AllowedKind::kWord: return {{"type", "string"}, {"enum", allowed.words}};
        case AllowedKind::kNumber:
            return {{"type", "number"},
                    {"minimum", allowed.least_number},
                    {"maximum", allowed.most_number}};
        case AllowedKind::kWhole:
            return allowed.most > kExactMax ? Json{{"type", "integer"}}
                                            : Json{{"type", "integer"},
                                                   {"minimum", allowed.least},
                                                   {"maximum", allowed.most}};
        case AllowedKind::kOwnCode: break;
    }
    return nullptr;
}

Json schema_of(const Field& field) {
    const Allowed& allowed = field.allowed;
    Json schema = schema_of(allowed);
    if (allowed.or_zero) {
        schema = {{"oneOf", {schema, {{"type", "number"}, {"enum", {0}}}}}};
    } else if (!allowed.or_word.empty()) {
        schema = {{"oneOf", {schema, {{"type", "string"}, {"enum", {allowed.or_word}}}}}};
    }
    schema["description"] =
        fmt::format("{}. {}", field.meaning,
                    field.required ? "Required." : "Default: " + default_of(field) + ".");
    return schema;
}

std::string values_of(const Allowed& allowed) {
    switch (allowed.kind) {
        case AllowedKind::kTruth: return "`true`, `false`";
        case AllowedKind::kName: return "a name";
        case AllowedKind::kWord:
            return fmt::format("`\"{}\"`, `\"{}\"`", allowed.words[0], allowed.words[1]);
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

Json::json_pointer place_in_schema(std::string_view object) {
    const bool is_defined = object == "parameters" || object == "expect";
    return Json::json_pointer(object.empty() ? std::string("/properties")
                              : is_defined   ? fmt::format("/definitions/{}/properties", object)
                                             : fmt::format("/properties/{}/properties", object));
}

}  // namespace

Json with_fields(Json schema) {
    for (const Field& field : all_fields()) {
        if (field.get) {
            schema[place_in_schema(field.object) / std::string(field.key)] = schema_of(field);
            if (field.object.empty()) {
                schema["definitions"]["case"]["properties"][std::string(field.key)] = {
                    {"$ref", fmt::format("#/properties/{}", field.key)}};
            }
        }
    }
    return schema;
}

std::string fields_as_markdown() {
    std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : all_fields()) {
        if (field.get) {
            text += fmt::format("| `{}{}{}` | {} | {} | {} |\n", field.object,
                                field.object.empty() ? "" : ".", field.key,
                                values_of(field.allowed), default_of(field), field.meaning);
        }
    }
    return text;
}

}  // namespace lockkeeper
