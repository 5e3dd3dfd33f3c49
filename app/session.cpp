#include "app/session.hpp"

#include <algorithm>
#include <new>
#include <ostream>
#include <set>

#include "model/check.hpp"
#include "model/read_text.hpp"
#include "reports/conclusion.hpp"
#include "reports/report_files.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/cases.hpp"
#include "scheduler/output_file.hpp"
#include "scheduler/search/checkpoint.hpp"

namespace lockkeeper {
namespace {

RunReport run_one(const Session& session, const InputFile& file,
                  const std::function<RunReport(const std::string&)>& run) {
    RunReport report;
    if (auto failure = failure_of(session, file, [&] { report = run(file.path); })) {
        report = {};
        report.command = name_of(session.options.command);
        report.file = file.path;
        report.verdict = std::move(*failure);
    }
    return report;
}

ReportFiles claim_report_files(const Session& session, const std::vector<InputFile>& inputs) {
    ReportFiles files(session.out);
    const OutputRule rule = output_rule(session, "", inputs);
    for (const std::string& path : session.options.report_files) {
        files.claim(path, *format_of_file(path), rule);
    }
    for (const auto* csv : {&session.options.measure.csv_file, &session.options.sweep.csv_file}) {
        if (*csv) {
            files.claim(**csv, *find_format("csv"), rule);
        }
    }
    return files;
}

}  // namespace

void Session::complain(const std::string& line) const {
    err << "lockkeeper: " << printable(line) << std::endl;
}

std::optional<Verdict> failure_of(const Session& session, const InputFile& file,
                                  const std::function<void()>& run) {
    const std::string name = name_in_messages(file.path);
    std::optional<Verdict> failure;
    try {
        if (!file.error.empty()) {
            throw BadInput({file.path, "", file.error});
        }
        run();
    } catch (const BadInput& error) {
        failure = RefusedFile{error.what()};
    } catch (const CheckpointError& error) {
        failure = RefusedFile{error.what()};
    } catch (const OutputError& error) {
        failure = RefusedFile{error.what()};
    } catch (const LimitExceeded& error) {
        failure = RefusedFile{name + ": " + error.what()};
    } catch (const UsageError&) {
        throw;
    } catch (const std::bad_alloc&) {
        failure = Error{name + ": internal error: out of memory (see --memory)"};
    } catch (const std::exception& error) {
        failure = Error{name + ": internal error: " + error.what()};
    }
    if (failure) {
        session.complain(detail_of(*failure));
    }
    return failure;
}

bool shows_runs(const Options& options) {
    return std::any_of(options.report_files.begin(), options.report_files.end(),
                       [](const std::string& path) { return format_of_file(path)->shows_runs; });
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

bool write_or_complain(const Session& session, const std::function<void()>& write) {
    try {
        write();
        return true;
    } catch (const OutputError& error) {
        session.complain(error.what());
        return false;
    }
}

int run_files(const Session& session, Results results, const std::vector<InputFile>& files,
              const std::function<RunReport(const std::string&)>& run) {
    ReportFiles report_files = claim_report_files(session, files);
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
        results.files.push_back(run_one(session, file, run));
        if (interrupt_requested()) {
            if (results.files.size() < files.size()) {
                session.complain("interrupted; " +
                                 counted(files.size() - results.files.size(), "file") + " not run");
            }
            break;
        }
    }
    results.exit_code = exit_code_of(results);
    report_files.write(results, [&](const std::string& why) { session.complain(why); });
    session.writer->end(results);
    return results.exit_code;
}

int tell_results(const Session& session, Results results) {
    ReportFiles report_files = claim_report_files(session, {});
    report_files.write(results, [&](const std::string& why) { session.complain(why); });
    session.out << written(*find_format(session.options.format), results) << std::flush;
    return results.exit_code;
}

int end_without_result(const Session& session, int exit_code, const std::string& message) {
    session.complain(message);
    session.writer->refused(exit_code, message);
    return exit_code;
}

}  // namespace lockkeeper
