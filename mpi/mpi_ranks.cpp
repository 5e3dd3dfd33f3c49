// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_ranks.hpp"

#include <sched.h>
#include <unistd.h>

#include <limits>

#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

// Tags. Those of calls follow each other, so that two ranks that do different things notice it.
constexpr int kLeaving = 1;
constexpr int kOneToOne = 2;
constexpr int kFirstOfCalls = 16;
constexpr std::uint32_t kTagsOfCalls = 30'000;  // MPI promises 32,767

// An interrupt reaches all ranks. Those that are alive answer within a round.
constexpr double kSecondsBeforeSaying = 0.3;  // mpirun kills after one
// Where nobody kills the others. Longer than writing a checkpoint takes.
constexpr double kSecondsBeforeEnding = 3600;
constexpr double kSecondsToTake = 5;

int size_of(const RankMessage& message) {
    LOCKKEEPER_CHECK(message.size() <= std::numeric_limits<int>::max());
    return static_cast<int>(message.size());
}

}  // namespace

MpiRanks::MpiRanks(std::function<void()> say) : say_(std::move(say)) {
    int number = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &number);
    rank_ = static_cast<std::size_t>(number);
    MPI_Comm_size(world_, &number);
    count_ = static_cast<std::size_t>(number);
    has_left_.resize(count_);
}

std::size_t MpiRanks::ranks_here() const {
    MPI_Comm here = MPI_COMM_NULL;
    int count = 1;
    MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    return static_cast<std::size_t>(count);
}

void MpiRanks::send(std::size_t to, const RankMessage& message) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(message.data(), size_of(message), MPI_BYTE, static_cast<int>(to), kOneToOne, world_,
              &request);
    wait_until_done({&request, 1});
}

RankMessage MpiRanks::receive(std::size_t from) {
    std::vector<bool> is_missing(count_);
    is_missing[from] = true;
    for (;;) {
        if (auto letter = take_one(static_cast<int>(from), kOneToOne)) {
            interrupted_at_ = 0;
            turns_ = 0;
            return std::move(letter->message);
        }
        look_around(is_missing);
    }
}

std::optional<RankLetter> MpiRanks::take_any(const std::vector<bool>& owes) {
    auto letter = take_one(MPI_ANY_SOURCE, kOneToOne);
    if (letter) {
        interrupted_at_ = 0;
        turns_ = 0;
    } else {
        look_around(owes);
    }
    return letter;
}

void MpiRanks::do_exchange(const std::vector<RankMessage>& out, std::vector<RankMessage>& in) {
    swap([&](std::size_t to) -> const RankMessage& { return out[to]; }, in);
}
void MpiRanks::do_gather(const RankMessage& mine, std::vector<RankMessage>& all) {
    swap([&](std::size_t) -> const RankMessage& { return mine; }, all);
    all[rank_] = mine;
}

void MpiRanks::swap(const std::function<const RankMessage&(std::size_t)>& out,
                    std::vector<RankMessage>& in) {
    const int tag = kFirstOfCalls + static_cast<int>(calls_++ % kTagsOfCalls);
    in.resize(count_);
    std::vector<MPI_Request> sent(count_, MPI_REQUEST_NULL);
    for (std::size_t i = 1; i < count_; ++i) {
        const std::size_t to = (rank_ + i) % count_;  // not all to the same at once
        const RankMessage& message = out(to);
        MPI_Isend(message.data(), size_of(message), MPI_BYTE, static_cast<int>(to), tag, world_,
                  &sent[to]);
    }
    std::vector<bool> is_missing(count_, true);
    is_missing[rank_] = false;
    for (std::size_t missing = count_ - 1; missing > 0;) {
        if (auto letter = take_one(MPI_ANY_SOURCE, tag)) {
            is_missing[letter->from] = false;
            in[letter->from] = std::move(letter->message);
            --missing;
        } else {
            look_around(is_missing);
        }
    }
    wait_until_done(sent);
}

// Whoever leaves in good order has taken what was sent to it, and what it has sent is there.
void MpiRanks::wait_until_done(std::span<MPI_Request> requests) {
    const std::vector<bool> nobody(count_);
    const double began = MPI_Wtime();
    for (int is_done = 0; is_done == 0;) {
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done,
                    MPI_STATUSES_IGNORE);
        if (is_done == 0) {
            look_around(nobody);
            if (MPI_Wtime() - began > kSecondsToTake &&
                std::find(has_left_.begin(), has_left_.end(), true) != has_left_.end()) {
                throw RanksParted("another rank has ended");
            }
        }
    }
    interrupted_at_ = 0;
    turns_ = 0;
}

std::optional<RankLetter> MpiRanks::take_one(int source, int tag) {
    int is_there = 0;
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(source, tag, world_, &is_there, &matched, &status);
    if (is_there == 0) {
        return std::nullopt;
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    RankLetter letter{static_cast<std::size_t>(status.MPI_SOURCE),
                      RankMessage(static_cast<std::size_t>(size))};
    // A long message comes in parts, and its sender may die before the last.
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(letter.message.data(), size, MPI_BYTE, &matched, &request);
    wait_until_done({&request, 1});
    return letter;
}

void MpiRanks::note_who_left() {
    for (int is_there = 1; is_there != 0;) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, kLeaving, world_, &is_there, &status);
        if (is_there != 0) {
            MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, kLeaving, world_, MPI_STATUS_IGNORE);
            has_left_[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
        }
    }
}

void MpiRanks::look_around(const std::vector<bool>& is_missing) {
    // These ranks had left before the last look for messages: all that they sent was there then.
    for (std::size_t rank = 0; rank < count_; ++rank) {
        if (has_left_[rank] && is_missing[rank]) {
            throw RanksParted("rank " + std::to_string(rank) + " has ended");
        }
    }
    note_who_left();
    if (interrupt_requested()) {
        const double now = MPI_Wtime();
        interrupted_at_ = interrupted_at_ == 0 ? now : interrupted_at_;
        if (!has_said_ && now - interrupted_at_ > kSecondsBeforeSaying) {
            has_said_ = true;
            say_();
        }
        if (now - interrupted_at_ > kSecondsBeforeEnding) {
            throw RanksParted("other ranks do not answer");
        }
    }
    wait_a_moment();
}

// Rounds follow each other within milliseconds. A longer wait leaves the processor to others.
void MpiRanks::wait_a_moment() {
    constexpr unsigned kTurnsAwake = 5000;
    constexpr unsigned kMicroseconds = 100;
    if (++turns_ < kTurnsAwake) {
        sched_yield();
    } else {
        ::usleep(kMicroseconds);
    }
}

void MpiRanks::leave() {
    std::vector<MPI_Request> sent(count_, MPI_REQUEST_NULL);
    for (std::size_t to = 0; to < count_; ++to) {
        if (to != rank_) {
            MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(to), kLeaving, world_, &sent[to]);
        }
    }
    has_left_[rank_] = true;
    while (std::find(has_left_.begin(), has_left_.end(), false) != has_left_.end()) {
        note_who_left();
        wait_a_moment();
    }
    MPI_Waitall(static_cast<int>(count_), sent.data(), MPI_STATUSES_IGNORE);
}

}  // namespace lockkeeper
