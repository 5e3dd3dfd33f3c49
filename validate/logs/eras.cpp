// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/eras.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {
namespace {

using Days = std::chrono::sys_days;
using InNanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

constexpr std::int64_t kHour = 3'600'000'000'000;
constexpr std::int64_t kDay = 24 * kHour;
enum class Era : std::uint8_t { kStopwatch, kDayOnly, kNoYear, kDated };

struct FileTimes {
    std::int64_t earliest = INT64_MAX;
    std::int64_t latest = INT64_MIN;
    bool is_local = false;
    bool has_day = false;

    [[nodiscard]] Era era() const {
        const std::int64_t unknown = begin_of_year(kYearUnknown);
        if (earliest < begin_of_year(kYearOfDates)) {
            return Era::kStopwatch;
        }
        // A year later where a log without one goes on behind New Year.
        if (earliest < unknown || earliest >= begin_of_year(kYearUnknown + 2)) {
            return Era::kDated;
        }
        return has_day ? Era::kNoYear : Era::kDayOnly;
    }
    // Midnight, or New Year, is among its lines.
    [[nodiscard]] bool goes_round(std::int64_t round) const {
        return (earliest - begin_of_year(kYearUnknown)) / round !=
               (latest - begin_of_year(kYearUnknown)) / round;
    }
};

std::int64_t begin_of_day(Days day) { return InNanoseconds(day).time_since_epoch().count(); }

Days day_of(std::int64_t time) {
    return std::chrono::floor<std::chrono::days>(InNanoseconds(std::chrono::nanoseconds(time)));
}

int year_of(std::int64_t time) {
    return static_cast<int>(std::chrono::year_month_day(day_of(time)).year());
}

// The same day of the year, and time of the day, in the year in which it is nearest to `near`.
std::int64_t in_year_near(std::int64_t time, std::int64_t near) {
    const Days day = day_of(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::year_month_day around(day_of(near));
    std::optional<std::int64_t> best;
    for (const int later : {0, -1, 1}) {
        const auto there = (around.year() + std::chrono::years(later)) / date.month() / date.day();
        if (!there.ok()) {
            continue;  // 29 February
        }
        const std::int64_t moved = begin_of_day(there) + time - begin_of_day(day);
        if (!best || std::abs(moved - near) < std::abs(*best - near)) {
            best = moved;
        }
    }
    return best.value_or(time);
}

// The time between the lines of both, if those of `times` moved by so much.
std::int64_t apart(const FileTimes& times, const FileTimes& dated, std::int64_t by) {
    return std::max(
        {std::int64_t{0}, times.earliest + by - dated.latest, dated.earliest - times.latest - by});
}

// By how much all lines of a log of one day move, so that it is nearest to `dated`.
std::int64_t to_day_of(const FileTimes& times, const FileTimes& dated) {
    const std::int64_t same = dated.earliest / kDay * kDay - times.earliest / kDay * kDay;
    std::int64_t best = same;
    for (const std::int64_t by : {same - kDay, same + kDay}) {
        best = apart(times, dated, by) < apart(times, dated, best) ? by : best;
    }
    return best;
}

using FilesTimes = std::map<std::string, FileTimes>;

// A file far from both has its lines between theirs: it was a long day, and no midnight.
bool is_long_round(const FileTimes& times, const FileTimes& known, const FilesTimes& files,
                   std::int64_t round) {
    return std::any_of(files.begin(), files.end(), [&](const auto& file) {
        const FileTimes& other = file.second;
        return other.era() == known.era() && apart(other, known, 0) > round / 4 &&
               apart(other, times, 0) > round / 4;
    });
}

// Neither file says of which day, or year, its times are: they are of one, but where midnight, or
// New Year, is between them. By how much `file` moves. LogError: nobody can say.
std::int64_t round_between(const std::string& file, const std::string& known_file,
                           const FilesTimes& files) {
    constexpr std::int64_t kSurelyNext = 60'000'000'000;
    const FileTimes& times = files.at(file);
    const FileTimes& known = files.at(known_file);
    const bool is_day = known.era() == Era::kDayOnly;
    const std::int64_t year = begin_of_year(kYearUnknown + 1) - begin_of_year(kYearUnknown);
    const std::int64_t round = is_day ? kDay : year;
    for (const std::int64_t by : {-round, round}) {
        const std::int64_t next = apart(times, known, by);
        const std::int64_t same = apart(times, known, 0);
        const bool is_near = next < (is_day ? kHour : kDay) && same > round / 2;
        if ((next == 0 && same > 0) || (is_near && !is_long_round(times, known, files, round))) {
            const bool goes_round = times.goes_round(round) || known.goes_round(round);
            if (is_day && next > kSurelyNext && !goes_round) {
                throw LogError(file, 0,
                               "nobody can say whether its times are of the same day as those of " +
                                   printable(known_file) +
                                   ", or midnight lies between them: write them with their day");
            }
            return by;
        }
    }
    return 0;
}

void move(Source& source, std::int64_t by) {
    for (Observation& seen : source.observations) {
        seen.earliest += by;
        seen.latest += by;
    }
}

FilesTimes times_of_files(const Logs& logs) {
    FilesTimes files;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            FileTimes& times = files[source.file];
            times.earliest = std::min(times.earliest, seen.earliest);
            times.latest = std::max(times.latest, seen.earliest);
            times.is_local = times.is_local || seen.is_local;
            times.has_day = times.has_day || seen.has_day;
        }
    }
    return files;
}

