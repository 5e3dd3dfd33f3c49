// SPDX-License-Identifier: Apache-2.0

// The leases in relative time, on random scopes: small scripts, drawn numbers, and an end of time
// that is in the way. What the search finds is what the whole search finds, and as soon.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

struct LeaseWords {
    const char* system;
    std::vector<const char*> calls;
    std::vector<const char*> flags;  // parameters that are 0 or 1
};
const std::vector<LeaseWords>& lease_words() {
    static const std::vector<LeaseWords> kAll{
        {"lease_coordinator", {"write", "heartbeat", "nested"}, {"module", "hooks", "upsert"}},
        {"lease_service", {"write", "renew", "hang"}, {"heartbeats"}},
        {"lease_db", {"write", "hang", "write"}, {"singleton"}},
    };
    return kAll;
}

// Times are multiples of a fifth of the ttl, with a little beside them.
class LeaseScope {
  public:
    LeaseScope(const LeaseWords& words, Random& random) : words_(words), random_(random) {}

    [[nodiscard]] Scenario scenario() {
        const std::string text = text_of_scope();
        auto parsed = parse_scenario(text, "in_a_test.json");
        return std::get<Scenario>(parsed);
    }

  private:
    static constexpr std::int32_t kFifth = 1000;

    bool sometimes(std::uint32_t one_in) { return random_.below(one_in) == 0; }
    std::int32_t time(std::int32_t fifths_most) {
        const auto fifths =
            static_cast<std::int32_t>(random_.below(static_cast<std::uint32_t>(fifths_most + 1)));
        return fifths * kFifth + static_cast<std::int32_t>(random_.below(3));
    }
    std::string key() { return random_.below(3) == 0 ? "y" : "x"; }

    std::string operation(const std::string& key) {
        switch (random_.below(4)) {
            case 0: return fmt::format(R"({{"sleep": {{"time": {}}}}})", 1 + time(3));
            case 1:
            case 2:
                return fmt::format(R"({{"call": {{"what": "{}", "key": "{}"}}}})",
                                   words_.calls[random_.below(3)], key);
            default: return fmt::format(R"({{"acquire": {{"key": "{}"}}}})", this->key());
        }
    }
    std::string script() {
        const std::string own = key();
        std::string text = fmt::format(R"({{"acquire": {{"key": "{}"}}}})", own);
        for (std::size_t i = random_.below(3); i > 0; --i) {
            text += ", " + operation(own);
        }
        return text + fmt::format(R"(, {{"release": {{"key": "{}"}}}})", own);
    }
    std::string caller(const char* name) {
        std::string settings;
        const auto set = [&](const char* what, std::int32_t value) {
            settings += fmt::format(R"({}"{}": {})", settings.empty() ? "" : ", ", what, value);
        };
        if (sometimes(2)) {
            set("clock", static_cast<std::int32_t>(random_.below(7)) - 3);
        }
        if (sometimes(4)) {
            set("drift", static_cast<std::int32_t>(random_.below(400)) - 200);
        }
        return fmt::format(R"({{"name": "{}", "settings": {{{}}}, "script": [{}]}})", name,
                           settings, script());
    }
    std::string parameters() {
        std::string text =
            fmt::format(R"("ttl": {}, "until": {})", 5 * kFifth, 3 * kFifth + time(15));
        const auto add = [&](const char* name, std::int32_t value) {
            text += fmt::format(R"(, "{}": {})", name, value);
        };
        for (const char* const name : {"grace", "pause", "delay", "told_within", "free_within"}) {
            if (sometimes(4)) {
                add(name, sometimes(2) ? time(3) : static_cast<std::int32_t>(random_.below(4)));
            }
        }
        for (const char* const flag : words_.flags) {
            if (sometimes(2)) {
                add(flag, static_cast<std::int32_t>(random_.below(2)));
            }
        }
        if (std::string(words_.system) != "lease_service") {
            add("reaper", time(2));
        }
        if (std::string(words_.system) == "lease_coordinator" && sometimes(4)) {
            add("wait", 60'000);
        }
        return text;
    }
    std::string text_of_scope() {
        const std::string callers =
            caller("A") + (sometimes(3) ? std::string() : ", " + caller("B"));
        return fmt::format(R"({{"version": 1, "about": "Drawn.", "system": "{}",
            "variant": "{}", "parameters": {{{}}}, "callers": [{}], "check": "all"}})",
                           words_.system, sometimes(2) ? "repaired" : "faithful", parameters(),
                           callers);
    }

    const LeaseWords& words_;
    Random& random_;
};

