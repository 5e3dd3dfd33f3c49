#include "reports/trace_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

// A column wider than this is not padded any further: one long line is better than many.
constexpr std::size_t kTextWidthMax = 52;
constexpr std::size_t kResultWidthMax = 44;

struct Widths {
    std::size_t text = 6;
    std::size_t result = 6;
};

Widths widths_of(const Trace& trace) {
    Widths widths;
    for (const TraceStep& step : trace.steps) {
        widths.text = std::max(widths.text, std::min(step.text.size(), kTextWidthMax));
        widths.result = std::max(widths.result, std::min(step.result.size(), kResultWidthMax));
    }
    return widths;
}

std::vector<const Property*> marked(const TraceStep& step, const Property* property) {
    std::vector<const Property*> all;
    for (const Property* violated : step.violates) {
        if (property == nullptr || violated == property) {
            all.push_back(violated);
        }
    }
    return all;
}

std::string row(const char* marks, const std::string& number, const std::string& text,
                const std::string& result, const std::string& state, const Widths& widths) {
    std::string line = fmt::format("{:<2}{:>5}  {:<{}}  {:<{}}  {}", marks, number, text,
                                   widths.text, result, widths.result, state);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string cycle_end_text(const Trace& trace) {
    if (trace.cycle_start >= trace.steps.size()) {
        return {};
    }
    return fmt::format("         {} step {}\n",
                       trace.cycle_closes ? "and so on for ever: the state is that before"
                                          : "no cycle: the state is not that before",
                       trace.cycle_start + 1);
}

// Those in which virtual time passed: how long two held at once.
std::string overlaps_text(const Trace& trace) {
    std::string out;
    for (const Overlap& overlap : trace.overlaps) {
        if (overlap.lasts() > 0) {
            out += fmt::format("         steps {} to {}: two {} at once for {}{} of virtual time\n",
                               overlap.first_step, overlap.last_step,
                               overlap.of_grants ? "have a grant" : "believe to hold",
                               overlap.lasts(), overlap.ended ? "" : " and longer");
        }
    }
    return out;
}

}  // namespace

std::string cause_text(const Trace& trace) {
    std::string causes;
    std::size_t count = 0;
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        if (trace.steps[i].is_cause) {
            causes +=
                fmt::format("{}step {} ({})", count == 0 ? "" : ", ", i + 1, trace.steps[i].text);
            ++count;
        }
    }
    return count == 0 ? ""
                      : fmt::format("cause: {} of {}: {}", count,
                                    counted(trace.steps.size(), "decision"), causes);
}

std::string trace_text(const Trace& trace, const Property* property) {
    const Widths widths = widths_of(trace);
    std::string out = cause_text(trace);
    out += out.empty() ? "" : "\n";
    out += row("", "step", "action", "result", "state after it", widths);
    out += row("", "0", "", "", trace.initial_state, widths);
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const TraceStep& step = trace.steps[i];
        if (i == trace.cycle_start) {
            out += "         from here on for ever:\n";
        }
        const auto violated = marked(step, property);
        const char* marks =
            violated.empty() ? (step.is_cause ? "*" : "") : (step.is_cause ? "!*" : "!");
        out += row(marks, std::to_string(i + 1), step.text, step.result, step.state, widths);
        for (const Property* broken : violated) {
            out += fmt::format("!        violates {} ({}): {}\n", title_of(*broken),
                               name_of(broken->severity), broken->definition);
        }
    }
    out += overlaps_text(trace) + cycle_end_text(trace);
    if (trace.deadlocked) {
        out += "         nobody can take a step, and somebody is unfinished\n";
    }
    return out;
}

}  // namespace lockkeeper
