// SPDX-License-Identifier: Apache-2.0

// The advice of docs/howto/choose_lease_numbers.md for renewal intervals, and what the search for
// the largest one finds.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "app/command_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// "2 * renew + 3 * delay + grace": how often each word counts.
using Times = std::map<std::string, int>;

Times times_of(const std::string& sum) {
    Times times;
    const std::regex term(R"((?:(\d+) \* )?([a-z]+))");
    for (std::sregex_iterator at(sum.begin(), sum.end(), term), end; at != end; ++at) {
        times[(*at)[2]] = (*at)[1].length() == 0 ? 1 : std::stoi((*at)[1]);
    }
    return times;
}

// Wherever the page says it.
std::vector<Times> formulas_of_the_page() {
    std::ifstream file(std::string(LOCKKEEPER_SOURCE_DIR) + "/docs/howto/choose_lease_numbers.md");
    std::stringstream page;
    page << file.rdbuf();
    const std::string text = page.str();
    const std::regex formula("`([^`<]*renew[^`<]*) < ttl`");
    std::vector<Times> all;
    for (std::sregex_iterator at(text.begin(), text.end(), formula), end; at != end; ++at) {
        all.push_back(times_of((*at)[1]));
    }
    return all;
}

struct Point {
    int ttl;
    int grace;
    int delay;
    int pause;
    int skew;           // of the client's clock, from the beginning on
    int jump;           // 0: none
    const char* jumps;  // whose clock
};

int advised(const Times& times, const Point& point) {
    const int rest = point.ttl - times.at("grace") * point.grace - times.at("delay") * point.delay -
                     times.at("pause") * point.pause - times.at("skew") * (point.skew + point.jump);
    return (rest - 1) / times.at("renew");
}

class RenewalAdvice : public WithFiles {
  protected:
    [[nodiscard]] std::string module_of(const Point& point) const {
        std::stringstream text;
        text << R"({"version": 1, "system": "lease_coordinator", "variant": "repaired",
            "parameters": {"module": 1, "ttl": )"
             << point.ttl << R"(, "until": )" << 3 * point.ttl << R"(, "grace": )" << point.grace
             << R"(, "delay": )" << point.delay << R"(, "pause": )" << point.pause
             << R"(, "jump": )" << std::max(1, point.jump) << R"(},
            "callers": [{"name": "M", "settings": {"clock": )"
             << point.skew << R"(}, "script": [{"acquire": {"key": "module"}}]}],
            "faults": {"lost_requests": 1)"
             << (point.jump == 0 ? "" : R"(, ")" + std::string(point.jumps) + R"(": 1)") << R"(},
            "check": ["never:lost"]})";
        return write("module.json", text.str());
    }
};

TEST_F(RenewalAdvice, OfThePageIsTheLargestIntervalThatTheSearchFinds) {
    const std::vector<Times> all = formulas_of_the_page();
    ASSERT_FALSE(all.empty());
    const Times& times = all.front();
    ASSERT_EQ(times.size(), 5U);
    EXPECT_TRUE(
        std::all_of(all.begin(), all.end(), [&](const Times& one) { return one == times; }));
    constexpr Point kPoints[] = {
        {60, 0, 0, 0, 0, 0, ""},
        {61, 0, 0, 0, 0, 0, ""},
        {60, 4, 2, 1, 0, 0, ""},
        {60, 9, 2, 1, 0, 0, ""},
        {60, 4, 3, 1, 0, 0, ""},
        {60, 4, 2, 3, 0, 0, ""},
        {60, 4, 2, 1, 3, 0, ""},
        {60, 4, 2, 1, -3, 0, ""},
        {160, 0, 2, 1, 10, 0, ""},
        {100, 7, 5, 3, 4, 0, ""},
        {60, 4, 2, 1, 0, 3, "client_clock_jumps"},
        {60, 4, 2, 1, 3, 5, "client_clock_jumps"},
        {60, 4, 2, 1, 0, 3, "clock_jumps"},
        {90, 4, 1, 2, 3, 6, "clock_jumps"},
    };
    for (const Point& point : kPoints) {
        if (testing_model::kIsSlowBuild && point.ttl > 61) {
            continue;  // takes most of the time; every term of the formula has a shorter one
        }
        const int value = advised(times, point);
        const std::string range =
            "renew=" + std::to_string(value - 1) + ".." + std::to_string(value + 1);
        const Ran ran = run({"explore", module_of(point), "--find-largest", range});
        EXPECT_TRUE(contains(ran.out, "the largest renew is " + std::to_string(value) + "\n"))
            << "ttl " << point.ttl << " skew " << point.skew << " jump " << point.jump << "\n"
            << ran.out << ran.err;
    }
}

}  // namespace
}  // namespace lockkeeper
