// SPDX-License-Identifier: Apache-2.0

// Every reachable state, each once.
//
// Breadth first, level by level, and each level in rounds: workers expand some thousand states,
// then put the successors into the store, each worker into shards of its own. Rounds, shards and
// the order in which results are put together are the same for any number of workers, so that
// states get the same numbers, and verdict, counts and traces are the same. The first violation is
// a shortest one. Depth first (kStack) goes on state by state. The time goes into a look into a
// large table for every transition (state_store.hpp).
#pragma once

#include <chrono>
#include <span>

#include "scheduler/process_memory.hpp"
#include "scheduler/search/checkpoint_saver.hpp"
#include "scheduler/search/growth_look.hpp"
#include "scheduler/states/arrivals.hpp"
#include "scheduler/work_crew.hpp"

namespace lockkeeper {

template <System S>
class Explorer {
  public:
    using State = typename S::State;

    Explorer(const S& system, const ExploreOptions& options)
        : system_(system),
          options_(options),
          judge_(options.check),
          deadlock_(judge_.index_of(PropertyNumber::kDeadlock)),
          crew_(options.frontier == Frontier::kQueue ? options.jobs : 1),
          reached_(system, options),
          progress_(reached_.progress),
          process_limit_(options.process_bytes_max),
          saver_(options.checkpoint, options.seconds_max, [this] { return elapsed(); }),
          growth_(system, options, reached_) {}

    void run() {
        start_ = Clock::now();
        try {
            while (!search_from(options_.checkpoint.resume_from)) {
            }
        } catch (const LimitExceeded& limit) {
            end_within_round(std::string("compiled size: ") + limit.what());
        } catch (const std::bad_alloc&) {
            end_within_round("memory");
        }
        if (is_whole_ && !limit_.empty() && !stopped_at_violation_) {
            save_checkpoint();
        }
        progress_.order_by_steps(options_.stop_at_first);
        reached_.number_states();
        seconds_ = elapsed();
    }

    void save_checkpoint() {
        saver_.save(bytes(), [this](const std::string& path) {
            const JudgedAgain again(progress_, only_judges_ ? &judged_from_ : nullptr);
            reached_.save(path, options_.checkpoint.identity);
        });
    }
    // The time that has to be left for save_checkpoint().
    [[nodiscard]] double seconds_to_save() const { return saver_.seconds_for(bytes()); }

    [[nodiscard]] Reached<S>& reached() { return reached_; }
    [[nodiscard]] const Reached<S>& reached() const { return reached_; }
    [[nodiscard]] const SearchProgress& progress() const { return progress_; }
    [[nodiscard]] const std::string& limit() const { return limit_; }
    [[nodiscard]] bool stopped_at_violation() const { return stopped_at_violation_; }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] std::string growing() const { return growth_.text(); }
    [[nodiscard]] Judge& judge() { return judge_; }
    [[nodiscard]] const std::string& checkpoint_written() const { return saver_.written(); }
    [[nodiscard]] const std::string& checkpoint_error() const { return saver_.error(); }
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = reached_.bytes();
        for (const Expansion<S>& expansion : expansions_) {
            sum += expansion.successors.bytes();
        }
        for (const Expander<S>& expander : expanders_) {
            sum += expander.bytes();
        }
        return sum;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kStatesOfExpansion = 256;

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    // --- searching -------------------------------------------------------------------------

    // False: the numbers of the parts did not suffice, even if a checkpoint had them; they do now.
    bool search_from(const std::string& checkpoint) {
        try {
            begin(has_begun_again_ ? "" : checkpoint);
            options_.frontier == Frontier::kQueue ? run_queue() : run_stack();
            return true;
        } catch (const TooManyParts&) {
            reached_.make_room();
            has_begun_again_ = true;
            learns_at_once_ = true;
            return false;
        }
    }

    // `resume_from`: a checkpoint, or empty for the initial state.
    void begin(const std::string& resume_from) {
        growth_.begin();
        if (!resume_from.empty()) {
            if (!reached_.load(resume_from, options_.checkpoint.identity, options_.seconds_max)) {
                end_within_round("time");
            }
        } else {
            reached_.add_initial();
            begin_level();
        }
        deepest_ = 0;
        expanders_.clear();  // they know the size of a record, which loading may change
        for (std::size_t i = 0; i < crew_.size(); ++i) {
            expanders_.emplace_back(system_, options_, reached_.knowledge(), reached_.store());
        }
    }

