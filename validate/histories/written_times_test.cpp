// SPDX-License-Identifier: Apache-2.0

// Times with a fraction and ISO 8601 times: read exactly, judged exactly, shown as they stand.
#include <gtest/gtest.h>

#include "validate/histories/check_history.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/refusal_test.hpp"

namespace lockkeeper {
namespace {

std::string timed_record(const std::string& process, const char* type, const char* f,
                         const std::string& time) {
    return R"({"process":)" + process + R"(,"type":")" + type + R"(","f":")" + f + R"(","time":)" +
           time + "}\n";
}

std::string call_and_return(const std::string& process, const std::string& call,
                            const std::string& returned) {
    return timed_record(process, "invoke", "acquire", call) +
           timed_record(process, "ok", "acquire", returned);
}

struct Judged {
    std::string error;
    HistoryCheck check;
};

Judged judged(const std::string& text, const std::string& model, OrderChoice order = {}) {
    auto read = parse_history(text, "h");
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        return {error->to_text(), {}};
    }
    RecordedHistory& history = std::get<RecordedHistory>(read);
    if (const auto error = order_records(history, order)) {
        return {error->to_text(), {}};
    }
    const auto parsed = parse_model(model);
    if (const auto* error = std::get_if<ModelError>(&parsed)) {
        return {error->message, {}};
    }
    const auto checked = check_history(history, std::get<ModelChoice>(parsed));
    if (const auto* error = std::get_if<HistoryError>(&checked)) {
        return {error->to_text(), {}};
    }
    return {"", std::get<HistoryCheck>(checked)};
}

std::string verdict_of(const std::string& text, const std::string& model, OrderChoice order = {}) {
    const Judged result = judged(text, model, order);
    return result.error.empty() ? std::string(name_of(result.check.verdict)) : result.error;
}

OrderChoice in_milliseconds() {
    OrderChoice order;
    order.units_per_second = 1000;
    return order;
}

std::string refused_time(const std::string& time) {
    return verdict_of(timed_record("0", "invoke", "acquire", time), "mutex");
}

// The first lease runs 50 ms from the return of its grant at the latest: until :00.150.
std::string iso_leases(const std::string& second_returned) {
    return call_and_return("0", R"("2026-03-01T12:00:00.100Z")", R"("2026-03-01T12:00:00.100Z")") +
           call_and_return("1", R"("2026-03-01T12:00:00.140Z")", '"' + second_returned + '"');
}

TEST(IsoTimes, ALeaseThatIsTakenAMicrosecondTooEarlyIsViolated) {
    EXPECT_EQ("violated", verdict_of(iso_leases("2026-03-01T12:00:00.149999Z"), "lease:ttl=50",
                                     in_milliseconds()));
    EXPECT_EQ("violated", verdict_of(iso_leases("2026-03-01T12:00:00.149999999Z"), "lease:ttl=50",
                                     in_milliseconds()));
}

TEST(IsoTimes, ALeaseThatIsTakenInTheInstantInWhichTheOtherEndsPasses) {
    EXPECT_EQ("passed",
              verdict_of(iso_leases("2026-03-01T12:00:00.15Z"), "lease:ttl=50", in_milliseconds()));
    // The same instants, as clocks elsewhere write them.
    EXPECT_EQ("passed", verdict_of(iso_leases("2026-03-01T14:00:00.150000+02:00"), "lease:ttl=50",
                                   in_milliseconds()));
    EXPECT_EQ("passed", verdict_of(iso_leases("2026-03-01 06:30:00.15-0530"), "lease:ttl=50",
                                   in_milliseconds()));
    EXPECT_EQ("violated", verdict_of(iso_leases("2026-03-01T14:00:00.149999+02:00"), "lease:ttl=50",
                                     in_milliseconds()));
}

TEST(IsoTimes, AnErrorOfTheClocksIsInTheUnitOfTheTtl) {
    EXPECT_EQ("passed", verdict_of(iso_leases("2026-03-01T12:00:00.145Z"), "lease:ttl=50,error=5",
                                   in_milliseconds()));
    EXPECT_EQ("violated", verdict_of(iso_leases("2026-03-01T12:00:00.144999Z"),
                                     "lease:ttl=50,error=5", in_milliseconds()));
}

TEST(IsoTimes, ALeaseWantsToKnowTheUnitOfItsTtl) {
    EXPECT_EQ(
        "h:1:1: the model has times to live, and ISO times do not say in which unit: add "
        "--time-unit ms (or ns, us, s)",
        verdict_of(iso_leases("2026-03-01T12:00:00.15Z"), "lease:ttl=50"));
    EXPECT_EQ("violated", verdict_of(iso_leases("2026-03-01T12:00:00.15Z"), "mutex"));
}

TEST(IsoTimes, ATtlOfAnOperationIsInThatUnit) {
    const std::string second = R"({"process":0,"type":"ok","f":"acquire","value":{"ttl":0.05},)";
    const std::string text = timed_record("0", "invoke", "acquire", R"("2026-03-01T12:00:00Z")") +
                             second + R"("time":"2026-03-01T12:00:00Z"})" + "\n" +
                             timed_record("1", "invoke", "acquire", R"("2026-03-01T12:00:00Z")");
    OrderChoice seconds;
    seconds.units_per_second = 1;
    const auto returned = [&](const char* time) {
        return text + timed_record("1", "ok", "acquire", time);
    };
    EXPECT_EQ("passed",
              verdict_of(returned(R"("2026-03-01T12:00:00.05Z")"), "lease:ttl=9", seconds));
    EXPECT_EQ("violated",
              verdict_of(returned(R"("2026-03-01T12:00:00.049999999Z")"), "lease:ttl=9", seconds));
}

TEST(IsoTimes, AreShownAsTheyWereWritten) {
    const std::string text =
        timed_record("0", "invoke", "acquire", R"("2026-03-01 14:00:00.500+0200")") +
        timed_record("1", "invoke", "acquire", R"("2026-03-01T12:00Z")");
    EXPECT_EQ(
        "h:2:1: time falls by 500ms, from 2026-03-01 14:00:00.500+0200 in line 1 to "
        "2026-03-01T12:00Z in line 2; --clock-tolerance allows 5ms; logs of several workers put "
        "together? --sort-by-time orders records by time",
        verdict_of(text, "mutex"));
}

TEST(IsoTimes, TheEndOfALeaseIsShownLikeTheTimesOfTheFile) {
    const Judged result =
        judged(iso_leases("2026-03-01T12:00:00.149999Z") +
                   timed_record("1", "invoke", "release", R"("2026-03-01T12:00:01Z")"),
               "lease:ttl=50", in_milliseconds());
    ASSERT_EQ(1, result.check.explanations.size());
    EXPECT_EQ(
        "another lease runs until time 2026-03-01T12:00:00.150000Z, and the call returned at "
        "2026-03-01T12:00:00.149999Z",
        result.check.explanations[0].reason);
    EXPECT_EQ("at most 1 too many, for at most 1us", result.check.ladder[2].contract);
}

TEST(IsoTimes, AreSortedByTime) {
    const std::string late =
        call_and_return("0", R"("2026-03-01T12:00:01.5Z")", R"("2026-03-01T12:00:01.75Z")");
    const std::string early = call_and_return("1", R"("2026-03-01T14:00:00.25+02:00")",
                                              R"("2026-03-01T14:00:00.5+02:00")") +
                              timed_record("1", "invoke", "release", R"("2026-03-01T12:00:01Z")") +
                              timed_record("1", "ok", "release", R"("2026-03-01T12:00:01.25Z")");
    OrderChoice sorted;
    sorted.sorts_by_time = true;
    EXPECT_EQ("passed", verdict_of(late + early, "mutex", sorted));
    EXPECT_NE("passed", verdict_of(late + early, "mutex"));
}

TEST(IsoTimes, WholeOperationsHaveThem) {
    const auto operation = [](int process, const char* start, const char* end) {
        return R"({"process":)" + std::to_string(process) +
               R"(,"type":"ok","f":"acquire","start":")" + start + R"(","end":")" + end + "\"}\n";
    };
    const std::string first =
        operation(1, "2026-03-01T12:00:00.150Z", "2026-03-01T12:00:00.150001Z");
    EXPECT_EQ("passed",
              verdict_of(first + operation(0, "2026-03-01T12:00:00.1Z", "2026-03-01T12:00:00.1Z"),
                         "lease:ttl=50", in_milliseconds()));
    EXPECT_EQ(
        "h:1:79: \"end\" is before \"start\"",
        verdict_of(operation(0, "2026-03-01T12:00:00.1Z", "2026-03-01T12:00:00.09Z"), "mutex"));
}

