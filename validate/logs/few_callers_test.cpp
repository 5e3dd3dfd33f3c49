// SPDX-License-Identifier: Apache-2.0

// A few callers' lines alone contradict each other only where no run has all lines.
#include "validate/logs/few_callers.hpp"

#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/answered_test.hpp"
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

// With every excuse, and up to so many lines missing.
bool is_excused(const Problem& problem, std::uint32_t lost_max) {
    CheckLimits limits;
    limits.seconds_max = 3600;
    const SearchBudget budget(limits);
    return search_runs(problem, {lost_max, 100, true, &budget}).is_found;
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
        if (!can_leave_out_callers(problem, 0)) {
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

// Neither do missing lines of others excuse what two of them say, nor callers without a log.
TEST(FewCallers, WhatIsExcusedForAllIsExcusedForAnyFew) {
    constexpr const char* kModels[] = {"owner-aware-mutex", "reentrant-mutex", "lease:ttl=40ns"};
    std::size_t excused = 0;
    std::size_t blamed = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const std::size_t number = seed % std::size(kModels);
        const auto model = make_model(model_of_logs(kModels[number]));
        const std::vector<Source> sources = drawn(seed, 1, number == 2 ? 40 : 0);
        Problem problem = make_problem(sources, {}, *model);
        const std::uint32_t lost_max = seed % 2;
        ASSERT_TRUE(can_leave_out_callers(problem, lost_max));
        Problem with_stranger = problem;
        with_stranger.allow_stranger();
        const bool is_right = is_excused(problem, lost_max) || is_excused(with_stranger, lost_max);
        excused += is_right ? 1 : 0;
        for (std::uint32_t one = 0; one < problem.callers.size(); ++one) {
            for (std::uint32_t other = one + 1; other < problem.callers.size(); ++other) {
                const bool is_possible = is_excused(only_of(problem, {one, other}), lost_max);
                EXPECT_TRUE(is_possible || !is_right)
                    << seed << ": " << one << ", " << other << "\n"
                    << text_of_lines(problem);
                blamed += is_possible ? 0 : 1;
            }
        }
    }
    EXPECT_GT(excused, 15U);
    EXPECT_GT(blamed, 5U);
}

// Four workers take turns; then the second one is granted what the first one holds, for so many
// milliseconds.
std::string held_twice(int milliseconds) {
    std::string text;
    int now = 0;
    const auto say = [&](int worker, const char* did) {
        text += fmt::format("{}.{:03} w{} {}\n", 100 + now / 1000, now % 1000, worker, did);
    };
    for (int turn = 0; turn < 40; ++turn) {
        for (const char* did : {"trying", "acquired", "releasing", "released"}) {
            now += 10;
            say(turn % 4, did);
        }
    }
    struct Said {
        int after;
        int worker;
        const char* did;
    };
    for (const Said& said :
         {Said{60, 0, "trying"}, Said{1, 0, "acquired"}, Said{60, 1, "trying"},
          Said{1, 1, "acquired"}, Said{milliseconds, 1, "releasing"}, Said{1, 1, "released"},
          Said{60, 0, "releasing"}, Said{1, 0, "released"}}) {
        now += said.after;
        say(said.worker, said.did);
    }
    return text;
}

// The search that lets lines be missing anywhere would not end among many lines: the two that hold
// are asked alone.
TEST(FewCallers, TwoHoldersAmongManyLinesAreDecidedUnasked) {
    static const Mapping kMapping;
    const auto model = make_model(model_of_logs("owner-aware-mutex"));
    const auto answer_of = [&](int milliseconds) {
        LogsReader reader(kMapping);
        reader.read_text(held_twice(milliseconds), "night.log", Format::kPlain);
        const ReadLogs read = reader.end();
        CheckLimits limits;
        limits.seconds_max = 3600;
        const SearchBudget budget(limits);
        Question question;
        question.model = model.get();
        question.budget = &budget;
        question.states_of_doubt = 2'000;
        return explain(by_lock(read.logs).at(0).second, question);
    };
    const LockAnswer twice = answer_of(1'000);
    EXPECT_EQ(twice.answer, Answer::kNotExplained);
    EXPECT_EQ(twice.lost_max, kLostDoubt);
    // Right clocks would be, too.
    const LockAnswer shortly = answer_of(20);
    EXPECT_EQ(shortly.answer, Answer::kUndecided);
    EXPECT_EQ(shortly.doubts.limit, nullptr);
    ASSERT_TRUE(shortly.doubts.clock_error);
    EXPECT_LT(*shortly.doubts.clock_error, kClockDoubt);
}

// A release is missing, and an effect is wrong: with more that is missing it might be right.
TEST(FewCallers, MoreMissingLinesAreSoughtWithinABound) {
    const auto model = make_model(model_of_logs("owner-aware-mutex"));
    const auto answer_of = [&](std::uint64_t states) {
        const SearchBudget budget({});
        Question question;
        question.model = model.get();
        question.budget = &budget;
        question.states_of_doubt = states;
        const ReadLogs read = read_texts({"1.0 a trying\n1.1 a acquired\n2.0 b trying\n"
                                          "2.1 b acquired\n2.2 a wrote ledger\n2.3 b releasing\n"
                                          "2.4 b released\n3.0 a trying\n3.1 a acquired\n"
                                          "3.2 a releasing\n3.3 a released\n"},
                                         ".log");
        return explain(by_lock(read.logs).at(0).second, question);
    };
    const LockAnswer answer = answer_of(200'000);
    EXPECT_EQ(answer.answer, Answer::kBroken);
    EXPECT_EQ(answer.found.cost.lost, 2U);
    const LockAnswer bounded = answer_of(1);
    EXPECT_EQ(bounded.answer, Answer::kUndecided);
    ASSERT_NE(bounded.doubts.limit, nullptr);
    EXPECT_NE(std::string(bounded.doubts.limit).find("--lost"), std::string::npos);
}

// Where anybody may give a lock back, a third caller can, in a line that is missing.
TEST(FewCallers, AMutexThatAnybodyGivesBackIsLeftWhole) {
    const auto model = make_model(model_of_logs("mutex"));
    const Problem problem = make_problem(drawn(1, 1, 0), {}, *model);
    EXPECT_FALSE(can_leave_out_callers(problem, 1));
}

}  // namespace
}  // namespace lockkeeper::logs
