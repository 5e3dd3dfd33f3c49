// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/record_time.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include <fmt/format.h>

namespace lockkeeper {
namespace {

constexpr std::size_t kTimeShownMax = 40;
constexpr int kYearMin = 1970;
constexpr int kYearMax = 2115;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::string_view kDigits = "0123456789";

std::size_t count_of_digits(std::string_view text) {
    return std::min(text.find_first_not_of(kDigits), text.size());
}

// Takes so many digits from the front.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
    if (count_of_digits(text.substr(0, count)) != count || text.size() < count) {
        return std::nullopt;
    }
    int number = 0;
    std::from_chars(text.data(), text.data() + count, number);
    text.remove_prefix(count);
    return number;
}

bool take(std::string_view& text, char letter) {
    const bool is_there = !text.empty() && text.front() == letter;
    text.remove_prefix(is_there ? 1 : 0);
    return is_there;
}

std::string_view without_zeros_behind(std::string_view digits) {
    return digits.substr(0, digits.find_last_not_of('0') + 1);
}

// The digits before and behind the point, once the exponent has moved it.
struct MovedPoint {
    std::string whole;
    std::string fraction;
};

std::optional<MovedPoint> move_point(std::string_view whole, std::string_view fraction,
                                     std::int64_t exponent) {
    constexpr std::int64_t kExponentMax = 30;  // beyond it every number but 0 is refused
    if (exponent > kExponentMax || exponent < -kExponentMax) {
        return std::nullopt;
    }
    MovedPoint moved{std::string(whole), std::string(fraction)};
    for (; exponent > 0; --exponent) {
        moved.whole += moved.fraction.empty() ? '0' : moved.fraction.front();
        moved.fraction.erase(0, moved.fraction.empty() ? 0 : 1);
    }
    for (; exponent < 0; ++exponent) {
        moved.fraction.insert(0, 1, moved.whole.empty() ? '0' : moved.whole.back());
        moved.whole.erase(moved.whole.size() - (moved.whole.empty() ? 0 : 1));
    }
    return moved;
}

std::variant<Decimal, DecimalProblem> decimal_of(const MovedPoint& moved, bool is_negative) {
    const std::string_view needed = without_zeros_behind(moved.fraction);
    if (needed.size() > kTimeDigitsMax) {
        return DecimalProblem::kTooFine;
    }
    std::string digits = (is_negative ? "-0" : "0") + moved.whole;
    digits += needed;
    Decimal decimal;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), decimal.number);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        return DecimalProblem::kTooLarge;
    }
    decimal.digits = static_cast<std::uint8_t>(needed.size());
    decimal.digits_written =
        static_cast<std::uint8_t>(std::min<std::size_t>(moved.fraction.size(), kTimeDigitsMax));
    return decimal;
}

// Thrown: what is wrong with a time whose beginning is that of a date.
struct WrongTime {
    const char* message;
};
constexpr const char* kNoZone = "Z or an offset such as +02:00 is missing";
constexpr const char* kNoTimeOfDay = "there is no such time of day";
constexpr const char* kTooFine = "more than 9 digits after the point";

std::chrono::sys_days take_day(std::string_view& text, std::optional<int> year) {
    const bool has_dash = take(text, '-');
    const auto month = take_number(text, 2);
    const bool has_second_dash = take(text, '-');
    const auto day = take_number(text, 2);
    if (!has_dash || !has_second_dash || !month || !day) {
        throw WrongTime{"a date is written as 2026-03-01"};
    }
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) {
        throw WrongTime{"there is no such day"};
    }
    return date;
}

// Seconds since midnight.
std::int64_t take_clock(std::string_view& text, TimeForm& form) {
    const auto hour = take_number(text, 2);
    const bool has_colon = take(text, ':');
    const auto minute = take_number(text, 2);
    if (!hour || !has_colon || !minute) {
        throw WrongTime{"a time of day is written as 12:00:00"};
    }
    form.has_seconds = take(text, ':');
    const auto second = form.has_seconds ? take_number(text, 2) : std::optional(0);
    if (!second || *hour > 23 || *minute > 59 || *second > 59) {
        throw WrongTime{kNoTimeOfDay};
    }
    return (*hour * 60 + *minute) * 60 + *second;
}

std::int64_t take_nanoseconds(std::string_view& text, TimeForm& form) {
    if (!form.has_seconds || !take(text, '.')) {
        return 0;
    }
    const std::string_view written = text.substr(0, count_of_digits(text));
    const std::string_view needed = without_zeros_behind(written);
    if (written.empty()) {
        throw WrongTime{"no digit stands behind the point"};
    }
    if (needed.size() > kTimeDigitsMax) {
        throw WrongTime{kTooFine};
    }
    text.remove_prefix(written.size());
    form.digits = static_cast<std::uint8_t>(needed.size());
    form.digits_written =
        static_cast<std::uint8_t>(std::min<std::size_t>(written.size(), kTimeDigitsMax));
    std::int64_t number = 0;
    std::from_chars(needed.data(), needed.data() + needed.size(), number);
    return number * power_of_ten(kTimeDigitsMax - form.digits);
}

