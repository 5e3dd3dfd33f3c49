// SPDX-License-Identifier: Apache-2.0

// One format of results. A verb tells its Writer what it does while it does it: text is on the
// screen while a search still runs, a document comes at the end. A Writer reads the tree of
// run_report.hpp and asks nothing else.
//
// To add a format: a file with its document, or with a Writer, and a row in formats.cpp.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "work/results/run_report.hpp"

namespace lockkeeper {

struct Listing;

class Writer {
  public:
    // `verbose`: the scenario's own words, too.
    explicit Writer(std::ostream& out, bool verbose = false) : out_(out), verbose_(verbose) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    virtual ~Writer() = default;

    // Before the first file.
    virtual void begin(const Results& /*results*/) {}
    // Before each of them; `results` has those before it.
    virtual void next_file(const Results& /*results*/) {}
    // Writes what is known before the file's run.
    virtual void head(const RunReport& /*report*/) {}
    // Writes the result of the run.
    virtual void result(const RunReport& /*report*/) {}
    // All of it.
    virtual void end(const Results& /*results*/) {}
    // Instead of all that, for the verb `list`: as text, where the format has nothing better.
    virtual void list(const Listing& listing);
    // Instead of all that: the command ends without a result. The same message is on stderr.
    virtual void refused(int /*exit_code*/, const std::string& /*message*/) {}

  protected:
    [[nodiscard]] std::ostream& out() const { return out_; }
    [[nodiscard]] bool is_verbose() const { return verbose_; }

  private:
    std::ostream& out_;
    bool verbose_;
};

struct ReportFormat {
    using Make = std::unique_ptr<Writer> (*)(std::ostream& out, bool verbose);

    std::string_view name = {};    // as --format takes it
    std::string_view ending = {};  // ".csv": of the files that --report writes
    // Another one that means the same; empty: there is none.
    std::string_view other_ending = {};
    // How a file of it begins, which may be replaced by another; empty: only with --force.
    std::string_view mark = {};
    std::string_view shown_by = {};  // a program; for docs/reference/output.md
    Make make = nullptr;
    bool is_whole = true;  // false: only for files, beside what stdout has
    // Made only for formats that need it, because it takes time: the runs of failed tests with
    // their words, a graph of states.
    bool shows_runs = false;
    bool compares_runs = false;  // all runs, and the nearest run that passes beside each
    bool draws_states = false;
    // Why this build cannot write it; empty: it can. Null: every build can.
    std::string_view (*why_missing)() = nullptr;
};

[[nodiscard]] std::span<const ReportFormat> report_formats();
// Null: there is none. Of endings that fit a file the longest counts: "a.itf.json" is no "json".
[[nodiscard]] const ReportFormat* find_format(std::string_view name);
[[nodiscard]] const ReportFormat* format_of_file(std::string_view path);
// By the last --format, else the variable (null: it is not set), whatever else is wrong with the
// command line.
[[nodiscard]] const ReportFormat& format_asked_for(const std::vector<std::string>& arguments,
                                                   const char* variable);

// Names of those that stdout can have, and the endings of all, in their order.
[[nodiscard]] std::span<const char* const> whole_format_names();
[[nodiscard]] std::span<const char* const> report_endings();

// Everything at once, as it stands in a file.
[[nodiscard]] std::string written(const ReportFormat& format, const Results& results);

// The interface of pages for formats.cpp, serve/ and tests; html_writer.cpp writes pages. The build
// makes page_shell() and explorer_page() (cmake/LockkeeperPage.cmake).

// How a page begins.
inline constexpr std::string_view kPageMark = "<!-- A report of Lockkeeper. -->";
// The page without a report (reports/web/), with its three markers. Empty: this build has none.
[[nodiscard]] std::string_view page_shell();
// The page that `lockkeeper serve` sends. Empty: this build has none.
[[nodiscard]] std::string_view explorer_page();
// Empty: this build has both.
[[nodiscard]] std::string_view why_no_pages();

}  // namespace lockkeeper
