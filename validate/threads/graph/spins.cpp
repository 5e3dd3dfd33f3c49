// SPDX-License-Identifier: Apache-2.0

// Threads that wait for a value. In a search of everything the load of a loop that spins is taken
// back, and its thread waits: else each store that it waits for would have to serve that load once
// more, in a graph of its own.
#include "validate/threads/graph/search.hpp"

namespace lockkeeper::threads {

bool Search::would_wait(Thread thread, const Access& access, Decide decide, const void* context) {
    const EventId store = newest(access.location);
    if (run_.is_last) {
        run_.spins[thread] = run_.spins[thread] || run_.has_spun[thread];
        run_.has_spun[thread] = false;
        return false;
    }
    run_.has_spun[thread] = run_.has_spun[thread] && store == run_.spun_at[thread];
    return run_.has_spun[thread] ||
           decide(value_of(access.location, store), context).way == Change::Way::kBlock;
}

Answer Search::block(Thread thread, std::uint16_t reads) {
    run_.blocked[thread] = true;
    run_.awaited[thread] = reads;
    const EventId load = waits_at(thread);
    if (load != kInitial && choices() == nullptr && graph().read_an_old_store(load)) {
        ++counts_.dropped;
        return {Outcome::kDropped, 0};
    }
    return {Outcome::kBlocked, 0};
}

Answer Search::spin(Thread thread, std::uint16_t reads, bool is_pure) {
    if (!has_turn(thread)) {
        return {Outcome::kWait, 0};
    }
    if (choices() != nullptr && !choices()->is_script() && !run_.is_last) {
        if (run_.done[thread] - round_of(thread, reads) > 1) {
            choices()->gives_way(thread);
        }
        wait_for_event(thread);
        return {Outcome::kWait, 0};
    }
    if (choices() == nullptr && is_pure && take_back(thread, reads)) {
        wait_for_event(thread);
        return {Outcome::kWait, 1};
    }
    return block(thread, reads);
}

Answer Search::pause(Thread thread) {
    run_.pauses[thread] = !run_.pauses[thread] && !is_repeating(thread);
    if (!run_.pauses[thread]) {
        return {Outcome::kDone, 0};
    }
    if (choices() == nullptr) {
        wait_for_event(thread);
    }
    run_.turn = kNobody;
    return {Outcome::kWait, 0};
}

// One load only: what the thread has done behind it, and what is noted for races, has happened
// before its next store all the same.
bool Search::take_back(Thread thread, std::uint16_t loads) {
    if (run_.spins[thread] || loads != 1 || run_.left > 0 || run_.order.size() == run_.repeated) {
        return false;
    }
    const EventId id = run_.order.back();
    const Event& load = graph().at(id);
    if (id.thread != thread || load.kind != Kind::kLoad || load.is_rmw || load.is_same_again ||
        load.from != newest(load.location)) {
        return false;
    }
    run_.spun_at[thread] = load.from;
    run_.has_spun[thread] = true;
    take_out(id);
    return true;
}

void Search::take_out(EventId load) {
    Graph& graph = the_graph();
    graph.take_last_load(load.thread);
    std::vector<Item>& items = frames_.back()->items;
    while (!items.empty() && items.back().event == load) {
        items.pop_back();
    }
    run_.order.pop_back();
    const Thread thread = load.thread;
    const bool is_first = --run_.done[thread] == 0;
    run_.known[thread] = is_first ? Clock{} : graph.at(graph.last(thread)).happens_before;
    run_.causes[thread] = is_first ? Clock{} : graph.at(graph.last(thread)).causes;
    run_.promised[thread] = {};
    for (const Event& event : graph.events(thread)) {
        if (event.kind == Kind::kLoad && event.from != kInitial) {
            run_.promised[thread].join(graph.at(event.from).message);
        }
    }
}

}  // namespace lockkeeper::threads
