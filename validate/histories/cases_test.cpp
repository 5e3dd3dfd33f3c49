// SPDX-License-Identifier: Apache-2.0

// Histories that were judged wrongly, most of them recorded from real servers and workers, and what
// has to be said of them and of their kind. The files are in testdata/.
#include <gtest/gtest.h>

#include "validate/histories/count_answers.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/histories/refusal_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

ReadHistory case_of(const std::string& file) {
    return read_history(LOCKKEEPER_SOURCE_DIR "/validate/histories/testdata/" + file);
}

HistoryCheck judged(RecordedHistory history, const std::string& model) {
    EXPECT_FALSE(order_records(history, {}));
    return std::get<HistoryCheck>(check_history(history, model_of(model)));
}
HistoryCheck checked_case(const std::string& file, const std::string& model) {
    return judged(std::get<RecordedHistory>(case_of(file)), model);
}
HistoryCheck checked_text(const std::string& text, const std::string& model) {
    return judged(std::get<RecordedHistory>(parse_history(text, "h")), model);
}

std::string reason_of(const HistoryCheck& check) {
    return check.explanations.empty() ? "" : check.explanations[0].reason;
}

TEST(ReaderThatBecomesWriter, IsExcludedByItsOwnHoldUnlessTheLockIsReentrant) {
    const char* const file = "reader_becomes_writer.jsonl";
    const HistoryCheck plain = checked_case(file, "read-write-lock");
    EXPECT_EQ(kViolated, name_of(plain.verdict));
    EXPECT_EQ("the caller's own hold excludes it (reentrant-read-write-lock would not)",
              reason_of(plain));
    EXPECT_EQ(kPassed, name_of(checked_case(file, "reentrant-read-write-lock").verdict));
}

// Recorded from PostgreSQL: a reader holds, a writer waits, and a reader who tries is refused.
TEST(FairRefusals, OfAReaderBehindAWaitingWriterHaveAReason) {
    const char* const file = "reader_refused_behind_a_writer.jsonl";
    const HistoryCheck judged = checked_case(file, "read-write-lock:refusals=judged");
    EXPECT_EQ(kViolated, name_of(judged.verdict));
    EXPECT_EQ(
        "there was room: it should have been granted; the acquire of line 3 waited, which "
        "refusals=fair takes for a reason",
        reason_of(judged));
    for (const char* model :
         {"read-write-lock:refusals=fair", "reentrant-read-write-lock:refusals=fair"}) {
        const HistoryCheck fair = checked_case(file, model);
        EXPECT_EQ(kPassed, name_of(fair.verdict)) << model;
        EXPECT_EQ("0 of 1 refusals had no reason", fair.ladder[3].detail);
    }
}

struct Step {
    const char* process;
    const char* type;
    const char* f;
    const char* value;
};
std::string text_of(const std::vector<Step>& steps) {
    std::string text;
    for (const Step& step : steps) {
        text += R"({"process":")" + std::string(step.process) + R"(","type":")" + step.type +
                R"(","f":")" + step.f + R"(","value":)" + step.value + "}\n";
    }
    return text;
}

