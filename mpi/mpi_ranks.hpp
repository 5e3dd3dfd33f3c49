// SPDX-License-Identifier: Apache-2.0

// Ranks that are processes of one MPI job. Everything goes as messages from one process to another,
// with the number of the call as their tag: whoever waits also looks whether somebody has left, and
// whether the job was told to end.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/ranks/ranks.hpp"

namespace lockkeeper {

class MpiRanks final : public Ranks {
  public:
    // MPI has been initialised. `say`: for the person who waits, when others do not answer after an
    // interrupt.
    explicit MpiRanks(std::function<void()> say);

    [[nodiscard]] std::size_t rank() const override { return rank_; }
    [[nodiscard]] std::size_t count() const override { return count_; }
    // The rank has ended its work with others.
    [[nodiscard]] bool has_left(std::size_t rank) const { return has_left_[rank]; }
    // How many ranks run on this machine.
    [[nodiscard]] std::size_t ranks_here() const;

    void send(std::size_t to, const RankMessage& message) override;
    [[nodiscard]] RankMessage receive(std::size_t from) override;
    [[nodiscard]] std::optional<RankLetter> take_any(const std::vector<bool>& owes) override;

    // The last call: this rank goes, when all others do. Those that wait for something else get
    // RanksParted.
    void leave();

  private:
    void do_exchange(const std::vector<RankMessage>& out, std::vector<RankMessage>& in) override;
    void do_gather(const RankMessage& mine, std::vector<RankMessage>& all) override;

    // out(rank): what goes to it.
    void swap(const std::function<const RankMessage&(std::size_t)>& out,
              std::vector<RankMessage>& in);
    // The next message that has come from `source`, or from anybody.
    std::optional<RankLetter> take_one(int source, int tag);
    void wait_until_done(std::span<MPI_Request> requests);
    // While nothing comes: throws RanksParted when one whose message is missing has left.
    void look_around(const std::vector<bool>& is_missing);
    void note_who_left();
    void wait_a_moment();

    MPI_Comm world_ = MPI_COMM_NULL;
    std::size_t rank_ = 0;
    std::size_t count_ = 1;
    std::function<void()> say_;
    std::uint32_t calls_ = 0;
    std::vector<bool> has_left_;
    double interrupted_at_ = 0;  // seen while this wait lasts; 0: not
    bool has_said_ = false;
    unsigned turns_ = 0;  // of this wait
};

}  // namespace lockkeeper
