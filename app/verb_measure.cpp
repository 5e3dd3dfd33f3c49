#include "app/measuring.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {

int verb_measure(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    std::vector<MeasureOutputs> outputs = claim_measure_outputs(session, files);
    std::size_t measured = 0;
    return run_files(session, ResultsKind::kMeasurements, files, [&](const std::string& file) {
        RunReport report;
        report.file = file;
        report.measured = measure_file(session, file, outputs.at(measured));
        static_cast<Conclusion&>(report) = static_cast<const Conclusion&>(*report.measured);
        ++measured;
        session.writer->result(report);
        return report;
    });
}

}  // namespace lockkeeper
