// SPDX-License-Identifier: Apache-2.0

// `lockkeeper validate --against` as a user calls it.

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "model/missing_test.hpp"

namespace lockkeeper {
namespace {

using testing_app::contains;
using testing_app::expect_one_line;
using testing_app::Ran;
using testing_app::run;

const std::string kLeakScenario =
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
                         "--schedules", "3000", kLeakScenario});
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

TEST(ValidateAgainst, resizes_and_crashes_of_the_scenario_happen_to_both) {
    const std::string scenarios = std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/";
    const Ran same = run({"validate", "--against", "canal/repaired", "--schedules", "300",
                          scenarios + "resizes/resize_in_flight.json#resize_in_flight"});
    EXPECT_EQ(same.exit_code, kExitPassed) << same.out << same.err;
    const Ran leaks = run({"validate", "--against", "canal/repaired", "--schedules", "300",
                           scenarios + "resizes/resize_in_flight.json#resize_in_flight_faithful"});
    EXPECT_EQ(leaks.exit_code, kExitViolated) << leaks.out << leaks.err;
    EXPECT_TRUE(contains(leaks.out, "resize to ")) << leaks.out;
    const Ran crash = run({"validate", "--against", "canal/repaired", "--schedules", "300",
                           scenarios + "findings/leak_crash_before_notification.json"});
    EXPECT_EQ(crash.exit_code, kExitViolated) << crash.out << crash.err;
    EXPECT_TRUE(contains(crash.out, " crashes ")) << crash.out;
}

TEST(ValidateAgainst, an_unknown_reference_is_a_usage_error_with_the_nearest_name) {
    const Ran ran = run({"validate", "--against", "canal/repairde", kLeakScenario});
    EXPECT_EQ(ran.exit_code, kExitUsage);
    expect_one_line(ran, "did you mean \"canal/repaired\"?");
}

TEST(ValidateAgainst, a_system_with_a_clock_is_compared_with_another_that_has_one) {
    const Ran ran = run({"validate", "--against", "lease_db/repaired", kLeakScenario});
    EXPECT_EQ(ran.exit_code, kExitInput);
    expect_one_line(ran, "a system with a clock can be compared with another that has one");
}

TEST(ValidateAgainst, a_rate_limiter_is_no_lock) {
    const std::string limiter = LOCKKEEPER_SOURCE_DIR "/examples/outside/limiter.json#one";
    const Ran ran = run({"validate", "--against", "canal/repaired", "--program", "true", limiter});
    EXPECT_EQ(ran.exit_code, kExitInput);
    expect_one_line(ran, "/rate_limit: no lock has one");
}

// --- a program as the candidate --------------------------------------------------------------

const std::string kPrograms = std::string(LOCKKEEPER_SOURCE_DIR) + "/examples/outside/";
const std::string kTwoOutside = kPrograms + "two_callers.json";

Ran beside_the_repaired(const std::string& program, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"validate", "--program", program, "--against",
                                       "canal/repaired"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
}
std::string python(const std::string& arguments) { return "python3 " + kPrograms + arguments; }
std::string child(const std::string& mode) {
    return std::string("python3 ") + LOCKKEEPER_SOURCE_DIR +
           "/validate/programs/test_children/child.py " + mode;
}

TEST(ValidateAgainst, a_program_with_the_published_algorithm_is_wrong_and_the_run_replays) {
    NEEDS_TOOL("python3");
    const std::string program = python("canal.py --faithful");
    const Ran ran = beside_the_repaired(program, {"--schedules", "300", kTwoOutside});
    EXPECT_EQ(ran.exit_code, kExitViolated) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: wrong")) << ran.out;
    const std::size_t begin = ran.out.find("lk1:");
    ASSERT_NE(begin, std::string::npos) << ran.out;
    const std::string line = ran.out.substr(begin, ran.out.find_first_of("'\n", begin) - begin);
    const Ran again =
        run({"validate", "--program", program, kTwoOutside, "--replay-choices", line});
    EXPECT_EQ(again.exit_code, kExitViolated) << again.out;
}

