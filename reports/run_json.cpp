// SPDX-License-Identifier: Apache-2.0
#include "reports/run_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "model/action.hpp"
#include "model/event.hpp"
#include "model/property.hpp"
#include "model/shown.hpp"
#include "properties/catalogue.hpp"
#include "reports/step_lines.hpp"
#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

struct EventWord {
    std::uint32_t bit;
    std::string_view word;
};
constexpr std::array kEventWords{
    EventWord{kInvoked, "invoked"},
    EventWord{kGranted, "granted"},
    EventWord{kAcquired, "acquired"},
    EventWord{kRefused, "refused"},
    EventWord{kReleased, "released"},
    EventWord{kFailed, "failed"},
    EventWord{kDone, "done"},
    EventWord{kLost, "lost"},
    EventWord{kTookUnit, "took a unit"},
    EventWord{kGaveUnitBack, "gave a unit back"},
    EventWord{kEffect, "effect"},
    EventWord{kEffectRefused, "effect refused"},
    EventWord{kCrashed, "crashed"},
    EventWord{kResized, "resized"},
    EventWord{kWentWrong, "went wrong"},
    EventWord{kOverlap, "overlap"},
    EventWord{kForeignRelease, "foreign release"},
    EventWord{kCallerDied, "caller died"},
    EventWord{kServersDied, "servers died"},
};
constexpr std::array kBreachWords{
    EventWord{Event::bit_of(Breach::kUnprotected), "unprotected effect"},
    EventWord{Event::bit_of(Breach::kForeignRemoval), "foreign removal"},
    EventWord{Event::bit_of(Breach::kFalseOk), "false ok"},
    EventWord{Event::bit_of(Breach::kFalseError), "false error"},
    EventWord{Event::bit_of(Breach::kTokenRepeated), "token repeated"},
    EventWord{Event::bit_of(Breach::kStale), "stale read"},
    EventWord{Event::bit_of(Breach::kToldLate), "told late"},
    EventWord{Event::bit_of(Breach::kFreeLate), "free late"},
    EventWord{Event::bit_of(Breach::kRepeated), "effect repeated"},
    EventWord{Event::bit_of(Breach::kWaitsLong), "long mailbox"},
};

void add_words(const auto& words, std::uint32_t bits, std::vector<std::string_view>& list) {
    for (const EventWord& known : words) {
        if ((bits & known.bit) != 0) {
            list.push_back(known.word);
        }
    }
}

std::string_view word_of(Action action) {
    switch (action.kind) {
        case ActionKind::kStep: return "step";
        case ActionKind::kBackground: return "background";
        case ActionKind::kCrash: return "crash";
        case ActionKind::kResize: return "resize";
        case ActionKind::kFault: return "fault";
        case ActionKind::kDisturb: return "disturbance";
        case ActionKind::kTime: return "time";
    }
    return "step";
}

std::string_view word_of(Doer doer) {
    switch (doer) {
        case Doer::kCaller: return "caller";
        case Doer::kServers: return "server";
        case Doer::kClock: return "clock";
        case Doer::kWorld: return "world";
    }
    return "world";
}

std::string_view word_of(PropertyKind kind) {
    switch (kind) {
        case PropertyKind::kAtQuiescence: return "at rest";
        case PropertyKind::kEventually: return "eventually";
        case PropertyKind::kHistory: return "history";
        case PropertyKind::kAlways:
        case PropertyKind::kSometimes: break;
    }
    return "always";
}

// `expires`: a grant ends with the step, and nobody gave it up.
std::vector<std::string_view> event_words(const Event& event, bool expires) {
    std::vector<std::string_view> list;
    add_words(kEventWords, event.what, list);
    add_words(kBreachWords, event.breaches, list);
    if (expires) {
        list.emplace_back("expired");
    }
    return list;
}

// Adding to a list of this kind of JSON takes as long as the list is; to an array_t it does not.
using Json = nlohmann::ordered_json;

// Leaves out properties that only the graph decides: no single state keeps or breaks them.
Json properties_of(const WrittenRun& run) {
    std::vector<const Property*> shown;
    if (run.property != nullptr) {
        shown.push_back(run.property);
    }
    for (const auto* list : {&run.trace.violated, &run.trace.judged}) {
        for (const Property* property : *list) {
            const bool is_of_graph =
                list == &run.trace.judged && property->kind == PropertyKind::kEventually;
            if (!is_of_graph && std::find(shown.begin(), shown.end(), property) == shown.end()) {
                shown.push_back(property);
            }
        }
    }
    return property_rows(shown);
}

