// SPDX-License-Identifier: Apache-2.0

// Makes the small locks of random_lock_test.hpp, each of its seed.
#include <algorithm>

#include "scheduler/proofs/dice_test.hpp"
#include "scheduler/proofs/random_lock_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

RandomLock::Entry any_entry(Dice& dice) {
    RandomLock::Entry entry{dice.below(RandomLock::kStates), dice.below(RandomLock::kMarks),
                            static_cast<std::uint8_t>(1 + dice.below(RandomLock::kLabels - 1)),
                            Outcome::kContinues, 0};
    constexpr std::array kEnds{Outcome::kAcquired, Outcome::kRefused, Outcome::kReleased};
    if (dice.one_in(2)) {
        entry.outcome = kEnds[dice.below(kEnds.size())];
        entry.at = 0;
    }
    entry.outcome = dice.one_in(40) ? Outcome::kDied : entry.outcome;
    return entry;
}

// Takes below the capacity, gives back what the mark says; where the caller died, the servers do.
void make_a_counter(RandomLock& lock, std::uint8_t capacity, bool slowly) {
    for (std::uint8_t state = 0; state < RandomLock::kStates; ++state) {
        for (std::uint8_t mark = 0; mark < RandomLock::kMarks; ++mark) {
            const bool has_room = state < capacity;
            const auto more = static_cast<std::uint8_t>(state + (has_room ? 1 : 0));
            const auto less = static_cast<std::uint8_t>(state - (state > 0 ? 1 : 0));
            auto& take = lock.steps[0][state][mark];
            auto& give = lock.steps[1][state][mark];
            const RandomLock::Entry full{state, mark, 0, Outcome::kRefused, 0};
            take[1] = !has_room ? full
                      : slowly  ? RandomLock::Entry{more, 1, 2, Outcome::kContinues, 0}
                                : RandomLock::Entry{more, 1, 0, Outcome::kAcquired, 0};
            take[2] = {state, 1, 0, Outcome::kAcquired, 0};
            take[3] = full;
            give[1] = {less, 0, 0, Outcome::kReleased, 0};
            give[2] = give[1];
            give[3] = give[1];
            lock.background_steps[state][mark] = {mark == 2, less, 0};
            lock.is_blocked[state][mark] = {};
        }
        lock.counted[state] = static_cast<std::int8_t>(state);
    }
    lock.granted_from = 2;
    lock.mark_of_dead = {0, 2, 2};
    lock.references_of = {0, 1, 0};
}

// Each throw in a statement of its own: the order of others is the compiler's.
void change_something(RandomLock& lock, Dice& dice) {
    const std::uint8_t state = dice.below(RandomLock::kStates);
    const std::uint8_t mark = dice.below(RandomLock::kMarks);
    const unsigned what = dice.below(6);
    if (what < 3) {
        const std::uint8_t verb = dice.below(2);
        const std::uint8_t label = dice.below(RandomLock::kLabels);
        lock.steps[verb][state][mark][label] = any_entry(dice);
    } else if (what == 3) {
        RandomLock::Behind& step = lock.background_steps[state][mark];
        step.is_there = dice.one_in(2);
        step.state = dice.below(RandomLock::kStates);
        step.mark = dice.below(RandomLock::kMarks);
    } else if (what == 4) {
        const unsigned label = 1U + dice.below(3);
        lock.is_blocked[state][mark][label] = dice.one_in(2);
    } else {
        lock.mark_of_dead[mark] = dice.below(RandomLock::kMarks);
    }
}

// The state says for how long the lock is taken, the mark for how long its holder believes to hold
// it: then it is told by time, or time waits until it has given up.
void make_a_lease(RandomTimed& lock, std::uint8_t taken, std::uint8_t believed, bool waits) {
    for (std::uint8_t state = 0; state < RandomLock::kStates; ++state) {
        for (std::uint8_t mark = 0; mark < RandomLock::kMarks; ++mark) {
            const bool is_free = state == 0;
            const RandomLock::Entry refused{state, mark, 0, Outcome::kRefused, 0};
            const RandomLock::Entry granted{taken, believed, 0, Outcome::kAcquired, 0};
            const RandomLock::Entry released{mark > 0 ? std::uint8_t{0} : state, 0, 0,
                                             Outcome::kReleased, 0};
            const auto older = static_cast<std::uint8_t>(mark - (mark > 0 ? 1 : 0));
            for (unsigned label = 1; label < RandomLock::kLabels; ++label) {
                lock.steps[0][state][mark][label] = is_free ? granted : refused;
                lock.steps[1][state][mark][label] = released;
                lock.label_when_passed[mark][label] = static_cast<std::uint8_t>(label);
            }
            lock.background_steps[state][mark] = {waits && mark == 1, state, 0};
            lock.is_late[state][mark] = waits && mark == 1;
            lock.passed[state][mark] = {older, mark == 1};
        }
        lock.time[state] = {true, static_cast<std::uint8_t>(state - (state > 0 ? 1 : 0)), true};
        lock.counted[state] = state > 0 ? 1 : 0;
    }
    lock.granted_from = RandomLock::kLabels;
    lock.loses_in_background = {false, true, false};
    lock.mark_of_dead = {0, 0, 0};
    lock.references_of = {0, 0, 0};
}

