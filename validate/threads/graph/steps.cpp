// SPDX-License-Identifier: Apache-2.0

// What threads do in a run: events of the graph are repeated, others added with their alternatives.
#include <algorithm>
#include <numeric>

#include "validate/threads/graph/search.hpp"

namespace lockkeeper::threads {
namespace {

constexpr std::uint32_t kNoPlace = 0xffffffff;

Change leave(std::uint64_t, const void*) { return {}; }

}  // namespace

void Search::know_initial(const Access& access) {
    if (initial_.size() <= access.location) {
        initial_.resize(access.location + 1);
    }
    Initial& known = initial_[access.location];
    if (known.run != runs_) {
        known = {access.initial, runs_};
    }
}

std::uint64_t Search::value_of(Location location, EventId store) const {
    return store == kInitial ? initial_[location].value : graph().at(store).value;
}

Clock Search::seen_before(EventId event) const {
    if (model_ == Model::kC11) {
        return event.index == 0
                   ? Clock{}
                   : graph()
                         .at({event.thread, static_cast<std::uint16_t>(event.index - 1)})
                         .happens_before;
    }
    Clock before;
    before.count[event.thread] = event.index;
    return graph().in_any_order_before(before);
}

bool Search::is_full(Thread thread) {
    if (graph().length(thread) < kEventsMax) {
        return false;
    }
    has_too_many_ = true;
    ++counts_.dropped;
    return true;
}

bool Search::repeats(Thread thread, const Event& event) const {
    const Event& known = graph().events(thread)[run_.done[thread]];
    return known.kind == event.kind && known.location == event.location &&
           known.order == event.order;
}

void Search::set_clocks(EventId id) {
    Event& event = the_graph().at(id);
    const Thread thread = id.thread;
    event.happens_before = run_.known[thread];
    event.causes = run_.causes[thread];
    if (event.from != kInitial) {
        const Event& from = graph().at(event.from);
        event.causes.join(from.causes);
        if (event.kind != Kind::kLoad) {
            event.happens_before.join(from.happens_before);
        } else if (acquires(event.order)) {
            event.happens_before.join(from.message);
        }
    }
    if (event.kind == Kind::kFence && acquires(event.order)) {
        event.happens_before.join(run_.promised[thread]);
    }
    event.happens_before.include(id);
    event.causes.include(id);
    if (event.kind == Kind::kStore) {
        event.message = releases(event.order) ? event.happens_before : run_.fenced[thread];
        if (event.is_rmw) {  // a release sequence goes on
            const EventId from = graph().events(thread)[id.index - 1U].from;
            if (from != kInitial) {
                event.message.join(graph().at(from).message);
            }
        }
    }
}

void Search::finish_event(EventId id, bool is_new) {
    const Event& event = graph().at(id);
    const Thread thread = id.thread;
    run_.known[thread] = event.happens_before;
    run_.causes[thread] = event.causes;
    if (event.kind == Kind::kLoad && event.from != kInitial) {
        run_.promised[thread].join(graph().at(event.from).message);
    }
    if (event.kind == Kind::kFence && releases(event.order)) {
        run_.fenced[thread] = event.happens_before;
    }
    ++run_.done[thread];
    run_.left -= is_new ? 0 : 1;
    run_.order.push_back(id);
    ++counts_.events;
    if (choices() != nullptr) {
        choices()->done();
        run_.turn = kNobody;
    } else {
        run_.is_last = false;
    }
}

// Where interleavings are drawn, they are all that sequential consistency has: the newest store is
// read, and overwritten.
std::uint32_t Search::first_place(Thread thread, Location location) const {
    if (model_ == Model::kSc && choices() != nullptr && !choices()->is_script()) {
        return static_cast<std::uint32_t>(graph().stores(location).size());
    }
    return graph().places_seen(location, seen_before({thread, graph().length(thread)}));
}

// The newest store first; a store at which the thread would only wait for a newer one is left out.
std::optional<EventId> Search::new_load(Thread thread, const Access& access, Decide decide,
                                        const void* context) {
    Event event;
    event.kind = Kind::kLoad;
    event.order = order_of(access.order);
    event.location = access.location;
    event.site = access.site;
    event.is_same_again = is_same_again(thread, access);
    if (event.is_same_again) {
        event.from = graph().at(graph().last(thread)).from;
        return the_graph().add(thread, event);
    }
    const std::uint32_t least = first_place(thread, access.location);
    const auto count = static_cast<std::uint32_t>(graph().stores(access.location).size());
    std::uint32_t behind = count;
    if (choices() != nullptr) {
        const auto place = drawn_place(access, least, decide, context);
        if (!place) {
            wait_for_event(thread);
            return std::nullopt;
        }
        behind = *place;
    } else if (would_wait(thread, access, decide, context)) {
        wait_for_event(thread);
        return std::nullopt;
    }
    const EventId id = the_graph().add(thread, event);
    for (std::uint32_t place = least; place < count && choices() == nullptr; ++place) {
        const EventId store = graph().before_place(access.location, place);
        if (decide(value_of(access.location, store), context).way != Change::Way::kBlock) {
            push({Alternative::kRead, id, store, 0});
        }
    }
    the_graph().at(id).from = graph().before_place(access.location, behind);
    return id;
}

Answer Search::read(Thread thread, const Access& access, Decide decide, const void* context) {
    if (!has_turn(thread)) {
        return {Outcome::kWait, 0};
    }
    know_initial(access);
    const bool is_new = !is_repeating(thread);
    EventId id{thread, run_.done[thread]};
    if (is_new) {
        if (is_full(thread)) {
            return {Outcome::kDropped, 0};
        }
        const std::optional<EventId> added = new_load(thread, access, decide, context);
        if (!added) {
            return {Outcome::kWait, 0};
        }
        id = *added;
    }
    Event& event = the_graph().at(id);
    if (event.kind != Kind::kLoad || event.location != access.location) {
        return {Outcome::kDiverged, 0};
    }
    const std::uint64_t value = value_of(access.location, event.from);
    if (is_new || event.is_open) {
        const Change change = decide(value, context);
        event.is_open = false;
        event.is_rmw = change.way == Change::Way::kWrite;
        event.order = order_of(event.is_rmw ? access.order : access.order_left);
        event.value = value;
        set_clocks(id);
    } else if (event.value != value) {
        return {Outcome::kDiverged, 0};
    }
    finish_event(id, is_new);
    return {Outcome::kDone, value};
}

Answer Search::load(Thread thread, const Access& access) {
    Access only = access;
    only.order_left = access.order;
    return read(thread, only, leave, nullptr);
}

Answer Search::modify(Thread thread, const Access& access, Decide decide, const void* context) {
    const Answer answer = read(thread, access, decide, context);
    if (answer.outcome != Outcome::kDone) {
        return answer;
    }
    const Change change = decide(answer.value, context);
    switch (change.way) {
        case Change::Way::kLeave: break;
        case Change::Way::kBlock: return block(thread, 1);
        case Change::Way::kWrite: {
            const Outcome outcome = write(thread, access, true, change.value);
            return {outcome, answer.value};
        }
    }
    return answer;
}

Answer Search::store(Thread thread, const Access& access, std::uint64_t value) {
    if (!has_turn(thread)) {
        return {Outcome::kWait, 0};
    }
    know_initial(access);
    return {write(thread, access, false, value), 0};
}

Outcome Search::write(Thread thread, const Access& access, bool is_rmw, std::uint64_t value) {
    if (!is_repeating(thread)) {
        return new_store(thread, access, is_rmw, value);
    }
    const EventId id{thread, run_.done[thread]};
    const Event& event = graph().at(id);
    if (event.kind != Kind::kStore || event.location != access.location || event.value != value ||
        event.is_rmw != is_rmw) {
        return Outcome::kDiverged;
    }
    finish_event(id, false);
    return Outcome::kDone;
}

Outcome Search::new_store(Thread thread, const Access& access, bool is_rmw, std::uint64_t value) {
    if (is_full(thread)) {
        return Outcome::kDropped;
    }
    Event event;
    event.kind = Kind::kStore;
    event.order = order_of(access.order);
    event.is_rmw = is_rmw;
    event.location = access.location;
    event.place = kNoPlace;
    event.value = value;
    event.site = access.site;
    const std::uint32_t least = first_place(thread, access.location);
    const EventId id = the_graph().add(thread, event);
    set_clocks(id);
    if (choices() == nullptr) {
        find_revisits(id);
    }
    if (!place(id, least)) {
        ++counts_.dropped;
        return Outcome::kDropped;
    }
    finish_event(id, true);
    return Outcome::kDone;
}

bool Search::place(EventId store, std::uint32_t least) {
    Graph& graph = the_graph();
    const Event& event = graph.at(store);
    if (event.is_rmw) {
        const EventId read{store.thread, static_cast<std::uint16_t>(store.index - 1)};
        const std::uint32_t only = graph.place_behind(graph.at(read).from);
        if (only < least || graph.parts_rmw(event.location, only)) {
            return false;
        }
        graph.place(store, only);
        return true;
    }
    const auto count = static_cast<std::uint32_t>(graph.stores(event.location).size());
    if (count < least) {
        return false;
    }
    if (choices() != nullptr) {
        std::vector<std::uint32_t>& places = places_;
        places.assign(1, count);
        for (std::uint32_t place = count; place > least; --place) {
            if (!graph.parts_rmw(event.location, place - 1)) {
                places.push_back(place - 1);
            }
        }
        graph.place(store, places[choices()->option(places)]);
        return true;
    }
    for (std::uint32_t place = least; place < count; ++place) {
        if (!graph.parts_rmw(event.location, place)) {
            push({Alternative::kPlace, store, graph.before_place(event.location, place), 0});
        }
    }
    graph.place(store, count);
    return true;
}

bool Search::may_revisit(EventId load, EventId store) const {
    const Clock& causes = graph().at(store).causes;
    if (causes.has(load) || graph().at(load).is_same_again ||
        !graph().is_maximally_added(load, causes)) {
        return false;
    }
    const std::uint32_t stamp = graph().at(load).stamp;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        for (std::uint16_t index = graph().length(thread); index > causes.count[thread]; --index) {
            const EventId event{thread, static_cast<std::uint16_t>(index - 1)};
            if (graph().at(event).stamp <= stamp) {
                break;
            }
            if (!graph().is_maximally_added(event, causes)) {
                return false;
            }
        }
    }
    return true;
}

