// SPDX-License-Identifier: Apache-2.0

// A summary for people in Markdown: first what did not pass, each with its run, then what passed.
// GitHub shows no summary of more than 1 MiB; what does not fit is counted.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kSummaryBytesMax = 1'000'000;
constexpr std::size_t kSectionsBytesMax = 600'000;  // the rest is for the tables
constexpr std::size_t kRunBytesMax = 24'000;        // of one file
constexpr std::size_t kCellBytesMax = 400;
constexpr std::size_t kFewFiles = 3;  // of which each is shown, passed or not

// Text that Markdown takes for text, also in the cell of a table.
std::string markdown_text(const std::string& text) {
    constexpr std::string_view kEscaped = "\\`*_[]|~#!$";
    std::string out;
    for (const char character : abbreviated(clean_line(text), kCellBytesMax)) {
        switch (character) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            case '@': out += "&#64;"; break;  // GitHub takes it for somebody's name
            default:
                out += kEscaped.find(character) == std::string_view::npos ? "" : "\\";
                out += character;
        }
    }
    return out;
}

// Preformatted text. Not a block with a fence: some readers of Markdown take the inside of
// <details> for HTML, fences and all, and the markup of a name with it.
std::string text_block(const std::string& text) {
    std::string out = "<pre>\n";
    for (const char character : text) {
        switch (character) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            default: out += character;
        }
    }
    return out + (text.ends_with('\n') ? "" : "\n") + "</pre>\n";
}

std::string summary_row(const RunReport& report) {
    return fmt::format("| {} | {} | {} | {} |\n", name_of(outcome_of(report)),
                       markdown_text(report.file), markdown_text(outcome_message(report)),
                       seconds_text(report.seconds));
}

std::string summary_section(const RunReport& report) {
    return fmt::format("\n<details><summary>{}: {}</summary>\n\n{}\n</details>\n",
                       name_of(outcome_of(report)), markdown_text(report.file),
                       text_block(first_lines(clean_text(whole_text(report)), kRunBytesMax)));
}

// Pieces as long as there is room for them; then a line that counts the others.
class Budget {
  public:
    explicit Budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void add(const std::string& piece) {
        if (left_out_ > 0 || text_.size() + piece.size() > bytes_max_) {
            ++left_out_;
        } else {
            text_ += piece;
        }
    }
    [[nodiscard]] std::string finish(std::string_view noun) const {
        return left_out_ == 0
                   ? text_
                   : text_ + fmt::format("\n{} left out: the summary would be too long\n",
                                         counted(left_out_, noun));
    }

  private:
    std::size_t bytes_max_;
    std::size_t left_out_ = 0;
    std::string text_;
};

constexpr const char* kTableHead = "\n| | file | result | time |\n|---|---|---|---|\n";

std::string markdown_title(const std::string& counts, const std::string& command) {
    return fmt::format("<!-- written by lockkeeper -->\n## lockkeeper{}{}: {}\n\n{}\n",
                       command.empty() ? "" : " ", markdown_text(command), counts,
                       markdown_text(build_text()));
}

std::string markdown_table(const std::vector<const RunReport*>& reports, std::size_t bytes_max) {
    if (reports.empty()) {
        return "";
    }
    Budget rows(bytes_max - std::min<std::size_t>(bytes_max, 500));
    for (const RunReport* report : reports) {
        rows.add(summary_row(*report));
    }
    return kTableHead + rows.finish("file");
}

}  // namespace

// For a row of formats.cpp.
std::string markdown_document(const Results& results) {
    std::string text = markdown_title(counts_text(count_outcomes(results.files)), results.command);
    if (const std::string rest = beyond_files(results); !rest.empty()) {
        text += "\n**" + markdown_text(rest) + "**\n";
    }
    const bool shows_all = results.files.size() <= kFewFiles;
    Budget sections(kSectionsBytesMax);
    std::vector<const RunReport*> passed;
    std::vector<const RunReport*> others;
    for (const RunReport& report : results.files) {
        const bool is_passed = outcome_of(report) == FileOutcome::kPassed;
        (is_passed ? passed : others).push_back(&report);
        if (shows_all || !is_passed) {
            sections.add(summary_section(report));
        }
    }
    const std::string shown = sections.finish("run");
    const std::size_t room = kSummaryBytesMax - text.size() - shown.size();
    const std::string open = markdown_table(others, room / 2);
    text += open + shown;
    if (!passed.empty()) {
        const std::string rows = markdown_table(passed, room / 2);
        text += fmt::format("\n<details{}><summary>{} passed</summary>\n{}\n</details>\n",
                            others.empty() && shows_all ? " open" : "", passed.size(), rows);
    }
    return text;
}

std::string markdown_refusal(int exit_code, const std::string& message) {
    return markdown_title(fmt::format("exit code {}", exit_code), "") + "\n" +
           markdown_text(message) + "\n";
}

}  // namespace lockkeeper
