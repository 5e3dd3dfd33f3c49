// SPDX-License-Identifier: Apache-2.0

// `prove` against `explore`: drawn scopes of the shipped systems that are written by record once
// more, in all their variants, with whatever repairs. What is proved alone, without a look at small
// numbers, is violated by no number up to three; and the answer of the whole command is that of
// `explore`: verdict, property, least number.
#include <iostream>
#include <random>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command_test.hpp"
#include "model/long_run_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper::against_explore {
namespace {

using namespace testing_app;
using nlohmann::json;

constexpr const char* kStates = "20000";

struct Variant {
    std::string system;
    std::string variant;
};

// A system begins like this; its own numbers, and what may be called in between.
struct DrawnSystem {
    const char* begins;
    const char* key;
    std::vector<const char*> calls;
    std::vector<const char*> repairs;
};
const std::vector<DrawnSystem>& drawn_systems() {
    static const std::vector<DrawnSystem> kDrawn{
        {"lease_coordinator",
         "db",
         {"write", "heartbeat"},
         {"checked_release", "clean_up", "growing_tokens", "fencing", "guarded_writes",
          "tombstones", "applied_once"}},
        {"lease_service",
         "db",
         {"write", "renew", "hang"},
         {"own_deadline", "keeps_entries", "checked_release", "fencing", "guarded_writes",
          "keeps_stream"}},
        {"lease_db",
         "db",
         {"write", "hang"},
         {"own_deadline", "clean_up", "growing_tokens", "fencing", "guarded_writes"}},
        {"session_lock_pool", "db", {"effect", "drop"}, {"reset_on_return"}},
        {"try_retry", "db", {"effect"}, {}},
        {"monglock_write",
         "doc",
         {"write"},
         {"checked_release", "guarded_writes", "clean_up", "settling_reads", "kept_writes",
          "applied_once"}},
    };
    return kDrawn;
}

class Dice {
  public:
    explicit Dice(std::uint32_t seed) : random_(seed) {}
    int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
    bool one_of(int times) { return below(times) == 0; }

  private:
    std::mt19937 random_;
};

bool is_pool(const std::string& system) {
    return system.rfind("session_lock_pool", 0) == 0 || system.rfind("try_retry", 0) == 0;
}

json drawn_numbers(Dice& dice, const std::string& system) {
    if (is_pool(system)) {
        return {{"connections", 1 + dice.below(3)}};
    }
    if (system.rfind("monglock", 0) == 0) {
        return {{"locktimeout", 2 + dice.below(4)}, {"grace", dice.below(4)}};
    }
    const bool is_db = system.rfind("lease_db", 0) == 0;
    const int unit = is_db ? 1'000 : 1;  // a database refuses a ttl below 5,000
    const int ttl = is_db ? 5 : 4 + dice.below(3);
    json numbers{{"ttl", ttl * unit},
                 {"grace", std::min(dice.below(4), ttl - 1) * unit},
                 {"pause", dice.one_of(3) ? dice.below(3) * unit : 0},
                 {"delay", dice.one_of(3) ? unit : 0},
                 {"until", (3 * ttl + 8) * unit}};
    if (system.rfind("lease_service", 0) != 0) {
        numbers["reaper"] = dice.below(3) * unit;
    }
    if (system.rfind("lease_coordinator", 0) == 0) {
        numbers["transaction"] = dice.below(3);
        numbers["module"] = ttl / 3 > 2 * numbers["delay"].get<int>() && dice.one_of(3) ? 1 : 0;
    }
    return numbers;
}

// One caller of each kind; scripts go on for ever.
json drawn_scope(Dice& dice, const Variant& which, const DrawnSystem& system) {
    json numbers = drawn_numbers(dice, which.system);
    if (which.variant == "repaired" && dice.one_of(2)) {
        json off = json::array();
        for (const char* repair : system.repairs) {
            if (dice.one_of(3)) {
                off.push_back(repair);
            }
        }
        numbers["repairs"] = {{"all_but", off}};
    }
    json callers = json::array();
    const int kinds = dice.one_of(3) ? 2 : 1;
    const json key{{"key", system.key}};
    for (int kind = 0; kind < kinds; ++kind) {
        json script = json::array({{{"acquire", key}}});
        for (int i = dice.below(2); i > 0; --i) {
            const auto& calls = system.calls;
            const char* const what =
                calls[static_cast<std::size_t>(dice.below(static_cast<int>(calls.size())))];
            script.push_back({{"call", {{"what", what}, {"key", system.key}}}});
        }
        script.push_back({{"release", key}});
        callers.push_back({{"name", std::string(1, static_cast<char>('A' + kind))},
                           {"settings", {{is_pool(which.system) ? "tries" : "clock", kind}}},
                           {"repeat", "forever"},
                           {"script", script}});
    }
    json scope{{"version", 1},          {"system", which.system}, {"variant", which.variant},
               {"parameters", numbers}, {"callers", callers},     {"check", "safety"}};
    if (dice.one_of(2)) {
        scope["faults"] = {{"crashes", 1}};
    }
    return scope;
}

struct Answer {
    std::string verdict;
    std::set<std::string> violated;
    std::size_t least = 0;
    bool ran_out_of_time = false;
};

struct Counts {
    int proved = 0;
    int violated = 0;
    int undecided = 0;
    int compared = 0;  // explored whole, up to the answer
};

class ProveAgainstExplore : public WithFiles {
  protected:
    Answer ask(const json& scope, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, write("scope.json", scope.dump()));
        arguments.insert(arguments.end(), {"--format", "json"});
        const Ran ran = run(arguments);
        Answer answer;
        if (ran.out.empty()) {
            answer.verdict = "error: " + ran.err;
            return answer;
        }
        const json document = json::parse(ran.out);
        answer.verdict = document["files"][0]["verdict"].get<std::string>();
        const json& detail = document["files"][0]["detail"];
        answer.ran_out_of_time = answer.verdict == "inconclusive" && detail.is_string() &&
                                 contains(detail.get<std::string>(), "not explored: time");
        for (const json& violation : document["violations"]) {
            answer.violated.insert(violation["property"].get<std::string>());
        }
        if (arguments[0] == "prove" && answer.verdict == "violated") {
            for (const json& count : document["files"][0]["every_number"]["least"]) {
                answer.least += count.get<std::size_t>();
            }
        }
        return answer;
    }

