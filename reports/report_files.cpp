// SPDX-License-Identifier: Apache-2.0
#include "reports/report_files.hpp"

#include <utility>

#include "work/results/conclusion.hpp"

namespace lockkeeper {

ReportFiles::ReportFiles(std::ostream& standard, const std::vector<std::string>& paths,
                         const std::optional<std::string>& csv, const OutputRule& rule)
    : standard_(standard) {
    for (const std::string& path : paths) {
        claim(path, *format_of_file(path), rule);
    }
    if (csv) {
        claim(*csv, *find_format("csv"), rule);
    }
}

void ReportFiles::claim(const std::string& path, const ReportFormat& format, OutputRule rule) {
    rule.mark = format.mark;
    // NOLINTNEXTLINE(modernize-make-unique): a claim is not moved
    std::unique_ptr<File> file(new File{format, TextOutput(standard_, path, std::move(rule))});
    files_.push_back(std::move(file));
}

void ReportFiles::write(Results& results, const std::function<void(const std::string&)>& complain) {
    for (const auto& file : files_) {
        try {
            file->output.write(written(file->format, results));
            results.files_written.push_back(file->output.path());
        } catch (const OutputError& error) {
            complain(error.what());
            results.exit_code = worse_exit_code(results.exit_code, kExitInput);
        }
    }
}

}  // namespace lockkeeper
