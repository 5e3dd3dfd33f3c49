// SPDX-License-Identifier: Apache-2.0

// JUnit XML: a suite for each directory, a case for each file or case of a file. Read by GitLab,
// Jenkins, and viewers of GitHub. `failure`: there is an answer, and it is another one than it
// should be. `error`: there is none. Nothing is `skipped`: readers take that for a pass.
//
// GitLab shows `classname` as the suite. It shows only the first of two cases with one name and
// class, and the content of a failure but not its `message`.
#include <map>
#include <set>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/texts.hpp"
#include "reports/xml.hpp"
#include "version.hpp"

namespace lockkeeper {
namespace {

// Bounds the text of one case: a file that fails without end would fill a server.
constexpr std::size_t kCaseBytesMax = 64U << 10U;
constexpr std::size_t kMessageBytesMax = 2000;

struct JunitSuite {
    std::string cases;
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    double seconds = 0;

    void add_case(const XmlAttributes& attributes, const std::string& content) {
        cases += xml_element("testcase", attributes, content);
        ++tests;
    }
    void add(const JunitSuite& other) {
        tests += other.tests;
        failures += other.failures;
        errors += other.errors;
        seconds += other.seconds;
    }
};

std::string junit_time(double seconds) { return fmt::format("{:.3f}", seconds); }

// The suite's name: a directory with dots, which Jenkins shows as packages.
std::string junit_class(const std::string& path) {
    std::string name = path.substr(0, path.find_last_of('/') + 1);
    while (name.starts_with('/') || name.starts_with("./") || name.starts_with("../")) {
        name.erase(0, name.find('/') + 1);
    }
    for (char& character : name) {
        character = character == '/' ? '.' : character;
    }
    return name.empty() ? "lockkeeper" : name.substr(0, name.size() - 1);
}

// "leak.json#two"
std::string junit_name(const RunReport& report) {
    const std::string& path = path_of(report);
    const std::size_t mark = report.file.rfind('#');
    const bool has_case = mark != std::string::npos && !path.ends_with(report.file.substr(mark));
    return path.substr(path.find_last_of('/') + 1) + (has_case ? report.file.substr(mark) : "");
}

// `kind`: "failure" or "error".
std::string junit_problem(const char* kind, std::string_view type, const std::string& message,
                          const std::string& text) {
    const std::string whole = text.starts_with(message) ? text : message + "\n\n" + text;
    return "\n" + xml_element(kind,
                              {{"type", type},
                               {"message", shortened(clean_line(message), kMessageBytesMax)}},
                              xml_escaped(first_lines(clean_text(whole), kCaseBytesMax)));
}

class JunitReport {
  public:
    void add(const RunReport& report) {
        const std::string suite_name = junit_class(path_of(report));
        JunitSuite& suite = suite_of(suite_name);
        suite.seconds += report.seconds;
        const FileOutcome outcome = outcome_of(report);
        std::string content;
        if (outcome != FileOutcome::kPassed) {
            const bool is_failure = exit_code_of(report) == kExitViolated;
            ++(is_failure ? suite.failures : suite.errors);
            content = junit_problem(is_failure ? "failure" : "error", problem_type(report),
                                    outcome_message(report), whole_text(report));
        }
        suite.add_case({{"name", unique(suite_name, junit_name(report))},
                        {"classname", suite_name},
                        {"file", path_of(report)},
                        {"line", std::to_string(report.place.at.line)},
                        {"time", junit_time(report.seconds)}},
                       content);
    }
    void add_error(const std::string& message, int exit_code) {
        JunitSuite& suite = suite_of("lockkeeper");
        ++suite.errors;
        suite.add_case({{"name", "lockkeeper"}, {"classname", "lockkeeper"}},
                       junit_problem("error", fmt::format("exit code {}", exit_code), message, ""));
    }
    [[nodiscard]] std::string finish(const std::string& name) const {
        JunitSuite all;
        std::string suites = "\n";
        for (const std::string& suite_name : order_) {
            const JunitSuite& suite = suites_.at(suite_name);
            all.add(suite);
            suites += xml_element("testsuite",
                                  {{"name", suite_name},
                                   {"tests", std::to_string(suite.tests)},
                                   {"failures", std::to_string(suite.failures)},
                                   {"errors", std::to_string(suite.errors)},
                                   {"skipped", "0"},
                                   {"time", junit_time(suite.seconds)}},
                                  "\n" + build_properties() + suite.cases);
        }
        return std::string(kXmlMark) + xml_element("testsuites",
                                                   {{"name", name},
                                                    {"tests", std::to_string(all.tests)},
                                                    {"failures", std::to_string(all.failures)},
                                                    {"errors", std::to_string(all.errors)},
                                                    {"time", junit_time(all.seconds)}},
                                                   suites);
    }

  private:
    // A word that viewers group by.
    static std::string_view problem_type(const RunReport& report) {
        const FileOutcome outcome = outcome_of(report);
        if (outcome != FileOutcome::kFailed || is<Passed>(report.verdict)) {
            return name_of(outcome);
        }
        return report.met ? "expectation" : name_of(report.verdict, report.words);
    }
    JunitSuite& suite_of(const std::string& name) {
        if (!suites_.contains(name)) {
            order_.push_back(name);
        }
        return suites_[name];
    }
    // The same file may be named twice.
    std::string unique(const std::string& suite, const std::string& name) {
        std::string answer = name;
        for (int i = 2; !names_.insert(fmt::format("{}/{}", suite, answer)).second; ++i) {
            answer = fmt::format("{} ({})", name, i);
        }
        return answer;
    }

    static std::string build_properties() {
        return xml_element(
            "properties", {},
            "\n" + xml_element("property", {{"name", "version"}, {"value", version()}}) +
                xml_element("property", {{"name", "commit"}, {"value", commit()}}));
    }

    std::map<std::string, JunitSuite> suites_;
    std::vector<std::string> order_;  // in which they are printed
    std::set<std::string> names_;
};

}  // namespace

// For a row of formats.cpp.
std::string junit_document(const Results& results) {
    JunitReport junit;
    for (const RunReport& report : results.files) {
        junit.add(report);
    }
    if (const std::string rest = beyond_files(results); !rest.empty()) {
        junit.add_error(rest, results.exit_code);
    }
    return junit.finish("lockkeeper " + results.command);
}

std::string junit_refusal(int exit_code, const std::string& message) {
    JunitReport junit;
    junit.add_error(message, exit_code);
    return junit.finish("lockkeeper");
}

}  // namespace lockkeeper
