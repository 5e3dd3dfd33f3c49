#include "app/session.hpp"

#include <new>
#include <ostream>

#include "app/exit_code.hpp"
#include "model/check.hpp"
#include "model/read_text.hpp"
#include "reports/words.hpp"
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

std::vector<RunReport> for_each_file(const Session& session, const std::vector<InputFile>& files,
                                     const std::function<RunReport(const std::string& file)>& run) {
    std::vector<RunReport> reports;
    const bool is_line_a_file = session.options.command == Command::kRun;
    for (const InputFile& file : files) {
        if (!reports.empty() && !is_line_a_file && session.prints_text()) {
            session.out << "\n";
        }
        reports.push_back(run_one(session, file, run));
        if (interrupt_requested()) {
            if (reports.size() < files.size()) {
                session.complain("interrupted; " + counted(files.size() - reports.size(), "file") +
                                 " not run");
            }
            break;
        }
    }
    return reports;
}

int exit_code_of(const std::vector<RunReport>& reports) {
    int code = kExitPassed;
    for (const RunReport& report : reports) {
        code = worse_exit_code(code, exit_code_of(report));
    }
    return interrupt_requested() ? static_cast<int>(kExitInterrupted) : code;
}

}  // namespace lockkeeper
