// SPDX-License-Identifier: Apache-2.0
#include "reports/read_results.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "properties/catalogue.hpp"
#include "reports/clean_text.hpp"
#include "reports/run_json.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kCountMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kFilesMax = 1'000'000;

std::optional<Place> given(const Place& place, std::string_view name) {
    const Place found = place.at(name);
    return found.value().is_null() ? std::nullopt : std::optional(found);
}
// The file may be anybody's: nothing in it commands a terminal.
std::string shown_text(const Place& place) { return clean_text(place.text()); }

std::string text_or_nothing(const Place& place, std::string_view name) {
    const auto found = given(place, name);
    return found ? shown_text(*found) : "";
}
std::uint64_t count_or_0(const Place& place, std::string_view name) {
    const auto found = given(place, name);
    return found ? found->integer<std::uint64_t>(0, kCountMax) : 0;
}

const Property* property_at(const Place& place) {
    const Property* property = find_property(place.text());
    if (property == nullptr) {
        place.refuse(unknown_property(place.text()));
    }
    return property;
}
std::vector<const Property*> properties_at(const Place& place) {
    std::vector<const Property*> properties;
    for (const Place& name : place.elements(0, kFilesMax)) {
        properties.push_back(property_at(name));
    }
    return properties;
}

Verdict verdict_at(const Place& file) {
    const std::string detail = shown_text(file.at("detail"));
    switch (file.at("verdict").word({"passed", "violated", "stuck", "unreached", "inconclusive",
                                     "diverged", "not deterministic", "error"})) {
        case 0: return Passed{detail};
        case 1: return Violated{detail};
        case 2: return Stuck{detail};
        case 3: return Unreached{detail};
        case 4: return Inconclusive{"", detail};
        case 5: return Diverged{detail};
        case 6: return NotDeterministic{detail};
        default: return RefusedFile{detail};
    }
}

TraceStep step_at(const Place& place) {
    TraceStep step;
    step.action = action_at(place.at("action"));
    step.text = shown_text(place.at("text"));
    step.result = shown_text(place.at("result"));
    step.state = shown_text(place.at("state"));
    step.violates = properties_at(place.at("violates"));
    step.is_cause = place.at("cause").truth();
    return step;
}

// Callers are known by what they do: in the words of a step its caller stands first.
void name_parties(Trace& trace) {
    std::map<std::uint8_t, std::string> names;
    for (const TraceStep& step : trace.steps) {
        if (doer_of(step.action) == Doer::kCaller) {
            names.try_emplace(step.action.actor, step.text.substr(0, step.text.find(' ')));
        }
    }
    const std::size_t callers = names.empty() ? 0 : names.rbegin()->first + std::size_t{1};
    trace.parties = parties_of({}, callers, "servers");
    for (const auto& [caller, name] : names) {
        trace.parties[caller].name = name;
    }
    for (TraceStep& step : trace.steps) {
        step.words.doer = doer_of(step.action);
        step.words.label = step.text;
        step.party = party_index(step.words.doer, step.action, callers);
    }
}

std::vector<Overlap> overlaps_at(const Place& place) {
    std::vector<Overlap> overlaps;
    for (const Place& one : place.elements(0, kScheduleStepsMax)) {
        Overlap& overlap = overlaps.emplace_back();
        overlap.of_grants = one.at("of").word({"beliefs", "grants"}) == 1;
        overlap.first_step = one.at("first_step").integer<std::size_t>(0, kScheduleStepsMax);
        overlap.last_step = one.at("last_step").integer<std::size_t>(0, kScheduleStepsMax);
        overlap.ended = one.at("ended").truth();
    }
    return overlaps;
}

Trace trace_at(const Place& steps, const Place& overlaps) {
    Trace trace;
    for (const Place& step : steps.elements(0, kScheduleStepsMax)) {
        trace.steps.push_back(step_at(step));
    }
    trace.overlaps = overlaps_at(overlaps);
    name_parties(trace);
    return trace;
}

Finding finding_at(const Place& place) {
    Finding finding;
    if (const auto name = given(place, "property")) {
        finding.property = property_at(*name);
    }
    finding.schedule = schedule_at(place.at("schedule"));
    finding.trace = trace_at(place.at("trace"), place.at("overlaps"));
    finding.trace.initial_state = shown_text(place.at("initial_state"));
    if (finding.property != nullptr) {
        finding.trace.violated = {finding.property};
    }
    finding.trace.deadlocked = finding.property == nullptr;
    if (const auto from = given(place, "cycle_from")) {
        const std::size_t steps = std::max<std::size_t>(finding.trace.steps.size(), 1);
        finding.cycle_start = from->integer<std::size_t>(1, steps) - 1;
        finding.trace.cycle_start = finding.cycle_start;
    }
    finding.cause = text_or_nothing(place, "cause");
    finding.causes_cut = place.at("causes_cut").truth();
    finding.found_by = text_or_nothing(place, "found_by");
    finding.trace_file = text_or_nothing(place, "trace_file");
    finding.replay_command = shown_text(place.at("replay"));
    finding.is_cut = place.at("shrinking_cut").truth();
    return finding;
}

