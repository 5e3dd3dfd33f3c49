// SPDX-License-Identifier: Apache-2.0

// A System that is no lock: two jugs of 3 and 5 litres, which can be filled, emptied and poured
// into one another. The contract of model/system.hpp asks for nothing that only a lock could give;
// this is its proof, and the smallest thing that every search can be tried on.
//
// An action is a background one of actor 0 (small jug) or 1 (large jug); its argument says what.
// Only actions that change something are enabled. Finished: 4 litres are measured.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "model/system.hpp"

namespace lockkeeper::naive {

struct WaterJugs {
    struct State {
        std::array<std::uint8_t, 2> litres;
    };
    enum Argument : std::uint16_t { kFill, kEmpty, kPour };

    static constexpr std::array<std::uint8_t, 2> kSizes{3, 5};
    static constexpr std::uint8_t kGoal = 4;

    [[nodiscard]] State initial() const { return {}; }

    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::uint8_t jug = 0; jug < 2; ++jug) {
            const bool can_take_more = state.litres[jug] < kSizes[jug];
            const bool has_some = state.litres[jug] > 0;
            const bool other_can_take_more = state.litres[1U - jug] < kSizes[1U - jug];
            add_if(out, can_take_more, jug, kFill);
            add_if(out, has_some, jug, kEmpty);
            add_if(out, has_some && other_can_take_more, jug, kPour);
        }
    }

    // kTookUnit: from the tap; kGaveUnitBack: to the drain; kAcquired: the goal is in the jug. The
    // value is what the jug contains afterwards.
    Event apply(State& state, Action action) const {
        std::uint8_t& jug = state.litres[action.actor];
        std::uint8_t& other = state.litres[1U - action.actor];
        Event event;
        switch (static_cast<Argument>(action.argument)) {
            case kFill:
                jug = kSizes[action.actor];
                event.what |= kTookUnit;
                break;
            case kEmpty:
                jug = 0;
                event.what |= kGaveUnitBack;
                break;
            case kPour: {
                const auto room = static_cast<std::uint8_t>(kSizes[1U - action.actor] - other);
                const std::uint8_t poured = std::min(jug, room);
                jug = static_cast<std::uint8_t>(jug - poured);
                other = static_cast<std::uint8_t>(other + poured);
                break;
            }
        }
        event.place = static_cast<std::uint16_t>(action.actor + 1);
        event.value = jug;
        event.what |= finished(state) ? static_cast<std::uint32_t>(kAcquired) : 0U;
        return event;
    }

    void observe(const State& state, Observation& out) const {
        out = {};
        out.keys_count = 1;
        out.quiescent = true;
        out.keys[0].counters = {state.litres[0], state.litres[1]};
    }

    [[nodiscard]] bool quiescent(const State&) const { return true; }
    [[nodiscard]] bool finished(const State& state) const { return state.litres[1] == kGoal; }

    [[nodiscard]] std::string describe(const State&, Action action) const {
        constexpr std::array<const char*, 3> kVerbs{"fill", "empty", "pour out"};
        constexpr std::array<const char*, 2> kJugs{" the small jug", " the large jug"};
        return std::string(kVerbs[action.argument]) + kJugs[action.actor];
    }
    [[nodiscard]] std::string show(const State& state) const {
        return "[" + std::to_string(state.litres[0]) + "," + std::to_string(state.litres[1]) + "]";
    }

  private:
    static void add_if(ActionList& out, bool possible, std::uint8_t jug, Argument argument) {
        if (possible) {
            out.add({jug, ActionKind::kBackground, argument});
        }
    }
};
static_assert(System<WaterJugs>);

}  // namespace lockkeeper::naive
