// SPDX-License-Identifier: Apache-2.0

// Callers alike are interchangeable (Hints::symmetry): whichever of them is in which situation, the
// same can happen, and leads to the same, in all shipped scenarios, also with faults that these do
// not have. A step that goes by the callers' numbers would make the search go on from one of
// several states that are not alike.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "impl/descriptor/drawn_faults_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

constexpr std::size_t kExchangedRuns = testing_model::kIsSlowBuild ? 2 : 10;
constexpr std::size_t kExchangedSteps = 60;

class Exchanged {
  public:
    explicit Exchanged(ErasedSystem system) : system_(std::move(system)) {}

    [[nodiscard]] std::size_t compared() const { return compared_; }

    void run(Random& random) {
        ErasedSystem::State state = system_.initial();
        ActionList actions;
        for (std::size_t step = 0; step < kExchangedSteps; ++step) {
            for (std::size_t slot = 1; slot < system_.slots_count(); ++slot) {
                if (system_.group(slot) == system_.group(slot - 1)) {
                    compare(state, slot);
                }
            }
            system_.enabled(state, actions);
            if (::testing::Test::HasFatalFailure() || actions.size() == 0) {
                return;
            }
            system_.apply(
                state, actions.begin()[random.below(static_cast<std::uint32_t>(actions.size()))]);
        }
    }

  private:
    // The caller at `slot` and the one before it in each other's place.
    void compare(const ErasedSystem::State& state, std::size_t slot) {
        const std::size_t bytes = system_.parts().slot_bytes;
        ErasedSystem::State other = state;
        auto* const at = other.bytes.data() + slot * bytes;
        std::swap_ranges(at, at + bytes, at - bytes);
        ASSERT_TRUE(successors(state) == successors(other)) << system_.show(state);
        ASSERT_EQ(system_.quiescent(state), system_.quiescent(other));
        ++compared_;
    }
    // Returns the possible actions, what they show and lead to, without their actors.
    [[nodiscard]] std::multiset<std::string> successors(const ErasedSystem::State& state) const {
        std::multiset<std::string> all;
        ActionList actions;
        system_.enabled(state, actions);
        for (const Action action : actions) {
            ErasedSystem::State after = state;
            const Event event = system_.apply(after, action);
            system_.canonicalize(after);
            all.insert(std::to_string(static_cast<unsigned>(action.kind)) + " " +
                       std::to_string(event.what) + " " +
                       std::string(reinterpret_cast<const char*>(after.bytes.data()),
                                   system_.used_bytes()));
        }
        return all;
    }

    ErasedSystem system_;
    std::size_t compared_ = 0;
};

void exchange_in_all_shipped_scenarios(std::size_t runs) {
    std::size_t compared = 0;
    for (const Scenario& shipped : scenarios()) {
        SCOPED_TRACE(shipped.file);
        Random random = random_of(shipped);
        for (std::size_t i = 0; i < runs && !::testing::Test::HasFatalFailure(); ++i) {
            Scenario scenario = shipped;
            if (i > 0) {
                draw_faults(scenario, random);
            }
            if (!scenario.symmetry || !is_valid(scenario)) {
                continue;
            }
            Exchanged exchanged(system_of(scenario));
            try {
                exchanged.run(random);
            } catch (const LimitExceeded&) {
                // A scenario that has no end has gone on for as long as it can.
            }
            compared += exchanged.compared();
        }
    }
    EXPECT_GT(compared, runs * 1000);
}

TEST(Symmetry, CallersAlikeCanTakeEachOthersPlaceInAllShippedScenarios) {
    exchange_in_all_shipped_scenarios(kExchangedRuns);
}

// With the label `long`, as symmetry_long (cmake/LockkeeperTests.cmake).
TEST(Symmetry, DISABLED_LongCallersAlikeCanTakeEachOthersPlaceInAllShippedScenarios) {
    exchange_in_all_shipped_scenarios(30);
}

}  // namespace
}  // namespace lockkeeper
