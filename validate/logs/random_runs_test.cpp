// SPDX-License-Identifier: Apache-2.0

// Runs of locks written as logs, and spoiled: lines dropped, clocks wrong.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "validate/logs/explain.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::int64_t kRunTtl = 400;

struct LoggedWorld {
    std::size_t callers = 3;
    std::size_t operations = 30;
    bool is_lease = false;
    bool has_calls = true;
    bool has_server = true;
    bool grants_twice = false;  // a planted bug
};

// The lock's own steps are one nanosecond, and no two are at the same time.
class RandomRun {
  public:
    RandomRun(const LoggedWorld& world, std::uint64_t seed) : world_(world), random_(seed) {
        sources_.resize(world.callers + 1);
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            sources_[i].name = i == 0 ? "server" : name(i - 1);
            sources_[i].file = sources_[i].name;
        }
    }

    std::vector<Source> run() {
        std::vector<Caller> callers(world_.callers);
        for (std::size_t i = 0; i < world_.operations * 3; ++i) {
            now_ += 1 + static_cast<std::int64_t>(below(40));
            step(callers, below(world_.callers));
        }
        for (std::size_t i = 0; i < callers.size(); ++i) {  // nobody is in the middle of a call
            while (callers[i].at != At::kIdle) {
                ++now_;
                step(callers, i);
            }
        }
        return sources_;
    }
    [[nodiscard]] bool was_granted_twice() const { return was_granted_twice_; }

    std::size_t below(std::size_t bound) { return random_() % bound; }

  private:
    enum class At { kIdle, kCalled, kServed };
    struct Caller {
        At at = At::kIdle;
        LockCode code = LockCode::kAcquire;
        Outcome outcome = Outcome::kOk;
        bool believes = false;
    };

    static std::string name(std::size_t caller) { return "w" + std::to_string(caller); }

    void write(std::size_t source, std::size_t caller, Seen seen, LockCode code, Outcome outcome) {
        Observation line;
        line.seen = seen;
        line.code = code;
        line.outcome = outcome;
        line.caller = name(caller);
        line.earliest = line.latest = now_;
        sources_[source].observations.push_back(line);
    }

    void step(std::vector<Caller>& callers, std::size_t number) {
        Caller& one = callers[number];
        switch (one.at) {
            case At::kIdle:
                if (one.believes && !world_.is_lease && below(2) == 0) {
                    write(number + 1, number, Seen::kEffect, LockCode::kWrite, Outcome::kOk);
                    return;
                }
                one.code = one.believes ? LockCode::kRelease : LockCode::kAcquire;
                one.at = At::kCalled;
                if (world_.has_calls) {
                    write(number + 1, number, Seen::kCall, one.code, Outcome::kOk);
                }
                return;
            case At::kCalled:
                one.outcome = serve(number, one.code) ? Outcome::kOk : Outcome::kRefused;
                one.at = At::kServed;
                if (world_.has_server) {
                    write(0, number, Seen::kServed, one.code, Outcome::kOk);
                }
                return;
            case At::kServed:
                one.believes = one.code == LockCode::kAcquire && one.outcome == Outcome::kOk;
                one.at = At::kIdle;
                write(number + 1, number, Seen::kAnswer, one.code, one.outcome);
                return;
        }
    }

    bool serve(std::size_t caller, LockCode code) {
        const bool is_held = holder_ >= 0 && (!world_.is_lease || now_ < granted_ + kRunTtl);
        if (code == LockCode::kRelease) {
            const bool is_own = holder_ == static_cast<int>(caller);
            holder_ = is_own ? -1 : holder_;
            return is_own || world_.grants_twice;
        }
        if (is_held && !(world_.grants_twice && below(4) == 0)) {
            return false;
        }
        was_granted_twice_ = was_granted_twice_ || is_held;
        holder_ = static_cast<int>(caller);
        granted_ = now_;
        return true;
    }

    LoggedWorld world_;
    std::mt19937_64 random_;
    std::vector<Source> sources_;
    std::int64_t now_ = 1'000;
    int holder_ = -1;
    std::int64_t granted_ = 0;
    bool was_granted_twice_ = false;
};

CheckLimits generous() {
    CheckLimits limits;
    limits.seconds_max = 3600;
    return limits;
}

std::size_t runs_wanted() {
    const char* wanted = std::getenv("LOCKKEEPER_LOGS");
    return wanted == nullptr ? 120 : static_cast<std::size_t>(std::atoi(wanted)) / 10;
}

LoggedWorld world_of(std::size_t seed) {
    LoggedWorld world;
    world.callers = 2 + seed % 3;
    world.is_lease = seed % 2 == 0;
    world.has_calls = seed % 5 != 0;
    world.has_server = seed % 3 != 0;
    return world;
}

