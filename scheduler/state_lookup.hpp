// The numbers of successors of stored states, many at a time, so that memory is waited for once:
// slots of the table are prefetched while successors are added, then the records they lead to.
#pragma once

#include <array>
#include <vector>

#include "scheduler/reached.hpp"

namespace lockkeeper {

template <System S>
class StateLookup {
  public:
    using State = typename S::State;
    using Number = std::uint32_t;

    explicit StateLookup(const Reached<S>& reached)
        : reached_(reached), words_(reached.store().shape().words) {
        for (std::size_t i = 0; i < StateStore::kShards; ++i) {
            const std::size_t shard = (reached.progress.first_shard + i) % StateStore::kShards;
            first_number_[shard] = i == 0 ? 0 : last_;
            last_ = first_number_[shard] + reached.store().size_of(shard);
        }
    }

    // `after` is a successor of `before`, which stands in the store as `record`.
    void add(const State& before, const std::uint64_t* record, const State& after) {
        if (records_.size() < (hashes_.size() + 1) * words_) {
            records_.resize((hashes_.size() + 1) * words_ * 2);
        }
        std::uint64_t* found = records_.data() + hashes_.size() * words_;
        LOCKKEEPER_CHECK(reached_.knowledge().codec.pack(before, record, after, found));
        hashes_.push_back(reached_.store().shape().fingerprint(found));
        reached_.store().prefetch_slot(hashes_.back());
    }

    [[nodiscard]] bool is_full() const { return hashes_.size() >= kTogether; }

    // Appends the number of each that was added, in order, and forgets them.
    void take(std::vector<Number>& out) {
        places_.clear();
        for (const std::uint64_t hash : hashes_) {
            places_.push_back(reached_.store().look_ahead(hash));
        }
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            const StateId id =
                reached_.store().find(records_.data() + i * words_, hashes_[i], places_[i]);
            LOCKKEEPER_CHECK(id != kNoState);
            out.push_back(static_cast<Number>(first_number_[StateStore::shard_of(id)] +
                                              StateStore::index_of(id)));
        }
        hashes_.clear();
    }

  private:
    static constexpr std::size_t kTogether = 64;

    const Reached<S>& reached_;
    std::size_t words_;
    std::array<std::size_t, StateStore::kShards> first_number_{};
    std::size_t last_ = 0;
    std::vector<std::uint64_t> records_;
    std::vector<std::uint64_t> hashes_;
    std::vector<StateStore::Place> places_;
};

}  // namespace lockkeeper
