// SPDX-License-Identifier: Apache-2.0

// The parts of the graph of a search in which a run can go round for ever.
#pragma once

#include <span>
#include <vector>

#include "scheduler/graph/state_graph.hpp"
#include "scheduler/graph/strong_parts.hpp"

namespace lockkeeper {

class CyclicParts {
  public:
    // Throws GraphLimitReached.
    CyclicParts(const StateGraph& graph, const GraphLimits& limits)
        : place_of_(graph.states_count(), kNone) {
        StrongParts<StateGraph>(graph, limits)
            .find_cyclic([](StateNumber) { return true; },
                         [](StateNumber, std::size_t) { return true; },
                         [this](const std::vector<StateNumber>& part) { add(part); });
    }

    [[nodiscard]] std::size_t size() const { return begins_.size() - 1; }
    // Ascending numbers.
    [[nodiscard]] std::span<const StateNumber> states(std::size_t part) const {
        return std::span(states_).subspan(begins_[part], begins_[part + 1] - begins_[part]);
    }
    [[nodiscard]] bool contains(std::size_t part, std::size_t state) const {
        return place_of_[state] >= begins_[part] && place_of_[state] < begins_[part + 1];
    }
    // The place of one of its states among states(part).
    [[nodiscard]] StateNumber place_in(std::size_t part, std::size_t state) const {
        return place_of_[state] - begins_[part];
    }
    // At most, of a graph of so many states.
    [[nodiscard]] static std::size_t bytes_for(std::size_t states) {
        return 2 * states * sizeof(StateNumber);
    }
    [[nodiscard]] std::size_t bytes() const {
        return (states_.capacity() + begins_.capacity() + place_of_.capacity()) *
               sizeof(StateNumber);
    }

  private:
    static constexpr StateNumber kNone = 0xFFFFFFFFU;

    void add(const std::vector<StateNumber>& part) {
        for (const StateNumber state : part) {
            place_of_[state] = static_cast<StateNumber>(states_.size());
            states_.push_back(state);
        }
        begins_.push_back(static_cast<StateNumber>(states_.size()));
    }

    std::vector<StateNumber> states_;  // part by part
    std::vector<StateNumber> begins_{0};
    std::vector<StateNumber> place_of_;  // of each state in states_
};

}  // namespace lockkeeper
