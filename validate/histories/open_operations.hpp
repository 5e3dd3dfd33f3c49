// SPDX-License-Identifier: Apache-2.0

// For each return in a list of operations: which others are open then. Used by linearize only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "validate/histories/linearize.hpp"
#include "validate/histories/open_placement.hpp"
#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

class OpenOperations {
  public:
    // Returns the limit that ended it, or null. It leaves half of the budget's memory to the
    // search, and leaves out operations that must not be placed at all.
    [[nodiscard]] const char* build(const KeyOperations& list, const OpenPlacements& placements,
                                    const SearchBudget& budget);

    // Operations that return, in the order in which they do.
    [[nodiscard]] const std::vector<std::uint32_t>& returns() const { return returns_; }
    // Open just before the return, itself included: those that return, the first one first ...
    [[nodiscard]] std::span<const std::uint32_t> returning(std::size_t place) const {
        return {open_.data() + begins_[place], begins_[place + 1] - begins_[place]};
    }
    // ... and those that never do, and may be placed.
    [[nodiscard]] std::span<const std::uint32_t> unending(std::size_t place) const {
        return {unending_.data(), unending_counts_[place]};
    }
    // A place in the set of placed operations, which no other open operation has.
    [[nodiscard]] std::uint32_t slot(std::uint32_t operation) const { return slots_[operation]; }
    [[nodiscard]] std::size_t slots() const { return slots_count_; }
    // The operation's place among those that return.
    [[nodiscard]] std::size_t place_of_return(std::uint32_t operation) const {
        return places_[operation];
    }
    // Equal for operations that do the same, and that nothing orders but the records.
    [[nodiscard]] std::uint32_t kind(std::uint32_t operation) const { return kinds_[operation]; }
    [[nodiscard]] std::size_t kinds() const { return kinds_count_; }

  private:
    void number_kinds(const KeyOperations& list, const OpenPlacements& placements);

    std::vector<std::uint32_t> returns_;
    std::vector<std::uint32_t> open_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> unending_;
    std::vector<std::uint32_t> unending_counts_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> places_;
    std::vector<std::uint32_t> kinds_;
    std::size_t slots_count_ = 0;
    std::size_t kinds_count_ = 0;
};

}  // namespace lockkeeper
