// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/read_log.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::logs {
namespace {

Logs logs_of(const std::string& text, const std::string& mapping = "{}",
             const std::string& name = "w1.log") {
    const Mapping map = parse_mapping(mapping, "map.json");
    LogsReader reader(map);
    reader.read_text(text, name, Format::kByFirstLine);
    return reader.end().logs;
}

std::string refusal_of(const std::string& text, const std::string& mapping = "{}") {
    try {
        static_cast<void>(logs_of(text, mapping));
        return "not refused";
    } catch (const LogError& error) {
        return error.what();
    }
}

// "w1 answer acquire ok 12.001 t1", of every line.
std::string seen_in(const Logs& logs) {
    constexpr const char* kSeen[] = {"call", "served", "answer", "state", "effect"};
    std::string out;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            out += seen.caller + " " + kSeen[static_cast<std::size_t>(seen.seen)] + " " +
                   name_of(seen.code) +
                   (seen.seen == Seen::kAnswer ? std::string(" ") + name_of(seen.outcome) : "") +
                   (seen.key.empty() ? "" : " of " + seen.key) + "; ";
        }
    }
    return out;
}

const Observation& only_line(const Logs& logs) { return logs.sources.at(0).observations.at(0); }

TEST(ReadLog, JsonLinesAreReadByTheirUsualNames) {
    const Logs logs =
        logs_of(R"({"ts":"2026-03-01T12:00:00.25Z","worker":"w1","msg":"acquired","lock":"job"})"
                "\n"
                R"({"ts":1772366401.5,"worker":"w1","msg":"released","lock":"job"})"
                "\n");
    EXPECT_EQ(seen_in(logs), "w1 answer acquire ok of job; w1 answer release ok of job; ");
    EXPECT_EQ(only_line(logs).earliest, 1'772'366'400'250'000'000);
    EXPECT_EQ(only_line(logs).latest, 1'772'366'400'259'999'999);  // two digits were written
}

TEST(ReadLog, AMappingSaysWhichFieldIsWhatAndWhatWordsMean) {
    const Logs logs =
        logs_of(R"({"at":"2026-03-01T12:00:00Z","who":"w1","did":"got the mutex"})"
                "\n"
                R"({"at":"2026-03-01T12:00:01Z","who":"w2","did":"did not get the mutex"})"
                "\n"
                R"({"at":"2026-03-01T12:00:02Z","who":"w2","did":"heartbeat"})",
                R"({"time": "at", "caller": "who", "operation": "did",
            "words": {"got the mutex": "acquire ok", "did not get": "acquire refused"},
            "callers": {"w2": "second"}})");
    EXPECT_EQ(seen_in(logs), "w1 answer acquire ok; second answer acquire refused; ");
    ASSERT_EQ(logs.other_lines, 1U);
    EXPECT_EQ(logs.others[0].line, 3U);
}

TEST(ReadLog, LogfmtHasQuotedValues) {
    const Logs logs =
        logs_of(R"(time=2026-03-01T12:00:00Z worker=w1 msg="not acquired: held" lock=job)");
    EXPECT_EQ(seen_in(logs), "w1 answer acquire refused of job; ");
}

TEST(ReadLog, KlogHasNoYearAndItsFileNamesTheCaller) {
    const Logs logs = logs_of(
        "I1231 23:59:59.500000       1 leaderelection.go:258] successfully acquired lease a/b\n"
        "E0101 00:00:01.000000       1 leaderelection.go:332] failed to renew lease a/b: timed "
        "out\n",
        R"({"year": 2025})", "/var/log/alpha.log");
    EXPECT_EQ(seen_in(logs), "alpha answer acquire ok; alpha answer renew unknown; ");
    const auto& lines = logs.sources[0].observations;
    EXPECT_EQ(lines[1].earliest - lines[0].earliest, 1'500'000'000);  // over New Year
}

TEST(ReadLog, RedisMonitorSaysWhatWasCarriedOutAndForWhom) {
    const Logs logs =
        logs_of(R"(1772366400.100000 [0 10.0.0.7:41] "SET" "job" "t1" "PX" "1000" "NX")"
                "\n"
                R"(1772366400.200000 [0 10.0.0.7:41] "SET" "ledger" "w1")"
                "\n"
                R"(1772366400.300000 [0 10.0.0.7:41] "EVALSHA" "abc" "1" "job" "t1")"
                "\n"
                R"(1772366400.300001 [0 lua] "get" "job")"
                "\n"
                R"(1772366400.300002 [0 lua] "del" "job")"
                "\n");
    EXPECT_EQ(seen_in(logs),
              "10.0.0.7:41 served acquire of job; 10.0.0.7:41 served release of job; ");
    EXPECT_EQ(logs.other_lines, 3U);
}

TEST(ReadLog, APatternHasNamedGroups) {
    const Logs logs = logs_of(
        "2026-03-01 12:00:00,123 [w1] INFO lock job: acquired\n"
        "2026-03-01 12:00:00,200 [w1] INFO nothing\n",
        R"({"format": "regex", "pattern":
            "^(?<time>\\S+ \\S+) \\[(?<caller>\\w+)\\] (INFO|WARN) lock (?<key>\\w+): (?<operation>.*)$"})");
    EXPECT_EQ(seen_in(logs), "w1 answer acquire ok of job; ");
    EXPECT_EQ(logs.other_lines, 1U);
}

TEST(ReadLog, NamesOfOneCallerAreJoinedByTheirTokens) {
    const Logs logs = logs_of(
        "1.000 monitor 10.0.0.7:41 SET job t1 PX 1000 NX\n"
        "1.001 w1 acquired t1\n");
    EXPECT_EQ(seen_in(logs), "w1 served acquire of job; w1 answer acquire ok; ");
}

