// SPDX-License-Identifier: Apache-2.0

// The faults that are left decide only which faults can still happen (Hints::faults_left): a lock
// with more and a lock with less show the same in every run of the latter. The search that goes on
// only where most is left (Reduction::kFaultsLeft) finds the same as the whole search.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"
#include "model/schedule.hpp"
#include "scheduler/search/explorer.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

constexpr std::size_t kRunsOfScenario = testing_model::kIsSlowBuild ? 1 : 5;
constexpr std::size_t kStepsOfRun = 60;

// The lease service says it of crashes alone: how its answers travel depends on what may fail. So
// does the canal lock's mailbox, whose manager may be killed.
bool says_what_is_left_of_all(const std::string& system) {
    return !system.starts_with("lease_service") && !system.starts_with("canal_mailbox");
}

// Monglock's older values are kept while a fault may bring them back, and zero then.
bool forgets_what_is_dead(const std::string& system) { return system.starts_with("monglock"); }

std::string without_faults(const ErasedSystem& system, ErasedSystem::State state) {
    system.forget_faults_left(state);
    return {reinterpret_cast<const char*>(state.bytes.data()), system.used_bytes()};
}

class SideBySide {
  public:
    SideBySide(const Scenario& less, const Scenario& more)
        : less_(system_of(less)),
          more_(system_of(more)),
          at_less_(less_.initial()),
          at_more_(more_.initial()),
          compares_bytes_(!forgets_what_is_dead(less.system)) {}

    // A random run of the one with less; the other one takes the same steps.
    void run(Random& random) {
        ActionList actions;
        for (std::size_t step = 0; step < kStepsOfRun; ++step) {
            if (more_.time_is_over(at_more_) && !less_.time_is_over(at_less_)) {
                return;  // where clocks may jump further ahead time ends earlier
            }
            look();
            less_.enabled(at_less_, actions);
            if (::testing::Test::HasFatalFailure() || actions.size() == 0) {
                return;
            }
            const Action action =
                actions.begin()[random.below(static_cast<std::uint32_t>(actions.size()))];
            SCOPED_TRACE(less_.describe(at_less_, action));
            const Event less = less_.apply(at_less_, action);
            const Event more = more_.apply(at_more_, action);
            ASSERT_EQ(text_of(less), text_of(more));
        }
    }

  private:
    void look() {
        FaultsLeft less;
        FaultsLeft more;
        less_.faults_left(at_less_, less);
        more_.faults_left(at_more_, more);
        ASSERT_TRUE(more.is_at_least(less));
        if (compares_bytes_) {
            const std::string less_bytes = without_faults(less_, at_less_);
            const std::string more_bytes = without_faults(more_, at_more_);
            ASSERT_EQ(
                std::mismatch(less_bytes.begin(), less_bytes.end(), more_bytes.begin()).first -
                    less_bytes.begin(),
                static_cast<std::ptrdiff_t>(less_bytes.size()))
                << less_.show(at_less_) << "\n"
                << more_.show(at_more_);
        }
        ASSERT_EQ(less_.quiescent(at_less_), more_.quiescent(at_more_));
        ASSERT_EQ(less_.finished(at_less_), more_.finished(at_more_));
        ASSERT_EQ(less_.time_is_over(at_less_), more_.time_is_over(at_more_));
        ASSERT_EQ(seen(less_, at_less_), seen(more_, at_more_));
        const auto [steps_of_less, faults_of_less] = actions_of(less_, at_less_);
        const auto [steps_of_more, faults_of_more] = actions_of(more_, at_more_);
        ASSERT_EQ(steps_of_less, steps_of_more);
        ASSERT_TRUE(std::includes(faults_of_more.begin(), faults_of_more.end(),
                                  faults_of_less.begin(), faults_of_less.end()));
    }

    static std::pair<std::vector<std::string>, std::set<std::string>> actions_of(
        const ErasedSystem& system, const ErasedSystem::State& state) {
        ActionList actions;
        system.enabled(state, actions);
        std::vector<std::string> steps;
        std::set<std::string> faults;
        for (const Action action : actions) {
            if (is_fault(action)) {
                faults.insert(to_text(action));
            } else {
                steps.push_back(to_text(action));
            }
        }
        return {steps, faults};
    }

    ErasedSystem less_;
    ErasedSystem more_;
    ErasedSystem::State at_less_;
    ErasedSystem::State at_more_;
    bool compares_bytes_;
};

// How far clocks jump is a time only where one may.
bool have_one_unit(const Scenario& one, const Scenario& other) {
    return unit_of(std::get<Job>(make_job(systems(), one))) ==
           unit_of(std::get<Job>(make_job(systems(), other)));
}

