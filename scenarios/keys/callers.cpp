// SPDX-License-Identifier: Apache-2.0

// "keys", "callers", and the buckets that they see: "view" and "resizes".
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/observation.hpp"
#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/operations.hpp"
#include "scenarios/keys/schema_parts.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/parse_script.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCallerNameMax = 40;

void read_keys(const Place& place, const Reading& reading) {
    reading.scenario.world.keys = parse_names(place, kKeysMax);
}

Json written_keys(const Scenario& scenario) { return scenario.world.keys; }

Json schema_of_keys() {
    Json schema = list_schema(defined("name"), 0, kKeysMax);
    schema["uniqueItems"] = true;
    return schema;
}

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

// How often the script runs; for ever: once, and the caller repeats it.
std::uint32_t parse_repeat(const Place& repeat, CallerConfig& caller) {
    if (repeat.is_text("forever")) {
        caller.repeats_forever = true;
        return 1;
    }
    if (!repeat.is_integer()) {
        repeat.refuse_type("an integer or \"forever\"");
    }
    return repeat.integer<std::uint32_t>(1, kOperationsMax);
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
    const auto repeat = entry.find("repeat");
    const std::uint32_t times = repeat ? parse_repeat(*repeat, caller) : 1;
    const Place script = entry.at("script");
    caller.script = expand_script(parse_script(script, names), script, times);
    for (std::size_t i = 1; i <= count; ++i) {
        caller.name = count == 1 ? base : base + std::to_string(i);
        add_caller(entry, caller, world);
    }
}

template <class Asks>
bool any_operation(const WorldConfig& world, Asks asks) {
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const auto& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), asks);
    });
}

bool is_acquired(const WorldConfig& world, std::size_t key) {
    return any_operation(world, [&](const Operation& operation) {
        return operation.verb == Verb::kAcquire && is_of_key(operation, key);
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

void read_callers(const Place& place, const Reading& reading) {
    WorldConfig& world = reading.scenario.world;
    ScriptNames names;
    names.keys = world.keys;
    std::size_t index = 0;
    for (const Place& entry : place.elements(1, kCallersMax)) {
        parse_entry(entry, index++, names, world);
    }
    refuse_lonely_signals(names.signals);
    refuse_conditions_never_met(names, world);
    for (const SignalUse& signal : names.signals) {
        world.signals.push_back(signal.name);
    }
    world.keys = std::move(names.keys);
    for (const WordUse& word : names.words) {
        world.words.push_back(word.name);
        reading.source.words.emplace(word.name, reading.in_scenario(word.first));
    }
    for (const auto& [name, first] : names.numbers) {
        reading.source.numbers.emplace(name, reading.in_scenario(first));
    }
    reading.source.sleep = names.sleep ? reading.in_scenario(*names.sleep) : "";
    if (names.places) {
        reading.source.given.push_back({FormatKey::kPlaces, reading.in_scenario(*names.places)});
    }
    // Where "parameters" does not say it.
    reading.scenario.parameters.manager_max_per = largest_max_per(world);
}

// "worker" when the callers from `first` on are worker1, worker2, ... of one group, and how many.
std::pair<std::string, std::size_t> common_entry(const std::vector<CallerConfig>& callers,
                                                 std::size_t first) {
    const CallerConfig& leader = callers[first];
    std::size_t count = 1;
    while (first + count < callers.size() && callers[first + count].group == leader.group) {
        ++count;
    }
    if (count == 1 || leader.name.size() < 2 || leader.name.back() != '1') {
        return {leader.name, 1};
    }
    const std::string base = leader.name.substr(0, leader.name.size() - 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (callers[first + i].name != base + std::to_string(i + 1) ||
            !behave_alike(leader, callers[first + i])) {
            return {leader.name, 1};
        }
    }
    return {base, count};
}

Json written_callers(const Scenario& scenario) {
    const WorldConfig& world = scenario.world;
    Json::array_t entries;
    for (std::size_t i = 0; i < world.callers.size();) {
        const auto [name, count] = common_entry(world.callers, i);
        Json entry;
        entry["name"] = name;
        if (count > 1) {
            entry["count"] = count;
        }
        if (!world.callers[i].may_crash) {
            entry["may_crash"] = false;
        }
        if (!world.callers[i].settings.empty()) {
            entry["settings"] = world.callers[i].settings;
        }
        write_script(world.callers[i], world, entry);
        entries.push_back(entry);
        i += count;
    }
    return entries;
}

Json schema_of_callers() {
    Json entry;
    entry["name"] = {{"type", "string"},
                     {"pattern", "^[A-Za-z0-9_.:-]+$"},
                     {"minLength", 1},
                     {"maxLength", kCallerNameMax},
                     {"description", "Default: A, B, C ... by entry."}};
    entry["count"] = described(whole_schema(1, kCallersMax),
                               "This many interchangeable callers, named name1, name2, ... "
                               "Default: 1.");
    entry["may_crash"] = {
        {"type", "boolean"},
        {"description", "Whether the crashes of \"faults\" may hit it. Default: true."}};
    entry["settings"] = described(map_schema(defined("own_number"), kOwnNumbersMax),
                                  "What the system asks of each caller, such as its clock's "
                                  "offset: lockkeeper list.");
    entry["script"] = defined("script");
    entry["repeat"] = {{"description", "How often the whole script runs. Default: 1."},
                       {"oneOf", {whole_schema(1, kOperationsMax), words_schema({"forever"})}}};
    return list_schema(object_schema(entry, {"script"}), 1, kCallersMax);
}

void read_view(const Place& place, const Reading& reading) {
    reading.scenario.world.views = {place.integer<std::uint16_t>(0, kBucketsMax)};
}

Json written_view(const Scenario& scenario) { return scenario.world.views.front(); }

Json schema_of_buckets() { return whole_schema(0, kBucketsMax); }

void read_resizes(const Place& place, const Reading& reading) {
    for (const Place& resize : place.elements(0, kResizesMax)) {
        reading.scenario.world.views.push_back(resize.integer<std::uint16_t>(0, kBucketsMax));
    }
}

Json written_resizes(const Scenario& scenario) {
    const std::vector<std::uint16_t>& views = scenario.world.views;
    return views.size() < 2 ? Json()
                            : Json(std::vector<std::uint16_t>(views.begin() + 1, views.end()));
}

Json schema_of_resizes() { return list_schema(schema_of_buckets(), 0, kResizesMax); }

}  // namespace

void check_views(const Place& document, const Reading& reading) {
    const WorldConfig& world = reading.scenario.world;
    const bool follows =
        any_operation(world, [](const Operation& operation) { return operation.follows_resizes; });
    if (!document.find("view") && (document.find("resizes") || follows)) {
        document.refuse(
            "missing key \"view\": how many buckets \"current\" means before the "
            "first resize");
    }
    const bool is_given = world.views.size() > 1 || world.views.front() != 1;
    if (reading.source.given.empty() && is_given) {
        reading.source.given.push_back(
            {FormatKey::kPlaces, world.views.size() > 1 ? "/resizes" : "/view"});
    }
}

constinit const Codec kKeysCodec{read_keys, written_keys, schema_of_keys};
constinit const Codec kCallersCodec{read_callers, written_callers, schema_of_callers};
constinit const Codec kViewCodec{read_view, written_view, schema_of_buckets};
constinit const Codec kResizesCodec{read_resizes, written_resizes, schema_of_resizes};

}  // namespace lockkeeper
