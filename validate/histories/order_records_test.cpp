// SPDX-License-Identifier: Apache-2.0

// Index, time and file order the records of a file. Some files are refused.
#include "validate/histories/order_records.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "validate/histories/naive_twin_test.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

// "0 invoke acquire 5": process, type, operation, time ("-": none), and perhaps an index.
std::string line_of(const std::string& words) {
    std::vector<std::string> parts{""};
    for (const char letter : words) {
        if (letter == ' ') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return R"({"process":)" + parts[0] + R"(,"type":")" + parts[1] + R"(","f":")" + parts[2] +
           "\"" + (parts[3] == "-" ? "" : ",\"time\":" + parts[3]) +
           (parts.size() > 4 ? ",\"index\":" + parts[4] : "") + "}\n";
}

RecordedHistory read(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line_of(line);
    }
    return std::get<RecordedHistory>(parse_history(text, "h"));
}

std::string complaint(const std::vector<std::string>& lines, const OrderChoice& choice = {}) {
    RecordedHistory history = read(lines);
    const auto error = order_records(history, choice);
    return error ? error->to_text() : "no complaint";
}

std::string_view verdict(const std::vector<std::string>& lines, const OrderChoice& choice = {},
                         const char* model = "owner-aware-mutex") {
    RecordedHistory history = read(lines);
    const auto error = order_records(history, choice);
    EXPECT_FALSE(error) << error->to_text();
    return name_of(std::get<HistoryCheck>(check_history(history, model_of(model))).verdict);
}

const std::string kOffer =
    "; logs of several workers put together? --sort-by-time orders records by time";
const std::string kOfferUnit = "; --time-unit says the unit of the times" + kOffer;

// Two hold at once, which the file does not show: each worker's log stands for itself.
const std::vector<std::string> kTwoHold{
    "0 invoke acquire 100", "0 ok acquire 110", "0 invoke release 500", "0 ok release 510",
    "1 invoke acquire 200", "1 ok acquire 210", "1 invoke release 300", "1 ok release 310",
};
const std::vector<std::string> kTwoTakeTurns{
    "0 invoke acquire 300", "0 ok acquire 310", "0 invoke release 400", "0 ok release 410",
    "1 invoke acquire 100", "1 ok acquire 110", "1 invoke release 200", "1 ok release 210",
    "0 invoke acquire 500", "0 ok acquire 510",
};

TEST(OrderOfRecords, LogsPutTogetherAreRefusedWithBothLines) {
    EXPECT_EQ(
        "h:5:1: time falls by 310, from 510 in line 4 to 200 in line 5; --clock-tolerance "
        "allows 0" +
            kOfferUnit,
        complaint(kTwoHold));
    EXPECT_NE("no complaint", complaint(kTwoTakeTurns));
}

// Two hold at once at the end of a long log: so near to it that the tolerance allows the fall.
const std::vector<std::string> kTwoHoldAtTheEnd{
    "0 invoke acquire 0",     "0 ok acquire 1",     "0 invoke release 99990", "0 ok release 99991",
    "0 invoke acquire 99992", "0 ok acquire 99993", "0 invoke release 99999", "0 ok release 100000",
    "1 invoke acquire 99995", "1 ok acquire 99996", "1 invoke release 99997", "1 ok release 99998",
};

TEST(OrderOfRecords, LogsPutTogetherAreRefusedWithinTheToleranceToo) {
    EXPECT_EQ(
        "h:9:1: time falls by 5, from 100000 in line 8 to 99995 in line 9, and process 1 goes on "
        "before 100000 in line 10; --clock-tolerance allows that" +
            kOfferUnit,
        complaint(kTwoHoldAtTheEnd));
    OrderChoice nanoseconds;
    nanoseconds.units_per_second = 1'000'000'000;
    EXPECT_EQ(
        "h:9:1: time falls by 5, from 100000 in line 8 to 99995 in line 9, and process 1 goes on "
        "before 100000 in line 10; --clock-tolerance allows that" +
            kOffer,
        complaint(kTwoHoldAtTheEnd, nanoseconds));
    EXPECT_EQ(kViolated, verdict(kTwoHoldAtTheEnd, {.sorts_by_time = true}));
    EXPECT_EQ("no complaint", complaint(kTwoHoldAtTheEnd, {.tolerance = 5}));
}

