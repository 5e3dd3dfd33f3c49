// SPDX-License-Identifier: Apache-2.0

// The same schedule gives the same bytes on the wire, however often it is run.
#include <algorithm>
#include <set>

#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

struct Repeated {
    std::set<std::string> runs;  // all different ones: words of every step, and every byte
    std::vector<Action> actions;
    std::size_t bytes = 0;  // of the last run
};

// The actions of the first run are drawn from its enabled ones; the others repeat them.
Repeated repeat(const std::string& command, Freshness freshness, int times, bool kills = false) {
    OutsideWorld world = two_callers();
    world.world.crashes_max = world.world.restarts_max = kills ? 1 : 0;
    WireScope scope;
    scope.drops_max = scope.expiries_max = 1;
    scope.splits = true;
    WireSettings settings;
    settings.command = command;
    settings.callers = 3;
    settings.freshness = freshness;
    Wire wire(settings);
    WireRun run(wire, world, scope);
    run.begin();  // what is done once, before the first run
    Repeated out;
    for (int i = 0; i < times; ++i) {
        std::string all;
        wire.proxy().record_bytes(&all);
        run.begin();
        for (std::size_t step = 0;; ++step) {
            const std::vector<Action> enabled = run.enabled();
            if (enabled.empty()) {
                EXPECT_EQ(out.actions.size(), step);
                break;
            }
            if (i == 0) {
                out.actions.push_back(enabled[step * 7 % enabled.size()]);
            }
            if (step >= out.actions.size() ||
                std::find(enabled.begin(), enabled.end(), out.actions[step]) == enabled.end()) {
                ADD_FAILURE() << "in run " << i << " step " << step << " is impossible";
                return out;
            }
            const WireRun::Step taken = run.take(out.actions[step]);
            all += taken.text + taken.result + "\n";
        }
        wire.proxy().record_bytes(nullptr);
        out.bytes = all.size();
        out.runs.insert(std::move(all));
    }
    return out;
}

bool has(const Repeated& repeated, ActionKind kind) {
    return std::any_of(repeated.actions.begin(), repeated.actions.end(),
                       [&](Action action) { return action.kind == kind; });
}

TEST(SameBytes, AKeptClientRepeatsThemEachTime) {
    SKIP_WITHOUT_REDIS();
    const Repeated repeated =
        repeat(raw_client("right"), Freshness::kKept, testing_model::is_short_run() ? 200 : 1'000);
    EXPECT_EQ(1U, repeated.runs.size());
    EXPECT_LT(100U, repeated.bytes);
    EXPECT_TRUE(has(repeated, ActionKind::kFault));
    EXPECT_TRUE(has(repeated, ActionKind::kTime));
}

TEST(SameBytes, AForkedOrStartedClientRepeatsThemToo) {
    SKIP_WITHOUT_REDIS();
    const auto runs = [](Freshness freshness, int times) {
        return repeat(raw_client("right"), freshness, times).runs.size();
    };
    EXPECT_EQ(1U, runs(Freshness::kForked, testing_model::is_short_run() ? 20 : 100));
    EXPECT_EQ(1U, runs(Freshness::kStarted, testing_model::is_short_run() ? 4 : 10));
}

TEST(SameBytes, AClientThatIsKilledAndStartedAgainRepeatsThemToo) {
    SKIP_WITHOUT_REDIS();
    const Repeated repeated = repeat(raw_client("right"), Freshness::kKept,
                                     testing_model::is_short_run() ? 20 : 50, true);
    EXPECT_EQ(1U, repeated.runs.size());
    EXPECT_TRUE(has(repeated, ActionKind::kCrash));
    EXPECT_TRUE(has(repeated, ActionKind::kDisturb));
}

// Its token is the number that the machine gives to its process.
TEST(SameBytes, AClientThatDoesNotRepeatThemIsSeen) {
    SKIP_WITHOUT_REDIS();
    EXPECT_LT(1U, repeat(raw_client("pid"), Freshness::kForked, 3).runs.size());
}

}  // namespace
}  // namespace lockkeeper::wire
