// SPDX-License-Identifier: Apache-2.0

// One cyclic part of the graph of a search, and what livelock is judged by there: who is inside a
// call, who can act, which steps end a call. Every step is taken once more to see it.
//
// There are two ways to make it. From representatives: the part as it was found; under symmetry a
// caller there is whoever stands in that place. From the states themselves: all that a run meets
// that goes on from a real state and stays in the part; each caller is itself.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <vector>

#include "scheduler/graph/cyclic_parts.hpp"
#include "scheduler/search/beyond_time.hpp"
#include "scheduler/states/part_table.hpp"

namespace lockkeeper {

// The parties that a fair cycle owes a step. From the lowest bit: the callers; the background of
// each actor, which is what it waits to have done for it (the message of this sender that comes
// next, its timer), from actor 30 on together; in the highest bit time.
using PartySet = std::uint64_t;
inline constexpr std::size_t kPartiesMost = 64;
inline constexpr std::size_t kCallersOfALasso = 30;
inline constexpr PartySet kTimeBit = PartySet{1} << (kPartiesMost - 1);

[[nodiscard]] constexpr PartySet bit_of_caller(std::size_t caller) { return PartySet{1} << caller; }
[[nodiscard]] constexpr PartySet bit_of_background(std::size_t actor) {
    return PartySet{1} << (kCallersOfALasso + std::min(actor, kCallersOfALasso));
}

[[nodiscard]] inline PartySet bit_of(Action action) {
    switch (action.kind) {
        case ActionKind::kStep: return bit_of_caller(action.actor);
        case ActionKind::kBackground: return bit_of_background(action.actor);
        case ActionKind::kTime: return kTimeBit;
        default: return 0;  // faults are nobody's duty
    }
}

// The request of a caller that is refused and tries again: so many locks of a key must not be held
// already.
struct Asked {
    std::uint8_t key = 0;
    std::uint32_t capacity = 0;

    friend auto operator<=>(const Asked&, const Asked&) = default;  // NOLINT(modernize-use-nullptr)
};

struct PartGraph {
    static constexpr std::uint16_t kNotRefused = 0xFFFF;

    struct Edge {
        StateNumber target = 0;
        Action action;
        bool ends = false;                    // the caller's call
        std::uint16_t refused = kNotRefused;  // else what was, of `asked`
    };

    std::vector<std::size_t> first{0};                      // edge of each state, and the end
    std::vector<Edge> edges;                                // those that stay in the part
    std::vector<PartySet> inside;                           // a call
    std::vector<PartySet> able;                             // to act, if only out of the part
    std::vector<Asked> asked;                               // all that was refused
    std::vector<std::array<std::uint16_t, kKeysMax>> held;  // in each state, at most
    std::vector<StateNumber> at_the_end;  // of time, which is able to go on all the same
    std::size_t callers_count = 0;

    // From now on nothing comes after the end of time.
    void forget_what_comes_after_the_end() {
        for (const StateNumber state : at_the_end) {
            able[state] &= ~kTimeBit;
        }
        at_the_end.clear();
    }
    [[nodiscard]] std::size_t states_count() const { return first.size() - 1; }
    [[nodiscard]] std::size_t first_edge(StateNumber state) const { return first[state]; }
    [[nodiscard]] std::size_t end_edge(StateNumber state) const { return first[state + 1]; }
    [[nodiscard]] StateNumber target(std::size_t edge) const { return edges[edge].target; }
    [[nodiscard]] std::size_t bytes() const {
        return first.capacity() * sizeof(std::size_t) + edges.capacity() * sizeof(Edge) +
               (inside.capacity() + able.capacity()) * sizeof(PartySet) +
               held.capacity() * sizeof(held.front());
    }
    [[nodiscard]] bool is_free(StateNumber state, const Asked& what) const {
        return held[state][what.key] < what.capacity;
    }
    [[nodiscard]] std::uint16_t index_of(const Asked& what) {
        const auto known = std::find(asked.begin(), asked.end(), what);
        const auto index = static_cast<std::size_t>(known - asked.begin());
        if (known == asked.end()) {
            if (index == kNotRefused) {
                throw LimitExceeded("livelock is searched for with at most 65,535 capacities");
            }
            asked.push_back(what);
        }
        return static_cast<std::uint16_t>(index);
    }
};

// The representatives of a part, numbered as in CyclicParts::states.
template <System S>
class Representatives {
  public:
    using State = typename S::State;

    Representatives(const Reached<S>& reached, const CyclicParts& parts, std::size_t part)
        : reached_(reached), parts_(parts), part_(part) {}

