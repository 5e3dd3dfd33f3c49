// SPDX-License-Identifier: Apache-2.0

// One round of a search that several processes do together: it says which pieces this rank expands,
// and fetches what the others have found and made in theirs. Round then goes on as if it had
// expanded all pieces itself: the results of other ranks stand in the expansions of their pieces.
//
// A successor is sent as its record and one byte that says which state of its piece is its parent;
// which piece and which shard it belongs to follows from its place in the message. Only what goes
// into shards of another rank is sent.
#pragma once

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "scheduler/base/work_crew.hpp"
#include "scheduler/ranks/rank_failure.hpp"
#include "scheduler/search/expansion.hpp"
#include "scheduler/states/record_shape.hpp"

namespace lockkeeper {

template <System S>
class RankRound {
  public:
    using Pieces = std::span<Expansion<S>>;

    // `ranks`: nullptr: this process is alone.
    RankRound(Ranks* ranks, WorkCrew& crew) : ranks_(ranks), crew_(crew) {}

    [[nodiscard]] bool is_alone() const { return ranks_ == nullptr; }
    [[nodiscard]] bool owns(std::size_t shard) const { return is_alone() || ranks_->owns(shard); }
    // True for a piece that this rank expands.
    [[nodiscard]] bool has(const Expansion<S>& piece) const {
        return owns(StateStore::shard_of(piece.first));
    }

    // Keeps a failure of `task`; the next function that all ranks call throws it on all of them.
    template <class Task>
    void guarded(Task task) {
        if (is_alone()) {
            task();
            return;
        }
        failure_.keep([&] { task(); });
    }

    // This rank has kept a failure that no other rank knows.
    [[nodiscard]] bool has_failed() const { return failure_.is_there(); }
    // Throws the failure that any rank has kept.
    void share_failure() {
        MessageWriter out(mine_);
        failure_.write(out);
        failure_.throw_first(ranks_->gather(mine_));
    }

    // All ranks tell each other what they have found in their pieces, except successors.
    void share_findings(Pieces pieces, const StateStore& store) {
        if (is_alone()) {
            return;
        }
        MessageWriter out(mine_);
        failure_.write(out);
        if (!failure_.is_there()) {
            for (const Expansion<S>& piece : pieces) {
                if (has(piece)) {
                    write_findings(out, piece, store);
                }
            }
        }
        const std::vector<RankMessage> all = ranks_->gather(mine_);
        failure_.throw_first(all);
        std::vector<MessageReader> readers;
        for (const RankMessage& message : all) {
            readers.emplace_back(message);
            RankFailure::pass_over(readers.back());
        }
        for (Expansion<S>& piece : pieces) {
            if (!has(piece)) {
                read_findings(readers[owner_of(piece)], piece);
            }
        }
    }

    // Each rank sends the others the successors that it has made for their shards.
    void share_successors(Pieces pieces, const RecordShape& shape) {
        if (is_alone()) {
            return;
        }
        out_.resize(ranks_->count());
        crew_.run(ranks_->count(), [&](std::size_t, std::size_t to) {
            if (to != ranks_->rank()) {
                write_successors(out_[to], pieces, to, shape);
            }
        });
        ranks_->exchange(out_, in_);
        crew_.run(ranks_->count(), [&](std::size_t, std::size_t from) {
            if (from != ranks_->rank()) {
                read_successors(in_[from], pieces, from, shape);
            }
        });
    }

    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = mine_.capacity();
        for (const auto* messages : {&out_, &in_}) {
            for (const RankMessage& message : *messages) {
                sum += message.capacity();
            }
        }
        return sum;
    }

  private:
    [[nodiscard]] std::size_t owner_of(const Expansion<S>& piece) const {
        return ranks_->owner_of(StateStore::shard_of(piece.first));
    }

    // --- findings ------------------------------------------------------------------------------

    struct Counts {
        std::uint64_t transitions;
        std::uint64_t terminal_states;
        bool says_more;
    };

