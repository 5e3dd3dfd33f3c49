// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/footprint.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

KeyFootprint of(std::vector<std::string> words, std::size_t server = 0) {
    return redis_command(words, server).footprint;
}

TEST(KeyFootprint, RequestsOnDifferentKeysCommute) {
    EXPECT_TRUE(commute(of({"SET", "a", "1"}), of({"DEL", "b"})));
    EXPECT_FALSE(commute(of({"SET", "a", "1"}), of({"DEL", "b", "a"})));
    EXPECT_TRUE(commute(of({"SET", "a", "1"}, 0), of({"SET", "a", "1"}, 1)));
    EXPECT_TRUE(commute(of({"mset", "a", "1", "b", "2"}), of({"GET", "1"})));
    EXPECT_FALSE(commute(of({"MSET", "a", "1", "b", "2"}), of({"GET", "b"})));
}

TEST(KeyFootprint, ReadsCommute) {
    EXPECT_TRUE(commute(of({"GET", "a"}), of({"exists", "a"})));
    EXPECT_FALSE(commute(of({"GET", "a"}), of({"EXPIRE", "a", "1"})));
}

TEST(KeyFootprint, AScriptTouchesTheKeysThatItIsGiven) {
    EXPECT_TRUE(commute(of({"EVAL", "x", "1", "a", "b"}), of({"SET", "b", "1"})));
    EXPECT_FALSE(commute(of({"EVALSHA", "x", "2", "a", "b"}), of({"SET", "b", "1"})));
    EXPECT_FALSE(commute(of({"EVAL", "x", "0"}), of({"GET", "b"})));
    EXPECT_FALSE(commute(of({"EVAL", "x", "99"}), of({"GET", "b"})));
    EXPECT_FALSE(commute(of({"EVAL"}), of({"GET", "b"})));
}

TEST(KeyFootprint, WhatTheServerKnowsOfScriptsIsSomethingOfItsOwn) {
    EXPECT_FALSE(commute(of({"SCRIPT", "LOAD", "x"}), of({"EVALSHA", "x", "1", "a"})));
    EXPECT_FALSE(commute(of({"EVAL", "x", "1", "b"}), of({"evalsha", "x", "1", "a"})));
    EXPECT_FALSE(commute(of({"SCRIPT", "LOAD", "x"}), of({"SCRIPT", "EXISTS", "x"})));
    EXPECT_FALSE(commute(of({"SCRIPT", "LOAD", "x"}), of({"SCRIPT", "FLUSH"})));
    EXPECT_TRUE(commute(of({"SCRIPT", "LOAD", "x"}), of({"EVAL", "x", "1", "a"})));
    EXPECT_TRUE(commute(of({"EVALSHA", "x", "1", "b"}), of({"EVALSHA", "x", "1", "a"})));
    EXPECT_TRUE(redis_command({"SCRIPT", "EXISTS", "x"}).is_about_scripts);
}

TEST(KeyFootprint, WhatIsNotKnownTouchesEverything) {
    EXPECT_FALSE(commute(of({"FLUSHALL"}), of({"GET", "b"})));
    EXPECT_FALSE(commute(of({"BLPOP", "a", "0"}), of({"GET", "b"})));
    EXPECT_TRUE(commute(of({"FLUSHALL"}), KeyFootprint{}));
}

TEST(KeyFootprint, OnlyWhatNobodyElseSeesIsSetUp) {
    EXPECT_TRUE(redis_command({"CLIENT", "SETNAME", "x"}).is_set_up);
    EXPECT_TRUE(redis_command({"script", "load", "return 1"}).is_set_up);
    EXPECT_FALSE(redis_command({"SCRIPT", "FLUSH"}).is_set_up);
    EXPECT_FALSE(redis_command({"SET", "a", "1"}).is_set_up);
    EXPECT_FALSE(redis_command({"MULTI"}).is_set_up);
}

}  // namespace
}  // namespace lockkeeper::wire
