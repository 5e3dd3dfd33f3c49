// SPDX-License-Identifier: Apache-2.0

// The optional parts of an implementation (implementation.hpp), and the hints that make searches of
// it faster.
#pragma once

#include <cstdint>

#include "model/observation.hpp"

namespace lockkeeper {

// Optional parts of an implementation: it lists them in `static constexpr Traits kTraits`, and has
// the functions that stand beside each. World calls no others; BasicImplementation has none.
// An implementation with kShowsGrants (observation.hpp) has one more:
//   holds(shared, record, key) the servers' record grants the caller a lock of the key now.
// Where apply_background notes kLost, event.caller does not believe to hold event.key any more: its
// own timer, or a message, told it.
struct Traits {
    // faults_of(shared, record, call, operation)   bit n: the next step of this call can go wrong
    //                            in way n now. step() then finds n in operation.fault (0: it
    //                            goes right). Budgets are the implementation's own (a count in
    //                            Shared).
    // fault_name(n)              a word for reports
    bool faults = false;
    // disturbances(shared, records, out)   faults that are nobody's step (kDisturb); they come to
    //                            apply_background.
    bool disturbances = false;
    // can_restart(shared, record), on_restart(shared, record)
    //                            a dead caller may start again: a fresh process, which runs its
    //                            script from the beginning; what is left of its record then is
    //                            what the servers have of the dead one
    bool restarts = false;
    // now(shared)                virtual time (virtual_time.hpp)
    // time_is_over(shared, records)   see System: time would go on, but its end has come
    bool clock = false;
    // excludes(key, other)       a lock of `key` and one of `other` exclude each other. Without it:
    //                            locks of one key.
    bool excludes = false;
    // watch(shared, records)     after every step: monitors of the implementation
    bool watches = false;
    // judge(shared, records, held, event)   after that: monitors that compare the record with what
    //                            the callers believe to hold (a count per key), and note in the
    //                            event what came too late
    bool judges = false;
    // error_name(n), error_code(n)   words for reports: its name; what else a caller is told, or ""
    bool errors = false;
    // server_step(shared, records, caller, call, operation), server_background(shared, records,
    // action), server_fault(n)   the same step on a real server (server_step.hpp), for whoever
    //                            compares with one
    bool server = false;
    // server_row(shared, key)    the server's row of the key
    bool server_rows = false;
    // messages_of(shared, record, call)   for reports: messages of the caller under way (shown.hpp)
    // is_by_caller(action)       the background action is its actor's own doing
    bool messages = false;

    // --- hints: they only make searches faster --------------------------------------------------

    // left(shared)               a reference to the budgets of faults, a struct of counts
    //                            (FaultsLeft::add_halves_of) that are the last bytes of Shared.
    //                            They decide which faults are possible, and nothing else.
    bool faults_left = false;
    // time_bounds()              see relative_time.hpp. Without a period: not with these options,
    //                            and tell_times() is not called
    // tell_times(shared, times), tell_times(record, is_over, times), tell_times(call, key, times)
    //                            tell it of each instant but now, and of each number that is never
    //                            used again; what nobody reads any more they forget. Shared has
    //                            `now`. `is_over`: the caller calls nothing any more.
    bool relative_time = false;
    // now_of(shared), end_of(shared)   beside relative_time: references to now, and to when time
    //                            ends (EndOfTime), the bytes before the budgets, or the last ones.
    //                            The instants are compared with clocks alone, and the times are
    //                            CappedAges. What decides when time ends asks it, where it is not
    //                            0, and nobody else does.
    bool time_left = false;
    // concerns_others(shared, record, shared_after, record_after)
    //                            beside watch(): false where, after a step that made the latter
    //                            two of the former two, watch() changes no other record, and what
    //                            it does to these two follows from them. Such steps are learned
    //                            (Hints::wide_steps); without this none is.
    bool tells_what_concerns_others = false;
    // blocked() is false before the first step of every call, and not asked there.
    bool begins_unblocked = false;
    // Background actions taken apart by the record that they concern: those that concern one
    // record are learned once and for all (Hints::local_steps).
    // background_of(shared, record, caller, out)   read and change `shared` and that record only
    // background_elsewhere(shared, out)            all others; acts_elsewhere(shared): there are
    //                            some
    // is_private(shared, record, action or call, visible)   see Hints::local_steps
    // mode(shared)               what of `shared` decides about is_private
    bool local_background = false;
    // There is no background at all: background() is empty.
    bool no_background = false;

    // --- what `lockkeeper prove` needs: no function is handed more than one record --------------

    // Then nothing that happens can depend on several callers at once, nor on how many there are or
    // on somebody's number: actors and event.caller are 0, and World fills them in afterwards.
    // Needs local_background or no_background, whose background_of() and background_elsewhere() are
    // all there is; and instead of the functions above
    // is_elsewhere(action)       it is one of background_elsewhere()
    // apply_background(shared, record, action, event)   of background_of()
    // apply_background(shared, action, event)   of background_elsewhere(). True: everybody hears of
    //                            it, and hear(shared, record) follows for each record
    // or hear(shared, record, call, action)   instead: it is told which step is heard, may change
    //                            the call that the caller is inside of (all zero: none), and
    //                            returns which keys the caller does not believe to hold any more
    // idle(shared), idle(shared, record)   idle is what all of these are
    // observe(shared, observation), references(record, key)   the latter with kShowsReferences
    bool by_record = false;
    // late(shared, record)       time (kTime, a step of nobody's) does not go on while this is true
    //                            of any record. Not asked of a record that is all zero, that of
    //                            somebody absent. Not beside possible_by_mode; no private step may
    //                            make it false
    bool waits_for_the_late = false;
    // is_phantom(shared, record, caller, key)   with kShowsGrants: the caller, as it is observed,
    //                            has a grant that it does not know of (KeyObservation::phantoms)
    bool phantoms = false;
    // mode(shared) is also all of `shared` that decides about blocked(), background_of(),
    // background_elsewhere(); then a sampled step costs the same however many callers there are.
    bool possible_by_mode = false;
    // footprint(shared, record, call, operation), footprint(shared, record, action)
    //                            what of `shared` the next step of the call, or a background action
    //                            of the record, touches (footprint.hpp); needs possible_by_mode
    bool footprints = false;

    [[nodiscard]] constexpr Traits with(bool Traits::*trait) const {
        Traits traits = *this;
        traits.*trait = true;
        return traits;
    }
};

template <class I>
inline constexpr Traits kTraitsOf = [] {
    if constexpr (requires { I::kTraits; }) {
        return I::kTraits;
    } else {
        return Traits{};
    }
}();

template <class I>
inline constexpr bool kByRecord = kTraitsOf<I>.by_record;
template <class I>
inline constexpr bool kHasGrants = (I::kFeatures & kShowsGrants) != 0;

}  // namespace lockkeeper
