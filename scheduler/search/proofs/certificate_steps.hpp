// SPDX-License-Identifier: Apache-2.0

// The implementation's own steps in a state that a certificate describes, with the parts after them
// as the certificate numbers them. Part of the checker (check_certificate.cpp).
#pragma once

#include <vector>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/proofs/certificate_claims.hpp"

namespace lockkeeper::proofs {

class CertificateSteps {
  public:
    CertificateSteps(const Certificate& certificate, const ReplicatedWorld& world)
        : claims_(certificate, world),
          said_(certificate),
          world_(world),
          state_(world.empty()),
          after_(world.empty()) {}

  protected:
    using Callers = std::vector<std::size_t>;  // their situations
    struct Taken {
        std::size_t shared = 0;  // after it
        Callers callers;         // after it, in the order of those before
        Action action;
        Event event;
    };

    [[nodiscard]] std::size_t slot_of(const Callers& callers, std::size_t i) const {
        const std::size_t group = said_.situations[callers[i]].local.group;
        const bool is_second = i == 1 && said_.situations[callers[0]].local.group == group;
        demand(!is_second || world_.groups()[group].size > 1, "there is no room for two callers");
        return world_.groups()[group].first + (is_second ? 1 : 0);
    }
    const ReplicatedWorld::State& put(std::size_t shared, const Callers& callers) {
        world_.copy(state_, world_.empty());
        world_.put_shared(state_, said_.shared[shared].bytes);
        for (std::size_t i = 0; i < callers.size(); ++i) {
            world_.put_slot(state_, slot_of(callers, i), said_.situations[callers[i]].local.slot);
        }
        return state_;
    }

    // All that can happen when only these are there. `impossible`: what the implementation offers
    // and cannot do, because it looks for somebody. Null: only steps of the servers.
    std::vector<Taken> steps(std::size_t shared, const Callers& callers,
                             std::vector<Action>* impossible) {
        if (interrupt_requested()) {
            throw LimitExceeded("interrupted");
        }
        put(shared, callers);
        ActionList actions;
        world_.system().enabled(state_, actions);
        std::vector<Taken> all;
        for (const Action action : actions) {
            if (impossible == nullptr && action.kind == ActionKind::kStep) {
                continue;
            }
            demand(action.kind != ActionKind::kTime, "virtual time passes for everybody");
            demand(!world_.concerns_others(state_, action), "a step concerns other callers");
            world_.copy(after_, state_);
            if (const auto event = world_.take(after_, action)) {
                all.push_back(named(callers, action, *event));
            } else if (impossible != nullptr) {
                impossible->push_back(action);
            }
        }
        return all;
    }
    // Of after_: the parts by their numbers; nobody else has changed.
    [[nodiscard]] Taken named(const Callers& callers, Action action, const Event& event) {
        Taken taken{claims_.shared(world_.shared_of(after_)), {}, action, event};
        for (std::size_t i = 0; i < callers.size(); ++i) {
            const std::size_t slot = slot_of(callers, i);
            const std::size_t group = said_.situations[callers[i]].local.group;
            taken.callers.push_back(claims_.situation({group, world_.slot_of(after_, slot)}));
            world_.put_slot(after_, slot, world_.absent());
        }
        for (std::size_t slot = 0; slot < world_.slots_count(); ++slot) {
            demand(world_.has_slot(after_, slot, world_.absent()), "a step changes others");
        }
        return taken;
    }

    [[nodiscard]] bool rests(std::size_t shared, const Callers& callers) {
        return world_.system().quiescent(put(shared, callers));
    }

    CertificateClaims claims_;
    const Certificate& said_;
    const ReplicatedWorld& world_;
    ReplicatedWorld::State state_;
    ReplicatedWorld::State after_;
};

}  // namespace lockkeeper::proofs