TEST(ReadLog, OneConnectionOfTwoCallersIsRefused) {
    EXPECT_NE(refusal_of("1.000 monitor pool:1 SET job t1 PX 1000 NX\n"
                         "1.001 w1 acquired t1\n"
                         "1.100 monitor pool:1 SET job t2 PX 1000 NX\n"
                         "1.101 w2 acquired t2\n")
                  .find("w1.log:3: pool:1 is w1 by one token and w2 by another"),
              std::string::npos);
}

TEST(ReadLog, ALogThatIsNewestFirstIsTurnedRound) {
    const Logs logs = logs_of("time=3 worker=w1 msg=released\ntime=1 worker=w1 msg=acquired\n");
    EXPECT_EQ(seen_in(logs), "w1 answer acquire ok; w1 answer release ok; ");
}

TEST(ReadLog, AFileWhoseTimesFallIsOneSourceForEachCaller) {
    const Logs logs = logs_of(
        "time=1 worker=w1 msg=acquired\ntime=5 worker=w1 msg=released\n"
        "time=2 worker=w2 msg=busy\ntime=6 worker=w2 msg=acquired\n");
    ASSERT_EQ(logs.sources.size(), 2U);
    EXPECT_EQ(logs.sources[1].name, "w2");
}

TEST(ReadLog, WordsThatOnlyContainAMeaningAreNone) {
    EXPECT_NE(refusal_of("1.000 w1 never acquired anything\n").find("no line says anything"),
              std::string::npos);
    EXPECT_NE(refusal_of("1.000 w1 acquiredly\n").find("no line says anything"), std::string::npos);
}

TEST(ReadLog, AMappingThatMatchesNothingIsRefusedWithTheNearestLines) {
    const std::string refusal = refusal_of(
        R"({"ts":"2026-03-01T12:00:00Z","worker":"w1","msg":"acquired"})", R"({"time": "clock"})");
    EXPECT_NE(refusal.find("w1.log: no line says anything about a lock"), std::string::npos);
    EXPECT_NE(refusal.find("line 1: {\"ts\""), std::string::npos);
}

TEST(ReadLog, AMappingIsRefusedByName) {
    EXPECT_EQ(refusal_of("x", R"({"tme": "ts"})"),
              "map.json: \"tme\" is not known; there are format, pattern, time, caller, operation, "
              "key, token, words, callers and year");
    EXPECT_NE(refusal_of("x", R"({"words": {"got": "acquire sure"}})").find("is no meaning"),
              std::string::npos);
    EXPECT_NE(refusal_of("x", R"({"format": "regex"})").find("go together"), std::string::npos);
    EXPECT_NE(refusal_of("x", R"({"format": "regex", "pattern": "("})").find("pattern: ("),
              std::string::npos);
    EXPECT_NE(refusal_of("x", "[1").find("map.json: "), std::string::npos);
}

TEST(ReadLog, HostileLinesAreRefusedByFileAndLine) {
    EXPECT_EQ(refusal_of("1.0 w1 acquired\n" + std::string(100'000, 'x') + "\n"),
              "w1.log:2: a line of 100000 bytes; at most 64 KiB are read");
    EXPECT_EQ(refusal_of(std::string("1.0 w1 acquired\n1.1 w1 \0\n", 24)), "w1.log:2: a NUL byte");
    EXPECT_EQ(refusal_of(""), "w1.log: no lines");
}

TEST(ReadLog, AHistoryIsALog) {
    const Logs logs = logs_of(R"({"type":"invoke","process":0,"f":"acquire"})"
                              "\n"
                              R"({"type":"ok","process":0,"f":"acquire"})"
                              "\n"
                              R"({"type":"invoke","process":1,"f":"acquire"})"
                              "\n"
                              R"({"type":"info","process":1,"f":"acquire"})");
    EXPECT_EQ(seen_in(logs),
              "0 call acquire; 0 answer acquire ok; 1 call acquire; 1 answer acquire unknown; ");
}

TEST(ReadLog, TimesAreReadAsTheyAreWritten) {
    const auto window = [](const char* text) {
        const auto time = read_log_time(text);
        return time ? std::to_string(time->earliest) + "+" +
                          std::to_string(time->latest - time->earliest + 1)
                    : "none";
    };
    EXPECT_EQ(window("12.001"), "12001000000+1000000");
    EXPECT_EQ(window("1772366400"), "1772366400000000000+1000000000");
    EXPECT_EQ(window("1772366400123"), "1772366400123000000+1000000");
    EXPECT_EQ(window("1772366400123456"), "1772366400123456000+1000");
    EXPECT_EQ(window("1772366400123456789"), "1772366400123456789+1");
    EXPECT_EQ(window("2026-03-01T12:00:00Z"), "1772366400000000000+1000000000");
    EXPECT_EQ(window("2026-03-01 12:00:00.5+02"), "1772359200500000000+100000000");
    EXPECT_EQ(window("2026-03-01T12:00:00,123"), "1772366400123000000+1000000");
    EXPECT_EQ(window("2026-03-01T12:00:00.123456789123Z"), "1772366400123456789+1");
    EXPECT_EQ(window("2026-02-30T12:00:00Z"), "none");
    EXPECT_EQ(window("1.2.3"), "none");
    EXPECT_EQ(window("w1"), "none");
    EXPECT_EQ(window(""), "none");
    EXPECT_EQ(window("99999999999999999999"), "none");
}

}  // namespace
}  // namespace lockkeeper::logs
