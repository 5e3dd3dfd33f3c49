// SPDX-License-Identifier: Apache-2.0

// An execution graph: the events of each thread in program order, what each read reads from, and
// the modification order of each location. It grows by one event at a time, and is cut back to what
// it was. Stamps say in which order events were added; along a thread they rise.
#pragma once

#include <span>
#include <vector>

#include "validate/threads/graph/event.hpp"

namespace lockkeeper::threads {

class Graph {
  public:
    [[nodiscard]] const Event& at(EventId event) const {
        return events_[event.thread][event.index];
    }
    [[nodiscard]] Event& at(EventId event) { return events_[event.thread][event.index]; }
    [[nodiscard]] std::uint16_t length(Thread thread) const {
        return static_cast<std::uint16_t>(events_[thread].size());
    }
    [[nodiscard]] std::span<const Event> events(Thread thread) const { return events_[thread]; }
    // The last event of the thread; it has one.
    [[nodiscard]] EventId last(Thread thread) const {
        return {thread, static_cast<std::uint16_t>(events_[thread].size() - 1)};
    }
    // The modification order, without the initial value.
    [[nodiscard]] std::span<const EventId> stores(Location location) const {
        return location < stores_.size() ? std::span<const EventId>(stores_[location])
                                         : std::span<const EventId>();
    }
    [[nodiscard]] std::span<const EventId> loads(Location location) const {
        return location < loads_.size() ? std::span<const EventId>(loads_[location])
                                        : std::span<const EventId>();
    }
    // The place behind the store: 0 for the initial value.
    [[nodiscard]] std::uint32_t place_behind(EventId store) const {
        return store == kInitial ? 0 : at(store).place + 1;
    }
    // The store before this place.
    [[nodiscard]] EventId before_place(Location location, std::uint32_t place) const {
        return place == 0 ? kInitial : stores_[location][place - 1];
    }

    // Adds it behind the last of its thread with the next stamp. A store is in no modification
    // order until it is placed.
    EventId add(Thread thread, Event event);
    void place(EventId store, std::uint32_t place);
    void displace(EventId store);
    // Takes everything away. The memory serves again.
    void clear();
    // Takes away the last event of the thread: a load that was added last of all.
    void take_last_load(Thread thread);
    // Takes away what was added later.
    void cut(std::uint32_t stamp);
    // Takes away what is neither that old nor in the set, which has with an event all causes.
    void keep(std::uint32_t stamp, const Clock& set);

    // How many places of the location's modification order the set has seen, by a store in it or by
    // a load in it that reads one: a new access behind the set reads no earlier store, and a new
    // store has no earlier place.
    [[nodiscard]] std::uint32_t places_seen(Location location, const Clock& set) const;
    // All events that come before the end of this set in every order that has program order,
    // reads-from, modification order and from-reads.
    [[nodiscard]] Clock in_any_order_before(Clock set) const;
    // A store at this place would stand between the read and the write of a read-modify-write.
    [[nodiscard]] bool parts_rmw(Location location, std::uint32_t place) const;
    // Is it so that the event would have been added last with the newest values? (TruSt: maximally
    // added, for a store that has these causes.)
    [[nodiscard]] bool is_maximally_added(EventId event, const Clock& causes) const;
    // RC11's last axiom: psc has no cycle.
    [[nodiscard]] bool is_psc_acyclic() const;

    // No later store of the location changes the value that the load has read, but for those of
    // each thread's last round, from this event of it on, which put it back.
    [[nodiscard]] bool reads_final_value(
        EventId load, const std::array<std::uint16_t, kThreadsMax>& rounds) const;
    // When the load was added, there was a store behind the one that it reads.
    [[nodiscard]] bool read_an_old_store(EventId load) const;

  private:
    void forget(EventId event);
    void shorten(Thread thread, std::uint16_t length);
    void causes_in_any_order(const Event& event, Clock& found) const;

    std::array<std::vector<Event>, kThreadsMax> events_;
    std::vector<std::vector<EventId>> stores_;  // by location
    std::vector<std::vector<EventId>> loads_;
    std::uint32_t next_stamp_ = 0;
};

}  // namespace lockkeeper::threads
