// SPDX-License-Identifier: Apache-2.0

// From a parsed map to a record; the same for JSON and EDN. Used by the two readers only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// Collects the records that a reader finds. `add` throws DatumProblem.
class RecordSink {
  public:
    explicit RecordSink(RecordedHistory& history) : history_(history) {}
    void add(const Datum& map, TextPlace place);
    // Behind the last record: all times in one unit, the finest that the largest of them allows.
    [[nodiscard]] std::optional<HistoryError> end();

  private:
    void push(Record record);
    void add_whole(const Datum& map, Record record);

    RecordedHistory& history_;
    std::size_t last_line_ = 0;
    std::optional<std::size_t> timed_;    // the first record with a time
    std::optional<std::size_t> finest_;   // with the most digits after the point
    std::optional<std::size_t> largest_;  // farthest from 0; of numbers
    std::uint8_t most_written_ = 0;       // digits after the point
};

// At the value that is wrong, or at `place`.
[[nodiscard]] HistoryError refused_record(const std::string& file, TextPlace place,
                                          const DatumProblem& problem);

// How large a record is that is being built; the text of a record in an array does not stand on a
// line of its own, and five million zeros are small as a text only.
class RecordSize {
  public:
    void begin() { size_ = 0; }
    // A value that is read, with its text. False: too large.
    [[nodiscard]] bool add(std::size_t text_bytes) {
        size_ += 1 + text_bytes;
        return size_ <= kRecordBytesMax;
    }
    [[nodiscard]] static std::string complaint() {
        return "a record larger than " + std::to_string(kRecordBytesMax) + " bytes";
    }

  private:
    std::size_t size_ = 0;
};

// The rest of parse_history, by format.
[[nodiscard]] ReadHistory parse_json_history(std::string_view text, const std::string& file);
[[nodiscard]] ReadHistory parse_jepsen_text(std::string_view text, const std::string& file);
// The first line has the columns of Jepsen's history.txt.
[[nodiscard]] bool looks_like_jepsen_text(std::string_view text);
// One value, in a line of which it is a part; `begin`: where it stands. Throws DatumProblem.
[[nodiscard]] Datum read_edn_value(std::string_view text, TextPlace begin);
[[nodiscard]] ReadHistory parse_edn_history(std::string_view text, const std::string& file);

}  // namespace lockkeeper
