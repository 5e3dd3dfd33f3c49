// SPDX-License-Identifier: Apache-2.0

// Hints only make a System faster to run and to search. A System with hints lists them in
// `static constexpr Hints kHints`, and has the functions of each. Without any hint a search
// still works and gives the same results (docs/understanding/reductions.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockkeeper {

// A State is slots, then what is shared, then the rest, up to used_bytes().
struct PartLayout {
    std::size_t slot_bytes = 0;
    std::size_t slots_max = 0;
    std::size_t shared_bytes = 0;
    // Where Call and Record of an Implementation begin in a slot; 0: unknown.
    std::size_t call_at = 0;
    std::size_t record_at = 0;
};

struct Hints {
    enum class Parts : std::uint8_t { kUnknown, kCompiled, kAtRunTime };

    // canonicalize(state)        replaces the state by the representative of all states that differ
    //                            only in the names of interchangeable callers.
    bool symmetry = false;

    // kSlotsMax                  slots at most, in any of the systems that it may be
    // parts()                    where the parts of a State lie; constexpr if kCompiled
    // slots_count()              how many slots have a caller
    // group(slot)                slots of one group, side by side, are interchangeable
    Parts parts = Parts::kUnknown;

    // Where each action of a slot reads and writes that slot, what is shared and the rest of the
    // state, but no other slot; only its Event may tell of others. Then the explorer learns steps
    // instead of taking each of them again in every state. Needs parts.
    //
    // has_local_steps()          false: not in this configuration, and nothing below is called.
    // enabled_of(state, slot, out)    the actions of one slot
    // enabled_elsewhere(state, out)   all others; together they are those of enabled()
    // acts_elsewhere(state)      false: enabled_elsewhere is empty. Looks at what is shared only.
    // may_rest(state, slot)      false: not quiescent because of this slot. Looks at the slot only.
    // reads_rest(state, slot)    false: its actions neither read nor change what is neither slot
    //                            nor shared. Looks at the slot only.
    // is_private(state, action, visible)
    //                            a private action of a slot: in every run that goes on from here it
    //                            can be taken first, without any difference in what the others do
    //                            and meet, at rest and in the end; nobody can prevent it; and it
    //                            shows none of the EventBits in `visible`. Taking it at once,
    //                            alone, loses nothing. Depends on the slot, on the rest and on
    //                            mode(state).
    // mode(state)                what is shared, as far as it decides which steps are private
    bool local_steps = false;

    // Some actions of a slot concern other slots, too: a lock is given to a caller that waits for
    // it. The explorer takes these anew in every state, and learns all others. Needs local_steps; a
    // World offers it to ErasedSystem alone (has_partly_local_steps()).
    //
    // apply_alone(state, action, event)
    //                            as apply(), of an action of a slot. False: it looked at other
    //                            slots or changed them; that is decided by the slot, by what is
    //                            shared and by the rest. The event may show more than happened,
    //                            where that depends on other slots.
    bool wide_steps = false;

    // footprint(state, action)   of an action of a slot (footprint.hpp). Depends on the slot and on
    //                            what it says is read; kTouchesEverything is always right. Needs
    //                            local_steps.
    bool footprints = false;

    // The actions of a slot hardly depend on the others, so that a walk need not look at all slots
    // in each step. Needs enabled_of(), enabled_elsewhere() and may_rest() as above, and
    //
    // has_slot_actions()         false: not in this configuration, and circumstances() means
    //                            nothing
    // circumstances(state)       while they stay equal, enabled_of() a slot changes only when one
    //                            of its own actions is taken, and enabled_elsewhere() does not
    //                            change
    //
    // enabled() lists, each kind in the order of the slots: steps; background actions of slots;
    // those of enabled_elsewhere() that are no faults; faults. So does enabled_of() for its slot.
    bool slot_actions = false;

    // The rest of the state counts the faults that are left, and these counts only decide which
    // faults can still happen. With more left a state shows the same, is as much at rest and
    // finished, has the same steps and at least the same faults, and they lead to the same states
    // with more left. Needs parts.
    //
    // faults_left(state, out)    appends the counts; always as many of one system
    // forget_faults_left(state)  makes states equal that differ in nothing else
    bool faults_left = false;

    // The state keeps instants, and numbers that are never used again, and nothing depends on more
    // than which of them are ahead or behind, and by how much.
    //
    // has_relative_time()        false: not in this configuration
    // make_relative(state)       makes states equal that differ in nothing that matters
    //                            (relative_time.hpp): they show the same, and the same actions lead
    //                            from them to such states again, but for the instant that time
    //                            goes on to
    // has_time_left()            such a state says when time ends, and with more time left it can
    //                            do what it can with less: faults_left() says how much
    bool relative_time = false;

    // True: whole runs can use learned steps, too, not only searches.
    [[nodiscard]] constexpr bool learned_runs() const { return local_steps && slot_actions; }
};

template <class S>
inline constexpr Hints kHintsOf = [] {
    if constexpr (requires { S::kHints; }) {
        return S::kHints;
    } else {
        return Hints{};
    }
}();
template <class S>
inline constexpr bool kHasParts = kHintsOf<S>.parts != Hints::Parts::kUnknown;

}  // namespace lockkeeper