// PostgreSQL 15 does it this way: a reader holds, a writer waits, and the reader who tries once
// more passes the writer. A lock that refuses this reader has no reason, unless the caller is a
// newcomer.
TEST(FairRefusals, OfAReaderThatHoldsAlreadyHaveNoneBehindAWaitingWriter) {
    std::vector<Step> steps{{"a", "invoke", "acquire", "\"read\""},
                            {"a", "ok", "acquire", "\"read\""},
                            {"w", "invoke", "acquire", "\"write\""},
                            {"a", "invoke", "acquire", "\"read\""},
                            {"a", "ok", "acquire", "\"read\""}};
    const char* const model = "reentrant-read-write-lock:refusals=fair";
    EXPECT_EQ(kPassed, name_of(checked_text(text_of(steps), model).verdict));
    steps.back().type = "fail";
    const HistoryCheck refused = checked_text(text_of(steps), model);
    EXPECT_EQ(kViolated, name_of(refused.verdict));
    EXPECT_EQ("there was room: it should have been granted", reason_of(refused));
    EXPECT_EQ("1 of 1 refusals had no reason", refused.ladder[3].detail.substr(0, 29));
    EXPECT_EQ("there was room: it should have been granted",
              reason_of(checked_text(text_of(steps), "reentrant-read-write-lock:refusals=judged")))
        << "and refusals=fair is not offered as a way out";
    // A reader of a lock that is not re-entrant, or one who holds nothing, waits like anybody.
    EXPECT_EQ(kPassed,
              name_of(checked_text(text_of(steps), "read-write-lock:refusals=fair").verdict));
    steps[3].process = steps[4].process = "b";
    EXPECT_EQ(kPassed, name_of(checked_text(text_of(steps), model).verdict));
}

// The holder of one mode who asks for the other is no exception.
TEST(FairRefusals, OfAReaderThatWouldWriteHaveAReasonBehindAWaitingWriter) {
    const std::vector<Step> steps{{"a", "invoke", "acquire", "\"read\""},
                                  {"a", "ok", "acquire", "\"read\""},
                                  {"w", "invoke", "acquire", "\"write\""},
                                  {"a", "invoke", "acquire", "\"write\""},
                                  {"a", "fail", "acquire", "\"write\""}};
    EXPECT_EQ(
        kPassed,
        name_of(checked_text(text_of(steps), "reentrant-read-write-lock:refusals=fair").verdict));
}

// kazoo 2.8.0: a Lock is granted beside a ReadLock, and a ReadLock is refused beside a Lock. Tags
// that exclude in one direction say it; a read-write lock is another contract.
TEST(OneWayExclusion, OfAReaderThatGivesWayToALockThatTakesNoNotice) {
    const std::vector<Step> steps{
        {"r", "invoke", "acquire", "\"read\""}, {"r", "ok", "acquire", "\"read\""},
        {"l", "invoke", "acquire", "\"lock\""}, {"l", "ok", "acquire", "\"lock\""},
        {"s", "invoke", "acquire", "\"read\""}, {"s", "fail", "acquire", "\"read\""}};
    const auto verdict = [](const std::vector<Step>& records, const std::string& model) {
        return name_of(checked_text(text_of(records), model).verdict);
    };
    const std::string one_way = "multi-lock:excludes=read>lock+lock-lock,refusals=judged";
    EXPECT_EQ(kPassed, verdict(steps, one_way));
    EXPECT_EQ(kViolated, verdict(steps, "multi-lock:excludes=read-lock+lock-lock"));
    std::vector<Step> admitted = steps;
    admitted.back().type = "ok";
    EXPECT_EQ(kViolated, verdict(admitted, one_way)) << "a reader let in beside a lock";
    for (Step& step : admitted) {
        step.value = step.value == std::string("\"lock\"") ? "\"write\"" : step.value;
    }
    admitted.resize(4);
    EXPECT_EQ(kViolated, verdict(admitted, "read-write-lock"));
}

// Recorded from a fair semaphore with two permits: one is taken, two are waited for.
TEST(FairRefusals, OfOnePermitBehindAWaitingTwoHaveAReason) {
    const std::string text = text_of({{"a", "invoke", "acquire", "1"},
                                      {"a", "ok", "acquire", "1"},
                                      {"b", "invoke", "acquire", "2"},
                                      {"c", "invoke", "acquire", "1"},
                                      {"c", "fail", "acquire", "1"},
                                      {"a", "invoke", "release", "1"},
                                      {"a", "ok", "release", "1"},
                                      {"b", "ok", "acquire", "2"}});
    EXPECT_EQ(kViolated, name_of(checked_text(text, "semaphore:2,refusals=judged").verdict));
    const HistoryCheck fair = checked_text(text, "semaphore:2,refusals=fair");
    EXPECT_EQ(kPassed, name_of(fair.verdict));
    EXPECT_EQ("0 of 1 refusals had no reason", fair.ladder[3].detail);
    // With three permits b can have its two already; with four there was room for all.
    EXPECT_EQ(kPassed, name_of(checked_text(text, "semaphore:3,refusals=judged").verdict));
    EXPECT_EQ(kViolated, name_of(checked_text(text, "semaphore:4,refusals=fair").verdict));
}

