// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/clock_shift.hpp"

#include <gtest/gtest.h>

#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"
#include "validate/logs/words.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::int64_t kMsOfClock = 1'000'000;

struct ClockTold {
    LockAnswer answer;
    std::string text;
};

// Each text is a log of its own.
ClockTold told_of(const std::vector<std::string>& texts,
                  const char* model_name = "owner-aware-mutex") {
    const Mapping mapping;
    LogsReader reader(mapping);
    for (const std::string& text : texts) {
        reader.read_text(text, "log" + std::to_string(&text - texts.data()), Format::kByFirstLine);
    }
    ReadLogs read = reader.end();
    const auto model = make_model(model_of_logs(model_name));
    const SearchBudget budget({});
    Question question;
    question.lost_max = 0;
    question.model = model.get();
    question.budget = &budget;
    const auto locks = by_lock(read.logs);
    LockAnswer answer = explain(locks.at(0).second, question);
    std::string text = answer_text(answer, locks.at(0).second, *model, read.form);
    return {std::move(answer), std::move(text)};
}

const std::string kFirstWorker =
    "10.000 a trying\n10.001 a acquired\n10.500 a releasing\n10.501 a released\n"
    "11.000 a trying\n11.001 a acquired\n11.400 a releasing\n11.401 a released\n";

std::string holding_of_b(const char* from, const char* until) {
    return std::string(from) + "0 b trying\n" + from + "1 b acquired\n" + until +
           "0 b releasing\n" + until + "1 b released\n";
}

TEST(ClockShift, TheClockThatWasWrongIsNamedWithTheTimesThatExplainTheLogs) {
    // b held from 10.660 to 10.960, and wrote times 280 ms earlier: 122 to 315 ms behind.
    const ClockTold one = told_of({kFirstWorker, holding_of_b("10.38", "10.68")});
    ASSERT_EQ(one.answer.doubts.clocks.size(), 2U) << one.text;
    const ClockShift& b = one.answer.doubts.clocks[1];
    EXPECT_LT(b.least, -118 * kMsOfClock);
    EXPECT_GT(b.least, -121 * kMsOfClock);
    ASSERT_TRUE(b.most);
    EXPECT_LT(*b.most, -310 * kMsOfClock);
    EXPECT_GT(*b.most, -322 * kMsOfClock);
    EXPECT_NE(one.text.find("explained if the clock of b was 11"), std::string::npos) << one.text;
    EXPECT_NE(one.text.find(" behind\n"), std::string::npos) << one.text;
    // a's clock would have been ahead by as much.
    EXPECT_GT(one.answer.doubts.clocks[0].least, 118 * kMsOfClock);
}

TEST(ClockShift, LogsThatAreExplainedNameNoClock) {
    const ClockTold one = told_of({kFirstWorker, holding_of_b("10.66", "10.96")});
    EXPECT_EQ(one.answer.answer, Answer::kExplained) << one.text;
    EXPECT_TRUE(one.answer.doubts.clocks.empty());
}

TEST(ClockShift, OneClockIsNeverWrongAgainstItself) {
    std::string log;
    const auto add = [&](const char* time, const char* caller, const char* did) {
        log += std::string(R"({"time": "2026-03-01T12:00:00.)") + time + R"(Z", "caller": ")" +
               caller + R"(", "msg": ")" + did + "\"}\n";
    };
    for (const char* caller : {"a", "b"}) {
        add(*caller == 'a' ? "100" : "300", caller, "acquiring");
        add(*caller == 'a' ? "110" : "310", caller, "acquired");
    }
    for (const char* caller : {"a", "b"}) {
        add(*caller == 'a' ? "500" : "600", caller, "releasing");
        add(*caller == 'a' ? "510" : "610", caller, "released");
    }
    const ClockTold one = told_of({log});
    EXPECT_EQ(one.answer.answer, Answer::kNotExplained) << one.text;
    EXPECT_TRUE(one.answer.doubts.clocks.empty()) << one.text;
}

// Two that hold at once for good: any log that is moved away from the other contradicts nobody.
TEST(ClockShift, ALogThatIsMovedAwayFromTheOthersExplainsNothing) {
    const ClockTold one =
        told_of({"10.000 a trying\n10.001 a acquired\n10.900 a releasing\n"
                 "10.901 a released\n",
                 holding_of_b("10.38", "10.68")});
    EXPECT_NE(one.answer.answer, Answer::kExplained) << one.text;
    EXPECT_TRUE(one.answer.doubts.clocks.empty()) << one.text;
}

