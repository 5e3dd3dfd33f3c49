// SPDX-License-Identifier: Apache-2.0

// Canal lock for C++ programs: limits how many may use a resource at once, by key, while the number
// of resources changes; what a crashed holder had comes back. docs/howto/use_the_native_lock.md
// says how to use it.
//
//   CanalLock<> lock;
//   auto holder = lock.join();                                  // a session, a worker, ...
//   if (auto unit = lock.acquire(holder, "db", {.max_per = 10, .buckets = nodes})) { ... }
//   lock.on_crash(id);                                          // from any thread, any time
//
// Lifetimes: the lock outlives its holders, a holder outlives its units. A unit gives itself back
// when it goes; a holder that goes leaves nothing behind. All functions may be called by any
// thread at any time; one Unit object, and moving a Holder, belongs to one thread at a time.
// Errors: statuses. Exceptions: std::bad_alloc only, by join() and the first use of a key, before
// anything is taken. No blocking: who is refused decides itself when to try again. acquire of a key
// seen before and release are lock-free; join, leaving and on_crash take locks of the table of
// holders. Limits: keys are never removed; 2^31 - 1 units of one key for one holder.
#pragma once

#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_unordered_map.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "impl/native/bucket_row.hpp"
#include "impl/native/native_core.hpp"
#include "impl/native/seat_list.hpp"
#include "impl/native/total_row.hpp"

namespace lockkeeper::native {

// Names a holder in the program's own books; never used twice in one lock.
using HolderId = std::uint64_t;

template <class RowType = TotalRow<StdAtomics>>
class CanalLock {
  public:
    using Row = RowType;

    // One key, looked up once. Stays valid as long as the lock.
    struct alignas(64) Key {  // a cache line of its own: keys do not disturb each other
        explicit Key(const typename Row::Options& options) : row(options) {}
        Row row;
    };

  private:
    using Seats = SeatList<StdAtomics, Row>;
    using Seat = typename Seats::Seat;

  public:
    class Unit;
    class Holder;

    explicit CanalLock(typename Row::Options options = {}) : options_(options) {}

    Key& key(std::string_view name) {
        const auto found = keys_.find(name);
        if (found != keys_.end()) {
            return *found->second;
        }
        return *keys_.emplace(std::string(name), std::make_unique<Key>(options_)).first->second;
    }

    [[nodiscard]] Holder join() {
        // Relaxed: only that no two are equal matters.
        const HolderId id = next_id_.fetch_add(1, std::memory_order_relaxed);
        auto seats = std::make_unique<Seats>();
        holders_.emplace(id, seats.get());
        return Holder(*this, id, std::move(seats));
    }

    [[nodiscard]] Unit acquire(Holder& holder, std::string_view name, View view) {
        return acquire(holder, key(name), view);
    }
    [[nodiscard]] Unit acquire(Holder& holder, Key& key, View view) {
        Seat* const seat = holder.seats_->seat_for(key.row);
        if (seat == nullptr) {
            return Unit({AcquireStatus::kHolderGone, 0}, nullptr, view);
        }
        return Unit(acquire_unit(key.row, seat->tally, view), seat, view);
    }

    // Gives back what the holder has, and refuses it from now on. Returns how many units came back
    // by this call: 0 when there were none, when it was reported before, or has left.
    std::uint64_t on_crash(HolderId id) {
        // Reads, so that reports do not wait for each other; leaving waits for them.
        typename Holders::const_accessor found;
        return holders_.find(found, id) ? give_back_all(*found->second) : 0;
    }

  private:
    // The standard allocator: TBB's own hides from sanitizers that memory was freed in between.
    using Holders = tbb::concurrent_hash_map<HolderId, Seats*, tbb::tbb_hash_compare<HolderId>,
                                             std::allocator<std::pair<const HolderId, Seats*>>>;
    struct NameHash {
        using transparent_key_equal = std::equal_to<>;  // TBB's word for: finds string_views too
        std::size_t operator()(std::string_view name) const {
            return std::hash<std::string_view>()(name);
        }
    };
    using Keys = tbb::concurrent_unordered_map<
        std::string, std::unique_ptr<Key>, NameHash, std::equal_to<>,
        std::allocator<std::pair<const std::string, std::unique_ptr<Key>>>>;

    static std::uint64_t give_back_all(Seats& seats) {
        std::uint64_t units = 0;
        for (Seat* seat = seats.close(); seat != nullptr; seat = seat->next) {
            units += give_back_for_the_dead(seat->row, seat->tally);
        }
        return units;
    }

    void leave(HolderId id, Seats& seats) {
        holders_.erase(id);  // waits for reports that are under way
        give_back_all(seats);
    }

    typename Row::Options options_;
    Keys keys_;
    Holders holders_;
    std::atomic<HolderId> next_id_{1};
};

// One unit of a key, or the answer that there is none.
template <class RowType>
class CanalLock<RowType>::Unit {
  public:
    Unit(Unit&& other) noexcept
        : acquired_(other.acquired_),
          seat_(std::exchange(other.seat_, nullptr)),
          view_(other.view_) {}
    Unit& operator=(Unit&& other) noexcept {
        if (this != &other) {
            release();
            acquired_ = other.acquired_;
            seat_ = std::exchange(other.seat_, nullptr);
            view_ = other.view_;
        }
        return *this;
    }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;
    ~Unit() { release(); }

    // Whether it was granted and not given back through this handle.
    explicit operator bool() const { return seat_ != nullptr; }
    [[nodiscard]] AcquireStatus status() const { return acquired_.status; }
    [[nodiscard]] std::uint64_t count() const { return acquired_.count; }

    // kNotHeld: the holder was reported as crashed, which gave the unit back.
    ReleaseStatus release() {
        Seat* const seat = std::exchange(seat_, nullptr);
        return seat == nullptr ? ReleaseStatus::kNotHeld
                               : release_unit(seat->row, seat->tally, view_.max_per);
    }

  private:
    friend class CanalLock;
    Unit(Acquired acquired, Seat* seat, View view)
        : acquired_(acquired),
          seat_(acquired.status == AcquireStatus::kAcquired ? seat : nullptr),
          view_(view) {}

    Acquired acquired_;
    Seat* seat_;
    View view_;
};

// Somebody who can hold units, and die.
template <class RowType>
class CanalLock<RowType>::Holder {
  public:
    Holder(Holder&& other) noexcept = default;
    Holder& operator=(Holder&&) = delete;
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() {
        if (seats_) {
            lock_->leave(id_, *seats_);
        }
    }

    [[nodiscard]] HolderId id() const { return id_; }

  private:
    friend class CanalLock;
    Holder(CanalLock& lock, HolderId id, std::unique_ptr<Seats> seats)
        : lock_(&lock), id_(id), seats_(std::move(seats)) {}

    CanalLock* lock_;
    HolderId id_;
    std::unique_ptr<Seats> seats_;
};

// The repaired algorithm, and the published one beside it.
using RepairedCanalLock = CanalLock<TotalRow<StdAtomics>>;
using PublishedCanalLock = CanalLock<BucketRow<StdAtomics>>;

}  // namespace lockkeeper::native
