// SPDX-License-Identifier: Apache-2.0

// Several processes that explore one scope together, each of them a rank (MPI's word): what the
// search asks of whatever connects them. docs/decisions/0032-ranks-own-shards.md says how.
//
// Each rank keeps the states of some shards. All go through the same rounds, learn the same steps
// in the same order and count the same, so each of them knows how far the search has come and what
// it has found; only states are where their owner is. Every function but those that tell numbers is
// called by all ranks, in the same order.
//
// Other work than exploring is asked for by the first rank, and done by the others: rank_tasks.hpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "scheduler/ranks/message.hpp"
#include "scheduler/states/state_id.hpp"

namespace lockkeeper {

// Another rank has left the search, or asks for something else: this one can only end.
class RanksParted : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The cost of working together, for this rank.
struct RanksCost {
    std::uint64_t bytes_sent = 0;
    double seconds_waiting = 0;
};

struct RankLetter {
    std::size_t from = 0;
    RankMessage message;
};

class Ranks {
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] virtual std::size_t rank() const = 0;
    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] bool is_first() const { return rank() == 0; }

    [[nodiscard]] static std::size_t owner_of(std::size_t shard, std::size_t count) {
        return shard * count / kStateShards;
    }
    [[nodiscard]] std::size_t owner_of(std::size_t shard) const { return owner_of(shard, count()); }
    [[nodiscard]] bool owns(std::size_t shard) const { return owner_of(shard) == rank(); }

    // out[r] goes to rank r; in[r] is what rank r has sent here. A rank gets nothing from itself.
    void exchange(const std::vector<RankMessage>& out, std::vector<RankMessage>& in) {
        for (std::size_t to = 0; to < count(); ++to) {
            cost_.bytes_sent += to == rank() ? 0 : out[to].size();
        }
        waiting([&] { do_exchange(out, in); });
    }
    // Returns the messages of all ranks, in the order of the ranks.
    [[nodiscard]] std::vector<RankMessage> gather(const RankMessage& mine) {
        std::vector<RankMessage> all;
        cost_.bytes_sent += mine.size() * (count() - 1);
        waiting([&] { do_gather(mine, all); });
        return all;
    }
    [[nodiscard]] bool any(bool mine) {
        const auto all = gather(RankMessage(1, std::byte{mine}));
        return std::any_of(all.begin(), all.end(),
                           [](const RankMessage& said) { return said.front() != std::byte{0}; });
    }

    // From one rank to another: only these two call it, in the same order.
    virtual void send(std::size_t to, const RankMessage& message) = 0;
    [[nodiscard]] virtual RankMessage receive(std::size_t from) = 0;
    // Receives what any rank has sent by send(). Nothing: it has waited a moment, and nothing came.
    // Throws RanksParted when a rank that `owes` something has ended.
    [[nodiscard]] virtual std::optional<RankLetter> take_any(const std::vector<bool>& owes) = 0;

    [[nodiscard]] const RanksCost& cost() const { return cost_; }

  protected:
    virtual void do_exchange(const std::vector<RankMessage>& out, std::vector<RankMessage>& in) = 0;
    virtual void do_gather(const RankMessage& mine, std::vector<RankMessage>& all) = 0;

  private:
    template <class Task>
    void waiting(Task task) {
        const auto began = std::chrono::steady_clock::now();
        task();
        cost_.seconds_waiting +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }

    RanksCost cost_;
};

}  // namespace lockkeeper
