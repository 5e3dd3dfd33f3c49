// SPDX-License-Identifier: Apache-2.0

// The first run as a sequence diagram of Mermaid, which GitHub and GitLab draw. A message is drawn
// where it arrives. Readers refuse more than 50,000 characters, so longer runs lose their middle.
#include <string_view>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/drawn_run.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kMermaidBytesMax = 48'000;
constexpr std::size_t kMermaidStepsMax = 160;
constexpr std::size_t kMermaidTextBytesMax = 90;  // before it is escaped
constexpr const char* kMermaidBeginning = "%% written by lockkeeper\n";

// Writes as numbers the characters of markup, of comments and directives, and ends of statements.
std::string mermaid_text(const std::string& text) {
    constexpr std::string_view kEscaped = "#;%{}<>&\"`:\\";
    std::string out;
    for (const char character : abbreviated(clean_line(text), kMermaidTextBytesMax)) {
        out += kEscaped.find(character) == std::string_view::npos
                   ? std::string(1, character)
                   : fmt::format("#{};", static_cast<int>(character));
    }
    return out;
}

std::string mermaid_party(std::size_t party) { return fmt::format("p{}", party); }

std::string mermaid_note(const std::string& over, const std::string& text) {
    return fmt::format("    Note over {}: {}\n", over, mermaid_text(text));
}

// A diagram that says one sentence.
std::string mermaid_sentence(const std::string& text) {
    return "sequenceDiagram\n    participant p0 as lockkeeper\n" + mermaid_note("p0", text);
}

class MermaidDiagram {
  public:
    MermaidDiagram(const DrawnRun& run, std::size_t steps_max)
        : run_(run), window_(window_of(run.steps().size(), steps_max)) {}

    std::string text() {
        out_ = "sequenceDiagram\n    title " + mermaid_text(run_.title()) + "\n";
        for (std::size_t i = 0; i < run_.parties().size(); ++i) {
            if (run_.takes_part(i)) {
                out_ += fmt::format("    participant {} as {}\n", mermaid_party(i),
                                    mermaid_text(run_.parties()[i]));
                everybody_ = everybody_.substr(0, everybody_.find(','));
                everybody_ += (everybody_.empty() ? "" : ",") + mermaid_party(i);
            }
        }
        for (std::size_t step = 1; step <= run_.steps().size(); ++step) {
            if (step == window_.head + 1 && window_.left_out() > 0) {
                add_note(fmt::format("{} left out", counted(window_.left_out(), "step")));
            }
            if (window_.has(step)) {
                add_step(step);
            }
        }
        out_ += is_in_loop_ ? "    end\n" : "";
        return out_;
    }

  private:
    void add_step(std::size_t number) {
        const TraceStep& step = run_.steps()[number - 1];
        if (!is_in_loop_ && run_.cycle_start() && *run_.cycle_start() < number) {
            out_ += "    loop for ever\n";
            is_in_loop_ = true;
        }
        for (const TraceMessage& message : run_.arrivals_at(number)) {
            out_ += fmt::format("    {}{}{}: {}\n", mermaid_party(message.from),
                                message.is_lost ? "--x" : "-)", mermaid_party(message.to),
                                mermaid_text(fmt::format(
                                    "{} of step {}", run_.message_text(message), message.sent)));
        }
        out_ += mermaid_note(
            mermaid_party(run_.party_of(step)),
            fmt::format("{}{}. {}", step.is_cause ? "* " : "", number, run_.step_text(step)));
        for (const Property* property : step.violates) {
            add_note("violates " + title_of(*property));
        }
    }
    void add_note(const std::string& text) { out_ += mermaid_note(everybody_, text); }

    const DrawnRun& run_;
    StepWindow window_;
    std::string everybody_;  // the first and the last party
    bool is_in_loop_ = false;
    std::string out_;
};

std::string mermaid_diagram(const DrawnRun& run) {
    std::string text;
    for (std::size_t steps_max = kMermaidStepsMax; steps_max > 0; steps_max /= 2) {
        text = MermaidDiagram(run, steps_max).text();
        if (text.size() <= kMermaidBytesMax) {
            return text;
        }
    }
    return mermaid_sentence("the run is too long to be drawn");
}

}  // namespace

// For a row of formats.cpp.
std::string mermaid_document(const Results& results) {
    const std::vector<DrawnRun> runs = drawn_runs(results);
    return kMermaidBeginning +
           (runs.size() > 1 ? fmt::format("%% the first of {} runs\n", runs.size()) : "") +
           (runs.empty() ? mermaid_sentence("no run to draw") : mermaid_diagram(runs.front()));
}

std::string mermaid_refusal(int /*exit_code*/, const std::string& message) {
    return kMermaidBeginning + mermaid_sentence(message);
}

}  // namespace lockkeeper
