// SPDX-License-Identifier: Apache-2.0

// How scripts wait for each other: signals, waits, and what only a holder does.
#include <gtest/gtest.h>

#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_model;

struct SignallingTestAndSet : TestAndSet {
    using Size = WorldSize<3, 2, std::uint8_t, std::uint8_t, 2, 3>;
};
using SignallingState = World<SignallingTestAndSet>::State;
static_assert(System<World<SignallingTestAndSet>>);
// The layout behind the shared part, without and with signals.
static_assert(sizeof(World<TestAndSet>::State) % 8 == 0 && sizeof(SignallingState) % 8 == 0);
static_assert(offsetof(SignallingState, signals) == offsetof(SignallingState, resizes) + 1);
static_assert(offsetof(World<TestAndSet>::State, signals) == offsetof(SignallingState, signals));

constexpr int kGo = 0;
constexpr int kDone = 1;

Operation signal(int number, int amount = 1) {
    Operation operation;
    operation.verb = Verb::kSignal;
    operation.signal = static_cast<std::uint8_t>(number);
    operation.amount = static_cast<std::uint8_t>(amount);
    return operation;
}
Operation wait_for(int number, int amount = 1) {
    Operation operation = signal(number, amount);
    operation.verb = Verb::kWait;
    return operation;
}
Operation wait_kept(int number, int amount = 1) {
    Operation operation = wait_for(number, amount);
    operation.keep = true;
    return operation;
}
Operation if_holding(int governs, int key = 0) {
    Operation operation;
    operation.verb = Verb::kIfHolding;
    operation.key = static_cast<std::uint8_t>(key);
    operation.governs = static_cast<std::uint32_t>(governs);
    return operation;
}

WorldConfig signalling(const std::vector<std::vector<Operation>>& scripts) {
    WorldConfig config = world_of(scripts);
    config.keys = {"db", "cache"};
    config.signals = {"go", "done"};
    return config;
}
Walk<SignallingTestAndSet> walk_of(const WorldConfig& config) {
    return Walk(SignallingTestAndSet{}, config);
}
WorldConfig signalling_for_ever(WorldConfig config) {
    for (CallerConfig& caller : config.callers) {
        caller.repeats_forever = true;
    }
    return config;
}
bool same_signalling_bytes(const SignallingState& left, const SignallingState& right) {
    return std::memcmp(&left, &right, sizeof(SignallingState)) == 0;
}

TEST(WorldSignal, lets_a_waiting_caller_go_on) {
    auto walk = walk_of(signalling({{wait_for(kGo), acquire()}, {signal(kGo)}}));
    EXPECT_EQ(walk.enabled(), "s1");
    walk.step(1);
    EXPECT_EQ(walk.enabled(), "s0");
    walk.step(0);
    EXPECT_EQ(walk.next(0), "A acquire: test and set");
}

TEST(WorldSignal, and_wait_are_no_calls_and_show_what_is_counted_after_them) {
    auto walk = walk_of(signalling({{signal(kGo, 3), wait_for(kGo, 2), wait_kept(kGo)}}));
    for (const auto& [verb, count] :
         {std::pair{Verb::kSignal, 3}, std::pair{Verb::kWait, 1}, std::pair{Verb::kWait, 1}}) {
        const Event event = walk.step();
        EXPECT_EQ(event.what, 0U);
        EXPECT_TRUE(event.passed_signal());
        EXPECT_EQ(event.invoked, verb);
        EXPECT_EQ(event.value, count);
        EXPECT_EQ(event.caller, 0);
        EXPECT_TRUE(walk.world().quiescent(walk.state()));
    }
    EXPECT_TRUE(walk.world().finished(walk.state()));
}

TEST(WorldSignal, is_no_call_either_when_a_call_surrounds_it) {
    auto walk = walk_of(signalling({{acquire(), signal(kGo)}, {wait_for(kGo)}}));
    EXPECT_FALSE(walk.step(0).passed_signal());
    EXPECT_FALSE(walk.seen().quiescent);
    walk.step(0);
    EXPECT_TRUE(walk.seen().quiescent) << "B waits, and that is rest";
    EXPECT_FALSE(walk.seen().callers[1].calling);
    EXPECT_FALSE(walk.seen().callers[1].finished);
}

