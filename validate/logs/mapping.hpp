// SPDX-License-Identifier: Apache-2.0

// How the lines of a log are read: its format, which field is what, and what its words mean. A
// mapping is a JSON file of a few lines (`--map FILE`); what it does not say has a default.
//
//   {"format": "json", "time": "ts", "caller": "worker", "operation": "msg", "key": "lock",
//    "words": {"got it": "acquire ok", "someone else has it": "acquire refused"},
//    "callers": {"10.0.0.7:41": "w1"}}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/logs/observation.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

enum class Format : std::uint8_t {
    kByFirstLine,
    kPlain,
    kJson,
    kLogfmt,
    kKlog,
    kRedis,
    kPostgres,
    kLeases,
    kSpans,
    kPattern,
    kHistory
};
inline constexpr const char* kFormatNames[] = {"auto",  "plain", "json",   "logfmt",
                                               "klog",  "redis", "csvlog", "leases",
                                               "spans", "regex", "history"};

// A phrase of a log means this; nothing: the line is not about the lock.
struct Meaning {
    Seen seen = Seen::kCall;
    LockCode code = LockCode::kAcquire;
    Outcome outcome = Outcome::kOk;
};
struct Phrase {
    std::string words;  // of a mapping: somewhere in the line; built in: the line begins with them
    std::optional<Meaning> meaning;
};

struct Mapping {
    Format format = Format::kByFirstLine;
    std::string
        pattern;  // regular expression with named groups: time, caller, operation, key, token
    // Names of fields; the first that a line has.
    std::vector<std::string> time{"time", "ts", "timestamp", "@timestamp", "t"};
    std::vector<std::string> caller{"caller", "worker", "process", "client", "identity", "owner"};
    std::vector<std::string> operation{"operation", "op", "event", "msg", "message"};
    std::vector<std::string> key{"key", "lock", "resource"};
    std::vector<std::string> token{"token"};
    std::vector<Phrase> phrases;                 // before the built-in ones
    std::map<std::string, std::string> callers;  // other names of callers
    int year = kYearUnknown;                     // of times without one
};

// LogError.
[[nodiscard]] Mapping parse_mapping(const std::string& text, const std::string& file);
[[nodiscard]] Mapping read_mapping(const std::string& file);
[[nodiscard]] std::optional<Format> format_named(const std::string& name);

// The longest phrase of the line, the mapping's before the built-in ones. Null: there is none.
[[nodiscard]] const Phrase* phrase_in(const Mapping& mapping, const std::string& text);

}  // namespace lockkeeper::logs