// Both have lines within so much of each other, if the clock of `left` were ahead by `by`.
bool meet(const FileTimes& left, const FileTimes& right, std::int64_t by, std::int64_t near) {
    return left.earliest - by <= right.latest + near && right.earliest <= left.latest - by + near;
}

// The offset of a zone, up to 14 hours, by which alone the two meet. 0: none.
std::int64_t zone_between(const FileTimes& local, const FileTimes& other) {
    constexpr std::int64_t kHalfHour = 1'800'000'000'000;
    constexpr std::int64_t kHalfHoursMax = 28;
    constexpr std::int64_t kNear = 2'000'000'000;
    for (std::int64_t count = 1; count <= kHalfHoursMax; ++count) {
        for (const std::int64_t by : {count * kHalfHour, -count * kHalfHour}) {
            if (meet(local, other, by, kNear)) {
                return by;
            }
        }
    }
    return 0;
}

// Most lines are before the one above them.
bool goes_back(const std::vector<std::pair<std::string, Observation>>& read) {
    std::int64_t back = 0;
    for (std::size_t i = 1; i < read.size(); ++i) {
        const std::int64_t by = read[i].second.earliest - read[i - 1].second.earliest;
        back += std::abs(by) > kDay / 2 || by == 0 ? 0 : by < 0 ? 1 : -1;
    }
    return back > 0;
}

}  // namespace

std::int64_t on_day_near(std::int64_t time, std::int64_t near) {
    const std::int64_t moved = near / kDay * kDay + time % kDay;
    return moved - near > kDay / 2 ? moved - kDay : near - moved > kDay / 2 ? moved + kDay : moved;
}

bool go_past_midnight(std::vector<std::pair<std::string, Observation>>& read) {
    constexpr std::int64_t kMinute = 60'000'000'000;
    const bool is_newest_first = goes_back(read);
    std::optional<std::int64_t> last;
    std::int64_t last_own = 0;  // as it is written
    std::int64_t lift = 0;      // of a log that is newest first
    bool has_passed = false;
    for (auto& [source, seen] : read) {
        if (seen.has_day) {
            continue;
        }
        const std::int64_t first_day = seen.earliest / kDay * kDay;
        const std::int64_t on_day_of_last = last ? *last / kDay * kDay + seen.earliest % kDay : 0;
        std::int64_t moved = last ? on_day_of_last : seen.earliest;
        if (last && *last - moved > kDay / 2) {
            moved += kDay;
        } else if (last) {  // lines of several, a little mixed; a long pause is none
            const std::int64_t mixed = is_newest_first     ? kHour
                                       : *last != last_own ? 5 * kMinute
                                                           : kMinute;
            moved -= moved - *last > kDay - mixed ? kDay : 0;
        }
        last = moved;
        last_own = seen.earliest;
        lift = std::max(lift, first_day - moved / kDay * kDay);
        has_passed = has_passed || moved != seen.earliest;
        seen.latest += moved - seen.earliest;
        seen.earliest = moved;
    }
    for (auto& [source, seen] : read) {
        seen.earliest += seen.has_day ? 0 : lift;
        seen.latest += seen.has_day ? 0 : lift;
    }
    return has_passed;
}

