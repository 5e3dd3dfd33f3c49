// From a parsed map to a record; the same for JSON and EDN. Used by the two readers only.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "histories/recorded.hpp"

namespace lockkeeper {

// What the readers fill. `add` gives what is wrong with the map, or nothing.
class RecordSink {
  public:
    explicit RecordSink(RecordedHistory& history) : history_(history) {}
    [[nodiscard]] std::string add(const Datum& map, std::size_t line);

  private:
    RecordedHistory& history_;
};

// The rest of parse_history, by format.
[[nodiscard]] ReadHistory parse_json_history(std::string_view text, const std::string& file);
[[nodiscard]] ReadHistory parse_edn_history(std::string_view text, const std::string& file);

}  // namespace lockkeeper
