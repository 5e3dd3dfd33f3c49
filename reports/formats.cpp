// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "reports/xml.hpp"

namespace lockkeeper {

// The files of the formats. A text comes while the work goes on; a document at the end, whole, of
// the results or of a command that ends without any.
using MakeWriter = std::unique_ptr<Writer>(std::ostream& out, bool verbose);
MakeWriter make_text_writer, make_json_writer;
using OfResults = std::string(const Results& results);
OfResults csv_document, svg_document, junit_document, sarif_document, github_document,
    markdown_document, mermaid_document, shiviz_document, itf_document, perfetto_document,
    graphviz_document, html_document;
using OfRefusal = std::string(int exit_code, const std::string& message);
OfRefusal svg_refusal, junit_refusal, sarif_refusal, github_refusal, markdown_refusal,
    mermaid_refusal, shiviz_refusal, itf_refusal, perfetto_refusal, graphviz_refusal;

namespace {

template <OfResults* kOfResults, OfRefusal* kOfRefusal>
class DocumentWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override { out() << kOfResults(results) << std::flush; }
    void refused(int exit_code, const std::string& message) override {
        if constexpr (kOfRefusal != nullptr) {
            out() << kOfRefusal(exit_code, message) << std::flush;
        }
    }
};

template <OfResults* kOfResults, OfRefusal* kOfRefusal = nullptr>
std::unique_ptr<Writer> document_writer(std::ostream& out, bool verbose) {
    return std::make_unique<DocumentWriter<kOfResults, kOfRefusal>>(out, verbose);
}

// In the order in which messages name them.
constexpr ReportFormat kReportFormats[] = {
    {.name = "text",
     .ending = ".txt",
     .mark = "lockkeeper ",
     .shown_by = "a terminal",
     .make = make_text_writer},
    {.name = "json",
     .ending = ".json",
     .mark = "",
     .shown_by = "programs ([JSON](#json))",
     .make = make_json_writer},
    {.name = "csv",
     .ending = ".csv",
     .mark = "file,system,variant,parameter_1,value_1,",
     .shown_by = "a spreadsheet: the figures of `measure`, one a row",
     .make = document_writer<csv_document>,
     .is_whole = false},
    {.name = "svg",
     .ending = ".svg",
     .mark = kXmlMark,
     .shown_by = "a browser: the runs as lanes; of `measure` the rates",
     .make = document_writer<svg_document, svg_refusal>,
     .shows_runs = true},
    {.name = "junit",
     .ending = ".junit.xml",
     .other_ending = ".xml",
     .mark = kXmlMark,
     .shown_by = "GitLab, Jenkins, and viewers of GitHub: a case for each file",
     .make = document_writer<junit_document, junit_refusal>,
     .shows_runs = true},
    {.name = "sarif",
     .ending = ".sarif",
     .other_ending = ".sarif.json",
     .mark = "{\"properties\":{\"writer\":\"lockkeeper\"}",
     .shown_by = "code scanning: each violation at the scenario, with its run",
     .make = document_writer<sarif_document, sarif_refusal>,
     .shows_runs = true},
    {.name = "github",
     .ending = ".github.txt",
     .mark = "lockkeeper ",
     .shown_by = "GitHub Actions: annotations",
     .make = document_writer<github_document, github_refusal>,
     .shows_runs = true},
    {.name = "markdown",
     .ending = ".md",
     .mark = "<!-- written by lockkeeper -->",
     .shown_by = "the summary of a job: what did not pass, then what did",
     .make = document_writer<markdown_document, markdown_refusal>,
     .shows_runs = true},
    {.name = "mermaid",
     .ending = ".mmd",
     .other_ending = ".mermaid",
     .mark = "%% written by lockkeeper",
     .shown_by = "GitHub and GitLab: the first run as a sequence diagram",
     .make = document_writer<mermaid_document, mermaid_refusal>,
     .shows_runs = true},
    {.name = "shiviz",
     .ending = ".shiviz.log",
     .mark = "# written by lockkeeper",
     .shown_by = "ShiViz: the first run with vector clocks",
     .make = document_writer<shiviz_document, shiviz_refusal>,
     .shows_runs = true},
    {.name = "itf",
     .ending = ".itf.json",
     .mark = "{\"#meta\":{\"writer\":\"lockkeeper\"",
     .shown_by = "the viewers of Quint and Apalache: the states of the first run",
     .make = document_writer<itf_document, itf_refusal>,
     .shows_runs = true},
    {.name = "perfetto",
     .ending = ".perfetto.json",
     .mark = "{\"otherData\":{\"writer\":\"lockkeeper ",
     .shown_by = "Perfetto, `chrome://tracing`: all runs on a time line",
     .make = document_writer<perfetto_document, perfetto_refusal>,
     .shows_runs = true},
    {.name = "graphviz",
     .ending = ".dot",
     .other_ending = ".gv",
     .mark = "// written by lockkeeper",
     .shown_by = "`dot`: the states of the first exploration, 200 at most",
     .make = document_writer<graphviz_document, graphviz_refusal>,
     .draws_states = true},
    {.name = "html",
     .ending = ".html",
     .mark = kPageMark,
     .shown_by = "a browser: everything, as one page",
     .make = document_writer<html_document>,
     .is_whole = false,
     .shows_runs = true,
     .compares_runs = true,
     .why_missing = why_no_pages},
};

// How much of the path is the format's ending; 0: it has another one, or no name before it.
std::size_t fitting_ending(const ReportFormat& format, std::string_view path) {
    std::size_t longest = 0;
    for (const std::string_view ending : {format.ending, format.other_ending}) {
        if (!ending.empty() && path.size() > ending.size() && path.ends_with(ending)) {
            longest = std::max(longest, ending.size());
        }
    }
    return longest;
}

}  // namespace

