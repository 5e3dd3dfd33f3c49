// SPDX-License-Identifier: Apache-2.0

// The explored graph as arrays: who follows whom. States have the numbers of `Reached`; number 0 is
// the initial state. Built from a complete exploration with exact storage, by expanding every
// state once more; asked for what single states cannot tell (how many interleavings there are,
// whether there is a cycle, livelock). Of a reduced search it is the reduced graph, which says
// whether there is a cycle; a transition to a state that a better one covers is in no cycle.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/base/work_crew.hpp"
#include "scheduler/graph/graph_limits.hpp"
#include "scheduler/graph/state_lookup.hpp"
#include "scheduler/search/expander.hpp"

namespace lockkeeper {

using StateNumber = std::uint32_t;

class StateGraph {
  public:
    // `reached` by a search with these options; nothing new is met. Throws GraphLimitReached.
    template <System S>
    StateGraph(const S& system, Reached<S>& reached, const ExploreOptions& options,
               const GraphLimits& limits);

    [[nodiscard]] std::size_t states_count() const { return first_edge_.size() - 1; }
    [[nodiscard]] std::size_t first_edge(StateNumber id) const { return first_edge_[id]; }
    [[nodiscard]] std::size_t end_edge(StateNumber id) const { return first_edge_[id + 1]; }
    [[nodiscard]] StateNumber target(std::size_t edge) const { return targets_[edge]; }
    [[nodiscard]] std::size_t bytes() const {
        return first_edge_.capacity() * sizeof(std::size_t) +
               targets_.capacity() * sizeof(StateNumber);
    }

    // Every state before those that follow it; nothing when there is a cycle. Throws
    // GraphLimitReached, as all below.
    [[nodiscard]] std::optional<std::vector<StateNumber>> order(const GraphLimits& limits) const;

    // How many paths lead from the initial state to an end.
    // With symmetry each path of the reduced graph is counted as often as the full one has it,
    // because a representative has as many actions as each state that it stands for.
    [[nodiscard]] std::string count_interleavings(const std::vector<StateNumber>& order,
                                                  const GraphLimits& limits) const;

  private:
    template <System S>
    class Builder;

    std::vector<std::size_t> first_edge_;
    std::vector<StateNumber> targets_;
};

// Expands some thousand states at a time, by several workers, and puts the pieces together in the
// order of the numbers.
template <System S>
class StateGraph::Builder {
  public:
    Builder(const S& system, Reached<S>& reached, const ExploreOptions& options)
        : reached_(reached),
          options_(options),
          crew_(options.jobs),
          known_before_(reached.knowledge().bytes()) {
        if (options_.reduction != Reduction::kPrivateSteps) {  // or others would be private
            options_.check.clear();                            // all has been judged
            options_.reach.clear();
        }
        nothing_found_ = SearchProgress(options_.check.size(), options_.reach.size());
        options_.sleep_sets = false;  // every successor is wanted
        for (std::size_t i = 0; i < crew_.size(); ++i) {
            expanders_.emplace_back(system, options_, reached.knowledge(), reached.store());
        }
    }

    void build(StateGraph& graph, const GraphLimits& limits) {
        graph.first_edge_.reserve(reached_.size() + 1);
        graph.targets_.reserve(reached_.progress.transitions);
        while (plan()) {
            for (Expander<S>& expander : expanders_) {
                expander.begin_round(nothing_found_, reached_.size());
            }
            crew_.run(pieces_count_, [&](std::size_t worker, std::size_t piece) {
                pieces_[piece].make(expanders_[worker], reached_, false);
            });
            for (std::size_t i = 0; i < pieces_count_; ++i) {
                if (!pieces_[i].expansion.unknown.empty()) {
                    pieces_[i].make(expanders_.front(), reached_, true);
                }
                append(pieces_[i], graph);
            }
            limits.look(graph.bytes() + bytes());
        }
        graph.first_edge_.push_back(graph.targets_.size());
        LOCKKEEPER_CHECK(graph.targets_.size() == reached_.progress.transitions);
    }

  private:
    static constexpr std::size_t kStatesOfPiece = 256;
    static constexpr std::size_t kPieces = 64;

    // Some states of one shard and what follows them.
    struct Piece {
        Expansion<S> expansion;
        std::vector<StateNumber> targets;

        // `unknown` of the expansion is not empty: some step was never learned and may not be.
        void make(Expander<S>& expander, const Reached<S>& reached, bool may_learn) {
            targets.clear();
            expander.expand(expansion, may_learn);
            if (!expansion.unknown.empty() && !may_learn) {
                return;
            }
            // A worker that goes over to another way has some twice, and goes that way again.
            if (expansion.successors.size() != expansion.transitions) {
                expander.expand(expansion, may_learn);
            }
            LOCKKEEPER_CHECK(expansion.successors.size() == expansion.transitions);
            StateLookup<S>(reached).find_all(expansion.successors.all(), targets);
        }
    };

    // The next pieces, in the order of the numbers; false: there is none.
    bool plan() {
        constexpr bool kByShard = false;  // the successors of a piece: in the order of its states
        pieces_count_ = 0;
        while (pieces_count_ < kPieces && shard_ < StateStore::kShards) {
            const std::size_t shard = reached_.shards_in_order()[shard_];
            const std::size_t size = reached_.store().size_of(shard);
            if (next_ == size) {
                ++shard_;
                next_ = 0;
                continue;
            }
            if (pieces_count_ == pieces_.size()) {
                pieces_.emplace_back();
            }
            const std::size_t count = std::min(kStatesOfPiece, size - next_);
            pieces_[pieces_count_++].expansion.plan(StateStore::id_of(shard, next_), count, 0,
                                                    false, kByShard);
            next_ += count;
        }
        return pieces_count_ > 0;
    }

    // The memory beside the search's own: the steps that were learned, and the workers' lookups.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = reached_.knowledge().bytes() - known_before_;
        for (const Expander<S>& expander : expanders_) {
            sum += expander.bytes();
        }
        return sum;
    }

    static void append(const Piece& piece, StateGraph& graph) {
        const auto arrivals = piece.expansion.successors.all().arrivals;
        std::size_t edge = 0;
        for (std::size_t i = 0; i < piece.expansion.count; ++i) {
            const StateId from = piece.expansion.first + static_cast<StateId>(i);
            graph.first_edge_.push_back(graph.targets_.size() + edge);
            while (edge < arrivals.size() && arrivals[edge].parent == from) {
                ++edge;
            }
        }
        graph.targets_.insert(graph.targets_.end(), piece.targets.begin(), piece.targets.end());
    }

    Reached<S>& reached_;
    ExploreOptions options_;
    WorkCrew crew_;
    std::size_t known_before_;  // bytes
    std::size_t shard_ = 0;     // the next state, among shards_in_order()
    std::size_t next_ = 0;
    SearchProgress nothing_found_;
    std::vector<Expander<S>> expanders_;
    std::vector<Piece> pieces_;
    std::size_t pieces_count_ = 0;
};

template <System S>
StateGraph::StateGraph(const S& system, Reached<S>& reached, const ExploreOptions& options,
                       const GraphLimits& limits) {
    Builder<S>(system, reached, options).build(*this, limits);
}

}  // namespace lockkeeper
