// SPDX-License-Identifier: Apache-2.0

// The distinct states of a graph, numbered in the order of discovery: their bytes as they are,
// compared in full. Used by chain_builder.hpp, and by whoever walks a chain with its System again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/chain.hpp"

namespace lockkeeper {

class StateTable {
  public:
    static constexpr StateIndex kNone = UINT32_MAX;

    explicit StateTable(std::size_t bytes_of_state);

    [[nodiscard]] std::size_t size() const { return hashes_.size(); }
    [[nodiscard]] std::size_t bytes() const;
    // `bytes_of_state` bytes.
    [[nodiscard]] const std::byte* at(StateIndex index) const {
        return blocks_[index / per_block_].get() + index % per_block_ * width_;
    }

    struct Found {
        StateIndex index = 0;
        bool is_new = false;
    };
    Found insert(const std::byte* state);
    [[nodiscard]] StateIndex find(const std::byte* state) const;  // kNone: not there

  private:
    static constexpr std::size_t kBlockBytes = std::size_t{16} << 20U;

    [[nodiscard]] std::size_t place_of(const std::byte* state, std::uint32_t hash) const;
    void grow();

    std::size_t width_;
    std::size_t per_block_;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::vector<std::uint32_t> hashes_;  // by state
    std::vector<StateIndex> places_;     // open addressing, a power of two, at most half full
};

}  // namespace lockkeeper
