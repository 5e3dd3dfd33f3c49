// SPDX-License-Identifier: Apache-2.0
#include "scenarios/parse_script.hpp"

#include <fmt/format.h>

#include "scenarios/keys/operations.hpp"
#include "scenarios/nearest_name.hpp"

namespace lockkeeper {
namespace {

std::uint32_t parse_times(const Place& element) {
    const auto times = element.find("times");
    return times ? times->integer<std::uint32_t>(1, kOperationsMax) : 1;
}

ScriptNode parse_element(const Place& element, const ReadingScript& reading) {
    std::vector<std::string_view> names;
    for (const OperationName& name : operation_names()) {
        names.push_back(name.key);
    }
    std::vector<std::string_view> keys = names;
    keys.emplace_back("times");
    element.has_only(keys);
    ScriptNode node{.place = element, .times = parse_times(element), .body = {}, .operation = {}};
    std::size_t names_count = 0;
    for (const OperationName& name : operation_names()) {
        const auto place = element.find(name.key);
        if (!place) {
            continue;
        }
        ++names_count;
        if (name.verb) {
            read_operation(*place, *name.verb, reading, node);
        } else {
            node.body = parse_script(*place, reading.names, reading.conditions);
        }
    }
    if (names_count != 1) {
        element.refuse(fmt::format("expected one of \"{}\", found {} of them",
                                   fmt::join(names, "\", \""), names_count));
    }
    if (node.operation.verb == Verb::kExit && node.times != 1) {
        element.at("times").refuse("a caller exits once; leave \"times\" out");
    }
    return node;
}

}  // namespace

std::vector<ScriptNode> parse_script(const Place& script, ScriptNames& names,
                                     std::size_t conditions) {
    std::vector<ScriptNode> nodes;
    for (const Place& element : script.elements(1, kOperationsMax)) {
        nodes.push_back(parse_element(element, {names, conditions}));
    }
    return nodes;
}

void refuse_lonely_signals(const std::vector<SignalUse>& signals) {
    for (const SignalUse& signal : signals) {
        if (signal.signalled && signal.waited_for) {
            continue;
        }
        // Misspelt, it has its counterpart under another name.
        std::vector<std::string_view> counterparts;
        for (const SignalUse& other : signals) {
            if (signal.signalled ? other.waited_for : other.signalled) {
                counterparts.push_back(other.name);
            }
        }
        signal.first.refuse(fmt::format("nobody {} {}", signal.signalled ? "waits for" : "signals",
                                        in_quotes(signal.name)) +
                            did_you_mean(signal.name, counterparts));
    }
}

}  // namespace lockkeeper