    // Explores one number of callers after another; of two kinds, all ways to make it.
    Answer explored(const json& scope, std::size_t callers_max) {
        const std::size_t kinds = scope["callers"].size();
        Answer answer{"passed", {}, 0};
        for (std::size_t sum = kinds; sum <= callers_max; ++sum) {
            for (std::size_t first = 1; first + kinds - 1 <= sum; ++first) {
                if (kinds == 1 && first != sum) {
                    continue;
                }
                json many = scope;
                many["callers"][0]["count"] = first;
                if (kinds == 2) {
                    many["callers"][1]["count"] = sum - first;
                }
                if (many.contains("faults")) {
                    many["faults"]["crashes"] = sum;
                }
                const Answer one = ask(many, {"explore", "--max-states", kStates});
                answer.violated.insert(one.violated.begin(), one.violated.end());
                if (one.verdict != "passed" && one.verdict != "violated") {
                    answer.verdict = one.verdict;
                }
            }
            if (!answer.violated.empty()) {
                answer.verdict = answer.verdict == "passed" ? "violated" : answer.verdict;
                answer.least = sum;
                return answer;
            }
        }
        return answer;
    }

    // The time limit, if there is one, holds for each proof.
    void compare(std::uint32_t seed, const Variant& which, const DrawnSystem& system,
                 std::size_t callers_max, Counts& counts) {
        Dice dice(seed);
        const json scope = drawn_scope(dice, which, system);
        const std::string what = fmt::format("seed {}: {}", seed, scope.dump());
        const Answer small = explored(scope, callers_max);
        ASSERT_NE(small.verdict.rfind("error", 0), 0U) << small.verdict << what;
        const auto prove = [&](const char* states) {
            std::vector<std::string> words{"prove", "--max-states", states};
            words.insert(words.end(), limit_.begin(), limit_.end());
            return ask(scope, words);
        };
        const Answer alone = prove("1");
        EXPECT_TRUE(alone.verdict != "passed" || small.violated.empty())
            << "proved, and violated by " << small.least << ", " << what;
        const Answer whole = prove(kStates);
        counts.proved += whole.verdict == "passed" ? 1 : 0;
        counts.violated += whole.verdict == "violated" ? 1 : 0;
        counts.undecided += whole.verdict == "inconclusive" ? 1 : 0;
        EXPECT_TRUE(whole.verdict != "passed" || small.violated.empty()) << what;
        if (whole.ran_out_of_time) {
            return;
        }
        if (small.verdict == "violated") {
            ++counts.compared;
            EXPECT_EQ(whole.verdict, "violated") << what;
            EXPECT_EQ(whole.least, small.least) << what;
            EXPECT_TRUE(std::includes(small.violated.begin(), small.violated.end(),
                                      whole.violated.begin(), whole.violated.end()))
                << what;
        } else if (small.verdict == "passed") {
            ++counts.compared;
            EXPECT_TRUE(whole.verdict != "violated" || whole.least > callers_max) << what;
        }
    }

