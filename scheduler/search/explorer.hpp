// SPDX-License-Identifier: Apache-2.0

// Every reachable state, each once.
//
// Breadth first, level by level, and each level in rounds: workers expand some thousand states,
// then put the successors into the store, each worker into shards of its own. Rounds, shards and
// the order in which results are put together are the same for any number of workers, so that
// states get the same numbers, and verdict, counts and traces are the same. The first violation is
// a shortest one. Depth first (kStack) goes on state by state.
#pragma once

#include <chrono>

#include "scheduler/base/process_memory.hpp"
#include "scheduler/ranks/shard_stream.hpp"
#include "scheduler/search/checkpoint_saver.hpp"
#include "scheduler/search/growth_look.hpp"
#include "scheduler/search/round.hpp"

namespace lockkeeper {

template <System S>
class Explorer {
  public:
    using State = typename S::State;

    Explorer(const S& system, const ExploreOptions& options)
        : system_(system),
          options_(options),
          judge_(options.check),
          crew_(options.frontier == Frontier::kQueue ? options.jobs : 1),
          reached_(system, options),
          progress_(reached_.progress),
          round_(system, options, reached_, crew_),
          process_limit_(options.process_bytes_max),
          checkpoint_(options.checkpoint),
          saver_(checkpoint_, options.seconds_max, [this] { return elapsed(); }),
          growth_(system, options, reached_) {
        LOCKKEEPER_CHECK(options.ranks == nullptr ||
                         (options.frontier == Frontier::kQueue && options.disk.directory.empty()));
        if (!options.disk.directory.empty()) {
            checkpoint_.save_to = DiskDirectory::checkpoint_in(options.disk.directory);
        }
    }

    void run() {
        start_ = Clock::now();
        if (options_.ranks != nullptr) {
            agree_on_search();
        }
        try {
            while (!search_from(options_.checkpoint.resume_from)) {
            }
        } catch (const LimitExceeded& limit) {
            end_within_round(std::string("compiled size: ") + limit.what());
        } catch (const std::bad_alloc&) {
            end_within_round("memory");
        }
        if (is_whole_ && !limit_.empty() && !stopped_at_violation_ && !is_saved_) {
            save_checkpoint();
        }
        if (limit_.empty() || stopped_at_violation_) {
            forget_disk();
        }
        reached_.store().settle(for_shards());  // or states would be counted twice
        progress_.order_by_steps(options_.stop_at_first);
        reached_.number_states();
        seconds_ = elapsed();
    }

    void save_checkpoint() { save_checkpoint(bytes_to_save()); }
    [[nodiscard]] double seconds_to_save() const { return saver_.seconds_for(bytes_to_save()); }

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
    [[nodiscard]] std::size_t bytes() const { return reached_.bytes() + round_.bytes(); }
    [[nodiscard]] const RankTotals& totals() const { return totals_; }
    [[nodiscard]] RanksUse ranks_use(double seconds) const;

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    void save_checkpoint(std::size_t bytes) {
        is_saved_ = true;  // on all ranks
        const RankSaving saving(options_.ranks);
        if (!saving.is_mine()) {
            reached_.help_to_save();
            return;
        }
        saver_.save(bytes, ended_, [this](const std::string& path) {
            const JudgedAgain again(progress_, only_judges_ ? &judged_from_ : nullptr);
            const LookAtClock look = [this] { saver_.look_at_clock(); };
            if (reached_.store().goes_to_disk()) {
                reached_.store().begin_disk(look);
                saver_.begins_now();
                reached_.store().write_out(for_shards(), look);
            }
            reached_.save(path, options_.checkpoint.identity, look);
        });
        forget_large_step();
    }

    // --- searching -------------------------------------------------------------------------

    // False: the numbers of the parts did not suffice, even if a checkpoint had them; they do now.
    bool search_from(const std::string& checkpoint) {
        try {
            begin(has_begun_again_ ? "" : checkpoint);
            options_.frontier == Frontier::kQueue ? run_queue() : run_stack();
            return true;
        } catch (const TooManyParts&) {
            forget_disk();  // with the checkpoint in its directory
            reached_.make_room();
            has_begun_again_ = true;
            round_.learn_at_once();
            return false;
        }
    }

    // `resume_from`: a checkpoint, or empty for the initial state.
    void begin(const std::string& resume_from) {
        growth_.begin();
        if (!resume_from.empty()) {
            if (!load(resume_from)) {
                end_within_round("time");
            }
            forget_large_step();
        } else {
            reached_.add_initial();
            begin_level();
        }
        deepest_ = 0;
        round_.begin_search();
    }