// Threads of a recorder may take the time first and write then: each may be late with one record,
// again and again.
TEST(OrderOfRecords, OneLateRecordOfEachProcessIsThatOfOneClock) {
    EXPECT_EQ("no complaint",
              complaint({"0 invoke acquire 0", "0 ok acquire 50000", "1 invoke acquire 49990",
                         "2 invoke acquire 49995", "1 fail acquire 50010", "0 invoke release 50005",
                         "2 fail acquire 50020", "1 invoke acquire 50015", "1 fail acquire 100000",
                         "0 ok release 99999"}));
}

TEST(OrderOfRecords, SortedByTimeTheyGetTheirVerdict) {
    EXPECT_EQ(kViolated, verdict(kTwoHold, {.sorts_by_time = true}));
    EXPECT_EQ(kPassed, verdict(kTwoTakeTurns, {.sorts_by_time = true}));
    // Without times the file's own order counts, and hides the violation:
    std::vector<std::string> without_times = kTwoHold;
    for (std::string& line : without_times) {
        line = line.substr(0, line.rfind(' ')) + " -";
    }
    EXPECT_EQ(kPassed, verdict(without_times));
}

TEST(OrderOfRecords, OfOneIndexIsTheOrderOfTheIndex) {
    EXPECT_EQ(kViolated,
              verdict({"0 invoke acquire - 0", "0 ok acquire - 1", "0 invoke release - 4",
                       "0 ok release - 7", "1 invoke acquire - 2", "1 ok acquire - 3"}));
    EXPECT_EQ(kPassed, verdict({"0 invoke acquire - 0", "0 ok acquire - 1", "1 invoke acquire - 4",
                                "1 ok acquire - 5", "0 invoke release - 2", "0 ok release - 3"}));
}

TEST(OrderOfRecords, AnIndexThatStandsTwiceIsRefused) {
    EXPECT_EQ("h:3:1: the index 0 is that of line 1, too" + kOffer,
              complaint({"0 invoke acquire - 0", "0 ok acquire - 1", "1 invoke acquire - 0",
                         "1 ok acquire - 1"}));
    EXPECT_EQ("h:3:1: the index 0 comes after the index 1 of line 2, and not every record has one" +
                  kOffer,
              complaint({"0 invoke acquire -", "0 ok acquire - 1", "1 invoke acquire - 0"}));
}

TEST(OrderOfRecords, TheIndexOrdersEqualTimesAndTimesThatFall) {
    const std::vector<std::string> equal{"0 invoke acquire 5 0", "0 ok acquire 5 1",
                                         "1 invoke acquire 5 2", "1 ok acquire 5 3",
                                         "0 invoke release 5 4", "0 ok release 6 5"};
    EXPECT_EQ(kViolated, verdict(equal));
    EXPECT_EQ(kViolated,
              verdict({"0 invoke acquire 900 0", "0 ok acquire 950 1", "1 invoke acquire 1 2",
                       "1 ok acquire 2 3", "0 invoke release 3 4", "0 ok release 4 5"}));
}

TEST(OrderOfRecords, ModelsThatLookAtTimesRefuseTimesThatFallAgainstTheIndex) {
    RecordedHistory history = read({"0 invoke acquire 900 0", "0 ok acquire 950 1",
                                    "1 invoke acquire 1 2", "1 ok acquire 2 3"});
    ASSERT_FALSE(order_records(history, {}));
    const auto checked = check_history(history, model_of("lease:ttl=5"));
    EXPECT_EQ(
        "h:1:1: the model looks at times: time falls by 949, from 950 in line 2 to 1 in line "
        "3; --clock-tolerance allows 0",
        std::get<HistoryError>(checked).to_text());
    const auto mutex = check_history(history, model_of("mutex"));
    const HistoryCheck& check = std::get<HistoryCheck>(mutex);
    EXPECT_FALSE(check.ladder[2].verdict) << check.ladder[2].detail;
}

