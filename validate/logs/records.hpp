// SPDX-License-Identifier: Apache-2.0

// The lines of a log's text, within bounds. Used by read_log.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/read_text.hpp"
#include "validate/logs/line_reader.hpp"
#include "validate/logs/observation.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {

// Calls `use` with each line and its number, from 1. LogError: a line that is too long, a NUL byte.
template <class Use>
void for_each_line(std::string_view text, const std::string& name, const Use& use) {
    std::uint32_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.size() > kLogLineBytesMax) {
            throw LogError(name, number,
                           "a line of " + std::to_string(line.size()) + " bytes; at most " +
                               std::to_string(kLogLineBytesMax >> 10U) + " KiB are read");
        }
        if (line.find('\0') != std::string_view::npos) {
            throw LogError(name, number, kNulComplaint);
        }
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.find_first_not_of(" \t") != std::string_view::npos) {
            use(line, number);
        }
    }
}

// Calls `use` with each record, lines put together where a text goes on in the next one, and the
// number of its first line. `reader_of`: of the record that begins with a line; null: it is none.
template <class ReaderOf, class Use>
void for_each_record(std::string_view text, const std::string& name, const ReaderOf& reader_of,
                     const Use& use) {
    std::string record;
    std::uint32_t first = 0;
    bool is_open = false;
    LineReader* reader = nullptr;
    const auto end = [&] {
        use(record, first);
        record.clear();
        is_open = false;
    };
    for_each_line(text, name, [&](std::string_view line, std::uint32_t number) {
        const bool is_full = record.size() + line.size() >= kLogLineBytesMax;
        if (!record.empty() && (is_full || reader->begins(line))) {
            end();
        }
        if (record.empty()) {
            first = number;
            reader = reader_of(line);
        }
        if (reader != nullptr) {
            record += (record.empty() ? "" : "\n") + std::string(line);
            is_open = is_open != reader->opens(line);
        }
        if (!record.empty() && !is_open) {
            end();
        }
    });
    if (!record.empty()) {
        end();
    }
}

}  // namespace lockkeeper::logs
