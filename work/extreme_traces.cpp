// SPDX-License-Identifier: Apache-2.0
#include "work/extreme_traces.hpp"

#include <algorithm>

#include "scenarios/bad_input.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

Finding run_of(const Job& job, const Property* property, const Schedule& schedule) {
    Finding run;
    run.property = property;
    run.schedule = schedule;
    ReplayOptions options;
    options.check = {property};
    run.trace = job.runner->replay(run.schedule, options);
    run.is_violation = !run.trace.violated.empty();
    return run;
}

}  // namespace

void write_extremes(const Job& job, const MeasureResult& result, const std::string& directory,
                    const OutputRule& rule, std::vector<std::string>& files_written) {
    for (const PropertyRates& rates : result.properties) {
        if (!rates.extremes) {
            continue;
        }
        for (const auto& schedule :
             {rates.extremes->schedule_most, rates.extremes->schedule_least}) {
            if (!schedule) {
                continue;
            }
            const Finding run = run_of(job, rates.property, *schedule);
            const std::string path = write_trace(directory, job.scenario, run, rule);
            if (std::find(files_written.begin(), files_written.end(), path) ==
                files_written.end()) {
                files_written.push_back(path);
            }
        }
    }
}

void write_chain(const Job& job, const MeasureOptions& options, PrismFiles& files,
                 RunReport& report) {
    if (const auto wrong = export_to_prism(job.runner->erased(), options, files)) {
        throw BadInput({report.file, "", "--prism: " + *wrong});
    }
    for (const OutputClaim* file : {&files.states, &files.transitions, &files.labels}) {
        report.files_written.push_back(file->path());
    }
}

}  // namespace lockkeeper
