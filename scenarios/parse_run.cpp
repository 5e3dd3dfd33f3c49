// How a scenario is run: method, strategy, order, schedule, limits.
#include <algorithm>

#include <fmt/format.h>

#include "scenarios/fields.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

Method parse_method(const Place& document) {
    const auto method = document.find("method");
    if (method) {
        return static_cast<Method>(
            method->word({kMethodNames[0], kMethodNames[1], kMethodNames[2], kMethodNames[3]}));
    }
    return document.find("order")      ? Method::kOrder
           : document.find("schedule") ? Method::kReplay
                                       : Method::kExplore;
}

std::vector<std::string> caller_names(const WorldConfig& world) {
    std::vector<std::string> names;
    for (const CallerConfig& caller : world.callers) {
        names.push_back(caller.name);
    }
    return names;
}

// {"caller": "A", "times": 3} or "A".
void add_order_entry(const Place& entry, const std::vector<std::string>& callers,
                     std::vector<std::string>& order) {
    std::size_t times = 1;
    if (!entry.is_text()) {
        entry.has_only({"caller", "times"});
        if (const auto times_place = entry.find("times")) {
            times = times_place->integer<std::size_t>(1, kOrderEntriesMax);
        }
    }
    const Place caller = entry.is_text() ? entry : entry.at("caller");
    refuse_unknown(caller, "caller", caller.text(), callers);
    if (times > kOrderEntriesMax - order.size()) {
        entry.refuse(
            fmt::format("more than {} entries, repetitions written out", kOrderEntriesMax));
    }
    order.insert(order.end(), times, caller.text());
}

// More turns than operations is a mistake of the author, and would be an idle turn.
void check_turns(const Place& place, const Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        const auto operations = static_cast<std::size_t>(std::count_if(
            caller.script.begin(), caller.script.end(),
            [](const Operation& operation) { return operation.verb != Verb::kIfHolding; }));
        const auto turns = static_cast<std::size_t>(
            std::count(scenario.order.begin(), scenario.order.end(), caller.name));
        if (!caller.repeats_forever && turns > operations) {
            place.refuse(fmt::format("{} has {} turns but only {} operations",
                                     in_quotes(caller.name), turns, operations));
        }
    }
}

void parse_order(const Place& document, Scenario& scenario) {
    const auto place = document.find("order");
    if (scenario.method != Method::kOrder) {
        if (place) {
            place->refuse("goes with \"method\": \"order\" only");
        }
        return;
    }
    const Place order = document.at("order");
    const auto callers = caller_names(scenario.world);
    for (const Place& entry : order.elements(1, kOrderEntriesMax)) {
        add_order_entry(entry, callers, scenario.order);
    }
    check_turns(order, scenario);
}

void parse_schedule_line(const Place& document, Scenario& scenario) {
    const auto place = document.find("schedule");
    if (scenario.method != Method::kReplay) {
        if (place) {
            place->refuse("goes with \"method\": \"replay\" only");
        }
        return;
    }
    const Place line = document.at("schedule");
    auto parsed = parse_schedule(line.text());
    if (const auto* error = std::get_if<ScheduleError>(&parsed)) {
        line.refuse(fmt::format("character {}: {}", error->offset + 1, error->message));
    }
    scenario.schedule = std::move(std::get<Schedule>(parsed));
}

void parse_find(const Place& document, Scenario& scenario) {
    const auto place = document.find("find");
    if (!place) {
        return;
    }
    if (scenario.method != Method::kExplore) {
        place->refuse("goes with \"method\": \"explore\" only");
    }
    place->has_only({"smallest", "largest", "from", "to"});
    const auto smallest = place->find("smallest");
    const auto largest = place->find("largest");
    if (smallest.has_value() == largest.has_value()) {
        place->refuse("expected one of \"smallest\" and \"largest\"");
    }
    BoundarySearch find;
    find.smallest = smallest.has_value();
    find.parameter = (smallest ? *smallest : *largest).name();
    find.from = place->at("from").integer<std::int32_t>(-kOwnNumberMax, kOwnNumberMax);
    find.to = place->at("to").integer<std::int32_t>(find.from, kOwnNumberMax);
    scenario.find = find;
}

}  // namespace

void parse_run(const Place& document, Scenario& scenario) {
    scenario.method = parse_method(document);
    parse_find(document, scenario);
    read_fields("", document, scenario);
    parse_order(document, scenario);
    parse_schedule_line(document, scenario);
    if (const auto limits = document.find("limits")) {
        read_fields("limits", limits->has_only(keys_of("limits")), scenario);
    }
}

}  // namespace lockkeeper
