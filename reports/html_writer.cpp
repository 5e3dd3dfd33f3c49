// SPDX-License-Identifier: Apache-2.0

// The page: one file that shows the whole report in a browser, without a network (reports/web/).
#include <algorithm>

#include <fmt/format.h>

#include "model/check.hpp"
#include "model/json.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "reports/xml.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

// The first screen, which needs no script: what a command came to, in the words of the text report.
struct PageSummary {
    std::string verdict;  // "violated"
    std::string title;    // "violated: P2 leak in 22 steps"
    std::string sentence;
    std::string scope;
    std::string file;
    std::string system;
    std::string about;
    std::string replay;
    std::vector<Fact> facts;
    std::vector<std::string> warnings;
};

constexpr std::size_t kTextBytesMax = 200'000;
constexpr std::size_t kStepsMax = 300'000;  // of all runs; no browser opens a page with many more

std::string replay_of(const RunReport& report) {
    return report.findings.empty() ? report.repeat_command : report.findings.front().replay_command;
}

void add_goals(const RunReport& report, std::vector<Fact>& facts) {
    if (!report.goals_reached.empty()) {
        facts.emplace_back("goals reached", names_text(report.goals_reached));
    }
    if (!report.goals_missed.empty()) {
        facts.emplace_back("goals not reached", names_text(report.goals_missed));
    }
}

void add_numbers(const RunReport& report, std::vector<Fact>& facts) {
    std::vector<Fact> numbers;
    if (report.explored) {
        numbers = facts_of(*report.explored);
    } else if (report.fuzzed && std::holds_alternative<std::monostate>(report.details)) {
        numbers = facts_of(*report.fuzzed);
    } else if (report.fuzzed) {  // an outside program's: it knows no more
        numbers = {{"schedules", with_commas(report.fuzzed->schedules)},
                   {"steps", with_commas(report.fuzzed->steps)}};
    }
    facts.insert(facts.end(), numbers.begin(), numbers.end());
}

std::vector<Fact> facts_of(const RunReport& report) {
    std::vector<Fact> facts;
    if (report.met) {
        facts.emplace_back("expectation",
                           is<Passed>(*report.met) ? "met" : "not met: " + detail_of(*report.met));
    }
    if (!report.strategy.empty()) {
        facts.emplace_back("strategy", report.strategy);
    }
    if (!report.checked.empty()) {
        facts.emplace_back("checks", names_text(report.checked));
    }
    add_numbers(report, facts);
    if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
        facts.emplace_back("model", judged->model);
        facts.emplace_back("answers", judged->answers.to_text());
        if (!judged->effects_not_judged.empty()) {
            facts.emplace_back("effects", judged->effects_not_judged);
        }
    }
    if (report.answers) {
        facts.emplace_back("answers", report.answers->to_text());
    }
    add_goals(report, facts);
    if (!report.explored && report.seconds > 0) {
        facts.emplace_back("took", seconds_text(report.seconds));
    }
    return facts;
}

void add_finding_warnings(const RunReport& report, std::vector<std::string>& warnings) {
    for (const Finding& finding : report.findings) {
        if (finding.is_cut) {
            warnings.push_back(finding_title(finding));
        }
    }
    if (report.is_interrupted) {
        warnings.emplace_back("interrupted: this is what was known by then");
    }
    for (const PassedOver& passed : report.passed_over) {
        warnings.push_back(
            fmt::format("{} left out: {}", counted(passed.operations, "operation"), passed.why));
    }
}

std::string scope_of(const RunReport& report) {
    if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
        return history_scope_text(judged->check);
    }
    const bool has_run = report.explored || report.fuzzed || report.replayed;
    return has_run || report.scope.empty() ? scope_line(report) : report.scope;
}

VerdictWords words_of(const RunReport& report) {
    return std::holds_alternative<Measurement>(report.details) ? kMeasureWords : report.words;
}

