// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/written_time.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "validate/histories/datum.hpp"

namespace lockkeeper::logs {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool looks_like_date(std::string_view text) {
    return text.size() > 10 && text[4] == '-' &&
           std::all_of(text.begin(), text.begin() + 4, is_digit);
}

bool is_time_of_day(std::string_view text) {
    return text.size() >= 8 && is_digit(text[0]) && is_digit(text[1]) && text[2] == ':' &&
           text[5] == ':' && is_digit(text.back());
}

// "0516+12:44:24.027"
bool is_without_year(std::string_view text) {
    return text.size() > 12 && std::all_of(text.begin(), text.begin() + 4, is_digit) &&
           !is_digit(text[4]) && text[4] != '-' && is_time_of_day(text.substr(5));
}

LogTime window_of(std::int64_t nanoseconds, std::int64_t resolution, const TimeForm& form) {
    return {nanoseconds, nanoseconds + resolution - 1, form};
}

std::optional<LogTime> read_calendar(std::string text) {
    std::replace(text.begin(), text.end(), ',', '.');  // 12:00:00,123
    const std::size_t zone = text.find_first_of("Z+-", 11);
    if (zone == std::string::npos) {
        text += 'Z';
    } else if (text[zone] != 'Z' && text.size() - zone == 3) {
        text += ":00";  // +02, as PostgreSQL writes it
    }
    const std::size_t point = text.find('.', 11);
    if (point != std::string::npos) {  // no finer than a nanosecond
        std::size_t end = point + 1;
        while (end < text.size() && is_digit(text[end])) {
            ++end;
        }
        if (end - point - 1 > kTimeDigitsMax) {
            text.erase(point + 1 + kTimeDigitsMax, end - point - 1 - kTimeDigitsMax);
        }
    }
    try {
        const WrittenTime written = read_written_time("time", Datum::of(text));
        LogTime time = window_of(
            written.time, power_of_ten(kTimeDigitsMax - written.form.digits_written), written.form);
        time.is_local = zone == std::string::npos;
        return time;
    } catch (const DatumProblem&) {
        return std::nullopt;
    }
}

// By its size, a whole number since 1970 is in seconds, milli-, micro- or nanoseconds.
std::int64_t unit_of(std::int64_t number) {
    constexpr std::int64_t kMilliseconds = 100'000'000'000;
    return number < kMilliseconds                   ? kNanosecondsPerSecond
           : number < kMilliseconds * 1'000         ? 1'000'000
           : number < kMilliseconds * 1'000 * 1'000 ? 1'000
                                                    : 1;
}

std::optional<LogTime> read_number(std::string_view text) {
    if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) {
        return std::nullopt;
    }
    const auto read = read_decimal(text);
    const auto* decimal = std::get_if<Decimal>(&read);
    if (decimal == nullptr) {
        return std::nullopt;
    }
    const bool is_whole = text.find('.') == std::string_view::npos;
    const std::int64_t unit = is_whole ? unit_of(decimal->number) : kNanosecondsPerSecond;
    const auto time = decimal->in_parts(unit, kTimeMax);
    if (!time) {
        return std::nullopt;
    }
    TimeForm form;
    form.digits = decimal->digits;
    form.digits_written = decimal->digits_written;
    while (power_of_ten(form.digits_written) < kNanosecondsPerSecond / unit) {
        ++form.digits_written;
    }
    const std::int64_t resolution =
        is_whole ? unit : power_of_ten(kTimeDigitsMax - decimal->digits_written);
    return window_of(*time, resolution, form);
}

std::string in_words(std::int64_t nanoseconds, bool up) {
    constexpr std::pair<std::int64_t, const char*> kUnits[] = {
        {kNanosecondsPerSecond, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}};
    for (const auto& [size, name] : kUnits) {
        if (nanoseconds >= size) {
            const std::int64_t finest = std::max<std::int64_t>(1, size / 1'000);
            const std::int64_t told = (nanoseconds + (up ? finest - 1 : 0)) / finest * finest;
            std::string number =
                fmt::format("{:.3f}", static_cast<double>(told) / static_cast<double>(size));
            number.erase(number.find_last_not_of('0') + 1);
            number.erase(number.find_last_not_of('.') + 1);
            return number + " " + name;
        }
    }
    return "0 s";
}

}  // namespace

std::optional<LogTime> read_log_time(std::string_view text, int year) {
    constexpr std::size_t kTimeBytesMax = 64;
    if (text.size() > kTimeBytesMax) {
        return std::nullopt;
    }
    if (is_time_of_day(text)) {
        std::optional<LogTime> time = read_calendar(fmt::format("{:04}-01-01T{}", year, text));
        if (time) {
            time->has_day = false;
        }
        return time;
    }
    if (is_without_year(text)) {
        return read_klog_time(text, year);
    }
    return looks_like_date(text) ? read_calendar(std::string(text)) : read_number(text);
}

std::optional<LogTime> read_klog_time(std::string_view text, int year) {
    if (text.size() < 13 || !std::all_of(text.begin(), text.begin() + 4, is_digit)) {
        return std::nullopt;
    }
    return read_calendar(
        fmt::format("{:04}-{}-{}T{}", year, text.substr(0, 2), text.substr(2, 2), text.substr(5)));
}

std::string time_text(std::int64_t nanoseconds, const TimeForm& form, bool up) {
    TimeScale scale;
    scale.digits = kTimeDigitsMax;
    const std::int64_t unit = power_of_ten(kTimeDigitsMax - form.digits_written);
    const std::int64_t down = nanoseconds / unit * unit - (nanoseconds % unit < 0 ? unit : 0);
    const std::int64_t shown = up && down != nanoseconds ? down + unit : down;
    TimeForm written = form;
    written.digits = 0;
    return scale.text_of(shown, written);
}

std::int64_t begin_of_year(int year) {
    const std::chrono::sys_days first = std::chrono::year(year) / std::chrono::January / 1;
    return std::chrono::nanoseconds(first.time_since_epoch()).count();
}

std::string duration_words(std::int64_t nanoseconds) { return in_words(nanoseconds, false); }

std::string enough_words(std::int64_t nanoseconds) { return in_words(nanoseconds, true); }

}  // namespace lockkeeper::logs