// A return and a call at one time: nobody knows which came first.
TEST(OrderOfRecords, EqualTimesWithoutAnIndexAreConcurrent) {
    const std::vector<std::string> touching{"0 invoke acquire 0", "0 ok acquire 1",
                                            "1 invoke acquire 2", "1 ok acquire 5",
                                            "0 invoke release 5", "0 ok release 6"};
    EXPECT_EQ(kPassed, verdict(touching));
    std::vector<std::string> apart = touching;
    apart[3] = "1 ok acquire 4";
    EXPECT_EQ(kViolated, verdict(apart));
}

// A process does one thing after another, whatever its clock shows.
TEST(OrderOfRecords, EqualTimesOfOneProcessAreInTheOrderOfTheFile) {
    EXPECT_EQ(kViolated, verdict({"0 invoke acquire 1", "0 ok acquire 5", "0 invoke release 5",
                                  "0 ok release 5", "0 invoke release 5", "0 ok release 5"}));
    EXPECT_EQ(kPassed, verdict({"0 invoke acquire 1", "0 ok acquire 5", "0 invoke release 5",
                                "0 ok release 5", "0 invoke acquire 5", "0 ok acquire 5"}));
}

// A recorder without a clock that writes 0.
TEST(OrderOfRecords, TimesThatAreAllTheSameOrderNothing) {
    EXPECT_EQ(kViolated, verdict({"0 invoke acquire 0", "0 ok acquire 0", "1 invoke acquire 0",
                                  "1 ok acquire 0", "0 invoke release 0", "0 ok release 0"}));
}

TEST(OrderOfRecords, TimesMayFallByTheToleranceAndAreThenUncertain) {
    const std::vector<std::string> falls{"0 invoke acquire 0",    "0 ok acquire 1000",
                                         "1 invoke acquire 999",  "1 ok acquire 1500",
                                         "0 invoke release 1600", "0 ok release 2000"};
    EXPECT_EQ(kViolated, verdict(falls));
    const std::vector<std::string> grants(falls.begin(), falls.begin() + 4);
    EXPECT_EQ(kViolated, verdict(grants, {}, "lease:ttl=1501"));
    EXPECT_EQ(kPassed, verdict(grants, {}, "lease:ttl=1500"));
    const OrderChoice none{.tolerance = 0};
    EXPECT_EQ(
        "h:3:1: time falls by 1, from 1000 in line 2 to 999 in line 3; --clock-tolerance "
        "allows 0" +
            kOffer,
        complaint(falls, none));
    // The second grant was seen at 1500, and something later at 1495.
    std::vector<std::string> later = falls;
    later.insert(later.begin() + 4, "2 invoke write 1495");
    RecordedHistory history = read(later);
    ASSERT_FALSE(order_records(history, {.tolerance = 5}));
    const auto checked = check_history(history, model_of("mutex"));
    EXPECT_EQ(105, std::get<HistoryCheck>(checked).ladder[2].duration);
}

