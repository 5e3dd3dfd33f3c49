// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/explain.hpp"

#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "validate/logs/answered_test.hpp"
#include "validate/logs/words.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {
namespace {

struct Told {
    Answer answer = Answer::kUndecided;
    Cost cost;
    std::string text;
};

Told ask(const std::string& log, const std::string& model_name,
         std::optional<std::uint32_t> lost_max = {}, std::int64_t clock_error = -1,
         double seconds = 60) {
    const Mapping mapping;
    LogsReader reader(mapping);
    reader.read_text(log, "log", Format::kByFirstLine);
    const ReadLogs read = reader.end();
    const auto model = make_model(model_of_logs(model_name));
    CheckLimits limits;
    limits.seconds_max = seconds;
    const SearchBudget budget(limits);
    Question question;
    question.lost_max = lost_max;
    question.model = model.get();
    question.budget = &budget;
    const auto locks = by_lock(read.logs);
    if (clock_error >= 0) {
        question.clock_errors.assign(locks.at(0).second.size(), clock_error);
    }
    const LockAnswer answer = explain(locks.at(0).second, question);
    return {answer.answer, answer.found.cost,
            answer_text(answer, locks.at(0).second, *model, read.form)};
}

#define EXPECT_TELLS(told, words) \
    EXPECT_NE((told).text.find(words), std::string::npos) << (told).text

constexpr const char* kTwice =
    "1.0 a acquired\n2.0 b acquired\n3.0 a releasing\n3.1 a released\n4.0 b releasing\n"
    "4.1 b released\n";

TEST(Explain, ALogOfALockIsExplained) {
    const Told told = ask("1.0 a acquired\n2.0 b busy\n3.0 a released\n4.0 b acquired\n", "mutex");
    EXPECT_EQ(told.answer, Answer::kExplained);
    EXPECT_TELLS(told, "verdict: explained, no line is missing");
}

TEST(Explain, TwoHoldersOfAMutexAreNotExplained) {
    const Told told = ask(kTwice, "owner-aware-mutex");
    EXPECT_EQ(told.answer, Answer::kNotExplained);
    EXPECT_TELLS(told, "no run gets behind log:");
    EXPECT_TELLS(told, "b acquire: it is held by another that excludes it; held by a");
}

// The log has the grants of b, and that of a is missing from it: it was explained for nothing.
TEST(Explain, AGrantIsMissingWhereTheLogHasThoseOfOthers) {
    const std::string before =
        "1.000 m b SET job t1 NX\n1.001 b acquired\n1.500 m a SET job t2 NX\n1.501 a busy\n"
        "2.100 m b DEL job\n2.101 b released\n2.200 m a SET job t3 NX\n";
    const std::string after =
        "2.600 a wrote ledger\n2.700 m b SET job t4 NX\n2.701 b busy\n"
        "2.900 m a SET job t5 NX\n2.901 a busy\n";
    const Told told = ask(before + after, "mutex");
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_EQ(told.cost.lost, 1U);
    EXPECT_EQ(ask(before + "2.201 a acquired\n" + after, "mutex").answer, Answer::kExplained);
    // Its log goes on without an answer, with an effect.
    EXPECT_EQ(ask(before + "2.600 a wrote ledger\n", "mutex").answer, Answer::kUndecided);
    // A log that has failures alone never has them.
    const std::string failures =
        "1.500 m a SET job t2 NX\n2.600 a wrote ledger\n"
        "2.900 m a SET job t5 NX\n2.901 a busy\n";
    EXPECT_EQ(ask(failures, "mutex").cost.lost, 0U);
}

TEST(Explain, TheNearestRunAccusesNobodyWhoHolds) {
    const Told told =
        ask("1.000 a trying\n1.001 a acquired\n1.100 a wrote ledger\n1.300 b trying\n"
            "1.301 b acquired\n1.450 a releasing\n1.451 a released\n",
            "mutex", 0, 1'000'000);
    EXPECT_EQ(told.answer, Answer::kNotExplained);
    EXPECT_TELLS(told, "a wrote ledger\n");
    EXPECT_EQ(told.text.find("does not hold"), std::string::npos) << told.text;
}

// A log may be anybody's: what a terminal obeys is not printed.
TEST(Explain, WhatATerminalObeysIsNotPrinted) {
    const Told told =
        ask("{\"time\": 1, \"caller\": \"a\\u001b[31m\", \"operation\": "
            "\"acquired\"}\n{\"time\": 2, \"caller\": \"b\\nverdict: explained\", "
            "\"operation\": \"acquired \\u001b[2J\"}\n",
            "mutex", 0, 0);
    EXPECT_TELLS(told, "b?verdict: explained");
    EXPECT_EQ(told.text.find('\x1b'), std::string::npos) << told.text;
    EXPECT_EQ(told.text.find("\nverdict: explained"), std::string::npos) << told.text;
    const Told line = ask("1.0 a acquired\n2.0 b acquired \x1b[2J\n", "mutex", 0, 0);
    EXPECT_TELLS(line, "b acquired ?[2J");
    EXPECT_EQ(line.text.find('\x1b'), std::string::npos) << line.text;
}

TEST(Explain, EvenAnUnloggedReleaseDoesNotExcuseTwoHoldersForNothing) {
    const Told told = ask(kTwice, "owner-aware-mutex", 10);
    EXPECT_EQ(told.answer, Answer::kExplained);
    EXPECT_GT(told.cost.lost, 1U);
}

TEST(Explain, TwoHoldersOfASemaphoreOfTwoAreExplained) {
    EXPECT_EQ(ask(kTwice, "semaphore:2").answer, Answer::kExplained);
}

// Another can have held it, whose log is not here: unless the lock's own log is.
TEST(Explain, AReasonlessRefusalIsNotExplainedOnlyWhereTheLockHasALog) {
    const Told told = ask("1.0 a acquired\n2.0 a released\n3.0 b trying\n3.1 b busy\n", "mutex", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "explained if a caller held the lock of which there is no log");
    EXPECT_TELLS(told, "did a caller without a log acquire (1.0..3.2)? No line shows it");
    const Told with_server =
        ask("1.000 m a SET job t1 NX\n1.001 a acquired\n2.000 a releasing\n2.100 m a DEL job\n"
            "2.200 a released\n5.000 b trying\n5.100 m b SET job t2 NX\n5.200 b busy\n",
            "owner-aware-mutex", 0, 0);
    EXPECT_EQ(with_server.answer, Answer::kNotExplained) << with_server.text;
}

// A refusal names its holder, and there is no log of it.
TEST(Explain, WhomARefusalNamesIsAskedFor) {
    const Told told =
        ask("I0301 12:00:00.100000 1 leaderelection.go:346] lock is held by x and has not yet "
            "expired\n",
            "lease:ttl=15s", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "there is no log; lines name x: add its log");
}

// Who sees that lines are missing does not say that none is.
TEST(Explain, VisibleHolesLeaveMoreLinesInDoubt) {
    const std::string log =
        "1.0 a trying\n1.1 a acquired\n2.0 a releasing\n2.1 a released\n"
        "3.0 a acquired\n4.0 b trying\n4.1 b acquired\n4.9 b releasing\n5.0 b released\n"
        "5.1 b acquired\n6.0 c trying\n6.1 c acquired\n6.2 c releasing\n6.3 c released\n"
        "7.0 a acquired\n7.5 b acquired\n8.0 c acquired\n";
    const Told told = ask(log, "owner-aware-mutex");
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "lines are missing: answers without their calls: ");
    EXPECT_EQ(ask(log, "owner-aware-mutex", 3).answer, Answer::kNotExplained);
}

