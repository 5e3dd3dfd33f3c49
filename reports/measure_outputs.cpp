// SPDX-License-Identifier: Apache-2.0
#include "reports/measure_outputs.hpp"

#include <filesystem>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "reports/writer.hpp"
#include "reports/xml.hpp"

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

}  // namespace

std::vector<MeasureOutputs> claim_measure_outputs(std::ostream& standard,
                                                  const WantedOutputs& wanted,
                                                  std::size_t files_count, const OutputRule& rule) {
    if (wanted.prism_directory) {
        std::error_code ignored;  // what is wrong is said of the files in it
        std::filesystem::create_directories(*wanted.prism_directory, ignored);
    }
    OutputRule of_plots = rule;
    of_plots.mark = kXmlMark;
    std::vector<MeasureOutputs> outputs(files_count);
    for (std::size_t file = 0; file < files_count; ++file) {
        if (wanted.svg_file) {
            outputs[file].svg =
                std::make_unique<TextOutput>(standard, numbered(*wanted.svg_file, file), of_plots);
        }
        for (std::size_t point = 0; wanted.prism_directory && point < wanted.points_count;
             ++point) {
            outputs[file].chains.push_back(std::make_unique<PrismFiles>(
                chain_prefix(*wanted.prism_directory, file, point), rule));
        }
    }
    return outputs;
}

void write_plot(TextOutput& file, RunReport& report) {
    Results only;
    only.kind = ResultsKind::kMeasurements;
    only.files = {report};
    file.write(written(*find_format("svg"), only));
    report.files_written.push_back(file.path());
}

}  // namespace lockkeeper
