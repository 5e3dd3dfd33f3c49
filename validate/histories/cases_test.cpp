// SPDX-License-Identifier: Apache-2.0

// Histories that were judged wrongly, most of them recorded from real servers and workers, and what
// has to be said of them and of their kind. The files are in testdata/.
#include <gtest/gtest.h>

#include "validate/histories/count_answers.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

ReadHistory case_of(const std::string& file) {
    return read_history(LOCKKEEPER_SOURCE_DIR "/validate/histories/testdata/" + file);
}

std::string complaint(const std::string& text) {
    const auto read = parse_history(text, "h");
    const auto* error = std::get_if<HistoryError>(&read);
    return error != nullptr ? error->to_text() : "no complaint";
}

HistoryCheck checked(RecordedHistory history, const std::string& model) {
    EXPECT_FALSE(order_records(history, {}));
    return std::get<HistoryCheck>(check_history(history, model_of(model)));
}
HistoryCheck checked_case(const std::string& file, const std::string& model) {
    return checked(std::get<RecordedHistory>(case_of(file)), model);
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
        EXPECT_TRUE(complaint(std::string("{:process 0 :type :ok :f :a\n :value ") + number + "}")
                        .starts_with("h:2:9: a number that begins with 0 (" + std::string(number)))
            << number;
    }
    for (const char* other : {"0", "-0", "0.5", "0x1f", "0N", "01ab", "\"010\"", ":010", "10"}) {
        EXPECT_EQ("no complaint",
                  complaint(std::string("{:process 0 :type :ok :f :a :value ") + other + "}"))
            << other;
    }
}

TEST(LeadingZero, OfANumberInJsonIsRefusedAtItsPlace) {
    const std::string said = complaint(R"({"process":0,"type":"ok","f":"a","value":010})");
    EXPECT_TRUE(said.starts_with("h:1:44: not JSON")) << said;
}

}  // namespace
}  // namespace lockkeeper
