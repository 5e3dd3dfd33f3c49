#include <algorithm>
#include <array>
#include <sstream>

#include "reports/writer.hpp"
#include "reports/xml.hpp"

namespace lockkeeper {

std::unique_ptr<Writer> make_text_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_json_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_csv_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_svg_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_junit_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_sarif_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_github_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_markdown_writer(std::ostream& out, bool verbose);

namespace {

constexpr std::string_view kCsvMark = "file,system,variant,parameter_1,value_1,";
constexpr std::string_view kMarkdownMark = "<!-- written by lockkeeper -->";
constexpr std::string_view kSarifMark = "{\"properties\":{\"writer\":\"lockkeeper\"}";

constexpr std::array kReportFormats{
    ReportFormat{"text", ".txt", "", "lockkeeper ", true, make_text_writer},
    ReportFormat{"json", ".json", "", "", true, make_json_writer},
    ReportFormat{"csv", ".csv", "", kCsvMark, false, make_csv_writer},
    ReportFormat{"svg", ".svg", "", kXmlMark, false, make_svg_writer},
    ReportFormat{"junit", ".junit.xml", ".xml", kXmlMark, true, make_junit_writer},
    ReportFormat{"sarif", ".sarif", ".sarif.json", kSarifMark, true, make_sarif_writer},
    ReportFormat{"github", ".github.txt", "", "lockkeeper ", true, make_github_writer},
    ReportFormat{"markdown", ".md", "", kMarkdownMark, true, make_markdown_writer},
};

// How much of the path is the format's ending; 0: it has another one, or no name before it.
std::size_t fitting_ending(const ReportFormat& format, std::string_view path) {
    std::size_t longest = 0;
    for (const std::string_view ending : {format.ending, format.other_ending}) {
        if (path.size() > ending.size() && path.ends_with(ending)) {
            longest = std::max(longest, ending.size());
        }
    }
    return longest;
}

}  // namespace

std::span<const ReportFormat> report_formats() { return kReportFormats; }

const ReportFormat* find_format(std::string_view name) {
    const auto* found =
        std::find_if(kReportFormats.begin(), kReportFormats.end(),
                     [&](const ReportFormat& format) { return format.name == name; });
    return found == kReportFormats.end() ? nullptr : found;
}

const ReportFormat* format_of_file(std::string_view path) {
    const auto* found =
        std::max_element(kReportFormats.begin(), kReportFormats.end(),
                         [&](const ReportFormat& left, const ReportFormat& right) {
                             return fitting_ending(left, path) < fitting_ending(right, path);
                         });
    return fitting_ending(*found, path) == 0 ? nullptr : found;
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
