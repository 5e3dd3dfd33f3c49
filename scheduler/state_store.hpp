// Where the explorer keeps the states that it has seen, each under a number given in the order of
// discovery.
//
// Exact: the bytes are kept, and compared whenever fingerprints agree. A state costs its bytes,
// four more for its parent and 8 / load of the table (load 0.38 to 0.75). Fingerprints only: 64
// bits a state and the states that are yet to be expanded; two states with one fingerprint are
// taken for one, and the explorer prints how likely that was.
#pragma once

#define XXH_INLINE_ALL
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#include <xxhash.h>

#include "model/check.hpp"
#include "model/system.hpp"

namespace lockkeeper {

using StateId = std::uint32_t;
inline constexpr StateId kNoState = 0xFFFFFFFFU;

template <PlainState State>
[[nodiscard]] inline std::uint64_t fingerprint(const State& state) {
    return XXH3_64bits(&state, sizeof(State));
}

// A growing array that never moves its elements and asks the system for large pages.
template <class T>
class ChunkedArray {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return chunks_.size() * kChunkBytes; }
    [[nodiscard]] const T& operator[](std::size_t index) const {
        return chunks_[index >> kShift].get()[index & kMask];
    }
    [[nodiscard]] T& operator[](std::size_t index) {
        return chunks_[index >> kShift].get()[index & kMask];
    }
    void push_back(const T& value) {
        if ((size_ & kMask) == 0) {
            add_chunk();
        }
        std::memcpy(&(*this)[size_], &value, sizeof(T));
        ++size_;
    }

  private:
    static constexpr std::size_t kShift = 15;
    static constexpr std::size_t kMask = (std::size_t{1} << kShift) - 1;
    static constexpr std::size_t kPageBytes = std::size_t{2} << 20U;
    static constexpr std::size_t kWanted = sizeof(T) << kShift;
    static constexpr std::size_t kChunkBytes = (kWanted + 4095) / 4096 * 4096;

    struct Free {
        void operator()(T* pointer) const { std::free(pointer); }
    };

    void add_chunk() {
        const std::size_t alignment = kChunkBytes % kPageBytes == 0 ? kPageBytes : 4096;
        void* memory = std::aligned_alloc(alignment, kChunkBytes);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        if (alignment == kPageBytes) {
            madvise(memory, kChunkBytes, MADV_HUGEPAGE);
        }
        chunks_.emplace_back(static_cast<T*>(memory));
    }

    std::vector<std::unique_ptr<T, Free>> chunks_;
    std::size_t size_ = 0;
};

// Open addressing from fingerprint to number. A slot is 32 bits of the fingerprint and the number.
class VisitedTable {
  public:
    VisitedTable() { allocate(std::size_t{1} << 12U); }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[home(hash)]); }
    [[nodiscard]] bool is_crowded() const { return count_ * 4 >= (mask_ + 1) * 3; }
    [[nodiscard]] std::size_t bytes() const { return (mask_ + 1) * sizeof(std::uint64_t); }

    // The number of the first slot whose 32 bits agree, or kNoState: what will have to be compared.
    [[nodiscard]] StateId candidate(std::uint64_t hash) const {
        const std::uint64_t slot = slots_[home(hash)];
        return slot != 0 && slot >> 32U == tag(hash) ? number(slot) : kNoState;
    }

    // The number for which is_same(number) holds, or kNoState.
    template <class IsSame>
    [[nodiscard]] StateId find(std::uint64_t hash, IsSame is_same) const {
        for (std::size_t at = home(hash);; at = (at + 1) & mask_) {
            const std::uint64_t slot = slots_[at];
            if (slot == 0) {
                return kNoState;
            }
            if (slot >> 32U == tag(hash) && is_same(number(slot))) {
                return number(slot);
            }
        }
    }

    // `id` must be new.
    void insert(std::uint64_t hash, StateId id) {
        std::size_t at = home(hash);
        while (slots_[at] != 0) {
            at = (at + 1) & mask_;
        }
        slots_[at] = tag(hash) << 32U | (std::uint64_t{id} + 1);
        ++count_;
    }

    // Twice as many slots; hash_of(id) gives the fingerprints again.
    template <class HashOf>
    void grow(HashOf hash_of) {
        const std::size_t count = count_;
        allocate((mask_ + 1) * 2);
        constexpr std::size_t kAhead = 32;
        std::uint64_t ring[kAhead] = {};
        for (std::size_t id = 0; id < count + kAhead; ++id) {
            if (id >= kAhead) {
                insert(ring[id % kAhead], static_cast<StateId>(id - kAhead));
            }
            if (id < count) {
                ring[id % kAhead] = hash_of(static_cast<StateId>(id));
                prefetch(ring[id % kAhead]);
            }
        }
    }

  private:
    [[nodiscard]] std::size_t home(std::uint64_t hash) const { return hash & mask_; }
    [[nodiscard]] static std::uint64_t tag(std::uint64_t hash) { return hash >> 32U; }
    [[nodiscard]] static StateId number(std::uint64_t slot) {
        return static_cast<StateId>(slot - 1);
    }

    struct Free {
        void operator()(std::uint64_t* pointer) const { std::free(pointer); }
    };

    void allocate(std::size_t slots_count) {
        const std::size_t size = slots_count * sizeof(std::uint64_t);
        const std::size_t alignment =
            size >= (std::size_t{2} << 20U) ? std::size_t{2} << 20U : 4096;
        slots_.reset();
        void* memory = std::aligned_alloc(alignment, size);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        madvise(memory, size, MADV_HUGEPAGE);
        std::memset(memory, 0, size);
        slots_.reset(static_cast<std::uint64_t*>(memory));
        mask_ = slots_count - 1;
        count_ = 0;
    }

    std::unique_ptr<std::uint64_t[], Free> slots_;
    std::size_t mask_ = 0;
    std::size_t count_ = 0;
};