TEST(FairRefusals, OfTwoCallersOfAFreeLockDoNotExcuseEachOther) {
    for (const char* model :
         {"mutex:refusals=fair", "owner-aware-mutex:refusals=fair", "reentrant-mutex:refusals=fair",
          "fenced-mutex:refusals=fair", "semaphore:1,refusals=fair",
          "multi-lock:excludes=a-a,refusals=fair", "read-write-lock:refusals=fair"}) {
        const ModelKind kind = model_of(model).kind;
        const char* const value = has_readers(kind)               ? "\"write\""
                                  : kind == ModelKind::kMultiLock ? "\"a\""
                                                                  : "null";
        std::vector<Step> steps{{"a", "invoke", "acquire", value},
                                {"b", "invoke", "acquire", value},
                                {"a", "fail", "acquire", value},
                                {"b", "fail", "acquire", value}};
        EXPECT_EQ(kViolated, name_of(checked_text(text_of(steps), model).verdict)) << model;
        // One of them gets it.
        steps[2].type = "ok";
        EXPECT_EQ(kPassed, name_of(checked_text(text_of(steps), model).verdict)) << model;
    }
}

// Recorded from workers: the first write of w1 came 0.6 s after its lease had ended.
TEST(Effects, AreJudgedWhereTheirHolderIsAskedForAndElseSaidNotToBe) {
    const HistoryCheck plain = checked_case("workers.jsonl", "lease:ttl=1000000");
    EXPECT_EQ(kPassed, name_of(plain.verdict));
    EXPECT_EQ("2 effects were not judged (writes=holder judges them)",
              unjudged_effects_text(plain, model_of("lease")));
    const HistoryCheck judged = checked_case("workers.jsonl", "lease:ttl=1000000,writes=holder");
    EXPECT_EQ(kViolated, name_of(judged.verdict));
    EXPECT_EQ("an effect of a caller that has no lease", reason_of(judged));
    EXPECT_EQ("", unjudged_effects_text(judged, model_of("lease:writes=holder")));
    EXPECT_EQ(kPassed, name_of(*judged.ladder[1].verdict));
}

constexpr const char* kHeldAndWritten =
    R"({"process":0,"type":"invoke","f":"acquire","time":0}
{"process":0,"type":"ok","f":"acquire","time":2}
{"process":0,"type":"invoke","f":"write","time":14}
{"process":0,"type":"ok","f":"write","time":30}
)";
TEST(Effects, OfALeaseAreLateWhereNoMomentOfTheirCallIsInIt) {
    // Granted at 2 at the latest, for 12; the clocks may differ by 1 in all that time.
    EXPECT_EQ(kPassed,
              name_of(checked_text(kHeldAndWritten, "lease:ttl=12,writes=holder").verdict));
    EXPECT_EQ(kPassed,
              name_of(checked_text(kHeldAndWritten, "lease:ttl=11,error=1,writes=holder").verdict));
    const HistoryCheck late = checked_text(kHeldAndWritten, "lease:ttl=11,writes=holder");
    EXPECT_EQ(kViolated, name_of(late.verdict));
    EXPECT_EQ("an effect at time 14 or later, and the caller's lease had ended at 13 at the latest",
              reason_of(late));
}

