// SPDX-License-Identifier: Apache-2.0

// The reduction against the full search on scripts that nobody has chosen: the same ends of runs,
// and the same properties violated in them.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "scheduler/base/random.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

// Samples that the full search does not finish in so many runs are not compared.
constexpr std::uint64_t kReducedRunsMax = 100;
constexpr std::uint64_t kFullRunsMax = 300;
const std::uint64_t kSamples = testing_model::is_short_run() ? 4 : 8;

struct Sample {
    std::string kinds;  // of the two callers' locks
    std::string text;   // all of it, for messages
    OutsideWorld world;
    WireScope scope;
};

std::string drawn_script(Random& random, std::uint32_t keys, CallerConfig& caller) {
    std::string text;
    const std::uint32_t length = 1 + random.below(3);
    while (caller.script.size() < length) {
        // An acquire comes first, because callers release and renew only what they hold.
        constexpr Verb kVerbs[] = {Verb::kAcquire, Verb::kRelease, Verb::kRelease, Verb::kCall};
        Operation operation;
        operation.verb = caller.script.empty() ? Verb::kAcquire : kVerbs[random.below(4)];
        operation.key = static_cast<std::uint8_t>(random.below(keys));
        text += fmt::format(" {}{}", name_of(operation.verb), operation.key);
        caller.script.push_back(operation);
    }
    return text;
}

Sample drawn(std::uint64_t seed) {
    constexpr const char* kKinds[] = {"right",     "get_then_set", "two_requests", "for_ever",
                                      "anybody",   "get_then_del", "late",         "says_until",
                                      "watched",   "notes",        "overwrites",   "sha",
                                      "sha_right", "by_name"};
    Random random(seed);
    const auto kind = [&] { return kKinds[random.below(std::size(kKinds))]; };
    Sample sample;
    sample.kinds = kind();
    if (random.below(3) == 0) {
        sample.kinds += std::string(",") + kind();
    }
    sample.world = two_callers({});
    const std::uint32_t keys = 1 + random.below(2);
    sample.world.world.keys =
        keys == 1 ? std::vector<std::string>{"db"} : std::vector<std::string>{"db", "web"};
    sample.text = fmt::format("seed {}: {}", seed, sample.kinds);
    for (CallerConfig& caller : sample.world.world.callers) {
        sample.text += fmt::format(", {}:{}", caller.name, drawn_script(random, keys, caller));
    }
    const char* fault = "";
    switch (random.below(10)) {
        case 0: fault = "crash", sample.world.world.crashes_max = 1; break;
        case 1: fault = "drop", sample.scope.drops_max = 1; break;
        case 2: fault = "expiry", sample.scope.expiries_max = 1; break;
        case 3: fault = "fail-over", sample.scope.failovers_max = 1; break;
        case 4: fault = "restart of the server", sample.scope.server_restarts_max = 1; break;
        case 5:
            fault = "crash and late request";
            sample.world.world.crashes_max = 1;
            sample.scope.late_max = 1;
            break;
        case 7:
            fault = "drop and late request";
            sample.scope.drops_max = sample.scope.late_max = 1;
            break;
        case 6:
            fault = "jump";
            sample.scope.jumps_max = 1;
            sample.scope.expiries_max = random.below(2);
            for (CallerConfig& caller : sample.world.world.callers) {
                constexpr std::int32_t kJumps[] = {0, 20'000, -20'000};
                caller.settings[kJumpSetting] = kJumps[random.below(std::size(kJumps))];
            }
            break;
        default: break;
    }
    sample.world.world.restarts_max =
        static_cast<std::uint8_t>(sample.world.world.crashes_max * random.below(2));
    sample.scope.splits =
        sample.scope.drops_max + sample.scope.expiries_max > 0 || random.below(3) == 0;
    sample.text += fmt::format("; {}{}", fault, sample.scope.splits ? " (split)" : "");
    return sample;
}

struct Ends {
    std::set<std::string> all;
    std::uint64_t runs = 0;
    bool complete = false;
};

Ends ends_of(Wire& wire, const Sample& sample, bool reduces, std::uint64_t most) {
    Ends ends;
    OutsideOptions options = exploring();
    options.reduces = reduces;
    options.schedules_max = most;
    options.on_outcome = [&](const std::string& outcome) { ends.all.insert(outcome); };
    WireSearch search(wire, sample.world, sample.scope, options);
    const OutsideResult result = search.search();
    EXPECT_EQ("", result.diverged);
    ends.runs = result.schedules;
    ends.complete = result.complete;
    // The next search knows nothing of what they were in the middle of.
    for (std::size_t caller = 0; caller < wire.callers(); ++caller) {
        wire.kill(caller);
    }
    return ends;
}

// The elements of `all` that are not in `some`.
std::vector<std::string> missing(const std::set<std::string>& all,
                                 const std::set<std::string>& some) {
    std::vector<std::string> out;
    std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(out));
    return out;
}

void expect_same(const Ends& reduced, const Ends& full) {
    EXPECT_EQ(std::vector<std::string>{}, missing(full.all, reduced.all)) << "lost";
    EXPECT_EQ(std::vector<std::string>{}, missing(reduced.all, full.all))
        << "not in the full search";
    EXPECT_LE(reduced.runs, full.runs);
}

