// SPDX-License-Identifier: Apache-2.0

// Which graph comes next, and whose turn it is in a run.
#include "validate/threads/graph/search.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lockkeeper::threads {

void Search::start_run() {
    std::vector<EventId> order = std::move(run_.order);
    order.clear();
    std::destroy_at(&run_);
    std::construct_at(&run_);  // where it is: it is large
    run_.order = std::move(order);
    run_.joins.fill(kNobody);
    run_.path.fill(kNoPath);
    run_.path[0] = 0;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        run_.left += graph().length(thread);
    }
    run_.repeated = run_.left;
    ++runs_;
}

bool Search::begin() {
    repeats_ = false;
    if (choices_ != nullptr) {
        if (!choices_->begin()) {
            return false;
        }
        // The memory of the run before serves again.
        frames_.resize(std::min<std::size_t>(frames_.size(), 1));
        if (frames_.empty()) {
            frames_.push_back(std::make_unique<Frame>());
        }
        the_graph().clear();
        frames_.back()->items.clear();
        start_run();
        return true;
    }
    if (!has_begun_) {
        has_begun_ = true;
        frames_.push_back(std::make_unique<Frame>());
        start_run();
        return true;
    }
    while (true) {
        Frame& frame = *frames_.back();
        if (frame.items.empty()) {
            if (frames_.size() == 1) {
                return false;
            }
            spare_.push_back(std::move(frames_.back()));
            frames_.pop_back();
            continue;
        }
        const Item item = frame.items.back();
        frame.items.pop_back();
        if (apply(item)) {
            start_run();
            return true;
        }
    }
}

void Search::repeat(const Graph& graph) {
    auto frame = std::make_unique<Frame>();
    frame->graph = graph;
    frames_.clear();
    frames_.push_back(std::move(frame));
    repeat();
}

bool Search::apply(const Item& item) {
    Graph& graph = the_graph();
    if (item.what == Alternative::kRevisit) {
        return apply_revisit(item);
    }
    graph.cut(graph.at(item.event).stamp);
    Event& event = graph.at(item.event);
    switch (item.what) {
        case Alternative::kRead:
            event.from = item.other;
            event.is_open = true;
            break;
        case Alternative::kPlace:
            graph.displace(item.event);
            graph.place(item.event, graph.place_behind(item.other));
            break;
        case Alternative::kChoose: event.value = item.value; break;
        case Alternative::kRevisit: break;
    }
    return true;
}

// The store serves the older load: what was added behind the load and does not cause the store
// goes.
bool Search::apply_revisit(const Item& item) {
    const EventId load = item.event;
    const EventId store = item.other;
    the_graph().cut(the_graph().at(store).stamp);
    std::unique_ptr<Frame> frame;
    if (spare_.empty()) {
        frame = std::make_unique<Frame>();
    } else {
        frame = std::move(spare_.back());
        spare_.pop_back();
    }
    frame->graph = graph();
    frame->items.clear();
    frames_.push_back(std::move(frame));
    Graph& made = the_graph();
    made.displace(store);
    made.keep(made.at(load).stamp, made.at(store).causes);
    made.at(load).from = store;
    made.at(load).is_open = true;
    const Location location = made.at(load).location;
    const std::uint32_t least = std::max(made.places_seen(location, seen_before(store)),
                                         made.places_seen(location, seen_before(load)));
    return place(store, least);
}

bool Search::can_repeat(Thread thread) const {
    if (!is_repeating(thread)) {
        return false;
    }
    const Event& event = graph().events(thread)[run_.done[thread]];
    return !event.is_open && is_done(event.from);
}

bool Search::is_open_and_ready(Thread thread) const {
    return is_repeating(thread) && is_done(graph().events(thread)[run_.done[thread]].from);
}

bool Search::can_go_on(Thread thread) const {
    if (run_.path[thread] == kNoPath || run_.ended[thread] || run_.blocked[thread]) {
        return false;
    }
    const Thread joined = run_.joins[thread];
    return joined == kNobody || run_.ended[joined];
}

// The first of them in the order in which they were spawned, children behind their parents.
Thread Search::first_thread(bool (Search::*may)(Thread) const) const {
    Thread first = kNobody;
    for (Thread thread = 0; thread < run_.threads; ++thread) {
        if ((this->*may)(thread) && (first == kNobody || run_.path[thread] < run_.path[first])) {
            first = thread;
        }
    }
    return first;
}

