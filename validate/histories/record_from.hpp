// From a parsed map to a record; the same for JSON and EDN. Used by the two readers only.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// What the readers fill. `add` gives what is wrong with the map, or nothing; `refused` makes an
// error of that, at the value that is wrong, or at `place`.
class RecordSink {
  public:
    explicit RecordSink(RecordedHistory& history) : history_(history) {}
    [[nodiscard]] std::string add(const Datum& map, TextPlace place);
    [[nodiscard]] HistoryError refused(TextPlace place, const std::string& problem) const;

  private:
    RecordedHistory& history_;
    std::size_t last_line_ = 0;
    std::string unknown_type_;
    DatumPlace wrong_;
};

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
[[nodiscard]] ReadHistory parse_edn_history(std::string_view text, const std::string& file);

}  // namespace lockkeeper
