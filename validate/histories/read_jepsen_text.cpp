// SPDX-License-Identifier: Apache-2.0

// Jepsen's history.txt, which it writes beside history.edn: one record a line, in columns with a
// tab between them. No times, no index: the file is in order.
//
//   process  :type  :f  value  [error]
#include <array>

#include "validate/histories/record_from.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kColumns = 4;  // and perhaps an error, which may have tabs of its own
constexpr std::array<const char*, kColumns + 1> kNames{"process", "type", "f", "value", "error"};

struct Column {
    std::string_view text;
    std::size_t begin;  // column of the line, from 1
};

// The columns that the line has, at most kColumns and an error, which takes the rest of the line.
std::vector<Column> columns_of(std::string_view line) {
    std::vector<Column> columns;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t tab = columns.size() == kColumns
                                    ? line.size()
                                    : std::min(line.find('\t', begin), line.size());
        columns.push_back({line.substr(begin, tab - begin), begin + 1});
        begin = tab + 1;
    }
    return columns;
}

Datum record_of(std::string_view line, std::size_t number) {
    const std::vector<Column> columns = columns_of(line);
    if (columns.size() < kColumns) {
        throw DatumProblem{"expected process, type, f and value with tabs between them"};
    }
    Datum map;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const TextPlace begin{number, columns[i].begin};
        // An error is a text for people, and printed as it comes.
        Datum value = i == kColumns ? Datum::of(std::string(columns[i].text))
                                    : read_edn_value(columns[i].text, begin);
        value.place = {static_cast<std::uint32_t>(begin.line),
                       static_cast<std::uint32_t>(begin.column)};
        map.set(kNames[i], std::move(value));
    }
    return map;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_suffix(!line.empty() && line.back() == '\r' ? 1 : 0);
    return line;
}

}  // namespace

bool looks_like_jepsen_text(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
    const std::vector<Column> columns = columns_of(take_line(text));
    return columns.size() >= kColumns && columns[1].text.starts_with(':') &&
           columns[2].text.starts_with(':');
}

ReadHistory parse_jepsen_text(std::string_view text, const std::string& file) {
    RecordedHistory history;
    history.file = file;
    RecordSink sink(history);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = take_line(text);
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue;
        }
        const TextPlace place{number, 1};
        if (line.size() > kRecordBytesMax) {
            return HistoryError{file, place,
                                "longer than " + std::to_string(kRecordBytesMax) + " bytes"};
        }
        try {
            sink.add(record_of(line, number), place);
        } catch (const DatumProblem& problem) {
            return refused_record(file, place, problem);
        }
    }
    return history;
}

}  // namespace lockkeeper