Json party_list(const std::vector<TraceParty>& parties) {
    return list_of(parties, [](const TraceParty& party) -> Json {
        return {{"name", party.name}, {"kind", word_of(party.kind)}};
    });
}

Json step_of(const TraceStep& step) {
    Json json{{"action", to_text(step.action)},
              {"text", step.text},
              {"result", step.result},
              {"state", step.state},
              {"violates", names(step.violates)},
              {"cause", step.is_cause}};
    return json;
}

// All that is known of a step that was replayed with words.
void add_words(const TraceStep& step, const ShownNames& shown, const RunFields& fields,
               Json& json) {
    json["party"] = step.party;
    json["kind"] = word_of(step.action);
    const auto add = [&](const char* name, Json value) {
        if (!value.empty()) {
            json[name] = std::move(value);
        }
    };
    const auto add_text = [&](const char* name, const std::string& text) {
        if (!text.empty()) {
            json[name] = text;
        }
    };
    if (step.words.label != step.text) {
        add_text("label", step.words.label);
    }
    add("changes", fields.changes(step));
    add("events", event_words(step.event, fields.expires(step)));
    add_text("fault", step.words.fault);
    add("also_violates", names(step.also_violates));
    if (const std::uint32_t line = line_of_step(shown, step); line != 0) {
        json["source"] = fmt::format("{}:{}", shown.steps, line);
    }
    add_text("doc", std::string(shown.page));
}

std::string_view outcome_of(HistoryType type) {
    switch (type) {
        case HistoryType::kOk: return "ok";
        case HistoryType::kFail: return "fail";
        case HistoryType::kInfo: return "info";
        case HistoryType::kInvoke: break;
    }
    return "open";
}

// "-> acquired, count 1" as "acquired, count 1"
std::string without_arrow(const std::string& result) {
    constexpr std::string_view kArrow = "-> ";
    return result.starts_with(kArrow) ? result.substr(kArrow.size()) : result;
}

bool has_key(Verb verb) { return verb != Verb::kSleep && verb != Verb::kExit; }

Json operations_of(const Trace& trace, std::size_t steps_count) {
    Json::array_t list;
    std::vector<std::size_t> open(trace.parties.size(), kNoStep);  // by caller, in `list`
    for (const HistoryEntry& entry : trace.history) {
        if (entry.step >= steps_count || entry.caller >= open.size()) {
            continue;
        }
        const TraceStep& step = trace.steps[entry.step];
        std::size_t& own = open[entry.caller];
        if (entry.type == HistoryType::kInvoke) {
            const std::string& word = step.words.operation;
            own = list.size();
            Json row{{"party", entry.caller},
                     {"name", word.empty() ? std::string(name_of(entry.verb)) : word}};
            if (has_key(entry.verb)) {
                row["key"] = entry.key;
            }
            row["call"] = entry.step + 1;
            row["outcome"] = "open";
            list.push_back(std::move(row));
        } else if (own != kNoStep) {
            Json& row = list[own];
            row["return"] = entry.step + 1;
            row["outcome"] = outcome_of(entry.type);
            if (!step.result.empty()) {
                row["detail"] = without_arrow(step.result);
            }
            own = kNoStep;
        }
    }
    return list;
}

// A message is named after the caller's step that sends it, an answer after the step that takes it.
std::string message_text(const Trace& trace, const TraceMessage& message) {
    if (message.of_death) {
        return trace.parties[message.from].name + " has died";
    }
    const bool to_caller = trace.parties[message.to].kind == Doer::kCaller;
    const bool has_come = message.arrives != 0 && !message.is_lost;
    if (to_caller) {
        return has_come ? trace.steps[message.arrives - 1].words.label : "answer";
    }
    return trace.steps[message.sent - 1].words.label;
}

