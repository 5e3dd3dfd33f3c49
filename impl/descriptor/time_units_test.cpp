// SPDX-License-Identifier: Apache-2.0

// Times that are larger than a system's numbers (scenarios/registry/time_units.hpp): a scenario
// whose times are all multiplied by one number says what it said before.
#include "scenarios/registry/time_units.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

constexpr std::string_view kTwoClientsWithTimes = R"({"version": 1, "system": "monglock_write",
    "variant": "repaired", "parameters": {"locktimeout": %LOCK%}, "callers": [
    {"name": "A", "script": [{"sleep": {"time": %SLEEP%}},
        {"acquire": {"key": "db", "until": "acquired"}}, {"release": {"key": "db"}},
        {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]},
    {"name": "B", "script": [{"sleep": {"time": %SLEEP_OF_B%}}, {"acquire": {"key": "db"}}]}],
    "check": "all"})";

std::string replaced(std::string text, const std::string& name, std::int64_t by) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        text.replace(at, name.size(), std::to_string(by));
    }
    return text;
}
Scenario two_clients(std::int64_t lock_timeout, std::int64_t sleep, std::int64_t sleep_of_b) {
    std::string text = replaced(std::string(kTwoClientsWithTimes), "%LOCK%", lock_timeout);
    text = replaced(replaced(std::move(text), "%SLEEP%", sleep), "%SLEEP_OF_B%", sleep_of_b);
    return std::get<Scenario>(parse_scenario(text, "in_a_test.json"));
}
Scenario two_clients(std::int64_t lock_timeout, std::int64_t sleep) {
    return two_clients(lock_timeout, sleep, sleep);
}
Job made(const Scenario& scenario) { return std::get<Job>(make_job(systems(), scenario)); }
ExploreResult explored(const Job& job, Reduction reduction = Reduction::kNone) {
    ExploreOptions options = explore_options_of(job);
    options.reduction = reduction;
    return job.runner->explore(options);
}
// `auto` that gives up its first search at once.
ExploreOptions automatic(ExploreOptions options) {
    options.reduction = Reduction::kNone;
    options.automatic.is_on = true;
    options.automatic.states_before = 10;
    return options;
}

TEST(TimeUnits, AreNotNeededWhereTimesFit) {
    EXPECT_EQ(1, unit_of(made(two_clients(4, 2))));
    EXPECT_EQ(1, unit_of(made(two_clients(10'000, 10'000))));
}

TEST(TimeUnits, FindWhatComesAfterTheLastNumberOfTimesThatAreWritten) {
    for (const std::int32_t factor : {1, 7, 1'000, 12'000, 3'600'000, 100'000'000}) {
        SCOPED_TRACE(factor);
        const Job job = made(two_clients(4LL * factor, 2LL * factor));
        for (const Reduction reduction : {Reduction::kNone, Reduction::kRelativeTime}) {
            const ExploreResult result = explored(job, reduction);
            ASSERT_EQ(1U, result.violations.size()) << detail_of(result.verdict);
            const FoundViolation& found = result.violations.front();
            EXPECT_EQ("belief-overlap", found.property->name);
            EXPECT_EQ(13U, found.schedule.actions.size());
            const Trace trace = job.runner->replay(found.schedule, {});
            EXPECT_TRUE(trace.divergences.empty());
        }
    }
}

TEST(TimeUnits, AreToldAsTheScenarioCounts) {
    const Job job = made(two_clients(48'000, 24'000));
    EXPECT_LT(1, unit_of(job));
    const ExploreResult result = explored(job);
    const Trace trace = job.runner->replay(result.violations.front().schedule, {});
    const auto says = [&](const std::string& words) {
        return std::any_of(trace.steps.begin(), trace.steps.end(), [&](const TraceStep& step) {
            return (step.text + " " + step.state).find(words) != std::string::npos;
        });
    };
    EXPECT_TRUE(says("sleep: until 24000"));
    EXPECT_TRUE(says("time goes on to 24000"));
    EXPECT_TRUE(says("at 24000 if absent"));
    EXPECT_TRUE(says("active since 24000"));
}

TEST(TimeUnits, ThatDoNotExistAreRefusedWithThePlaceAndTheUnit) {
    const auto refused = make_job(systems(), two_clients(3'600'001, 2));
    ASSERT_TRUE(std::holds_alternative<InputError>(refused));
    EXPECT_EQ(
        "in_a_test.json: /parameters/locktimeout: expected 0 to 60000, found 3600001: larger times "
        "need a unit that divides all times of the scenario, defaults too, which is 1 here",
        std::get<InputError>(refused).text());
}

