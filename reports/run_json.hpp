// SPDX-License-Identifier: Apache-2.0

// One run as documents, pages and the explorer have it (reports/web/src/data.ts: Run). Used by
// json_writer and by serve/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/property.hpp"
#include "scheduler/runs/trace.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// Values that several documents write alike. Used by the writers of JSON.

// The document of results, which `report` and the page read again.
inline constexpr int kResultVersion = 1;

template <class Value>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
[[nodiscard]] inline nlohmann::ordered_json or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}
// How a document begins: "result" has result.schema.json and "result_version".
[[nodiscard]] nlohmann::ordered_json document_head(const std::string& name, int version_of_it);
// The list of what `make` makes of each (model/json.hpp).
template <class Range, class Make>
[[nodiscard]] nlohmann::ordered_json list_of(const Range& range, Make make) {
    nlohmann::ordered_json::array_t list;
    for (const auto& one : range) {
        list.push_back(make(one));
    }
    return list;
}
[[nodiscard]] inline nlohmann::ordered_json names(const std::vector<const Property*>& properties) {
    return list_of(properties, [](const Property* property) { return property->name; });
}

// The values of a run: its fields, what they are before the first step, what each step changes
// (reports/web/src/data.ts: Field, State, Step.changes).
class RunFields {
  public:
    explicit RunFields(const Trace& trace);

    [[nodiscard]] nlohmann::ordered_json fields() const;
    [[nodiscard]] nlohmann::ordered_json initial_values() const;
    // The fields left out because their values never change: {"field": ..., "value": ...}.
    [[nodiscard]] nlohmann::ordered_json constants() const;
    // Empty: nothing that is shown.
    [[nodiscard]] nlohmann::ordered_json changes(const TraceStep& step) const;
    // Some caller's grant ends with this step, and the caller did not end it.
    [[nodiscard]] bool expires(const TraceStep& step) const;

  private:
    static constexpr std::size_t kLeftOut = static_cast<std::size_t>(-1);

    [[nodiscard]] nlohmann::ordered_json field_json(const ShownField& field) const;

    const Trace& trace_;
    std::vector<std::size_t> index_;  // by field of the trace: in the page
};

// A run, with what is known about it beside its steps.
struct WrittenRun {
    const Trace& trace;
    std::string title = {};
    std::string file = {};
    std::string replay = {};             // a command
    std::string schedule = {};           // "lk1:..."
    const Property* property = nullptr;  // that it breaks
    std::size_t cycle_start = kNoStep;
    const std::vector<SourceLine>* sources = nullptr;  // see Finding
    std::size_t steps_max = kNoStep;  // of more the beginning is written, with a key "cut"
};

// Adds the keys of the run itself to whatever document it is a part of: its steps, and where it was
// replayed with words its parties, values, operations and messages.
void add_run(const WrittenRun& run, nlohmann::ordered_json& json);
// The whole of it, for the explorer.
[[nodiscard]] nlohmann::ordered_json run_json(const WrittenRun& run);
[[nodiscard]] nlohmann::ordered_json divergences_json(const Trace& trace);
// Properties that are judged (reports/web/src/data.ts: PropertyRow).
[[nodiscard]] nlohmann::ordered_json property_rows(const std::vector<const Property*>& properties);

}  // namespace lockkeeper
