// SPDX-License-Identifier: Apache-2.0

// The times of logs: ISO 8601 with or without a zone, seconds with a fraction, whole seconds,
// milliseconds, microseconds or nanoseconds since 1970, month and day without a year (klog), the
// time of a day (logback). Used by the readers.
//
// A time is a window as wide as its last digit: 12.001 is from 12.001 to the last nanosecond before
// 12.002. Without a zone it is UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "validate/histories/record_time.hpp"

namespace lockkeeper::logs {

struct LogTime {
    std::int64_t earliest = 0;  // nanoseconds
    std::int64_t latest = 0;
    TimeForm form;          // how to show one
    bool is_local = false;  // a date or a time of a day without a zone
    bool has_day = true;
};

inline constexpr int kYearUnknown = 2000;
inline constexpr int kYearOfDates = 1973;  // smaller numbers count from somewhere else than 1970
[[nodiscard]] std::int64_t begin_of_year(int year);

// Nothing: it is no time. `year`: of a time without one; a time of a day is on its first day.
[[nodiscard]] std::optional<LogTime> read_log_time(std::string_view text, int year = kYearUnknown);
// "0301 12:00:00.123456", of klog.
[[nodiscard]] std::optional<LogTime> read_klog_time(std::string_view text, int year);

// Written as the log writes its times; `up`: to the next digit.
[[nodiscard]] std::string time_text(std::int64_t nanoseconds, const TimeForm& form, bool up);
// "3.489 s", "12 ms", "250 us": the thousandths below.
[[nodiscard]] std::string duration_words(std::int64_t nanoseconds);
// The thousandths above: a time that is needed is enough as it is told.
[[nodiscard]] std::string enough_words(std::int64_t nanoseconds);

}  // namespace lockkeeper::logs