// The verdict with the details that it alone does not say.
std::string title_of(const RunReport& report, const VerdictWords& words) {
    std::string title = verdict_text(told_verdict(report), words);
    if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
        const auto& explanations = judged->check.explanations;
        const bool is_told = !explanations.empty() && is<Violated>(report.verdict);
        return is_told ? title + ": " + printable(explanations.front().reason) : title;
    }
    const auto* measured = std::get_if<Measurement>(&report.details);
    if (measured == nullptr || !detail_of(report.verdict).empty()) {
        return title;
    }
    if (measured->points.size() != 1) {
        return title + " at " + counted(measured->points.size(), "point");
    }
    constexpr std::size_t kNamed = 3;
    const auto& rates = measured->points.front().result.properties;
    for (std::size_t i = 0; i < std::min(rates.size(), kNamed); ++i) {
        title += fmt::format("{}{} {}", i == 0 ? ": " : ", ", rates[i].property->name,
                             number_text(rates[i].per_run.value));
    }
    title += rates.size() > kNamed ? fmt::format(", and {} more", rates.size() - kNamed) : "";
    return title + (rates.empty() ? "" : ", per run");
}

PageSummary summary_of(const RunReport& report) {
    PageSummary summary;
    const VerdictWords words = words_of(report);
    summary.verdict = name_of(report.verdict, words);
    summary.title = title_of(report, words);
    if (!report.findings.empty() && report.findings.front().property != nullptr) {
        summary.sentence = report.findings.front().property->definition;
    }
    summary.scope = scope_of(report);
    summary.file = report.file;
    summary.system = report.system.empty() ? "" : report.system + "/" + report.variant;
    summary.about = report.about;
    summary.replay = replay_of(report);
    summary.facts = facts_of(report);
    if (!std::holds_alternative<JudgedHistory>(report.details)) {
        summary.facts.emplace_back("seed", std::to_string(report.seed));
    }
    add_finding_warnings(report, summary.warnings);
    return summary;
}

std::string title_of_several(const Results& results) {
    const OutcomeCounts counts = count_outcomes(results.files);
    if (results.kind == ResultsKind::kTests) {
        return fmt::format("{} of {} meet their expectation", with_commas(counts.passed),
                           counted(results.files.size(), "file"));
    }
    std::string text = counted(results.files.size(), "file");
    const auto add = [&](std::size_t count, const char* what) {
        text += count > 0 ? fmt::format(", {} {}", with_commas(count), what) : "";
    };
    add(counts.passed, "passed");
    add(counts.failed, "failed");
    add(counts.undecided, "undecided");
    add(counts.not_run, "not run");
    return text;
}

PageSummary summary_of_several(const Results& results) {
    PageSummary summary;
    const Verdict verdict = overall_verdict(results.files, results.exit_code);
    summary.verdict = results.files.empty() ? name_of(verdict)
                                            : name_of(verdict, words_of(results.files.front()));
    summary.title = title_of_several(results);
    summary.scope = counted(results.files.size(), "file");
    std::uint64_t states = 0;
    double seconds = 0;
    for (const RunReport& report : results.files) {
        states += report.explored ? report.explored->states : 0;
        seconds += report.seconds;
    }
    if (states > 0) {  // programs of others have schedules only
        summary.facts.emplace_back("distinct states", with_commas(states));
    }
    summary.facts.emplace_back("took", seconds_text(seconds));
    if (results.seed) {
        summary.facts.emplace_back("seed", std::to_string(*results.seed));
    }
    if (results.files.size() < results.cases_count) {
        summary.warnings.push_back(fmt::format("interrupted: {} of {} were run",
                                               with_commas(results.files.size()),
                                               counted(results.cases_count, "file")));
    }
    return summary;
}

std::string class_of(const std::string& verdict) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), verdict) != names.end();
    };
    return is_one_of({"passed", "measured", "agrees"})             ? "good"
           : is_one_of({"inconclusive"})                           ? "open"
           : is_one_of({"diverged", "not deterministic", "error"}) ? "broken"
                                                                   : "bad";
}

std::string cut_text(const std::string& text) {
    if (text.size() <= kTextBytesMax) {
        return text;
    }
    const std::size_t end = std::min(text.rfind('\n', kTextBytesMax), kTextBytesMax);
    return text.substr(0, end) + fmt::format("\n... {} left out\n", bytes_text(text.size() - end));
}

PageSummary page_summary(const Results& results) {
    PageSummary summary =
        results.files.size() == 1 ? summary_of(results.files.front()) : summary_of_several(results);
    if (!results.beside.empty()) {
        summary.facts.emplace(
            summary.facts.begin(), "beside",
            results.beside +
                (results.beside_version.empty() ? "" : " (" + results.beside_version + ")"));
    }
    return summary;
}

