// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/cases.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/parse_place.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

bool is_trace(const nlohmann::json& document, const std::string& file) {
    return file.ends_with(".trace.json") || (document.is_object() && document.contains("kind"));
}

void parse_head(const Place& place) {
    place.has_version("version", kTraceVersion);
    place.has_only({"$schema", "version", "kind", "property", "about", "command", "validate",
                    "seed", "schedule", "cycle_from", "causes", "steps", "scenario"});
    static_cast<void>(place.at("kind").word({"trace"}));
    for (const char* name : {"$schema", "about", "command"}) {
        if (const auto text = place.find(name)) {
            static_cast<void>(text->text());
        }
    }
}

void parse_step(const Place& place, RecordedTrace& trace) {
    place.has_only({"action", "text", "result", "state"});
    trace.schedule.actions.push_back(action_at(place.at("action")));
    const auto text_of = [&](std::string_view key) {
        const auto found = place.find(key);
        return found ? found->text() : std::string();
    };
    static_cast<void>(text_of("state"));
    const std::string text = text_of("text");
    const std::string result = text_of("result");
    // A step that a person added has no text: nothing to compare.
    trace.labels.push_back(text.empty() ? "" : text + " " + result);
}

RecordedTrace trace_at(const Place& place, const std::string& file) {
    parse_head(place);
    RecordedTrace trace;
    trace.outside = outside_words(place);
    if (const auto property = place.find("property")) {
        trace.property = property->name();
        if (find_property(trace.property) == nullptr) {
            property->refuse(unknown_property(trace.property));
        }
    }
    // The steps are what is replayed. The schedule is looked at to refuse what another version
    // wrote; its length tells a file whose steps were lost from one that was edited on purpose,
    // without which a violation whose last steps are missing would be replayed as passed.
    std::optional<Schedule> schedule;
    if (const auto written = place.find("schedule")) {
        schedule = schedule_at(*written);
        trace.schedule.seed = schedule->seed;
    }
    if (const auto seed = place.find("seed")) {
        trace.schedule.seed =
            seed->integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
    }
    for (const Place& step : place.at("steps").elements(0, kScheduleStepsMax)) {
        parse_step(step, trace);
    }
    const std::size_t steps = trace.schedule.actions.size();
    if (schedule && schedule->actions.size() != steps) {
        place.at("steps").refuse(
            fmt::format("{} steps, but \"schedule\" has {}; delete \"schedule\" when steps are "
                        "added or taken away on purpose",
                        steps, schedule->actions.size()));
    }
    if (const auto from = place.find("cycle_from")) {
        trace.cycle_start = from->integer<std::size_t>(1, std::max<std::size_t>(steps, 1)) - 1;
    }
    if (const auto causes = place.find("causes")) {
        for (const Place& cause : causes->elements(0, kScheduleStepsMax)) {
            static_cast<void>(cause.integer<std::size_t>(1, std::max<std::size_t>(steps, 1)));
        }
    }
    trace.scenario = scenario_at(place.at("scenario"), file);
    return trace;
}

}  // namespace

std::variant<Scenario, RecordedTrace, InputError> parse_replayable(const std::string& text,
                                                                   const std::string& file) {
    try {
        const NamedCase wanted = named_case(file);
        InputText input{name_in_messages(wanted.file), text};
        const nlohmann::json document = document_of_case(read_json(input), wanted, input);
        const Place place(document, input);
        if (is_trace(document, wanted.file)) {
            return trace_at(place, file);
        }
        return scenario_at(place, file);
    } catch (const RefusedInput& refused) {
        return refused.error();
    }
}

std::variant<Scenario, RecordedTrace, InputError> load_replayable(const std::string& file) {
    const std::string path = named_case(file).file;
    const auto text = read_text(path, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        return InputError{name_in_messages(path), "", none->message};
    }
    return parse_replayable(std::get<std::string>(text), file);
}

}  // namespace lockkeeper
