// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

constexpr const char* kExtensions[] = {".log", ".jsonl", ".json", ".ndjson", ".logfmt",
                                       ".txt", ".csv",   ".out",  ".err"};

// "app.log.2": "app.log" and 2. Nothing: rotation makes no such name. A host ("node.1") and a date
// ("app.log.20260301") are no piece.
std::optional<std::pair<std::string, std::uint32_t>> numbered(const std::string& path) {
    constexpr std::size_t kDigitsMax = 3;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot + 1 == path.size() || path[dot + 1] == '0' ||
        path.size() - dot - 1 > kDigitsMax) {
        return std::nullopt;
    }
    std::uint32_t number = 0;
    const char* end = path.data() + path.size();
    const auto read = std::from_chars(path.data() + dot + 1, end, number);
    const std::string log = path.substr(0, dot);
    const bool is_log = std::any_of(std::begin(kExtensions), std::end(kExtensions),
                                    [&](const char* word) { return log.ends_with(word); });
    return is_log && read.ec == std::errc() && read.ptr == end
               ? std::optional(std::pair(log, number))
               : std::nullopt;
}

using Read = std::vector<std::pair<std::string, Observation>>;

// Seconds of a stopwatch, times of a day and dates without a year are none.
bool has_date(const Observation& seen, int year) {
    const bool is_in_year =
        seen.earliest >= begin_of_year(year) && seen.earliest < begin_of_year(year + 1);
    return seen.earliest >= begin_of_year(kYearOfDates) && !is_in_year;
}

// Each answer of a caller that writes its calls, too, follows its call; the first may lack it.
bool is_torn(const Read& read) {
    std::set<std::pair<std::string, LockCode>> written;
    for (const auto& [source, seen] : read) {
        if (seen.seen == Seen::kCall) {
            written.emplace(seen.caller, seen.code);
        }
    }
    std::map<std::string, std::optional<LockCode>> last;  // of each caller that has been seen
    for (const auto& [source, seen] : read) {
        if (seen.seen != Seen::kCall && seen.seen != Seen::kAnswer) {
            continue;
        }
        const auto [open, is_first] = last.try_emplace(seen.caller);
        if (seen.seen == Seen::kCall) {
            if (open->second) {
                return true;
            }
            open->second = seen.code;
            continue;
        }
        if (!is_first && open->second != seen.code && written.contains({seen.caller, seen.code})) {
            return true;
        }
        open->second.reset();
    }
    return false;
}

}  // namespace

bool order_parts(Read& read, int year) {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (!has_date(read[i].second, year)) {
            return false;
        }
        if (i == 0 || read[i - 1].second.earliest > read[i].second.latest) {
            parts.emplace_back(i, i);
        }
        parts.back().second = i;
    }
    std::stable_sort(parts.begin(), parts.end(), [&](const auto& left, const auto& right) {
        return read[left.first].second.earliest < read[right.first].second.earliest;
    });
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (read[parts[i - 1].second].second.latest > read[parts[i].first].second.earliest) {
            return false;
        }
    }
    Read ordered;
    ordered.reserve(read.size());
    for (const auto& [first, last] : parts) {
        for (std::size_t i = first; i <= last; ++i) {
            ordered.push_back(read[i]);
        }
    }
    if (is_torn(ordered)) {
        return false;
    }
    read = std::move(ordered);
    return true;
}

Rotation::Rotation(const std::vector<std::string>& paths) {
    std::map<std::string, std::set<std::uint32_t>> numbers;
    for (const std::string& path : paths) {
        if (const auto piece = numbered(path)) {
            numbers[piece->first].insert(piece->second);
        }
    }
    for (const auto& [log, of_pieces] : numbers) {
        const bool is_newest_there = std::find(paths.begin(), paths.end(), log) != paths.end();
        const std::uint32_t first = is_newest_there ? 1 : *of_pieces.begin();
        if (first == 1 && *of_pieces.rbegin() == of_pieces.size()) {  // and none is missing
            logs_.insert(log);
        }
    }
}

std::pair<std::string, std::uint32_t> Rotation::piece_of(const std::string& path) const {
    const auto piece = numbered(path);
    return piece && logs_.contains(piece->first) ? *piece : std::pair(path, std::uint32_t{0});
}

bool Rotation::is_before(const std::string& older, const std::string& newer) const {
    const auto [log, number] = piece_of(older);
    const auto [other_log, other_number] = piece_of(newer);
    return log == other_log && number > other_number;
}

std::vector<std::string> paths_of(const std::vector<std::string>& logs) {
    std::vector<std::string> paths;
    std::transform(logs.begin(), logs.end(), std::back_inserter(paths),
                   [](const std::string& log) { return log_file_of(log).path; });
    return paths;
}

std::vector<std::string> in_order_of_rotation(std::vector<std::string> logs) {
    std::map<std::string, std::size_t> first;  // of each log its first piece
    const auto path_of = [](const std::string& log) { return log_file_of(log).path; };
    const Rotation rotation(paths_of(logs));
    for (std::size_t i = 0; i < logs.size(); ++i) {
        first.try_emplace(rotation.piece_of(path_of(logs[i])).first, i);
    }
    std::stable_sort(logs.begin(), logs.end(), [&](const std::string& left, const auto& right) {
        const auto [log, number] = rotation.piece_of(path_of(left));
        const auto [other_log, other_number] = rotation.piece_of(path_of(right));
        return std::pair(first.at(log), other_number) < std::pair(first.at(other_log), number);
    });
    return logs;
}

}  // namespace lockkeeper::logs
