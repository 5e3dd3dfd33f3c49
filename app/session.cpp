// SPDX-License-Identifier: Apache-2.0
#include "app/session.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <utility>

#include "reports/progress.hpp"
#include "reports/writer.hpp"
#include "scenarios/cases.hpp"
#include "scheduler/base/output_file.hpp"
#include "work/failure.hpp"
#include "work/results/conclusion.hpp"
#include "work/results/text_output.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

bool writes(const Options& options, bool ReportFormat::*such) {
    return find_format(options.format)->*such ||
           std::any_of(options.report_files.begin(), options.report_files.end(),
                       [&](const std::string& file) { return format_of_file(file)->*such; });
}

// The report in files beside stdout (--report, --csv): claimed before the work begins, so that
// nothing is lost for a name that cannot be written. Errors: OutputError.
class ReportFiles {
  public:
    // Claims files by their endings, and one as CSV. `inputs`: those found in directories.
    ReportFiles(const Session& session, const std::vector<InputFile>& inputs) : session_(session) {
        const OutputRule rule = output_rule(session, "", inputs);
        for (const std::string& path : session.options.report_files) {
            claim(path, *format_of_file(path), rule);
        }
        if (session.options.csv_file) {
            claim(*session.options.csv_file, *find_format("csv"), rule);
        }
    }

    // All of them; the results name those that were written. A file that cannot be written is told,
    // makes the exit code worse, and the others are written.
    void write(Results& results) const {
        for (const auto& file : files_) {
            try {
                file->output.write(written(file->format, results));
                results.files_written.push_back(file->output.path());
            } catch (const OutputError& error) {
                session_.complain(error.what());
                results.exit_code = worse_exit_code(results.exit_code, kExitInput);
            }
        }
    }

  private:
    struct File {
        const ReportFormat& format;
        TextOutput output;
    };

    // `rule`: what may be replaced, but for the format's own mark.
    void claim(const std::string& path, const ReportFormat& format, OutputRule rule) {
        rule.mark = format.mark;
        // NOLINTNEXTLINE(modernize-make-unique): a claim is not moved
        std::unique_ptr<File> file(
            new File{format, TextOutput(session_.out, path, std::move(rule))});
        files_.push_back(std::move(file));
    }

    const Session& session_;
    std::vector<std::unique_ptr<File>> files_;
};

}  // namespace

Session::Session(const Registry& systems, const Options& flags, const Streams& streams,
                 Writer& stdout_writer)
    : Desk{systems, flags, streams.out, Deadline(flags.seconds_max.value_or(kNoTimeLimit))},
      options(flags),
      out(streams.out),
      err(streams.err),
      writer(&stdout_writer) {
    wants = {writes(flags, &ReportFormat::shows_runs), writes(flags, &ReportFormat::compares_runs),
             writes(flags, &ReportFormat::draws_states)};
    on_complaint = [&to = err](const std::string& problem) {
        to << "lockkeeper: " << printable(problem) << std::endl;
    };
    on_head = [&to = stdout_writer](const RunReport& report) { to.head(report); };
    on_line = [&to = err](const std::string& line) { to << printable(line) << "\n"; };
    on_progress = [streams, is_quiet = flags.quiet](const ProgressLimits& limits) {
        return std::make_unique<ProgressLine>(streams.err, streams.err_is_terminal, is_quiet,
                                              limits);
    };
}

int run_files(const Session& session, Results results, const std::vector<InputFile>& files,
              const std::function<RunReport(const std::string&)>& run) {
    const ReportFiles report_files(session, files);
    const auto complain = [&](const std::string& why) { session.complain(why); };
    results.command = session.options.command;
    results.seed = session.options.seed;
    std::set<std::string> names;
    for (const InputFile& file : files) {
        names.insert(named_case(file.path).file);
    }
    results.files_count = names.size();
    results.cases_count = files.size();
    const auto run_and_tell = [&](const std::string& file) {
        RunReport report = run(file);
        // A server that was not there is told once, and not for each file.
        if (results.kind != ResultsKind::kServerComparisons || has_answer(report.verdict)) {
            session.writer->result(report);
        }
        return report;
    };
    session.writer->begin(results);
    for (const InputFile& file : files) {
        session.writer->next_file(results);
        results.files.push_back(run_one_file(file, results.command, run_and_tell, complain));
        if (interrupt_requested()) {
            if (results.files.size() < files.size()) {
                session.complain("interrupted; " +
                                 counted(files.size() - results.files.size(), "file") + " not run");
            }
            break;
        }
    }
    results.exit_code = exit_code_of(results);
    report_files.write(results);
    session.writer->end(results);
    return results.exit_code;
}

void write_reports(const Session& session, Results& results) {
    ReportFiles(session, {}).write(results);
}

int tell_results(const Session& session, Results results) {
    write_reports(session, results);
    session.out << written(*find_format(session.options.format), results) << std::flush;
    return results.exit_code;
}

}  // namespace lockkeeper
