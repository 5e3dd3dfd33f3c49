// SPDX-License-Identifier: Apache-2.0
#include "app/session.hpp"

#include <algorithm>
#include <ostream>
#include <set>

#include "reports/report_files.hpp"
#include "scenarios/cases.hpp"
#include "scheduler/base/output_file.hpp"
#include "work/failure.hpp"
#include "work/results/conclusion.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

ReportFiles claim_report_files(const Session& session, const std::vector<InputFile>& inputs) {
    return {session.out, session.options.report_files, session.options.csv_file,
            output_rule(session, "", inputs)};
}

}  // namespace

void Session::complain(const std::string& line) const {
    err << "lockkeeper: " << printable(line) << std::endl;
}

bool Session::writes(bool ReportFormat::*such) const {
    return find_format(options.format)->*such ||
           std::any_of(options.report_files.begin(), options.report_files.end(),
                       [&](const std::string& file) { return format_of_file(file)->*such; });
}

OutputRule output_rule(const Session& session, std::string_view mark,
                       const std::vector<InputFile>& inputs) {
    OutputRule rule;
    rule.mark = mark;
    rule.force = session.options.force;
    rule.inputs = session.options.files;
    for (const InputFile& input : inputs) {
        rule.inputs.push_back(input.path);
    }
    return rule;
}

ProgressLine progress_line(const Session& session, ProgressLimits limits) {
    return {session.err, session.err_is_terminal, session.options.quiet, limits};
}

void write_beside(const Session& session, RunReport& report, const std::function<void()>& write) {
    try {
        write();
    } catch (const OutputError& error) {
        session.complain(error.what());
        report.has_failed_output = true;
    }
}

int run_files(const Session& session, Results results, const std::vector<InputFile>& files,
              const std::function<RunReport(const std::string&)>& run) {
    ReportFiles report_files = claim_report_files(session, files);
    const auto complain = [&](const std::string& why) { session.complain(why); };
    results.command = name_of(session.options.command);
    results.seed = session.options.seed;
    std::set<std::string> names;
    for (const InputFile& file : files) {
        names.insert(named_case(file.path).file);
    }
    results.files_count = names.size();
    results.cases_count = files.size();
    session.writer->begin(results);
    for (const InputFile& file : files) {
        session.writer->next_file(results);
        results.files.push_back(run_one_file(file, results.command, run, complain));
        if (interrupt_requested()) {
            if (results.files.size() < files.size()) {
                session.complain("interrupted; " +
                                 counted(files.size() - results.files.size(), "file") + " not run");
            }
            break;
        }
    }
    results.exit_code = exit_code_of(results);
    report_files.write(results, complain);
    session.writer->end(results);
    return results.exit_code;
}

int tell_results(const Session& session, Results results) {
    ReportFiles report_files = claim_report_files(session, {});
    report_files.write(results, [&](const std::string& why) { session.complain(why); });
    session.out << written(*find_format(session.options.format), results) << std::flush;
    return results.exit_code;
}

}  // namespace lockkeeper
