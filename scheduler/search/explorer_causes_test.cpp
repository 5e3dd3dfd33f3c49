// SPDX-License-Identifier: Apache-2.0

// --keep-going shows one violation of each property and cause: one bug does not hide another.
#include <set>

#include <gmock/gmock.h>

#include "model/test_and_set_test.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using testing_model::TestAndSet;

// A lock with two bugs that both let a second caller in: an acquire of number kBlind only looks,
// and one of number kCareless clears the word as it returns.
struct TwoBugs : TestAndSet {
    static constexpr std::uint16_t kBlind = 1;
    static constexpr std::uint16_t kCareless = 2;

    void begin(const Operation& operation, Call& call) const {
        TestAndSet::begin(operation, call);
        if (operation.number == kBlind) {
            call.at = At::kLook;
        }
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        if (call.at == At::kLook) {
            call.at = At::kReturn;
            return Outcome::kContinues;
        }
        if (call.at == At::kReturn && operation.number == kCareless) {
            shared.taken[operation.key] = 0;
        }
        return TestAndSet::step(shared, record, call, operation, event);
    }
};

// Three callers acquire once, each with its number.
std::unique_ptr<Runner> two_bugs(const std::vector<std::uint16_t>& numbers) {
    WorldConfig world;
    world.keys = {"db"};
    for (const std::uint16_t number : numbers) {
        CallerConfig caller;
        caller.name = "C" + std::to_string(world.callers.size() + 1);
        Operation acquire;
        acquire.verb = Verb::kAcquire;
        acquire.place_capacity = 1;
        acquire.places = 1;
        acquire.number = number;
        caller.script = {acquire};
        caller.group = static_cast<std::uint8_t>(number);
        world.callers.push_back(caller);
    }
    return runner_of(World<TwoBugs>(TwoBugs{}, world), world);
}

ExploreOptions by_cause(const char* property) {
    ExploreOptions options;
    options.check = {find_property(property)};
    options.counting = Counting::kOff;
    options.causes_max = kCausesMax;
    return options;
}

std::vector<std::string> causes(const ExploreResult& result) {
    std::vector<std::string> out;
    for (const FoundViolation& found : result.violations) {
        out.push_back(found.cause);
    }
    return out;
}

TEST(ExplorerCauses, TheCausesOfALeakAreToldApartTheShortestFirst) {
    const auto system = runner(warm(once_each({2, 2, 2}, 1, 15), 2));
    const ExploreResult result = system->explore(by_cause("leak"));
    const std::vector<std::string> found = causes(result);
    EXPECT_GT(found.size(), 1U);
    EXPECT_EQ(found.size(), std::set<std::string>(found.begin(), found.end()).size());
    ExploreOptions first = by_cause("leak");
    first.causes_max = 1;
    const ExploreResult one = system->explore(first);
    ASSERT_EQ(1U, one.violations.size());
    EXPECT_EQ("", one.violations[0].cause);
    EXPECT_EQ(one.violations[0].schedule.actions.size(),
              result.violations[0].schedule.actions.size());
    EXPECT_EQ(one.states, result.states);
    EXPECT_EQ(one.transitions, result.transitions);
    for (std::size_t i = 1; i < result.violations.size(); ++i) {
        EXPECT_LE(result.violations[i - 1].schedule.actions.size(),
                  result.violations[i].schedule.actions.size());
    }
}

TEST(ExplorerCauses, AnyNumberOfWorkersFindsTheSame) {
    const auto system = runner(warm(once_each({2, 2, 2}, 1, 15), 2));
    ExploreOptions options = by_cause("leak");
    const ExploreResult alone = system->explore(options);
    options.jobs = 3;
    const ExploreResult together = system->explore(options);
    ASSERT_EQ(causes(alone), causes(together));
    for (std::size_t i = 0; i < alone.violations.size(); ++i) {
        EXPECT_EQ(to_line(alone.violations[i].schedule), to_line(together.violations[i].schedule));
    }
}

TEST(ExplorerCauses, EachIsAViolationThatReplays) {
    const auto system = runner(warm(once_each({2, 2, 2}, 1, 15), 2));
    const ExploreOptions options = by_cause("leak");
    for (const FoundViolation& found : system->explore(options).violations) {
        ReplayOptions replay;
        replay.check = options.check;
        const Trace trace = system->replay(found.schedule, replay);
        EXPECT_EQ(1U, trace.violated.size()) << found.cause;
        for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
            EXPECT_TRUE(trace.steps[i].violates.empty()) << found.cause;
        }
    }
}

TEST(ExplorerCauses, OfTwoBugsNeitherHidesTheOther) {
    const auto of = [](const std::vector<std::uint16_t>& numbers) {
        return causes(two_bugs(numbers)->explore(by_cause("over-allocation")));
    };
    const std::vector<std::string> blind = of({0, 0, TwoBugs::kBlind});
    const std::vector<std::string> careless = of({0, 0, TwoBugs::kCareless});
    const std::vector<std::string> both = of({0, TwoBugs::kBlind, TwoBugs::kCareless});
    EXPECT_THAT(blind, ::testing::Contains("acquire: look"));
    EXPECT_THAT(careless, ::testing::ElementsAre("acquire: test and set"));
    EXPECT_THAT(both, ::testing::IsSupersetOf({"acquire: look", "acquire: test and set"}));
    EXPECT_THAT(of({0, 0, 0}), ::testing::IsEmpty());
}

TEST(ExplorerCauses, AtMostSoManyAreShownAndThatIsSaid) {
    const auto system = runner(warm(once_each({2, 2, 2}, 1, 15), 2));
    ExploreOptions options = by_cause("leak");
    options.causes_max = 2;
    const ExploreResult result = system->explore(options);
    ASSERT_EQ(2U, result.violations.size());
    EXPECT_TRUE(result.violations[0].causes_cut);
}

}  // namespace
}  // namespace lockkeeper