void take_zone(std::string_view text, TimeForm& form) {
    form.is_zulu = take(text, 'Z');
    if (!form.is_zulu) {
        form.is_zone_negative = take(text, '-');
        if (!form.is_zone_negative && !take(text, '+')) {
            throw WrongTime{kNoZone};
        }
        const auto hours = take_number(text, 2);
        form.has_zone_colon = take(text, ':');
        const auto minutes = take_number(text, 2);
        if (!hours || !minutes || *hours > 23 || *minutes > 59) {
            throw WrongTime{"an offset is written as +02:00"};
        }
        const int all = *hours * 60 + *minutes;
        form.zone_minutes = static_cast<std::int16_t>(form.is_zone_negative ? -all : all);
    }
    if (!text.empty()) {
        throw WrongTime{"something stands behind the time"};
    }
}

bool looks_like_date(std::string_view text) {
    return count_of_digits(text) == 4 && text.size() > 4 && text[4] == '-';
}

WrittenTime read_calendar(std::string_view text) {
    WrittenTime written;
    written.form.is_calendar = true;
    const auto year = take_number(text, 4);
    const std::chrono::sys_days day = take_day(text, year);
    written.form.has_space = take(text, ' ');
    if (!written.form.has_space && !take(text, 'T')) {
        throw WrongTime{"a T and the time of day are missing"};
    }
    const std::int64_t clock = take_clock(text, written.form);
    const std::int64_t fraction = take_nanoseconds(text, written.form);
    take_zone(text, written.form);
    const std::int64_t seconds = day.time_since_epoch().count() * kSecondsPerDay + clock -
                                 std::int64_t{written.form.zone_minutes} * 60;
    if (*year < kYearMin || *year > kYearMax || seconds < 0) {
        throw WrongTime{"the year is not from 1970 to 2115"};
    }
    written.time = seconds * kNanosecondsPerSecond + fraction;
    return written;
}

std::string shown(const Datum& datum) {
    std::string text = datum.to_text();
    text = text.size() > kTimeShownMax ? text.substr(0, kTimeShownMax) + "..." : text;
    std::replace_if(
        text.begin(), text.end(),
        [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, '?');
    return '"' + text + '"';
}

std::int64_t floor_of(std::int64_t number, std::int64_t divisor) {
    return number / divisor - (number % divisor < 0 ? 1 : 0);
}

// At least so many digits behind the point, and more where it would be another number.
std::string decimal_text(std::int64_t ticks, unsigned digits, unsigned digits_least) {
    const std::int64_t divisor = power_of_ten(digits);
    const std::uint64_t size =
        ticks < 0 ? 0 - static_cast<std::uint64_t>(ticks) : static_cast<std::uint64_t>(ticks);
    std::string fraction =
        digits == 0 ? ""
                    : fmt::format("{:0{}}", size % static_cast<std::uint64_t>(divisor), digits);
    while (fraction.size() > digits_least && fraction.back() == '0') {
        fraction.pop_back();
    }
    fraction.append(digits_least - std::min<std::size_t>(digits_least, fraction.size()), '0');
    return fmt::format("{}{}{}{}", ticks < 0 ? "-" : "", size / static_cast<std::uint64_t>(divisor),
                       fraction.empty() ? "" : ".", fraction);
}

std::string zone_text(const TimeForm& form) {
    const int minutes = form.zone_minutes < 0 ? -form.zone_minutes : form.zone_minutes;
    return form.is_zulu ? "Z"
                        : fmt::format("{}{:02}{}{:02}", form.is_zone_negative ? '-' : '+',
                                      minutes / 60, form.has_zone_colon ? ":" : "", minutes % 60);
}

std::string calendar_text(std::int64_t ticks, const TimeForm& form) {
    const std::int64_t utc = floor_of(ticks, kNanosecondsPerSecond);
    const std::int64_t fraction = ticks - utc * kNanosecondsPerSecond;
    const std::int64_t seconds = utc + std::int64_t{form.zone_minutes} * 60;
    const std::int64_t day = floor_of(seconds, kSecondsPerDay);
    const std::int64_t clock = seconds - day * kSecondsPerDay;
    const std::chrono::year_month_day date{
        std::chrono::sys_days{std::chrono::days(static_cast<int>(day))}};
    const std::string behind =
        decimal_text(fraction, kTimeDigitsMax, form.digits_written).substr(1);
    const bool has_seconds = form.has_seconds || clock % 60 != 0 || !behind.empty();
    return fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}{}{}{}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       form.has_space ? ' ' : 'T', clock / 3600, clock / 60 % 60,
                       has_seconds ? fmt::format(":{:02}", clock % 60) : "", behind,
                       zone_text(form));
}

}  // namespace

