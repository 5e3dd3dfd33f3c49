// SPDX-License-Identifier: Apache-2.0

// Log files made into sources of observations. Called by the command, and by tests for texts.
//
// A file is one source, in its order; where its times fall it was put together from several, and is
// one source for each caller. A file whose times only fall is newest first, and is turned round. In
// the plain form each line names its source. Names of one caller that share a token are one caller.
// Bounds: kLogBytesMax, kLogLineBytesMax, no NUL bytes. Errors are LogErrors, which name the line.
#pragma once

#include <string>
#include <vector>

#include "validate/logs/mapping.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

inline constexpr std::size_t kLogBytesMax = std::size_t{256} << 20U;
inline constexpr std::size_t kLogLineBytesMax = std::size_t{64} << 10U;

struct LogFile {
    std::string path;  // "-": standard input
    Format format = Format::kByFirstLine;
};
// "workers.log=json": the format stands behind the last "=". UsageError: there is no such format.
[[nodiscard]] LogFile log_file_of(const std::string& argument);

struct ReadLogs {
    Logs logs;
    TimeForm form;  // of the first time
};

class LogsReader {
  public:
    explicit LogsReader(const Mapping& mapping) : mapping_(mapping) {}

    void read(const LogFile& file);
    void read_text(const std::string& text, const std::string& name, Format format);
    // Call it once, after the last file.
    [[nodiscard]] ReadLogs end();

  private:
    void read_history(const std::string& text, const std::string& name);
    void add(const std::string& file, std::vector<std::pair<std::string, Observation>>&& read);
    void add_source(const std::string& name, const std::string& file,
                    std::vector<Observation> observations);
    void join_names();

    const Mapping& mapping_;
    ReadLogs read_;
    bool has_form_ = false;
};

}  // namespace lockkeeper::logs
