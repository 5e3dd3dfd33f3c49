// SPDX-License-Identifier: Apache-2.0

// Shared by the readers of line_readers.cpp and field_readers.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "validate/logs/line_reader.hpp"

namespace lockkeeper::logs {

inline constexpr std::size_t kLineWordsMax = 64;

// The first kLineWordsMax.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
// Takes the text up to the next quote, and that quote, from the front; a backslash goes before a
// letter that counts as it is.
[[nodiscard]] std::string take_quoted(std::string_view& text);
[[nodiscard]] ReadLine at(const LogTime& time);
// "holder=b renew=17.900 count=2": who holds, and when he acquired or renewed. False: it is none.
[[nodiscard]] bool read_state(const std::vector<std::string>& words, ReadLine& read);

[[nodiscard]] std::unique_ptr<LineReader> make_json_reader(const Mapping& mapping);
[[nodiscard]] std::unique_ptr<LineReader> make_lease_reader(const Mapping& mapping);
[[nodiscard]] std::unique_ptr<LineReader> make_span_reader(const Mapping& mapping);
[[nodiscard]] std::unique_ptr<LineReader> make_postgres_reader(const Mapping& mapping);
[[nodiscard]] std::unique_ptr<LineReader> make_logfmt_reader(const Mapping& mapping);
[[nodiscard]] std::unique_ptr<LineReader> make_pattern_reader(const Mapping& mapping,
                                                              const std::string& file_name);

}  // namespace lockkeeper::logs