    void begin_level() {
        reached_.store().begin_level();
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            progress_.level_end[shard] = reached_.store().size_of(shard);
        }
        progress_.levels.push_back(progress_.waiting());
        growth_.look_at_level();
    }

    void run_queue() {
        for (;;) {
            if (progress_.depth > options_.depth_max) {
                --progress_.depth;
                only_judges_ = true;
                judged_from_ = progress_.next;
            }
            while (!ended_ && plan_round()) {
                run_round();
                look_at_limits();
            }
            if (only_judges_ && !ended_) {
                end("depth");
            }
            if (!progress_.order_found.empty() && options_.stop_at_first && !ended_) {
                end("first violation", true);
            }
            if (ended_) {
                return;
            }
            begin_level();
            if (progress_.waiting() == 0) {
                progress_.levels.pop_back();
                return;
            }
            ++progress_.depth;
        }
    }

    // Cuts the next states of the level into expansions; false when the level is done.
    bool plan_round() {
        planned_ = 0;
        for (auto left = states_of_round(reached_.store().size(), options_.states_max); left > 0;) {
            const auto [first, count] = progress_.take(std::min(kStatesOfExpansion, left));
            if (count == 0) {
                break;
            }
            plan(first, count);
            left -= count;
        }
        return planned_ > 0;
    }

    void plan(StateId first, std::size_t count) {
        if (planned_ == expansions_.size()) {
            expansions_.emplace_back();
        }
        expansions_[planned_++].plan(first, count, progress_.depth + (only_judges_ ? 1 : 0),
                                     only_judges_, options_.frontier == Frontier::kQueue);
    }

    void run_round() {
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

    void run_stack() {
        struct Waiting {
            StateId id;
            std::uint64_t depth;
        };
        StateStore& store = reached_.store();
        bool cut_off = false;
        std::vector<Waiting> stack{{StateStore::id_of(progress_.first_shard, 0), 0}};
        while (!stack.empty() && !ended_) {
            const Waiting next = stack.back();
            stack.pop_back();
            planned_ = 0;
            progress_.depth = next.depth;
            only_judges_ = next.depth > options_.depth_max;
            plan(next.id, 1);
            Expansion<S>& expansion = expansions_.front();
            expansion.depth = next.depth;
            cut_off = cut_off || only_judges_;
            deepest_ = std::max(deepest_, only_judges_ ? 0 : next.depth);
            expanders_.front().expand(expansion, true);
            collect(expansion);
            const std::size_t below = stack.size();
            const ArrivalBatch batch = expansion.successors.all();
            for (std::size_t i = 0; i < batch.arrivals.size(); ++i) {
                const auto [hash, parent] = batch.arrivals[i];
                const Visit visit = store.visit(batch.record(i, store.shape()), hash, parent);
                if (visit.is_new) {
                    stack.push_back({visit.id, next.depth + 1});
                }
            }
            std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(below), stack.end());
            stack_size_ = stack.size();
            if (!progress_.order_found.empty() && options_.stop_at_first) {
                end("first violation", true);
            } else {
                look_at_limits();
            }
        }
        progress_.depth = deepest_;
        if (cut_off && !ended_) {
            end("depth");
        }
    }

    void end(std::string limit, bool at_violation = false) {
        ended_ = true;
        limit_ = std::move(limit);
        stopped_at_violation_ = at_violation;
    }

    // What the round has expanded is not all in the store: no search could go on there.
    void end_within_round(std::string limit) {
        end(std::move(limit));
        is_whole_ = false;
        saver_.give_up("the search ended within a round");
    }

    void look_at_limits() {
        const std::uint64_t states = reached_.store().size();
        const std::uint64_t frontier =
            options_.frontier == Frontier::kQueue ? states - progress_.expanded() : stack_size_;
        if (states >= options_.states_max && frontier > 0) {
            end("states");
            return;
        }
        constexpr unsigned kStatesALook = 4096;
        if (options_.frontier == Frontier::kStack) {
            if (++looks_ % kStatesALook != 0) {
                return;
            }
            growth_.look_at_state(expansions_.front().first);
        }
        const double seconds = elapsed();
        const double share = progress_.order_found.empty() ? 1 : kSearchShare;
        if (has_to_stop(options_)) {
            end("interrupted");
        } else if (seconds + seconds_to_save() > share * options_.seconds_max) {
            end("time");
        } else if (bytes() > options_.bytes_max || process_limit_.is_exceeded()) {
            end("memory");
        } else if (options_.progress) {
            report(frontier, seconds);
        }
        if (!ended_ && saver_.is_due(bytes())) {
            save_checkpoint();
        }
    }

    void report(std::uint64_t frontier, double seconds) const {
        auto estimate = estimate_total(progress_.levels);  // depth first there are no levels
        options_.progress({reached_.store().size(), progress_.transitions, progress_.depth,
                           frontier, bytes(), seconds, estimate});
    }

    const S& system_;
    const ExploreOptions& options_;
    Judge judge_;
    std::optional<std::size_t> deadlock_;
    WorkCrew crew_;
    Reached<S> reached_;
    SearchProgress& progress_;
    ProcessLimit process_limit_;
    CheckpointSaver saver_;
    GrowthLook<S> growth_;
    std::vector<Expander<S>> expanders_;
    std::vector<Expansion<S>> expansions_;
    std::size_t planned_ = 0;
    std::vector<std::size_t> incomplete_;  // expansions that met something new
    std::uint64_t deepest_ = 0;
    std::size_t stack_size_ = 0;
    unsigned looks_ = 0;
    bool learns_at_once_ = true;
    bool has_begun_again_ = false;
    bool only_judges_ = false;
    SearchProgress::Indexes judged_from_{};  // what is only judged begins there
    bool is_whole_ = true;
    bool ended_ = false;
    std::string limit_;
    bool stopped_at_violation_ = false;
    Clock::time_point start_;
    double seconds_ = 0;
};

}  // namespace lockkeeper
