// SPDX-License-Identifier: Apache-2.0

// Recorded histories: what callers of somebody's lock saw, with Jepsen's fields and meaning.
//
// Call `read_history` for a file that somebody recorded, and `write_history` for the records of
// this project itself (outside programs, databases, runs of the simulator). `check_history`
// (validate/histories/check_history.hpp) judges a RecordedHistory by a model.
// docs/reference/history_format.md describes the format, the models and what is missed.
//
// The order of the records is the order in which things were seen: an operation that returned
// before another was invoked came first. `order_records` (validate/histories/order_records.hpp)
// brings the records of a file into that order. Times also matter to leases and to "for at most t".
// Bounds: kHistoryBytesMax, kRecordsMax, kRecordBytesMax. Errors are values, one line each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/history.hpp"
#include "model/text_place.hpp"
#include "validate/histories/datum.hpp"
#include "validate/histories/record_time.hpp"

namespace lockkeeper {

inline constexpr std::size_t kHistoryBytesMax = std::size_t{256} << 20U;
// For a line, all its bytes. In an array and in EDN, the bytes of names and texts plus one for each
// value, which is never more than the record's own bytes.
inline constexpr std::size_t kRecordBytesMax = std::size_t{64} << 10U;
inline constexpr std::size_t kRecordsMax = 2'000'000;

struct Record {
    HistoryType type = HistoryType::kInvoke;
    std::string process;               // "3"; a name is as good as a number
    std::string f;                     // "acquire"
    std::string key;                   // of the lock; empty: there is only one
    Datum value;                       // without the key
    std::string error;                 // fail, info: why
    std::optional<std::int64_t> time;  // ticks, the same everywhere; Jepsen's are nanoseconds
    TimeForm time_form = {};           // how it was written
    std::optional<std::int64_t> index;
    // Where it begins in the file, from 1; 0: not from a file.
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    DatumPlace f_place;

    friend bool operator==(const Record&, const Record&) = default;
};

// When a record was made, as exactly as is known.
struct TimeRange {
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
};

enum class RecordOrder : std::uint8_t { kFile, kIndex, kTime };

struct RecordedHistory {
    std::string file;  // for messages
    std::vector<Record> records;
    // Records of a Jepsen test's nemesis, which `records` leaves out.
    std::size_t nemesis_records = 0;
    // Some line has more than one record, so that a line alone names none.
    bool shares_lines = false;
    // Each line is a whole operation, with the times of its call and its return; order_records
    // sorts them.
    bool has_whole_operations = false;

    std::int64_t units_per_second = 0;  // of times that are numbers; 0: nobody has said
    TimeScale times = {};               // what the ticks of the times are

    // Set by order_records:
    RecordOrder order = RecordOrder::kFile;
    std::vector<TimeRange> instants = {};  // by record; empty: there are none, or each is its time
    // The records in the order in which their processes made them; empty: as they stand.
    std::vector<std::uint32_t> as_written = {};
    std::size_t concurrent_records = 0;  // neither file nor time says what came first
    std::int64_t clock_tolerance = 0;
    std::string time_problem =
        {};  // why the times are of no use; empty: they are, or there are none

    // "line 4", "line 1, column 80", or "record 3" where the history is not from a file.
    [[nodiscard]] std::string place_of(std::size_t position) const;
    // The time of a record that has one, as it was written.
    [[nodiscard]] std::string time_of(std::size_t position) const {
        return times.text_of(*records[position].time, records[position].time_form);
    }
};

struct HistoryError {
    std::string file;
    TextPlace place{0, 0};  // 0: the file as a whole
    std::string message;
    // A word that nobody knows, and those that could have stood there: for "did you mean".
    std::string unknown_word = {};
    std::vector<std::string> known_words = {};

    // file:line:column: message
    [[nodiscard]] std::string to_text() const;
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
