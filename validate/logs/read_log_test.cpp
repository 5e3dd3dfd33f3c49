// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/read_log.hpp"

#include <fmt/format.h>
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

TEST(ReadLog, AMappingNamesFieldsOfSeveralLogs) {
    const Logs logs = logs_of(R"({"ts": "2026-03-01T12:00:00Z", "pod": "w1", "msg": "acquired"})",
                              R"({"caller": ["application_name", "pod"]})");
    EXPECT_EQ(seen_in(logs), "w1 answer acquire ok; ");
    EXPECT_THROW(logs_of("1.0 a acquired\n", R"({"caller": ["a", 1]})"), LogError);
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

TEST(ReadLog, KlogStandsBehindWhatAJournalPutBeforeIt) {
    const Logs logs = logs_of(
        "Jan 02 10:00:01 host app[7]: I0102 10:00:01.250000       7 leaderelection.go:258] "
        "successfully acquired lease a/b\n",
        R"({"year": 2025})", "alpha.log");
    EXPECT_EQ(seen_in(logs), "alpha answer acquire ok; ");
    EXPECT_EQ(only_line(logs).earliest % 60'000'000'000, 1'250'000'000);
}

// What fails before it says that it could not renew has been a renewal, too.
TEST(ReadLog, ALeaderWhoseLogBeginsLaterRenews) {
    const Logs logs = logs_of(
        "E0715 09:16:20.412178       1 leaderelection.go:325] error retrieving resource lock a/b\n"
        "I0715 09:16:20.412219       1 leaderelection.go:278] failed to renew lease a/b: timed "
        "out\n",
        "{}", "a.log");
    EXPECT_EQ(seen_in(logs), "a answer renew unknown; a answer renew unknown; ");
}

TEST(ReadLog, APatternThatNamesNoCallerMeansTheFile) {
    const Logs logs =
        logs_of("12:00:00,123: got it\n",
                R"({"format": "regex", "pattern": "^(?<time>[0-9:,]+): (?<operation>.*)$",
                                  "words": {"got it": "acquire ok"}})",
                "m1.log");
    EXPECT_EQ(seen_in(logs), "m1 answer acquire ok; ");
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

// The line of its script is missing: it is not that of the script before.
TEST(ReadLog, CommandsOfAScriptAreOfTheClientDirectlyBeforeThem) {
    const std::string set = "1.000 m a:1 SET job t1 PX 1000 NX\n";
    const std::string scripts = set + "1.1 m a:1 EVAL s 1 job t1\n1.1 m lua get job\n";
    const std::string del = "1.3 m lua del job\n";
    const auto told = [](const std::string& log) { return seen_in(logs_of(log)); };
    const std::string taken = told(scripts + "1.2 m b:2 SET ledger w2\n" + del);
    EXPECT_EQ(taken, "a:1 served acquire of job; ");
    EXPECT_EQ(told(scripts + "1.2 w says a word\n" + del), taken + "a:1 served release of job; ");
    EXPECT_EQ(told(set + "1.1 m b:2 FCALL f 1 job\n" + del), taken + "b:2 served release of job; ");
}

// Lines of PostgreSQL 15, shortened in the columns that are not read.
constexpr const char* kPooled =
    R"csv(2026-11-29 23:41:51.759 UTC,"u","d",327,"h:1",s,2,"SELECT",t,3/0,0,LOG,00000,"duration: 0.500 ms  statement: SELECT pg_try_advisory_lock(42)",,,,,,,,,"w1","client backend",,0)csv"
    "\n"
    R"csv(2026-11-29 23:41:52.021 UTC,"u","d",327,"h:1",s,4,"SELECT",t,3/0,0,LOG,00000,"duration: 0.141 ms  statement: SELECT pg_try_advisory_lock(42)",,,,,,,,,"w2","client backend",,0)csv"
    "\n"
    R"csv(2026-11-29 23:41:52.382 UTC,"u","d",327,"h:1",s,6,"SELECT",t,3/0,0,LOG,00000,"duration: 0.292 ms  statement: SELECT pg_advisory_unlock(42)",,,,,,,,,"w1","client backend",,0)csv"
    "\n";

