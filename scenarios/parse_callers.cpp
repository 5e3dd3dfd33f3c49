#include <algorithm>

#include <fmt/format.h>

#include "model/observation.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/parse_script.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kCallerNameMax = 40;

void add_caller(const Place& entry, const CallerConfig& caller, WorldConfig& world) {
    if (world.callers.size() == kCallersMax) {
        entry.refuse(fmt::format("more than {} callers", kCallersMax));
    }
    if (caller.name.size() > kCallerNameMax) {
        entry.refuse(fmt::format("the name {} is longer than {} characters", in_quotes(caller.name),
                                 kCallerNameMax));
    }
    const bool taken =
        std::any_of(world.callers.begin(), world.callers.end(),
                    [&](const CallerConfig& other) { return other.name == caller.name; });
    if (taken) {
        entry.refuse("another caller is named " + in_quotes(caller.name));
    }
    world.callers.push_back(caller);
}

// A, B ... Z, caller27, caller28 ...
std::string name_of_entry(std::size_t index) {
    return index < 26 ? std::string(1, static_cast<char>('A' + index))
                      : "caller" + std::to_string(index + 1);
}

// An entry stands for `count` callers, which are interchangeable.
void parse_entry(const Place& entry, std::size_t index, ScriptNames& names, WorldConfig& world) {
    entry.has_only({"name", "count", "may_crash", "script", "repeat", "settings"});
    const auto name = entry.find("name");
    const std::string base = name ? name->name(kCallerNameMax) : name_of_entry(index);
    const auto count_place = entry.find("count");
    const auto count =
        count_place ? count_place->integer<std::size_t>(1, kCallersMax) : std::size_t{1};
    CallerConfig caller;
    caller.group = static_cast<std::uint8_t>(index);
    if (const auto may_crash = entry.find("may_crash")) {
        caller.may_crash = may_crash->truth();
    }
    if (const auto settings = entry.find("settings")) {
        caller.settings = parse_numbers(*settings);
    }
    std::uint32_t times = 1;
    if (const auto repeat = entry.find("repeat")) {
        if (repeat->is_text("forever")) {
            caller.repeats_forever = true;
        } else if (repeat->is_integer()) {
            times = repeat->integer<std::uint32_t>(1, kOperationsMax);
        } else {
            repeat->refuse_type("an integer or \"forever\"");
        }
    }
    const Place script = entry.at("script");
    caller.script = expand_script(parse_script(script, names), script, times);
    for (std::size_t i = 1; i <= count; ++i) {
        caller.name = count == 1 ? base : base + std::to_string(i);
        add_caller(entry, caller, world);
    }
}

bool is_acquired(const WorldConfig& world, std::size_t key) {
    const auto acquires = [&](const Operation& operation) {
        return operation.verb == Verb::kAcquire && operation.key == key;
    };
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const auto& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), acquires);
    });
}

// A condition on a key that nobody acquires is never met: misspelt, most of the time.
void refuse_conditions_never_met(const ScriptNames& names, const WorldConfig& world) {
    for (const HoldingUse& use : names.holdings) {
        if (is_acquired(world, use.key)) {
            continue;
        }
        std::vector<std::string_view> acquired;
        for (std::size_t key = 0; key < names.keys.size(); ++key) {
            if (is_acquired(world, key)) {
                acquired.push_back(names.keys[key]);
            }
        }
        const std::string& name = names.keys[use.key];
        use.first.refuse("nobody acquires " + in_quotes(name) + did_you_mean(name, acquired));
    }
}

bool follows_resizes(const WorldConfig& world) {
    const auto follows = [](const Operation& operation) { return operation.follows_resizes; };
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const auto& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), follows);
    });
}

void parse_views(const Place& document, WorldConfig& world) {
    const auto view = document.find("view");
    const auto resizes = document.find("resizes");
    if (!view && (resizes || follows_resizes(world))) {
        document.refuse(
            "missing key \"view\": how many buckets \"current\" means before the "
            "first resize");
    }
    if (view) {
        world.views = {view->integer<std::uint16_t>(0, kBucketsMax)};
    }
    if (resizes) {
        for (const Place& resize : resizes->elements(0, kResizesMax)) {
            world.views.push_back(resize.integer<std::uint16_t>(0, kBucketsMax));
        }
    }
}

}  // namespace

void parse_callers(const Place& document, WorldConfig& world, ScenarioSource& source) {
    ScriptNames names;
    if (const auto keys = document.find("keys")) {
        names.keys = parse_names(*keys, kKeysMax);
    }
    std::size_t index = 0;
    for (const Place& entry : document.at("callers").elements(1, kCallersMax)) {
        parse_entry(entry, index++, names, world);
    }
    refuse_lonely_signals(names.signals);
    refuse_conditions_never_met(names, world);
    for (const SignalUse& signal : names.signals) {
        world.signals.push_back(signal.name);
    }
    world.keys = std::move(names.keys);
    const auto in_scenario = [&](const Place& place) {
        return place.pointer().substr(document.pointer().size());
    };
    for (const WordUse& word : names.words) {
        world.words.push_back(word.name);
        source.words.emplace(word.name, in_scenario(word.first));
    }
    source.sleep = names.sleep ? in_scenario(*names.sleep) : "";
    parse_views(document, world);
    if (names.places) {
        source.given.push_back({FormatKey::kPlaces, in_scenario(*names.places)});
    } else if (world.views.size() > 1 || world.views.front() != 1) {
        source.given.push_back({FormatKey::kPlaces, world.views.size() > 1 ? "/resizes" : "/view"});
    }
}

std::map<std::string, std::int32_t> parse_numbers(const Place& place,
                                                  const std::vector<std::string_view>& others) {
    std::map<std::string, std::int32_t> numbers;
    for (const auto& [name, number] : place.members()) {
        if (std::find(others.begin(), others.end(), name) != others.end()) {
            continue;
        }
        if (!number.is_integer()) {
            number.refuse(
                "unknown key " + in_quotes(name) +
                did_you_mean(name, others, "; only numbers can have names that a system defines"));
        }
        if (numbers.size() == kOwnNumbersMax) {
            place.refuse(fmt::format("more than {} numbers", kOwnNumbersMax));
        }
        numbers[name] = number.integer<std::int32_t>(-kOwnNumberMax, kOwnNumberMax);
    }
    return numbers;
}

}  // namespace lockkeeper
