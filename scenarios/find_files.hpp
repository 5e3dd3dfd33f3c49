// SPDX-License-Identifier: Apache-2.0

// The scenario and trace files that names on a command line stand for: files, directories, standard
// input. Errors: UsageError, where standard input is named twice; all others stand beside the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockkeeper {

// A file named on the command line or found in a directory; `error`: what is wrong with it.
struct InputFile {
    std::string path;
    std::string error;
    // A code host shows this in place of `path`, where `path` is the name of something built in.
    std::string stands_for = {};
};

enum class FileKind : std::uint8_t { kScenarios, kEachCase, kTraces };

// "-" is standard input, which is read once. Directories are searched through, in the order of the
// paths; `schema` directories are left out. kScenarios: *.json but not *.trace.json, each case of a
// file by its name (scenarios/cases.hpp); kTraces: *.trace.json. A file that is named is taken as
// it is; kEachCase: all of its cases. A directory without any is an entry with an error.
[[nodiscard]] std::vector<InputFile> find_files(const std::vector<std::string>& named,
                                                FileKind kind);

}  // namespace lockkeeper
