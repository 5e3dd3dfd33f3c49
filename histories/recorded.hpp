// Recorded histories: what callers of somebody's lock saw, with Jepsen's fields and meaning.
//
// Who calls what: `read_history` for a file that somebody recorded; `write_history` for what this
// project records itself (outside programs, databases, runs of the simulator); `check_history`
// (histories/check_history.hpp) judges a RecordedHistory by a model. docs/HISTORIES.md describes
// the format, the models and what is missed.
//
// The order of the records is the order in which things were seen: an operation that returned
// before another was invoked came first. Times only matter to leases and to "for at most t".
// Bounds: kHistoryBytesMax, kRecordsMax, kRecordBytesMax. Errors are values, one line each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "histories/datum.hpp"
#include "model/history.hpp"

namespace lockkeeper {

inline constexpr std::size_t kHistoryBytesMax = std::size_t{256} << 20U;
// Of a line. In an array and in EDN: names, texts and one for each value, which is never more than
// their bytes.
inline constexpr std::size_t kRecordBytesMax = std::size_t{64} << 10U;
// The difference of any two fits; nanoseconds since 1970 do until 2116.
inline constexpr std::int64_t kTimeMax = (std::int64_t{1} << 62U) - 1;
inline constexpr std::size_t kRecordsMax = 2'000'000;

struct Record {
    HistoryType type = HistoryType::kInvoke;
    std::string process;               // "3"; a name is as good as a number
    std::string f;                     // "acquire"
    std::string key;                   // of the lock; empty: there is only one
    Datum value;                       // without the key
    std::string error;                 // fail, info: why
    std::optional<std::int64_t> time;  // any unit, the same everywhere; Jepsen's is nanoseconds
    std::optional<std::int64_t> index;
    std::uint32_t line = 0;  // of the file, from 1; 0: not from a file

    friend bool operator==(const Record&, const Record&) = default;
};

struct RecordedHistory {
    std::string file;  // for messages
    std::vector<Record> records;
    // What the nemesis of a Jepsen test did: left out of `records`.
    std::size_t nemesis_records = 0;
};

struct HistoryError {
    std::string file;
    std::size_t line = 0;  // 0: the file as a whole
    std::string message;

    [[nodiscard]] std::string to_text() const {
        return file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + message;
    }
};

using ReadHistory = std::variant<RecordedHistory, HistoryError>;

// JSON Lines, a JSON array, or EDN (maps one after another, or in a vector): by the first
// characters. `file` is only named.
[[nodiscard]] ReadHistory parse_history(std::string_view text, const std::string& file);
[[nodiscard]] ReadHistory read_history(const std::string& file);

// JSON Lines, one record a line, read back equal (apart from `line`). Records without an index get
// their position.
[[nodiscard]] std::string write_history(const RecordedHistory& history);

}  // namespace lockkeeper
