// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/eras.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/answered_test.hpp"

namespace lockkeeper::logs {
namespace {

const std::string kOfKlog =
    "I0301 12:00:01.000000       1 leaderelection.go:258] successfully acquired lease a/b\n";
const std::string kOfWatch =
    R"({"type":"MODIFIED","object":{"kind":"Lease","metadata":{"name":"b","namespace":"a",)"
    R"("resourceVersion":"7"},"spec":{"holderIdentity":"a","renewTime":"2026-03-01T12:00:00Z"}}})"
    "\n";
const std::string kOfDay = "12:00:02.000 a acquired\n";
const std::string kOfStopwatch = "2.000 a acquired\n";

Logs read_all(const std::vector<std::string>& texts) { return read_texts(texts, ".log").logs; }

// Nanoseconds from the first line of the first log to that of the second one.
std::int64_t between(const std::vector<std::string>& texts) {
    const Logs logs = read_all(texts);
    return logs.sources.at(1).observations.at(0).earliest -
           logs.sources.at(0).observations.at(0).earliest;
}

std::string refusal_of_logs(const std::vector<std::string>& texts) {
    return refusal_of_texts(texts, ".log");
}

// Read as they stand, all that klog has would be 26 years before the watch: a double grant passed.
TEST(Eras, ALogWithoutAYearIsOfTheYearOfTheOther) {
    EXPECT_EQ(between({kOfWatch, kOfKlog}), 1'000'000'000);
    EXPECT_EQ(between({kOfKlog, kOfWatch}), -1'000'000'000);
}

TEST(Eras, ANewYearLiesBetweenThem) {
    const std::string before =
        "I1231 23:59:59.000000       1 leaderelection.go:258] successfully acquired lease a/b\n";
    const std::string after = R"({"ts":"2027-01-01T00:00:01Z","worker":"b","msg":"acquired"})"
                              "\n";
    EXPECT_EQ(between({before, after}), 2'000'000'000);
}

// Where nobody wrote it, a person should know it.
TEST(Eras, WhereAMidnightOrANewYearWasPutIsSaid) {
    const auto klog = [](const char* time) {
        return fmt::format(
            "I{}.000000       1 leaderelection.go:258] successfully acquired lease a/b\n", time);
    };
    const auto dated = [](const char* time) {
        return fmt::format("{{\"ts\":\"{}Z\",\"worker\":\"b\",\"msg\":\"acquired\"}}\n", time);
    };
    const auto remarks = [](const std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& remark : read_all(texts).remarks) {
            all += remark.ends_with("no zone: read as UTC") ? "" : remark + "\n";
        }
        return all;
    };
    const std::string evening = "23:59:59.000 a acquired\n";
    const std::string morning = "00:00:01.000 b acquired\n";
    EXPECT_EQ(remarks({klog("1231 23:59:59"), klog("0101 00:00:05")}),
              "1.log: its times have no year: read as of a year after that of 0.log\n");
    EXPECT_EQ(remarks({klog("1231 23:59:59"), dated("2027-01-01T00:00:01")}),
              "0.log: its times have no year: read as of a year before that of 1.log\n");
    EXPECT_EQ(remarks({klog("1231 23:59:59") + klog("0101 00:00:05")}),
              "0.log: its times have no year, and pass New Year\n");
    EXPECT_EQ(remarks({evening, morning}),
              "1.log: its times have no day: read as of a day after that of 0.log\n");
    EXPECT_EQ(remarks({dated("2026-03-02T00:00:01"), evening}),
              "1.log: its times have no day: read as of a day before that of 0.log\n");
    EXPECT_EQ(remarks({evening + morning}), "0.log: its times pass midnight\n");
    EXPECT_EQ(remarks({kOfWatch, kOfKlog, kOfDay}), "");
}

// The second of two logs without a year was a year before the first: a double grant passed.
TEST(Eras, ANewYearLiesBetweenTwoLogsWithoutAYear) {
    const auto klog = [](const char* time) {
        return fmt::format(
            "I{}.000000       1 leaderelection.go:258] successfully acquired lease a/b\n", time);
    };
    EXPECT_EQ(between({klog("1231 23:59:59"), klog("0101 00:00:05")}), 6'000'000'000);
    EXPECT_EQ(between({klog("0101 00:00:05"), klog("1231 23:59:59")}), -6'000'000'000);
    EXPECT_EQ(between({klog("1231 23:59:59") + klog("0101 00:00:02"), klog("0101 00:00:05")}),
              6'000'000'000);
    EXPECT_EQ(between({klog("0301 00:00:00"), klog("1231 00:00:00")}), 305LL * 86'400'000'000'000);
}

TEST(Eras, TimesOfADayAreOfTheDayOfTheOther) {
    EXPECT_EQ(between({kOfWatch, kOfDay}), 2'000'000'000);
    EXPECT_EQ(between({kOfKlog, kOfDay}), 1'000'000'000);
    const std::string later = R"({"ts":"2026-03-03T12:00:00Z","worker":"b","msg":"acquired"})"
                              "\n";
    EXPECT_NE(
        refusal_of_logs({kOfWatch + "", later, kOfDay}).find("do not say of which day they are"),
        std::string::npos);
}

// A line half a day before the other log moved to the next day, and its source seemed to fall.
TEST(Eras, ALogOfAWholeDayMovesAsOne) {
    const std::string day = "00:00:02.000 a acquired\n12:00:02.000 a released\n";
    EXPECT_EQ(between({kOfWatch, day}), -43'198'000'000'000);
    const std::string night =
        "23:59:58.000 a acquired\n00:00:01.000 a releasing\n00:00:02.000 a released\n";
    const std::string late = R"({"ts":"2026-03-01T23:59:59Z","worker":"b","msg":"acquired"})"
                             "\n";
    EXPECT_EQ(between({late, night}), -1'000'000'000);
    const std::string early = R"({"ts":"2026-03-02T00:00:03Z","worker":"b","msg":"acquired"})"
                              "\n";
    EXPECT_EQ(between({early, night}), -5'000'000'000);
}

// The log says only the time of the day.
TEST(Eras, ANightGoesOnBehindMidnight) {
    const auto answer_of = [](const std::string& text) {
        return answer_to(read_all({text}), "mutex");
    };
    const std::vector<std::string> night = {
        "23:59:58.000 a trying\n",   "23:59:58.100 a acquired\n", "00:00:00.500 a releasing\n",
        "00:00:00.600 a released\n", "00:00:01.200 b trying\n",   "00:00:01.201 b acquired\n"};
    std::string text;
    std::string newest_first;
    for (const std::string& line : night) {
        text += line;
        newest_first.insert(0, line);
    }
    EXPECT_EQ(answer_of(text), Answer::kExplained);
    EXPECT_EQ(answer_of(newest_first), Answer::kExplained);
    EXPECT_EQ(answer_of(night[0] + night[1] + "00:00:00.100 b trying\n00:00:00.101 b acquired\n" +
                        night[2] + night[3]),
              Answer::kNotExplained);
    // Two lines were taken for a log that is newest first.
    EXPECT_EQ(answer_of("23:59:59.900 a acquired\n00:00:00.100 a released\n"), Answer::kExplained);
    const std::string half = "08:00:00.000 a acquired\n21:00:00.000 a released\n";
    EXPECT_EQ(between({half, "21:30:00.000 b acquired\n"}), 48'600'000'000'000);
    // The other log has nothing before midnight.
    EXPECT_EQ(between({night[0] + night[1] + night[2] + night[3], "00:00:02.000 b acquired\n"}),
              4'000'000'000);
    EXPECT_EQ(between({"23:59:59.000 a acquired\n", "00:00:01.000 b acquired\n"}), 2'000'000'000);
}

// A double grant passed: half a day or more is nothing beside lines that meet.
TEST(Eras, ALongNightMeetsALogThatWasRotatedAtMidnight) {
    const std::string night =
        "10:00:00.000 a acquired\n10:00:05.000 a released\n23:59:00.000 a acquired\n"
        "00:20:00.000 a released\n";
    const std::string rotated = "00:10:00.000 b acquired\n00:15:00.000 b released\n";
    EXPECT_EQ(between({night, rotated}), 51'000'000'000'000);
    EXPECT_EQ(between({rotated, night}), -51'000'000'000'000);
    const auto klog = [](const char* time) {
        return fmt::format(
            "I{}.000000       1 leaderelection.go:258] successfully acquired lease a/b\n", time);
    };
    EXPECT_EQ(between({klog("0301 12:00:00") + klog("1231 23:59:00") + klog("0101 00:20:00"),
                       klog("0101 00:10:00")}),
              (305LL * 24 + 12) * 3'600'000'000'000 + 600'000'000'000);
}

// A double grant passed, and the same lines in one file were told from the wrong end.
TEST(Eras, ALongDayIsNoMidnight) {
    const std::string morning = "00:10:00.000 a acquired\n";
    const std::string evening = "23:50:00.000 b acquired\n23:50:01.000 b released\n";
    const char* sentence = "nobody can say whether its times are of the same day";
    EXPECT_NE(refusal_of_logs({morning, evening}).find(sentence), std::string::npos);
    EXPECT_NE(refusal_of_logs({evening, morning}).find(sentence), std::string::npos);
    EXPECT_EQ(between({morning, evening, "12:00:00.000 c acquired\n"}), 85'200'000'000'000);
    const Logs logs = read_all({morning + evening});
    EXPECT_LT(logs.sources.at(0).observations.at(0).earliest,
              logs.sources.at(1).observations.at(0).earliest);
}

TEST(Eras, AStopwatchIsOfNoDay) {
    EXPECT_NE(refusal_of_logs({kOfWatch, kOfStopwatch})
                  .find("1.log: its times do not say of which day and year they are, and those of "
                        "0.log do"),
              std::string::npos);
    EXPECT_EQ(between({kOfStopwatch, "3.000 b acquired\n"}), 1'000'000'000);
}

// A double grant passed where one worker's log is in local time.
TEST(Eras, ATimeWithoutAZoneIsDoubtedWhereOthersHaveOne) {
    const std::string zoned = R"({"ts":"2026-03-01T12:00:00Z","worker":"a","msg":"acquired"})"
                              "\n";
    const auto local = [](const char* hour) {
        return fmt::format(
            "{{\"ts\":\"2026-03-01 {}:00:01.5\",\"worker\":\"b\",\"msg\":"
            "\"acquired\"}}\n",
            hour);
    };
    ASSERT_EQ(read_all({zoned, local("12")}).remarks.size(), 1U);
    EXPECT_EQ(read_all({zoned, local("12")}).remarks[0],
              "1.log: its times have no zone: read as UTC");
    EXPECT_EQ(read_all({local("11"), local("13")}).remarks.size(), 0U);
    for (const char* hour : {"07", "13", "20"}) {
        EXPECT_NE(refusal_of_logs({zoned, local(hour)})
                      .find("1.log: its times have no zone; read as "
                            "UTC all are hours from those of 0.log"),
                  std::string::npos)
            << hour;
    }
}

}  // namespace
}  // namespace lockkeeper::logs
