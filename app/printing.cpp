#include <ostream>

#include "app/verbs.hpp"
#include "reports/result_json.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"

namespace lockkeeper {

void print_head(const Session& session, const Job& job, const RunReport& report) {
    if (!session.prints_text()) {
        return;
    }
    session.out << head_text(report);
    if (session.options.verbose && !job.scenario.about.empty()) {
        session.out << job.scenario.about << "\n";
    }
    session.out << std::flush;
}

void print_rest(const Session& session, const RunReport& report) {
    if (session.prints_text()) {
        session.out << body_text(report) << foot_text(report) << std::flush;
    }
}

int finish(const Session& session, const std::vector<RunReport>& reports) {
    const int exit_code = exit_code_of(reports);
    if (!session.prints_text()) {
        session.out << result_document(name_of(session.options.command), reports, exit_code)
                    << std::flush;
    } else if (reports.size() > 1 && session.options.command != Command::kRun) {
        session.out << "\n" << counted(reports.size(), "file") << "\n";
        for (const RunReport& report : reports) {
            session.out << "  " << printable(report.file) << ": " << verdict_text(report) << "\n";
        }
        session.out << std::flush;
    }
    return exit_code;
}

}  // namespace lockkeeper
