// SPDX-License-Identifier: Apache-2.0

// How the first rank gets what it writes into a checkpoint: it asks the owner of a shard, who sends
// the bytes in pieces, the last one empty. So a checkpoint is one file, the same as that of a
// process alone, and any number of ranks can go on from it.
#pragma once

#include "scheduler/base/checkpoint.hpp"
#include "scheduler/ranks/ranks.hpp"

namespace lockkeeper {

// While a checkpoint is written: by a process alone, or by the first rank. Until this ends there
// the others wait in ShardSender::serve.
class RankSaving {
  public:
    explicit RankSaving(Ranks* ranks) : ranks_(ranks) {}
    RankSaving(const RankSaving&) = delete;
    RankSaving& operator=(const RankSaving&) = delete;
    ~RankSaving() {
        for (std::size_t rank = 1; is_mine() && ranks_ != nullptr && rank < ranks_->count();
             ++rank) {
            ranks_->send(rank, {});
        }
    }
    [[nodiscard]] bool is_mine() const { return ranks_ == nullptr || ranks_->is_first(); }

    // Appends what the owner of the shard would write. When that fails the rest is passed over.
    static void append(Ranks& ranks, std::size_t shard, CheckpointWriter& file) {
        const std::size_t owner = ranks.owner_of(shard);
        RankMessage request;
        MessageWriter(request).value(std::uint64_t{shard});
        ranks.send(owner, request);
        std::string error;
        for (RankMessage piece = ranks.receive(owner); !piece.empty();
             piece = ranks.receive(owner)) {
            try {
                if (error.empty()) {
                    file.append(piece.data(), piece.size());
                }
            } catch (const CheckpointError& failed) {
                error = failed.what();
            }
        }
        if (!error.empty()) {
            throw CheckpointError(error);
        }
    }

  private:
    Ranks* ranks_;
};

// On the others: takes what a CheckpointWriter takes, and sends it to the first rank.
class ShardSender {
  public:
    explicit ShardSender(Ranks& ranks) : ranks_(ranks) {}

    // Until the first rank has written: calls send_shard(shard, sender) for each that it asks for.
    template <class SendShard>
    void serve(SendShard send_shard) {
        for (RankMessage request = ranks_.receive(0); !request.empty();
             request = ranks_.receive(0)) {
            send_shard(MessageReader(request).value<std::uint64_t>(), *this);
            flush();
            ranks_.send(0, {});
        }
    }

    template <class T>
    void value(const T& value) {
        begin_section(sizeof(T));
        append(&value, sizeof(T));
    }
    void begin_section(std::uint64_t size) { append(&size, sizeof(size)); }
    void append(const void* bytes, std::size_t size) {
        constexpr std::size_t kEnough = std::size_t{4} << 20U;
        lockkeeper::append(piece_, bytes, size);
        if (piece_.size() >= kEnough) {
            flush();
        }
    }

  private:
    void flush() {
        if (!piece_.empty()) {
            ranks_.send(0, piece_);
            piece_.clear();
        }
    }

    Ranks& ranks_;
    RankMessage piece_;
};

}  // namespace lockkeeper
