// SPDX-License-Identifier: Apache-2.0

// Each run has the state that a driver prepared before the first run, and nothing that an earlier
// run made: functions, users, configuration and keys of Redis.
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string found_of_prepared(const std::string& kind, const std::string& modes) {
    Held held(raw_client(kind, modes, "prepared_lock.py"), two_callers(), {}, exploring());
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged) << kind;
    if (result.tally.answers.errors + result.tally.answers.indefinite_answers > 0) {
        return "errors";
    }
    return !result.finding                       ? (result.complete ? "nothing" : result.limit)
           : result.finding->property == nullptr ? result.finding->detail
                                                 : std::string(result.finding->property->name);
}

TEST(Prepared, IsThereInEachRun) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : {"function", "user", "keyspace", "element"}) {
        EXPECT_EQ("nothing", found_of_prepared(kind, "reset fork prepare")) << kind;
    }
}

TEST(Prepared, IsMissedWhereNobodyPrepares) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("errors", found_of_prepared("function", ""));
    EXPECT_EQ("errors", found_of_prepared("user", ""));
    EXPECT_EQ("deadlock", found_of_prepared("keyspace", ""));
    EXPECT_EQ("under-allocation", found_of_prepared("element", ""));
}

// Else the lock would seem to be lost before the first run.
TEST(Prepared, WhatTheDriverDoesNotAwaitIsThereToo) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_of_prepared("unawaited", "reset fork prepare"));
}

TEST(Prepared, ADriverThatAnswersTooEarlyIsRefused) {
    SKIP_WITHOUT_REDIS();
    std::string told;
    try {
        static_cast<void>(found_of_prepared("many", "reset fork prepare"));
    } catch (const Misbehaved& error) {
        told = error.what();
    }
    EXPECT_EQ(
        "asks more than 256 times behind its answer to \"prepare\": it is to answer when all is "
        "done",
        told);
}

// A library can be loaded once: the second caller of a run is told so, the first one never.
TEST(Prepared, WhatARunHasMadeIsNotThereInTheNext) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : {"in_run_function", "in_run_user", "in_run_keyspace"}) {
        EXPECT_EQ("nothing", found_of_prepared(kind, "")) << kind;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
