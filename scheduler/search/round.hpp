// SPDX-License-Identifier: Apache-2.0

// One round of a search: it expands some thousand states, learns what they showed for the first
// time, and puts their successors into the store. Used by Explorer, which says which states, and
// puts together what is found in their order.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scheduler/base/work_crew.hpp"
#include "scheduler/search/arrivals.hpp"
#include "scheduler/search/rank_round.hpp"
#include "scheduler/search/reached.hpp"

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
          crew_(crew),
          ranks_(options.ranks, crew),
          learns_at_once_(ranks_.is_alone()) {}

    // The size of a record is known, and may be another one than before.
    void begin_search() {
        expanders_.clear();
        for (std::size_t i = 0; i < crew_.size(); ++i) {
            expanders_.emplace_back(system_, options_, reached_.knowledge(), reached_.store());
        }
    }
    void learn_at_once() { learns_at_once_ = ranks_.is_alone(); }

    // Cuts the next states of the level into expansions; false when the level is done.
    bool plan(bool only_judges) {
        planned_ = 0;
        for (auto left = std::min(
                 states_of_round(reached_.size(), reached_.states_in_memory(), options_.states_max),
                 states_that_fit());
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
            expander.begin_round(progress_, reached_.size());
        }
        const bool alone = learns_at_once_;
        if (alone) {
            for (std::size_t i = 0; i < planned_; ++i) {
                expanders_.front().expand(expansions_[i], true);
            }
        } else {
            expand_and_learn();
        }
        learns_at_once_ =
            ranks_.is_alone() &&
            is_mostly_new(std::span<const Expansion<S>>(expansions_).first(planned_), crew_.size());
        std::size_t successors = 0;
        for (const Expansion<S>& expansion : pieces()) {
            collect(expansion);
            successors += expansion.successors.size();
        }
        ranks_.share_successors(pieces(), reached_.store().shape());
        ranks_.guarded([&] { fill_shards(successors); });
    }

    // Several processes: something went wrong here in the last round, or (thrown) anywhere.
    [[nodiscard]] bool has_failed() const { return ranks_.has_failed(); }
    void throw_failure() { ranks_.share_failure(); }

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
        return sum + ranks_.bytes();
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

    // --memory is looked at between rounds. So the successors of one, which are many where there
    // are many callers, take a small part of it; by what those took that were expanded already.
    [[nodiscard]] std::size_t states_that_fit() const {
        constexpr std::uint64_t kPartOfMemory = 8;
        constexpr double kAsVectorsGrow = 2;
        const std::uint64_t expanded = progress_.expanded();
        const std::uint64_t bytes_max =
            std::min(options_.bytes_max, options_.process_bytes_max) / kPartOfMemory;
        const double bytes_of_successor =
            kAsVectorsGrow *
            static_cast<double>(reached_.store().shape().words * sizeof(std::uint64_t) +
                                sizeof(Arrival));
        const double bytes_of_state = static_cast<double>(progress_.transitions) /
                                      static_cast<double>(std::max<std::uint64_t>(expanded, 1)) *
                                      bytes_of_successor;
        const double fitting =
            static_cast<double>(bytes_max) / std::max(bytes_of_state, bytes_of_successor);
        constexpr double kAny = 1e9;
        return options_.ranks != nullptr
                   ? static_cast<std::size_t>(kAny)
                   : std::max(kStatesOfExpansion,
                              static_cast<std::size_t>(std::min(fitting, kAny)));
    }

    [[nodiscard]] std::span<Expansion<S>> pieces() {
        return std::span<Expansion<S>>(expansions_).first(planned_);
    }

    void expand_and_learn() {
        ranks_.guarded([&] {
            crew_.run(planned_, [&](std::size_t worker, std::size_t piece) {
                if (ranks_.has(expansions_[piece])) {
                    expanders_[worker].expand(expansions_[piece]);
                }
            });
        });
        ranks_.share_findings(pieces(), reached_.store());
        learn();
    }

    // One worker learns what some states showed for the first time, in the order of the states;
    // then their expansions are made again. The order of successors therefore does not depend on
    // earlier knowledge, and a search that goes on from a checkpoint finds the same traces.
    void learn() {
        incomplete_.clear();
        const std::size_t words = reached_.store().shape().words;
        bool is_known = true;
        for (std::size_t i = 0; i < planned_; ++i) {
            const Expansion<S>& piece = expansions_[i];
            const bool is_here = ranks_.has(piece);
            for (std::size_t at = 0; at < piece.unknown.size(); ++at) {
                expanders_.front().learn(piece.unknown[at],
                                         is_here ? nullptr : &piece.unknown_records[at * words]);
            }
            is_known = is_known && piece.unknown.empty();
            if (is_here && !piece.unknown.empty()) {
                incomplete_.push_back(i);
            }
        }
        if (is_known) {
            return;
        }
        ranks_.guarded([&] {
            crew_.run(incomplete_.size(), [&](std::size_t worker, std::size_t piece) {
                Expansion<S>& again = expansions_[incomplete_[piece]];
                expanders_[worker].expand(again);
                LOCKKEEPER_CHECK(again.unknown.empty());
            });
        });
        ranks_.share_findings(pieces(), reached_.store());
    }

    void fill_shards(std::size_t successors) {
        constexpr std::size_t kWorthSharing = 4096;
        if (successors >= kWorthSharing) {
            crew_.run(StateStore::kShards, [&](std::size_t, std::size_t i) { fill_shard(i); });
            return;
        }
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            fill_shard(shard);
        }
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
        if (!ranks_.owns(shard)) {
            return;
        }
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
    RankRound<S> ranks_;
    bool learns_at_once_;
};

}  // namespace lockkeeper
