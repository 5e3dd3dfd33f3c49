#include "app/extreme_traces.hpp"

#include <algorithm>

#include "app/outputs.hpp"
#include "reports/trace_file.hpp"

namespace lockkeeper {
namespace {

void write_extreme(const Session& session, const Job& job, const Property* property,
                   const std::optional<Schedule>& schedule, std::vector<std::string>& written) {
    if (!schedule) {
        return;
    }
    Finding run;
    run.property = property;
    run.schedule = *schedule;
    ReplayOptions options;
    options.check = {property};
    run.trace = job.runner->replay(run.schedule, options);
    const auto& violated = run.trace.violated;
    run.is_violation = std::find(violated.begin(), violated.end(), property) != violated.end();
    const std::string path = write_trace(*session.options.out_directory, job.scenario, run,
                                         output_rule(session, kTraceMark));
    if (std::find(written.begin(), written.end(), path) == written.end()) {
        written.push_back(path);
    }
}

}  // namespace

void write_extremes(const Session& session, const Job& job, const MeasuredPoint& point,
                    std::vector<std::string>& files_written) {
    if (!session.options.out_directory) {
        return;
    }
    for (const PropertyRates& rates : point.result.properties) {
        if (rates.extremes) {
            write_extreme(session, job, rates.property, rates.extremes->schedule_most,
                          files_written);
            write_extreme(session, job, rates.property, rates.extremes->schedule_least,
                          files_written);
        }
    }
}

}  // namespace lockkeeper
