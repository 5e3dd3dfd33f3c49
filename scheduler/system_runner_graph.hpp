// SPDX-License-Identifier: Apache-2.0

// Asks the whole graph once all states are known: interleavings and livelock. Part of
// system_runner.hpp.
#pragma once

namespace lockkeeper {

template <System S>
void SystemRunner<S>::look_at_graph(ExploreResult& result, const ExploreOptions& options,
                                    const Deadline& rest, Explorer<S>& explorer) const {
    const Property* livelock = nullptr;
    for (const Property* property : options.check) {
        livelock = property->is(PropertyNumber::kLivelock) ? property : livelock;
    }
    if (result.reduction != Reduction::kNone || tells_whether_runs_end_) {  // not the whole graph
        if (livelock != nullptr || tells_whether_runs_end_) {
            look_whether_runs_end(result, options, rest, explorer);
        }
        if (livelock != nullptr) {
            judge_livelock_unreduced(result, options, rest, *livelock);
        }
        return;
    }
    const bool counts = options.counting == Counting::kOn ||
                        (options.counting == Counting::kAuto && result.states <= kCountedStatesMax);
    if ((counts || livelock != nullptr) && explorer.reached().is_graded()) {
        result.acyclic = true;
    }
    const bool judges = livelock != nullptr && !result.acyclic;  // without a cycle there is none
    if (!counts && !judges) {
        return;
    }
    if (!explorer.reached().is_all_in_memory()) {
        const auto most = judges ? kStatesAloneMax : kCountedStatesMax;
        if (options.ranks != nullptr && result.states <= most) {
            look_at_graph_alone(result, options, judges ? livelock : nullptr,
                                [&](const ExploreOptions& alone) { return explore_once(alone); });
        } else if (judges || options.counting == Counting::kOn) {
            result.complete = false;
            const std::string where = options.ranks == nullptr
                                          ? " needs all states in memory"
                                          : " needs all states in the memory of one process";
            result.limit = (judges ? "livelock" : "counting interleavings") + where;
        }
        return;
    }
    GraphLimits limits(options, options.seconds_max - rest.left() + explorer.seconds_to_save(),
                       explorer.bytes());
    std::string limit;
    try {
        look_at_graph(result, options, explorer, limits, counts, judges ? livelock : nullptr);
    } catch (const GraphLimitReached& reached) {
        limit = reached.limit;
    } catch (const LimitExceeded& exceeded) {
        limit = std::string("compiled size: ") + exceeded.what();
    } catch (const std::bad_alloc&) {
        limit = "memory";
    }
    result.graph_seconds = limits.seconds();
    // A question was asked and has no answer. Interleavings counted unasked leave nothing open.
    const bool open = (judges && !result.acyclic.value_or(false)) ||
                      (options.counting == Counting::kOn && !result.interleavings);
    if (!limit.empty() && open) {
        result.end_at(limit);
        explorer.save_checkpoint();
        result.checkpoint_written = explorer.checkpoint_written();
        result.checkpoint_error = explorer.checkpoint_error();
    }
}

// Where the graph of a reduced search has no cycle, no run goes on for ever
// (docs/decisions/0036-reductions-unasked.md).
template <System S>
void SystemRunner<S>::look_whether_runs_end(ExploreResult& result, const ExploreOptions& options,
                                            const Deadline& rest, Explorer<S>& explorer) const {
    result.runs_end = explorer.reached().is_graded();
    if (result.runs_end || !explorer.reached().is_all_in_memory()) {
        return;
    }
    const GraphLimits limits(options, options.seconds_max - rest.left(), explorer.bytes());
    try {
        const StateGraph graph(system_, explorer.reached(), options, limits);
        result.runs_end = graph.order(limits).has_value();
    } catch (const GraphLimitReached&) {  // it is not known
    } catch (const LimitExceeded&) {
    } catch (const std::bad_alloc&) {
    }
    result.graph_seconds = limits.seconds();
}

// `livelock`: nullptr when it is not asked about.
template <System S>
void SystemRunner<S>::look_at_graph(ExploreResult& result, const ExploreOptions& options,
                                    Explorer<S>& explorer, GraphLimits& limits, bool counts,
                                    const Property* livelock) const {
    std::optional<StateGraph> graph(std::in_place, system_, explorer.reached(), options, limits);
    if (counts) {
        const auto order = graph->order(limits);
        result.acyclic = order.has_value();
        if (order) {
            result.interleavings = graph->count_interleavings(*order, limits);
        }
    }
    if (livelock == nullptr || result.acyclic.value_or(false)) {
        return;
    }
    limits.keep(graph->bytes() + CyclicParts::bytes_for(graph->states_count()));
    const CyclicParts parts(*graph, limits);
    result.acyclic = parts.size() == 0;
    graph.reset();
    limits.keep(parts.bytes());
    LivelockSearch<S> search(system_, explorer.reached(), parts);
    std::exception_ptr ended;
    try {
        search.run(limits);
    } catch (...) {  // a limit, whichever: what was found until then is told
        ended = std::current_exception();
    }
    if (const auto lasso = search.found()) {
        result.violations.push_back({livelock, {0, lasso->actions}, lasso->cycle_start});
    }
    if (ended) {
        std::rethrow_exception(ended);
    }
    if (search.is_open() && result.violations.empty()) {
        result.end_at(kTimeIsOver);
    }
}

}  // namespace lockkeeper
