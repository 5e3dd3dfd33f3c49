// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/stepped_verdict.hpp"

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

using Actions = std::vector<Action>;

// A search whose time is over once it has found something: nothing can be run again.
class OutOfTime : public OutsideSearch {
  public:
    [[nodiscard]] SteppedResult search() override { return {}; }
    [[nodiscard]] SteppedTrace replay(const Actions&) override { return stopped(); }
    [[nodiscard]] SteppedTrace show(const SteppedFinding&) override { return stopped(); }
    [[nodiscard]] std::string repeated_difference(const SteppedFinding&,
                                                  const SteppedTrace&) override {
        return "";
    }

  private:
    static SteppedTrace stopped() {
        SteppedTrace trace;
        trace.stopped = true;
        return trace;
    }
    void stop_by(const ChildProcess::StopRule&) override {}
    [[nodiscard]] ChildProcess::Deadline deadline() const override {
        return ChildProcess::after(0);
    }
    void begin_run() override {}
    [[nodiscard]] Actions possible() override { return {}; }
    void go(Action) override {}
    [[nodiscard]] bool at_rest() override { return true; }
    void look_at_end() override {}
    [[nodiscard]] bool is_finished() override { return true; }
    [[nodiscard]] ActionClass class_of(Action) const override { return ActionClass::kStep; }
    [[nodiscard]] OutsideTally take_tally() override { return {}; }
    [[nodiscard]] const std::vector<const Property*>& violated() const override { return none_; }
    [[nodiscard]] const std::vector<const Property*>& broken(const Actions&) override {
        return none_;
    }
    void give_up() override {}

    std::vector<const Property*> none_;
};

TEST(SteppedVerdictTest, WhatThereIsNoTimeToRunAgainIsShownAsItWasFound) {
    OutOfTime search;
    SteppedResult result;
    SteppedFinding& found = result.finding.emplace();
    found.property = find_property("over-allocation");
    found.actions = {{0, ActionKind::kStep, 0}, {1, ActionKind::kStep, 0}};
    found.shown = {"A acquire -> acquired", "B acquire -> acquired", "a look at the end"};
    const SteppedVerdict judged = judge_search(search, result, OutsideWorld{}, 7);
    EXPECT_TRUE(is<Violated>(judged.verdict));
    EXPECT_EQ(found.property, judged.property);
    EXPECT_EQ("lk1:7:s0,s1", to_line(judged.schedule)) << "the replay line";
    ASSERT_EQ(3U, judged.trace.steps.size());
    EXPECT_EQ("A acquire -> acquired", judged.trace.steps.front().text);
    EXPECT_EQ(found.actions[1], judged.trace.steps[1].action);
    EXPECT_EQ(1U, judged.trace.probe_steps);
    EXPECT_EQ(std::vector{found.property}, judged.trace.steps.back().violates);
    EXPECT_TRUE(judged.trace.stopped);
}

}  // namespace
}  // namespace lockkeeper
