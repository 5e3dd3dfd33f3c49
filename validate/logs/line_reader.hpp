// SPDX-License-Identifier: Apache-2.0

// One line of a log made into an observation. One class for each format, made by
// make_line_reader; read_log.hpp calls them line by line. A reader may remember earlier lines of
// its file (who holds the lease, which client's script runs).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "validate/logs/mapping.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

struct ReadLine {
    Observation seen;
    std::string source;  // empty: the file
    TimeForm form;
    std::optional<LogTime> begin;  // of an answer whose line says when it was called
};

class LineReader {
  public:
    explicit LineReader(const Mapping& mapping) : mapping_(mapping) {}
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;
    virtual ~LineReader() = default;

    // Nothing: the line is not about the lock, or is not of this format.
    [[nodiscard]] virtual std::optional<ReadLine> read(const std::string& line) = 0;
    // "a time, a name and what happened: 12.001 w1 acquired t1"
    [[nodiscard]] virtual const char* expects() const = 0;
    // Lines come in any order, and their times are exact.
    [[nodiscard]] virtual bool is_by_time() const { return false; }
    // A remark of the file as a whole about its callers; empty: nothing.
    [[nodiscard]] virtual std::string remark() const { return ""; }

  protected:
    // Says what a caller's words mean, beside `seen.caller`; false: nothing about the lock.
    [[nodiscard]] bool understand(const std::string& words, Observation& seen);
    [[nodiscard]] const Mapping& mapping() const { return mapping_; }

  private:
    const Mapping& mapping_;
    std::set<std::string> have_acquired_;  // callers, in this file
};

// `name`: of the file's caller, for formats whose lines name none (klog, patterns).
[[nodiscard]] std::unique_ptr<LineReader> make_line_reader(Format format, const Mapping& mapping,
                                                           const std::string& name);
// By its first line.
[[nodiscard]] Format format_of(const std::string& line);

// A command that a Redis server has carried out, with its arguments. False: it is not about a lock.
class RedisCommands {
  public:
    [[nodiscard]] bool read(const std::string& client, const std::vector<std::string>& words,
                            Observation& seen);

  private:
    std::set<std::string> locks_;  // keys that somebody has set with NX
    std::string script_client_;    // who has called the last script
};

}  // namespace lockkeeper::logs