TEST(Explain, TheHolderThatARefusalNamesHolds) {
    const Told told =
        ask("{\"time\": 1, \"caller\": \"a\", \"operation\": \"failed to renew lease\"}\n"
            "{\"time\": 5, \"caller\": \"b\", \"operation\": \"lock is held by a\"}\n",
            "lease:ttl=15s", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "the fact that decides: did a acquire (before 2)? No line shows it");
}

// One clock wrote them all: it cannot be wrong against itself.
TEST(Explain, LinesOfOneSourceAreNotDoubtedAgainstEachOther) {
    const std::string log =
        "time=1.000 worker=a msg=acquired\ntime=1.020 worker=b msg=acquired\n"
        "time=1.040 worker=a msg=releasing\ntime=1.050 worker=a msg=released\n";
    EXPECT_EQ(ask(log, "owner-aware-mutex", 0).answer, Answer::kNotExplained);
    const Told two =
        ask("1.000 a acquired\n1.020 b acquired\n1.040 a releasing\n1.050 a released\n",
            "owner-aware-mutex", 0);
    EXPECT_EQ(two.answer, Answer::kUndecided);
    EXPECT_TELLS(two, "explained if clocks were wrong by");
}

// The last moment of a release that no line shows is before the next holder's grant.
TEST(Explain, TheFactThatDecidesHasItsWindow) {
    const Told told = ask("1.0 a acquired\n2.0 b acquired\n", "owner-aware-mutex", 0);
    EXPECT_TELLS(told, "the fact that decides: did a release (1.0..2.1)? No line shows it");
}