TEST(IsoTimes, AToleranceWithoutAUnitNeedsOne) {
    OrderChoice order;
    order.tolerance = 5;
    EXPECT_TRUE(verdict_of(iso_leases("2026-03-01T12:00:00.15Z"), "mutex", order)
                    .starts_with("h: --clock-tolerance: the unit"));
    order.units_per_second = 1000;
    EXPECT_EQ("violated", verdict_of(iso_leases("2026-03-01T12:00:00.15Z"), "mutex", order));
}

TEST(IsoTimes, WhatIsNoTimeIsRefusedAtItsPlace) {
    const auto refusal = [](const std::string& text, const std::string& why) {
        return "h:1:51: \"time\" \"" + text + "\": " + why;
    };
    const std::pair<const char*, const char*> kWrong[] = {
        {"2026-02-30T12:00:00Z", "there is no such day"},
        {"2025-02-29T12:00:00Z", "there is no such day"},
        {"2026-13-01T12:00:00Z", "there is no such day"},
        {"2026-03-00T12:00:00Z", "there is no such day"},
        {"2026-03-01T24:00:00Z", "there is no such time of day"},
        {"2026-03-01T12:60:00Z", "there is no such time of day"},
        {"2026-12-31T23:59:60Z", "there is no such time of day"},
        {"1969-12-31T23:59:59Z", "the year is not from 1970 to 2115"},
        {"2116-01-01T00:00:00Z", "the year is not from 1970 to 2115"},
        {"1970-01-01T00:30:00+01:00", "the year is not from 1970 to 2115"},
        {"2026-03-01T12:00:00", "Z or an offset such as +02:00 is missing"},
        {"2026-03-01T12:00:00+2", "an offset is written as +02:00"},
        {"2026-03-01T12:00:00+24:00", "an offset is written as +02:00"},
        {"2026-03-01T12:00:00.Z", "no digit stands behind the point"},
        {"2026-03-01T12:00:00.1234567891Z", "more than 9 digits after the point"},
        {"2026-03-01T12:00:00ZZ", "something stands behind the time"},
        {"2026-03-01", "a T and the time of day are missing"},
        {"2026-3-1T12:00:00Z", "a date is written as 2026-03-01"},
        {"2026-03-01T12", "a time of day is written as 12:00:00"},
    };
    for (const auto& [text, why] : kWrong) {
        EXPECT_EQ(refusal(text, why), refused_time('"' + std::string(text) + '"'));
    }
    EXPECT_EQ(
        "h:1:51: \"time\" is a number or an ISO 8601 time (2026-03-01T12:00:00.5Z), not "
        "\"yesterday\"",
        refused_time("\"yesterday\""));
}