std::unique_ptr<SequentialModel> model_for(const LoggedWorld& world) {
    return make_model(model_of_logs(world.is_lease ? "lease:ttl=400ns" : "owner-aware-mutex"));
}

std::size_t drop_lines(std::vector<Source>& sources, RandomRun& random, std::size_t most) {
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < most; ++i) {
        auto& lines = sources[random.below(sources.size())].observations;
        if (!lines.empty()) {
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(random.below(lines.size())));
            ++dropped;
        }
    }
    return dropped;
}

TEST(RandomRuns, CompleteLogsOfALockAreExplainedForNothing) {
    const SearchBudget budget(generous());
    for (std::size_t seed = 0; seed < runs_wanted(); ++seed) {
        const LoggedWorld world = world_of(seed);
        RandomRun run(world, seed);
        const std::vector<Source> sources = run.run();
        const auto model = model_for(world);
        const Problem problem = make_problem(sources, {}, *model);
        const Found found = search_runs(problem, {0, 4, true, &budget});
        ASSERT_TRUE(found.is_found) << seed;
        ASSERT_EQ(found.cost.packed(), 0U) << seed;
    }
}

TEST(RandomRuns, DroppedLinesCostNoMoreThanTheyAre) {
    const SearchBudget budget(generous());
    std::size_t missed = 0;
    for (std::size_t seed = 0; seed < runs_wanted(); ++seed) {
        const LoggedWorld world = world_of(seed);
        RandomRun run(world, seed);
        std::vector<Source> sources = run.run();
        const std::size_t dropped = drop_lines(sources, run, 1 + seed % 3);
        const auto model = model_for(world);
        const Problem problem = make_problem(sources, {}, *model);
        const Found found =
            search_runs(problem, {static_cast<std::uint32_t>(dropped), 4, true, &budget});
        ASSERT_TRUE(found.is_found) << seed;
        ASSERT_LE(found.cost.lost + found.cost.unseen, dropped) << seed;
        ASSERT_EQ(found.cost.uncovered, 0U) << seed;
        missed += found.cost.lost > 0 ? 1 : 0;
    }
    EXPECT_GT(missed, runs_wanted() / 4);
}

TEST(RandomRuns, ClocksThatAreWrongByNoMoreThanIsSaidAreNoContradiction) {
    constexpr std::int64_t kError = 60;
    const SearchBudget budget(generous());
    std::size_t contradicted = 0;
    for (std::size_t seed = 0; seed < runs_wanted(); ++seed) {
        LoggedWorld world = world_of(seed);
        RandomRun run(world, seed);
        std::vector<Source> sources = run.run();
        for (Source& source : sources) {
            const auto shift = static_cast<std::int64_t>(run.below(2 * kError + 1)) - kError;
            for (Observation& line : source.observations) {
                line.earliest += shift;
                line.latest += shift;
            }
        }
        const auto model = model_for(world);
        const std::vector<std::int64_t> errors(sources.size(), kError);
        const Problem with = make_problem(sources, errors, *model);
        const Found found = search_runs(with, {0, 4, true, &budget});
        ASSERT_TRUE(found.is_found) << seed;
        ASSERT_EQ(found.cost.packed(), 0U) << seed;
        const Problem without = make_problem(sources, {}, *model);
        contradicted += search_runs(without, {0, 4, true, &budget}).is_found ? 0 : 1;
    }
    EXPECT_GT(contradicted, runs_wanted() / 2);
}

TEST(RandomRuns, ALockThatGrantsTwiceIsNeverExplainedForNothing) {
    const SearchBudget budget(generous());
    std::size_t twice = 0;
    for (std::size_t seed = 0; seed < runs_wanted(); ++seed) {
        LoggedWorld world = world_of(seed);
        world.has_server = true;
        world.grants_twice = true;
        RandomRun run(world, seed);
        const std::vector<Source> sources = run.run();
        if (!run.was_granted_twice()) {
            continue;
        }
        ++twice;
        const auto model = model_for(world);
        const Problem problem = make_problem(sources, {}, *model);
        const Found found = search_runs(problem, {0, 4, true, &budget});
        ASSERT_FALSE(found.is_found && found.cost.packed() == 0) << seed;
    }
    EXPECT_GT(twice, runs_wanted() / 2);
}

TEST(RandomRuns, TheSameLogsGiveTheSameRun) {
    const SearchBudget budget(generous());
    const LoggedWorld world = world_of(7);
    RandomRun run(world, 7);
    std::vector<Source> sources = run.run();
    drop_lines(sources, run, 2);
    const auto model = model_for(world);
    const Problem problem = make_problem(sources, {}, *model);
    const Found one = search_runs(problem, {2, 4, true, &budget});
    const Found other = search_runs(problem, {2, 4, true, &budget});
    EXPECT_EQ(one.steps, other.steps);
    EXPECT_EQ(one.states, other.states);
}

}  // namespace
}  // namespace lockkeeper::logs
