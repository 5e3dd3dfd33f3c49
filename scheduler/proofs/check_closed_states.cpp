// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/check_closed_states.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "scheduler/proofs/certificate_index.hpp"

namespace lockkeeper::proofs {
namespace {

class ClosedStatesChecker {
  public:
    using State = ErasedSystem::State;

    ClosedStatesChecker(const ClosedStates& closed, const ErasedSystem& system,
                        const std::vector<const Property*>& properties, ProofWatch& watch)
        : said_(closed), system_(system), properties_(properties), watch_(watch) {}

    // A limit, or nothing. CertificateRefused, LimitExceeded.
    std::string check(std::uint64_t& steps) {
        demand(std::is_sorted(said_.states.begin(), said_.states.end(), std::less_equal<>()),
               "a state is listed twice, or out of order");
        is_met_.resize(said_.states.size());
        meet(system_.initial());
        for (std::size_t done = 0; !open_.empty(); ++done) {
            std::string limit = watch_.look(
                {"taking the steps again", done, said_.states.size(), 0, 0, 0, "states"});
            if (!limit.empty()) {
                return limit;
            }
            State state{};
            const std::string& bytes = said_.states[open_.back()];
            std::memcpy(state.bytes.data(), bytes.data(), bytes.size());
            open_.pop_back();
            steps += follow(state);
        }
        demand(std::find(is_met_.begin(), is_met_.end(), false) == is_met_.end(),
               "a state is listed that no step leads to");
        return "";
    }

  private:
    void meet(const State& state) {
        const std::string_view bytes(reinterpret_cast<const char*>(state.bytes.data()),
                                     system_.used_bytes());
        const auto found = std::lower_bound(said_.states.begin(), said_.states.end(), bytes);
        demand(found != said_.states.end() && *found == bytes,
               "a state can be reached that is not listed");
        const auto number = static_cast<std::size_t>(found - said_.states.begin());
        if (!is_met_[number]) {
            is_met_[number] = true;
            open_.push_back(number);
        }
    }

    // How many steps there are.
    std::size_t follow(const State& before) {
        if (system_.quiescent(before)) {
            judge(PropertyKind::kAtQuiescence, before, Event{});
        }
        ActionList actions;
        system_.enabled(before, actions);
        const bool is_end = actions.empty() && !system_.finished(before);
        demand(!is_end || !system_.time_is_over(before), "virtual time ends before all is done");
        demand(!is_end, "a state is listed in which nobody can go on");
        for (const Action action : actions) {
            State after = before;
            const Event event = system_.apply(after, action);
            judge(PropertyKind::kAlways, after, event);
            meet(after);
        }
        return actions.size();
    }

    void judge(PropertyKind kind, const State& state, const Event& event) {
        bool is_observed = false;
        for (const Property* property : properties_) {
            const bool is_asked =
                kind == PropertyKind::kAtQuiescence || (property->triggers & event.what) != 0;
            if (property->kind != kind || !is_asked) {
                continue;
            }
            if (!is_observed) {
                system_.observe(state, seen_);
                is_observed = true;
            }
            if (property->holds_not(seen_, event)) {
                throw CertificateRefused{"it allows " + std::string(property->name)};
            }
        }
    }

    const ClosedStates& said_;
    const ErasedSystem& system_;
    const std::vector<const Property*>& properties_;
    ProofWatch& watch_;
    std::vector<bool> is_met_;  // by state
    std::vector<std::size_t> open_;
    Observation seen_{};
};

}  // namespace

ClosedStatesCheck check_closed_states(const ClosedStates& closed, const ErasedSystem& system,
                                      const std::vector<const Property*>& properties,
                                      ProofWatch& watch) {
    ClosedStatesCheck found;
    try {
        std::vector<std::string> names;
        for (const Property* property : properties) {
            demand(is_seen_in_states(*property), "a property that states do not show");
            names.emplace_back(property->name);
        }
        demand(!names.empty() && names == closed.proved, "it proves other properties");
        found.limit = ClosedStatesChecker(closed, system, properties, watch).check(found.steps);
    } catch (const CertificateRefused& refusal) {
        found.refused = refusal.why;
    } catch (const LimitExceeded& reason) {
        found.refused = reason.what();
    }
    return found;
}

}  // namespace lockkeeper::proofs
