// SPDX-License-Identifier: Apache-2.0

// A value in a recorded history: what JSON and EDN have in common. Made by the readers, looked at
// when operations are given to a model, written by write_history.
//
// Keywords and symbols of EDN are texts without their colon; a set's items stand in the order of
// the file. Depth and size are bounded by the readers (kDatumDepthMax). No errors: a value of
// another kind has no number or text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

inline constexpr std::size_t kDatumDepthMax = 16;

// Where a value stands in its file, from 1; 0: it is not from a file.
struct DatumPlace {
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    friend bool operator==(const DatumPlace&, const DatumPlace&) = default;
};

// Thrown: what is wrong with a value.
struct DatumProblem {
    std::string message;
    DatumPlace place{};          // of the value; 0: not known, or it is missing
    std::string unknown_word{};  // that is none of those that can stand there
};

struct Datum {
    enum class Kind : std::uint8_t { kNil, kTruth, kInteger, kReal, kText, kList, kSet, kMap };

    Kind kind = Kind::kNil;
    std::int64_t integer = 0;  // kInteger; kTruth: 0 or 1
    double real = 0;
    std::string text = {};  // kText; kReal: as it was written, also what is no number of ours (1/3)
    std::vector<Datum> items = {};  // kMap: name, value, name, value ...
    DatumPlace place = {};

    [[nodiscard]] static Datum of(std::int64_t number) { return {Kind::kInteger, number}; }
    [[nodiscard]] static Datum of(std::string text) { return {Kind::kText, 0, 0, std::move(text)}; }

    [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
    // The value of this name in a map; null where the map lacks it, or this is no map.
    [[nodiscard]] const Datum* find(std::string_view name) const;
    // Adds to a map; nil becomes one.
    void set(std::string name, Datum value);
    // One line: `db`, `3`, `[db, 3]`, `{token: 3}`.
    [[nodiscard]] std::string to_text() const;
    // A name that a map has twice; null where there is none.
    [[nodiscard]] const Datum* repeated_name() const;

    // Ignores where the values stand.
    friend bool operator==(const Datum& left, const Datum& right) {
        return left.kind == right.kind && left.integer == right.integer &&
               left.real == right.real && left.text == right.text && left.items == right.items;
    }
};

}  // namespace lockkeeper
