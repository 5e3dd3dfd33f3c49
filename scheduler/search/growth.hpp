// SPDX-License-Identifier: Apache-2.0

// Which field of an implementation's state grows with the depth of the search: a counter that
// nothing bounds makes a search that never ends. Called by the explorer for some states of each
// level; decides nothing, gives a hint.
//
// Every byte of Shared, of each Call and of each Record is looked at as a number of one, two and
// four bytes. One that has been larger than ever before on kHighsMin levels, and still is on one of
// the last levels, grows. What World itself keeps in a slot is bounded by the scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/system.hpp"

namespace lockkeeper {

struct GrowingField {
    std::string place;       // "Shared, byte 0"
    std::uint32_t low = 0;   // the first value above 0
    std::uint32_t high = 0;  // the largest value
    std::uint64_t low_depth = 0;
    std::uint64_t high_depth = 0;
    std::uint64_t low_state = 0;  // where they were seen, in the caller's numbers
    std::uint64_t high_state = 0;
};

class GrowthWatch {
  public:
    static constexpr std::uint32_t kHighsMin = 40;

    GrowthWatch(PartLayout layout, std::size_t slots_count);

    // A state of level `depth`; depths come in ascending order.
    void look(std::span<const std::byte> state, std::uint64_t id, std::uint64_t depth);
    // The one that grew on most levels.
    [[nodiscard]] std::optional<GrowingField> growing() const;

  private:
    struct Field {
        std::size_t at = 0;  // in the state, or in a slot
        std::size_t width = 1;
        bool in_slot = false;
        std::uint32_t highs = 0;  // levels with a new largest value
        GrowingField seen;
    };
    void add_fields(std::size_t begin, std::size_t end, bool in_slot);
    void look_at(Field& field, std::span<const std::byte> state, std::size_t at, std::uint64_t id);
    [[nodiscard]] std::string place_of(const Field& field) const;

    PartLayout layout_;
    std::size_t slots_count_;
    std::vector<Field> fields_;
    std::uint64_t depth_ = 0;
};

// `field` in words, with its name where the texts of the two states tell it: the word before the
// number that is `low` in one and `high` in the other.
[[nodiscard]] std::string growth_text(const GrowingField& field, const std::string& low_shown,
                                      const std::string& high_shown);

}  // namespace lockkeeper
