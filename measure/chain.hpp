// SPDX-License-Identifier: Apache-2.0

// A Markov chain as arrays: the exact method makes it of an explored graph, and its solvers, its
// bounds and its export read it. Made by chain_builder.hpp; tests and benchmarks make it by hand.
//
// State 0 is the initial one. The transitions of state s are offsets[s] .. offsets[s + 1] - 1;
// their probabilities sum to one (up to rounding), or there are none: the run ends there. Two
// transitions of a state with the same target differ in their label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockkeeper {

// The bit of the property at this place of those that are checked.
[[nodiscard]] constexpr std::uint32_t property_bit(std::size_t place) {
    return std::uint32_t{1} << place;
}

using StateIndex = std::uint32_t;

// The effects of a transition. Bits are properties, by their place in MeasureOptions::check.
struct TransitionLabel {
    std::uint32_t violated = 0;  // by the step, or by the state at rest or the deadlock it leads to
    bool grants = false;         // an acquire is granted
    bool by_nature = false;      // not the scheduler's choice (extremes.hpp)

    friend bool operator==(const TransitionLabel&, const TransitionLabel&) = default;
};

struct Transition {
    StateIndex target = 0;
    double probability = 0;
    TransitionLabel label;
};

struct Chain {
    std::vector<std::uint64_t> offsets{0};
    std::vector<StateIndex> targets;
    std::vector<double> probabilities;
    std::vector<std::uint8_t> label_of;  // by transition, a place in `labels`
    std::vector<TransitionLabel> labels;

    // Relative error of each probability at most.
    double probability_error = 0x1p-52;

    // By state. Empty where nobody asked.
    std::vector<double> exit_rates;         // kRates: events per second; 0 where the run ends
    std::vector<std::uint32_t> units_lost;  // where a run ends: counted units that nobody holds
    std::vector<std::uint32_t> violating;   // bits: time spent here is in violation
    std::vector<bool> seized;               // no capacity is left
    // Virtual time that the next step lets pass, on average, while beliefs (grants) overlap.
    std::vector<double> beliefs_overlap_for;
    std::vector<double> grants_overlap_for;
    std::vector<bool> deadlocked;

    // The bits of the initial state, which no transition leads to.
    std::uint32_t violated_at_first = 0;

    [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
    [[nodiscard]] bool ends(StateIndex state) const {
        return offsets[state] == offsets[state + 1U];
    }
    [[nodiscard]] const TransitionLabel& label(std::uint64_t transition) const {
        return labels[label_of[transition]];
    }
    // All properties that some transition violates, or the initial state.
    [[nodiscard]] std::uint32_t violated_anywhere() const {
        std::uint32_t bits = violated_at_first;
        for (const TransitionLabel& label : labels) {
            bits |= label.violated;
        }
        return bits;
    }
    // Closes the next state; for those who make a chain state by state.
    void add_state(const std::vector<Transition>& transitions) {
        for (const Transition& transition : transitions) {
            add(transition);
        }
        offsets.push_back(targets.size());
    }
    void add(const Transition& transition) {
        targets.push_back(transition.target);
        probabilities.push_back(transition.probability);
        label_of.push_back(place_of(transition.label));
    }
    // Throws std::length_error at the 257th.
    std::uint8_t place_of(const TransitionLabel& label);
};

}  // namespace lockkeeper
