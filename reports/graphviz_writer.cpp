// SPDX-License-Identifier: Apache-2.0

// The states of the first small exploration and the steps between them, for Graphviz.
#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr const char* kDotBeginning = "// written by lockkeeper\n";
constexpr std::size_t kDotTextBytesMax = 160;

// In double quotes. Backslashes are doubled because Graphviz takes them for escapes.
std::string dot_text(const std::string& text) {
    std::string out = "\"";
    for (const char character : abbreviated(clean_line(text), kDotTextBytesMax)) {
        out += character == '"' ? "\\\"" : character == '\\' ? "\\\\" : std::string(1, character);
    }
    return out + "\"";
}

std::string with_violations(std::string text, const std::vector<const Property*>& violates) {
    for (const Property* property : violates) {
        text += ", violates " + title_of(*property);
    }
    return text;
}

std::string dot_state(std::size_t number, const DrawnState& state) {
    const bool is_bad = state.is_deadlock || !state.violates.empty();
    const std::string text = with_violations(
        fmt::format("{}: {}{}", number + 1, state.text, state.is_deadlock ? ", stuck" : ""),
        state.violates);
    return fmt::format("  s{} [label={}{}{}];\n", number, dot_text(text),
                       state.is_end       ? ", peripheries=2"
                       : state.is_at_rest ? ", style=bold"
                                          : "",
                       is_bad ? ", color=red, fontcolor=red" : "");
}

std::string dot_transition(const DrawnTransition& transition) {
    return fmt::format("  s{} -> s{} [label={}{}];\n", transition.from, transition.to,
                       dot_text(with_violations(transition.text, transition.violates)),
                       transition.violates.empty() ? "" : ", color=red, fontcolor=red");
}

std::string dot_graph(const RunReport& report, std::size_t reports_count) {
    const DrawnGraph& graph = *report.graph;
    std::string title = fmt::format("{}: {}", report.file, verdict_text(report));
    title += report.explored && report.explored->used_symmetry
                 ? "; interchangeable callers are not told apart"
                 : "";
    title += graph.transitions_left_out == 0
                 ? ""
                 : fmt::format("; the first {} only, {} lead to others",
                               counted(graph.states.size(), "state"),
                               counted(graph.transitions_left_out, "more step"));
    title += reports_count > 1 ? fmt::format("; the first of {} files", reports_count) : "";
    std::string out = fmt::format(
        "digraph states {{\n  label={};\n  node [shape=box, fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\"];\n",
        dot_text(title));
    for (std::size_t i = 0; i < graph.states.size(); ++i) {
        out += dot_state(i, graph.states[i]);
    }
    for (const DrawnTransition& transition : graph.transitions) {
        out += dot_transition(transition);
    }
    return out + "}\n";
}

std::string dot_sentence(const std::string& text) {
    return fmt::format("digraph states {{\n  label={};\n}}\n", dot_text(text));
}

}  // namespace

// For a row of formats.cpp.
std::string graphviz_document(const Results& results) {
    const RunReport* first = nullptr;
    std::size_t count = 0;
    for (const RunReport& report : results.files) {
        if (report.graph) {
            first = first == nullptr ? &report : first;
            ++count;
        }
    }
    return kDotBeginning +
           (first == nullptr ? dot_sentence("no exploration to draw") : dot_graph(*first, count));
}

std::string graphviz_refusal(int /*exit_code*/, const std::string& message) {
    return kDotBeginning + dot_sentence(message);
}

}  // namespace lockkeeper
