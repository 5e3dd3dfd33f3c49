// SPDX-License-Identifier: Apache-2.0

// The rules of agreement for one statement, without a server.
#include "validate/servers/judgement.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::databases {
namespace {

Expected model(bool refused) {
    Expected expected;
    expected.status = Status::kOk;
    expected.refused = refused;
    return expected;
}

Observed server(const std::string& value) {
    Observed seen;
    seen.status = Status::kOk;
    seen.value = value;
    return seen;
}

TEST(Judgement, ATryIsRefusedByBothOrByNeither) {
    const StatementKind tries{false, true};
    EXPECT_TRUE(agrees(model(true), server("f"), tries));
    EXPECT_TRUE(agrees(model(false), server("t"), tries));
    EXPECT_FALSE(agrees(model(true), server("t"), tries));
    EXPECT_FALSE(agrees(model(false), server("f"), tries));
}

TEST(Judgement, WhatAnotherStatementAnswersIsNoRefusal) {
    EXPECT_TRUE(agrees(model(false), server("f"), {}));
}

TEST(Judgement, ACommitIsARollBackForBothOrForNeither) {
    const StatementKind commit{true, false};
    Observed rolled_back = server("");
    rolled_back.tag = "ROLLBACK";
    EXPECT_FALSE(agrees(model(false), rolled_back, commit));
    Expected expected = model(false);
    expected.rolled_back = true;
    EXPECT_TRUE(agrees(expected, rolled_back, commit));
}

TEST(Judgement, ATokenHasGrownForBothOrForNeither) {
    Expected repeated = model(false);
    repeated.token_repeated = true;
    EXPECT_FALSE(agrees(repeated, server("t"), {}));
    Observed seen = server("t");
    seen.token_repeated = true;
    EXPECT_TRUE(agrees(repeated, seen, {}));
    EXPECT_FALSE(agrees(model(false), seen, {}));
}

// The client says which error only when it has cleaned up.
TEST(Judgement, AnErrorThatTheModelDoesNotNameYetIsAnyError) {
    Expected failing;
    failing.status = Status::kError;
    Observed seen;
    seen.status = Status::kError;
    seen.error = "LeaseLost";
    EXPECT_TRUE(agrees(failing, seen, {}));
    failing.error = "DbError";
    EXPECT_FALSE(agrees(failing, seen, {}));
}

}  // namespace
}  // namespace lockkeeper::databases