// The summary, and behind it `text`, the report as the terminal shows it. The page shows these
// elements as they are (reports/web/src/summary.tsx).
std::string page_html(const PageSummary& summary, const std::string& text) {
    const auto element = [](const char* format, const std::string& words) {
        return words.empty() ? "" : fmt::format(fmt::runtime(format), xml_escaped(words));
    };
    std::string out = fmt::format(
        "<main><header class=\"summary\"><p class=\"where\"><span class=\"badge signed "
        "{}\">{}</span>",
        class_of(summary.verdict), xml_escaped(summary.verdict));
    out += element(" <span class=\"file\">{}</span>", summary.file);
    out += element(" <span class=\"system\">{}</span>", summary.system) + "</p>";
    out += element("<h1>{}</h1>", summary.title);
    out += element("<p class=\"sentence\">{}</p>", summary.sentence);
    out += element("<p class=\"scope\"><b>scope</b> {}</p>", summary.scope);
    for (const std::string& warning : summary.warnings) {
        out += element("<p class=\"warning\">{}</p>", warning);
    }
    out += element(
        "<div class=\"replay\"><b>replay</b> <div class=\"copyable\"><pre><code>{}</code></pre>"
        "</div></div>",
        summary.replay);
    out += element("<p class=\"about\">{}</p>", summary.about);
    out += "<dl class=\"facts\">";
    for (const auto& [name, value] : summary.facts) {
        out +=
            fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", xml_escaped(name), xml_escaped(value));
    }
    return out + "</dl></header>" +
           element(
               "<details class=\"as-text\"><summary>The report as text</summary><pre>{}</pre>"
               "</details>",
               cut_text(text)) +
           "</main>";
}

constexpr std::string_view kTitleMarker = "<!--lockkeeper:title-->";
constexpr std::string_view kSummaryMarker = "<!--lockkeeper:summary-->";
constexpr std::string_view kDataMarker = "<!--lockkeeper:data-->";

// The document in one line. Nothing in it can end the script that it stands in, or begin a comment
// there. A line begins outside of all strings.
std::string for_script(const std::string& document) {
    std::string out;
    out.reserve(document.size());
    bool begins = false;
    for (const char character : document) {
        begins = character == '\n' || (begins && character == ' ');
        if (character == '<') {
            out += "\\u003c";
        } else if (!begins) {
            out += character;
        }
    }
    return out;
}

std::size_t steps_in(const Results& results) {
    std::size_t steps = 0;
    for (const RunReport& report : results.files) {
        steps += report.replayed ? report.replayed->steps.size() : 0;
        for (const Finding& finding : report.findings) {
            steps += finding.trace.steps.size();
            steps += finding.nearest ? finding.nearest->trace.steps.size() : 0;
        }
    }
    return steps;
}

// The part of the shell before the marker; `shell` is what stands behind it.
std::string_view shell_up_to(std::string_view marker, std::string_view& shell) {
    const std::size_t at = shell.find(marker);
    LOCKKEEPER_CHECK(at != std::string_view::npos);
    const std::string_view part = shell.substr(0, at);
    shell.remove_prefix(at + marker.size());
    return part;
}

}  // namespace

std::string_view why_no_pages() {
    return page_shell().empty() ? "this lockkeeper was built without npm, and has no pages" : "";
}

// For a row of formats.cpp.
std::string html_document(const Results& results) {
    PageSummary summary = page_summary(results);
    const std::size_t steps = steps_in(results);
    if (steps > kStepsMax) {
        summary.warnings.push_back(
            fmt::format("the runs are left out: they have {}, and a page has at most {}; "
                        "--format json writes them",
                        counted(steps, "step"), with_commas(std::uint64_t{kStepsMax})));
    }
    const std::string html = page_html(summary, written(*find_format("text"), results));
    std::string page(kPageMark);
    page += "\n";
    std::string_view shell = page_shell();
    if (shell.empty()) {  // why_no_pages() has said so
        return page + html;
    }
    page += shell_up_to(kTitleMarker, shell);
    page += xml_escaped(summary.title + " - Lockkeeper");
    page += shell_up_to(kSummaryMarker, shell);
    page += html;
    page += shell_up_to(kDataMarker, shell);
    page += steps > kStepsMax ? Json{{"command", results.command}}.dump()
                              : for_script(written(*find_format("json"), results));
    return page += shell;
}

}  // namespace lockkeeper