// Read as UTC, a holder's lines could all be hours behind those of another.
void doubt_zones(Logs& logs) {
    const FilesTimes files = times_of_files(logs);
    for (const auto& [file, times] : files) {
        bool has_zoned = false;
        bool meets_any = false;
        std::int64_t zone = 0;
        std::string near;
        for (const auto& [other, other_times] : files) {
            if (!times.is_local || other_times.is_local) {
                continue;
            }
            has_zoned = true;
            constexpr std::int64_t kMinutes = 300'000'000'000;
            meets_any = meets_any || meet(times, other_times, 0, kMinutes);
            const std::int64_t by = zone_between(times, other_times);
            near = zone == 0 && by != 0 ? other : near;
            zone = zone == 0 ? by : zone;
        }
        if (has_zoned && !meets_any && zone != 0) {
            throw LogError(file, 0,
                           "its times have no zone; read as UTC all are hours from those of " +
                               printable(near) + ", which have one: write it, for example +01:00");
        }
        if (has_zoned) {
            logs.remarks.push_back(printable(file) + ": its times have no zone: read as UTC");
        }
    }
}

void put_in_one_era(Logs& logs) {
    const FilesTimes files = times_of_files(logs);
    Era best = Era::kStopwatch;
    std::string known;  // a file with the most that is written
    std::string first;  // whose times are the first that others move to
    FileTimes dated;
    for (const auto& [file, times] : files) {
        if (known.empty() || times.era() > best) {
            best = times.era();
            known = file;
        }
    }
    for (const auto& [file, times] : files) {
        const bool is_one = best == Era::kDayOnly || best == Era::kNoYear;
        if (times.era() == best && (!is_one || file == known)) {
            first = times.earliest < dated.earliest ? file : first;
            dated.earliest = std::min(dated.earliest, times.earliest);
            dated.latest = std::max(dated.latest, times.latest);
        }
    }
    std::map<std::string, std::string> remarks;  // by file
    // By how many days or years a file is put before or behind the first one.
    const auto remark = [&](const std::string& file, std::string_view round, std::int64_t by) {
        if (by != 0) {
            remarks[file] = fmt::format("its times have no {0}: read as of a {0} {1} that of {2}",
                                        round, by > 0 ? "after" : "before", printable(first));
        }
    };
    for (Source& source : logs.sources) {
        const auto times = files.find(source.file);
        const Era era = times == files.end() ? best : times->second.era();
        if (era == best) {
            const bool can_move = best != Era::kStopwatch && best != Era::kDated;
            const std::int64_t by =
                can_move && times != files.end() ? round_between(source.file, known, files) : 0;
            move(source, by);
            remark(source.file, best == Era::kDayOnly ? "day" : "year", by);
            continue;
        }
        const bool is_new_year = best != Era::kDated && era == Era::kDayOnly &&
                                 dated.earliest < begin_of_year(kYearUnknown) + kDay;
        if (is_new_year) {
            continue;  // both without a year, and the first of January is among their days
        }
        const bool is_one_day = dated.latest - dated.earliest < kDay / 2;
        if (era == Era::kStopwatch || (era == Era::kDayOnly && !is_one_day)) {
            throw LogError(source.file, 0,
                           "its times do not say of which " +
                               std::string(era == Era::kStopwatch ? "day and year" : "day") +
                               " they are, and those of " + printable(known) +
                               " do: explain the logs alone, or write its times in full");
        }
        if (era == Era::kDayOnly) {
            const std::int64_t by = to_day_of(times->second, dated);
            move(source, by);
            remark(source.file, "day",
                   (times->second.earliest + by) / kDay - dated.earliest / kDay);
            continue;
        }
        for (Observation& seen : source.observations) {
            const std::int64_t moved = in_year_near(seen.earliest, dated.earliest);
            seen.latest += moved - seen.earliest;
            seen.earliest = moved;
            remark(source.file, "year", year_of(moved) - year_of(dated.earliest));
        }
    }
    for (const auto& [file, text] : remarks) {
        logs.remarks.push_back(printable(file) + ": " + text);
    }
}

}  // namespace lockkeeper::logs
