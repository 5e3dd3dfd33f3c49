// SPDX-License-Identifier: Apache-2.0

// A summary for people in Markdown: first what did not pass, each with its run, then what passed.
// GitHub shows no summary of more than 1 MiB; what does not fit is counted.
#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"
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

class MarkdownWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        std::string text = title(counts_text(count_outcomes(results.files)), results.command);
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
        const std::string open = table(others, room / 2);
        text += open + shown;
        if (!passed.empty()) {
            const std::string rows = table(passed, room / 2);
            text += fmt::format("\n<details{}><summary>{} passed</summary>\n{}\n</details>\n",
                                others.empty() && shows_all ? " open" : "", passed.size(), rows);
        }
        out() << text << std::flush;
    }
    void refused(int exit_code, const std::string& message) override {
        out() << title(fmt::format("exit code {}", exit_code), "") << "\n"
              << markdown_text(message) << "\n"
              << std::flush;
    }

  private:
    static std::string title(const std::string& counts, const std::string& command) {
        return fmt::format("<!-- written by lockkeeper -->\n## lockkeeper{}{}: {}\n\n{}\n",
                           command.empty() ? "" : " ", markdown_text(command), counts,
                           markdown_text(build_text()));
    }
    static std::string table(const std::vector<const RunReport*>& reports, std::size_t bytes_max) {
        if (reports.empty()) {
            return "";
        }
        Budget rows(bytes_max - std::min<std::size_t>(bytes_max, 500));
        for (const RunReport* report : reports) {
            rows.add(summary_row(*report));
        }
        return kTableHead + rows.finish("file");
    }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_markdown_writer(std::ostream& out, bool verbose) {
    return std::make_unique<MarkdownWriter>(out, verbose);
}

}  // namespace lockkeeper
