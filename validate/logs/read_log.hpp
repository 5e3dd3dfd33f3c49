// SPDX-License-Identifier: Apache-2.0

// Log files made into sources of observations. Called by the command, and by tests for texts.
//
// A file is one source, in its order; where its times fall it was put together from several, and is
// one source for each caller. A file whose times only fall is newest first, and is turned round. In
// the plain form each line names its source. Names of one caller that share a token are one caller.
// Bounds: kLogBytesMax, kLogLineBytesMax, no NUL bytes. Errors are LogErrors, which name the line.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
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

// Which of these files are pieces of one log that was rotated: "app.log.2" before "app.log.1"
// before "app.log". A name alone says little: NAME ends as logs do, NAME.1 is there, and no number
// up to the largest is missing. All other files are logs of their own.
class Rotation {
  public:
    explicit Rotation(const std::vector<std::string>& paths);
    // The log, and the number of the piece; a log of its own is piece 0.
    [[nodiscard]] std::pair<std::string, std::uint32_t> piece_of(const std::string& path) const;
    [[nodiscard]] bool is_before(const std::string& older, const std::string& newer) const;

  private:
    std::set<std::string> logs_;  // of which pieces are there
};
// FILE or FILE=READER, as the command line has them.
[[nodiscard]] std::vector<std::string> paths_of(const std::vector<std::string>& logs);
// The same logs, each one's pieces together and the oldest first.
[[nodiscard]] std::vector<std::string> in_order_of_rotation(std::vector<std::string> logs);

// Parts of one file in another order than that of their times (`cat app.log app.log.1`): put in
// order where no two of them overlap, every time has a date, and no operation is torn. `year`: of
// times without one, which are never put in order: they may have passed midnight or New Year.
// False: nothing is changed.
[[nodiscard]] bool order_parts(std::vector<std::pair<std::string, Observation>>& read, int year);

struct ReadLine;
class LineReader;

struct ReadLogs {
    Logs logs;
    TimeForm form;  // of the first time
};

class LogsReader {
  public:
    // `paths`: of all files that will be read, which say what is a piece of what.
    explicit LogsReader(const Mapping& mapping, const std::vector<std::string>& paths = {})
        : mapping_(mapping), rotation_(paths) {}

    void read(const LogFile& file);
    void read_text(const std::string& text, const std::string& name, Format format);
    // Call it once, after the last file.
    [[nodiscard]] ReadLogs end();

  private:
    // By the name of its source.
    using Read = std::vector<std::pair<std::string, Observation>>;

    void push(Read& read, const std::string& file, std::uint32_t number, const std::string& text,
              ReadLine&& line);
    void remark(const std::string& file, const std::string& text);  // "": none
    void remark_piece(const std::string& file, const std::string& caller, const Read& read);
    void leave_out(const std::string& name, const LineReader& reader, Read& read);
    void read_history(const std::string& text, const std::string& name);
    void add(const std::string& file, std::vector<std::pair<std::string, Observation>>&& read);
    void add_source(const std::string& name, const std::string& file,
                    std::vector<Observation> observations);
    void join_names();
    void join_keys();

    const Mapping& mapping_;
    Rotation rotation_;
    ReadLogs read_;
    bool has_form_ = false;
    std::map<std::string, std::string> zones_;  // whose offsets nobody knows, by file
};

}  // namespace lockkeeper::logs