    [[nodiscard]] bool load(const std::string& path);
    void begin_level() {
        reached_.store().settle(for_shards());
        reached_.store().begin_level();
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            progress_.level_end[shard] = reached_.size_of(shard);
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
            while (!ended_ && round_.plan(only_judges_)) {
                is_saved_ = false;
                round_.run();
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
            // Rather now than in the middle of the level: what is found there is in memory then.
            if (reached_.store().is_full(progress_.waiting())) {
                go_to_disk();
            }
        }
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
            last_expanded_ = next.id;
            progress_.depth = next.depth;
            only_judges_ = next.depth > options_.depth_max;
            cut_off = cut_off || only_judges_;
            deepest_ = std::max(deepest_, only_judges_ ? 0 : next.depth);
            const Expansion<S>& expansion = round_.expand_one(next.id, next.depth, only_judges_);
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

    void forget_disk() {
        if (reached_.store().goes_to_disk()) {
            reached_.store().forget_disk();
            saver_.forget();
        }
    }

    // --- ending, and going on from disk -------------------------------------------------------

    // Writes out what is known, which is a checkpoint, too, and forgets most of it.
    void go_to_disk() {
        StateStore& store = reached_.store();
        save_checkpoint();
        if (saver_.error().empty() && !saver_.was_late()) {
            store.make_room(for_shards());
            const auto has_time_for = [this](std::uint64_t bytes) {
                return !has_to_stop(options_) && !is_late(elapsed() + saver_.seconds_for(bytes));
            };
            if (store.merge_on_disk(for_shards(), has_time_for)) {
                save_checkpoint(CheckpointSaver::kTellsNoSpeed);  // what was merged goes
            }
        }
        if (saver_.was_late()) {
            end("time");
        } else if (!saver_.error().empty()) {
            end_by_disk(saver_.error());
        } else if (!store.reserve_disk()) {
            end_by_disk(options_.disk.directory + ": no room for more states");
        }
    }
    void end_by_disk(const std::string& why) {
        end("disk: " + why);
        is_saved_ = true;
    }

    // The memory of the filter, which comes at once and only once.
    void forget_large_step() {
        if (reached_.store().goes_to_disk()) {
            process_limit_ = ProcessLimit(options_.process_bytes_max);
        }
    }
    [[nodiscard]] ForShards for_shards() {
        return [this](const std::function<void(std::size_t)>& task) {
            crew_.run(StateStore::kShards, [&](std::size_t, std::size_t shard) { task(shard); });
        };
    }
    [[nodiscard]] std::size_t bytes_to_save() const {
        // Syncing takes its time however little there is; of less, no speed could be told.
        constexpr std::size_t kAnyway = std::size_t{16} << 20U;
        if (options_.ranks != nullptr) {
            return std::max<std::size_t>(bytes(), totals_.sum().bytes);
        }
        return reached_.store().goes_to_disk()
                   ? reached_.store().unsaved_bytes() + reached_.knowledge().bytes() + kAnyway
                   : bytes();
    }

    void end(std::string limit, bool at_violation = false) {
        ended_ = true;
        limit_ = std::move(limit);
        stopped_at_violation_ = at_violation;
    }

    // The store has only part of what the round has expanded: no search could go on there.
    void end_within_round(std::string limit) {
        end(std::move(limit));
        is_whole_ = false;
        saver_.give_up("the search ended within a round");
    }

    void look_at_limits() {
        if (reached_.store().size() >= options_.states_max) {
            reached_.store().settle(for_shards());
        }
        if (options_.ranks != nullptr) {
            share_status();
        }
        const std::uint64_t states = reached_.size();
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
            growth_.look_at_state(last_expanded_);
        }
        const double seconds = elapsed();
        const RankEnd why = options_.ranks == nullptr ? own_end(seconds) : totals_.sum().end;
        // Where there is much to write, that makes room: memory is no end.
        StateStore& store = reached_.store();
        const bool goes_on = why == RankEnd::kMemory && store.is_full(store.states_in_memory());
        if (why != RankEnd::kNone && !goes_on) {
            end(why == RankEnd::kTime     ? "time"
                : why == RankEnd::kMemory ? "memory"
                                          : "interrupted");
        } else if (options_.progress) {
            report(frontier, seconds);
        }
        if (!ended_ && (goes_on || store.is_full())) {
            go_to_disk();
        }
        if (!ended_ &&
            (options_.ranks == nullptr ? saver_.is_due(bytes_to_save()) : totals_.sum().saves)) {
            save_checkpoint();
        }
        // Meanwhile somebody may have asked for the end: not one round more, nor a second write.
        if (!ended_ && is_saved_ && options_.ranks == nullptr && has_to_stop(options_)) {
            end("interrupted");
        }
    }

    [[nodiscard]] RankEnd own_end(double seconds) {
        if (has_to_stop(options_)) {
            return RankEnd::kInterrupted;
        }
        if (is_late(seconds)) {
            return RankEnd::kTime;
        }
        return bytes() > options_.bytes_max || process_limit_.is_exceeded() ? RankEnd::kMemory
                                                                            : RankEnd::kNone;
    }

    // Later there is no time for a checkpoint, nor for shrinking what was found.
    [[nodiscard]] bool is_late(double seconds) const {
        const double share = progress_.order_found.empty() ? 1 : kSearchShare;
        return seconds + seconds_to_save() > share * options_.seconds_max;
    }

    void agree_on_search();
    void share_status();
    void report(std::uint64_t frontier, double seconds) const;

    const S& system_;
    const ExploreOptions& options_;
    Judge judge_;
    WorkCrew crew_;
    Reached<S> reached_;
    SearchProgress& progress_;
    Round<S> round_;
    ProcessLimit process_limit_;
    CheckpointOptions checkpoint_;
    CheckpointSaver saver_;
    GrowthLook<S> growth_;
    RankTotals totals_;
    std::uint64_t deepest_ = 0;
    StateId last_expanded_ = kNoState;  // depth first
    std::size_t stack_size_ = 0;
    unsigned looks_ = 0;
    bool has_begun_again_ = false;
    bool only_judges_ = false;
    SearchProgress::Indexes judged_from_{};  // what is only judged begins there
    bool is_whole_ = true;
    bool ended_ = false;
    bool is_saved_ = false;  // all that is known now, or all that could be
    std::string limit_;
    bool stopped_at_violation_ = false;
    Clock::time_point start_;
    double seconds_ = 0;
};

}  // namespace lockkeeper

#include "scheduler/search/explorer_ranks.hpp"