void take_search(const Place& place, RunReport& report) {
    if (given(place, "states")) {
        ExploreResult& explored = report.explored.emplace();
        explored.states = count_or_0(place, "states");
        explored.transitions = count_or_0(place, "transitions");
        explored.depth = count_or_0(place, "depth");
        explored.terminal_states = count_or_0(place, "terminal_states");
        explored.bytes_stored = count_or_0(place, "bytes_stored");
        explored.complete = report.complete;
        explored.stopped_at_violation = !report.complete && is<Violated>(report.verdict);
        explored.limit = explored.stopped_at_violation ? "first violation"
                         : report.complete             ? ""
                                                       : detail_of(report.verdict);
        explored.seconds = report.seconds;
        if (const auto digits = given(place, "interleavings")) {
            explored.interleavings = shown_text(*digits);
        }
    }
    if (given(place, "schedules")) {
        FuzzResult& fuzzed = report.fuzzed.emplace();
        fuzzed.schedules = count_or_0(place, "schedules");
        fuzzed.steps = count_or_0(place, "steps");
        fuzzed.seconds = report.seconds;
    }
}

void take_run(const Place& place, RunReport& report) {
    const auto steps = given(place, "trace");
    if (!steps) {
        return;
    }
    report.replayed = trace_at(*steps, place.at("overlaps"));
    for (const Place& one : place.at("divergences").elements(0, kScheduleStepsMax)) {
        report.replayed->divergences.push_back(
            {one.at("step").integer<std::size_t>(1, kScheduleStepsMax) - 1,
             shown_text(one.at("reason"))});
    }
}

RunReport file_at(const Place& place, const std::string& command) {
    RunReport report;
    report.command = command;
    report.file = shown_text(place.at("file"));
    report.system = shown_text(place.at("system"));
    report.variant = shown_text(place.at("variant"));
    report.verdict = verdict_at(place);
    report.strategy = shown_text(place.at("strategy"));
    report.scope = shown_text(place.at("scope"));
    report.short_scope = report.scope;
    report.seed = place.at("seed").integer<std::uint64_t>(0, kCountMax);
    report.complete = place.at("complete").truth();
    report.seconds = place.at("seconds").real(0, std::numeric_limits<double>::max());
    report.is_interrupted =
        place.at("exit_code").integer<int>(0, kExitInterrupted) == kExitInterrupted;
    report.checked = properties_at(place.at("checked"));
    if (const auto met = given(place, "met")) {
        report.met = met->truth() ? Verdict(Passed{})
                                  : Verdict(Violated{text_or_nothing(place, "difference")});
    }
    take_search(place, report);
    take_run(place, report);
    return report;
}

// A violation names its file; of several with one name the first, which is where it was found.
void add_finding(const Place& place, std::vector<RunReport>& reports) {
    const Place name = place.at("file");
    const auto report = std::find_if(reports.begin(), reports.end(), [&](const RunReport& one) {
        return one.file == shown_text(name);
    });
    if (report == reports.end()) {
        name.refuse("no entry of /files has this name");
    }
    report->findings.push_back(finding_at(place));
}

Results results_at(const Place& place) {
    place.has_version("result_version", kResultVersion);
    Results results;
    results.command = shown_text(place.at("command"));
    results.kind = results.command == "run" ? ResultsKind::kTests : ResultsKind::kRuns;
    for (const Place& file : place.at("files").elements(0, kFilesMax)) {
        results.files.push_back(file_at(file, results.command));
    }
    for (const Place& violation : place.at("violations").elements(0, kFilesMax)) {
        add_finding(violation, results.files);
    }
    results.files_count = results.files.size();
    results.cases_count = results.files.size();
    results.exit_code = place.at("exit_code").integer<int>(0, kExitInterrupted);
    return results;
}

// Other documents have a member "measure_version", "history_version" ...
void refuse_other_document(const Place& place) {
    if (!place.is_object()) {
        return;
    }
    for (const auto& [name, value] : place.members()) {
        if (name.ends_with("_version")) {
            place.refuse_key(name, "a document with \"" + name +
                                       "\" has no runs; reported again is what run, replay, "
                                       "explore, fuzz or validate --program has written");
        }
    }
}

}  // namespace

std::optional<Results> parse_results(const std::string& text, const std::string& file) {
    try {
        const InputText input{file, text};
        const nlohmann::json document = read_json(input, kResultsBytesMax, "a result");
        if (!document.is_object() || !document.contains("result_version")) {
            refuse_other_document(Place(document, input));
            return std::nullopt;
        }
        return results_at(Place(document, input));
    } catch (const RefusedInput& refused) {
        throw BadInput(refused.error());
    }
}

std::optional<Results> read_results(const std::string& file) {
    const auto text = read_text(file, kResultsBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        throw BadInput({file, "", none->message});
    }
    return parse_results(std::get<std::string>(text), file);
}

std::optional<Results> results_in(const std::vector<std::string>& files) {
    std::error_code none;
    const bool is_file = files.size() == 1 && std::filesystem::is_regular_file(files.front(), none);
    return is_file ? read_results(files.front()) : std::nullopt;
}

}  // namespace lockkeeper