std::span<const ReportFormat> report_formats() { return kReportFormats; }

void Writer::list(const Listing& listing) { out() << list_text(listing) << std::flush; }

const ReportFormat* find_format(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(kReportFormats), std::end(kReportFormats),
                     [&](const ReportFormat& format) { return format.name == name; });
    return found == std::end(kReportFormats) ? nullptr : found;
}

const ReportFormat* format_of_file(std::string_view path) {
    const auto* found =
        std::max_element(std::begin(kReportFormats), std::end(kReportFormats),
                         [&](const ReportFormat& left, const ReportFormat& right) {
                             return fitting_ending(left, path) < fitting_ending(right, path);
                         });
    return fitting_ending(*found, path) == 0 ? nullptr : found;
}

const ReportFormat& format_asked_for(const std::vector<std::string>& arguments,
                                     const char* variable) {
    constexpr std::string_view kFlag = "--format";
    std::string name = variable == nullptr ? "" : variable;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == kFlag && i + 1 < arguments.size()) {
            name = arguments[i + 1];
        } else if (arguments[i].starts_with(std::string(kFlag) + "=")) {
            name = arguments[i].substr(kFlag.size() + 1);
        }
    }
    const ReportFormat* format = find_format(name);
    return format != nullptr && format->is_whole ? *format : report_formats().front();
}

std::span<const char* const> whole_format_names() {
    static const std::vector<const char*> kNames = [] {
        std::vector<const char*> names;
        for (const ReportFormat& format : kReportFormats) {
            if (format.is_whole) {
                names.push_back(format.name.data());
            }
        }
        return names;
    }();
    return kNames;
}

std::span<const char* const> report_endings() {
    static const std::vector<const char*> kEndings = [] {
        std::vector<const char*> endings;
        endings.reserve(std::size(kReportFormats));
        for (const ReportFormat& format : kReportFormats) {
            endings.push_back(format.ending.data());
        }
        return endings;
    }();
    return kEndings;
}

std::string written(const ReportFormat& format, const Results& results) {
    std::ostringstream out;
    const std::unique_ptr<Writer> writer = format.make(out, false);
    Results so_far = results;
    so_far.files.clear();
    writer->begin(results);
    for (const RunReport& report : results.files) {
        writer->next_file(so_far);
        if (has_answer(report.verdict)) {
            writer->head(report);
            writer->result(report);
        }
        so_far.files.push_back(report);
    }
    writer->end(results);
    return out.str();
}

}  // namespace lockkeeper
