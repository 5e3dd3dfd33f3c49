// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/verdict.hpp"

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

// A source whose time is over before anything can be run again.
class OutOfTime : public Source {
  public:
    OutOfTime() : Source(nothing()) {}
    void begin() override { throw Stopped(); }
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
    static const OutsideWorld& nothing() {
        static const OutsideWorld kNothing;
        return kNothing;
    }
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

}  // namespace
}  // namespace lockkeeper
