// SPDX-License-Identifier: Apache-2.0

// A system in relative time (Hints::relative_time) does what the same system does by the clock,
// step by step, and of two states that it takes for one none shows what the other does not. And the
// search in relative time finds what the whole search finds.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"
#include "model/schedule.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

// With LOCKKEEPER_SCOPES, which is for longer tests, so many more.
std::size_t runs_of_scenario() {
    constexpr std::size_t kRuns = testing_model::kIsSlowBuild ? 4 : 25;
    return std::max(kRuns, scopes_count() / 100);
}
constexpr std::size_t kStepsInTime = 80;

// Returns the shipped scenarios whose system has relative time.
const std::vector<Scenario>& scenarios_with_time() {
    static const std::vector<Scenario> kAll = [] {
        std::vector<Scenario> all = scenarios();
        std::erase_if(all, [](const Scenario& scenario) {
            return !is_valid(scenario) || !system_of(scenario).has_relative_time();
        });
        return all;
    }();
    return kAll;
}

class ByTheClockAndRelative {
  public:
    explicit ByTheClockAndRelative(const ErasedSystem& system)
        : system_(system),
          relative_(system.in_relative_time()),
          at_(system_.initial()),
          at_relative_(relative_.initial()) {}

    // A random run, to the end of the numbers at most.
    void run(Random& random) {
        ActionList possible;
        ActionList possible_relative;
        for (std::size_t step = 0; step < kStepsInTime; ++step) {
            look();
            if (is_kept_) {
                return;
            }
            system_.enabled(at_, possible);
            relative_.enabled(at_relative_, possible_relative);
            if (time_ends_here(possible, possible_relative)) {
                return;
            }
            ASSERT_EQ(words_of(possible), words_of(possible_relative));
            if (::testing::Test::HasFatalFailure() || possible.size() == 0) {
                return;
            }
            // Time goes on in every third step, or seldom anything would ever be old.
            std::size_t chosen = random.below(static_cast<std::uint32_t>(possible.size()));
            for (std::size_t i = 0; i < possible.size() && random.below(3) == 0; ++i) {
                chosen = possible[i].kind == ActionKind::kTime ? i : chosen;
            }
            SCOPED_TRACE(system_.describe(at_, possible[chosen]));
            const Event event = system_.apply(at_, possible[chosen]);
            const Event relative = relative_.apply(at_relative_, possible_relative[chosen]);
            ASSERT_EQ(text_of(event, Shows::kNoInstants), text_of(relative, Shows::kNoInstants));
            passed_ += possible[chosen].kind == ActionKind::kTime ? 1U : 0U;
        }
    }
    [[nodiscard]] std::size_t times_passed() const { return passed_; }
    // It came to an instant that has no number by the clock, and one in relative time.
    [[nodiscard]] bool is_kept() const { return is_kept_; }

  private:
    void look() {
        ASSERT_EQ(seen(system_, at_, Shows::kNoInstants),
                  seen(relative_, at_relative_, Shows::kNoInstants));
        ASSERT_EQ(system_.quiescent(at_), relative_.quiescent(at_relative_));
        ASSERT_EQ(system_.finished(at_), relative_.finished(at_relative_));
        ErasedSystem::State same = at_;
        system_.make_relative(same);
        is_kept_ = same.bytes == at_.bytes && same.bytes != at_relative_.bytes;
        if (is_kept_) {
            return;
        }
        const auto differs =
            std::mismatch(same.bytes.begin(), same.bytes.end(), at_relative_.bytes.begin());
        ASSERT_EQ(differs.first - same.bytes.begin(), std::ssize(same.bytes))
            << "by the clock: " << system_.show(at_) << "\nmade relative: " << system_.show(same)
            << "\nin relative time: " << relative_.show(at_relative_);
    }
    // The next instant comes after the end of time; relative time has none.
    bool time_ends_here(const ActionList& possible, const ActionList& possible_relative) const {
        const auto time_of = [](const ActionList& actions) {
            const auto* const time = std::find_if(actions.begin(), actions.end(), [](Action one) {
                return one.kind == ActionKind::kTime;
            });
            return time == actions.end() ? 0 : std::int32_t{time->argument};
        };
        const bool has_no_number = time_of(possible) == 0 || time_of(possible) > kInstantMax;
        return time_of(possible_relative) != 0 && has_no_number && system_.time_is_over(at_);
    }
    static std::vector<std::string> words_of(const ActionList& actions) {
        std::vector<std::string> words;
        for (Action action : actions) {
            action.argument = action.kind == ActionKind::kTime ? std::uint16_t{0} : action.argument;
            words.push_back(to_text(action));
        }
        return words;
    }

