// SPDX-License-Identifier: Apache-2.0

// Times of recorded histories: whole numbers, numbers with a fraction, ISO 8601.
//
// A time is read digit by digit into a whole number of ticks, never through a floating-point
// number: two times that differ by a nanosecond stay different. The ticks of ISO times are
// nanoseconds since 1970; those of numbers are a power of ten of the unit, the same for a whole
// file (RecordSink chooses it). Messages show a time as it was written, which TimeForm remembers.
// Limits: nine digits after the point; the years 1970 to 2115; no leap seconds; an offset or Z.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "validate/histories/datum.hpp"

namespace lockkeeper {

inline constexpr std::uint8_t kTimeDigitsMax = 9;
// The difference of any two fits; nanoseconds since 1970 do until 2116.
inline constexpr std::int64_t kTimeMax = (std::int64_t{1} << 62U) - 1;
inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

[[nodiscard]] constexpr std::int64_t power_of_ten(unsigned exponent) {
    std::int64_t power = 1;
    for (unsigned i = 0; i < exponent; ++i) {
        power *= 10;
    }
    return power;
}

// 12.50 is 125 and one digit, of which two were written.
struct Decimal {
    std::int64_t number = 0;
    std::uint8_t digits = 0;  // after the point
    std::uint8_t digits_written = 0;

    [[nodiscard]] bool is_below(const Decimal& other) const;
    // In `parts` of a unit; nothing where that is no whole number, or above `most`.
    [[nodiscard]] std::optional<std::int64_t> in_parts(std::int64_t parts, std::int64_t most) const;
};
enum class DecimalProblem : std::uint8_t { kNoNumber, kTooFine, kTooLarge };
// 12, -12.5, 1.7092944E9; an M at the end as EDN has it.
[[nodiscard]] std::variant<Decimal, DecimalProblem> read_decimal(std::string_view text);
[[nodiscard]] std::variant<Decimal, DecimalProblem> read_decimal(const Datum& datum);

// How one time was written.
struct TimeForm {
    bool is_calendar = false;       // 2026-03-01T12:00:00.5+02:00
    bool has_space = false;         // in the place of the T
    bool has_seconds = true;        // 12:00Z has none
    bool is_zulu = false;           // Z
    bool is_zone_negative = false;  // -00:00 is, too
    bool has_zone_colon = true;     // +0200 has none
    std::uint8_t digits = 0;        // after the point, of those that are needed
    std::uint8_t digits_written = 0;
    std::int16_t zone_minutes = 0;

    friend bool operator==(const TimeForm&, const TimeForm&) = default;
};

// `time`: numbers: of 10^-digits of a unit; calendar: nanoseconds since 1970.
struct WrittenTime {
    std::int64_t time = 0;
    TimeForm form;

    [[nodiscard]] bool is_below(const WrittenTime& other) const;
};
// Throws DatumProblem, which names `field`.
[[nodiscard]] WrittenTime read_written_time(const char* field, const Datum& datum);

// The meaning of the ticks in a history's times.
struct TimeScale {
    TimeForm form = {};       // of what is computed: of the first time, with the most digits
    std::uint8_t digits = 0;  // numbers: a tick is 10^-digits of a unit
    // Ticks in the unit of every ttl in the model and the operations: the unit of the times, or
    // with ISO times that of --time-unit. 0: nobody has said.
    std::int64_t ticks_per_unit = 1;

    // Ticks in the unit of reports: the unit of the times, or with ISO times a second.
    [[nodiscard]] std::int64_t ticks_in_reports() const { return power_of_ten(digits); }
    // A time as it was written.
    [[nodiscard]] std::string text_of(std::int64_t ticks, const TimeForm& written) const;
    // A time that no record has.
    [[nodiscard]] std::string text_of(std::int64_t ticks) const;
    // "310"; "12.5"; beside ISO times "310us".
    [[nodiscard]] std::string duration_text(std::int64_t ticks) const;

    friend bool operator==(const TimeScale&, const TimeScale&) = default;
};

}  // namespace lockkeeper