void Search::find_revisits(EventId store) {
    for (const EventId load : graph().loads(graph().at(store).location)) {
        if (may_revisit(load, store)) {
            push({Alternative::kRevisit, load, store, 0});
        }
    }
}

Answer Search::simple(Thread thread, const Event& event) {
    if (!has_turn(thread)) {
        return {Outcome::kWait, 0};
    }
    if (is_repeating(thread)) {
        if (!repeats(thread, event)) {
            return {Outcome::kDiverged, 0};
        }
        finish_event({thread, run_.done[thread]}, false);
    } else {
        if (is_full(thread)) {
            return {Outcome::kDropped, 0};
        }
        const EventId id = the_graph().add(thread, event);
        set_clocks(id);
        finish_event(id, true);
    }
    return {Outcome::kDone, graph().events(thread)[run_.done[thread] - 1U].value};
}

Answer Search::fence(Thread thread, Order order, std::uint64_t site) {
    Event event;
    event.kind = Kind::kFence;
    event.order = order_of(order);
    event.site = site;
    return simple(thread, event);
}

Answer Search::choose(Thread thread, std::uint64_t count, std::uint64_t site) {
    const bool is_new = !is_repeating(thread);
    Event event;
    event.site = site;
    if (is_new && choices() != nullptr) {
        if (!has_turn(thread)) {
            return {Outcome::kWait, 0};
        }
        std::vector<std::uint32_t> options(count);
        std::iota(options.begin(), options.end(), 0U);
        event.value = choices()->option(options);
    }
    const Answer answer = simple(thread, event);
    if (answer.outcome == Outcome::kDone && is_new && choices() == nullptr) {
        for (std::uint64_t other = 1; other < count; ++other) {
            push({Alternative::kChoose,
                  {thread, static_cast<std::uint16_t>(run_.done[thread] - 1)},
                  kInitial,
                  other});
        }
    }
    return answer;
}

}  // namespace lockkeeper::threads