    ErasedSystem system_;
    ErasedSystem relative_;
    ErasedSystem::State at_;
    ErasedSystem::State at_relative_;
    std::size_t passed_ = 0;
    bool is_kept_ = false;
};

TEST(RelativeTime, ChangesNothingThatHappens) {
    std::map<std::string, std::size_t> runs;
    std::size_t passed = 0;
    std::size_t kept = 0;
    for (const Scenario& one : scenarios_with_time()) {
        SCOPED_TRACE(one.file);
        Random random = random_of(one);
        for (std::size_t i = 0; i < runs_of_scenario(); ++i) {
            Scenario scenario = one;
            draw_faults(scenario, random);
            if (i % 2 == 0) {
                // With late takes and without the other repairs a gap that is wider than every
                // period is one unit narrower or not, as the way to the state was.
                draw_repairs(scenario, random, "monotone_tokens");
            }
            if (!is_valid(scenario) || !system_of(scenario).has_relative_time()) {
                continue;
            }
            ByTheClockAndRelative both(system_of(scenario));
            try {
                both.run(random);
            } catch (const LimitExceeded&) {
                // A scenario that has no end has gone on for as long as it can.
            }
            ASSERT_FALSE(HasFatalFailure());
            passed += both.times_passed();
            // Where times are long; elsewhere every state is renamed.
            const bool is_long = one.file.find("end_of_numbers") != std::string::npos;
            ASSERT_TRUE(is_long || !both.is_kept());
            kept += both.is_kept() ? 1U : 0U;
            ++runs[scenario.system];
        }
    }
    for (const char* system :
         {"monglock_write", "monglock_multi", "lease_coordinator", "lease_service", "lease_db"}) {
        EXPECT_GT(runs[system], 10 * runs_of_scenario()) << system;
    }
    EXPECT_GT(passed, 1'000U);
    if (!testing_model::kIsSlowBuild) {  // which draw few runs
        EXPECT_GT(kept, 0U);
    }
}

TEST(RelativeTime, LeavesEveryVerdictAndEveryShortestLengthAsTheyAre) {
    Random random(2027);
    std::map<Reduction, std::size_t> smaller;
    std::size_t compared = 0;
    std::size_t violated = 0;
    for (std::size_t i = 0; i < scopes_count(); ++i) {
        Scenario scenario = drawn_scope(scenarios_with_time(), random);
        // With all that was drawn few scopes are small enough to be searched to the end.
        std::erase_if(scenario.parameters.faults,
                      [&](const auto&) { return random.below(3) != 0; });
        if (!is_valid(scenario) || may_come_to_the_end_of_the_numbers(scenario)) {
            continue;
        }
        SCOPED_TRACE(to_json_text(scenario));
        const Job job = std::get<Job>(make_job(systems(), scenario));
        const Told whole = told(job, asking(job, Reduction::kNone, 1));
        if (!whole.complete) {
            continue;  // where both end at another place nothing can be compared
        }
        for (const Reduction reduction :
             {Reduction::kRelativeTime, Reduction::kFaultsLeftAndRelativeTime}) {
            const Told reduced = told(job, asking(job, reduction, 1 + random.below(2)));
            ASSERT_TRUE(reduced.complete);
            ASSERT_LE(reduced.states, whole.states);
            ASSERT_EQ(reduced.verdict, whole.verdict);
            ASSERT_EQ(reduced.lengths, whole.lengths);
            ASSERT_EQ(reduced.goals, whole.goals);
            smaller[reduction] += reduced.states < whole.states ? 1U : 0U;
        }
        ++compared;
        violated += whole.lengths.empty() ? 0U : 1U;
    }
    RecordProperty("compared", static_cast<int>(compared));
    EXPECT_GT(compared, scopes_count() / 12);
    EXPECT_GT(smaller[Reduction::kRelativeTime], compared / 8);
    EXPECT_GE(smaller[Reduction::kFaultsLeftAndRelativeTime], smaller[Reduction::kRelativeTime]);
    EXPECT_GT(violated, compared / 20);
}

// Time has to pass in a certain place, so each has many runs of its own.
struct Kept {
    const char* name;
    const char* scenario;
};
const std::vector<Kept> kKept{
    // B has taken over A's lock, both are old, and a fail-over may bring the first one back.
    {"a token of an old lock is not that of another old one", R"({
        "version": 1, "about": "Both are old.", "system": "monglock_write",
        "parameters": {"locktimeout": 10}, "faults": {"failovers": 1},
        "callers": [
            {"name": "A", "script": [{"acquire": {"key": "doc"}}, {"release": {"key": "doc"}}]},
            {"name": "B", "script": [{"acquire": {"key": "doc"}}, {"sleep": {"time": 100}}]}]})"},
    // x is taken before y, and released after it.
    {"names do not depend on which lock was released first", R"({
        "version": 1, "about": "Two locks.", "system": "monglock_write",
        "parameters": {"locktimeout": 100},
        "callers": [
            {"name": "A", "script": [{"acquire": {"key": "x"}}, {"sleep": {"time": 5}},
                {"release": {"key": "x"}}, {"sleep": {"time": 50}}]},
            {"name": "B", "script": [{"sleep": {"time": 1}}, {"acquire": {"key": "y"}},
                {"release": {"key": "y"}}, {"sleep": {"time": 50}}]}]})"},
    {"a lock that was released stays one for a request that is sent again", R"({
        "version": 1, "about": "Sent again.", "system": "monglock_multi", "variant": "repaired",
        "parameters": {"locktimeout": 10, "write_lock:lock": 1,
                       "repairs": {"all_but": ["own_fields", "applied_once"]}},
        "faults": {"resends": 1, "ack_lost": 1},
        "callers": [
            {"name": "A", "script": [{"acquire": {"key": "lock"}}, {"sleep": {"time": 1}},
                {"release": {"key": "lock"}}, {"release": {"key": "lock", "unchecked": true}}]},
            {"name": "B", "script": [{"acquire": {"key": "lock"}}, {"release": {"key": "lock"}}]}
        ]})"},
};
TEST(RelativeTime, KeepsWhatIsEqual) {
    for (const Kept& kept : kKept) {
        SCOPED_TRACE(kept.name);
        const ErasedSystem system = job_of(kept.scenario).runner->erased();
        Random random(1);
        std::size_t passed = 0;
        for (std::size_t i = 0; i < 500; ++i) {
            ByTheClockAndRelative both(system);
            both.run(random);
            ASSERT_FALSE(HasFatalFailure() || both.is_kept());
            passed += both.times_passed();
        }
        EXPECT_GT(passed, 1'000U);
    }
}

// B's question only makes that A keeps the lock that it has released.
TEST(RelativeTime, ALockThatIsReleasedTwiceWithinTimeIsFound) {
    const Job job = job_of(R"({
        "version": 1, "about": "Released twice.", "system": "monglock_multi", "variant": "repaired",
        "parameters": {"locktimeout": 10, "write_lock:lock": 1, "repairs": ["current_clock"]},
        "callers": [
            {"name": "A", "script": [{"acquire": {"key": "lock"}}, {"sleep": {"time": 1}},
                {"release": {"key": "lock"}}, {"release": {"key": "lock", "unchecked": true}}]},
            {"name": "B", "script": [{"call": {"what": "ask_again", "key": "read"}}]}],
        "check": ["false-ok"]})");
    const Told whole = told(job, asking(job, Reduction::kNone, 1));
    EXPECT_EQ(whole.lengths.size(), 1U);
    EXPECT_EQ(whole.lengths, told(job, asking(job, Reduction::kRelativeTime, 1)).lengths);
}

