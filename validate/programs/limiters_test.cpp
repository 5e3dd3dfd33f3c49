// SPDX-License-Identifier: Apache-2.0

// Rate limiters as programs: the right ones pass completely, each wrong one breaks its promise in
// so many steps; and what a scenario of a limiter may not say.
#include <variant>

#include "scenarios/bad_input.hpp"
#include "scenarios/recorded_trace.hpp"
#include "validate/programs/outside_test.hpp"
#include "validate/programs/program_scenario.hpp"

namespace lockkeeper::testing_outside {
namespace {

// "passed", "P31 over-rate in 5 steps", or why it is neither.
std::string judged_limiter(const std::string& kind, const std::string& of_case) {
    auto loaded =
        load_replayable(LOCKKEEPER_SOURCE_DIR "/examples/outside/limiter.json#" + of_case);
    ProgramOptions asked;
    asked.command = example("python3", "limiter.py " + kind);
    asked.answer_seconds = 60;
    const ProgramScenario made =
        for_program(std::get<Scenario>(value_or_throw(std::move(loaded))), asked, false);
    Program program(made.program);
    OutsideOptions options;
    options.method = OutsideMethod::kExplore;
    options.schedules_max = 1'000'000;
    SteppedSearch search(program, made.world, options);
    const OutsideResult result = search.search();
    if (!result.finding) {
        const std::string missing = result.tally.what_is_missing(made.world);
        return !result.complete  ? "incomplete: " + result.limit + result.diverged
               : missing.empty() ? "passed"
                                 : missing;
    }
    const OutsideFinding found = search.shrink(*result.finding);
    if (found.property == nullptr) {
        return "misbehaved: " + found.detail;
    }
    const OutsideTrace trace = search.show(found);
    return "P" + std::to_string(found.property->number) + " " + std::string(found.property->name) +
           " in " + std::to_string(trace.steps.size() - trace.look_steps) + " steps, " +
           std::to_string(trace.look_steps) + " of the look";
}

TEST(Limiters, ThatAreRightPassCompletely) {
    NEEDS_TOOL("python3");
    const std::pair<const char*, const char*> rows[] = {
        {"sliding", "one"},
        {"paced", "one"},
        {"sliding", "three"},
        {"paced", "three"},
        {"sliding", "killed"},
        {"sliding", "three_at_least"},
        {"fixed", "three_with_burst"},
        {"bucket", "three_with_burst"},
        {"no_end", "one"},  // nobody is killed
    };
    for (const auto& [kind, of_case] : rows) {
        EXPECT_EQ("passed", judged_limiter(kind, of_case)) << kind << " " << of_case;
    }
}

TEST(Limiters, ThatAreWrongBreakTheirPromise) {
    NEEDS_TOOL("python3");
    const struct {
        const char* kind;
        const char* of_case;
        const char* verdict;
    } rows[] = {
        {"race", "one", "P31 over-rate in 6 steps, 0 of the look"},
        {"race", "three", "P31 over-rate in 12 steps, 0 of the look"},
        {"short", "one", "P31 over-rate in 3 steps, 0 of the look"},
        {"short", "three", "P31 over-rate in 6 steps, 0 of the look"},
        {"closed", "one", "P32 under-rate in 1 steps, 2 of the look"},
        {"closed", "three", "P32 under-rate in 3 steps, 2 of the look"},
        {"hammered", "one", "P32 under-rate in 3 steps, 2 of the look"},
        {"hammered", "three_at_least", "P32 under-rate in 7 steps, 2 of the look"},
        {"paced", "three_at_least", "P32 under-rate in 2 steps, 0 of the look"},
        {"no_end", "killed", "P32 under-rate in 2 steps, 2 of the look"},
        {"fixed", "one", "P31 over-rate in 4 steps, 0 of the look"},
        {"fixed", "three", "P31 over-rate in 7 steps, 0 of the look"},
        {"bucket", "three", "P31 over-rate in 5 steps, 0 of the look"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(row.verdict, judged_limiter(row.kind, row.of_case))
            << row.kind << " " << row.of_case;
    }
}

// A limiter's scenario may not use words of locks, or of a clock that it does not have.
TEST(Limiters, AreRefusedWithWhatIsOfLocks) {
    const auto refusal = [](const std::string& more, const std::string& script,
                            const ProgramOptions& asked) {
        const std::string text = R"({"version": 1, "system": "program", )" + more +
                                 R"("callers": [{"name": "A", "script": [)" + script + "]}]}";
        try {
            static_cast<void>(
                for_program(std::get<Scenario>(value_or_throw(parse_replayable(text, "x.json"))),
                            asked, false));
        } catch (const BadInput& refused) {
            return std::string(refused.what());
        }
        return std::string("accepted");
    };
    const std::string limit = R"("rate_limit": {"grants": 1, "within": 4}, )";
    const std::string acquire = R"({"acquire": {"key": "db"}})";
    const std::string release = R"(, {"release": {"key": "db"}})";
    ProgramOptions stepped;
    ProgramOptions recorded;
    recorded.stepped = false;
    const struct {
        std::string more;
        std::string script;
        const ProgramOptions& asked;
        const char* message;
    } rows[] = {
        {limit, acquire, stepped, "accepted"},
        {limit, acquire + release, stepped, "callers only acquire"},
        {limit, R"({"acquire": {"key": "db", "max_per": 3}})", stepped, "names no places"},
        {limit + R"("reentrant": true, )", acquire, stepped, "/reentrant"},
        {limit + R"("check": ["leak"], )", acquire, stepped, "\"leak\" is of locks"},
        {limit + R"("check": ["under-rate"], )", acquire, stepped, "accepted"},
        {limit + R"("parameters": {"tick": 3}, )", acquire, stepped, "/rate_limit/within"},
        {limit + R"("parameters": {"tick": 4}, )", acquire, stepped, "/rate_limit/within"},
        {limit + R"("parameters": {"tick": 2}, )", acquire, stepped, "accepted"},
        {limit, acquire, recorded, "--level stepped"},
        {R"("check": ["over-rate"], )", acquire, stepped, "give \"rate_limit\""},
    };
    for (const auto& row : rows) {
        const std::string message = refusal(row.more, row.script, row.asked);
        EXPECT_NE(std::string::npos, message.find(row.message))
            << row.more << row.script << ": " << message;
    }
}

// A window that could not end, or that nobody filled, is no pass.
TEST(Limiters, PassNothingThatWasNotSeen) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(1, {operation(Verb::kAcquire), operation(Verb::kAcquire)});
    world.check = {find_property("over-rate"), find_property("under-rate")};
    const auto missing = [&](std::int64_t ticks, std::uint32_t grants) {
        world.ticks_max = ticks;
        world.parameters = {{"grants", static_cast<std::int32_t>(grants)}, {"window", 2}};
        world.rate_limit = {.grants = grants, .within = 2};
        OutsideOptions options;
        options.method = OutsideMethod::kExplore;
        const Searched searched(example("python3", "limiter.py"), world, options);
        EXPECT_EQ("nothing", searched.found());
        return searched.result.tally.what_is_missing(world);
    };
    EXPECT_EQ("time cannot pass in a window (0 ticks); not judged: P31 over-rate", missing(0, 1));
    EXPECT_EQ("no window came to its end (1 tick); not judged: P31 over-rate", missing(1, 1));
    EXPECT_EQ(
        "no acquire came while as many grants as the limit has were in the window; not judged: P31 "
        "over-rate",
        missing(3, 2));
    EXPECT_EQ("", missing(3, 1));
}

}  // namespace
}  // namespace lockkeeper::testing_outside
