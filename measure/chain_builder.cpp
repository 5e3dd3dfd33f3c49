// SPDX-License-Identifier: Apache-2.0
#include "measure/chain_builder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include <xxhash.h>

#include "measure/run.hpp"
#include "scheduler/base/process_memory.hpp"
#include "scheduler/search/explore.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper {
namespace {

std::uint32_t hash_of(const std::byte* state, std::size_t width) {
    return static_cast<std::uint32_t>(XXH3_64bits(state, width));
}

}  // namespace

StateTable::StateTable(std::size_t bytes_of_state)
    : width_(bytes_of_state),
      per_block_(std::max<std::size_t>(1, kBlockBytes / bytes_of_state)),
      places_(1024, kNone) {}

// Where the state stands, or the free place where it would.
std::size_t StateTable::place_of(const std::byte* state, std::uint32_t hash) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash & mask;
    while (places_[place] != kNone && !(hashes_[places_[place]] == hash &&
                                        std::memcmp(at(places_[place]), state, width_) == 0)) {
        place = (place + 1) & mask;
    }
    return place;
}

StateTable::Found StateTable::insert(const std::byte* state) {
    const std::uint32_t hash = hash_of(state, width_);
    const std::size_t place = place_of(state, hash);
    if (places_[place] != kNone) {
        return {places_[place], false};
    }
    const auto index = static_cast<StateIndex>(size());
    if (index % per_block_ == 0) {
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(per_block_ * width_));
    }
    std::memcpy(blocks_.back().get() + index % per_block_ * width_, state, width_);
    hashes_.push_back(hash);
    places_[place] = index;
    if (size() * 2 > places_.size()) {
        grow();
    }
    return {index, true};
}

StateIndex StateTable::find(const std::byte* state) const {
    return places_[place_of(state, hash_of(state, width_))];
}

void StateTable::grow() {
    std::vector<StateIndex> larger(places_.size() * 2, kNone);
    const std::size_t mask = larger.size() - 1;
    for (StateIndex index = 0; index < size(); ++index) {
        std::size_t place = hashes_[index] & mask;
        while (larger[place] != kNone) {
            place = (place + 1) & mask;
        }
        larger[place] = index;
    }
    places_.swap(larger);
}

namespace {

// The memory that the solvers need beside the chain, by state and by transition: components, right
// sides and solutions, and copies of blocks for the accelerators.
constexpr std::uint64_t kSolverBytesOfState = 160;
constexpr std::uint64_t kSolverBytesOfTransition = 48;

class ChainBuilder {
  public:
    using State = ErasedSystem::State;

    ChainBuilder(const ErasedSystem& system, const MeasureOptions& options)
        : system_(system),
          options_(options),
          judge_(judged_properties(options)),
          graph_(system.used_bytes()),
          watches_time_(options.law.kind == LawKind::kRates) {
        for (std::size_t i = 0; i < judge_.properties().size(); ++i) {
            const Property& property = *judge_.properties()[i];
            if (property.is(PropertyNumber::kOverAllocation)) {
                over_held_bits_ |= property_bit(i);
            } else if (property.is(PropertyNumber::kBeliefOverlap)) {
                beliefs_overlap_bits_ |= property_bit(i);
            } else if (property.is(PropertyNumber::kGrantOverlap)) {
                grants_overlap_bits_ |= property_bit(i);
            } else if (property.kind == PropertyKind::kAtQuiescence) {
                rest_bits_ |= property_bit(i);
            }
        }
        if (watches_time_) {
            graph_.judged_in_time =
                over_held_bits_ | beliefs_overlap_bits_ | grants_overlap_bits_ | rest_bits_;
        }
        if (const auto deadlock = judge_.index_of(PropertyNumber::kDeadlock)) {
            deadlock_bit_ = property_bit(*deadlock);
        }
    }

    ChainGraph build() {
        try {
            State first = system_.initial();
            canonicalize(first);
            enter(first);
            for (StateIndex next = 0; next < graph_.states.size() && graph_.limit.empty(); ++next) {
                expand(next);
                if (graph_.states.size() > options_.states_max) {
                    graph_.limit = "states";
                } else if ((next & 1023U) == 0) {
                    look_at_limits();
                }
            }
        } catch (const LimitExceeded& limit) {
            graph_.limit = limit.what();
        } catch (const std::length_error& limit) {
            graph_.limit = limit.what();
        }
        if (graph_.limit.empty()) {
            graph_.chain.violated_at_first = graph_.violated_on_arrival[0];
            mark_over_held_and_seized();
        }
        return std::move(graph_);
    }

