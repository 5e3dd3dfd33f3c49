// SPDX-License-Identifier: Apache-2.0
#include "scheduler/graph/draw_graph.hpp"

#include <map>
#include <optional>
#include <utility>

#include <xxhash.h>

#include "scheduler/search/beyond_time.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper {
namespace {

using State = ErasedSystem::State;

class GraphDrawer {
  public:
    GraphDrawer(const ErasedSystem& system, bool symmetry,
                const std::vector<const Property*>& check, std::size_t states_max)
        : system_(system), judge_(check), symmetry_(symmetry), states_max_(states_max) {}

    DrawnGraph draw() {
        static_cast<void>(number_of(system_.initial()));
        for (std::uint32_t from = 0; from < states_.size(); ++from) {
            expand(from);
        }
        return std::move(graph_);
    }

  private:
    void expand(std::uint32_t from) {
        const State state = states_[from];
        ActionList actions;
        system_.enabled(state, actions);
        const bool has_ended = only_faults(actions) && !system_.finished(state);
        graph_.states[from].is_deadlock = has_ended && !system_.time_is_over(state);
        for (const Action action : actions) {
            if (is_beyond_time(action)) {
                ++graph_.transitions_left_out;
                continue;
            }
            State next = state;
            const Event event = system_.apply(next, action);
            const auto violates = violated_by(next, event);
            const auto to = number_of(next);
            if (to) {
                graph_.transitions.push_back(
                    {from, *to, system_.describe(state, action), violates, action});
            } else {
                ++graph_.transitions_left_out;
            }
        }
    }
    std::vector<const Property*> violated_by(const State& after, const Event& event) {
        std::vector<const Property*> violates;
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, after, event,
                              [&](std::size_t i) { violates.push_back(judge_.properties()[i]); });
        }
        return violates;
    }
    // Nothing: it is new, and there is no room for it.
    std::optional<std::uint32_t> number_of(State state) {
        if (symmetry_) {
            system_.canonicalize(state);
        }
        const auto known = numbers_.find(state.bytes);
        if (known != numbers_.end()) {
            return known->second;
        }
        if (states_.size() == states_max_) {
            return std::nullopt;
        }
        const auto number = static_cast<std::uint32_t>(states_.size());
        numbers_.emplace(state.bytes, number);
        states_.push_back(state);
        graph_.states.push_back({system_.show(state),
                                 system_.quiescent(state),
                                 system_.finished(state),
                                 false,
                                 {},
                                 fingerprint_of(system_, state)});
        judge_.judge_rest(system_, state, [&](std::size_t i) {
            graph_.states.back().violates.push_back(judge_.properties()[i]);
        });
        return number;
    }

    const ErasedSystem& system_;
    Judge judge_;
    bool symmetry_;
    std::size_t states_max_;
    std::vector<State> states_;
    std::map<decltype(State::bytes), std::uint32_t> numbers_;
    DrawnGraph graph_;
};

}  // namespace

std::uint64_t fingerprint_of(const ErasedSystem& system, const ErasedSystem::State& state) {
    return XXH3_64bits(state.bytes.data(), system.used_bytes());
}

DrawnGraph draw_graph(const ErasedSystem& system, bool symmetry,
                      const std::vector<const Property*>& check, std::size_t states_max) {
    return GraphDrawer(system, symmetry, check, states_max).draw();
}

}  // namespace lockkeeper
