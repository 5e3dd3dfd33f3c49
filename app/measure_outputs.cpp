#include "app/measure_outputs.hpp"

#include <filesystem>

#include <fmt/format.h>

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

std::vector<MeasureOutputs> claim_measure_outputs(const Session& session,
                                                  const std::vector<InputFile>& files) {
    const MeasureFlags& flags = session.options.measure;
    if (flags.prism_directory) {
        std::error_code ignored;  // what is wrong is said of the files in it
        std::filesystem::create_directories(*flags.prism_directory, ignored);
    }
    std::vector<MeasureOutputs> outputs(files.size());
    for (std::size_t file = 0; file < files.size(); ++file) {
        if (flags.svg_file) {
            outputs[file].svg =
                std::make_unique<TextOutput>(session.out, numbered(*flags.svg_file, file),
                                             output_rule(session, kXmlMark, files));
        }
        for (std::size_t point = 0; flags.prism_directory && point < flags.plan.points_count();
             ++point) {
            outputs[file].chains.push_back(
                std::make_unique<PrismFiles>(chain_prefix(*flags.prism_directory, file, point),
                                             output_rule(session, "", files)));
        }
    }
    return outputs;
}

}  // namespace lockkeeper