void change_some_time(RandomTimed& lock, Dice& dice) {
    const std::uint8_t state = dice.below(RandomLock::kStates);
    const std::uint8_t mark = dice.below(RandomLock::kMarks);
    const unsigned what = dice.below(5);
    if (what == 0) {
        lock.is_late[state][mark] = dice.one_in(2);
    } else if (what == 1) {
        lock.time[state].is_there = dice.one_in(2);
        lock.time[state].is_heard = dice.one_in(2);
    } else if (what == 2) {
        lock.passed[state][mark].mark = dice.below(RandomLock::kMarks);
        lock.passed[state][mark].is_lost = dice.one_in(2);
    } else if (what == 3) {
        const unsigned label = 1U + dice.below(RandomLock::kLabels - 1);
        lock.label_when_passed[mark][label] =
            static_cast<std::uint8_t>(1 + dice.below(RandomLock::kLabels - 1));
    } else {
        change_something(lock, dice);
    }
}

}  // namespace

RandomTimed random_timed_lock(std::uint32_t seed) {
    RandomTimed lock{};
    Dice dice(seed ^ 0x71AEDU);
    if (dice.one_in(3)) {  // a counter, and time beside it
        static_cast<RandomLock&>(lock) = random_lock_that_tells(seed);
        for (std::uint8_t mark = 0; mark < RandomLock::kMarks; ++mark) {
            for (std::uint8_t state = 0; state < RandomLock::kStates; ++state) {
                lock.passed[state][mark].mark = mark;
                lock.time[state].state = state;
            }
            for (std::uint8_t label = 0; label < RandomLock::kLabels; ++label) {
                lock.label_when_passed[mark][label] = label;
            }
        }
    } else {
        const auto taken = static_cast<std::uint8_t>(1 + dice.below(4));
        const auto believed = static_cast<std::uint8_t>(1 + dice.below(2));
        make_a_lease(lock, taken, believed, dice.one_in(2));
    }
    const unsigned changes = dice.one_in(8) ? 30 : dice.below(4);
    for (unsigned i = 0; i < changes; ++i) {
        change_some_time(lock, dice);
    }
    return lock;
}

RandomLock random_lock(std::uint32_t seed) {
    Dice dice(seed);
    RandomLock lock{};
    const auto capacity = static_cast<std::uint8_t>(1 + dice.below(3));  // one after the other
    const bool slowly = dice.one_in(2);
    make_a_counter(lock, capacity, slowly);
    const unsigned kind = dice.below(4);
    const unsigned changes = kind == 0 ? 60 : dice.below(4);
    for (unsigned i = 0; i < changes; ++i) {
        change_something(lock, dice);
    }
    return lock;
}

RandomLock random_lock_that_tells(std::uint32_t seed) {
    RandomLock lock = random_lock(seed);
    Dice dice(seed ^ 0x7E115U);
    for (std::uint8_t state = 0; state < RandomLock::kStates; ++state) {
        RandomLock::Elsewhere& step = lock.steps_elsewhere[state];
        step.is_there = dice.one_in(4);
        step.state = dice.one_in(2) ? state : dice.below(RandomLock::kStates);
        step.is_heard = !dice.one_in(4);
        for (std::uint8_t mark = 0; mark < RandomLock::kMarks; ++mark) {
            std::uint8_t& heard = lock.mark_when_heard[state][mark];
            heard = dice.one_in(2) ? mark : dice.below(RandomLock::kMarks);
        }
    }
    return lock;
}

WorldConfig random_callers(std::uint32_t seed) {
    Dice dice(seed ^ 0x5EED5EEDU);
    WorldConfig world;
    world.keys = {"db"};
    const std::size_t kinds = dice.one_in(3) ? 2 : 1;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + kind));
        caller.group = static_cast<std::uint8_t>(kind);
        Operation acquire;
        acquire.place_capacity = static_cast<std::uint16_t>(1 + dice.below(3));
        Operation release = acquire;
        release.verb = Verb::kRelease;
        release.unchecked = dice.one_in(20);
        caller.script = {acquire, release};
        world.callers.push_back(caller);
    }
    world.crashes_max = dice.one_in(2) ? 1 : 0;
    return world;
}

}  // namespace lockkeeper::testing_proofs