  private:
    struct Edge {
        StateIndex target;
        std::uint8_t label;
        double weight;
    };
    // Virtual time that the steps of the expanded state let pass while there is an overlap.
    struct Overlapping {
        double beliefs = 0;
        double grants = 0;
    };
    // A state that shows something to be compared with a capacity that is known in the end.
    struct Candidate {
        StateIndex state;
        std::uint8_t key;
        std::uint32_t units;
    };

    void canonicalize(State& state) const {
        if (options_.symmetry) {
            system_.canonicalize(state);
        }
    }

    // The number of a state; judges it when it is new.
    StateIndex enter(const State& state) {
        const StateTable::Found found = graph_.states.insert(state.bytes.data());
        if (found.is_new) {
            graph_.violated_on_arrival.push_back(0);
            std::uint32_t& bits = graph_.violated_on_arrival.back();
            judge_.judge_rest(system_, state, [&](std::size_t i) { bits |= property_bit(i); });
            system_.enabled(state, actions_of_new_);
            if (ending(state, actions_of_new_) == RunEnd::kDeadlock) {
                bits |= deadlock_bit_;
            }
        }
        return found.index;
    }

    RunEnd ending(const State& state, const ActionList& actions) {
        double sum = 0;
        for (const Action action : actions) {
            sum += options_.law.weight(system_.class_of(state, action));
        }
        return end_of_run(system_, state, actions, sum);
    }

    void expand(StateIndex index) {
        State state{};
        std::memcpy(state.bytes.data(), graph_.states.at(index), system_.used_bytes());
        Chain& chain = graph_.chain;
        system_.enabled(state, actions_);
        const RunEnd end = ending(state, actions_);
        edges_.clear();
        overlapping_ = {};
        double sum = 0;
        if (end == RunEnd::kGoesOn) {
            for (const Action action : actions_) {
                const ActionClass which = system_.class_of(state, action);
                const double weight = options_.law.weight(which);
                if (weight > 0) {
                    take(state, action, which, weight);
                    sum += weight;
                }
            }
        }
        graph_.transitions += edges_.size();
        // Each weight was added once above and once below, and divided.
        chain.probability_error =
            std::max(chain.probability_error, static_cast<double>(edges_.size() + 2) * 0x1p-52);
        write_edges(sum);
        write_overlaps(sum);
        chain.deadlocked.push_back(end == RunEnd::kDeadlock);
        observe(index, state, end != RunEnd::kGoesOn);
        if (watches_time_) {
            chain.exit_rates.push_back(sum);
        }
    }

