// SPDX-License-Identifier: Apache-2.0

// A World taken apart into what is shared and what belongs to one caller, so that steps can be
// tried out in any surroundings. Both sides of a proof stand on it: who looks for one
// (replicated_steps.hpp), and who checks one (check_certificate.hpp). It chooses nothing and knows
// no property.
//
// The World has its callers in groups, all with scripts that go on for ever. What an absent caller
// looks like is the slot of one that has nothing to do: it takes no step, holds nothing, and is at
// rest. So "only this caller is there" is a state like any other, and every step is a step of the
// implementation.
//
// That nobody who is absent makes a difference is checked, not assumed: `same_without_absent` takes
// the same steps in a World that has one caller of each kind and no other.
//
// How often callers have crashed is no part of what is shared: where crashes are allowed at all,
// any number of them is.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/erased_system.hpp"

namespace lockkeeper::proofs {

// Why a system is none of those that can be decided for every number of callers, in words.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// As bytes: a part of a state, equal exactly when the bytes are.
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

    [[nodiscard]] const ErasedSystem& system() const { return system_; }
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
    [[nodiscard]] std::size_t group_of(std::size_t slot) const;
    // Of a World, where a step of a caller is handed its own record alone. False: the types do not
    // say so.
    [[nodiscard]] bool has_local_steps() const { return system_.has_local_steps(); }

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

    // Takes one step, and forgets that somebody crashed. Nothing: the implementation has no such
    // step here; it was looked for among callers that are absent.
    [[nodiscard]] std::optional<Event> take(State& state, Action action) const;

    // The step, of a caller, looks at other callers or changes them, as the system itself says.
    [[nodiscard]] bool concerns_others(const State& state, Action action) const;

    // One caller of each kind, by kind. Whether the same can happen, and it is as much at rest,
    // when nobody absent is there either.
    [[nodiscard]] bool same_without_absent(const Bytes& shared,
                                           const std::vector<Bytes>& callers) const;

    // This caller alone can do the same, and it leads to the same, in every place of its group: its
    // number makes no difference.
    [[nodiscard]] bool same_in_every_place(const Bytes& shared, const Local& caller) const;

    [[nodiscard]] std::size_t slots_count() const { return slots_count_; }
    [[nodiscard]] std::size_t slot_bytes() const { return layout_.slot_bytes; }
    [[nodiscard]] std::size_t shared_bytes() const { return used_bytes_ - shared_at_; }

  private:
    [[nodiscard]] std::size_t find_count_of_crashes() const;
    [[nodiscard]] std::optional<Event> take(const ErasedSystem& system, State& state,
                                            Action action) const;

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
    Bytes absent_;
    Bytes initial_shared_;
};

}  // namespace lockkeeper::proofs
