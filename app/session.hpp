// What every verb has at hand while a command runs, and the loop over files that all verbs share:
// a bad file gives one line on stderr, and the other files go on.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "reports/run_report.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

struct Session {
    const Registry& registry;
    const Options& options;
    std::ostream& out;
    std::ostream& err;
    bool err_is_terminal = false;

    [[nodiscard]] bool prints_text() const { return options.format == Format::kText; }
    // One line on stderr.
    void complain(const std::string& line) const;
};

// A file named on the command line or found in a directory; `error`: what is wrong with it.
struct InputFile {
    std::string path;
    std::string error;
};

enum class FileKind : std::uint8_t { kScenarios, kEachCase, kTraces };

// "-" is standard input, which is read once. Directories are searched through, in the order of the
// paths; `schema` directories are left out. kScenarios: *.json but not *.trace.json, each case of a
// file by its name (scenarios/cases.hpp); kTraces: *.trace.json. A file that is named is taken as
// it is; kEachCase: all of its cases. A directory without any is an entry with an error.
[[nodiscard]] std::vector<InputFile> find_files(const std::vector<std::string>& named,
                                                FileKind kind);

// Runs each file, ends early only when interrupted. Errors become verdicts.
[[nodiscard]] std::vector<RunReport> for_each_file(
    const Session& session, const std::vector<InputFile>& files,
    const std::function<RunReport(const std::string& file)>& run);

// The worst exit code of all.
[[nodiscard]] int exit_code_of(const std::vector<RunReport>& reports);

}  // namespace lockkeeper
