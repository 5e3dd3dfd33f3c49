// SPDX-License-Identifier: Apache-2.0

// Members of a line from a program, each read with its type and bounds checked. Used by
// parse_message and read_choices; throws Refusal, which says what is wrong with the line.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "model/json.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/programs/message.hpp"

namespace lockkeeper::members {

using Json = nlohmann::json;

class Refusal : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline const Json& member(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        throw Refusal(std::string("no \"") + key + "\"");
    }
    return *found;
}

inline std::string name_of_json(const Json& json, const char* key, bool may_be_empty = false) {
    if (!json.is_string()) {
        throw Refusal(std::string("\"") + key + "\" is no text");
    }
    const auto& text = json.get_ref<const std::string&>();
    if ((text.empty() && !may_be_empty) || text.size() > kNameBytesMax) {
        throw Refusal(std::string("\"") + key + "\" is empty or longer than 256 bytes");
    }
    return text;
}

inline std::int64_t integer_of(const Json& json, const char* key) {
    const bool fits = json.is_number_integer() &&
                      (!json.is_number_unsigned() ||
                       json.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    if (!fits) {
        throw Refusal(std::string("\"") + key + "\" is no integer of 64 bits");
    }
    return json.get<std::int64_t>();
}

inline bool truth_of(const Json& json, const char* key) {
    if (!json.is_boolean()) {
        throw Refusal(std::string("\"") + key + "\" is neither true nor false");
    }
    return json.get<bool>();
}

inline std::int64_t id_of(const Json& body, const char* key) {
    const std::int64_t id = integer_of(member(body, key), key);
    if (id < 0) {
        throw Refusal(std::string("\"") + key + "\" is below 0");
    }
    return id;
}

inline void refuse_other_keys(const Json& body, std::initializer_list<const char*> known) {
    for (const auto& [key, value] : body.items()) {
        bool is_known = false;
        for (const char* name : known) {
            is_known = is_known || key == name;
        }
        if (!is_known) {
            throw Refusal("unknown key " + quoted_piece(key, 40));
        }
    }
}

}  // namespace lockkeeper::members

namespace lockkeeper {

// Reads what an event loop may do next into the message.
void read_choices(const nlohmann::json& body, Message& out);

}  // namespace lockkeeper