TEST(IsoTimes, NumbersBesideThemAreRefused) {
    const std::string iso = timed_record("0", "invoke", "acquire", R"("2026-03-01T12:00:00Z")");
    const std::string number = timed_record("1", "invoke", "acquire", "12.5");
    EXPECT_EQ("h:2:1: the time is a number, and an ISO 8601 time in line 1",
              verdict_of(iso + number, "mutex"));
    EXPECT_EQ("h:2:1: the time is an ISO 8601 time, and a number in line 1",
              verdict_of(number + iso, "mutex"));
}

TEST(FractionalTimes, AreReadToTheNanosecond) {
    const auto leases = [](const std::string& returned) {
        return call_and_return("0", "1709294400.123", "1709294400.123") +
               call_and_return("1", "1709294400.15", returned);
    };
    EXPECT_EQ("passed", verdict_of(leases("1709294400.173"), "lease:ttl=0.05"));
    EXPECT_EQ("passed", verdict_of(leases("1.709294400173E9"), "lease:ttl=0.05"));
    // A double cannot tell these two apart.
    ASSERT_EQ(1709294400.173, 1709294400.172999999);
    EXPECT_EQ("violated", verdict_of(leases("1709294400.172999999"), "lease:ttl=0.05"));
}

TEST(FractionalTimes, AreInTheUnitOfTheTtl) {
    const auto leases = [](const std::string& returned) {
        return call_and_return("0", "12.5", "12.5") + call_and_return("1", "12.6", returned);
    };
    for (const OrderChoice& order : {OrderChoice(), in_milliseconds()}) {
        EXPECT_EQ("passed", verdict_of(leases("62.5"), "lease:ttl=50", order));
        EXPECT_EQ("violated", verdict_of(leases("62.499999999"), "lease:ttl=50", order));
        EXPECT_EQ("passed", verdict_of(leases("62"), "lease:ttl=50,error=0.5", order));
        EXPECT_EQ("violated", verdict_of(leases("62"), "lease:error=0.25,ttl=50", order));
    }
}

TEST(FractionalTimes, WholeNumbersMayStandBesideThem) {
    EXPECT_EQ("passed",
              verdict_of(call_and_return("0", "12", "12.25") + call_and_return("1", "13", "63"),
                         "lease:ttl=50"));
    EXPECT_EQ("violated",
              verdict_of(call_and_return("0", "12.5", "12.5") + call_and_return("1", "13", "62"),
                         "lease:ttl=50"));
}