    void take(const State& before, Action action, ActionClass which, double weight) {
        State after = before;
        const Event event = system_.apply(after, action);
        TransitionLabel label;
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, after, event,
                              [&](std::size_t i) { label.violated |= property_bit(i); });
        }
        label.grants = is_grant(event);
        label.by_nature = is_natures(which, options_.law.kind);
        if (event.capacity > 0 && event.key < kKeysMax) {
            capacity_[event.key] = std::max(capacity_[event.key], event.capacity);
        }
        if (action.kind == ActionKind::kTime && watches_overlaps()) {
            let_time_pass(before, after, weight);
        }
        canonicalize(after);
        const StateIndex target = enter(after);
        label.violated |= graph_.violated_on_arrival[target];
        edges_.push_back({target, graph_.chain.place_of(label), weight});
    }

    [[nodiscard]] bool watches_overlaps() const {
        return (beliefs_overlap_bits_ | grants_overlap_bits_) != 0;
    }
    void let_time_pass(const State& before, const State& after, double weight) {
        system_.observe(after, observation_);
        const std::int32_t now = observation_.now;
        system_.observe(before, observation_);
        const double passed = weight * (now - observation_.now);
        graph_.has_virtual_time = graph_.has_virtual_time || passed > 0;
        overlapping_.beliefs += observation_.beliefs_overlap ? passed : 0;
        overlapping_.grants += observation_.grants_overlap ? passed : 0;
    }
    void write_overlaps(double sum) {
        if (watches_overlaps()) {
            const double weight = sum > 0 ? sum : 1;
            graph_.chain.beliefs_overlap_for.push_back(overlapping_.beliefs / weight);
            graph_.chain.grants_overlap_for.push_back(overlapping_.grants / weight);
        }
    }

    void write_edges(double sum) {
        std::sort(edges_.begin(), edges_.end(), [](const Edge& left, const Edge& right) {
            return left.target != right.target ? left.target < right.target
                                               : left.label < right.label;
        });
        Chain& chain = graph_.chain;
        for (std::size_t i = 0; i < edges_.size();) {
            const Edge& edge = edges_[i];
            double weight = 0;
            for (; i < edges_.size() && edges_[i].target == edge.target &&
                   edges_[i].label == edge.label;
                 ++i) {
                weight += edges_[i].weight;
            }
            chain.targets.push_back(edge.target);
            chain.label_of.push_back(edge.label);
            chain.probabilities.push_back(weight / sum);
        }
        chain.offsets.push_back(chain.targets.size());
    }

    void observe(StateIndex index, const State& state, bool ends) {
        Chain& chain = graph_.chain;
        chain.units_lost.push_back(0);
        if (watches_time_) {
            chain.violating.push_back(graph_.violated_on_arrival[index] & rest_bits_);
        }
        if (!ends && !watches_time_) {
            return;
        }
        system_.observe(state, observation_);
        if (ends) {
            chain.units_lost.back() = units_lost(observation_);
        }
        if (!watches_time_) {
            return;
        }
        chain.violating.back() |= observation_.grants_overlap ? grants_overlap_bits_ : 0;
        chain.violating.back() |= observation_.beliefs_overlap ? beliefs_overlap_bits_ : 0;
        const bool at_rest = system_.quiescent(state);
        for (std::uint8_t key = 0; key < observation_.keys_count; ++key) {
            const std::uint32_t lost = units_lost(observation_, key);
            if (at_rest && lost > 0 && lost >= capacity_[key]) {
                maybe_seized_.push_back({index, key, lost});
            }
            const std::uint32_t believed = observation_.keys[key].believed;
            if (believed > capacity_[key]) {
                maybe_over_held_.push_back({index, key, believed});
            }
        }
    }

    // The largest capacity that any caller sees of the key is known now.
    void mark_over_held_and_seized() {
        Chain& chain = graph_.chain;
        if (!watches_time_) {
            return;
        }
        for (const Candidate& one : maybe_over_held_) {
            if (one.units > capacity_[one.key]) {
                chain.violating[one.state] |= over_held_bits_;
            }
        }
        chain.seized.assign(chain.size(), false);
        for (const Candidate& one : maybe_seized_) {
            if (one.units >= capacity_[one.key] && capacity_[one.key] > 0) {
                chain.seized[one.state] = true;
            }
        }
    }

    void look_at_limits() {
        const Chain& chain = graph_.chain;
        const std::uint64_t bytes =
            graph_.states.bytes() + graph_.states.size() * kSolverBytesOfState +
            chain.targets.capacity() *
                (sizeof(StateIndex) + sizeof(double) + 1 + kSolverBytesOfTransition);
        if (interrupt_requested()) {
            graph_.limit = "interrupted";
        } else if (bytes > options_.bytes_max || process_limit_.is_exceeded()) {
            graph_.limit = "memory";
        } else if (std::chrono::steady_clock::now() - began_ >
                   std::chrono::duration<double>(std::min(options_.seconds_max, 1e9))) {
            graph_.limit = "time";
        }
    }

    const ErasedSystem& system_;
    const MeasureOptions& options_;
    Judge judge_;
    ChainGraph graph_;
    ProcessLimit process_limit_{options_.process_bytes_max};
    bool watches_time_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::uint32_t over_held_bits_ = 0;
    std::uint32_t beliefs_overlap_bits_ = 0;
    std::uint32_t grants_overlap_bits_ = 0;
    std::uint32_t rest_bits_ = 0;
    std::uint32_t deadlock_bit_ = 0;
    std::array<std::uint32_t, kKeysMax> capacity_{};
    std::vector<Candidate> maybe_seized_;
    std::vector<Candidate> maybe_over_held_;
    std::vector<Edge> edges_;
    Overlapping overlapping_;
    ActionList actions_;
    ActionList actions_of_new_;
    Observation observation_{};
};

}  // namespace

std::vector<const Property*> judged_properties(const MeasureOptions& options) {
    std::vector<const Property*> check = options.check;
    check.resize(std::min(check.size(), kExactPropertiesMax));
    return check;
}

bool is_natures(ActionClass which, LawKind law) {
    switch (which) {
        case ActionClass::kArrival:
        case ActionClass::kDeparture:
        case ActionClass::kStep:
        case ActionClass::kBackground: return false;
        case ActionClass::kCrash:
        case ActionClass::kResize:
        case ActionClass::kFault:
        case ActionClass::kDisturbance: return true;
        case ActionClass::kTime: return law != LawKind::kUniform;
    }
    return false;
}

ChainGraph build_chain(const ErasedSystem& system, const MeasureOptions& options) {
    return ChainBuilder(system, options).build();
}

}  // namespace lockkeeper
