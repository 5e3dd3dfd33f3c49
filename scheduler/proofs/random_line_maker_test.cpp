// SPDX-License-Identifier: Apache-2.0

// Makes lines at random (random_lock_test.hpp): the lock has an owner and a line of two places. A
// release hands it over in a step of nobody's, of which everybody hears: they step forward. A lease
// that is over goes to the first in the line likewise. Then some entries are changed.
#include "scheduler/proofs/dice_test.hpp"
#include "scheduler/proofs/random_lock_test.hpp"

namespace lockkeeper::testing_proofs {
namespace line_maker {
namespace {

// States of the shared part, by the number of waiters, and the marks of callers.
enum State : std::uint8_t { kFree, kTaken, kTakenOneWaits, kTakenTwoWait, kHandsOver, kOneStays };
enum Mark : std::uint8_t { kNothing, kOwner, kFirst, kSecond };
constexpr std::uint8_t kWaits = 2;  // a label of acquire

// Returns the state after the owner of a taken lock no longer has it.
std::uint8_t given_up(std::uint8_t state) {
    switch (state) {
        case kTaken: return kFree;
        case kTakenOneWaits: return kHandsOver;
        case kTakenTwoWait: return kOneStays;
        default: return state;
    }
}

void make_calls(LineTables& line, std::uint8_t state, std::uint8_t mark) {
    auto& acquire = line.steps[0][state][mark];
    auto& release = line.steps[1][state][mark];
    const LineTables::Entry refused{state, mark, 0, Outcome::kRefused, 0};
    acquire = {refused, refused, refused, refused};
    if (state == kFree) {
        acquire[1] = {kTaken, kOwner, 0, Outcome::kAcquired, 0};
    } else if (state == kTaken || state == kTakenOneWaits) {
        const std::uint8_t place = state == kTaken ? kFirst : kSecond;
        acquire[1] = {static_cast<std::uint8_t>(state + 1), place, kWaits, Outcome::kContinues, 0};
    }
    if (mark == kOwner) {
        acquire[kWaits] = {state, kOwner, 0, Outcome::kAcquired, 0};
    }
    const std::uint8_t after = mark == kOwner ? given_up(state) : state;
    const LineTables::Entry released{after, mark == kOwner ? std::uint8_t{kNothing} : mark, 0,
                                     Outcome::kReleased, 0};
    release = {released, released, released, released};
    const bool is_in_line = mark == kFirst || mark == kSecond;
    line.is_blocked[state][mark] = {false, false, is_in_line, false};
}

void make_a_line(LineTables& line) {
    for (std::uint8_t state = 0; state < LineTables::kStates; ++state) {
        for (std::uint8_t mark = 0; mark < LineTables::kMarks; ++mark) {
            make_calls(line, state, mark);
            line.background_steps[state][mark] = {false, state, mark};
            const bool steps_forward = mark == kFirst || mark == kSecond;
            line.mark_when_heard[state][mark] =
                static_cast<std::uint8_t>(mark - (steps_forward ? 1 : 0));
        }
        line.counted[state] = state == kFree ? 0 : 1;
    }
    line.steps_elsewhere[kHandsOver] = {true, kTaken, true};
    line.steps_elsewhere[kOneStays] = {true, kTakenOneWaits, true};
    line.granted_from = LineTables::kLabels;
    line.mark_of_dead = {kNothing, kOwner, kFirst, kSecond};
    line.references_of = {};
}

// The owner is told of its end by time, or time waits until it has given up.
void make_it_end(RandomLeaseLine& line, bool waits) {
    for (std::uint8_t state = 0; state < LineTables::kStates; ++state) {
        for (std::uint8_t mark = 0; mark < LineTables::kMarks; ++mark) {
            const bool owns = mark == kOwner;
            line.passed[state][mark] = {owns ? std::uint8_t{kNothing} : mark, owns};
            line.is_late[state][mark] = waits && owns;
            if (waits && owns) {
                line.background_steps[state][mark] = {true, given_up(state), kNothing};
            }
            for (std::uint8_t label = 0; label < LineTables::kLabels; ++label) {
                line.label_when_passed[mark][label] = label;
            }
        }
        const bool hands_over = state == kHandsOver || state == kOneStays;
        line.time[state] = {!hands_over, waits ? state : given_up(state), true};
    }
    line.loses_in_background = {false, true, false, false};
}

// Each throw in a statement of its own: the order of others is the compiler's.
void change_something(LineTables& line, Dice& dice) {
    const std::uint8_t state = dice.below(LineTables::kStates);
    const std::uint8_t mark = dice.below(LineTables::kMarks);
    const unsigned what = dice.below(8);
    const std::uint8_t state_after = dice.below(LineTables::kStates);
    const std::uint8_t mark_after = dice.below(LineTables::kMarks);
    const std::uint8_t verb = dice.below(2);
    const auto label = static_cast<std::uint8_t>(1 + dice.below(2));
    const bool yes = dice.one_in(2);
    LineTables::Entry& entry = line.steps[verb][state][mark][label];
    switch (what) {
        case 0: entry.state = state_after; return;
        case 1: entry.mark = mark_after; return;
        case 2:
            entry.outcome = yes ? Outcome::kAcquired : Outcome::kRefused;
            entry.at = 0;
            return;
        case 3: line.mark_when_heard[state][mark] = mark_after; return;
        case 4: line.steps_elsewhere[state] = {yes, state_after, true}; return;
        case 5: line.background_steps[state][mark] = {yes, state_after, mark_after}; return;
        case 6: line.is_blocked[state][mark][label] = yes; return;
        default: line.mark_of_dead[mark] = mark_after; return;
    }
}

void change_some_time(RandomLeaseLine& line, Dice& dice) {
    const std::uint8_t state = dice.below(LineTables::kStates);
    const std::uint8_t mark = dice.below(LineTables::kMarks);
    const std::uint8_t state_after = dice.below(LineTables::kStates);
    const std::uint8_t mark_after = dice.below(LineTables::kMarks);
    const unsigned what = dice.below(8);
    const bool yes = dice.one_in(2);
    switch (what) {
        case 0: line.is_late[state][mark] = yes; return;
        case 1: line.time[state].is_heard = yes; return;
        case 2: line.time[state].state = state_after; return;
        case 3: line.passed[state][mark] = {mark_after, yes}; return;
        case 4:
            line.label_when_passed[mark][kWaits] = static_cast<std::uint8_t>(yes ? 1 : 3);
            return;
        default: change_something(line, dice); return;
    }
}

unsigned changes(Dice& dice) { return dice.one_in(8) ? 20 : dice.below(4); }

}  // namespace
}  // namespace line_maker

RandomLine random_line(std::uint32_t seed) {
    using namespace line_maker;
    Dice dice(seed ^ 0x11EEU);
    RandomLine line{};
    make_a_line(line);
    line.references_of = {0, 1, 0, 0};
    for (unsigned left = changes(dice); left > 0; --left) {
        change_something(line, dice);
    }
    return line;
}

RandomLeaseLine random_lease_line(std::uint32_t seed) {
    using namespace line_maker;
    Dice dice(seed ^ 0x1EA5EU);
    RandomLeaseLine line{};
    make_a_line(line);
    make_it_end(line, dice.one_in(2));
    for (unsigned left = changes(dice); left > 0; --left) {
        change_some_time(line, dice);
    }
    return line;
}

}  // namespace lockkeeper::testing_proofs