Json messages_of(const Trace& trace, std::size_t steps_count) {
    Json::array_t list;
    for (const TraceMessage& message : trace.messages) {
        if (message.sent > steps_count || trace.parties.empty()) {
            continue;
        }
        Json json{{"from", message.from}, {"to", message.to}, {"sent", message.sent}};
        if (message.arrives != 0 && message.arrives <= steps_count) {
            json["arrives"] = message.arrives;
            if (message.is_lost) {
                json["lost"] = true;
            }
        }
        if (message.of_death) {
            json["down"] = true;
        }
        json["text"] = message_text(trace, message);
        list.push_back(std::move(json));
    }
    return list;
}

Json overlaps_of(const Trace& trace, std::size_t steps_count) {
    Json::array_t list;
    for (const Overlap& overlap : trace.overlaps) {
        if (overlap.first_step <= steps_count) {
            list.push_back({{"of", overlap.of_grants ? "grants" : "beliefs"},
                            {"first_step", overlap.first_step},
                            {"last_step", std::min(overlap.last_step, steps_count)},
                            {"from", overlap.from},
                            {"until", overlap.until},
                            {"ended", overlap.ended}});
        }
    }
    return list;
}

// All that a run has beside its steps, where it was replayed with words.
void add_described(const WrittenRun& run, const RunFields& fields, std::size_t steps_count,
                   Json& json) {
    const Trace& trace = run.trace;
    json["properties"] = properties_of(run);
    json["parties"] = party_list(trace.parties);
    json["keys"] = trace.keys;
    json["fields"] = fields.fields();
    json["initial_values"] = fields.initial_values();
    json["operations"] = operations_of(trace, steps_count);
    json["messages"] = messages_of(trace, steps_count);
}

}  // namespace

Json document_head(const std::string& name, int version_of_it) {
    return {{"$schema", name + ".schema.json"},
            {name + "_version", version_of_it},
            {"version", version()},
            {"commit", commit()}};
}

Json property_rows(const std::vector<const Property*>& properties) {
    return list_of(properties, [](const Property* property) -> Json {
        return {{"name", property->name},
                {"number", property->number},
                {"severity", name_of(property->severity)},
                {"kind", word_of(property->kind)},
                {"definition", property->definition},
                {"doc", "docs/reference/properties.md"}};
    });
}

Json divergences_json(const Trace& trace) {
    return list_of(trace.divergences, [](const Divergence& divergence) -> Json {
        return {{"step", divergence.step + 1}, {"reason", divergence.reason}};
    });
}

void add_run(const WrittenRun& run, Json& json) {
    const Trace& trace = run.trace;
    const std::size_t steps_count = std::min(trace.steps.size(), run.steps_max);
    const bool has_words = !trace.parties.empty();
    const RunFields fields(trace);
    json["initial_state"] = trace.initial_state;
    Json::array_t steps;
    for (std::size_t i = 0; i < steps_count; ++i) {
        Json& step = steps.emplace_back(step_of(trace.steps[i]));
        if (has_words) {
            add_words(trace.steps[i], trace.names, fields, step);
        }
        if (run.sources != nullptr && i < run.sources->size() && !(*run.sources)[i].file.empty()) {
            const SourceLine& source = (*run.sources)[i];
            step["source"] = fmt::format("{}:{}", source.file, source.line);
        }
    }
    json["trace"] = std::move(steps);
    json["overlaps"] = overlaps_of(trace, steps_count);
    if (has_words) {
        add_described(run, fields, steps_count, json);
    }
}

Json run_json(const WrittenRun& run) {
    const Trace& trace = run.trace;
    const std::size_t steps_count = std::min(trace.steps.size(), run.steps_max);
    Json json{{"title", run.title},
              {"file", run.file},
              {"replay", run.replay},
              {"schedule", run.schedule}};
    if (run.property != nullptr) {
        json["property"] = run.property->name;
    }
    add_run(run, json);
    if (trace.parties.empty()) {  // it ended before its first step
        add_described(run, RunFields(trace), steps_count, json);
    }
    if (run.cycle_start != kNoStep && run.cycle_start < steps_count) {
        json["cycle_from"] = run.cycle_start + 1;
    }
    if (!trace.divergences.empty()) {
        json["divergences"] = divergences_json(trace);
    }
    if (steps_count < trace.steps.size()) {
        json["cut"] = fmt::format("the first {} of {} steps are shown",
                                  with_commas(std::uint64_t{steps_count}),
                                  with_commas(std::uint64_t{trace.steps.size()}));
    }
    return json;
}

}  // namespace lockkeeper
