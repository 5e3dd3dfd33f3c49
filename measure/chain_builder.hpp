// SPDX-License-Identifier: Apache-2.0

// Explores a System breadth first and writes down the chain that a law makes of it.
//
// With symmetry a state stands for all that differ in the names of interchangeable callers. Every
// enabled action of the representative counts with its own weight, also when several lead to the
// same class: the law does not ask for names, so the classes are a Markov chain with the same
// figures (strong lumpability; docs/decisions/methods/exact_rates.md).
//
// Errors: see `limit`. Only std::bad_alloc is thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/chain.hpp"
#include "measure/measure.hpp"
#include "model/erased_system.hpp"

namespace lockkeeper {

// The distinct states of a graph, numbered in the order of discovery: their bytes as they are,
// compared in full. For the builder below, and whoever walks a chain with its System again.

class StateTable {
  public:
    static constexpr StateIndex kNone = UINT32_MAX;

    explicit StateTable(std::size_t bytes_of_state);

    [[nodiscard]] std::size_t size() const { return hashes_.size(); }
    [[nodiscard]] std::size_t bytes() const {
        return size() * (width_ + sizeof(hashes_[0])) + places_.size() * sizeof(places_[0]);
    }
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

struct ChainGraph {
    explicit ChainGraph(std::size_t bytes_of_state) : states(bytes_of_state) {}

    Chain chain;
    StateTable states;
    std::string limit;              // why it is not the whole graph; empty: it is
    std::uint64_t transitions = 0;  // enabled actions of all states; the chain has merged them
    // By property of `check`: whether time spent in a state can violate it (kRates).
    std::uint32_t judged_in_time = 0;
    bool has_virtual_time = false;  // some step lets it pass; asked for with overlaps only
    std::vector<std::uint32_t> violated_on_arrival;  // by state: at rest, or as a deadlock
};

// Returns the properties that have a bit: the first 32 of `check`.
[[nodiscard]] std::vector<const Property*> judged_properties(const MeasureOptions& options);

[[nodiscard]] ChainGraph build_chain(const ErasedSystem& system, const MeasureOptions& options);

// Whether the actions of a class are nature's, not the scheduler's (extremes.hpp).
[[nodiscard]] bool is_natures(ActionClass which, LawKind law);

}  // namespace lockkeeper
