// SPDX-License-Identifier: Apache-2.0

// By which number a stored state is known: its shard, and which of the states of its shard it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockkeeper {

using StateId = std::uint32_t;
inline constexpr StateId kNoState = 0xFFFFFFFFU;

inline constexpr unsigned kStateShardBits = 5;
inline constexpr std::size_t kStateShards = std::size_t{1} << kStateShardBits;

}  // namespace lockkeeper