TEST(LeasesInRelativeTime, HaveEveryVerdictAndEveryShortestLengthOnRandomScopes) {
    Random random(34);
    std::map<std::string, std::size_t> compared;
    std::map<std::string, std::size_t> smaller;
    std::map<std::string, std::size_t> violated;
    for (std::size_t i = 0; i < scopes_count(); ++i) {
        for (const LeaseWords& words : lease_words()) {
            Scenario scenario = LeaseScope(words, random).scenario();
            draw_faults(scenario, random);
            std::erase_if(scenario.parameters.faults,
                          [&](const auto&) { return random.below(2) != 0; });
            draw_repairs(scenario, random, "");
            if (!is_valid(scenario) || !system_of(scenario).has_relative_time()) {
                continue;
            }
            SCOPED_TRACE(to_json_text(scenario));
            const Job job = std::get<Job>(make_job(systems(), scenario));
            const Told whole = told(job, asking(job, Reduction::kNone, 1));
            if (!whole.complete) {
                continue;
            }
            const Told relative =
                told(job, asking(job, Reduction::kRelativeTime, 1 + random.below(2)));
            ASSERT_TRUE(relative.complete) << relative.limit;
            ASSERT_EQ(relative.reduction, Reduction::kFaultsLeftAndRelativeTime);
            ASSERT_EQ(relative.verdict, whole.verdict);
            ASSERT_EQ(relative.lengths, whole.lengths);
            ASSERT_EQ(relative.goals, whole.goals);
            ASSERT_LE(relative.states, whole.states);
            ++compared[words.system];
            smaller[words.system] += relative.states < whole.states ? 1U : 0U;
            violated[words.system] += whole.lengths.empty() ? 0U : 1U;
        }
    }
    for (const LeaseWords& words : lease_words()) {
        RecordProperty(words.system, static_cast<int>(compared[words.system]));
        EXPECT_GT(compared[words.system], scopes_count() / 8) << words.system;
        EXPECT_GT(smaller[words.system], compared[words.system] / 8) << words.system;
        EXPECT_GT(violated[words.system], compared[words.system] / 8) << words.system;
        EXPECT_LT(violated[words.system], compared[words.system]) << words.system;
    }
}

// Whether a wait is cut off by the end of time depends on when that is.
TEST(LeasesInRelativeTime, HaveItNotWhereTheEndOfTimeMayCutAWaitOff) {
    const auto has_it = [](const std::string& parameters) {
        return job_of(R"({"version": 1, "about": "One client.", "system": "lease_coordinator",
            "parameters": {)" +
                      parameters + R"(}, "callers": [{"name": "A", "script": [
            {"acquire": {"key": "x"}}, {"release": {"key": "x"}}]}], "check": "safety"})")
            .runner->erased()
            .has_relative_time();
    };
    EXPECT_TRUE(has_it(R"("wait": 0)"));
    EXPECT_TRUE(has_it(R"("wait": 60000)"));
    EXPECT_FALSE(has_it(R"("wait": 100)"));
}

// A holder renews until the end. Each of its states has been there before, with more time left.
TEST(LeasesInRelativeTime, HaveAsManyStatesWheneverTimeEnds) {
    const auto searched_until = [](int until, Reduction reduction) {
        const Job job = job_of(fmt::format(
            R"({{"version": 1, "about": "Renews.", "system": "lease_coordinator",
            "parameters": {{"module": 1, "ttl": 9, "until": {}}}, "callers": [{{"name": "A",
            "script": [{{"acquire": {{"key": "x"}}}}, {{"call": {{"what": "write", "key": "x"}}}}]
            }}], "check": "safety"}})",
            until));
        const Told searched = told(job, asking(job, reduction, 1));
        EXPECT_TRUE(searched.complete);
        return searched.states;
    };
    EXPECT_LT(searched_until(60, Reduction::kNone), searched_until(120, Reduction::kNone));
    EXPECT_EQ(searched_until(60, Reduction::kRelativeTime),
              searched_until(120, Reduction::kRelativeTime));
    EXPECT_LT(searched_until(2, Reduction::kRelativeTime),
              searched_until(60, Reduction::kRelativeTime));
}

}  // namespace
}  // namespace lockkeeper
