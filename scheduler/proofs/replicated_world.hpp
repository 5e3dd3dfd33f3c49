// SPDX-License-Identifier: Apache-2.0

// A World taken apart into what is shared and what belongs to one caller, so that steps can be
// tried out in any surroundings. Both sides of a proof stand on it: who looks for one
// (replicated_steps.hpp), and who checks one (check_certificate.hpp). It chooses nothing and knows
// no property.
//
// The World has its callers in groups, all with scripts that go on for ever. The slot of an absent
// caller is that of a caller with nothing to do: it takes no step, holds nothing, and is at rest.
// Therefore "only this caller is there" is a state like any other, and every step is a step of the
// implementation.
//
// A step of a caller sees its own record and what is shared, and so does everything else that the
// implementation is asked: the types say so (Traits::by_record), and no function learns anybody's
// number. What a step of nobody's changes in a record depends on that record and what is shared.
// Therefore a caller does the same alone and beside any number of others.
//
// `same_without_absent` checks that absent callers make no difference: it takes the same steps in a
// World that has one caller of each kind and no other.
//
// How often callers have crashed is no part of what is shared: where crashes are allowed at all,
// any number of them is.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "model/property.hpp"

namespace lockkeeper::proofs {

// Why a system is none of those that can be decided for every number of callers, in words.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The bytes of a part of a state: two parts are equal exactly when their bytes are.
using Bytes = std::string;

// A caller: its slot, and the group whose script it runs.
struct Local {
    std::size_t group = 0;
    Bytes slot;

    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Local&, const Local&) = default;
};

class ReplicatedWorld {
  public:
    using State = ErasedSystem::State;

    // Callers of a group, side by side; how many of them can be there at once.
    struct Group {
        std::size_t first = 0;
        std::size_t size = 0;
    };

    // Worlds of world_to_take_apart(), one_of_each() and one_is_absent() (looping_world.hpp).
    // DoesNotFit: the system does not say where the slots of callers lie.
    ReplicatedWorld(ErasedSystem system, ErasedSystem one_of_each,
                    const ErasedSystem& one_is_absent);

    // A property that needs another feature than these (observation.hpp) cannot be proved. At
    // first: none is left out.
    void shows_only(std::uint32_t features) { features_ = features; }
    [[nodiscard]] bool shows(const Property& property) const {
        return (property.needs & ~features_) == 0;
    }

    [[nodiscard]] const ErasedSystem& system() const { return system_; }
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
    [[nodiscard]] std::size_t group_of(std::size_t slot) const;
    // Empty: the types say that nothing is handed the records of several callers. Else what is,
    // with the first step of the background that few callers come to.
    [[nodiscard]] std::string why_not_by_record() const;

    [[nodiscard]] const Bytes& initial_shared() const { return initial_shared_; }
    [[nodiscard]] Local initial_local(std::size_t group) const;
    [[nodiscard]] const Bytes& absent() const { return absent_; }

    // Nobody is there.
    [[nodiscard]] const State& empty() const { return empty_; }
    // Into a state made by these.
    void put_shared(State& state, const Bytes& shared) const;
    void put_slot(State& state, std::size_t slot, const Bytes& local) const;
    // Only the bytes that are used.
    void copy(State& to, const State& from) const;

    [[nodiscard]] Bytes shared_of(const State& state) const;
    [[nodiscard]] Bytes slot_of(const State& state, std::size_t slot) const;
    [[nodiscard]] bool has_slot(const State& state, std::size_t slot, const Bytes& local) const;

    [[nodiscard]] bool has_shared(const State& state, const Bytes& shared) const;

    // Takes one step, and forgets that somebody crashed.
    [[nodiscard]] Event take(State& state, Action action) const;

    struct Taken {
        Action action;
        Event event;
        Bytes shared;        // after it
        Bytes slot;          // of the caller, after it; empty: nobody is there
        bool waits = false;  // a step of nobody's that does not come while the caller is there
    };
    // The steps of this caller when nobody else is there. DoesNotFit, LimitExceeded.
    [[nodiscard]] std::vector<Taken> steps_of(const Bytes& shared, const Local& caller) const {
        return steps(shared, &caller, false);
    }
    // The steps of nobody's, when nobody is there.
    [[nodiscard]] std::vector<Taken> steps_of_nobody(const Bytes& shared) const {
        return steps(shared, nullptr, true);
    }
    // The same when this caller is there, who hears of them or for whom they wait. `all`: those
    // when nobody is there. DoesNotFit: a step waits that is not time, or more can happen. Or time
    // waits for a caller that stays late whatever it and the servers do, as one that has died may:
    // nothing that time brings would ever come, and so nothing would be violated.
    [[nodiscard]] std::vector<Taken> steps_heard(const Bytes& shared, const Local& hearer,
                                                 const std::vector<Action>& all) const;
    [[nodiscard]] static std::vector<Action> actions_of(const std::vector<Taken>& steps);

    // These callers, each in a place of its group from the first on, and nobody else. DoesNotFit:
    // there is no room.
    [[nodiscard]] State state_of(const Bytes& shared,
                                 const std::vector<const Local*>& callers) const;

    // This caller, and of the other kinds one that has not begun. Whether the same can happen, and
    // it is as much at rest, when nobody absent is there either.
    [[nodiscard]] bool same_without_absent(const Bytes& shared, const Local& caller) const;

    [[nodiscard]] std::size_t slots_count() const { return slots_count_; }
    [[nodiscard]] std::size_t slot_bytes() const { return layout_.slot_bytes; }
    [[nodiscard]] std::size_t shared_bytes() const { return used_bytes_ - shared_at_; }

  private:
    [[nodiscard]] std::size_t find_count_of_crashes() const;
    [[nodiscard]] Event take(const ErasedSystem& system, State& state, Action action) const;
    [[nodiscard]] std::vector<Taken> steps(const Bytes& shared, const Local* caller,
                                           bool of_nobody) const;
    // By its own steps and those of nobody's, without time, while it is alone. Crashes and faults
    // may come or not, so they do not count.
    [[nodiscard]] bool stops_being_late(const Bytes& shared, const Local& late) const;

    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

    ErasedSystem system_;
    ErasedSystem one_of_each_;
    PartLayout layout_;
    std::size_t slots_count_;
    std::size_t used_bytes_;
    std::size_t shared_at_;
    std::size_t crashes_at_ = kNowhere;
    std::vector<Group> groups_;
    State initial_;
    State empty_;
    std::uint32_t features_ = 0xFFFFFFFFU;
    Bytes absent_;
    Bytes initial_shared_;
};

}  // namespace lockkeeper::proofs
