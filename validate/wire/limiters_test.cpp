// SPDX-License-Identifier: Apache-2.0

// Rate limiters on redis-py, each with its scenario: examples/wire/limiters.
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string judged_limiter_at_wire(const std::string& kind, const std::string& name) {
    auto loaded = load_replayable(kExamples + "limiters/" + name);
    WirePlan plan;
    plan.command = python_with_redis() + " " + kExamples + "limiters.py " + kind;
    const WireScenario made = for_wire(std::get<Scenario>(std::move(loaded)), plan, {}, false);
    Wire wire(settings_of(made.plan, made.world));
    WireSearch search(wire, made.world, made.plan.scope, exploring());
    const OutsideResult result = search.search();
    if (!result.finding) {
        const std::string missing = result.tally.what_is_missing(made.world);
        return (!result.complete  ? "incomplete: " + result.limit + result.diverged
                : missing.empty() ? "passed"
                                  : missing);
    }
    const OutsideFinding found = search.shrink(*result.finding);
    if (found.property == nullptr) {
        return "misbehaved: " + found.detail;
    }
    const OutsideTrace trace = search.show(found);
    EXPECT_EQ("", search.repeated_difference(found, trace));
    return "P" + std::to_string(found.property->number) + " " + std::string(found.property->name) +
           " in " + std::to_string(trace.steps.size() - trace.look_steps) + " steps";
}

TEST(LimitersAtTheWire, ThatAreRightPassCompletely) {
    SKIP_WITHOUT_REDIS_PY();
    const std::pair<const char*, const char*> rows[] = {
        {"set_nx_px 1", "one.json"},        {"log 1", "one.json"},
        {"incr_expire 1", "one.json"},      {"log 3", "three.json"},
        {"window 3", "border.json#stated"}, {"log 1", "killed.json"},
    };
    for (const auto& [kind, name] : rows) {
        const std::string of = name;
        if (testing_model::is_short_run() && of != "three.json" && of != "killed.json") {
            continue;
        }
        EXPECT_EQ("passed", judged_limiter_at_wire(kind, name)) << kind << " " << name;
    }
}

TEST(LimitersAtTheWire, ThatAreWrongBreakTheirPromise) {
    SKIP_WITHOUT_REDIS_PY();
    const struct {
        const char* kind;
        const char* name;
        const char* verdict;
        bool is_daily = false;
    } rows[] = {
        {"incr_expire 1", "killed.json", "P32 under-rate in 3 steps", true},
        {"start_refills 1", "killed.json", "P31 over-rate in 10 steps", true},
        {"incr_expire_all 1", "one.json", "P32 under-rate in 11 steps"},
        {"check_then_add 1", "one.json", "P31 over-rate in 18 steps", true},
        {"check_then_add 3", "three.json", "P31 over-rate in 36 steps"},
        {"add_then_count 1", "one.json", "P32 under-rate in 11 steps", true},
        {"half_window 1", "one.json", "P31 over-rate in 7 steps"},
        {"half_window 3", "three.json", "P31 over-rate in 13 steps", true},
        {"window 3", "border.json#unstated", "P31 over-rate in 14 steps"},
    };
    for (const auto& row : rows) {
        if (testing_model::is_short_run() && !row.is_daily) {
            continue;
        }
        EXPECT_EQ(row.verdict, judged_limiter_at_wire(row.kind, row.name))
            << row.kind << " " << row.name;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