TEST(OrderOfRecords, TheDefaultToleranceIsFiveMillisecondsOrWhereTheUnitIsUnknownAThousandth) {
    const auto falling_by = [](std::int64_t fall) {
        return std::vector<std::string>{"0 invoke acquire 0", "0 ok acquire 60000000000",
                                        "1 invoke acquire " + std::to_string(60000000000 - fall)};
    };
    OrderChoice nanoseconds;
    nanoseconds.units_per_second = 1'000'000'000;
    EXPECT_EQ("no complaint", complaint(falling_by(5'000'000), nanoseconds));
    EXPECT_NE("no complaint", complaint(falling_by(5'000'001), nanoseconds));
    const std::vector<std::string> brief{"0 invoke acquire 0", "0 ok acquire 20000000",
                                         "1 invoke acquire 19000000"};
    EXPECT_EQ("no complaint", complaint(brief, nanoseconds));
    EXPECT_NE("no complaint", complaint(brief));
    EXPECT_NE(
        "no complaint",
        complaint({"0 invoke acquire 0", "0 ok acquire 20", "1 invoke acquire 17"}, nanoseconds));
    EXPECT_EQ("no complaint", complaint(falling_by(60'000'000)));
    EXPECT_NE("no complaint", complaint(falling_by(60'000'001)));
    OrderChoice said;
    said.tolerance_seconds = 0.002;
    EXPECT_EQ(0U, complaint(falling_by(1), said).find("h: --clock-tolerance: the unit of"));
    said.units_per_second = 1000;
    EXPECT_EQ("no complaint", complaint(falling_by(2), said));
    EXPECT_NE("no complaint", complaint(falling_by(3), said));
}

TEST(OrderOfRecords, ToBeSortedEveryRecordNeedsATime) {
    EXPECT_EQ("h:2:1: a record without \"time\" cannot be sorted by time",
              complaint({"0 invoke acquire 5", "0 ok acquire -"}, {.sorts_by_time = true}));
    EXPECT_EQ(
        "h:2:1: time falls by 4, from 5 in line 1 to 1 in line 2, both of process 0; in no order "
        "(of the file, of the file from its end, of an index) do the times of each process rise: "
        "does every worker have a process of its own?",
        complaint({"0 invoke acquire 5", "0 ok acquire 1"}, {.sorts_by_time = true}));
    EXPECT_EQ(0U, complaint({"0 invoke acquire 9", "0 ok acquire 7", "0 invoke release 6"},
                            {.sorts_by_time = true, .tolerance = 2})
                      .find("h:3:1: time falls by 3, from 9 in line 1 to 6 in line 3, both of"));
    // Newest first, but for one process.
    EXPECT_NE("no complaint", complaint({"0 ok acquire 9", "0 invoke acquire 7",
                                         "1 invoke acquire 1", "1 ok acquire 3"},
                                        {.sorts_by_time = true, .tolerance = 0}));
}

// Sorted, and the clocks differ: what is closer than that is not ordered.
TEST(OrderOfRecords, SortedTheToleranceIsByHowMuchClocksDiffer) {
    const std::vector<std::string> close{"0 invoke acquire 0",    "0 ok acquire 100",
                                         "0 invoke release 1000", "0 ok release 1100",
                                         "1 invoke acquire 900",  "1 ok acquire 990"};
    EXPECT_EQ(kViolated, verdict(close, {.sorts_by_time = true}));
    EXPECT_EQ(kPassed, verdict(close, {.sorts_by_time = true, .tolerance = 10}));
    EXPECT_EQ(kViolated, verdict(close, {.sorts_by_time = true, .tolerance = 9}));
}

// A random history whose times are coarse, or fall a little, and which has no index.
RecordedHistory with_other_times(ModelKind kind, std::uint32_t& random, bool falls) {
    RecordedHistory history = HistoryMaker(kind, false).make(pseudo_random_numbers(14, random));
    std::uint32_t line = 0;
    for (Record& record : history.records) {
        record.line = ++line;
        record.time = *record.time / 3 * 3 -
                      (falls && pseudo_random_numbers(1, random)[0] % 4 == 0 ? 2 : 0) + 2;
    }
    return history;
}

bool precedes(const Record& left, const Record& right) {
    return left.line < right.line && *left.time < *right.time;
}