void compare_all_shipped_scenarios(std::size_t runs_of_scenario) {
    std::map<std::string, std::size_t> runs;
    for (const Scenario& scenario : scenarios()) {
        SCOPED_TRACE(scenario.file);
        Random random = random_of(scenario);
        for (std::size_t i = 0; i < runs_of_scenario; ++i) {
            Scenario more = scenario;
            draw_faults(more, random);
            Scenario less = more;
            for (auto& [name, count] : less.parameters.faults) {
                if (says_what_is_left_of_all(scenario.system) && random.below(2) == 0) {
                    --count;
                }
            }
            less.world.crashes_max = static_cast<std::uint8_t>(
                less.world.crashes_max - random.below(less.world.crashes_max + 1U));
            if (!is_valid(more) || !is_valid(less) || !have_one_unit(more, less)) {
                continue;
            }
            try {
                SideBySide(less, more).run(random);
            } catch (const LimitExceeded&) {
                // A scenario that has no end has gone on for as long as it can.
            }
            ASSERT_FALSE(::testing::Test::HasFatalFailure());
            ++runs[scenario.system];
        }
    }
    for (const char* system : {"canal", "lease_db", "lease_coordinator", "monglock_write",
                               "monglock_multi", "transactional_pg", "transactional_innodb"}) {
        EXPECT_GT(runs[system], runs_of_scenario) << system;
    }
}

TEST(FaultsLeft, DecideOnlyWhichFaultsCanHappen) { compare_all_shipped_scenarios(kRunsOfScenario); }

// With the label `long`, as faults_left_long (cmake/LockkeeperTests.cmake).
TEST(FaultsLeft, DISABLED_LongDecideOnlyWhichFaultsCanHappen) { compare_all_shipped_scenarios(20); }

// All states that a search reaches, apart from what is left of the faults in them. Callers alike
// are told apart: which of them stands for which is another question. Nothing: of eight callers
// alike there are too many.
std::optional<std::set<std::string>> reached(const ErasedSystem& system, ExploreOptions options) {
    options.symmetry = false;
    options.states_max = 20 * kStatesMost;
    Explorer<ErasedSystem> explorer(system, options);
    explorer.run();
    if (!explorer.limit().empty()) {
        return std::nullopt;
    }
    std::set<std::string> all;
    for (std::size_t number = 0; number < explorer.reached().size(); ++number) {
        all.insert(without_faults(system, explorer.reached().state_at(number)));
    }
    return all;
}

TEST(FaultsLeft, LeaveEveryVerdictAndEveryShortestLengthAsTheyAre) {
    Random random(2026);
    std::size_t compared = 0;
    std::size_t compared_states = 0;
    std::size_t smaller = 0;
    std::size_t violated = 0;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < scopes_count(); ++i) {
        const Scenario scenario = drawn_scope(scenarios(), random);
        if (!is_valid(scenario)) {
            continue;
        }
        SCOPED_TRACE(to_json_text(scenario));
        const Job job = std::get<Job>(make_job(systems(), scenario));
        const ExploreOptions for_whole = asking(job, Reduction::kNone, 1);
        const ExploreOptions for_reduced = asking(job, Reduction::kFaultsLeft, 1 + random.below(2));
        const Told whole = told(job, for_whole);
        if (!whole.complete) {
            continue;  // where both end at another place nothing can be compared
        }
        const Told reduced = told(job, for_reduced);
        ASSERT_TRUE(reduced.complete);
        ASSERT_LE(reduced.states, whole.states);
        ASSERT_EQ(reduced.verdict, whole.verdict);
        ASSERT_EQ(reduced.lengths, whole.lengths);
        ASSERT_EQ(reduced.goals, whole.goals);
        if (!forgets_what_is_dead(scenario.system)) {
            const ErasedSystem system = job.runner->erased();
            if (const auto of_whole = reached(system, for_whole)) {
                ASSERT_EQ(reached(system, for_reduced), of_whole);
                ++compared_states;
            }
        }
        ++compared;
        smaller += reduced.states < whole.states ? 1U : 0U;
        violated += whole.lengths.empty() ? 0U : 1U;
        seen.insert(scenario.system);
    }
    RecordProperty("compared", static_cast<int>(compared));
    RecordProperty("smaller", static_cast<int>(smaller));
    EXPECT_GT(compared, scopes_count() / 8);
    EXPECT_GT(compared_states, compared / 4);
    EXPECT_GT(smaller, compared / 8);
    EXPECT_GT(violated, compared / 20);
    EXPECT_GT(seen.size(), 5U);
}

}  // namespace
}  // namespace lockkeeper
