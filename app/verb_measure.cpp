#include <optional>
#include <ostream>

#include "app/exit_code.hpp"
#include "app/measuring.hpp"
#include "app/verbs.hpp"
#include "reports/measure_json.hpp"
#include "reports/measure_text.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

// Files that were refused have a place in the document, too.
std::vector<MeasureReport> with_refused(std::vector<MeasureReport> measured,
                                        const std::vector<RunReport>& runs) {
    std::vector<MeasureReport> all;
    auto next = measured.begin();
    for (const RunReport& run : runs) {
        if (has_answer(run.verdict)) {
            all.push_back(std::move(*next++));
            continue;
        }
        all.emplace_back();
        all.back().file = run.file;
        all.back().verdict = run.verdict;
    }
    return all;
}

void write_csv(const Session& session, TextOutput& csv, const std::vector<MeasureReport>& reports,
               int& exit_code) {
    if (!write_or_complain(session, [&] { csv.write(measure_csv(reports)); })) {
        exit_code = worse_exit_code(exit_code, kExitInput);
    } else if (session.prints_text()) {
        session.out << "written: " << printable(csv.path()) << "\n" << std::flush;
    }
}

}  // namespace

int verb_measure(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    std::vector<MeasureOutputs> outputs = claim_measure_outputs(session, files);
    std::optional<TextOutput> csv;
    if (const auto& file = session.options.measure.csv_file) {
        csv.emplace(session, *file, output_rule(session, kCsvMark, files));
    }
    std::vector<MeasureReport> measured;
    const auto runs = for_each_file(session, files, [&](const std::string& file) {
        measured.push_back(measure_file(session, file, outputs.at(measured.size())));
        const MeasureReport& report = measured.back();
        if (session.prints_text()) {
            session.out << measure_body(report) << measure_foot(report) << std::flush;
        }
        RunReport run;
        run.file = file;
        static_cast<Conclusion&>(run) = report;
        return run;
    });
    const auto all = with_refused(std::move(measured), runs);
    int exit_code = exit_code_of(runs);
    if (csv) {
        write_csv(session, *csv, all, exit_code);
    }
    if (!session.prints_text()) {
        session.out << measure_document(all, exit_code) << std::flush;
    }
    return exit_code;
}

}  // namespace lockkeeper
