#include "scenarios/parse_script.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/observation.hpp"

namespace lockkeeper {
namespace {

std::uint32_t parse_times(const Place& element) {
    const auto times = element.find("times");
    return times ? times->integer<std::uint32_t>(1, kOperationsMax) : 1;
}

void parse_buckets(const Place& place, Operation& operation) {
    if (place.is_text("current")) {
        operation.follows_resizes = true;
    } else if (place.is_integer()) {
        operation.buckets = place.integer<std::uint16_t>(0, kBucketsMax);
    } else {
        place.refuse_type("an integer or \"current\"");
    }
}

void parse_acquire(const Place& place, std::vector<std::string>& keys, ScriptNode& node) {
    place.has_only({"key", "max_per", "buckets", "until"});
    node.operation.verb = Verb::kAcquire;
    node.operation.key = key_index(keys, place.at("key"));
    node.operation.max_per = place.at("max_per").integer<std::uint16_t>(1, kMaxPerMax);
    parse_buckets(place.at("buckets"), node.operation);
    if (const auto until = place.find("until")) {
        static_cast<void>(until->word({"acquired"}));
        node.operation.until_acquired = true;
    }
}

void parse_release(const Place& place, std::vector<std::string>& keys, ScriptNode& node) {
    place.has_only({"key", "max_per", "buckets", "unchecked"});
    node.operation.verb = Verb::kRelease;
    node.operation.key = key_index(keys, place.at("key"));
    if (const auto max_per = place.find("max_per")) {
        node.operation.max_per = max_per->integer<std::uint16_t>(1, kMaxPerMax);
    } else {
        node.has_max_per = false;
    }
    if (const auto buckets = place.find("buckets")) {
        parse_buckets(*buckets, node.operation);
    } else {
        node.has_buckets = false;
    }
    if (const auto unchecked = place.find("unchecked")) {
        node.operation.unchecked = unchecked->truth();
    }
}

ScriptNode parse_element(const Place& element, std::vector<std::string>& keys) {
    element.has_only({"acquire", "release", "exit", "repeat", "times"});
    ScriptNode node{.place = element, .times = parse_times(element), .body = {}, .operation = {}};
    std::size_t verbs_count = 0;
    if (const auto acquire = element.find("acquire")) {
        parse_acquire(*acquire, keys, node);
        ++verbs_count;
    }
    if (const auto release = element.find("release")) {
        parse_release(*release, keys, node);
        ++verbs_count;
    }
    if (const auto exit = element.find("exit")) {
        exit->has_only({});
        if (node.times != 1) {
            element.at("times").refuse("a caller exits once; leave \"times\" out");
        }
        node.operation.verb = Verb::kExit;
        ++verbs_count;
    }
    if (const auto repeat = element.find("repeat")) {
        node.body = parse_script(*repeat, keys);
        ++verbs_count;
    }
    if (verbs_count != 1) {
        element.refuse(
            fmt::format("expected one of \"acquire\", \"release\", \"exit\", "
                        "\"repeat\", found {} of them",
                        verbs_count));
    }
    return node;
}

}  // namespace

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

std::vector<ScriptNode> parse_script(const Place& script, std::vector<std::string>& keys) {
    std::vector<ScriptNode> nodes;
    for (const Place& element : script.elements(1, kOperationsMax)) {
        nodes.push_back(parse_element(element, keys));
    }
    return nodes;
}

}  // namespace lockkeeper
