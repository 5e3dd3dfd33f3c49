// SPDX-License-Identifier: Apache-2.0

// Ranks tell each other after each round how many states each keeps, and whether one has a reason
// to end, so that all come to the same conclusions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "scheduler/ranks/ranks.hpp"

namespace lockkeeper {

// Why a search cannot go on, beside what all ranks know by themselves; the first counts.
enum class RankEnd : std::uint8_t { kNone, kInterrupted, kTime, kMemory };

struct RankStatus {
    std::array<std::uint64_t, kStateShards> sizes{};  // of its shards
    std::uint64_t bytes = 0;                          // in memory
    std::uint64_t bytes_sent = 0;
    double seconds_waiting = 0;
    RankEnd end = RankEnd::kNone;
    bool leads_back = false;
    bool saves = false;   // a checkpoint is due
    bool failed = false;  // in the last round
};

// The status of all of them.
class RankTotals {
  public:
    [[nodiscard]] const std::array<std::uint64_t, kStateShards>& sizes() const {
        return sum_.sizes;
    }
    [[nodiscard]] const RankStatus& sum() const { return sum_; }
    // States of the rank that keeps most, by the mean.
    [[nodiscard]] double imbalance() const { return imbalance_; }
    // The part of the time of all ranks that they have waited.
    [[nodiscard]] double share_waiting(double seconds) const {
        return seconds > 0 ? sum_.seconds_waiting / (seconds * static_cast<double>(count_)) : 0;
    }

    // Called by all.
    void share(Ranks& ranks, RankStatus mine) {
        mine.bytes_sent = ranks.cost().bytes_sent;
        mine.seconds_waiting = ranks.cost().seconds_waiting;
        RankMessage message;
        MessageWriter(message).value(mine);
        count_ = ranks.count();
        sum_ = {};
        std::uint64_t all = 0;
        std::uint64_t most = 0;
        for (const RankMessage& said : ranks.gather(message)) {
            std::uint64_t states = 0;
            const auto status = MessageReader(said).value<RankStatus>();
            for (std::size_t shard = 0; shard < kStateShards; ++shard) {
                sum_.sizes[shard] += status.sizes[shard];
                states += status.sizes[shard];
            }
            all += states;
            most = std::max(most, states);
            add(status);
        }
        imbalance_ = all == 0 ? 1
                              : static_cast<double>(most) * static_cast<double>(count_) /
                                    static_cast<double>(all);
    }

  private:
    void add(const RankStatus& status) {
        sum_.bytes += status.bytes;
        sum_.bytes_sent += status.bytes_sent;
        sum_.seconds_waiting += status.seconds_waiting;
        sum_.leads_back = sum_.leads_back || status.leads_back;
        sum_.saves = sum_.saves || status.saves;
        sum_.failed = sum_.failed || status.failed;
        if (status.end != RankEnd::kNone) {
            sum_.end = sum_.end == RankEnd::kNone ? status.end : std::min(sum_.end, status.end);
        }
    }

    RankStatus sum_;
    std::size_t count_ = 1;
    double imbalance_ = 1;
};

}  // namespace lockkeeper
