// SPDX-License-Identifier: Apache-2.0

// A few callers' lines alone contradict each other only where no run has all lines.
#include "validate/logs/few_callers.hpp"

#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/search.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kWorkers = 4;

// A run of a lock of `units`, in which some line may be wrong: calls, answers, what the lock
// carries out, states and effects.
std::vector<Source> drawn(std::uint64_t seed, std::size_t units, std::int64_t ttl) {
    std::mt19937_64 random(seed);
    std::vector<Source> sources(kWorkers + 1);
    std::int64_t now = 0;
    std::map<std::size_t, std::int64_t> until;  // of holders
    const bool has_server = random() % 2 == 0;
    const auto write = [&](std::size_t worker, Seen kind, LockCode code, Outcome outcome) {
        Observation seen;
        seen.caller = std::string(1, static_cast<char>('a' + worker));
        seen.seen = kind;
        seen.code = code;
        seen.outcome = random() % 40 == 0 ? Outcome::kRefused : outcome;
        seen.earliest = seen.latest = ++now;
        const bool is_of_lock = kind == Seen::kServed || kind == Seen::kState;
        sources[is_of_lock ? kWorkers : worker].observations.push_back(seen);
    };
    for (std::size_t i = 0; i < 10; ++i) {
        const std::size_t worker = random() % kWorkers;
        now += static_cast<std::int64_t>(random() % 3);
        std::erase_if(until, [&](const auto& one) { return one.second <= now + 4; });
        const bool is_holder = until.contains(worker);
        const bool is_wrong = random() % 24 == 0;
        if (is_holder != is_wrong && random() % 3 == 0) {
            write(worker, random() % 2 == 0 ? Seen::kEffect : Seen::kState, LockCode::kWrite,
                  Outcome::kOk);
            continue;
        }
        const LockCode code = is_holder ? LockCode::kRelease : LockCode::kAcquire;
        const bool is_refused = !is_holder && until.size() >= units && !is_wrong;
        write(worker, Seen::kCall, code, Outcome::kOk);
        if (has_server) {
            write(worker, Seen::kServed, code, Outcome::kOk);
        }
        write(worker, Seen::kAnswer, code, is_refused ? Outcome::kRefused : Outcome::kOk);
        if (is_holder) {
            until.erase(worker);
        } else if (!is_refused) {
            until[worker] = ttl > 0 ? now - 1 + ttl : INT64_MAX;
        }
    }
    return sources;
}

std::string text_of_lines(const Problem& problem) {
    std::string out;
    for (const auto& lines : problem.sources) {
        for (const Line& line : lines) {
            out += fmt::format("{} {} {} {} {}..{}\n", problem.callers[line.caller],
                               name_of(line.seen), name_of(line.code), name_of(line.outcome),
                               line.earliest, line.latest);
        }
    }
    return out;
}

bool is_explained(const Problem& problem) {
    CheckLimits limits;
    limits.seconds_max = 3600;
    const SearchBudget budget(limits);
    return search_runs(problem, {0, 0, false, &budget}).is_found;
}

TEST(FewCallers, WhereAllAreExplainedAnyFewAre) {
    constexpr const char* kModels[] = {"owner-aware-mutex", "mutex", "semaphore:2",
                                       "reentrant-mutex", "lease:ttl=40ns"};
    std::size_t explained = 0;
    std::size_t contradicted = 0;
    std::size_t blamed = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const auto model = make_model(model_of_logs(kModels[seed % std::size(kModels)]));
        const std::size_t number = seed % std::size(kModels);
        const std::vector<Source> sources = drawn(seed, number == 2 ? 2 : 1, number == 4 ? 40 : 0);
        const std::vector<std::int64_t> errors(sources.size(), static_cast<std::int64_t>(seed % 4));
        const Problem problem = make_problem(sources, errors, *model);
        if (!can_leave_out_callers(problem)) {
            continue;
        }
        const bool is_right = is_explained(problem);
        (is_right ? explained : contradicted) += 1;
        bool is_blamed = false;
        for (std::uint32_t one = 0; one < problem.callers.size(); ++one) {
            for (std::uint32_t other = one; other < problem.callers.size(); ++other) {
                std::vector<std::uint32_t> few = {one};
                if (other != one) {
                    few.push_back(other);
                }
                const bool is_possible = is_explained(only_of(problem, few));
                EXPECT_TRUE(is_possible || !is_right)
                    << seed << ": " << one << ", " << other << "\n"
                    << text_of_lines(problem);
                is_blamed = is_blamed || !is_possible;
            }
        }
        blamed += is_blamed ? 1 : 0;
    }
    EXPECT_GT(explained, 300U);
    EXPECT_GT(blamed, contradicted / 4);
}

}  // namespace
}  // namespace lockkeeper::logs
