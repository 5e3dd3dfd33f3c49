// SPDX-License-Identifier: Apache-2.0

// The compiled sizes (impl/canal/canal_sizes.hpp): how much room each has, and what makes it.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "impl/canal/canal_options.hpp"
#include "impl/canal/canal_sizes.hpp"
#include "scenarios/registry/needs.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper {

// Defined for each size in an object file of its own.
template <class Size>
std::unique_ptr<Runner> run_canal(const canal::CanalOptions& options, const WorldConfig& world);

struct CompiledSize {
    std::string name;
    Needs room;
    std::unique_ptr<Runner> (*run)(const canal::CanalOptions&, const WorldConfig&);
};

template <class Size>
CompiledSize compiled_size(const char* name) {
    // max_per + 1 must fit a counter, with room for what is on its way beyond it and below zero.
    constexpr std::size_t kCounter = std::numeric_limits<typename Size::Counter>::max() - 27;
    constexpr std::size_t kMaxPer = std::min<std::size_t>(kCounter, 250);
    return {name,
            {Size::kCallers, Size::kKeys, Size::kBuckets, kMaxPer,
             std::min<std::size_t>(std::numeric_limits<typename Size::Pc>::max(), 100'000),
             Size::References::kMax - 1, Size::kRemembered, Size::kSignals, kCounter,
             held_room<typename Size::Count>()},
            run_canal<Size>};
}

// Smallest first.
[[nodiscard]] std::vector<CompiledSize> compiled_sizes();

}  // namespace lockkeeper