// B writes without the lock, at 62,210. By then A's clock, ahead of all, is near the last number.
// `then`: what B does before with a lock.
Job sleeping_job(const std::string& then) {
    return job_of(R"({
        "version": 1, "about": "B sleeps.", "system": "monglock_write",
        "parameters": {"locktimeout": 800}, "check": ["unprotected-effect"],
        "callers": [
            {"name": "B", "settings": {"clock": -900}, "script": [
                {"acquire": {"key": "doc"}}, )" +
                  then +
                  R"(,
                {"sleep": {"time": 2210}}, {"sleep": {"time": 60000}},
                {"call": {"what": "write", "key": "x", "unchecked": true}}]},
            {"name": "A", "settings": {"clock": 900}, "repeat": "forever", "script": [
                {"call": {"what": "release_any", "key": "x", "unchecked": true}}]}]})");
}
TEST(RelativeTime, NothingIsLeftOutWhereTheNextInstantHasNoNumber) {
    const Job holding = sleeping_job(R"({"sleep": {"time": 1}})");
    EXPECT_EQ(told(holding, asking(holding, Reduction::kNone, 1)).lengths.size(), 1U);
    const Told relative = told(holding, asking(holding, Reduction::kRelativeTime, 1));
    EXPECT_FALSE(relative.complete) << "it would be a pass";
}
TEST(RelativeTime, HowLongAgoALockWasReleasedNeedsNoNumber) {
    const Job released = sleeping_job(R"({"release": {"key": "doc"}})");
    const Told whole = told(released, asking(released, Reduction::kNone, 1));
    const Told relative = told(released, asking(released, Reduction::kRelativeTime, 1));
    EXPECT_TRUE(relative.complete);
    EXPECT_EQ(whole.lengths.size(), 1U);
    EXPECT_EQ(whole.lengths, relative.lengths);
}

}  // namespace
}  // namespace lockkeeper