TEST(ValidateAgainst, a_program_that_loses_an_update_lets_more_in_than_the_reference) {
    NEEDS_TOOL("python3");
    const Ran ran =
        beside_the_repaired(python("counter.py"), {"--schedules", "100", kLeakScenario});
    EXPECT_EQ(ran.exit_code, kExitViolated) << ran.out << ran.err;
    EXPECT_TRUE(contains(
        ran.out, "the reference: no more than there is can be acquired at the end, here more"))
        << ran.out;
}

TEST(ValidateAgainst, a_program_that_is_right_equals_the_reference) {
    NEEDS_TOOL("python3");
    const Ran ran =
        beside_the_repaired(python("canal.py"), {"--schedules", "50", "--seed", "3", kTwoOutside});
    EXPECT_EQ(ran.exit_code, kExitPassed) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: equal; 50 schedules: 50 equal")) << ran.out;
}

TEST(ValidateAgainst, a_bug_that_only_a_crash_shows_is_found_with_crashes_and_replays) {
    NEEDS_TOOL("python3");
    const std::string program = python("canal.py --monitor-late");
    const Ran without = beside_the_repaired(program, {"--schedules", "60", kTwoOutside});
    EXPECT_EQ(without.exit_code, kExitPassed) << without.out << without.err;
    const std::string crash = kPrograms + "crash.json";
    const Ran with = beside_the_repaired(program, {"--schedules", "60", crash});
    EXPECT_EQ(with.exit_code, kExitViolated) << with.out << with.err;
    EXPECT_TRUE(contains(with.out, " crashes ")) << with.out;
    EXPECT_TRUE(contains(with.out, "verdict: wrong")) << with.out;
    const std::size_t begin = with.out.find("lk1:");
    ASSERT_NE(begin, std::string::npos) << with.out;
    const std::string line = with.out.substr(begin, with.out.find_first_of("'\n", begin) - begin);
    const Ran again = run({"validate", "--program", program, crash, "--replay-choices", line});
    EXPECT_EQ(again.exit_code, kExitViolated) << again.out;
    const Ran right = beside_the_repaired(python("canal.py"), {"--schedules", "60", crash});
    EXPECT_EQ(right.exit_code, kExitPassed) << right.out << right.err;
}

TEST(ValidateAgainst, a_program_that_dies_is_wrong_and_one_that_cannot_start_is_bad_input) {
    NEEDS_TOOL("python3");
    const Ran dies = beside_the_repaired(child("dies"), {"--schedules", "2", kTwoOutside});
    EXPECT_EQ(dies.exit_code, kExitViolated) << dies.out << dies.err;
    EXPECT_TRUE(contains(dies.out, "goes on, here the program died")) << dies.out;
    const Ran none = beside_the_repaired("no-such-program", {kTwoOutside});
    EXPECT_EQ(none.exit_code, kExitInput);
    expect_one_line(none, "no-such-program: cannot be started");
}

TEST(ValidateAgainst, flags_that_would_be_passed_over_are_refused) {
    const std::vector<std::vector<std::string>> passed_over = {
        {"--program", "true", "--against", "canal/repaired", "--search", "explore"},
        {"--program", "true", "--against", "canal/repaired", "--level", "black-box"},
        {"--program", "true", "--level", "black-box", "--search", "random"},
        {"--program", "true", "--level", "black-box", "--preemptions", "2"},
        {"--program", "true", "--level", "black-box", "--replay-choices", "lk1:1:s0"},
        {"--program", "true", "--model", "mutex"},
        {"--against", "canal/repaired", "--answer-time", "1s"},
        {"--history", "h", "--model", "mutex", "--level", "stepped"},
    };
    for (std::vector<std::string> arguments : passed_over) {
        arguments.insert(arguments.begin(), "validate");
        arguments.push_back(kTwoOutside);
        const Ran ran = run(arguments);
        EXPECT_EQ(ran.exit_code, kExitUsage) << ran.out << ran.err;
        expect_one_line(ran, "does not go with what is asked here");
    }
    const Ran two =
        run({"validate", "--server", "postgresql", "--against", "canal/repaired", kLeakScenario});
    EXPECT_EQ(two.exit_code, kExitUsage);
    expect_one_line(two, "are different ways");
}

}  // namespace
}  // namespace lockkeeper