TEST(Effects, OfEveryModelThatKnowsItsHolderAreItsHolders) {
    constexpr const char* kOfAnother = R"({"process":1,"type":"invoke","f":"write","time":40}
{"process":1,"type":"ok","f":"write","time":41}
)";
    const auto with_mode = [](std::string text, const std::string& value) {
        for (std::size_t at = 0; (at = text.find("acquire\"", at)) != std::string::npos; at += 9) {
            text.insert(at + 8, value);
        }
        return text;
    };
    for (const char* model :
         {"owner-aware-mutex", "reentrant-mutex", "fenced-mutex", "reentrant-fenced-mutex",
          "multi-lock:excludes=a-a", "read-write-lock", "reentrant-read-write-lock"}) {
        const ModelKind kind = model_of(model).kind;
        const bool is_mode = has_readers(kind);
        const std::string value = is_mode                         ? R"(,"value":"write")"
                                  : kind == ModelKind::kMultiLock ? R"(,"value":"a")"
                                                                  : "";
        const std::string judging =
            std::string(model) + (std::string(model).find(':') == std::string::npos ? ":" : ",") +
            "writes=holder";
        const std::string own = with_mode(kHeldAndWritten, value);
        EXPECT_EQ(kPassed, name_of(checked_text(own, judging).verdict)) << model;
        const HistoryCheck another = checked_text(own + kOfAnother, judging);
        EXPECT_EQ(kViolated, name_of(another.verdict)) << model;
        EXPECT_EQ("an effect of a caller that does not hold it", reason_of(another)) << model;
        EXPECT_EQ(2U, checked_text(own + kOfAnother, model).effects_unjudged) << model;
        if (is_mode) {
            EXPECT_EQ(
                "an effect of a caller that holds it for reading only",
                reason_of(checked_text(with_mode(kHeldAndWritten, R"(,"value":"read")"), judging)));
        }
    }
}

TEST(Effects, OfModelsThatDoNotKnowHoldersCannotBeAskedFor) {
    for (const char* model : {"mutex", "semaphore:2", "resizable-semaphore", "fenced-resource"}) {
        const auto parsed =
            parse_model(std::string(model) + (std::string(model) == "semaphore:2" ? "," : ":") +
                        "writes=holder");
        const auto* error = std::get_if<ModelError>(&parsed);
        ASSERT_NE(nullptr, error) << model;
        EXPECT_EQ("writes", error->unknown_name);
    }
    const HistoryCheck mutex = checked_text(kHeldAndWritten, "mutex");
    EXPECT_EQ("1 effect was not judged (a model that knows who holds does, with writes=holder)",
              unjudged_effects_text(mutex, model_of("mutex")));
}

TEST(LeadingZero, OfANumberInEdnIsRefusedAtItsPlace) {
    const auto read = case_of("leading_zero.edn");
    const auto* error = std::get_if<HistoryError>(&read);
    ASSERT_NE(nullptr, error);
    EXPECT_TRUE(error->to_text().ends_with(
        "leading_zero.edn:1:89: a number that begins with 0 (010), which EDN does not have: some "
        "read 010 as 8, others as 10"))
        << error->to_text();
    for (const char* number :
         {"010", "-010", "+010", "010N", "00", "01.5", "01/3", "01e3", "007"}) {
        EXPECT_TRUE(refusal_of(std::string("{:process 0 :type :ok :f :a\n :value ") + number + "}")
                        .starts_with("h:2:9: a number that begins with 0 (" + std::string(number)))
            << number;
    }
    for (const char* other : {"0", "-0", "0.5", "0x1f", "0N", "01ab", "\"010\"", ":010", "10"}) {
        EXPECT_EQ("no complaint",
                  refusal_of(std::string("{:process 0 :type :ok :f :a :value ") + other + "}"))
            << other;
    }
}

TEST(LeadingZero, OfANumberInJsonIsRefusedAtItsPlace) {
    const std::string said = refusal_of(R"({"process":0,"type":"ok","f":"a","value":010})");
    EXPECT_TRUE(said.starts_with("h:1:44: not JSON")) << said;
}

}  // namespace
}  // namespace lockkeeper
