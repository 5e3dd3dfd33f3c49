// SPDX-License-Identifier: Apache-2.0

// One round of a search: some thousand states are expanded, what they showed for the first time is
// learned, and their successors go into the store. Used by Explorer, which says which states, and
// what is found is put together in their order.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scheduler/search/reached.hpp"
#include "scheduler/states/arrivals.hpp"
#include "scheduler/work_crew.hpp"

namespace lockkeeper {

template <System S>
class Round {
  public:
    Round(const S& system, const ExploreOptions& options, Reached<S>& reached, WorkCrew& crew)
        : system_(system),
          options_(options),
          deadlock_(Judge(options.check).index_of(PropertyNumber::kDeadlock)),
          reached_(reached),
          progress_(reached.progress),
          crew_(crew) {}

    // The size of a record is known, and may be another one than before.
    void begin_search() {
        expanders_.clear();
        for (std::size_t i = 0; i < crew_.size(); ++i) {
            expanders_.emplace_back(system_, options_, reached_.knowledge(), reached_.store());
        }
    }
    void learn_at_once() { learns_at_once_ = true; }

    // Cuts the next states of the level into expansions; false when the level is done.
    bool plan(bool only_judges) {
        planned_ = 0;
        const StateStore& store = reached_.store();
        for (auto left =
                 states_of_round(store.size(), store.states_in_memory(), options_.states_max);
             left > 0;) {
            const auto [first, count] = progress_.take(std::min(kStatesOfExpansion, left));
            if (count == 0) {
                break;
            }
            plan(first, count, progress_.depth + (only_judges ? 1 : 0), only_judges);
            left -= count;
        }
        return planned_ > 0;
    }

    void run() {
        for (Expander<S>& expander : expanders_) {
            expander.begin_round(progress_);
        }
        const bool alone = learns_at_once_;
        if (alone) {
            for (std::size_t i = 0; i < planned_; ++i) {
                expanders_.front().expand(expansions_[i], true);
            }
        } else {
            crew_.run(planned_, [&](std::size_t worker, std::size_t piece) {
                expanders_[worker].expand(expansions_[piece]);
            });
        }
        learns_at_once_ =
            is_mostly_new(std::span<const Expansion<S>>(expansions_).first(planned_), crew_.size());
        if (!alone) {
            learn();
        }
        std::size_t successors = 0;
        for (std::size_t i = 0; i < planned_; ++i) {
            collect(expansions_[i]);
            successors += expansions_[i].successors.size();
        }
        constexpr std::size_t kWorthSharing = 4096;
        if (successors >= kWorthSharing) {
            crew_.run(StateStore::kShards, [&](std::size_t, std::size_t i) { fill_shard(i); });
            return;
        }
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            fill_shard(shard);
        }
    }

    // A round of one state, whose successors the caller puts into the store.
    const Expansion<S>& expand_one(StateId id, std::uint64_t depth, bool only_judges) {
        planned_ = 0;
        plan(id, 1, depth, only_judges);
        Expansion<S>& expansion = expansions_.front();
        expanders_.front().expand(expansion, true);
        collect(expansion);
        return expansion;
    }

    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = 0;
        for (const Expansion<S>& expansion : expansions_) {
            sum += expansion.successors.bytes();
        }
        for (const Expander<S>& expander : expanders_) {
            sum += expander.bytes();
        }
        return sum;
    }

  private:
    static constexpr std::size_t kStatesOfExpansion = 256;

    void plan(StateId first, std::size_t count, std::uint64_t depth, bool only_judges) {
        if (planned_ == expansions_.size()) {
            expansions_.emplace_back();
        }
        expansions_[planned_++].plan(first, count, depth, only_judges,
                                     options_.frontier == Frontier::kQueue);
    }

    // What some states showed for the first time is learned from them, in their order, by one
    // worker; then their expansions are made again. So the order of successors does not depend on
    // what was known, and a search that goes on from a checkpoint finds the same traces.
    void learn() {
        incomplete_.clear();
        for (std::size_t i = 0; i < planned_; ++i) {
            for (const StateId id : expansions_[i].unknown) {
                expanders_.front().learn(id);
            }
            if (!expansions_[i].unknown.empty()) {
                incomplete_.push_back(i);
            }
        }
        crew_.run(incomplete_.size(), [&](std::size_t worker, std::size_t piece) {
            Expansion<S>& again = expansions_[incomplete_[piece]];
            expanders_[worker].expand(again);
            LOCKKEEPER_CHECK(again.unknown.empty());
        });
    }

    void collect(const Expansion<S>& expansion) {
        reached_.order_tails();
        progress_.transitions += expansion.transitions;
        progress_.terminal_states += expansion.terminal_states;
        for (const FoundHere& found : expansion.found) {
            progress_.note(found.property, found.place);
        }
        for (const FoundHere& found : expansion.stuck) {
            if (!progress_.stuck.found) {
                progress_.stuck = found.place;
            }
            if (deadlock_) {
                progress_.note(*deadlock_, found.place);
            }
        }
        if (!expansion.time_over.empty() && !progress_.time_over.found) {
            progress_.time_over = expansion.time_over.front().place;
        }
        for (const std::size_t goal : expansion.goals) {
            progress_.goal_reached[goal] = 1;
        }
    }

    void fill_shard(std::size_t shard) {
        thread_local std::vector<ArrivalBatch> batches;
        batches.clear();
        for (std::size_t i = 0; i < planned_; ++i) {
            batches.push_back(expansions_[i].successors.at(shard));
        }
        visit_all(reached_.store(), shard, batches);
    }

    const S& system_;
    const ExploreOptions& options_;
    std::optional<std::size_t> deadlock_;
    Reached<S>& reached_;
    SearchProgress& progress_;
    WorkCrew& crew_;
    std::vector<Expander<S>> expanders_;
    std::vector<Expansion<S>> expansions_;
    std::size_t planned_ = 0;
    std::vector<std::size_t> incomplete_;  // expansions that met something new
    bool learns_at_once_ = true;
};

}  // namespace lockkeeper
