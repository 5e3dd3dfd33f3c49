// SPDX-License-Identifier: Apache-2.0

// Schedules come from strangers' reports: whatever the text, parsing ends, and what is printed
// reads back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/schedule.hpp"

namespace lockkeeper {
namespace {

// Few different ones, so that neighbours are often equal; and now and then any number.
Action arbitrary_action() {
    const auto kind = *rc::gen::elementOf(std::vector<ActionKind>{
        ActionKind::kStep, ActionKind::kBackground, ActionKind::kCrash, ActionKind::kResize});
    const bool small = *rc::gen::inRange(0, 4) > 0;
    const auto actor =
        small ? *rc::gen::inRange<std::uint8_t>(0, 2) : *rc::gen::arbitrary<std::uint8_t>();
    const auto argument =
        small ? *rc::gen::inRange<std::uint16_t>(0, 2) : *rc::gen::arbitrary<std::uint16_t>();
    switch (kind) {
        case ActionKind::kBackground: return {actor, kind, argument};
        case ActionKind::kResize: return {0, kind, 0};
        default: return {actor, kind, 0};
    }
}

Schedule arbitrary_schedule() {
    Schedule schedule{*rc::gen::arbitrary<std::uint64_t>(), {}};
    const int runs = *rc::gen::inRange(0, 12);
    for (int i = 0; i < runs; ++i) {
        const auto times = *rc::gen::inRange<std::size_t>(1, 5);
        schedule.actions.insert(schedule.actions.end(), times, arbitrary_action());
    }
    const std::vector<Action> once = schedule.actions;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        schedule.actions.insert(schedule.actions.end(), once.begin(), once.end());
    }
    return schedule;
}

// A schedule whose line reads back to itself, or an error inside of the text.
void assert_harmless(const std::string& text) {
    const auto result = parse_schedule(text);
    if (const auto* error = std::get_if<ScheduleError>(&result)) {
        RC_ASSERT(error->offset <= text.size());
        RC_ASSERT(!error->message.empty());
        return;
    }
    const auto& schedule = std::get<Schedule>(result);
    RC_ASSERT(schedule.actions.size() <= kScheduleStepsMax);
    RC_ASSERT(std::get<Schedule>(parse_schedule(to_line(schedule))) == schedule);
}

RC_GTEST_PROP(ScheduleLine, reads_back_to_the_schedule_that_was_printed, ()) {
    const Schedule schedule = arbitrary_schedule();
    const std::string line = to_line(schedule);
    RC_LOG() << line;
    RC_ASSERT(std::get<Schedule>(parse_schedule(line)) == schedule);
    RC_ASSERT(line.find('\n') == std::string::npos);
}

RC_GTEST_PROP(ScheduleLine, of_one_action_is_the_text_of_the_action, ()) {
    const Action action = arbitrary_action();
    RC_ASSERT(std::get<Action>(parse_action(to_text(action))) == action);
    RC_ASSERT(to_line({1, {action}}) == "lk1:1:" + to_text(action));
}

RC_GTEST_PROP(DamagedSchedule, is_read_or_refused_at_a_byte_of_it, ()) {
    std::string text = to_line(arbitrary_schedule());
    const int damages = *rc::gen::inRange(1, 5);
    for (int i = 0; i < damages && !text.empty(); ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        switch (*rc::gen::inRange(0, 4)) {
            case 0: text[at] = *rc::gen::arbitrary<char>(); break;
            case 1: text.erase(at, *rc::gen::inRange<std::size_t>(1, 8)); break;
            case 2: text.insert(at, 1, *rc::gen::elementOf(std::string("lk1:sbxr*,.09-()"))); break;
            default: text.insert(at, text.substr(at, *rc::gen::inRange<std::size_t>(1, 8))); break;
        }
    }
    RC_LOG() << text;
    assert_harmless(text);
}

RC_GTEST_PROP(ArbitraryText, is_refused_at_a_byte_of_it, (const std::string& text)) {
    assert_harmless(text);
    assert_harmless("lk1:" + text);
    assert_harmless("lk1:1:" + text);
}

}  // namespace
}  // namespace lockkeeper