TEST(Explain, AMissingLineIsNamedAndDecidesOnlyWhereLinesMayBeMissing) {
    const char* log =
        "1.0 a acquired\n2.0 a released\n3.0 b acquired\n5.0 a acquired\n6.0 a released\n";
    const Told unasked = ask(log, "owner-aware-mutex");
    EXPECT_EQ(unasked.answer, Answer::kUndecided);
    EXPECT_TELLS(unasked, "explained if lines are missing: --lost");
    EXPECT_EQ(ask(log, "owner-aware-mutex", 0).answer, Answer::kNotExplained);
    const Told asked = ask(log, "owner-aware-mutex", 1);
    EXPECT_EQ(asked.answer, Answer::kExplained);
    EXPECT_TELLS(asked, "verdict: explained, 1 line is missing");
}

// Logs that show no release at all cannot contradict a mutex: that is no pass.
TEST(Explain, WhatLogsNeverShowLeavesItUndecided) {
    const Told told = ask("1.0 a acquired\n2.0 b acquired\n3.0 a acquired\n", "owner-aware-mutex");
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_EQ(told.cost.unseen, 2U);
    EXPECT_TELLS(told, "what these logs do not show: release");
}

TEST(Explain, AnEffectAfterALeaseIsBrokenAndOneWithinIsNot) {
    const std::string begin = "0.0 a acquired\n0.1 a renewing\n0.2 a renewed\n";
    const Told late = ask(begin + "9.0 a wrote x\n", "lease:ttl=5s", 0);
    EXPECT_EQ(late.answer, Answer::kBroken);
    EXPECT_TELLS(late, "a does not hold: its lease ended at 5.1..5.3, at least 3.7 s before");
    EXPECT_EQ(ask(begin + "5.1 a wrote x\n", "lease:ttl=5s", 0).answer, Answer::kExplained);
}

// A renewal that no line shows would have covered it.
TEST(Explain, AnEffectAfterALeaseIsUndecidedWhereRenewalsAreNeverShown) {
    const Told told = ask("0.0 a acquired\n9.0 a wrote x\n", "lease:ttl=5s", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "Another run, in which every effect is a holder's");
}

TEST(Explain, AnEffectOfACallerThatNeverHeldIsBroken) {
    const Told told =
        ask("1.0 a acquired\n1.5 b wrote x\n2.0 a releasing\n2.1 a released\n", "mutex", 0);
    EXPECT_EQ(told.answer, Answer::kBroken);
    EXPECT_TELLS(told, "b does not hold: it never held before; a holds from");
}

TEST(Explain, TheLeastErrorOfClocksIsFound) {
    // b's clock is 30 ms behind: it seems to get the mutex before a gives it back.
    const char* log =
        "1.000 a acquired\n2.000 a releasing\n2.001 a released\n1.969 b acquired\n"
        "3.000 b released\n";
    const Told told = ask(log, "owner-aware-mutex", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "explained if clocks were wrong by");
    EXPECT_EQ(ask(log, "owner-aware-mutex", 0, 0).answer, Answer::kNotExplained);
    EXPECT_EQ(ask(log, "owner-aware-mutex", 0, 40'000'000).answer, Answer::kExplained);
}

