// SPDX-License-Identifier: Apache-2.0

// The lines of logs, as they speak about a lock. Readers (read_log.hpp) make observations of lines;
// problem.hpp makes numbers of them for the search.
//
// Times are nanoseconds. An observation was made at some time of its window: a time that was
// written with three digits is a window of a millisecond, which the clock's error widens. The
// observations of a source stand in the order in which they were made.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/text_place.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/histories/lock_operation.hpp"

namespace lockkeeper::logs {

enum class Seen : std::uint8_t {
    kCall,    // a caller begins an operation
    kServed,  // the lock carries it out; the outcome is not said: Redis MONITOR
    kAnswer,  // the caller has its answer
    kState,   // who holds the lock now
    kEffect,  // a caller does what only a holder may do
};

enum class Outcome : std::uint8_t {
    kOk,
    kRefused,  // the lock said no: another holds it, or it is not the caller's
    kFailed,   // it did not happen, and nobody says why
    kUnknown,  // it may have happened, or happen later: a time-out
};

struct Observation {
    Seen seen = Seen::kCall;
    LockCode code = LockCode::kAcquire;  // acquire, release or renew
    Outcome outcome = Outcome::kOk;      // kAnswer
    bool can_be_renewal = false;  // an acquire that is a renewal, should its caller lead by then
    bool is_write = false;        // kState: `caller` has just acquired or renewed
    bool is_of_answer = false;    // kCall: the line of its answer says it
    std::string caller;           // kState: who holds; empty: nobody
    std::string key;              // of the lock; empty: there is only one
    std::string full_key;         // with its namespace or database; empty: the line says none
    std::string holder;           // whom a refusal names
    std::string token;            // names the grant: what a client puts into Redis
    std::optional<std::int64_t> count;  // kState: units held
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
    bool is_local = false;   // the time is written without its zone, and was read as UTC
    bool has_day = true;     // false: a time of a day
    std::uint32_t line = 0;  // of the file, from 1
    std::string text;        // the line, shortened
};

struct Source {
    std::string name;  // "monitor", "w1", or the file
    std::string file;
    std::vector<Observation> observations;
    bool has_clock_of_file = false;  // as all sources of the file
    bool ends_unsaid = false;        // it never says that a session has ended
    // A line of the file does not say of which lock it is: of any whose full key ends so.
    std::set<std::string> lacks_keys = {};
    bool gives_back_own = false;  // nobody gives back what another has taken
};

// A line that says nothing about the lock.
struct OtherLine {
    std::string file;
    std::uint32_t line = 0;
    std::string text;
};

inline constexpr std::size_t kOtherLinesShownMax = 10;

struct Logs {
    std::vector<Source> sources;
    bool has_history = false;  // of which nothing but its order is taken
    std::size_t lines = 0;
    std::size_t other_lines = 0;
    std::vector<std::string> remarks;  // what a person should know
    std::vector<OtherLine> others;     // the first kOtherLinesShownMax of them
};

// A log, a mapping or a model that is refused. `line` 0: the file as a whole.
class LogError : public BadInput {
  public:
    LogError(const std::string& file, std::size_t line, const std::string& message)
        : BadInput(
              InputError{file + (line > 0 ? ":" + std::to_string(line) : ""), "", message, {}}) {}
};

[[nodiscard]] constexpr const char* name_of(Seen seen) {
    constexpr const char* kNames[] = {"call", "server's line", "answer", "state", "effect"};
    return kNames[static_cast<std::size_t>(seen)];
}

[[nodiscard]] constexpr const char* name_of(Outcome outcome) {
    constexpr const char* kNames[] = {"ok", "refused", "failed", "unknown"};
    return kNames[static_cast<std::size_t>(outcome)];
}

}  // namespace lockkeeper::logs
