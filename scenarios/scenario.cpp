#include "scenarios/scenario.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "scenarios/cases.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/parse_document.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kNamesMax = 64;

void parse_version(const Place& document) {
    const auto version = document.at("version").integer<std::int64_t>(1, kLimitMax);
    if (version != kScenarioVersion) {
        document.at("version").refuse(
            fmt::format("this build reads version {}, found {}", kScenarioVersion, version));
    }
}

std::vector<std::string> parse_check(const Place& document) {
    const auto check = document.find("check");
    if (!check) {
        return {"all"};
    }
    if (check->is_text()) {
        return {check->name()};
    }
    return parse_names(*check, kNamesMax);
}

std::string pointer_in_text(const ScenarioSource& source, const std::string& pointer) {
    const InputText input{source.name, source.text, source.of_case};
    return input.in_text(source.pointer + pointer);
}

}  // namespace

std::vector<std::string> parse_names(const Place& list, std::size_t size_max) {
    std::vector<std::string> names;
    for (const Place& element : list.elements(0, size_max)) {
        const std::string name = element.name();
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            element.refuse(in_quotes(name) + " stands in the list twice");
        }
        names.push_back(name);
    }
    return names;
}

void refuse_unknown(const Place& place, std::string_view what, const std::string& name,
                    const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
        return;
    }
    place.refuse(fmt::format("unknown {} {}", what, in_quotes(name)) +
                 did_you_mean(name, {known.begin(), known.end()},
                              fmt::format("; the scenario has {}", fmt::join(known, ", "))));
}

Scenario scenario_at(const Place& place, const std::string& file) {
    if (place.find("kind") && place.find("scenario")) {
        place.refuse("is a trace: `lockkeeper replay` runs it");
    }
    parse_version(place);
    place.has_only(keys_of(""));
    if (const auto cases = place.find("cases")) {
        cases->refuse("only a scenario file has cases");
    }
    Scenario scenario;
    const auto source = std::make_shared<ScenarioSource>(ScenarioSource{place.input().file,
                                                                        place.input().text,
                                                                        place.pointer(),
                                                                        place.input().of_case,
                                                                        {},
                                                                        {},
                                                                        {},
                                                                        {}});
    scenario.file = file;
    scenario.source = source;
    if (const auto schema = place.find("$schema")) {
        static_cast<void>(schema->text());
    }
    if (const auto about = place.find("about")) {
        scenario.about = about->text();
    }
    scenario.system = source->system = place.at("system").name();
    const auto variant = place.find("variant");
    scenario.variant = variant ? variant->name() : "faithful";
    scenario.check = parse_check(place);
    if (const auto reach = place.find("reach")) {
        scenario.reach = parse_names(*reach, kNamesMax);
    }
    parse_callers(place, scenario.world, *source);
    parse_parameters(place, scenario, *source);
    parse_run(place, scenario);
    parse_measuring(place, scenario);
    parse_expectation(place, scenario);
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

std::variant<Scenario, InputError> load_scenario(const std::string& file) {
    const std::string path = named_case(file).file;
    const auto text = read_text(path, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        return InputError{name_in_messages(path), "", none->message};
    }
    return parse_scenario(std::get<std::string>(text), file);
}

}  // namespace lockkeeper