// Eight workers in turn, a line each millisecond; at the end one writes that never held.
std::vector<Source> many_workers(std::size_t turns) {
    std::vector<Source> sources(9);
    std::int64_t now = 0;
    const auto write = [&](std::size_t worker, Seen seen, LockCode code) {
        Observation line;
        line.seen = seen;
        line.code = code;
        line.caller = sources[worker].name = sources[worker].file = "w" + std::to_string(worker);
        now += kMsOfClock;
        line.earliest = line.latest = now;
        sources[worker].observations.push_back(line);
    };
    for (std::size_t i = 0; i < turns; ++i) {
        for (const LockCode code : {LockCode::kAcquire, LockCode::kRelease}) {
            write(i % 8, Seen::kCall, code);
            write(i % 8, Seen::kAnswer, code);
        }
    }
    write(8, Seen::kEffect, LockCode::kWrite);
    return sources;
}

// A search that is cut is no "no": two clocks could be wrong.
TEST(ClockShift, TooManyRunsOfWrongClocksAreNoViolationUntilSomebodySaysHowWrongTheyAre) {
    const auto model = make_model(model_of_logs("owner-aware-mutex"));
    CheckLimits limits;
    limits.seconds_max = 1e9;  // the number of states ends it, however slow the build is
    const SearchBudget budget(limits);
    Question question;
    question.lost_max = 0;
    question.model = model.get();
    question.budget = &budget;
    question.states_of_doubt = 20'000;
    std::vector<Source> sources = many_workers(120);
    EXPECT_EQ(explain(sources, question).answer, Answer::kBroken);  // whatever the others did
    // Three hold two places at once, which any two of them may.
    const auto places = make_model(model_of_logs("semaphore:2"));
    question.model = places.get();
    Observation line = sources[7].observations.back();
    for (std::size_t i = 0; i < 3; ++i) {
        sources.push_back({"x" + std::to_string(i), "x" + std::to_string(i), {}, false});
        line.caller = sources.back().name;
        line.code = LockCode::kAcquire;
        for (const Seen seen : {Seen::kCall, Seen::kAnswer}) {
            line.seen = seen;
            line.earliest = line.latest = line.earliest + kMsOfClock;
            sources.back().observations.push_back(line);
        }
    }
    sources[8].observations.clear();
    const LockAnswer answer = explain(sources, question);
    EXPECT_EQ(answer.answer, Answer::kUndecided);
    ASSERT_NE(answer.doubts.limit, nullptr);
    EXPECT_NE(std::string(answer.doubts.limit).find("--clock-error"), std::string::npos);
    question.clock_errors.assign(sources.size(), 0);
    EXPECT_EQ(explain(sources, question).answer, Answer::kNotExplained);
}

// With wrong clocks nobody knows in which order a caller of two logs did things. Logs whose own
// times say it are not refused, and smaller errors count.
TEST(ClockShift, ACallerOfTwoLogsIsInconclusiveWhereSmallerErrorsExplainIt) {
    const std::string later =
        R"({"time":"1970-01-01T00:00:01.060Z","caller":"a","msg":"releasing"})"
        "\n"
        R"({"time":"1970-01-01T00:00:01.061Z","caller":"a","msg":"released"})"
        "\n";
    const std::string other =
        R"({"time":"1970-01-01T00:00:01.030Z","caller":"b","msg":"acquiring"})"
        "\n"
        R"({"time":"1970-01-01T00:00:01.031Z","caller":"b","msg":"acquired"})"
        "\n"
        R"({"time":"1970-01-01T00:00:01.055Z","caller":"b","msg":"releasing"})"
        "\n"
        R"({"time":"1970-01-01T00:00:01.056Z","caller":"b","msg":"released"})"
        "\n";
    const ClockTold one = told_of({"1.000 a trying\n1.010 a acquired\n", later, other});
    // With clocks that are wrong by 23 ms b held before a or after it, and a's order is known.
    EXPECT_EQ(one.answer.answer, Answer::kUndecided) << one.text;
    ASSERT_TRUE(one.answer.doubts.clock_error) << one.text;
    EXPECT_LT(*one.answer.doubts.clock_error, 25 * kMsOfClock);
    // Lines so near to each other that their order is soon unknown decide nothing either.
    const ClockTold near =
        told_of({"1.000 a trying\n1.010 a acquired\n",
                 R"({"time":"1970-01-01T00:00:01.012Z","caller":"a","msg":"releasing"})"
                 "\n"
                 R"({"time":"1970-01-01T00:00:01.061Z","caller":"a","msg":"released"})"
                 "\n",
                 "1.002 b trying\n1.003 b acquired\n"});
    EXPECT_EQ(near.answer.answer, Answer::kUndecided) << near.text;
}

TEST(ClockShift, PiecesOfOneLogHaveOneClock) {
    const auto source = [](const char* name, const char* file) {
        return Source{name, file, {Observation{}}};
    };
    EXPECT_EQ(clocks_of({source("a.log.1", "a.log.1"), source("a.log", "a.log"),
                         source("b.log", "b.log"), source("w", "a.log.1"), source("w", "a.log")}),
              (std::vector<std::size_t>{0, 0, 2, 3, 3}));
}

}  // namespace
}  // namespace lockkeeper::logs
