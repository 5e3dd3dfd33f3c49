// SPDX-License-Identifier: Apache-2.0

// A run as a file that the other verbs take: a trace, or a scenario that expects what the run
// shows. Used by the endpoint `save`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "scheduler/base/output_file.hpp"
#include "serve/opened_files.hpp"

namespace lockkeeper {

inline constexpr std::string_view kTraceEnding = ".trace.json";

enum class SavedAs : std::uint8_t { kTrace, kScenario };

struct SavedFile {
    std::string name;  // "leak-3f2a9c01.trace.json"
    std::string text;
};

// Throws DoesNotFit; UsageError: a scenario cannot say it, as with a livelock.
[[nodiscard]] SavedFile saved_file(const OpenedFile& file, const Registry& registry,
                                   const Schedule& schedule, std::size_t cycle_start, SavedAs as);

// Into the directory, under the file's own name or `name`, and nowhere else. Its path. Throws
// OutputError: it is there already, and is no trace; UsageError: no name of a file.
std::string write_saved(const SavedFile& saved, const std::string& directory,
                        const std::string& name, SavedAs as);

}  // namespace lockkeeper