TEST(ReadLog, CsvlogSaysWhatASessionWasServedAndWhomItServes) {
    const Logs logs = logs_of(kPooled);
    EXPECT_EQ(seen_in(logs),
              "327 served acquire of 42; 327 served acquire of 42; 327 served release of 42; ");
    EXPECT_EQ(only_line(logs).latest - only_line(logs).earliest, 1'499'999);
    ASSERT_EQ(logs.remarks.size(), 1U);
    EXPECT_NE(logs.remarks[0].find("process 327 of the server has served w1 and w2"),
              std::string::npos);
    EXPECT_EQ(seen_in(logs_of(kPooled, R"({"caller": "application_name"})")),
              "w1 served acquire of 42; w2 served acquire of 42; w1 served release of 42; ");
}

TEST(ReadLog, LockWaitsSayWhoHolds) {
    const Logs logs = logs_of(
        R"csv(2026-11-29 23:41:52.021 UTC,"u","d",8,"h:1",s,4,"SELECT",t,3/0,0,LOG,00000,"process 8 still waiting for ExclusiveLock on advisory lock [5,0,42,1] after 200.123 ms","Process holding the lock: 7. Wait queue: 8.",,,,,"SELECT pg_advisory_lock(42)",,,"w2","client backend",,0)csv"
        "\n");
    EXPECT_EQ(seen_in(logs), "7 state acquire of 42; ");
}

