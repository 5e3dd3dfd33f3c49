// A value in a recorded history: what JSON and EDN have in common. Made by the readers, looked at
// when operations are given to a model, written by write_history.
//
// Keywords and symbols of EDN are texts without their colon; a set's items
// stand in the order of the file. Depth and size are
// bounded by the readers (kDatumDepthMax). No errors: a value of another kind has no number or
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

inline constexpr std::size_t kDatumDepthMax = 16;

struct Datum {
    enum class Kind : std::uint8_t { kNil, kTruth, kInteger, kReal, kText, kList, kSet, kMap };

    Kind kind = Kind::kNil;
    std::int64_t integer = 0;  // kInteger; kTruth: 0 or 1
    double real = 0;
    std::string text =
        {};  // kText; kReal: as it was written, where it is no number of ours (1/3, 1e99)
    std::vector<Datum> items = {};  // kMap: name, value, name, value ...

    [[nodiscard]] static Datum of(std::int64_t number) { return {Kind::kInteger, number}; }
    [[nodiscard]] static Datum of(std::string text) { return {Kind::kText, 0, 0, std::move(text)}; }

    [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
    // Of a map; null where it has no such name, or is no map.
    [[nodiscard]] const Datum* find(std::string_view name) const;
    // Adds to a map; nil becomes one.
    void set(std::string name, Datum value);
    // One line: `db`, `3`, `[db, 3]`, `{token: 3}`.
    [[nodiscard]] std::string to_text() const;
    // Of a map: a name that it has twice; null where there is none.
    [[nodiscard]] const Datum* repeated_name() const;

    friend bool operator==(const Datum&, const Datum&) = default;
};

}  // namespace lockkeeper