// Rounded to thousandths it was sometimes too little by less than one.
TEST(Explain, TheErrorOfClocksIsEnoughAsItIsTold) {
    const char* log =
        "0.000 a trying\n0.010 a acquired\n0.020 b trying\n0.030 b acquired\n0.040 b releasing\n"
        "0.050 a releasing\n0.060 a released\n0.070 b released\n";
    const std::string told = ask(log, "mutex", 0).text;
    static const std::regex kError("wrong by ([0-9.]+) ms");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(told, found, kError)) << told;
    const auto microseconds = std::llround(std::stod(found[1]) * 1'000);
    EXPECT_EQ(ask(log, "mutex", 0, microseconds * 1'000).answer, Answer::kExplained) << told;
    EXPECT_EQ(ask(log, "mutex", 0, (microseconds - 2) * 1'000).answer, Answer::kNotExplained);
    EXPECT_EQ(duration_words(9'500'001), "9.5 ms");
    EXPECT_EQ(enough_words(9'500'001), "9.501 ms");
    EXPECT_EQ(enough_words(9'500'000), "9.5 ms");
}

TEST(Explain, ALimitIsNoAnswer) {
    const Told told = ask(kTwice, "owner-aware-mutex", 0, 0, 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "inconclusive: ended by limit: ");
}

// A time-out may have been carried out, then or later, or never.
TEST(Explain, AnUnknownAnswerMayHaveHappened) {
    EXPECT_EQ(ask("1.0 a acquire unknown\n2.0 b busy\n2.5 b released\n", "mutex", 0).answer,
              Answer::kExplained);
    EXPECT_EQ(ask("1.0 a acquire unknown\n2.0 b acquired\n", "mutex", 0).answer,
              Answer::kExplained);
}

TEST(Explain, StatesSayWhoHoldsAndHowMany) {
    EXPECT_EQ(ask("1.0 a acquired\n2.0 w count=1\n2.5 b acquired\n3.0 w count=2\n4.0 a released\n",
                  "semaphore:2", 0)
                  .answer,
              Answer::kExplained);
    EXPECT_EQ(
        ask("1.0 w count=0\n1.0 a acquired\n2.0 w count=2\n4.0 a released\n", "semaphore:2", 0)
            .answer,
        Answer::kUndecided);  // another can be the second
    EXPECT_EQ(
        ask("1.0 a acquired\n2.0 w holder=b\n4.0 a released\n5.0 b trying\n", "mutex", 0).answer,
        Answer::kNotExplained);
    EXPECT_EQ(ask("1.0 a acquired\n2.0 a released\n3.0 w holder=\n", "mutex", 0).answer,
              Answer::kExplained);
}

TEST(Explain, ModelsThatCannotExplainAreRefusedByName) {
    const auto refusal = [](const char* model) {
        try {
            static_cast<void>(model_of_logs(model));
            return std::string("not refused");
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
    };
    EXPECT_NE(refusal("lease").find("how long a lease lasts is missing"), std::string::npos);
    EXPECT_NE(refusal("fenced-mutex").find("cannot explain logs yet"), std::string::npos);
    EXPECT_NE(refusal("canal/faithful").find("own steps is not there yet"), std::string::npos);
    EXPECT_NE(refusal("mutx").find("mutx"), std::string::npos);
    EXPECT_EQ(model_of_logs("lease:ttl=500ms").ttl, 500'000'000);
    EXPECT_EQ(model_of_logs("lease:ttl=2m").ttl, 120'000'000'000);
    EXPECT_EQ(model_of_logs("lease:ttl=1s,error=5us").clock_error, 5'000);
    EXPECT_EQ(model_of_logs("lease:ttl=1.5s,error=2ms").clock_error, 2'000'000);
}

// No line shows when b asked. Its answer can have been on its way for as long.
TEST(Explain, TwoLeasesAtOnceAreUndecidedOnlyByASlowAnswer) {
    const std::string end = "2.0 b acquired\n2.5 a releasing\n2.6 a released\n";
    const Told told = ask("0.0 a acquired\n" + end, "lease:ttl=10s", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "took longer than 1 s");
    EXPECT_EQ(ask("0.0 a acquired\n1.9 b trying\n" + end, "lease:ttl=10s", 0).answer,
              Answer::kNotExplained);
}

// Each release that is answered late enough excuses two holders.
TEST(Explain, TwoHoldersAreNoExplanationWhereOnlyASlowAnswerExcusesThem) {
    const auto log = [](const std::string& released) {
        return "1.0 a acquired\n2.0 b acquired\n" + released + " a released\n3.0 b released\n";
    };
    EXPECT_EQ(ask(log("2.05"), "mutex", 0, 0).answer, Answer::kExplained);
    const Told told = ask(log("2.5"), "mutex", 0, 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "took longer than 400.001 ms");  // 2.0 is up to 2.1
}

TEST(Explain, EachLockIsExplainedByItself) {
    const Mapping mapping;
    LogsReader reader(mapping);
    reader.read_text(
        "time=1.0 worker=a msg=acquired lock=x\ntime=2.0 worker=b msg=acquired lock=y\n", "log",
        Format::kByFirstLine);
    const auto locks = by_lock(reader.end().logs);
    ASSERT_EQ(locks.size(), 2U);
    EXPECT_EQ(locks[0].first, "x");
    EXPECT_EQ(locks[1].second[0].observations.size(), 1U);
}

// The lock's log names clients by their addresses: a right lock was blamed.
TEST(Explain, ACallerWithTwoNamesIsNotBlamed) {
    const std::string night =
        "0.100 w1 trying\n0.101 w1 acquired\n0.200 w1 releasing\n0.201 w1 released\n"
        "1.000 w1 trying\n1.001 watch holder=node-7 renew=1.001 rv=1\n1.002 w1 acquired\n"
        "1.500 w1 wrote ledger\n";
    const Told told = ask(night, "lease:ttl=1s", 0);
    EXPECT_EQ(told.answer, Answer::kUndecided);
    EXPECT_TELLS(told, "the lock's log may name a caller by another name than the caller's own");
    EXPECT_EQ(ask(night + "1.600 node-7 busy\n", "lease:ttl=1s", 0).answer, Answer::kNotExplained);
    const std::string twice = "1.600 w2 trying\n1.601 w2 acquired\n";  // callers' logs say it alone
    EXPECT_EQ(ask(night + twice, "lease:ttl=1s", 0).answer, Answer::kNotExplained);
    // Without the lock's lines nobody knows in which order w1 called: it was refused.
    EXPECT_EQ(answer_to(read_texts({"2026-03-01T12:00:01Z w1 trying\n"
                                    "2026-03-01T12:00:01.100Z w1 holder=\n",
                                    "2026-03-01T12:00:01.900Z w1 acquired\n"
                                    "2026-03-01T12:00:12Z watch holder=x\n"
                                    "2026-03-01T12:00:32Z w1 releasing\n"},
                                   ".log")
                            .logs),
              Answer::kNotExplained);
}

std::string span_of(const char* caller, const char* name, int begin, int length = 1) {
    const auto time = [](int milliseconds) {
        return "1772333998" + std::to_string(100 + milliseconds) + "000000";
    };
    return R"({"name":")" + std::string(name) + R"(","startTimeUnixNano":")" + time(begin) +
           R"(","endTimeUnixNano":")" + time(begin + length) +
           R"(","attributes":[{"key":"lock.caller","value":{"stringValue":")" + caller + "\"}}]}\n";
}

// A span is a call and an answer, and one line: where one was missing, its caller was blamed.
TEST(Explain, ALostSpanIsOneLine) {
    const std::string turns = span_of("a", "acquired", 1) + span_of("a", "released", 3) +
                              span_of("b", "acquired", 5) + span_of("b", "released", 7);
    const Told told = ask(turns + span_of("b", "wrote", 11), "owner-aware-mutex");
    EXPECT_EQ(told.answer, Answer::kUndecided) << told.text;
    EXPECT_EQ(ask(turns + span_of("b", "wrote", 11), "owner-aware-mutex", 0).answer,
              Answer::kBroken);
    // Its call is not of another operation, which would have given back twice.
    EXPECT_EQ(ask(span_of("a", "acquired", 1) + span_of("b", "acquired", 3) +
                      span_of("a", "released", 5) + span_of("c", "acquired", 7) +
                      span_of("d", "acquired", 9),
                  "semaphore:2", 0)
                  .answer,
              Answer::kNotExplained);
    // Spans of one caller overlap: an answer without its own call is excused by none.
    EXPECT_EQ(ask(span_of("a", "acquired", 1) + span_of("a", "acquired", 5, 3) +
                      span_of("a", "released", 4, 2) + span_of("a", "released", 20) +
                      span_of("a", "acquired", 40) + span_of("b", "acquired", 60) +
                      span_of("b", "released", 80) + span_of("a", "released", 90),
                  "mutex")
                  .answer,
              Answer::kUndecided);
}

}  // namespace
}  // namespace lockkeeper::logs
