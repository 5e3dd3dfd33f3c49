// SPDX-License-Identifier: Apache-2.0

// One line of a log made into an observation. One class for each format, made by
// make_line_reader; read_log.hpp calls them line by line. A reader may remember earlier lines of
// its file (who holds the lease, which client's script runs).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/logs/mapping.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

struct ReadLine {
    Observation seen;
    std::string source;  // empty: the file
    TimeForm form;
    std::optional<LogTime> begin;  // of an answer whose line says when it was called
    std::vector<ReadLine> more;    // the same line says this, too
};

// By key and full key: why no model explains it.
using UnreadKeys = std::map<std::pair<std::string, std::string>, std::string>;

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
    // One clock wrote the times of all its sources.
    [[nodiscard]] virtual bool has_one_clock() const { return false; }
    // A text begins or ends in this line, and until it ends lines belong to one record, unless
    // another one begins.
    [[nodiscard]] virtual bool opens(std::string_view /*line*/) const { return false; }
    [[nodiscard]] virtual bool begins(std::string_view /*line*/) const { return true; }
    // A remark of the file as a whole; empty: nothing.
    [[nodiscard]] virtual std::string remark() const { return ""; }
    // Times are written in this zone, and nobody knows its offset; empty: all are known.
    [[nodiscard]] virtual std::string unknown_zone() const { return ""; }
    // Locks that are also used in a way that no model explains, and in which.
    [[nodiscard]] virtual UnreadKeys unread_keys() const { return {}; }
    // No line says that a session has ended, and sessions give their locks back at their end.
    [[nodiscard]] virtual bool ends_unsaid() const { return false; }
    // Some line is about a lock that it does not say: it may be any whose full key ends so.
    [[nodiscard]] virtual std::set<std::string> lacks_keys() const { return {}; }
    // Nobody gives back what another has taken.
    [[nodiscard]] virtual bool gives_back_own() const { return false; }

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
    // `database`: its number, where the log says it. `source`: the server, where logs of several
    // sources are one.
    [[nodiscard]] bool read(const std::string& client, const std::vector<std::string>& words,
                            Observation& seen, const std::string& database = "",
                            const std::string& source = "");

  private:
    // Keys that somebody has set with NX, and their databases.
    std::set<std::pair<std::string, std::string>> locks_;
    std::map<std::string, std::string> script_clients_;  // by source, who called a script last
};

}  // namespace lockkeeper::logs
