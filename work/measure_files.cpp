// SPDX-License-Identifier: Apache-2.0
#include "work/measure_files.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// "a/b.svg" of the second file of several: "a/b-2.svg".
std::string numbered(const std::string& file, std::size_t number) {
    if (number == 0) {
        return file;
    }
    const std::filesystem::path path(file);
    const std::string name =
        fmt::format("{}-{}{}", path.stem().string(), number + 1, path.extension().string());
    return (path.parent_path() / name).string();
}

// "chain", "chain-2" of the second point, "2-chain" of the second file.
std::string chain_prefix(const std::string& directory, std::size_t file, std::size_t point) {
    const std::string file_part = file > 0 ? fmt::format("{}-", file + 1) : "";
    const std::string point_part = point > 0 ? fmt::format("-{}", point + 1) : "";
    return directory + "/" + file_part + "chain" + point_part;
}

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

std::vector<MeasureOutputs> claim_measure_outputs(std::ostream& standard,
                                                  const WantedOutputs& wanted,
                                                  std::size_t files_count, const OutputRule& rule,
                                                  const OutputRule& rule_of_plots) {
    if (wanted.prism_directory) {
        std::error_code ignored;  // what is wrong is said of the files in it
        std::filesystem::create_directories(*wanted.prism_directory, ignored);
    }
    std::vector<MeasureOutputs> outputs(files_count);
    for (std::size_t file = 0; file < files_count; ++file) {
        if (wanted.svg_file) {
            outputs[file].svg = std::make_unique<TextOutput>(
                standard, numbered(*wanted.svg_file, file), rule_of_plots);
        }
        for (std::size_t point = 0; wanted.prism_directory && point < wanted.points_count;
             ++point) {
            outputs[file].chains.push_back(std::make_unique<PrismFiles>(
                chain_prefix(*wanted.prism_directory, file, point), rule));
        }
    }
    return outputs;
}

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