    void write_findings(MessageWriter& out, const Expansion<S>& piece,
                        const StateStore& store) const {
        const bool says_more =
            !(piece.unknown.empty() && piece.found.empty() && piece.stuck.empty() &&
              piece.time_over.empty() && piece.goals.empty());
        out.value(Counts{piece.transitions, piece.terminal_states, says_more});
        if (!says_more) {
            return;
        }
        out.array(piece.found);
        out.array(piece.stuck);
        out.array(piece.time_over);
        out.array(piece.goals);
        out.array(piece.unknown);
        std::vector<std::uint64_t> records;
        for (const StateId id : piece.unknown) {
            const std::uint64_t* record = store.record(id);
            records.insert(records.end(), record, record + store.shape().words);
        }
        out.array(records);
    }
    void read_findings(MessageReader& in, Expansion<S>& piece) const {
        piece.clear();
        const auto counts = in.value<Counts>();
        piece.transitions = counts.transitions;
        piece.terminal_states = counts.terminal_states;
        if (counts.says_more) {
            piece.found = in.array<FoundHere>();
            piece.stuck = in.array<FoundHere>();
            piece.time_over = in.array<FoundHere>();
            piece.goals = in.array<std::size_t>();
            piece.unknown = in.array<StateId>();
            piece.unknown_records = in.array<std::uint64_t>();
        }
    }

    // --- successors ----------------------------------------------------------------------------
    // How many of each piece and shard, then all records, then all parents.

    // Calls visit(piece, shard) for the pieces of rank `from` and the shards of rank `to`.
    template <class Visit>
    void for_each_batch(Pieces pieces, std::size_t from, std::size_t to, Visit visit) const {
        for (Expansion<S>& piece : pieces) {
            if (owner_of(piece) != from) {
                continue;
            }
            for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
                if (ranks_->owner_of(shard) == to) {
                    visit(piece, shard);
                }
            }
        }
    }

    void write_successors(RankMessage& out, Pieces pieces, std::size_t to,
                          const RecordShape& shape) const {
        std::size_t batches = 0;
        std::size_t successors = 0;
        for_each_batch(pieces, ranks_->rank(), to, [&](const auto& piece, std::size_t shard) {
            ++batches;
            successors += piece.successors.at(shard).arrivals.size();
        });
        const std::size_t words = shape.words * sizeof(std::uint64_t);
        out.resize(batches * sizeof(std::uint32_t) + successors * (words + 1));
        auto* counts = out.data();
        auto* records = counts + batches * sizeof(std::uint32_t);
        auto* parents = records + successors * words;
        for_each_batch(pieces, ranks_->rank(), to, [&](const auto& piece, std::size_t shard) {
            const ArrivalBatch batch = piece.successors.at(shard);
            const auto count = static_cast<std::uint32_t>(batch.arrivals.size());
            std::memcpy(counts, &count, sizeof(count));
            counts += sizeof(count);
            if (!shape.is_packed && count > 0) {
                std::memcpy(records, batch.records, count * words);
                records += count * words;
            }
            for (const Arrival& arrival : batch.arrivals) {
                if (shape.is_packed) {
                    std::memcpy(records, &arrival.hash, sizeof(arrival.hash));
                    records += sizeof(arrival.hash);
                }
                *parents++ = static_cast<std::byte>(arrival.parent - piece.first);
            }
        });
    }

    void read_successors(const RankMessage& in, Pieces pieces, std::size_t from,
                         const RecordShape& shape) const {
        std::size_t batches = 0;
        for_each_batch(pieces, from, ranks_->rank(), [&](const auto&, std::size_t) { ++batches; });
        const std::size_t words = shape.words * sizeof(std::uint64_t);
        const std::size_t bytes_of_counts = batches * sizeof(std::uint32_t);
        LOCKKEEPER_CHECK(in.size() >= bytes_of_counts);
        const std::size_t successors = (in.size() - bytes_of_counts) / (words + 1);
        const auto* counts = in.data();
        const auto* records = counts + bytes_of_counts;
        const auto* parents = records + successors * words;
        std::size_t left = successors;
        for_each_batch(pieces, from, ranks_->rank(), [&](auto& piece, std::size_t shard) {
            std::uint32_t count = 0;
            std::memcpy(&count, counts, sizeof(count));
            counts += sizeof(count);
            LOCKKEEPER_CHECK(count <= left);
            left -= count;
            piece.successors.receive(shard, shape, piece.first, {records, parents, count});
            records += count * words;
            parents += count;
        });
    }

    Ranks* ranks_;
    WorkCrew& crew_;
    RankFailure failure_;
    RankMessage mine_;
    std::vector<RankMessage> out_;
    std::vector<RankMessage> in_;
};

}  // namespace lockkeeper
