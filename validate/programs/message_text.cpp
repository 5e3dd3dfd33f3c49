// SPDX-License-Identifier: Apache-2.0

// A question in words, and as a key.
#include <charconv>

#include "validate/programs/message.hpp"

namespace lockkeeper {

std::string Message::describe() const {
    const auto piece = [](const std::string& json) {
        return json.size() > 60 ? json.substr(0, 57) + "..." : json;
    };
    if (!label.empty()) {
        return label;
    }
    const std::string time = ttl ? " for " + std::to_string(*ttl) : "";
    std::string out = type;
    if (kind == MessageKind::kMonitor) {
        out += " " + client;
    } else if (!name.empty()) {
        out += " " + piece(name);
    }
    for (const std::string& key : keys) {
        out += " " + piece(key);
    }
    if (kind == MessageKind::kCompareAndSet) {
        return out + " " + piece(from) + " -> " + piece(value) + time;
    }
    out += from.empty() ? "" : " if " + piece(from);
    if (kind == MessageKind::kUpdateCounter) {
        out += (add < 0 ? " " : " +") + std::to_string(add);
        out += least ? " least " + std::to_string(*least) : "";
        return out + (most ? " most " + std::to_string(*most) : "");
    }
    return (value.empty() ? out : out + " " + piece(value)) + time;
}

// Does not use describe(), which cuts long texts and leaves out what most programs share.
void Message::write_key(std::string& out) const {
    for (const std::string& piece : {type, name, client, from, value}) {
        add_piece(out, piece);
    }
    const auto limit = [](const std::optional<std::int64_t>& number) {
        return number ? std::to_string(*number) : "-";
    };
    for (const std::string& key : keys) {
        add_piece(out, key);
    }
    out += (sees_clock ? "n" : "");
    out += (creates ? "c" : "") + std::to_string(add) + "," + limit(least) + "," + limit(most) +
           "," + limit(ttl) + ",";
}

void add_piece(std::string& key, std::string_view piece) {
    key += std::to_string(piece.size());
    key += ':';
    key += piece;
}

std::optional<std::int64_t> json_integer(std::string_view json) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
    return error == std::errc() && end == json.data() + json.size() ? std::optional(value)
                                                                    : std::nullopt;
}

}  // namespace lockkeeper
