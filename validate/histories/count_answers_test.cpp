// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/count_answers.hpp"

#include <gtest/gtest.h>

#include "validate/histories/order_records.hpp"

namespace lockkeeper {
namespace {

RecordedHistory history_of_lines(const std::string& text) {
    const ReadHistory read = parse_history(text, "test");
    return std::get<RecordedHistory>(read);
}

constexpr const char* kMixed = R"({"process":0,"type":"invoke","f":"acquire"}
{"process":0,"type":"fail","f":"acquire"}
{"process":1,"type":"invoke","f":"release"}
{"process":1,"type":"fail","f":"release"}
{"process":2,"type":"invoke","f":"acquire"}
{"process":2,"type":"info","f":"acquire"}
{"process":3,"type":"invoke","f":"acquire"}
{"process":4,"type":"invoke","f":"exit"}
)";

TEST(CountAnswers, EachCallIsCountedOnce) {
    AnswerCounts expected;
    expected.refusals = 1;
    expected.errors = 1;
    expected.indefinite_answers = 2;
    EXPECT_EQ(expected, count_answers(history_of_lines(kMixed)));
    const std::string granted = std::string(kMixed) + R"({"process":5,"type":"ok","f":"acquire"})"
                                                      "\n";
    EXPECT_EQ(1U, count_answers(history_of_lines(granted)).grants);
}

// Judged, the call of one operation may stand before the return of the one before it.
TEST(CountAnswers, RecordsThatWereReorderedAreCountedInTheOrderOfTheirProcess) {
    RecordedHistory history = history_of_lines(
        R"({"process":0,"type":"invoke","f":"acquire","time":100}
{"process":0,"type":"ok","f":"acquire","time":110}
{"process":0,"type":"invoke","f":"release","time":300}
{"process":0,"type":"ok","f":"release","time":310}
{"process":1,"type":"invoke","f":"acquire","time":150}
{"process":1,"type":"ok","f":"acquire","time":160}
{"process":1,"type":"invoke","f":"release","time":200}
{"process":1,"type":"ok","f":"release","time":210}
)");
    ASSERT_FALSE(order_records(history, {.tolerance = 200}));
    ASSERT_FALSE(history.as_written.empty());
    AnswerCounts expected;
    expected.grants = 2;
    EXPECT_EQ(expected, count_answers(history));
}

TEST(CountAnswers, WhatWasNeverGrantedWasNotJudged) {
    const ModelChoice mutex;
    ModelChoice fenced;
    fenced.kind = ModelKind::kFencedResource;
    const RecordedHistory mixed = history_of_lines(kMixed);
    EXPECT_EQ("nothing was ever granted: 0 grants, 1 refusal, 1 error, 2 indefinite answers",
              what_was_not_judged(mixed, count_answers(mixed), mutex));
    EXPECT_EQ("nothing was ever granted: the history is empty", what_was_not_judged({}, {}, mutex));
    const RecordedHistory write =
        history_of_lines(R"({"process":5,"type":"ok","f":"write","value":{"token":1}})"
                         "\n");
    // Not with a token either.
    for (const ModelChoice& model : {mutex, fenced}) {
        EXPECT_EQ("nothing was ever granted: 0 grants, 0 refusals, 0 errors, 0 indefinite answers",
                  what_was_not_judged(write, count_answers(write), model));
    }
}

TEST(CountAnswers, WhatWasAskedForAndNeverHappenedWasNotJudged) {
    const std::string granted = R"({"process":0,"type":"invoke","f":"acquire"}
{"process":0,"type":"ok","f":"acquire"}
)";
    const auto said = [](const std::string& text, const char* model) {
        const RecordedHistory history = history_of_lines(text);
        return what_was_not_judged(history, count_answers(history),
                                   std::get<ModelChoice>(parse_model(model)));
    };
    EXPECT_EQ("", said(granted, "owner-aware-mutex"));
    EXPECT_EQ("no effect was recorded, and writes=holder asks about effects",
              said(granted, "owner-aware-mutex:writes=holder"));
    EXPECT_EQ("no acquire was refused, and refusals=judged asks about refusals",
              said(granted, "mutex:refusals=judged"));
    const std::string write = R"({"process":0,"type":"invoke","f":"write"}
{"process":0,"type":"ok","f":"write"}
)";
    EXPECT_EQ("", said(granted + write, "owner-aware-mutex:writes=holder"));
    const std::string refused = R"({"process":1,"type":"invoke","f":"acquire"}
{"process":1,"type":"fail","f":"acquire"}
)";
    EXPECT_EQ("", said(granted + refused, "mutex:refusals=judged"));
}

}  // namespace
}  // namespace lockkeeper
