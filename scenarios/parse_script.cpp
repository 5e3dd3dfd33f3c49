// SPDX-License-Identifier: Apache-2.0
#include "scenarios/parse_script.hpp"

#include <algorithm>
#include <span>
#include <vector>

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

namespace {

using Json = nlohmann::ordered_json;
using Operations = std::span<const Operation>;
using Units = std::span<const ScriptUnit>;

// Repetitions of longer parts are not looked for, except of the whole script.
constexpr std::size_t kPeriodMax = 16;

std::vector<ScriptUnit> units_of(Operations operations) {
    std::vector<ScriptUnit> units;
    while (!operations.empty()) {
        units.push_back(operations.first(1 + operations.front().governs));
        operations = operations.subspan(units.back().size());
    }
    return units;
}

bool same(ScriptUnit left, ScriptUnit right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

// How often the first `period` units stand at the beginning one after the other.
std::size_t repetitions(Units units, std::size_t period) {
    std::size_t end = period;
    while (end < units.size() && same(units[end], units[end - period])) {
        ++end;
    }
    return end / period;
}

Json written(ScriptUnit unit, const WorldConfig& world) {
    return {{std::string(name_of(unit.front().verb)), written_operation(unit, world)}};
}

// The beginning of `units` as one element; says in `used` how many of them that is.
Json first_element(Units units, const WorldConfig& world, std::size_t& used) {
    std::size_t best_period = 1;
    used = repetitions(units, 1);
    for (std::size_t period = 2; period <= std::min(kPeriodMax, units.size() / 2); ++period) {
        const std::size_t times = repetitions(units, period);
        if (times > 1 && times * period > used) {
            used = times * period;
            best_period = period;
        }
    }
    Json element;
    if (best_period == 1) {
        element = written(units.front(), world);
    } else {
        Json::array_t body;
        for (const ScriptUnit unit : units.first(best_period)) {
            body.push_back(written(unit, world));
        }
        element["repeat"] = body;
    }
    if (used > best_period) {
        element["times"] = used / best_period;
    }
    return element;
}

Json written_units(Units units, const WorldConfig& world) {
    Json::array_t list;
    while (!units.empty()) {
        std::size_t used = 0;
        list.push_back(first_element(units, world, used));
        units = units.subspan(used);
    }
    return list;
}

// The shortest part of which the script consists entirely. Linear, by the table of Knuth, Morris
// and Pratt: borders[i] units stand both at the beginning and at the end of the first i + 1.
std::size_t whole_period(Units units) {
    std::vector<std::size_t> borders(units.size(), 0);
    for (std::size_t i = 1; i < units.size(); ++i) {
        std::size_t border = borders[i - 1];
        while (border > 0 && !same(units[i], units[border])) {
            border = borders[border - 1];
        }
        borders[i] = border + (same(units[i], units[border]) ? 1 : 0);
    }
    const std::size_t period = units.empty() ? 0 : units.size() - borders.back();
    return period > 0 && units.size() % period == 0 ? period : units.size();
}

}  // namespace

bool behave_alike(const CallerConfig& left, const CallerConfig& right) {
    return left.may_crash == right.may_crash && left.repeats_forever == right.repeats_forever &&
           left.script == right.script && left.settings == right.settings;
}

nlohmann::ordered_json written_script(Operations operations, const WorldConfig& world) {
    return written_units(units_of(operations), world);
}

void write_script(const CallerConfig& caller, const WorldConfig& world,
                  nlohmann::ordered_json& entry) {
    const std::vector<ScriptUnit> units = units_of(caller.script);
    // With "forever" there is no place for a number.
    const std::size_t period = caller.repeats_forever ? units.size() : whole_period(units);
    entry["script"] = written_units(Units(units).first(period), world);
    if (caller.repeats_forever) {
        entry["repeat"] = "forever";
    } else if (period < units.size()) {
        entry["repeat"] = units.size() / period;
    }
}

}  // namespace lockkeeper
