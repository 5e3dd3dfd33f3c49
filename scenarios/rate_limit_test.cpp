// SPDX-License-Identifier: Apache-2.0

// Rate limits in a scenario, and how wrong ones are refused.
#include "scenarios/scenario_test_support.hpp"

namespace lockkeeper::testing_scenarios {
namespace {

std::string limiter_with(const std::string& limit, const std::string& system = "program") {
    return R"({"version": 1, "system": ")" + system + R"(", "rate_limit": )" + limit +
           R"(, "callers": [{"name": "A", "script": [{"acquire": {"key": "mail"}}]}]})";
}

TEST(RateLimits, AreReadAsTheyAreWritten) {
    const Scenario plain = accepted(limiter_with(R"({"grants": 3, "within": 1000})"));
    EXPECT_EQ((RateLimit{3, 1000, 0, 1}), plain.rate_limit);
    EXPECT_EQ(3U, plain.rate_limit.most());
    const Scenario whole = accepted(
        limiter_with(R"({"grants": 3, "within": 1000, "burst": 6, "at_least": 2})", "wire"));
    EXPECT_EQ((RateLimit{3, 1000, 6, 2}), whole.rate_limit);
    EXPECT_EQ(whole.rate_limit, accepted(to_json_text(whole)).rate_limit);
}

TEST(RateLimits, AreRefusedWhereTheySayNothingOrTooMuch) {
    const struct {
        const char* limit;
        const char* message;
    } rows[] = {
        {R"({"grants": 0, "within": 10})", "/rate_limit/grants: "},
        {R"({"grants": -1, "within": 10})", "/rate_limit/grants: "},
        {R"({"grants": 2, "within": 0})", "/rate_limit/within: "},
        {R"({"grants": 2, "within": "10 s"})", "/rate_limit/within: "},
        {R"({"grants": 2})", "/rate_limit: "},
        {R"({"within": 10})", "/rate_limit: "},
        {R"({"grants": 2, "within": 10, "burst": 1})", "/rate_limit/burst: "},
        {R"({"grants": 2, "within": 10, "at_least": 3})", "/rate_limit/at_least: "},
        {R"({"grants": 2, "within": 10, "bursts": 3})", "bursts"},
        {R"(3)", "/rate_limit: "},
    };
    for (const auto& row : rows) {
        const std::string message = refusal(limiter_with(row.limit));
        EXPECT_NE(std::string::npos, message.find(row.message)) << row.limit << " " << message;
    }
}

TEST(RateLimits, AreOfOutsideCodeAlone) {
    const std::string message = refusal(limiter_with(R"({"grants": 3, "within": 1000})", "canal"));
    EXPECT_NE(std::string::npos, message.find("/rate_limit: goes with \"system\": \"program\""))
        << message;
}

}  // namespace
}  // namespace lockkeeper::testing_scenarios
