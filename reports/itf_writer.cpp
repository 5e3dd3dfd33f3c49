// SPDX-License-Identifier: Apache-2.0

// The first run as a trace in the format ITF of Apalache, which Quint, Apalache and their viewers
// read: a list of states, each with the step that led to it. Numbers are written as "#bigint" and
// maps as "#map", as that format has it; what a map does not have is not known in that state.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/json.hpp"
#include "reports/clean_text.hpp"
#include "reports/drawn_run.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

// The variable's name for each kind of field, in the order of ShownKind.
constexpr std::array<std::string_view, 13> kItfVariables{
    "now",        "believed", "granted", "protected", "counters", "capacity", "counted",
    "references", "dead",     "calling", "finished",  "at_rest",  "in_flight"};

Json itf_number(std::int64_t number) { return {{"#bigint", std::to_string(number)}}; }

std::string itf_variable(ShownKind kind) {
    return std::string(kItfVariables.at(static_cast<std::size_t>(kind)));
}

class ItfTrace {
  public:
    explicit ItfTrace(const DrawnRun& run) : run_(run), now_(run.trace().initial_values) {}

    // The state before the first step, and the state after each step.
    Json states() {
        Json::array_t list;
        list.push_back(state(0));
        for (std::size_t number = 1; number <= run_.steps().size(); ++number) {
            for (const ShownChange& change : run_.steps()[number - 1].changes) {
                now_.at(change.field) = change.value;
            }
            list.push_back(state(number));
        }
        return list;
    }
    [[nodiscard]] Json variables() const {
        Json names = {"step", "party", "result", "shown"};
        for (const ShownField& field : run_.trace().fields) {
            const std::string name = itf_variable(field.kind);
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
        return names;
    }

  private:
    [[nodiscard]] Json state(std::size_t number) const {
        const TraceStep* step = number == 0 ? nullptr : &run_.steps()[number - 1];
        Json json = {{"#meta", {{"index", number}}},
                     {"step", step ? step->text : "initial state"},
                     {"party", step ? run_.parties()[run_.party_of(*step)] : ""},
                     {"result", step ? step->result : ""},
                     {"shown", step ? step->state : run_.trace().initial_state}};
        // Every variable has a value in every state.
        for (const ShownField& field : run_.trace().fields) {
            if (field.caller || field.key) {
                json[itf_variable(field.kind)] = {{"#map", Json::array()}};
            }
        }
        for (std::size_t i = 0; i < run_.trace().fields.size(); ++i) {
            put(run_.trace().fields[i], now_[i], json);
        }
        return json;
    }
    void put(const ShownField& field, std::int32_t value, Json& json) const {
        Json& variable = json[itf_variable(field.kind)];
        if (!field.caller && !field.key) {
            variable = field.kind == ShownKind::kAtRest ? Json(value != 0) : itf_number(value);
            return;
        }
        if (value == kNotShown) {
            return;
        }
        const bool is_truth = field.kind == ShownKind::kDead || field.kind == ShownKind::kCalling ||
                              field.kind == ShownKind::kFinished;
        const Json shown = is_truth ? Json(value != 0) : itf_number(value);
        variable["#map"].push_back(Json::array({name_in_map(field), shown}));
    }
    // "A", "A db", "db[1]"
    [[nodiscard]] std::string name_in_map(const ShownField& field) const {
        std::string name = field.caller ? run_.parties().at(*field.caller) : "";
        if (field.key) {
            name += (name.empty() ? "" : " ") + run_.key_name(*field.key);
        }
        return name + (field.place == 0 ? "" : fmt::format("[{}]", field.place));
    }

    const DrawnRun& run_;
    std::vector<std::int32_t> now_;  // of each field
};

Json itf_meta(const std::string& description) {
    return {{"writer", "lockkeeper"},
            {"format", "ITF"},
            {"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
            {"description", clean_line(description)}};
}

std::string itf_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

// For a row of formats.cpp.
std::string itf_refusal(int /*exit_code*/, const std::string& message) {
    return itf_text({{"#meta", itf_meta(message)},
                     {"params", Json::array()},
                     {"vars", Json::array()},
                     {"states", Json::array()}});
}

std::string itf_document(const Results& results) {
    const std::vector<DrawnRun> runs = drawn_runs(results);
    if (runs.empty()) {
        return itf_refusal(0, "no run to show");
    }
    const DrawnRun& run = runs.front();
    Json meta =
        itf_meta(build_text() + ": " + run.title() +
                 (runs.size() > 1 ? fmt::format(", the first of {} runs", runs.size()) : ""));
    meta["source"] = run.report().file;
    meta["status"] = run.trace().violated.empty() ? "ok" : "violation";
    ItfTrace trace(run);
    Json json = {{"#meta", std::move(meta)},
                 {"params", Json::array()},
                 {"vars", trace.variables()},
                 {"states", trace.states()}};
    if (const auto start = run.cycle_start()) {
        json["loop"] = *start;
    }
    return itf_text(json);
}

}  // namespace lockkeeper