TEST(TimeUnits, WhatComesAfterTheLastNumberAllTheSameIsALimitAndNotLeftOut) {
    // One unit divides both, so that the lock is old after all numbers there are.
    const ExploreResult result = explored(made(two_clients(59'999, 30'001)));
    const auto* end = std::get_if<Inconclusive>(&result.verdict);
    ASSERT_NE(nullptr, end) << detail_of(result.verdict);
    EXPECT_FALSE(result.complete);
    EXPECT_NE(std::string::npos, detail_of(result.verdict).find("virtual time beyond 64000"))
        << detail_of(result.verdict);
}

// Whatever else is found: 600 and 60,000 are the same scope.
TEST(TimeUnits, ASearchThatFindsSomethingBeforeTheEndOfTheNumbersIsNotComplete) {
    const auto found = [](std::int64_t lock_timeout, std::int64_t sleep, Reduction reduction) {
        const Job job = made(two_clients(lock_timeout, sleep));
        ExploreOptions options = explore_options_of(job);
        options.stop_at_first = false;
        options.reduction = reduction;
        return job.runner->explore(options);
    };
    for (const Reduction reduction : {Reduction::kNone, Reduction::kRelativeTime}) {
        SCOPED_TRACE(word_of(reduction));
        const ExploreResult near = found(600, 300, reduction);
        EXPECT_TRUE(near.complete) << near.limit;
        ASSERT_FALSE(near.violations.empty());
        const ExploreResult far = found(59'999, 301, reduction);
        ASSERT_FALSE(far.violations.empty());
        EXPECT_FALSE(far.complete);
        EXPECT_EQ("compiled size: virtual time beyond 64000", far.limit);
    }
}

// When B begins to sleep late, there is no number for when it wakes up: it sleeps.
TEST(TimeUnits, WhatComesBeforeTheEndOfTheNumbersIsFoundInRelativeTimeToo) {
    for (const auto& [sleep_of_b, steps] : {std::pair(301, 13U), std::pair(10'000, 14U)}) {
        SCOPED_TRACE(sleep_of_b);
        const Job job = made(two_clients(59'999, 301, sleep_of_b));
        for (const Reduction reduction :
             {Reduction::kNone, Reduction::kRelativeTime, Reduction::kFaultsLeftAndRelativeTime}) {
            const ExploreResult result = explored(job, reduction);
            ASSERT_EQ(1U, result.violations.size()) << detail_of(result.verdict);
            EXPECT_EQ("belief-overlap", result.violations.front().property->name);
            EXPECT_EQ(steps, result.violations.front().schedule.actions.size());
            EXPECT_EQ(reduction != Reduction::kNone, is_in_relative_time(result.reduction));
        }
        ExploreOptions options = automatic(asking(job, Reduction::kNone, 1));
        options.states_max = 1'000'000;  // in slow builds, too
        const Told found = told(job, options);
        EXPECT_TRUE(is_in_relative_time(found.reduction));
        ASSERT_EQ(1U, found.lengths.count("belief-overlap"));
        EXPECT_EQ(steps, found.lengths.at("belief-overlap"));
    }
}

// --- all systems ---------------------------------------------------------------------------------

// Every time that the scenario gives, or that it gets when it gives none.
template <class Look>
void each_time(const Vocabulary& words, Scenario& scenario, Look look) {
    const auto look_at_numbers = [&](const std::vector<OwnNumber>& known, NamedNumbers& numbers) {
        for (const OwnNumber& number : known) {
            const auto is_time = [&](std::int32_t value) {
                return number.is_time && value != 0 && value != number.no_time &&
                       (number.least != -1 || value > 0);
            };
            const std::int32_t value = numbers.value_or(number.name, number.otherwise);
            if (is_time(value)) {
                numbers[number.name] = look(value);
            }
            for (auto& [name, own] : numbers) {
                if (name.starts_with(number.name + ":") && is_time(own)) {
                    own = look(own);
                }
            }
        }
    };
    look_at_numbers(words.parameters, scenario.parameters.own);
    for (CallerConfig& caller : scenario.world.callers) {
        look_at_numbers(words.settings, caller.settings);
        for (Operation& operation : caller.script) {
            const bool is_time = operation.verb == Verb::kSleep || operation.verb == Verb::kAcquire;
            if (is_time && operation.number != 0) {
                operation.number = static_cast<std::uint32_t>(look(operation.time()));
            }
        }
    }
}

// Two of its times are never so near to each other that an instant before or after a deadline is
// another's; its halves and thirds are whole. Nothing: its clocks are rounded, or it is too large.
std::optional<Scenario> with_coarse_times(const Vocabulary& words, Scenario scenario,
                                          std::int64_t factor_most) {
    std::int64_t divisor = 0;
    std::int64_t largest = 0;
    each_time(words, scenario, [&](std::int32_t time) {
        divisor = std::gcd(divisor, std::int64_t{time});
        largest = std::max(largest, std::abs(std::int64_t{time}));
        return time;
    });
    const auto drifts = [](const CallerConfig& caller) {
        return caller.settings.value_or("drift", 0) != 0;
    };
    const auto& callers = scenario.world.callers;
    constexpr std::int64_t kCoarse = 60;
    const std::int64_t factor = divisor % kCoarse == 0 ? 1 : divisor >= 100 ? 6 : kCoarse;
    if (divisor == 0 || largest * factor * factor_most > kOwnNumberMax ||
        std::any_of(callers.begin(), callers.end(), drifts)) {
        return std::nullopt;
    }
    each_time(words, scenario,
              [&](std::int32_t time) { return static_cast<std::int32_t>(time * factor); });
    return scenario;
}
Scenario multiplied(const Vocabulary& words, Scenario scenario, std::int32_t factor) {
    each_time(words, scenario, [&](std::int32_t time) { return time * factor; });
    return scenario;
}

// By system.
const std::vector<std::vector<Scenario>>& scenarios_with_times() {
    static const std::vector<std::vector<Scenario>> kAll = [] {
        std::map<std::string, std::vector<Scenario>> by_system;
        for (const Scenario& scenario : scenarios()) {
            const RegisteredSystem* system = systems().find(scenario.system, scenario.variant);
            if (system != nullptr && system->vocabulary.knows_its_times) {
                by_system[scenario.system].push_back(scenario);
            }
        }
        std::vector<std::vector<Scenario>> all;
        all.reserve(by_system.size());
        for (auto& [name, of_system] : by_system) {
            all.push_back(std::move(of_system));
        }
        return all;
    }();
    return kAll;
}

std::map<std::string, std::size_t> up_to(std::size_t length,
                                         std::map<std::string, std::size_t> lengths) {
    std::erase_if(lengths, [&](const auto& entry) { return entry.second > length; });
    return lengths;
}

// In relative time, and as `auto` chooses.
std::vector<Told> reduced(const Job& job) {
    const ExploreOptions relative = asking(job, Reduction::kRelativeTime, 1);
    return {told(job, relative), told(job, automatic(relative))};
}
constexpr std::int32_t kReducedFactor = 12'000;
constexpr std::int32_t kFarTime = 59'990;
void expect_reduced_to_find(const Job& job, const Told& expected) {
    for (const Told& found : reduced(job)) {
        EXPECT_EQ(expected.verdict, found.verdict) << word_of(found.reduction);
        EXPECT_TRUE(found.complete) << found.limit;
        EXPECT_EQ(expected.goals, found.goals);
        EXPECT_EQ(expected.lengths.size(), found.lengths.size());
        if (keeps_lengths(found.reduction)) {
            EXPECT_EQ(expected.lengths, found.lengths);
        }
    }
}

TEST(TimeUnitsProperty, TimesThatAreMultipliedChangeNothing) {
    Random random(41);
    std::set<std::string> met;
    std::size_t divided = 0;
    std::size_t refused = 0;
    std::size_t compared = 0;  // violations
    for (std::size_t scope = 0; scope < scopes_count(); ++scope) {
        // Each system in its turn, however many scenarios it has.
        const auto& of_systems = scenarios_with_times();
        Scenario drawn = drawn_scope(of_systems[scope % of_systems.size()], random);
        const Vocabulary& words = systems().find(drawn.system, drawn.variant)->vocabulary;
        const auto coarse = with_coarse_times(words, drawn, 12'000);
        if (!coarse || !is_valid(*coarse)) {
            continue;
        }
        const Job base = made(*coarse);
        const Told expected = told(base, asking(base, Reduction::kNone, 1));
        if (expected.limit.find("virtual time") != std::string::npos) {
            continue;  // another unit has room for what comes later
        }
        met.insert(drawn.system);
        for (const std::int32_t factor : {7, 1'000, 12'000}) {
            SCOPED_TRACE(to_json_text(*coarse) + " times " + std::to_string(factor));
            const auto made_job = make_job(systems(), multiplied(words, *coarse, factor));
            if (const auto* no_unit = std::get_if<InputError>(&made_job)) {
                // A default that the system knows has no large divisor.
                ASSERT_NE(std::string::npos, no_unit->text().find("need a unit"))
                    << no_unit->text();
                ++refused;
                continue;
            }
            const Job& job = std::get<Job>(made_job);
            divided += unit_of(job) > 1 ? 1U : 0U;
            const Told found = told(job, asking(job, Reduction::kNone, 1));
            if (expected.complete && factor == kReducedFactor) {
                expect_reduced_to_find(job, expected);
            }
            if (!expected.complete) {
                // Both end somewhere in a level, and not at the same state: which of the states of
                // a level comes first depends on the numbers in them.
                ASSERT_FALSE(found.complete);
                const std::uint64_t whole = std::min(expected.depth, found.depth) - 1;
                ASSERT_EQ(up_to(whole, expected.lengths), up_to(whole, found.lengths));
                compared += up_to(whole, found.lengths).size();
                continue;
            }
            ASSERT_EQ(expected.verdict, found.verdict);
            ASSERT_EQ(expected.lengths, found.lengths);
            ASSERT_EQ(expected.goals, found.goals);
            ASSERT_TRUE(found.complete);
            ASSERT_EQ(expected.states, found.states);
            compared += found.lengths.size();
        }
    }
    EXPECT_LE(5U, met.size());
    EXPECT_LT(0U, divided);
    EXPECT_LT(10 * refused, divided);
    EXPECT_LT(10U, compared);
}

// Times that nothing divides, so that time ends before everything has happened.
std::optional<Scenario> up_to_the_end(const Vocabulary& words, Scenario scenario, Random& random) {
    std::int32_t largest = 0;
    each_time(words, scenario, [&](std::int32_t time) {
        largest = std::max(largest, std::abs(time));
        return time;
    });
    if (largest == 0) {
        return std::nullopt;
    }
    each_time(words, scenario, [&](std::int32_t time) {
        const std::int64_t far = std::int64_t{time} * kFarTime / largest;
        return static_cast<std::int32_t>(far) - static_cast<std::int32_t>(random.below(5));
    });
    return scenario;
}

bool ends_by_time(const Told& search) {
    return search.limit.find("virtual time") != std::string::npos;
}
// Up to which length this search has found what there is.
std::size_t whole_lengths(const Told& search) {
    const bool is_whole = search.complete || ends_by_time(search);
    return is_whole ? std::numeric_limits<std::size_t>::max() : search.depth - 1;
}

TEST(TimeUnitsProperty, RelativeTimeFindsWhatTheClockFindsBeforeTheEndOfTheNumbers) {
    Random random(43);
    std::size_t compared = 0;
    std::size_t ended = 0;     // by the clock
    std::size_t violated = 0;  // before that
    std::vector<Scenario> of_systems = scenarios();
    std::erase_if(of_systems, [](const Scenario& scenario) {
        return scenario.file.find("/monglock/") == std::string::npos;
    });
    for (std::size_t scope = 0; scope < scopes_count(); ++scope) {
        const Scenario drawn = drawn_scope(of_systems, random);
        const Vocabulary& words = systems().find(drawn.system, drawn.variant)->vocabulary;
        const auto scenario = up_to_the_end(words, drawn, random);
        if (!scenario || !is_valid(*scenario) || !system_of(*scenario).has_relative_time()) {
            continue;
        }
        const Job job = made(*scenario);
        const Told expected = told(job, asking(job, Reduction::kNone, 1));
        SCOPED_TRACE(to_json_text(*scenario));
        for (const Told& found : reduced(job)) {
            ASSERT_TRUE(!expected.complete || found.complete) << found.limit;
            const std::size_t whole = std::min(whole_lengths(expected), whole_lengths(found));
            for (const auto& [name, length] : up_to(whole, expected.lengths)) {
                ASSERT_TRUE(found.lengths.contains(name)) << name << ", " << found.limit;
                ASSERT_EQ(length, found.lengths.at(name)) << name;
            }
        }
        ++compared;
        ended += ends_by_time(expected) ? 1U : 0U;
        violated += ends_by_time(expected) && !expected.lengths.empty() ? 1U : 0U;
    }
    RecordProperty("compared", static_cast<int>(compared));
    RecordProperty("ended", static_cast<int>(ended));
    RecordProperty("violated", static_cast<int>(violated));
    EXPECT_LT(0U, violated);
    EXPECT_LT(ended, compared);
}

}  // namespace
}  // namespace lockkeeper
