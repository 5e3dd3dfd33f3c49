// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranks/property_message.hpp"

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

enum class Listed : std::uint8_t { kNowhere, kAmongProperties, kAmongGoals };

}  // namespace

void write_property(const Property* property, MessageWriter& out) {
    if (property == nullptr) {
        out.value(Listed::kNowhere);
        return;
    }
    const bool is_goal = find_goal(property->name) == property;
    out.value(is_goal ? Listed::kAmongGoals : Listed::kAmongProperties);
    out.text(std::string(property->name));
}

const Property* read_property(MessageReader& in) {
    const auto listed = in.value<Listed>();
    if (listed == Listed::kNowhere) {
        return nullptr;
    }
    const std::string name = in.text();
    const Property* found = listed == Listed::kAmongGoals ? find_goal(name) : find_property(name);
    LOCKKEEPER_CHECK(found != nullptr);
    return found;
}

void write_properties(const std::vector<const Property*>& properties, MessageWriter& out) {
    out.value(std::uint64_t{properties.size()});
    for (const Property* property : properties) {
        write_property(property, out);
    }
}

std::vector<const Property*> read_properties(MessageReader& in) {
    std::vector<const Property*> properties(in.value<std::uint64_t>());
    for (const Property*& property : properties) {
        property = read_property(in);
    }
    return properties;
}

}  // namespace lockkeeper