// First all that the graph has; then the loads whose source has changed, with what their threads
// make of them; then one more event of the first thread that can go on with the newest values; then
// of the first that waits for other ones, which nobody will store. So the next event is a function
// of the graph, however it came to be: that each graph is met once depends on it. A thread that
// waits has no event until there is a value for it, which so needs no revisit.
Thread Search::pick() {
    if (run_.left > 0) {
        for (Thread thread = 0; thread < run_.threads; ++thread) {
            if (can_repeat(thread)) {
                return thread;
            }
        }
        const Thread open = first_thread(&Search::is_open_and_ready);
        if (open == kNobody) {
            throw std::logic_error("threads: a graph cannot be repeated");
        }
        return open;
    }
    if (choices() != nullptr) {
        return drawn();
    }
    const Thread ready = first_thread(&Search::is_ready);
    if (ready != kNobody) {
        return ready;
    }
    const Thread paused = first_thread(&Search::has_paused);
    if (paused != kNobody) {
        return paused;
    }
    run_.is_last = true;
    return first_thread(&Search::can_go_on);
}

bool Search::has_turn(Thread thread) { return can_repeat(thread) || pick() == thread; }

std::uint16_t Search::round_of(Thread thread, std::uint16_t loads) const {
    const std::span<const Event> events = graph().events(thread);
    std::uint16_t first = run_.done[thread];
    for (std::uint16_t left = loads; first > 0 && left > 0; --first) {
        left = static_cast<std::uint16_t>(left - (events[first - 1U].kind == Kind::kLoad ? 1 : 0));
    }
    return first;
}

// A thread stores again in the next round what it has stored in this one. Those of other threads
// that wait come behind this one's, and so on in turn: none of them ends another's.
bool Search::is_final(Thread thread, const Rounds& loads) const {
    Rounds rounds{};
    for (Thread other = 0; other < kThreadsMax; ++other) {
        rounds[other] = loads[other] > 0 ? round_of(other, loads[other])
                                         : std::numeric_limits<std::uint16_t>::max();
    }
    const std::uint16_t first = round_of(thread, loads[thread]);
    for (std::uint16_t index = first; index < run_.done[thread]; ++index) {
        const Event& event = graph().at({thread, index});
        const bool is_own = event.from.thread == thread && event.from.index >= first;
        if (event.kind == Kind::kLoad && !is_own &&
            !graph().reads_final_value({thread, index}, rounds)) {
            return false;
        }
    }
    return true;
}

EventId Search::waits_at(Thread thread) const {
    for (std::uint16_t index = run_.done[thread]; run_.blocked[thread] && index > 0; --index) {
        const EventId event{thread, static_cast<std::uint16_t>(index - 1)};
        if (graph().at(event).kind == Kind::kLoad) {
            return event;
        }
    }
    return kInitial;
}

bool Search::is_same_again(Thread thread, const Access& access) const {
    if (!access.waits_in_loop || choices() != nullptr || graph().length(thread) == 0) {
        return false;
    }
    const Event& last = graph().at(graph().last(thread));
    return last.kind == Kind::kLoad && !last.is_rmw && last.location == access.location &&
           last.site == access.site;
}

bool Search::is_consistent() const { return model_ == Model::kSc || graph().is_psc_acyclic(); }

Ending Search::finish() {
    bool is_complete = true;
    bool is_stuck = true;
    for (Thread thread = 0; thread < run_.threads; ++thread) {
        if (run_.path[thread] != kNoPath && !run_.ended[thread]) {
            is_complete = false;
            is_stuck = is_stuck && is_final(thread, run_.awaited) && !run_.times_out[thread];
        }
    }
    // Where the first thread has ended, the process has.
    is_complete = is_complete || (is_stuck && run_.ended[0]);
    if (!is_complete && !is_stuck) {
        ++counts_.unfinished;
        return Ending::kUnfinished;
    }
    if (!is_consistent()) {
        ++counts_.inconsistent;
        return Ending::kInconsistent;
    }
    ++(is_complete ? counts_.complete : counts_.stuck);
    return is_complete ? Ending::kComplete : Ending::kStuck;
}

}  // namespace lockkeeper::threads