// With the reduction and without it; nothing where that takes too many runs.
std::optional<std::pair<Ends, Ends>> both(const Sample& sample) {
    WireSettings settings;
    settings.command = raw_client(sample.kinds);
    settings.callers = 3;
    Wire wire(settings);
    Ends reduced = ends_of(wire, sample, true, kReducedRunsMax);
    if (!reduced.complete) {
        return std::nullopt;
    }
    Ends full = ends_of(wire, sample, false, kFullRunsMax);
    if (!full.complete) {
        return std::nullopt;
    }
    return std::pair(std::move(reduced), std::move(full));
}

// Each was lost once.
TEST(WireReduction, LosesNoEndThatDependsOnAnOrderThatNoReplyShows) {
    SKIP_WITHOUT_REDIS();
    const std::vector<Verb> acquire{Verb::kAcquire};
    const std::vector<Verb> release{Verb::kAcquire, Verb::kRelease};
    const auto sample = [](const char* what, const char* kinds, const std::vector<Verb>& first,
                           const std::vector<Verb>& second) {
        Sample made{kinds, what, two_callers(first), {}};
        made.world.world.callers[1].script = two_callers(second).world.callers[1].script;
        return made;
    };
    Sample kill = sample("a kill before the last step", "reads", acquire, release);
    kill.world.world.crashes_max = 1;
    Sample fail_over = sample("which write was the last one", "for_ever", acquire, acquire);
    fail_over.world.world.keys.emplace_back("web");
    fail_over.world.world.callers[1].script[0].key = 1;
    fail_over.scope.failovers_max = 1;
    fail_over.scope.splits = true;
    Sample overtaken = sample("whose read was the later one", "overwrites,looks", release, acquire);
    overtaken.scope.splits = true;
    for (const Sample& one : {kill, fail_over, overtaken}) {
        SCOPED_TRACE(one.text);
        const auto found = both(one);
        ASSERT_TRUE(found);
        expect_same(found->first, found->second);
        EXPECT_LT(found->first.runs, found->second.runs);
    }
}

// With the last step of the last caller the run ends, and which one that is nobody knows before.
TEST(WireReduction, AKillOfWhoIsDoneDoesNotCommuteWithTheLastStepOfAnother) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers({Verb::kAcquire});
    world.world.crashes_max = 1;
    WireSettings settings;
    settings.command = raw_client("right");
    settings.callers = 3;
    Wire wire(settings);
    WireRun run(wire, world, {});
    run.begin();
    const StepEffect call = run.take({0, ActionKind::kStep, 0}).effect;
    const StepEffect last = run.take({0, ActionKind::kStep, 1}).effect;
    StepEffect fault;
    fault.caller = 1;
    fault.events = StepEffect::kFaults;
    EXPECT_TRUE(commute(last, fault));  // of somebody who goes on
    fault.events |= StepEffect::kOfDone;
    EXPECT_TRUE(commute(call, fault));
    EXPECT_FALSE(commute(last, fault));
    EXPECT_NE(0U, run.take({0, ActionKind::kCrash, 0}).effect.events & StepEffect::kOfDone);
}

TEST(WireReduction, ATransactionDependsOnWhatItHasWatched) {
    SKIP_WITHOUT_REDIS();
    const OutsideWorld world = two_callers();
    WireSettings settings;
    settings.command = raw_client("watched");
    settings.callers = 3;
    Wire wire(settings);
    WireRun run(wire, world, {});
    run.begin();
    WireRun::Step last;
    for (const std::uint16_t argument : std::initializer_list<std::uint16_t>{0, 1, 1, 1}) {
        last = run.take({0, ActionKind::kStep, argument});
    }
    ASSERT_NE(std::string::npos, last.text.find("EXEC")) << last.text;
    const auto commutes_with = [&](const char* key) {
        return commute(last.effect.footprint, redis_command({"INCR", key}).footprint);
    };
    EXPECT_FALSE(commutes_with("db:releases"));
    EXPECT_FALSE(commutes_with("db"));
    EXPECT_TRUE(commutes_with("web"));
}

TEST(WireReduction, LosesNoEndOfRandomScripts) {
    SKIP_WITHOUT_REDIS();
    const char* asked = std::getenv("LOCKKEEPER_RANDOM_SCRIPTS");  // "FIRST COUNT", to look further
    std::uint64_t first = 1;
    std::uint64_t count = kSamples;
    if (asked != nullptr) {
        char* rest = nullptr;
        first = std::strtoull(asked, &rest, 10);
        count = std::strtoull(rest, nullptr, 10);
    }
    std::uint64_t compared = 0;
    std::uint64_t reduced_runs = 0;
    std::uint64_t full_runs = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Sample sample = drawn(seed);
        SCOPED_TRACE(sample.text);
        if (const auto found = both(sample)) {
            expect_same(found->first, found->second);
            ++compared;
            reduced_runs += found->first.runs;
            full_runs += found->second.runs;
        }
    }
    EXPECT_LE(count / 4, compared);  // scopes of two faults often have too many runs
    EXPECT_LT(reduced_runs, full_runs);
    RecordProperty("compared", std::to_string(compared));
    RecordProperty("runs", fmt::format("{} of {}", reduced_runs, full_runs));
}

}  // namespace
}  // namespace lockkeeper::wire