TEST(FractionalTimes, AreShownAsTheyWereWritten) {
    const std::string text = timed_record("0", "invoke", "acquire", "12.50") +
                             timed_record("1", "invoke", "acquire", "12");
    EXPECT_EQ(
        "h:2:1: time falls by 0.5, from 12.50 in line 1 to 12 in line 2; --clock-tolerance "
        "allows 0.0005; --time-unit says the unit of the times; logs of several workers put "
        "together? --sort-by-time orders records by time",
        verdict_of(text, "mutex"));
    const Judged result =
        judged(call_and_return("0", "12.5", "12.5") + call_and_return("1", "12.6", "62.4") +
                   timed_record("1", "invoke", "release", "70"),
               "lease:ttl=50");
    ASSERT_EQ(1, result.check.explanations.size());
    EXPECT_EQ("another lease runs until time 62.5, and the call returned at 62.4",
              result.check.explanations[0].reason);
    EXPECT_EQ("at most 1 too many, for at most 0.1", result.check.ladder[2].contract);
}

TEST(FractionalTimes, WhatHasNoRoomIsRefused) {
    EXPECT_EQ("h:1:51: \"time\" \"0.1234567891\": more than 9 digits after the point",
              refused_time("0.1234567891"));
    EXPECT_EQ("h:1:51: \"time\" \"1e-10\": more than 9 digits after the point",
              refused_time("1e-10"));
    EXPECT_EQ(
        "h:1:51: \"time\" is smaller where it has so many digits after the point, not "
        "1709294400123.123456789",
        refused_time("1709294400123.123456789"));
    EXPECT_EQ("h:1:1: the time is too large beside the 9 digits after the point in line 2",
              verdict_of(timed_record("0", "invoke", "acquire", "1709294400123") +
                             timed_record("1", "invoke", "acquire", "0.123456789"),
                         "mutex"));
    EXPECT_TRUE(refused_time("99999999999999999999").starts_with("h:1:51: \"time\" is from -"));
    EXPECT_TRUE(refused_time("1e40").starts_with("h:1:51: \"time\" is from -"));
}

TEST(FractionalTimes, ATtlThatIsFinerThanTheTimesIsRefused) {
    EXPECT_EQ(
        "h: the model's ttl or error is finer than the times of the history, or too large "
        "for them",
        verdict_of(call_and_return("0", "12", "13"), "lease:ttl=0.5"));
}

TEST(EdnTimes, HaveFractionsAndInstants) {
    const auto edn = [](const std::string& first, const std::string& second) {
        return "{:process 0, :type :invoke, :f :acquire, :time " + first +
               "}\n{:process 0, :type :ok, :f :acquire, :time " + first +
               "}\n{:process 1, :type :invoke, :f :acquire, :time " + first +
               "}\n{:process 1, :type :ok, :f :acquire, :time " + second + "}\n";
    };
    EXPECT_EQ("passed", verdict_of(edn("12.5", "62.5M"), "lease:ttl=50"));
    EXPECT_EQ("violated", verdict_of(edn("12.5", "6.24E1"), "lease:ttl=50"));
    EXPECT_EQ("passed", verdict_of(edn(R"(#inst "2026-03-01T12:00:00.100-00:00")",
                                       R"(#inst "2026-03-01T12:00:00.150-00:00")"),
                                   "lease:ttl=50", in_milliseconds()));
    EXPECT_EQ("violated", verdict_of(edn(R"(#inst "2026-03-01T12:00:00.100-00:00")",
                                         R"(#inst "2026-03-01T12:00:00.149-00:00")"),
                                     "lease:ttl=50", in_milliseconds()));
    EXPECT_EQ("h:1:48: \"time\" \"2026-02-30T12:00:00Z\": there is no such day",
              verdict_of(edn(R"(#inst "2026-02-30T12:00:00Z")", "0"), "mutex"));
}

TEST(WrittenTimes, AreWrittenAgainAsTheyStood) {
    const std::string text =
        call_and_return("0", R"("2026-03-01 14:00:00.500+0200")", R"("2026-03-01T12:30Z")") +
        call_and_return("1", R"("2027-12-31T23:59:59.000000001-11:30")",
                        R"("2028-02-29T00:00:00Z")");
    const auto read = parse_history(text, "h");
    const std::string written = write_history(std::get<RecordedHistory>(read));
    for (const char* time : {"2026-03-01 14:00:00.500+0200", "2026-03-01T12:30Z",
                             "2027-12-31T23:59:59.000000001-11:30", "2028-02-29T00:00:00Z"}) {
        EXPECT_NE(std::string::npos, written.find(time)) << written;
    }
    const auto again = parse_history(written, "h");
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(std::get<RecordedHistory>(read).records[i].time,
                  std::get<RecordedHistory>(again).records[i].time);
    }
}

}  // namespace
}  // namespace lockkeeper