bool Decimal::is_below(const Decimal& other) const {
    const auto parts = [](const Decimal& one) {
        const std::int64_t divisor = power_of_ten(one.digits);
        const std::int64_t whole = floor_of(one.number, divisor);
        return std::pair(
            whole, (one.number - whole * divisor) * power_of_ten(kTimeDigitsMax - one.digits));
    };
    return parts(*this) < parts(other);
}

std::optional<std::int64_t> Decimal::in_parts(std::int64_t parts, std::int64_t most) const {
    const std::int64_t divisor = power_of_ten(digits);
    const std::int64_t whole = number / divisor;
    const std::int64_t rest = number % divisor;  // below 10^9 parts of a unit, as `parts` is
    if (parts > kNanosecondsPerSecond || rest * parts % divisor != 0) {
        return std::nullopt;
    }
    const std::int64_t fraction = rest * parts / divisor;
    if (whole > (most - fraction) / parts) {
        return std::nullopt;
    }
    return whole * parts + fraction;
}

std::variant<Decimal, DecimalProblem> read_decimal(std::string_view text) {
    const bool is_negative = take(text, '-');
    if (!is_negative) {
        take(text, '+');
    }
    const std::string_view whole = text.substr(0, count_of_digits(text));
    text.remove_prefix(whole.size());
    std::string_view fraction;
    if (take(text, '.')) {
        fraction = text.substr(0, count_of_digits(text));
        text.remove_prefix(fraction.size());
    }
    std::int64_t exponent = 0;
    if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
        text.remove_prefix(1);
        if (text.size() > 1 && text.front() == '+' && count_of_digits(text.substr(1)) > 0) {
            text.remove_prefix(1);
        }
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
        if (error != std::errc{}) {
            return DecimalProblem::kNoNumber;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    take(text, 'M');
    if (whole.empty() || !text.empty()) {
        return DecimalProblem::kNoNumber;
    }
    const auto moved = move_point(whole, fraction, exponent);
    if (!moved) {
        return exponent > 0 ? DecimalProblem::kTooLarge : DecimalProblem::kTooFine;
    }
    return decimal_of(*moved, is_negative);
}

std::variant<Decimal, DecimalProblem> read_decimal(const Datum& datum) {
    if (datum.is(Datum::Kind::kInteger)) {
        return Decimal{datum.integer, 0, 0};
    }
    if (!datum.is(Datum::Kind::kReal)) {
        return DecimalProblem::kNoNumber;
    }
    return read_decimal(datum.to_text());
}

bool WrittenTime::is_below(const WrittenTime& other) const {
    return form.is_calendar
               ? time < other.time
               : Decimal{time, form.digits, 0}.is_below({other.time, other.form.digits, 0});
}

WrittenTime read_written_time(const char* field, const Datum& datum) {
    const auto refuse = [&](const std::string& message) {
        return DatumProblem{'"' + std::string(field) + "\" " + message, datum.place};
    };
    if (datum.is(Datum::Kind::kText) && looks_like_date(datum.text)) {
        try {
            return read_calendar(datum.text);
        } catch (const WrongTime& wrong) {
            throw refuse(shown(datum) + ": " + wrong.message);
        }
    }
    const auto read = read_decimal(datum);
    const auto* decimal = std::get_if<Decimal>(&read);
    if (decimal != nullptr && decimal->number <= kTimeMax && decimal->number >= -kTimeMax) {
        WrittenTime written{decimal->number, {}};
        written.form.digits = decimal->digits;
        written.form.digits_written = decimal->digits_written;
        return written;
    }
    const auto* problem = std::get_if<DecimalProblem>(&read);
    const bool is_too_large = problem == nullptr || *problem == DecimalProblem::kTooLarge;
    if (is_too_large && datum.to_text().find('.') != std::string::npos) {
        throw refuse("is smaller where it has so many digits after the point, not " +
                     datum.to_text());
    }
    if (is_too_large) {
        throw refuse("is from -" + std::to_string(kTimeMax) + " to " + std::to_string(kTimeMax) +
                     ", not " + datum.to_text());
    }
    if (*problem == DecimalProblem::kTooFine) {
        throw refuse(shown(datum) + ": " + kTooFine);
    }
    throw refuse("is a number or an ISO 8601 time (2026-03-01T12:00:00.5Z), not " + shown(datum));
}

std::string TimeScale::text_of(std::int64_t ticks, const TimeForm& written) const {
    return written.is_calendar ? calendar_text(ticks, written)
                               : decimal_text(ticks, digits, written.digits_written);
}

std::string TimeScale::text_of(std::int64_t ticks) const { return text_of(ticks, form); }

std::string TimeScale::duration_text(std::int64_t ticks) const {
    if (!form.is_calendar) {
        return decimal_text(ticks, digits, 0);
    }
    constexpr std::pair<std::int64_t, const char*> kUnits[] = {
        {kNanosecondsPerSecond, "s"}, {1'000'000, "ms"}, {1'000, "us"}};
    for (const auto& [size, name] : kUnits) {
        if (ticks % size == 0) {
            return std::to_string(ticks / size) + name;
        }
    }
    return std::to_string(ticks) + "ns";
}

}  // namespace lockkeeper
