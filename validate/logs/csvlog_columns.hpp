// SPDX-License-Identifier: Apache-2.0

// The columns of PostgreSQL's csvlog, and texts within them. Used by postgres_reader.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper::logs {

inline constexpr std::size_t kTimeColumn = 0;
inline constexpr std::size_t kDatabaseColumn = 2;
inline constexpr std::size_t kProcessColumn = 3;
inline constexpr std::size_t kTransactionColumn = 9;  // "3/12": of the session; "3/0": none
inline constexpr std::size_t kSeverityColumn = 11;
inline constexpr std::size_t kCodeColumn = 12;
inline constexpr std::size_t kMessageColumn = 13;
inline constexpr std::size_t kDetailColumn = 14;
inline constexpr std::size_t kQueryColumn = 19;  // of an error, unless it is not to be logged
inline constexpr std::size_t kNameColumn = 22;   // since PostgreSQL 9.0

inline constexpr std::size_t kTimeBytes = 23;  // "2026-11-29 23:41:51.759", and behind it the zone

[[nodiscard]] inline std::string behind(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    return at == std::string_view::npos ? "" : std::string(text.substr(at + words.size()));
}

[[nodiscard]] inline std::string until(std::string_view text, std::string_view ends) {
    return std::string(text.substr(0, text.find_first_of(ends)));
}

// "statement: SELECT 1", "duration: 0.1 ms  execute <unnamed>: SELECT 1"
[[nodiscard]] inline std::string statement_of(const std::string& message) {
    std::string statement = behind(message, "statement: ");
    return statement.empty() ? behind(behind(message, "execute "), ": ") : statement;
}

[[nodiscard]] inline std::vector<std::string> columns_of(std::string_view line) {
    constexpr std::size_t kColumnsMax = 32;
    std::vector<std::string> columns(1);
    bool is_quoted = false;
    for (const char letter : line) {
        if (letter == '"') {  // a doubled one ends the text and begins it again
            is_quoted = !is_quoted;
        } else if (letter == ',' && !is_quoted && columns.size() < kColumnsMax) {
            columns.emplace_back();
        } else {
            columns.back() += letter;
        }
    }
    return columns;
}

}  // namespace lockkeeper::logs
