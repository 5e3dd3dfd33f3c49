// SPDX-License-Identifier: Apache-2.0

// The tallies of one holder, one for each key it has asked for. It only grows, until it is closed;
// threads of the holder look up and add, whoever reports the crash closes. Used by native_lock.hpp.
//
//   (empty) --push--> seat -> seat -> ... --close--> closed: nothing is found or added any more
//
// Invariant N4: a seat is in the list that close() hands out, or was never usable; so no unit can
// be tallied where nobody looks. Limit: looking up walks over the keys of the holder.
#pragma once

#include <memory>

#include "impl/native/native_core.hpp"

namespace lockkeeper::native {

template <class Atomics, class Row>
class SeatList {
  public:
    struct Seat {
        explicit Seat(Row& its_row) : row(its_row) {}
        Row& row;
        Tally<Atomics> tally;
        Seat* next = nullptr;
    };

    SeatList() = default;
    SeatList(const SeatList&) = delete;
    SeatList& operator=(const SeatList&) = delete;
    SeatList(SeatList&&) = delete;
    SeatList& operator=(SeatList&&) = delete;
    // No other thread may use the list any more.
    ~SeatList() {
        close();
        while (closed_seats_ != nullptr) {
            const std::unique_ptr<Seat> seat(closed_seats_);
            closed_seats_ = seat->next;
        }
    }

    // nullptr: closed.
    Seat* seat_for(Row& row) {
        // Acquire: the seat's members were written by the thread that pushed it.
        Seat* first = head_.load(std::memory_order_acquire);
        Seat* found = find(first, nullptr, row);
        if (found != nullptr || first == closed()) {
            return found;
        }
        auto fresh = std::make_unique<Seat>(row);
        while (true) {
            fresh->next = first;
            Seat* const seen = first;
            // Release: publishes the seat. Acquire: seats that others pushed meanwhile are looked
            // through, in both outcomes, and after close() nothing of the list is touched.
            if (head_.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
                return fresh.release();
            }
            found = first == closed() ? nullptr : find(first, seen, row);
            if (found != nullptr || first == closed()) {
                return found;
            }
        }
    }

    // The seats, once; nullptr when there are none or it was closed before. They live as long as
    // the list, because handles still point to them.
    Seat* close() {
        // Acquire: as in seat_for(). Release is not needed: the mark points to nothing.
        Seat* const seats = head_.exchange(closed(), std::memory_order_acquire);
        if (seats == closed()) {
            return nullptr;
        }
        closed_seats_ = seats;
        return seats;
    }

  private:
    // An address that no seat has.
    Seat* closed() { return reinterpret_cast<Seat*>(&closed_mark_); }

    Seat* find(Seat* from, const Seat* until, const Row& row) {
        if (from == closed()) {
            return nullptr;
        }
        for (; from != until; from = from->next) {
            if (&from->row == &row) {
                return from;
            }
        }
        return nullptr;
    }

    typename Atomics::template Atomic<Seat*> head_{nullptr};
    Seat* closed_seats_ = nullptr;  // written by the one call of close() that found them
    alignas(Seat) unsigned char closed_mark_ = 0;
};

}  // namespace lockkeeper::native