TEST(WorldSignal, that_counts_more_than_a_byte_is_refused_by_name) {
    auto walk = walk_of(signalling({{signal(kGo, 255), signal(kGo), wait_for(kGo)}}));
    walk.step();
    try {
        walk.step();
        FAIL() << "256 do not fit";
    } catch (const LimitExceeded& limit) {
        EXPECT_STREQ(limit.what(), "the signal go counts more than 255");
    }
}

TEST(WorldWait, takes_what_it_waited_for) {
    auto walk = walk_of(
        signalling({{wait_for(kGo, 2)}, {wait_for(kGo, 2)}, {signal(kGo), signal(kGo, 2)}}));
    walk.step(2);
    EXPECT_EQ(walk.enabled(), "s2") << "one is too little";
    walk.step(2);
    EXPECT_EQ(walk.enabled(), "s0,s1");
    walk.step(1);
    EXPECT_EQ(walk.enabled(), "") << "two of three are taken";
}

TEST(WorldWait, that_keeps_the_signal_lets_everybody_pass) {
    auto walk = walk_of(signalling({{wait_kept(kGo)}, {wait_kept(kGo)}, {signal(kGo)}}));
    EXPECT_EQ(walk.enabled(), "s2");
    walk.step(2);
    walk.step(0);
    EXPECT_EQ(walk.enabled(), "s1");
    walk.step(1);
    EXPECT_TRUE(walk.world().finished(walk.state()));
}

TEST(WorldWait, for_another_signal_is_not_passed) {
    auto walk = walk_of(signalling({{wait_for(kDone)}, {signal(kGo), signal(kDone)}}));
    walk.step(1);
    EXPECT_EQ(walk.enabled(), "s1");
}

TEST(WorldWait, for_ever_is_a_deadlock_and_not_the_end) {
    auto walk = walk_of(signalling({{wait_for(kGo)}, {acquire()}}));
    walk.steps(1, 2);
    EXPECT_EQ(walk.enabled(), "");
    EXPECT_FALSE(walk.world().finished(walk.state()));
}

TEST(WorldWait, can_be_the_place_of_a_crash) {
    WorldConfig config = signalling({{wait_for(kGo), acquire()}, {signal(kGo)}});
    config.crashes_max = 1;
    auto walk = walk_of(config);
    EXPECT_EQ(walk.enabled(), "s1,x0,x1");
    walk.crash(0);
    EXPECT_TRUE(walk.seen().callers[0].dead);
    walk.step(1);
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldIfHolding, is_decided_without_a_step_when_the_caller_gets_there) {
    auto walk = walk_of(
        signalling({{acquire(), if_holding(2), release(), signal(kGo), signal(kDone), acquire()}}));
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(), "A release: look");
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(), "A signal go") << "what was decided stays, though nothing is held now";
    walk.step();
    EXPECT_EQ(walk.next(), "A signal done");
}

TEST(WorldIfHolding, passes_over_what_it_governs) {
    auto walk = walk_of(signalling(
        {{acquire()}, {acquire(), if_holding(2), release(), signal(kGo), signal(kDone)}}));
    walk.steps(0, 2);
    EXPECT_TRUE(walk.step(1).is(kRefused));
    EXPECT_EQ(walk.next(1), "B signal done");
}

TEST(WorldIfHolding, asks_for_its_own_key) {
    auto walk = walk_of(signalling(
        {{acquire(1, 1, 0), if_holding(1, 1), signal(kGo), if_holding(1, 0), signal(kDone)}}));
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(), "A signal done");
}

TEST(WorldIfHolding, may_stand_in_another_one) {
    auto walk = walk_of(signalling({{acquire(1, 1, 0), if_holding(3, 0), if_holding(1, 1),
                                     signal(kGo), signal(kDone), signal(kGo)}}));
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(), "A signal done");
    walk.step();
    EXPECT_EQ(walk.next(), "A signal go");
}

TEST(WorldIfHolding, at_the_end_of_a_script_ends_it) {
    auto walk = walk_of(signalling({{if_holding(1), signal(kGo)}, {wait_for(kGo)}}));
    EXPECT_TRUE(walk.seen().callers[0].finished);
}

