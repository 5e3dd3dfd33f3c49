// SPDX-License-Identifier: Apache-2.0

// The report in files beside stdout (--report, --csv): claimed before the work begins, so that
// nothing is lost for a name that cannot be written. Errors: OutputError.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/writer.hpp"
#include "work/results/text_output.hpp"

namespace lockkeeper {

class ReportFiles {
  public:
    // `standard` is stdout and must outlive this. Claims files by their endings, and one as CSV.
    ReportFiles(std::ostream& standard, const std::vector<std::string>& paths,
                const std::optional<std::string>& csv, const OutputRule& rule);

    // `rule`: what may be replaced, but for the format's own mark.
    void claim(const std::string& path, const ReportFormat& format, OutputRule rule);
    // All of them; the results name those that were written. A file that cannot be written is told
    // to `complain`, makes the exit code worse, and the others are written.
    void write(Results& results, const std::function<void(const std::string&)>& complain);

  private:
    struct File {
        const ReportFormat& format;
        TextOutput output;
    };
    std::ostream& standard_;
    std::vector<std::unique_ptr<File>> files_;
};

}  // namespace lockkeeper
