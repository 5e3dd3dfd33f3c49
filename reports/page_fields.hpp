// SPDX-License-Identifier: Apache-2.0

// The values of a run as the page has them: its fields, what they are before the first step, what
// each step changes (reports/web/src/data.ts: Field, State, Step.changes). Used by page_run and
// by serve/.
#pragma once

#include <cstdint>
#include <vector>

#include "model/json.hpp"
#include "scheduler/runs/trace.hpp"

namespace lockkeeper {

class PageFields {
  public:
    explicit PageFields(const Trace& trace);

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

}  // namespace lockkeeper
