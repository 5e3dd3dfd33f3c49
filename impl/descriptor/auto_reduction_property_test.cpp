// SPDX-License-Identifier: Apache-2.0

// `auto` against `none`, on random scopes of all systems: the same verdict, violated properties and
// goals, and shortest lengths where they are promised. The first search ends after a few states, so
// that nearly every scope is searched again with what is sound.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"
#include "model/schedule.hpp"
#include "scheduler/auto_reduction.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

ExploreOptions asked(const Job& job, AskedReduction reduction) {
    ExploreOptions options = explore_options_of(job, reduction);
    options.counting = Counting::kOff;
    options.stop_at_first = false;
    options.states_max = kStatesMost;
    return options;
}

ExploreOptions automatic(const Job& job, std::uint64_t states_before) {
    ExploreOptions options = asked(job, AskedReduction::kAuto);
    options.automatic.states_before = states_before;
    return options;
}

// Asks for some of the properties without monitors, which exclude private steps; livelock too.
void draw_questions(Scenario& scenario, Random& random) {
    const auto made = make_job(systems(), scenario);
    const auto* job = std::get_if<Job>(&made);
    scenario.check.clear();
    for (const Property* property : job == nullptr ? std::vector<const Property*>{} : job->check) {
        const bool is_asked = property->monitor == Monitor::kNone && random.below(3) != 0;
        if (is_asked) {
            scenario.check.emplace_back(property->name);
        }
    }
}

// Draws from all shipped scenarios. Those with relative time, private steps or livelocks get more
// than their share, because few of them are small enough.
Scenario drawn_scenario(Random& random) {
    static const auto kPools = [] {
        std::vector<std::vector<Scenario>> pools;
        for (const std::string_view folder :
             {"", "/monglock/", "/leases/", "/canal/", "/livelock/"}) {
            pools.push_back(scenarios());
            std::erase_if(pools.back(), [&](const Scenario& scenario) {
                return scenario.file.find(folder) == std::string::npos;
            });
        }
        return pools;
    }();
    return drawn_scope(kPools[random.below(static_cast<std::uint32_t>(kPools.size()))], random);
}

// Everything or something is asked about; of the scenario's own limits and pins nothing is left. Of
// faults only some: with all that was drawn few scopes are small enough.
Scenario drawn_freely(Random& random) {
    Scenario scenario = drawn_scenario(random);
    if (random.below(2) == 0) {
        scenario.world.crashes_max = 0;
    }
    scenario.expect = {};
    scenario.limits = {};
    scenario.symmetry = true;
    scenario.reduction = AskedReduction::kAuto;
    const std::uint32_t share = std::max(1U, random.below(4));  // 1: none
    std::erase_if(scenario.parameters.faults,
                  [&](const auto&) { return share == 1 || random.below(share) == 0; });
    if (random.below(3) != 0) {
        draw_questions(scenario, random);
    }
    return scenario;
}

void expect_the_same(const Told& whole, const Told& found) {
    EXPECT_TRUE(found.complete) << found.limit;
    EXPECT_EQ(found.verdict, whole.verdict);
    EXPECT_EQ(found.goals, whole.goals);
    ASSERT_EQ(found.lengths.size(), whole.lengths.size());
    for (const auto& [name, length] : whole.lengths) {
        const auto same = found.lengths.find(name);
        ASSERT_NE(same, found.lengths.end()) << name;
        if (keeps_lengths(found.reduction)) {
            EXPECT_EQ(same->second, length) << name;
        } else {
            EXPECT_GE(same->second, length) << name;
        }
    }
}

struct Compared {
    std::map<Reduction, std::size_t> used;
    std::size_t valid = 0;
    std::size_t all = 0;
    std::size_t violated = 0;
    std::size_t livelocks = 0;
    std::size_t without_cycle = 0;  // as the graph of a reduced search says
    std::set<std::string> systems;
};

void compare_scope(const Scenario& scenario, Random& random, Compared& compared) {
    const Job job = std::get<Job>(make_job(systems(), scenario));
    const Told whole = told(job, asked(job, AskedReduction::kNone));
    if (!whole.complete) {
        return;  // where both end at another place nothing can be compared
    }
    ExploreOptions options = automatic(job, 1 + random.below(100));
    options.jobs = 1 + random.below(2);
    const Told found = told(job, options);
    expect_the_same(whole, found);
    ++compared.all;
    compared.used[found.reduction] += found.states_before > 0 ? 1U : 0U;
    compared.violated += whole.lengths.empty() ? 0U : 1U;
    compared.livelocks += whole.lengths.contains("livelock") ? 1U : 0U;
    compared.without_cycle += found.runs_end ? 1U : 0U;
    compared.systems.insert(scenario.system);
}

TEST(AutoReduction, OfRandomScopesSaysWhatASearchWithoutAnyReductionSays) {
    Random random(35);
    Compared compared;
    for (std::size_t i = 0; i < 10 * scopes_count(); ++i) {
        const Scenario scenario = drawn_freely(random);
        if (is_valid(scenario) && !may_come_to_the_end_of_the_numbers(scenario)) {
            ++compared.valid;
            SCOPED_TRACE(to_json_text(scenario));
            compare_scope(scenario, random, compared);
            ASSERT_FALSE(HasFailure());
        }
    }
    RecordProperty("valid", static_cast<int>(compared.valid));
    RecordProperty("compared", static_cast<int>(compared.all));
    for (const auto& [reduction, count] : compared.used) {
        RecordProperty(std::string("used_") + kReductionWords[static_cast<std::size_t>(reduction)],
                       static_cast<int>(count));
    }
    RecordProperty("without_cycle", static_cast<int>(compared.without_cycle));
    RecordProperty("livelocks", static_cast<int>(compared.livelocks));
    EXPECT_GT(compared.all, scopes_count() / 3);
    for (const Reduction reduction :
         {Reduction::kPrivateSteps, Reduction::kFaultsLeft, Reduction::kRelativeTime,
          Reduction::kFaultsLeftAndRelativeTime}) {
        if (reduction == Reduction::kPrivateSteps && testing_model::kIsSanitized) {
            continue;  // canal_sizes.hpp: the canal lock has no searches of its own there
        }
        EXPECT_GT(compared.used[reduction], scopes_count() / 60) << word_of(reduction);
    }
    EXPECT_GT(compared.violated, compared.all / 20);
    EXPECT_GT(compared.livelocks, 1U);
    EXPECT_GT(compared.without_cycle, compared.all / 20);
    EXPECT_GT(compared.systems.size(), 8U);
}

}  // namespace
}  // namespace lockkeeper
