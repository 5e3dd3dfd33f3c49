// SPDX-License-Identifier: Apache-2.0

// The steps of a replicated system, each learned once from the implementation's own code:
//
//   (what is shared, one caller) -> (what is shared, that caller)     a step of the caller, its
//                                                                     crash, what the servers do
//                                                                     about it
//   what is shared -> what is shared                                  a step of nobody's; everybody
//                                                                     may hear of it: (what is
//                                                                     shared, each) -> that one.
//                                                                     Time waits for the late
//
// A caller is alone when its steps are learned. The types say that this is enough
// (replicated_world.hpp); check_beside() tries it all the same, in some surroundings.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/proofs/replicated_world.hpp"

namespace lockkeeper::proofs {

using LocalId = std::uint16_t;
using SharedId = std::uint32_t;

// Instead of what a caller becomes by a step of nobody's: the step does not come while it is there.
inline constexpr LocalId kWaitedFor = 0xFFFF;

struct ReplicatedStep {
    SharedId shared = 0;  // after it
    LocalId local = 0;    // after it; of a step of nobody's: 0
    Action action;        // as it was taken by the first caller of its group
    Event event;          // as it was alone
};

class ReplicatedSteps {
  public:
    // More parts than this is a system whose parts grow without end, or nearly. A situation takes
    // some hundred bytes, and so does a pair.
    static constexpr std::size_t kLocalsMax = 16'000;
    static_assert(kLocalsMax < kWaitedFor);
    static constexpr std::size_t kSharedMax = 20'000;
    static constexpr std::size_t kPairsMax = 400'000;  // some hundred bytes each

    explicit ReplicatedSteps(const ReplicatedWorld& world);

    [[nodiscard]] const ReplicatedWorld& world() const { return world_; }
    [[nodiscard]] SharedId initial_shared() const { return 0; }
    // By group.
    [[nodiscard]] const std::vector<LocalId>& initial_locals() const { return initial_locals_; }
    [[nodiscard]] std::size_t locals_count() const { return locals_.size(); }
    [[nodiscard]] std::size_t shared_count() const { return shared_.size(); }
    [[nodiscard]] const Local& local(LocalId local) const { return locals_[local]; }
    [[nodiscard]] const Bytes& shared(SharedId shared) const { return shared_[shared]; }

    // The steps of a caller; of nobody. DoesNotFit, LimitExceeded. References stay valid.
    [[nodiscard]] const std::vector<ReplicatedStep>& steps(SharedId shared, LocalId local) {
        return of(shared, local).steps;
    }
    [[nodiscard]] const std::vector<ReplicatedStep>& steps_of_nobody(SharedId shared);
    // Returns what a caller becomes when it hears of that step of nobody's; kWaitedFor.
    [[nodiscard]] LocalId hearing(SharedId shared, std::size_t step, LocalId local) {
        return of(shared, local).hearing[step];
    }

    // Checks that, with all of them there at once, everything that can happen is a step of one of
    // them, or of nobody. Throws DoesNotFit.
    void check_beside(SharedId shared, const std::vector<LocalId>& callers);

    // Checks that absent callers make no difference to this caller, with one caller of each other
    // kind that has not begun. Throws DoesNotFit.
    void check_absent(SharedId shared, LocalId caller);

    // The state with these callers in slots(), and nobody else.
    [[nodiscard]] const ReplicatedWorld::State& state_of(SharedId shared,
                                                         const std::vector<LocalId>& callers);
    // The slots of the callers of the last state_of().
    [[nodiscard]] const std::vector<std::size_t>& slots() const { return slots_; }
    // Whether there is room for all of them at once.
    [[nodiscard]] bool has_room(const std::vector<LocalId>& callers) const;

    [[nodiscard]] std::string show(SharedId shared);
    [[nodiscard]] std::uint64_t tried() const { return tried_; }

  private:
    using State = ReplicatedWorld::State;
    struct OfNobody {
        bool is_known = false;
        std::vector<ReplicatedStep> steps;
        std::vector<Action> actions;
    };
    struct OfCaller {
        std::vector<ReplicatedStep> steps;
        std::vector<LocalId> hearing;  // by step of nobody's
    };

    [[nodiscard]] SharedId id_of_shared(const Bytes& shared);
    [[nodiscard]] LocalId id_of_local(Local local);
    [[nodiscard]] const OfCaller& of(SharedId shared, LocalId local);
    [[nodiscard]] OfCaller learn(SharedId shared, LocalId local);
    // True where a known step of the callers or of nobody leads to `after_`.
    [[nodiscard]] bool is_explained(SharedId shared, const std::vector<LocalId>& callers,
                                    Action action, const Event& event);

    const ReplicatedWorld& world_;
    std::vector<Local> locals_;
    std::vector<Bytes> shared_;
    std::unordered_map<Bytes, LocalId> local_ids_;  // group as one byte, then the slot
    std::unordered_map<Bytes, SharedId> shared_ids_;
    std::vector<LocalId> initial_locals_;
    std::unordered_map<std::uint64_t, OfCaller> of_callers_;
    std::deque<OfNobody> of_nobody_;  // references to its steps stay
    State before_;
    State after_;
    State surroundings_;
    std::vector<std::size_t> slots_;
    ActionList actions_;
    std::uint64_t tried_ = 0;
};

}  // namespace lockkeeper::proofs
