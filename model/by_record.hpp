// SPDX-License-Identifier: Apache-2.0

// Runs everything that is not a caller's step, for both kinds of locks: those that receive the
// records of all callers, and those that receive one record at a time (Traits::by_record). World
// and wrappers of locks call these functions.
#pragma once

#include <cstring>

#include "model/check.hpp"
#include "model/implementation.hpp"

namespace lockkeeper {

// A lock by_record learns no caller's number: it writes actor 0, which becomes `caller` here.
template <class I>
void list_background_of(const I& lock, const typename I::Shared& shared,
                        const typename I::Record& record, std::size_t caller, ActionList& out) {
    if constexpr (kByRecord<I>) {
        const std::size_t first = out.size();
        lock.background_of(shared, record, 0, out);
        out.name_actor(first, static_cast<std::uint8_t>(caller));
    } else {
        lock.background_of(shared, record, caller, out);
    }
}

// The steps of nobody's. Time does not go on while somebody is late: never one whose record is all
// zero, who may as well be absent.
template <class I>
void list_elsewhere(const I& lock, const typename I::Shared& shared,
                    [[maybe_unused]] Records<const typename I::Record> records, ActionList& out) {
    const std::size_t first = out.size();
    lock.background_elsewhere(shared, out);
    if constexpr (kTraitsOf<I>.waits_for_the_late) {
        const typename I::Record none{};
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (std::memcmp(&records[i], &none, sizeof(none)) != 0 &&
                lock.late(shared, records[i])) {
                out.remove_time(first);
                return;
            }
        }
    }
}

template <class I>
void list_background(const I& lock, const typename I::Shared& shared,
                     Records<const typename I::Record> records, ActionList& out) {
    if constexpr (!kByRecord<I>) {
        lock.background(shared, records, out);
    } else if constexpr (!kTraitsOf<I>.no_background) {
        for (std::size_t i = 0; i < records.size(); ++i) {
            list_background_of(lock, shared, records[i], i, out);
        }
        list_elsewhere(lock, shared, records, out);
    }
}

// `tell_all()`: everybody hears of the step.
template <class I, class TellAll>
void take_background(const I& lock, typename I::Shared& shared, Records<typename I::Record> records,
                     Action action, Event& event, [[maybe_unused]] TellAll tell_all) {
    if constexpr (!kByRecord<I>) {
        lock.apply_background(shared, records, action, event);
    } else if (action.kind == ActionKind::kTime || lock.is_elsewhere(action)) {
        const bool is_heard = lock.apply_background(shared, action, event);
        LOCKKEEPER_CHECK(!event.is(kLost) && "a step of nobody's tells no caller of a loss");
        if (is_heard) {
            tell_all();
        }
    } else {
        lock.apply_background(shared, records[action.actor], {0, action.kind, action.argument},
                              event);
        event.caller = action.actor;
    }
}

template <class I>
[[nodiscard]] bool is_idle(const I& lock, const typename I::Shared& shared,
                           Records<const typename I::Record> records) {
    if constexpr (!kByRecord<I>) {
        return lock.idle(shared, records);
    } else {
        if (!lock.idle(shared)) {
            return false;
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!lock.idle(shared, records[i])) {
                return false;
            }
        }
        return true;
    }
}

template <class I>
void observe(const I& lock, const typename I::Shared& shared,
             Records<const typename I::Record> records, Observation& out) {
    if constexpr (!kByRecord<I>) {
        lock.observe(shared, records, out);
    } else {
        lock.observe(shared, out);
        if constexpr ((I::kFeatures & kShowsReferences) != 0) {
            for (std::size_t i = 0; i < records.size(); ++i) {
                for (std::size_t key = 0; key < out.keys_count; ++key) {
                    out.callers[i].references[key] = lock.references(records[i], key);
                }
            }
        }
        if constexpr (kTraitsOf<I>.phantoms) {
            for (std::size_t i = 0; i < records.size(); ++i) {
                for (std::size_t key = 0; key < out.keys_count; ++key) {
                    out.keys[key].phantoms +=
                        lock.is_phantom(shared, records[i], out.callers[i], key) ? 1U : 0U;
                }
            }
        }
    }
}

}  // namespace lockkeeper
