// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/seen_places.hpp"

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "scheduler/base/random.hpp"

namespace lockkeeper {
namespace {

// Two parties, each with so many steps that concern nobody else.
class Grid {
  public:
    explicit Grid(std::uint8_t steps) : steps_(steps) {}

    void run(SeenPlaces& places) {
        PastOfParties past;
        std::uint8_t done[2] = {0, 0};
        places.begin(past.fingerprint());
        for (;;) {
            std::vector<Action> enabled;
            for (std::uint8_t party = 0; party < 2; ++party) {
                if (done[party] < steps_) {
                    enabled.push_back({party, ActionKind::kStep});
                }
            }
            if (enabled.empty()) {
                places.end(true);
                return;
            }
            const std::vector<Action> offered = places.offered(enabled);
            EXPECT_FALSE(offered.empty());
            const Action action =
                offered[random_.below(static_cast<std::uint32_t>(offered.size()))];
            EXPECT_TRUE(contains(enabled, action));
            taken_.insert(
                {std::to_string(done[0]) + " " + std::to_string(done[1]), to_text(action)});
            ++done[action.actor];
            past.add(action, {"step", "-> " + std::to_string(done[action.actor])});
            places.took(action, past.fingerprint());
        }
    }
    [[nodiscard]] std::size_t taken() const { return taken_.size(); }

  private:
    std::uint8_t steps_;
    Random random_{7};
    std::set<std::pair<std::string, std::string>> taken_;
};

// A grid of 9 by 9 places has 2 * 8 * 9 = 144 steps; each order of steps that commute leads to the
// same place. That along an edge is drawn by one run in 256.
TEST(SeenPlaces, AllStepsAreTakenInFewRuns) {
    const auto runs_until_all = [](bool leads) {
        SeenPlaces places;
        Grid grid(8);
        int runs = 0;
        for (; grid.taken() < 144 && runs < 10'000; ++runs) {
            if (!leads) {
                places = {};
            }
            grid.run(places);
        }
        return runs;
    };
    EXPECT_LT(runs_until_all(true), 72);
    EXPECT_GT(runs_until_all(false), 256);
}

// Nothing is left, and it goes on all the same.
TEST(SeenPlaces, WhereEverythingIsUsedUpAnythingIsOffered) {
    SeenPlaces places;
    Grid grid(1);
    for (int run = 0; run < 10; ++run) {
        grid.run(places);
    }
    EXPECT_EQ(4U, grid.taken());
}

// Where it is not told that a run came to its end, nothing is known of what is behind its steps.
TEST(SeenPlaces, WhatWasCutIsNotUsedUp) {
    const Action first{0, ActionKind::kStep};
    const Action second{1, ActionKind::kStep};
    for (const bool whole : {true, false}) {
        SeenPlaces places;
        for (const Action action : {first, second}) {
            places.begin(place_of("beginning"));
            EXPECT_EQ(action == first ? 2U : 1U, places.offered({first, second}).size());
            places.took(action, place_of(action == first ? "left" : "right"));
            places.end(action == first ? whole : true);
        }
        places.begin(place_of("beginning"));
        EXPECT_EQ(whole ? (std::vector<Action>{first, second}) : std::vector<Action>{first},
                  places.offered({first, second}));
    }
}

// The past of a party leaves out the steps of others; time and faults belong to all parties.
TEST(SeenPlaces, StepsOfDifferentPartiesHaveNoOrderAndFaultsHave) {
    const Action one{0, ActionKind::kStep};
    const Action two{1, ActionKind::kStep};
    const Action crash{1, ActionKind::kCrash};
    const auto after = [](const std::vector<Action>& actions, const std::string& answer = "-> 1") {
        PastOfParties past;
        for (const Action action : actions) {
            past.add(action, {"step", answer});
        }
        return past.fingerprint();
    };
    EXPECT_EQ(after({one, two}), after({two, one}));
    EXPECT_NE(after({one, two}), after({one, two}, "-> 2"));
    EXPECT_NE(after({one, one}), after({one}));
    EXPECT_NE(after({one, crash}), after({crash, one}));
}

}  // namespace
}  // namespace lockkeeper