// One operation is before another only where file and times both say so; where times do not fall,
// wherever they do.
TEST(OrderOfRecords, IsThatOfFileAndTimeTogether) {
    std::uint32_t random = 5;
    std::size_t ordered = 0;
    std::size_t concurrent = 0;
    for (int i = 0; i < 400; ++i) {
        const bool falls = i % 2 == 0;
        RecordedHistory history = with_other_times(ModelKind::kMutex, random, falls);
        ASSERT_FALSE(order_records(history, {.tolerance = 10}));
        const auto lists = read_operations(history, *make_model(model_of("mutex")));
        for (const KeyOperations& list : std::get<std::vector<KeyOperations>>(lists)) {
            for (const TimedOperation& left : list.operations) {
                for (const TimedOperation& right : list.operations) {
                    if (left.completed == kNeverCompleted) {
                        continue;
                    }
                    const Record& returned = history.records[left.completed];
                    const Record& called = history.records[right.invoked];
                    const bool is_before = left.completed < right.invoked;
                    ordered += is_before ? 1 : 0;
                    concurrent += !is_before && returned.line < called.line ? 1 : 0;
                    EXPECT_LE(is_before, precedes(returned, called));
                    EXPECT_TRUE(falls || is_before == precedes(returned, called));
                    const bool is_own =
                        returned.process == called.process && returned.line < called.line;
                    EXPECT_TRUE(!is_own || is_before || right.after != kNeverCompleted);
                }
            }
        }
    }
    EXPECT_GT(ordered, 1000U);
    EXPECT_GT(concurrent, 100U);
}

// The file's own order is one of those that are left: what it explains is not violated.
class ConcurrentRecords : public ::testing::TestWithParam<const char*> {};

TEST_P(ConcurrentRecords, MakeNoViolationAndNoPassThatTheOrderOfTheFileDoesNot) {
    const auto model = make_model(model_of(GetParam()));
    std::uint32_t random = 3;
    std::size_t only_concurrent = 0;
    std::size_t violated = 0;
    for (int i = 0; i < 500; ++i) {
        RecordedHistory history = with_other_times(model->choice().kind, random, i % 2 == 0);
        RecordedHistory of_file = history;
        ASSERT_FALSE(order_records(history, {.tolerance = 10}));
        std::int64_t index = 0;
        for (Record& record : of_file.records) {
            record.index = ++index;
        }
        ASSERT_FALSE(order_records(of_file, {.tolerance = 10}));
        const auto judged = [&](const RecordedHistory& one) {
            return name_of(std::get<HistoryCheck>(check_history(one, model->choice())).verdict);
        };
        const std::string_view said = judged(history);
        const std::string_view in_file = judged(of_file);
        EXPECT_TRUE(in_file != kPassed || said == kPassed) << write_history(of_file);
        only_concurrent += said == kPassed && in_file == kViolated ? 1 : 0;
        violated += said == kViolated ? 1 : 0;
    }
    EXPECT_GT(only_concurrent, 3U);
    EXPECT_GT(violated, 20U);
}

INSTANTIATE_TEST_SUITE_P(Histories, ConcurrentRecords,
                         ::testing::Values("mutex", "owner-aware-mutex", "semaphore:2",
                                           "read-write-lock", "lease:ttl=6,error=1"));

// Logs of workers, one after another, are the history that they were made from.
TEST(OrderOfRecords, LogsOfWorkersSortedByTimeAreTheHistoryThatTheyCameFrom) {
    std::uint32_t random = 9;
    std::size_t violated = 0;
    for (int i = 0; i < 300; ++i) {
        RecordedHistory history = HistoryMaker(ModelKind::kOwnerAwareMutex, false)
                                      .make(pseudo_random_numbers(20, random));
        std::int64_t time = 0;
        for (Record& record : history.records) {
            record.time = time += 10;
        }
        RecordedHistory logs = history;
        std::stable_sort(
            logs.records.begin(), logs.records.end(),
            [](const Record& left, const Record& right) { return left.process < right.process; });
        ASSERT_FALSE(order_records(logs, {.sorts_by_time = true}));
        EXPECT_EQ(history.records, logs.records);
        const auto check = check_history(logs, model_of("owner-aware-mutex"));
        violated += is<Violated>(std::get<HistoryCheck>(check).verdict) ? 1 : 0;
    }
    EXPECT_GT(violated, 20U);
}

}  // namespace
}  // namespace lockkeeper
