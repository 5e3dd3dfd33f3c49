// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/graph/graph.hpp"

#include <algorithm>
#include <utility>

namespace lockkeeper::threads {

EventId Graph::add(Thread thread, Event event) {
    event.stamp = next_stamp_++;
    events_[thread].push_back(event);
    const EventId id = last(thread);
    if (event.kind == Kind::kLoad || event.kind == Kind::kStore) {
        if (stores_.size() <= event.location) {
            stores_.resize(event.location + 1);
            loads_.resize(event.location + 1);
        }
        if (event.kind == Kind::kLoad) {
            loads_[event.location].push_back(id);
        }
    }
    return id;
}

void Graph::place(EventId store, std::uint32_t place) {
    std::vector<EventId>& order = stores_[at(store).location];
    order.insert(order.begin() + place, store);
    for (std::uint32_t index = place; index < order.size(); ++index) {
        at(order[index]).place = index;
    }
}

void Graph::displace(EventId store) {
    std::vector<EventId>& order = stores_[at(store).location];
    const std::uint32_t place = at(store).place;
    if (place >= order.size() || order[place] != store) {
        return;  // never placed
    }
    order.erase(order.begin() + place);
    for (std::uint32_t index = place; index < order.size(); ++index) {
        at(order[index]).place = index;
    }
}

void Graph::forget(EventId event) {
    const Event& known = at(event);
    if (known.kind == Kind::kLoad) {
        std::vector<EventId>& loads = loads_[known.location];
        const auto found = std::find(loads.rbegin(), loads.rend(), event);
        loads.erase(std::next(found).base());
    } else if (known.kind == Kind::kStore) {
        displace(event);
    }
}

void Graph::shorten(Thread thread, std::uint16_t length) {
    std::vector<Event>& events = events_[thread];
    while (events.size() > length) {
        forget(last(thread));
        events.pop_back();
    }
    // A read-modify-write of which only the read is left.
    if (!events.empty() && events.back().kind == Kind::kLoad && events.back().is_rmw) {
        events.back().is_open = true;
    }
}

void Graph::clear() {
    const auto empty = [](auto& lists) {
        for (auto& list : lists) {
            list.clear();
        }
    };
    empty(events_);
    empty(stores_);
    empty(loads_);
    next_stamp_ = 0;
}

void Graph::take_last_load(Thread thread) {
    forget(last(thread));
    events_[thread].pop_back();
    --next_stamp_;
}

void Graph::cut(std::uint32_t stamp) {
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        std::uint16_t length = this->length(thread);
        while (length > 0 && events_[thread][length - 1U].stamp > stamp) {
            --length;
        }
        if (length < this->length(thread)) {
            shorten(thread, length);
        }
    }
    next_stamp_ = stamp + 1;
}

void Graph::keep(std::uint32_t stamp, const Clock& set) {
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        std::uint16_t length = this->length(thread);
        while (length > set.count[thread] && events_[thread][length - 1U].stamp > stamp) {
            --length;
        }
        if (length < this->length(thread)) {
            shorten(thread, length);
        }
    }
}

std::uint32_t Graph::places_seen(Location location, const Clock& set) const {
    const std::span<const EventId> order = stores(location);
    std::uint32_t seen = 0;
    for (std::uint32_t place = static_cast<std::uint32_t>(order.size()); place > 0; --place) {
        if (set.has(order[place - 1])) {
            seen = place;
            break;
        }
    }
    for (const EventId load : loads(location)) {
        if (set.has(load)) {
            seen = std::max(seen, place_behind(at(load).from));
        }
    }
    return seen;
}

bool Graph::parts_rmw(Location location, std::uint32_t place) const {
    const std::span<const EventId> order = stores(location);
    return place < order.size() && at(order[place]).is_rmw;
}

// What comes directly before it in program order is not asked for.
void Graph::causes_in_any_order(const Event& event, Clock& found) const {
    if (event.kind != Kind::kStore) {
        found.include(event.from);
        return;
    }
    const std::span<const EventId> order = stores(event.location);
    if (event.place >= order.size() || &at(order[event.place]) != &event) {
        return;  // not placed
    }
    const EventId previous = before_place(event.location, event.place);
    found.include(previous);
    for (const EventId load : loads(event.location)) {
        if (at(load).from == previous) {
            found.include(load);
        }
    }
}

Clock Graph::in_any_order_before(Clock set) const {
    Clock done;
    for (bool changed = true; changed;) {
        changed = false;
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            while (done.count[thread] < set.count[thread]) {
                causes_in_any_order(events_[thread][done.count[thread]++], set);
                changed = true;
            }
        }
    }
    return set;
}

bool Graph::is_maximally_added(EventId event, const Clock& causes) const {
    const Event& known = at(event);
    const auto is_previous = [&](EventId other) {
        return other == kInitial || causes.has(other) || at(other).stamp <= known.stamp;
    };
    if (known.kind == Kind::kChoice) {
        return known.value == 0;
    }
    if ((known.kind != Kind::kLoad && known.kind != Kind::kStore) || known.is_same_again) {
        return true;
    }
    if (known.kind == Kind::kStore) {
        for (const EventId load : loads(known.location)) {
            if (at(load).from == event && is_previous(load)) {
                return false;
            }
        }
    }
    const EventId store = known.kind == Kind::kStore ? event : known.from;
    if (!is_previous(store)) {
        return false;
    }
    const std::span<const EventId> order = stores(known.location);
    return std::none_of(order.begin() + place_behind(store), order.end(), is_previous);
}

bool Graph::reads_final_value(EventId load,
                              const std::array<std::uint16_t, kThreadsMax>& rounds) const {
    const std::span<const EventId> order = stores(at(load).location);
    const std::uint32_t next = place_behind(at(load).from);
    return next == order.size() ||
           (at(order.back()).value == at(load).value &&
            std::all_of(order.begin() + next, order.end(), [&](EventId store) {
                return store.index >= rounds[store.thread] ||
                       (at(store).is_rmw && at(store).value == at(load).value);
            }));
}

bool Graph::read_an_old_store(EventId load) const {
    const std::span<const EventId> order = stores(at(load).location);
    const std::uint32_t next = place_behind(at(load).from);
    return std::any_of(order.begin() + next, order.end(),
                       [&](EventId store) { return at(store).stamp < at(load).stamp; });
}

}  // namespace lockkeeper::threads
