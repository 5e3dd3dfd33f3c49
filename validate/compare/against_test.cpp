// SPDX-License-Identifier: Apache-2.0

// The parts of `validate --against`, with small canal locks beside each other. The planted bugs and
// the published lock differ from the repaired one in the way that their names say.
#include "validate/compare/against.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "impl/canal/planted_bugs.hpp"
#include "model/erased_system.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"
#include "model/world.hpp"

namespace lockkeeper::against {
namespace {

using Scripts = std::vector<std::vector<Operation>>;
using testing_model::acquire;
using testing_model::release;
using Lock = canal::CanalLock<canal::TinySize>;

struct May {
    std::uint8_t crashes = 0;
    std::vector<std::uint16_t> views{1};
};

template <class Implementation>
Side side(const Scripts& scripts, std::uint8_t repairs, std::uint16_t max_per,
          const May& may = {}) {
    canal::CanalOptions options;
    options.manager_max_per = max_per;
    options.max_pers = {max_per};
    options.tables = {{{0, 0}, 2}};
    options.repairs = repairs;
    WorldConfig world = testing_model::world_of(scripts);
    world.crashes_max = may.crashes;
    world.views = may.views;
    return {ErasedSystem(World<Implementation>(Implementation(options), world)),
            Implementation::kFeatures};
}

template <class Implementation>
Reference reference(const Scripts& scripts, std::uint8_t repairs, std::uint16_t max_per,
                    const std::vector<std::uint16_t>& views = {1}) {
    Reference made;
    for (May may{0, views}; made.by_resizes.size() < views.size();) {
        const Side one = side<Implementation>(scripts, repairs, max_per, may);
        made.by_resizes.push_back(one.system);
        made.features = one.features;
        std::rotate(may.views.begin(), may.views.begin() + 1, may.views.end());
    }
    return made;
}

struct Found {
    Difference worst = Difference::kNone;
    ObservedRun run;
    Explanation explanation;
    Explanation shrunk_explanation;
};

Found find(const Against& against, std::uint64_t schedules) {
    Found found;
    for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
        const ObservedRun run = against.run_at_random(seed, 10'000);
        const Explanation explanation = against.explain(run);
        if (explanation.difference > found.worst) {
            found.worst = explanation.difference;
            found.explanation = explanation;
            found.run = run;
        }
    }
    if (found.worst > Difference::kUndecided) {
        found.run = against.shrink(found.run, found.worst, [] { return true; });
        found.shrunk_explanation = against.explain(found.run);
    }
    return found;
}

template <class Candidate>
Found beside_the_repaired(const Scripts& scripts, std::uint8_t repairs = canal::kNoRepair,
                          std::uint16_t max_per = 2, std::uint64_t schedules = 300) {
    return find(Against(side<Candidate>(scripts, repairs, max_per),
                        reference<Lock>(scripts, canal::kAllRepairs, max_per)),
                schedules);
}

Scripts callers(std::size_t count, int max_per, int buckets, int rounds = 1) {
    std::vector<Operation> script;
    for (int i = 0; i < rounds; ++i) {
        script.push_back(acquire(max_per, buckets));
        script.push_back(release(max_per, buckets));
    }
    return Scripts(count, script);
}

TEST(Against, the_repaired_lock_equals_itself) {
    const Found found = beside_the_repaired<Lock>(callers(3, 1, 2, 2), canal::kAllRepairs, 1);
    EXPECT_EQ(found.worst, Difference::kNone) << found.explanation.expected;
}

TEST(Against, the_published_lock_leaks_beside_the_repaired_one) {
    const Found found = beside_the_repaired<Lock>(callers(2, 1, 2, 2), canal::kNoRepair, 1, 2'000);
    EXPECT_EQ(found.worst, Difference::kWrong);
    EXPECT_LE(found.run.actions.size(), 40U);
}

TEST(Against, one_caller_alone_sees_no_difference) {
    const Found found = beside_the_repaired<Lock>(callers(1, 2, 2, 2));
    EXPECT_EQ(found.worst, Difference::kNone) << found.explanation.expected;
}

TEST(Against, who_refuses_the_last_unit_is_stricter) {
    const Scripts scripts = {{acquire(2, 1), acquire(2, 1)}};
    const Found found = beside_the_repaired<broken::RefusesTheLastUnit>(scripts);
    EXPECT_EQ(found.worst, Difference::kStricter);
    ASSERT_TRUE(found.shrunk_explanation.call);
    EXPECT_EQ(found.run.calls[*found.shrunk_explanation.call].text, "full");
    EXPECT_EQ(found.shrunk_explanation.expected, "acquired, count 2");
}

TEST(Against, who_grants_at_the_cap_is_looser) {
    const Scripts scripts = {{acquire(1, 1)}, {acquire(1, 1)}};
    const Found found = beside_the_repaired<broken::GrantsAtCap>(scripts, canal::kNoRepair, 1);
    EXPECT_EQ(found.worst, Difference::kLooser);
    EXPECT_EQ(found.shrunk_explanation.expected, "full");
}

TEST(Against, another_count_is_wrong) {
    const Found found = beside_the_repaired<broken::CountsFromZero>({{acquire(2, 1)}});
    EXPECT_EQ(found.worst, Difference::kWrong);
    EXPECT_EQ(found.shrunk_explanation.expected, "acquired, count 1");
}

TEST(Against, a_call_that_never_returns_is_wrong) {
    const Found found = beside_the_repaired<broken::ForgetsToReply>(callers(1, 2, 1));
    EXPECT_EQ(found.worst, Difference::kWrong);
    EXPECT_TRUE(found.run.stuck);
    EXPECT_EQ(found.shrunk_explanation.expected, "every call returns, here some never do");
}

TEST(Against, a_death_is_wrong) {
    const Scripts scripts = {{acquire(1, 1), acquire(1, 1), release(1, 1)}};
    const Found found = beside_the_repaired<broken::DiesOfTheMark>(scripts, canal::kNoRepair, 1);
    EXPECT_EQ(found.worst, Difference::kWrong);
    ASSERT_TRUE(found.shrunk_explanation.call);
    EXPECT_EQ(found.run.calls[*found.shrunk_explanation.call].text, "died");
}

TEST(Against, a_leak_that_no_answer_shows_is_wrong) {
    const Scripts scripts = {{acquire(1, 1), acquire(1, 1), release(1, 1)}};
    const Found found = beside_the_repaired<broken::LeavesTheMark>(scripts, canal::kNoRepair, 1);
    EXPECT_EQ(found.worst, Difference::kWrong);
    EXPECT_FALSE(found.shrunk_explanation.call);
    EXPECT_EQ(found.shrunk_explanation.expected, "0 units in use at the end, not 1");
}

TEST(Against, a_run_that_is_given_again_is_the_same) {
    const Scripts scripts = callers(3, 1, 2, 2);
    const Against against(side<Lock>(scripts, canal::kNoRepair, 1),
                          reference<Lock>(scripts, canal::kAllRepairs, 1));
    const ObservedRun first = against.run_at_random(7, 10'000);
    const ObservedRun again = against.run(first.actions);
    EXPECT_EQ(first.actions, again.actions);
    EXPECT_EQ(first.units_least, again.units_least);
    EXPECT_EQ(first.calls.size(), again.calls.size());
}

// --- crashes and resizes ---------------------------------------------------------------------

// This lock's bug shows only after a crash.
struct ForgetsTheDead : Lock {
    using Lock::Lock;
    static void on_death(Shared& /*shared*/, Record& /*record*/) {}
};

template <class Candidate>
Found where_some_may(const May& may, const Scripts& scripts,
                     std::uint8_t repairs = canal::kAllRepairs, std::uint64_t schedules = 500) {
    return find(Against(side<Candidate>(scripts, repairs, 1, may),
                        reference<Lock>(scripts, canal::kAllRepairs, 1, may.views)),
                schedules);
}

std::size_t crashes_of(const ObservedRun& run) {
    return static_cast<std::size_t>(
        std::count_if(run.actions.begin(), run.actions.end(),
                      [](Action action) { return action.kind == ActionKind::kCrash; }));
}

TEST(Against, the_repaired_lock_equals_itself_where_callers_die_at_any_step) {
    const Found found = where_some_may<Lock>({2, {1}}, callers(3, 1, 2, 2));
    EXPECT_EQ(found.worst, Difference::kNone) << found.explanation.expected;
}

TEST(Against, who_forgets_the_dead_differs_by_a_crash_only) {
    EXPECT_EQ(where_some_may<ForgetsTheDead>({}, callers(2, 1, 1)).worst, Difference::kNone);
    const Found found = where_some_may<ForgetsTheDead>({1, {1}}, callers(2, 1, 1));
    EXPECT_EQ(found.worst, Difference::kWrong);
    EXPECT_EQ(crashes_of(found.run), 1U);
    EXPECT_EQ(found.shrunk_explanation.expected, "0 units in use at the end, not 1");
    EXPECT_LE(found.run.actions.size(), 12U);
}

TEST(Against, an_exit_with_the_lock_is_a_death_too) {
    const Scripts scripts = {{acquire(1, 1), testing_model::exit_process()}, {acquire(1, 1)}};
    EXPECT_EQ(where_some_may<Lock>({}, scripts).worst, Difference::kNone);
    EXPECT_EQ(where_some_may<ForgetsTheDead>({}, scripts).worst, Difference::kWrong);
}

TEST(Against, the_published_lock_leaks_of_a_crash_that_it_takes) {
    const Scripts one = callers(1, 1, 2);
    EXPECT_EQ(where_some_may<Lock>({}, one, canal::kNoRepair).worst, Difference::kNone);
    EXPECT_EQ(where_some_may<Lock>({1, {1}}, one, canal::kNoRepair).worst, Difference::kWrong);
}

// A holds what is there and dies at `dies`; B acquires from step 10 to 11, C perhaps from 13 to 14.
Difference of_two(std::size_t dies, const std::string& answer, int held, std::uint8_t repairs,
                  const std::string& answer_to_third = "") {
    const Scripts scripts = {std::vector<Operation>(static_cast<std::size_t>(held), acquire(2, 1)),
                             {acquire(2, 1)},
                             {acquire(2, 1)}};
    ObservedRun run;
    for (int i = 0; i < held; ++i) {
        const auto at = static_cast<std::size_t>(2 * i + 1);
        run.calls.push_back({{"acquired, count " + std::to_string(i + 1), true, false},
                             0,
                             Verb::kAcquire,
                             0,
                             at,
                             at + 1,
                             0});
    }
    run.calls.push_back(
        {{answer, answer != "full", answer == "full"}, 1, Verb::kAcquire, 0, 10, 11, 0});
    if (!answer_to_third.empty()) {
        run.calls.push_back(
            {{answer_to_third, answer_to_third != "full", answer_to_third == "full"},
             2,
             Verb::kAcquire,
             0,
             13,
             14,
             0});
    }
    run.deaths.push_back({0, dies, false, std::nullopt});
    const Against against(side<Lock>(scripts, repairs, 2), reference<Lock>(scripts, repairs, 2));
    return against.explain(run).difference;
}

TEST(Against, a_clean_up_comes_after_the_death_at_any_time_and_in_parts) {
    for (const std::uint8_t repairs : {canal::kNoRepair, canal::kAllRepairs}) {
        EXPECT_EQ(of_two(9, "full", 2, repairs), Difference::kNone);
        EXPECT_EQ(of_two(9, "acquired, count 1", 2, repairs), Difference::kNone);
        EXPECT_EQ(of_two(10, "acquired, count 1", 1, repairs), Difference::kNone);
        EXPECT_EQ(of_two(12, "acquired, count 1", 2, repairs), Difference::kLooser);
        EXPECT_EQ(of_two(12, "acquired, count 1", 1, repairs), Difference::kWrong);
    }
    // The published manager frees one after the other.
    EXPECT_EQ(of_two(9, "acquired, count 2", 2, canal::kNoRepair), Difference::kNone);
    EXPECT_EQ(of_two(9, "acquired, count 2", 2, canal::kNoRepair, "full"), Difference::kNone);
    EXPECT_EQ(of_two(9, "acquired, count 1", 2, canal::kNoRepair, "full"), Difference::kStricter);
}

// The reference dies inside of the call, too.
TEST(Against, the_published_lock_beside_itself_leaks_of_no_more_than_it_does) {
    const Scripts one = callers(1, 1, 2);
    const Found found = find(Against(side<Lock>(one, canal::kNoRepair, 1, {1, {1}}),
                                     reference<Lock>(one, canal::kNoRepair, 1)),
                             500);
    EXPECT_EQ(found.worst, Difference::kNone) << found.explanation.expected;
}

// A lock that lets callers wait and cleans nothing up.
Side waiting_lock(bool waits, std::uint8_t crashes) {
    testing_model::TestAndSet lock;
    lock.waits = waits;
    WorldConfig world = testing_model::world_of({{acquire()}, {acquire(), release()}});
    world.crashes_max = crashes;
    return {ErasedSystem(World<testing_model::TestAndSet>(lock, world)), 0};
}

TEST(Against, who_waits_for_ever_beside_a_reference_that_does_so_too_is_no_difference) {
    for (const std::uint8_t crashes : {std::uint8_t{0}, std::uint8_t{1}}) {
        const Against same(waiting_lock(true, crashes), {{waiting_lock(true, 0).system}, 0});
        std::size_t stuck = 0;
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const ObservedRun run = same.run_at_random(seed, 1'000);
            stuck += run.stuck ? 1 : 0;
            EXPECT_EQ(same.explain(run).difference, Difference::kNone) << seed;
        }
        EXPECT_GT(stuck, 20U);
        const Against other(waiting_lock(true, crashes), {{waiting_lock(false, 0).system}, 0});
        const Found found = find(other, 100);
        EXPECT_EQ(found.worst, Difference::kWrong);
        EXPECT_EQ(found.shrunk_explanation.expected, "every call returns, here some never do");
    }
}

TEST(Against, calls_see_the_resizes_that_had_happened_when_they_began) {
    using testing_model::following;
    const Scripts scripts(2, {following(acquire(1)), following(release(1)), following(acquire(1)),
                              following(release(1))});
    const Found same = where_some_may<Lock>({0, {1, 2, 1}}, scripts);
    EXPECT_EQ(same.worst, Difference::kNone) << same.explanation.expected;
    // One that does not see them, beside a reference that does.
    const Scripts blind(2, {acquire(1, 1), release(1, 1), acquire(1, 1), release(1, 1)});
    const Against against(side<Lock>(blind, canal::kAllRepairs, 1, {0, {1, 2, 1}}),
                          reference<Lock>(scripts, canal::kAllRepairs, 1, {1, 2, 1}));
    EXPECT_EQ(find(against, 500).worst, Difference::kStricter);
}

}  // namespace
}  // namespace lockkeeper::against
