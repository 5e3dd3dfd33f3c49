// SPDX-License-Identifier: Apache-2.0

// One random run of a System by a law, as fast as its compiled code allows: choose, apply, and go
// on until something happens that the asker wants to look at. The loop is compiled with the system
// and called once for many steps. measure/ asks, and gets its walkers from Runner::walkers().
//
// Each enabled action is chosen with its weight by the sum of all weights (model/law.hpp). With
// kRates a state counts with the mean of the time that it lasts, 1 by the sum of the rates, instead
// of a drawn time: the same expectation and less scatter (docs/decisions/methods/sampled_rates.md).
//
// walk() stops right after the step that it stops for; the state is then that after the step. The
// same random numbers give the same run, wherever it stops in between and is saved or loaded.
// Errors: what the System throws. An action list that contradicts Hints::slot_actions is an
// InternalError where it is noticed (looked for once in some thousand steps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "model/event.hpp"
#include "model/law.hpp"
#include "model/observation.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper {

enum class WalkStop : std::uint8_t {
    kShown,     // the last step's event has one of the triggers
    kAtRest,    // the last step led to a state at rest, and this was asked for (kShown goes first)
    kSteps,     // so many steps
    kFinished,  // nothing can happen any more that has a weight
    kDeadlock,  // nothing but faults can happen, and somebody is unfinished
};

// The stop conditions of a walk, and its results.
struct Walk {
    std::uint32_t triggers = 0;  // stop after a step that shows one of these EventBits
    bool stops_at_rest = false;
    std::uint64_t steps_end = 0;  // stop when `steps` is as large

    std::uint64_t steps = 0;
    std::uint64_t grants = 0;  // steps that show kGranted
    double seconds = 0;        // kRates; else 0
    Event event;               // of the last step
    Random random{0};
};

class Walker {
  public:
    Walker() = default;
    Walker(const Walker&) = delete;
    Walker& operator=(const Walker&) = delete;
    virtual ~Walker() = default;

    virtual void begin() = 0;  // in the initial state
    virtual WalkStop walk(Walk& walk) = 0;

    virtual void observe(Observation& out) const = 0;
    [[nodiscard]] virtual bool quiescent() const = 0;
    // Where the run would go on, to be gone on with as often as one likes.
    [[nodiscard]] virtual std::size_t state_bytes() const = 0;
    virtual void save(std::byte* to) const = 0;
    virtual void load(const std::byte* from) = 0;
};

// A walker of one System; several are used at the same time, each by one thread. walkers_of()
// (system_walker.hpp) and learned_walkers_of() (learned_walks.hpp) compile one with its System.
using MakeWalker = std::function<std::unique_ptr<Walker>(const Law& law)>;

}  // namespace lockkeeper
