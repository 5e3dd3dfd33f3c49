// SPDX-License-Identifier: Apache-2.0
#include "scenarios/scenario.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "scenarios/cases.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/json_layout.hpp"
#include "scenarios/keys/codecs.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

// Notes the keys that say something. The text of a trace has all of them, and of a shrunk scenario
// a "manager_max_per" that is no longer the largest: whether its author gave one is not known.
void note_given_keys(const Reading& reading) {
    const Scenario& scenario = reading.scenario;
    const bool is_in_trace = !reading.source.pointer.empty();
    Scenario without;
    without.parameters.manager_max_per =
        is_in_trace ? scenario.parameters.manager_max_per : largest_max_per(scenario.world);
    for (const Field& field : all_fields()) {
        if (field.part && field.get(scenario) != field.get(without)) {
            reading.source.given.push_back(
                {*field.part, fmt::format("/{}/{}", field.object, field.key)});
        }
    }
}

std::string pointer_in_text(const ScenarioSource& source, const std::string& pointer) {
    const InputText input{source.name, source.text, source.of_case};
    return input.in_text(source.pointer + pointer);
}

}  // namespace

Scenario scenario_at(const Place& place, const std::string& file) {
    if (place.find("kind") && place.find("scenario")) {
        const auto outside = outside_words(place);
        place.refuse(outside.empty() ? "is a trace: `lockkeeper replay` runs it"
                                     : what_to_type(outside, file));
    }
    place.has_version("version", kScenarioVersion);
    place.has_only(keys_of(""));
    const InputText& input = place.input();
    const auto source = std::make_shared<ScenarioSource>(
        ScenarioSource{input.file, input.text, place.pointer(), input.of_case, {}, {}, {}, {}, {}});
    Scenario scenario;
    scenario.file = file;
    scenario.source = source;
    scenario.check = {"all"};
    scenario.method = method_without_key(place);
    const Reading reading{scenario, *source};
    read_fields("", place, reading);
    source->system = scenario.system;
    check_views(place, reading);
    note_given_keys(reading);
    return scenario;
}

InputError located(const Scenario& scenario, InputError error) {
    if (scenario.source == nullptr) {
        return error;
    }
    const ScenarioSource& source = *scenario.source;
    std::string pointer = pointer_in_text(source, error.pointer);
    const TextPlace place = place_in(source.text, find_in_json(source.text, pointer).begin);
    return {in_file(source.name, place), std::move(pointer), std::move(error.message), place};
}

TextPlace place_of(const Scenario& scenario) {
    if (scenario.source == nullptr) {
        return {};
    }
    const std::string& text = scenario.source->text;
    return place_in(text, find_in_json(text, pointer_in_text(*scenario.source, "")).begin);
}

std::variant<Scenario, InputError> parse_scenario(const std::string& text,
                                                  const std::string& file) {
    try {
        const NamedCase wanted = named_case(file);
        InputText input{name_in_messages(wanted.file), text};
        const nlohmann::json document = document_of_case(read_json(input), wanted, input);
        return scenario_at(Place(document, input), file);
    } catch (const RefusedInput& refused) {
        return refused.error();
    }
}

std::string to_json_text(const Scenario& scenario) {
    nlohmann::ordered_json json;
    write_fields("", scenario, json);
    return laid_out(json);
}

std::uint16_t largest_max_per(const WorldConfig& world) {
    std::optional<std::uint16_t> largest;
    for (const CallerConfig& caller : world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire || operation.verb == Verb::kRelease) {
                largest = std::max(largest.value_or(0), operation.place_capacity);
            }
        }
    }
    return largest.value_or(1);
}

std::variant<Scenario, InputError> load_scenario(const std::string& file) {
    const std::string path = named_case(file).file;
    const auto text = read_text(path, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        return InputError{name_in_messages(path), "", none->message};
    }
    return parse_scenario(std::get<std::string>(text), file);
}

}  // namespace lockkeeper
