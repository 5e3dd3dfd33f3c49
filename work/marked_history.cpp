// SPDX-License-Identifier: Apache-2.0
#include "work/marked_history.hpp"

#include <vector>

#include "validate/histories/history_of_run.hpp"

namespace lockkeeper {

std::string marked_history(const RecordedHistory& history) {
    const std::string text = write_history(history);
    return text.empty() ? text : std::string(kHistoryMark) + text.substr(1);
}

std::string marked_history(const WorldConfig& world, const Trace& trace) {
    std::vector<Event> events;
    for (const TraceStep& step : trace.steps) {
        events.push_back(step.event);
    }
    return marked_history(history_of_run(world, events));
}

}  // namespace lockkeeper
