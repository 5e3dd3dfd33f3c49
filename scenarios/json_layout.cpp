// SPDX-License-Identifier: Apache-2.0
#include "scenarios/json_layout.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumnsMax = 100;
constexpr std::size_t kIndent = 4;

std::string flat(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// {"a": 1, "b": [2, 3]}: as `flat`, with the spaces a person would write. Empty: too long.
std::string one_line(const Json& value, std::size_t columns) {
    if (!value.is_structured()) {
        return flat(value);
    }
    std::string line(1, value.is_object() ? '{' : '[');
    for (auto member = value.begin(); member != value.end(); ++member) {
        line += member == value.begin() ? "" : ", ";
        line += value.is_object() ? flat(Json(member.key())) + ": " : "";
        const std::string text = one_line(*member, columns);
        line += text;
        if (text.empty() || line.size() > columns) {
            return {};
        }
    }
    return line + (value.is_object() ? '}' : ']');
}

bool is_flat_array(const Json& value) {
    for (const Json& element : value) {
        if (element.is_structured() || !value.is_array()) {
            return false;
        }
    }
    return true;
}

// Numbers and short words side by side, as many as fit into a line.
void lay_out_flat_array(const Json& array, const std::string& indent, std::string& out) {
    out += indent;
    std::size_t column = indent.size();
    for (auto element = array.begin(); element != array.end(); ++element) {
        const std::string text = flat(*element);
        if (element != array.begin()) {
            const bool fits = column + text.size() + 3 <= kColumnsMax;
            out += fits ? ", " : ",\n" + indent;
            column = fits ? column + 2 : indent.size();
        }
        out += text;
        column += text.size();
    }
}

void lay_out_members(const Json& value, std::size_t depth, std::string& out);

void lay_out(const Json& value, std::size_t column, std::size_t depth, std::string& out) {
    const std::size_t room = column < kColumnsMax ? kColumnsMax - column : 0;
    const std::string line = depth > 0 || !value.is_structured() ? one_line(value, room) : "";
    if (!value.is_structured() || (!line.empty() && line.size() < room)) {
        out += line;
        return;
    }
    out += value.is_object() ? "{\n" : "[\n";
    if (is_flat_array(value)) {
        lay_out_flat_array(value, std::string(kIndent * (depth + 1), ' '), out);
    } else {
        lay_out_members(value, depth + 1, out);
    }
    out += "\n" + std::string(kIndent * depth, ' ') + (value.is_object() ? "}" : "]");
}

void lay_out_members(const Json& value, std::size_t depth, std::string& out) {
    for (auto member = value.begin(); member != value.end(); ++member) {
        out += member == value.begin() ? "" : ",\n";
        std::string key(kIndent * depth, ' ');
        key += value.is_object() ? flat(Json(member.key())) + ": " : "";
        out += key;
        lay_out(*member, key.size(), depth, out);
    }
}

}  // namespace

std::string laid_out(const nlohmann::ordered_json& document) {
    std::string text;
    lay_out(document, 0, 0, text);
    return text + "\n";
}

}  // namespace lockkeeper