    void compare_all(std::uint32_t first, std::uint32_t count, std::size_t callers_max) {
        std::vector<std::pair<Variant, const DrawnSystem*>> drawn;
        const json listed = json::parse(run({"list", "systems", "--format", "json"}).out);
        for (const DrawnSystem& system : drawn_systems()) {
            for (const json& each : listed["systems"]) {
                const Variant which{each["system"].get<std::string>(),
                                    each["variant"].get<std::string>()};
                if (which.system.rfind(system.begins, 0) == 0) {
                    drawn.emplace_back(which, &system);
                    // Sound ones as often as all planted bugs together.
                    drawn.insert(drawn.end(), which.variant == "repaired" ? 15 : 0, drawn.back());
                }
            }
        }
        Counts counts;
        for (std::uint32_t seed = first; seed < first + count && !HasFailure(); ++seed) {
            const auto& [which, system] = drawn[std::mt19937(seed)() % drawn.size()];
            compare(seed, which, *system, callers_max, counts);
        }
        std::cout << counts.proved << " proved, " << counts.violated << " violated, "
                  << counts.undecided << " undecided; " << counts.compared
                  << " explored whole up to the answer\n";
        EXPECT_GT(counts.compared, 0);
    }

    std::vector<std::string> limit_;  // none: a loaded machine changes no answer
};

json one_caller(const std::string& system, const std::string& key, json parameters) {
    const json call{{"key", key}};
    return {{"version", 1},
            {"system", system},
            {"variant", "repaired"},
            {"parameters", std::move(parameters)},
            {"callers", {{{"script", {{{"acquire", call}}, {{"release", call}}}}}}},
            {"check", "safety"}};
}

// P23 (token-order) is not proved of it, but explored.
TEST_F(ProveAgainstExplore, AWriteLockWithoutMonotoneTokensIsViolatedByOne) {
    const json lock = one_caller(
        "monglock_write", "doc",
        {{"locktimeout", 6}, {"grace", 2}, {"repairs", {{"all_but", {"monotone_tokens"}}}}});
    const Answer answer = ask(lock, {"prove", "--time-limit", "30m"});
    EXPECT_EQ(answer.verdict, "violated");
    EXPECT_EQ(answer.least, 1U);
    EXPECT_EQ(answer.violated, std::set<std::string>{"token-order"});
}

// The states of one client have no end, where its script repeats.
TEST_F(ProveAgainstExplore, AWriteLockWhoseGraceIsTooSmallIsViolatedByTwo) {
    const json lock = one_caller("monglock_write", "doc", {{"locktimeout", 6}, {"grace", 0}});
    const Answer answer = ask(lock, {"prove", "--max-states", "2000"});
    EXPECT_EQ(answer.verdict, "violated");
    EXPECT_EQ(answer.least, 2U);
    EXPECT_EQ(answer.violated, std::set<std::string>{"belief-overlap"});
}

TEST_F(ProveAgainstExplore, ALeaseThatNobodyReapsIsLeakedByOneThatCrashes) {
    json lease = one_caller("lease_coordinator", "db", {{"ttl", 12}, {"until", 24}});
    lease["faults"] = {{"crashes", 1}};
    lease["check"] = {"leak"};
    EXPECT_EQ(ask(lease, {"prove", "--time-limit", "30m"}).verdict, "passed");
    lease["parameters"]["reaps"] = 0;
    const Answer answer = ask(lease, {"prove", "--time-limit", "30m"});
    EXPECT_EQ(answer.verdict, "violated");
    EXPECT_EQ(answer.least, 1U);
    EXPECT_EQ(answer.violated, std::set<std::string>{"leak"});
    // Somebody who comes with the call reap has all that is left free again.
    lease["callers"].push_back(
        {{"name", "R"}, {"script", {{{"call", {{"what", "reap"}, {"key", "db"}}}}}}});
    EXPECT_EQ(ask(lease, {"explore"}).violated, std::set<std::string>());
}

TEST_F(ProveAgainstExplore, ALeaseThatNobodyGetsIsNotPassed) {
    for (const char* system : {"lease_db", "lease_service"}) {
        const bool is_db = system == std::string("lease_db");
        const int ttl = is_db ? 60'000 : 12;
        for (const int grace : {ttl / 2, ttl}) {
            json lease =
                one_caller(system, "db", {{"ttl", ttl}, {"grace", grace}, {"until", 2 * ttl}});
            if (is_db) {
                lease["parameters"]["reaper"] = ttl / 2;
            }
            EXPECT_EQ(ask(lease, {"prove", "--time-limit", "30m"}).verdict,
                      grace < ttl ? "passed" : "inconclusive")
                << system;
        }
    }
}

TEST_F(ProveAgainstExplore, VerdictPropertyAndLeastNumberAreThoseOfExplore) {
    compare_all(1, testing_model::kIsSlowBuild ? 2 : 6, 2);
}

TEST_F(ProveAgainstExplore, DISABLED_LongVerdictPropertyAndLeastNumberAreThoseOfExplore) {
    const auto seeds = testing_model::seeds_of_long_run({1'000, 2'000});
    limit_ = {"--time-limit", "20"};
    compare_all(seeds.first, seeds.count, 3);
}

}  // namespace
}  // namespace lockkeeper::against_explore