TEST(WorldIfHolding, at_the_end_of_a_script_that_repeats_for_ever_begins_it_again) {
    auto walk = walk_of(signalling_for_ever(signalling(
        {{acquire()},
         {if_holding(1), signal(kGo), acquire(), if_holding(2), signal(kDone), signal(kDone)}})));
    walk.steps(0, 2);
    for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(walk.step(1).is(kRefused));
        EXPECT_EQ(walk.next(1), "B acquire: test and set");
    }
}

TEST(WorldIfHolding, that_governs_all_of_a_script_for_ever_finishes_it) {
    const auto walk = walk_of(signalling_for_ever(signalling(
        {{if_holding(2), signal(kGo), signal(kGo)}, {if_holding(1), signal(kGo), release()}})));
    EXPECT_TRUE(walk.world().finished(walk.state()));
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldScript, of_signals_and_waits_repeats_for_ever) {
    auto walk = walk_of(signalling_for_ever(signalling({{signal(kGo), wait_for(kDone)},  //
                                                        {wait_for(kGo), signal(kDone)}})));
    const SignallingState initial = walk.state();
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(walk.enabled(), "s0");
        walk.step(0);
        walk.steps(1, 2);
        walk.step(0);
        EXPECT_TRUE(same_signalling_bytes(walk.state(), initial))
            << "what was taken leaves no trace";
    }
}

TEST(WorldBytes, beyond_the_signals_of_the_scenario_stay_zero) {
    auto walk = walk_of(signalling({{signal(kGo, 255), signal(kDone, 254), wait_for(kGo)}}));
    walk.steps(0, 2);
    EXPECT_EQ(walk.state().signals[0], 255);
    EXPECT_EQ(walk.state().signals[1], 254);
    for (std::size_t i = 2; i < walk.state().signals.size(); ++i) {
        EXPECT_EQ(walk.state().signals[i], 0) << i;
    }
}

TEST(WorldBytes, of_a_caller_that_ended_do_not_tell_what_it_passed_over) {
    auto one = walk_of(signalling({{acquire(), if_holding(1), release()}, {acquire()}}));
    one.steps(0, 4);
    one.steps(1, 2);
    auto other = walk_of(signalling({{acquire(), if_holding(1), release()}, {acquire()}}));
    other.steps(1, 2);
    EXPECT_TRUE(other.step(0).is(kRefused));
    EXPECT_TRUE(same_signalling_bytes(one.state(), other.state()));
}

TEST(WorldCanonical, state_does_not_tell_who_of_a_group_gave_a_signal) {
    WorldConfig config = signalling({{signal(kGo)}, {signal(kGo)}, {wait_for(kGo)}});
    config.callers[1].group = config.callers[0].group;
    auto a = walk_of(config);
    auto b = walk_of(config);
    a.step(0);
    b.step(1);
    a.world().canonicalize(a.state());
    b.world().canonicalize(b.state());
    EXPECT_TRUE(same_signalling_bytes(a.state(), b.state()));
}

TEST(WorldWords, name_the_signal_and_how_much_of_it) {
    auto walk =
        walk_of(signalling({{signal(kDone), wait_for(kDone), signal(kGo, 4)}, {wait_for(kGo, 4)}}));
    EXPECT_EQ(walk.next(), "A signal done");
    walk.step();
    EXPECT_EQ(walk.next(), "A wait for done");
    walk.step();
    EXPECT_EQ(walk.next(), "A signal go x4");
    walk.step();
    EXPECT_EQ(walk.next(1), "B wait for go x4");
}

TEST(WorldConfiguration, with_a_signal_that_has_no_name_is_refused) {
    WorldConfig config = signalling({{signal(2)}});
    EXPECT_THROW(walk_of(config), InternalError);
    config = signalling({{if_holding(1)}});
    EXPECT_THROW(walk_of(config), InternalError) << "nothing follows that it could govern";
    config = world_of({{signal(kGo)}});
    config.signals = {"go"};
    EXPECT_THROW(Walk(TestAndSet{}, config), InternalError) << "this size has no signals";
}

}  // namespace
}  // namespace lockkeeper