TEST(ReadLog, AWatchedLeaseSaysWhoWritesIt) {
    const std::string event =
        R"({"type":"MODIFIED","object":{"kind":"Lease","metadata":{"name":"app","resourceVersion":"7"},)"
        R"("spec":{"holderIdentity":"a","renewTime":"2026-03-01T12:00:00.250000Z"}}})"
        "\n";
    const Logs logs = logs_of(event + event);
    EXPECT_EQ(seen_in(logs), "a state acquire of app; ");  // the same version is one write
    EXPECT_TRUE(only_line(logs).is_write);
    EXPECT_EQ(only_line(logs).earliest % 60'000'000'000, 250'000'000);
}

TEST(ReadLog, AWatchedLeaseWithoutAHolderWasGivenBackAndNamespacesAreApart) {
    const auto event = [](const char* holder, int version, const char* place) {
        return fmt::format(
            R"({{"type":"MODIFIED","object":{{"kind":"Lease","metadata":{{"name":"app",)"
            R"("namespace":"{}","resourceVersion":"{}"}},"spec":{{"holderIdentity":"{}",)"
            R"("renewTime":"2026-03-01T12:00:00.{}Z"}}}}}})"
            "\n",
            place, version, holder, version);
    };
    const std::string told_again = event("a", 1, "x") + event("c", 3, "y");
    EXPECT_EQ(seen_in(logs_of(event("", 0, "x") + event("a", 1, "x") + event("", 2, "x") +
                              event("c", 3, "y"))),
              " state acquire of app; a state acquire of app; a served release of app; "
              "c state acquire of y/app; ");
    EXPECT_EQ(seen_in(logs_of(event("a", 1, "x") + event("c", 3, "y") + told_again)),
              "a state acquire of app; c state acquire of y/app; ");
}

TEST(ReadLog, TheSameKeyOfTwoDatabasesOfRedisIsTwoLocks) {
    const Logs logs =
        logs_of(R"(1772366400.100000 [0 10.0.0.7:41] "SET" "job" "t1" "PX" "1000" "NX")"
                "\n"
                R"(1772366400.200000 [3 10.0.0.8:42] "SET" "job" "t2" "PX" "1000" "NX")"
                "\n"
                R"(1772366400.300000 [3 10.0.0.8:42] "DEL" "job")"
                "\n");
    EXPECT_EQ(seen_in(logs),
              "10.0.0.7:41 served acquire of job; 10.0.0.8:42 served acquire of job of database 3; "
              "10.0.0.8:42 served release of job of database 3; ");
}

TEST(ReadLog, ASpanIsACallAndItsAnswer) {
    const auto span = [](const char* name, const char* begin, const char* end, const char* more) {
        return std::string(
                   R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",)") +
               R"("value":{"stringValue":"w1"}}]},"scopeSpans":[{"spans":[{"name":")" + name +
               R"(","startTimeUnixNano":")" + begin + R"(","endTimeUnixNano":")" + end + "\"" +
               more + "}]}]}]}\n";
    };
    const Logs logs = logs_of(
        span("released", "1772366400300000000", "1772366400400000000", "") +
        span("acquire", "1772366400100000000", "1772366400200000000",
             R"(,"attributes":[{"key":"lock.outcome","value":)"
             R"({"stringValue":"refused"}}])") +
        span("acquired", "1772366400500000000", "1772366400600000000", R"(,"status":{"code":2})"));
    EXPECT_EQ(seen_in(logs),
              "w1 call acquire; w1 answer acquire refused; w1 call release; w1 answer release ok; "
              "w1 call acquire; w1 answer acquire unknown; ");
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

TEST(ReadLog, ALockWhoseLogKnowsNoCallerIsRemarked) {
    const std::string set = "1.000 monitor 10.0.0.7:41 SET job t1 PX 1000 NX\n";
    const auto remarks = [](const std::string& text) { return logs_of(text).remarks; };
    ASSERT_EQ(remarks(set + "1.001 w1 acquired t2\n").size(), 1U);
    EXPECT_NE(remarks(set + "1.001 w1 acquired t2\n")[0].find("(10.0.0.7:41, w1)"),
              std::string::npos);
    EXPECT_EQ(remarks(set + "1.001 w1 acquired t1\n").size(), 0U);
    EXPECT_EQ(remarks(set).size(), 0U);
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

// Lines as the libraries write them, in public issues (examples/incidents).
TEST(ReadLog, ShippedMappingsReadTheirLibraries) {
    const auto seen = [](const char* mapping, const std::string& line) {
        const Mapping map = read_mapping(std::string("examples/mappings/") + mapping + ".json");
        LogsReader reader(map);
        reader.read_text(line + "\n", "p1.log", Format::kByFirstLine);
        return seen_in(reader.end().logs);
    };
    const std::string shedlock =
        "2024-08-20T02:47:56.018Z DEBUG 1 --- [x] [ CN-6] n.j.s.core.DefaultLockingTaskExecutor    "
        ": ";
    EXPECT_EQ(
        seen("shedlock", shedlock + "Locked 'job', lock will be held at most until 2024-08-20"),
        "p1 answer acquire ok of job; ");
    EXPECT_EQ(seen("shedlock", shedlock + "Not executing 'job'. It's locked."),
              "p1 answer acquire refused of job; ");
    EXPECT_EQ(seen("python_redis_lock",
                   "[2022-04-08 18:10:00,467: INFO/ForkPoolWorker-3] Got lock for 'lock:test'."),
              "p1 answer acquire ok of lock:test; ");
    EXPECT_EQ(
        seen("redlock_net",
             "2018-01-16 09:32:44.000\tDebug\tAcquired locks for k (06935f4d) in 0/1 instances, "
             "quorum: 1"),
        "06935f4d answer acquire refused of k; ");
    EXPECT_EQ(seen("patroni", "2022-07-25 11:04:46,788 INFO: Lock owner: site3; I am site3"),
              "site3 state acquire; ");
    EXPECT_EQ(seen("patroni", "2022-07-25 11:04:56,803 ERROR: failed to update leader lock"),
              "p1 answer acquire unknown; ");
    EXPECT_EQ(read_mapping("examples/mappings/postgres_by_application.json").caller.front(),
              "application_name");
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

// It would be explained by the run in which nothing happens.
TEST(ReadLog, AHistoryWithNothingToExplainIsRefused) {
    EXPECT_EQ(refusal_of(R"({"type":"invoke","process":0,"f":"write"})"
                         "\n"
                         R"({"type":"fail","process":0,"f":"write"})"),
              "w1.log: no record says anything about a lock: no acquire, no release, no write that "
              "ended with ok");
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
    EXPECT_EQ(window("12:00:00.5"), "946728000500000000+100000000");  // of a day of no year
    EXPECT_EQ(window("0101+12:00:00.5"), "946728000500000000+100000000");
    EXPECT_EQ(window("1.2.3"), "none");
    EXPECT_EQ(window("w1"), "none");
    EXPECT_EQ(window(""), "none");
    EXPECT_EQ(window("99999999999999999999"), "none");
}

}  // namespace
}  // namespace lockkeeper::logs