struct Visit {
    StateId id = kNoState;
    bool is_new = false;
};

template <PlainState State>
class ExactStore {
  public:
    static constexpr bool kIsExact = true;

    [[nodiscard]] std::size_t size() const { return states_.size(); }
    [[nodiscard]] std::size_t bytes() const {
        return states_.size() * (sizeof(State) + sizeof(StateId)) + table_.bytes();
    }
    [[nodiscard]] const State& state(StateId id) const { return states_[id]; }
    [[nodiscard]] StateId parent(StateId id) const { return parents_[id]; }
    [[nodiscard]] bool is_same(StateId id, const State& state, std::uint64_t) const {
        return std::memcmp(&states_[id], &state, sizeof(State)) == 0;
    }

    void prefetch_slot(std::uint64_t hash) const { table_.prefetch(hash); }
    void prefetch_state(std::uint64_t hash) const {
        const StateId id = table_.candidate(hash);
        if (id != kNoState) {
            __builtin_prefetch(&states_[id]);
        }
    }
    [[nodiscard]] StateId find(const State& state, std::uint64_t hash) const {
        return table_.find(hash, [&](StateId id) { return is_same(id, state, hash); });
    }
    Visit visit(const State& state, std::uint64_t hash, StateId parent) {
        const StateId known = find(state, hash);
        if (known != kNoState) {
            return {known, false};
        }
        LOCKKEEPER_CHECK(size() < kNoState);
        const auto id = static_cast<StateId>(size());
        states_.push_back(state);
        parents_.push_back(parent);
        table_.insert(hash, id);
        if (table_.is_crowded()) {
            table_.grow([&](StateId of) { return fingerprint(states_[of]); });
        }
        return {id, true};
    }
    void release_up_to(StateId) {}

  private:
    ChunkedArray<State> states_;
    ChunkedArray<StateId> parents_;
    VisitedTable table_;
};

template <PlainState State>
class FingerprintStore {
  public:
    static constexpr bool kIsExact = false;

    [[nodiscard]] std::size_t size() const { return fingerprints_.size(); }
    [[nodiscard]] std::size_t bytes() const {
        return fingerprints_.size() * (sizeof(std::uint64_t) + sizeof(StateId)) + table_.bytes() +
               waiting_.size() * sizeof(State);
    }
    // Only of states that release_up_to has not dropped.
    [[nodiscard]] const State& state(StateId id) const { return waiting_[id - first_waiting_]; }
    [[nodiscard]] StateId parent(StateId id) const { return parents_[id]; }
    [[nodiscard]] bool is_same(StateId id, const State&, std::uint64_t hash) const {
        return fingerprints_[id] == hash;
    }

    void prefetch_slot(std::uint64_t hash) const { table_.prefetch(hash); }
    void prefetch_state(std::uint64_t hash) const {
        const StateId id = table_.candidate(hash);
        if (id != kNoState) {
            __builtin_prefetch(&fingerprints_[id]);
        }
    }
    Visit visit(const State& state, std::uint64_t hash, StateId parent) {
        const StateId known =
            table_.find(hash, [&](StateId id) { return is_same(id, state, hash); });
        if (known != kNoState) {
            return {known, false};
        }
        LOCKKEEPER_CHECK(size() < kNoState);
        const auto id = static_cast<StateId>(size());
        fingerprints_.push_back(hash);
        parents_.push_back(parent);
        waiting_.push_back(state);
        table_.insert(hash, id);
        if (table_.is_crowded()) {
            table_.grow([&](StateId of) { return fingerprints_[of]; });
        }
        return {id, true};
    }
    void release_up_to(StateId id) {
        while (first_waiting_ < id) {
            waiting_.pop_front();
            ++first_waiting_;
        }
    }

  private:
    ChunkedArray<std::uint64_t> fingerprints_;
    ChunkedArray<StateId> parents_;
    std::deque<State> waiting_;
    StateId first_waiting_ = 0;
    VisitedTable table_;
};

}  // namespace lockkeeper
