// `lockkeeper validate --against` as a user calls it.
#include <nlohmann/json.hpp>

#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using testing_app::contains;
using testing_app::expect_one_line;
using testing_app::Ran;
using testing_app::run;

const std::string kLeak =
    std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/findings/leak_two_callers.json";
const std::string kCounts =
    std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/broken/counts_from_zero.json";

TEST(ValidateAgainst, a_difference_is_shown_with_its_steps_and_a_command_that_replays_them) {
    const Ran ran = run({"validate", "--against", "canal/repaired", kCounts});
    EXPECT_EQ(ran.exit_code, kExitViolated) << ran.err;
    EXPECT_TRUE(contains(ran.out, "validate against canal/repaired")) << ran.out;
    EXPECT_TRUE(contains(ran.out,
                         "answers \"acquired, count 0\", the reference \"acquired, "
                         "count 1\""))
        << ran.out;
    EXPECT_TRUE(contains(ran.out, "verdict: wrong")) << ran.out;
    const std::size_t begin = ran.out.find("--schedule ");
    ASSERT_NE(begin, std::string::npos) << ran.out;
    const std::string line = ran.out.substr(begin + 11, ran.out.find('\n', begin) - begin - 11);
    const std::string schedule = line.front() == '\'' ? line.substr(1, line.size() - 2) : line;
    EXPECT_NE(run({"replay", kCounts, "--schedule", schedule}).exit_code, kExitDiverged);
}

TEST(ValidateAgainst, the_published_lock_beside_the_repaired_one_is_wrong) {
    const Ran ran = run({"validate", "--against", "canal/repaired", "--format", "json",
                         "--schedules", "3000", kLeak});
    EXPECT_EQ(ran.exit_code, kExitViolated) << ran.err;
    const auto document = nlohmann::json::parse(ran.out);
    EXPECT_EQ(document["compared"][0]["candidate"], "canal/faithful");
    EXPECT_EQ(document["compared"][0]["verdict"], "wrong");
}

TEST(ValidateAgainst, a_lock_equals_itself_where_it_has_no_fault) {
    const std::string file =
        std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/repaired/leak_two_callers.json";
    const Ran ran = run({"validate", "--against", "canal/repaired", "--schedules", "200", file});
    EXPECT_EQ(ran.exit_code, kExitPassed) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: equal; 200 schedules: 200 equal")) << ran.out;
}

TEST(ValidateAgainst, an_unknown_reference_is_a_usage_error_with_the_nearest_name) {
    const Ran ran = run({"validate", "--against", "canal/repairde", kLeak});
    EXPECT_EQ(ran.exit_code, kExitUsage);
    expect_one_line(ran, "did you mean \"canal/repaired\"?");
}

TEST(ValidateAgainst, a_system_with_a_clock_is_refused) {
    const Ran ran = run({"validate", "--against", "lease_db/repaired", kLeak});
    EXPECT_EQ(ran.exit_code, kExitInput);
    expect_one_line(ran, "systems with clocks cannot be compared");
}

}  // namespace
}  // namespace lockkeeper