    [[nodiscard]] std::size_t size() const { return parts_.states(part_).size(); }
    [[nodiscard]] State at(StateNumber place) const { return reached_.state_at(number(place)); }
    [[nodiscard]] StateNumber number(StateNumber place) const {
        return parts_.states(part_)[place];
    }
    // False: it is outside.
    bool place_of(const State& state, StateNumber& place) {
        const std::size_t number = reached_.number_of(state, record_);
        if (!parts_.contains(part_, number)) {
            return false;
        }
        place = parts_.place_in(part_, number);
        return true;
    }
    [[nodiscard]] std::size_t bytes() const { return 0; }

  private:
    const Reached<S>& reached_;
    const CyclicParts& parts_;
    std::size_t part_;
    typename Reached<S>::Record record_;
};

// The states themselves, numbered as they are met; `start` is the first.
template <System S>
class StatesThemselves {
  public:
    using State = typename S::State;

    StatesThemselves(const Reached<S>& reached, const CyclicParts& parts, std::size_t part,
                     const State& start)
        : reached_(reached),
          parts_(parts),
          part_(part),
          record_(reached.knowledge().codec.shape().words),
          known_(LongBytes(record_.size() * sizeof(std::uint64_t))) {
        StateNumber place = 0;
        LOCKKEEPER_CHECK(place_of(start, place));
    }

    [[nodiscard]] std::size_t size() const { return numbers_.size(); }
    [[nodiscard]] State at(StateNumber place) {
        State state;
        std::memset(static_cast<void*>(&state), 0, sizeof(state));
        std::memcpy(record_.data(), known_.value(place), record_.size() * sizeof(std::uint64_t));
        reached_.knowledge().codec.unpack(record_.data(), state);
        return state;
    }
    // The number of the representative.
    [[nodiscard]] StateNumber number(StateNumber place) const { return numbers_[place]; }
    bool place_of(const State& state, StateNumber& place) {
        const std::size_t number = reached_.number_of(state, record_);
        if (!parts_.contains(part_, number)) {
            return false;
        }
        LOCKKEEPER_CHECK(reached_.knowledge().codec.find_itself(state, record_.data()));
        place = known_.find_or_add(reinterpret_cast<const std::byte*>(record_.data()));
        if (place == numbers_.size()) {
            numbers_.push_back(static_cast<StateNumber>(number));
        }
        return true;
    }
    [[nodiscard]] std::size_t bytes() const {
        return known_.bytes() + numbers_.capacity() * sizeof(StateNumber);
    }

  private:
    const Reached<S>& reached_;
    const CyclicParts& parts_;
    std::size_t part_;
    typename Reached<S>::Record record_;
    PartTable<LongBytes> known_;
    std::vector<StateNumber> numbers_;
};

// States: one of the two above. Throws GraphLimitReached, LimitExceeded.
template <System S, class States>
[[nodiscard]] PartGraph make_part_graph(const S& system, States& states,
                                        const GraphLimits& limits) {
    PartGraph graph;
    ActionList actions;
    Observation observation;
    for (StateNumber place = 0; place < states.size(); ++place) {
        const typename S::State from = states.at(place);
        system.observe(from, observation);
        graph.callers_count = observation.callers_count;
        if (graph.callers_count > kCallersOfALasso) {
            throw LimitExceeded("livelock is searched for among at most " +
                                std::to_string(kCallersOfALasso) + " callers");
        }
        PartySet inside = 0;
        for (std::size_t i = 0; i < graph.callers_count; ++i) {
            inside |= observation.callers[i].calling ? bit_of_caller(i) : 0U;
        }
        auto& held = graph.held.emplace_back();
        for (std::size_t key = 0; key < observation.keys_count; ++key) {
            held[key] = static_cast<std::uint16_t>(
                std::min(held_at_most(system, from, observation, key), 0xFFFFU));
        }
        PartySet able = 0;
        if (time_is_over(system, from)) {
            able = kTimeBit;
            graph.at_the_end.push_back(place);
        }
        system.enabled(from, actions);
        for (const Action action : actions) {
            able |= bit_of(action);
            if (is_beyond_time(action)) {
                continue;
            }
            typename S::State after = from;
            const Event event = system.apply(after, action);
            StateNumber target = 0;
            if (!states.place_of(after, target)) {
                continue;
            }
            bool ends = (event.what & (kAcquired | kReleased | kFailed | kDone)) != 0;
            std::uint16_t refused = PartGraph::kNotRefused;
            if (event.is(kRefused) && !ends) {
                system.observe(after, observation);
                ends = !observation.callers[event.caller].calling;
                refused = graph.index_of({event.key, event.capacity});
            }
            graph.edges.push_back({target, action, ends, refused});
        }
        graph.inside.push_back(inside);
        graph.able.push_back(able);
        graph.first.push_back(graph.edges.size());
        if (place % GraphLimits::kStatesALook == 0) {
            limits.look(graph.bytes() + states.bytes());
        }
    }
    limits.look(graph.bytes() + states.bytes());
    return graph;
}

}  // namespace lockkeeper
