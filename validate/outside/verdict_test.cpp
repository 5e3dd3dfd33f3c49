// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/verdict.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

const OutsideWorld& nothing() {
    static const OutsideWorld kNothing;
    return kNothing;
}

// A source in which nothing happens.
class QuietSource : public Source {
  public:
    explicit QuietSource(const OutsideWorld& world) : Source(world) {}
    void begin() override {}
    [[nodiscard]] std::vector<Action> enabled() override { return {}; }
    OutsideStep take(Action /*action*/) override { return {}; }
    [[nodiscard]] bool finished() override { return true; }
    [[nodiscard]] bool at_rest() override { return true; }
    [[nodiscard]] bool is_deadlock(const std::vector<Action>& /*enabled*/) override {
        return false;
    }

    [[nodiscard]] std::string describe() override { return ""; }
    [[nodiscard]] std::string questions() override { return ""; }
    [[nodiscard]] ActionClass class_of(Action /*action*/) override { return ActionClass::kStep; }
    [[nodiscard]] std::string_view servers() const override { return "nobody"; }
    [[nodiscard]] std::int32_t time_shown() const override { return 0; }
    [[nodiscard]] bool same_party(Action /*left*/, Action /*right*/) override { return false; }
    void stop_by(const StopRule& /*rule*/) override {}
    void give_up() override {}

  private:
    [[nodiscard]] Asked ask_fresh(const Operation& /*view*/, const Asking& /*asking*/,
                                  Look /*how*/) override {
        return {};
    }
    void pass_ends(Look /*how*/) override {}
    void pass_until(std::int64_t /*moment*/, Look /*how*/) override {}
    [[nodiscard]] std::size_t still_held(const LookedAt& /*key*/) override { return 0; }
    [[nodiscard]] std::int64_t now() const override { return 0; }
    [[nodiscard]] bool is_over(std::size_t /*caller*/,
                               const BelievedHolding& /*holding*/) const override {
        return false;
    }
    [[nodiscard]] std::int64_t time_left(std::size_t /*caller*/,
                                         const BelievedHolding& /*holding*/) const override {
        return 0;
    }
};

// A source whose time is over before anything can be run again.
class OutOfTime final : public QuietSource {
  public:
    OutOfTime() : QuietSource(nothing()) {}
    void begin() override { throw Stopped(); }
};

// Its one step is possible in the first run only, and a fresh client never gets the lock, however
// long it waits.
class OnlyOnce final : public QuietSource {
  public:
    OnlyOnce() : QuietSource(one_lock()) {}
    void begin() override {
        ++runs_;
        accounts_.assign(1, {});
        ledger_.begin(accounts_of(accounts_));
        steps_of_look_.clear();
    }
    [[nodiscard]] std::vector<Action> enabled() override {
        return runs_ == 1 ? std::vector<Action>{{0, ActionKind::kStep, 0}} : std::vector<Action>{};
    }
    OutsideStep take(Action /*action*/) override {
        taken_while_impossible_ += runs_ == 1 ? 0 : 1;
        return {"A acquire", "-> full"};
    }
    [[nodiscard]] int runs() const { return runs_; }
    [[nodiscard]] int taken_while_impossible() const { return taken_while_impossible_; }

  private:
    [[nodiscard]] bool asks_at_once(std::uint32_t /*capacity*/, std::uint32_t /*held*/) override {
        return false;
    }
    [[nodiscard]] Asked ask_fresh(const Operation& /*view*/, const Asking& /*asking*/,
                                  Look how) override {
        for (int i = 0; i < (how == Look::kShownShort ? 1 : 2); ++i) {
            show_in_look({0, ActionKind::kTime, 0}, "time passes", "");
        }
        return {};
    }
    static const OutsideWorld& one_lock() {
        static const OutsideWorld kOneLock = [] {
            OutsideWorld world;
            world.world.keys = {"a"};
            CallerConfig& caller = world.world.callers.emplace_back();
            caller.name = "A";
            caller.script.emplace_back().verb = Verb::kAcquire;
            caller.script.back().place_capacity = 1;
            world.check = {find_property("leak")};
            return world;
        }();
        return kOneLock;
    }

    std::vector<Account> accounts_;
    int runs_ = 0;
    int taken_while_impossible_ = 0;
};

TEST(OutsideVerdict, WhatThereIsNoTimeToRunAgainIsShownAsItWasFound) {
    OutOfTime source;
    OutsideSearch search(source, {});
    OutsideResult result;
    OutsideFinding& found = result.finding.emplace();
    found.property = find_property("over-allocation");
    found.actions = {{0, ActionKind::kStep, 0}, {1, ActionKind::kStep, 0}};
    found.shown = {"A acquire -> acquired", "B acquire -> acquired", "a look at the end"};
    const OutsideVerdict judged = judge_search(search, result, OutsideWorld{}, 7);
    EXPECT_TRUE(is<Violated>(judged.verdict));
    EXPECT_EQ(found.property, judged.property);
    EXPECT_EQ("lk1:7:s0,s1", to_line(judged.schedule)) << "the replay line";
    ASSERT_EQ(3U, judged.trace.steps.size());
    EXPECT_EQ("A acquire -> acquired", judged.trace.steps.front().text);
    EXPECT_EQ(found.actions[1], judged.trace.steps[1].action);
    EXPECT_EQ(1U, judged.trace.look_steps);
    EXPECT_EQ(std::vector{found.property}, judged.trace.steps.back().violates);
    EXPECT_TRUE(judged.trace.stopped);
}

// Its first run has a step that the second one does not have, and then there is no time for a
// third.
class LateDifference final : public QuietSource {
  public:
    LateDifference() : QuietSource(nothing()) {}
    void begin() override {
        ++runs_;
        taken_ = 0;
        if (was_asked_) {
            throw Stopped();
        }
    }
    [[nodiscard]] std::vector<Action> enabled() override {
        return taken_ == 0 ? std::vector<Action>{{0, ActionKind::kStep, 0}} : std::vector<Action>{};
    }
    OutsideStep take(Action /*action*/) override {
        ++taken_;
        return {"A acquire", runs_ == 1 ? "-> acquired" : "-> full"};
    }
    [[nodiscard]] bool keep_nobody(const std::string& /*difference*/) override {
        return !std::exchange(was_asked_, true);
    }

  private:
    int runs_ = 0;
    int taken_ = 0;
    bool was_asked_ = false;
};

TEST(OutsideVerdict, ADifferenceStandsWhereNoTimeIsLeftToSearchAgain) {
    LateDifference source;
    OutsideSearch search(source, {});
    OutsideResult result;
    const OutsideVerdict judged = search_and_judge(search, result, nothing(), 1);
    EXPECT_TRUE(is<NotDeterministic>(judged.verdict));
    EXPECT_LT(0U, result.schedules);
}

// A look at the end that is shown in fewer steps is one of a run that is possible.
TEST(OutsideReplay, AShorterLookTakesNoStepThatIsNotPossibleAnyMore) {
    OnlyOnce source;
    OutsideSearch search(source, {});
    const OutsideTrace trace = search.replay({{0, ActionKind::kStep, 0}});
    EXPECT_EQ(std::vector{find_property("leak")}, trace.violated);
    EXPECT_EQ(2, source.runs()) << "the same actions once more, with a shorter look";
    EXPECT_EQ(0, source.taken_while_impossible());
    EXPECT_EQ(2U, trace.look_steps) << "as it was found";
}

}  // namespace
}  // namespace lockkeeper
