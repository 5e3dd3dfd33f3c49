// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/folding.hpp"
#include "properties/catalogue.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

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

// How long two held at once, for each overlap in which virtual time passed.
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

// The steps, one a line; what is repeated in many lines is written once, with the number of
// repetitions. Steps that violate, that are a cause, and the beginning of a cycle stand alone.
class Rows {
  public:
    Rows(const Trace& trace, const Property* property, const Widths& widths)
        : trace_(trace), property_(property), widths_(widths) {}

    std::string text() {
        add(folded(kinds(), {2, 2}));
        return std::move(out_);
    }

  private:
    static constexpr std::size_t kLinesSavedMin = 6;

    // Steps are of one kind when they read alike but for the state.
    [[nodiscard]] std::vector<std::uint32_t> kinds() const {
        std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> numbers;
        std::vector<std::uint32_t> out;
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
            const TraceStep& step = trace_.steps[i];
            if (step.is_cause || i == trace_.cycle_start || !marked(step, property_).empty()) {
                out.push_back(next++);
                continue;
            }
            const auto [at, is_new] = numbers.try_emplace({step.text, step.result}, next);
            next += is_new ? 1U : 0U;
            out.push_back(at->second);
        }
        return out;
    }

    void add(const std::vector<Fold>& folds) {
        for (const Fold& fold : folds) {
            const std::size_t begin = next_;
            add_once(fold);
            const std::size_t length = next_ - begin;
            const std::size_t more = fold.times - 1;
            if (more * length >= kLinesSavedMin) {
                add_repetitions(length, more);
                continue;
            }
            for (std::size_t i = 0; i < more; ++i) {
                add_once(fold);
            }
        }
    }
    void add_once(const Fold& fold) {
        if (fold.group.empty()) {
            add_step();
        } else {
            add(fold.group);
        }
    }
    void add_repetitions(std::size_t length, std::size_t more) {
        const std::size_t first = next_ + 1;
        next_ += length * more;
        const std::string what =
            length == 1 ? "the same" : fmt::format("the {} steps above", length);
        out_ += row("", fmt::format("{}-{}", first, next_),
                    fmt::format("{}, {} more", what, counted(more, "time")), "",
                    trace_.steps[next_ - 1].state, widths_);
    }
    void add_step() {
        const TraceStep& step = trace_.steps[next_];
        if (next_ == trace_.cycle_start) {
            out_ += "         from here on for ever:\n";
        }
        ++next_;
        const auto violated = marked(step, property_);
        const char* marks =
            violated.empty() ? (step.is_cause ? "*" : "") : (step.is_cause ? "!*" : "!");
        out_ += row(marks, std::to_string(next_), step.text, step.result, step.state, widths_);
        for (const Property* broken : violated) {
            out_ += fmt::format("!        violates {} ({}): {}\n", title_of(*broken),
                                name_of(broken->severity), broken->definition);
        }
    }

    const Trace& trace_;
    const Property* property_;
    Widths widths_;
    std::size_t next_ = 0;
    std::string out_;
};

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
    out += Rows(trace, property, widths).text();
    out += overlaps_text(trace) + cycle_end_text(trace);
    if (trace.deadlocked) {
        out += "         nobody can take a step, and somebody is unfinished\n";
    }
    if (trace.time_is_over) {
        out += "         virtual time ends here, and somebody is unfinished\n";
    }
    return out;
}

}  // namespace lockkeeper
