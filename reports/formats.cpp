#include <algorithm>
#include <array>
#include <sstream>

#include "reports/html_page.hpp"
#include "reports/svg.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {

std::unique_ptr<Writer> make_text_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_json_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_csv_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_svg_writer(std::ostream& out, bool verbose);
std::unique_ptr<Writer> make_html_writer(std::ostream& out, bool verbose);

namespace {

constexpr std::array kReportFormats{
    ReportFormat{"text", ".txt", "lockkeeper ", true, make_text_writer},
    ReportFormat{"json", ".json", "", true, make_json_writer},
    ReportFormat{"csv", ".csv", "file,system,variant,parameter_1,value_1,", false, make_csv_writer},
    ReportFormat{"svg", ".svg", kSvgMark, false, make_svg_writer},
    ReportFormat{"html", ".html", kPageMark, false, make_html_writer, true, why_no_pages},
};

const ReportFormat* find_if(bool (*is_it)(const ReportFormat&, std::string_view),
                            std::string_view text) {
    const auto* found =
        std::find_if(kReportFormats.begin(), kReportFormats.end(),
                     [&](const ReportFormat& format) { return is_it(format, text); });
    return found == kReportFormats.end() ? nullptr : found;
}

}  // namespace

std::span<const ReportFormat> report_formats() { return kReportFormats; }

const ReportFormat* find_format(std::string_view name) {
    return find_if(
        [](const ReportFormat& format, std::string_view text) { return format.name == text; },
        name);
}

const ReportFormat* format_of_file(std::string_view path) {
    return find_if(
        [](const ReportFormat& format, std::string_view text) {
            return text.size() > format.ending.size() && text.ends_with(format.ending);
        },
        path);
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
