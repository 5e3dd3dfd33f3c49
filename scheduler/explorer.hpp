// Every reachable state, each once.
//
// Breadth first, level by level, and each level in rounds: workers expand some thousand states,
// then put the successors into the store, each worker into shards of its own. Rounds, shards and
// the order in which results are put together are the same for any number of workers, so that
// states get the same numbers, and verdict, counts and traces are the same. The first violation
// found is a shortest one. Depth first (kStack) goes on state by state.
//
// Where the time goes: a look into a table that does not fit the cache, for every transition. A
// shard fits better than the whole; the slots of its successors are prefetched, then the records
// that will have to be compared, and only then is anything looked at.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include "scheduler/expander.hpp"
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
          deadlock_(judge_.index_of("deadlock")),
          crew_(options.frontier == Frontier::kQueue ? options.jobs : 1) {
        prepare(false);
    }

    void run() {
        start_ = Clock::now();
        try {
            try {
                search();
            } catch (const TooManyParts&) {
                prepare(true);
                search();
            }
        } catch (const LimitExceeded& limit) {
            end(std::string("compiled size: ") + limit.what());
        } catch (const std::bad_alloc&) {
            end("memory");
        }
        save_checkpoint(!limit_.empty() && limit_ != "first violation");
        progress_.order_by_steps();
        if (options_.stop_at_first && progress_.order_found.size() > 1) {
            progress_.order_found.resize(1);
        }
        seconds_ = elapsed();
    }

    [[nodiscard]] const StateStore& store() const { return *store_; }
    [[nodiscard]] const std::vector<Place>& first() const { return progress_.first; }
    [[nodiscard]] const std::vector<std::size_t>& order_found() const {
        return progress_.order_found;
    }
    [[nodiscard]] const std::vector<std::uint8_t>& goal_reached() const {
        return progress_.goal_reached;
    }
    [[nodiscard]] const std::string& limit() const { return limit_; }
    [[nodiscard]] std::uint64_t transitions() const { return progress_.transitions; }
    [[nodiscard]] std::uint64_t depth() const { return progress_.depth; }
    [[nodiscard]] std::uint64_t terminal_states() const { return progress_.terminal_states; }
    [[nodiscard]] const std::vector<std::uint64_t>& levels() const { return progress_.levels; }
    [[nodiscard]] bool stuck() const { return progress_.stuck.found; }
    [[nodiscard]] const Place& stuck_place() const { return progress_.stuck; }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] Judge& judge() { return judge_; }
    [[nodiscard]] const std::string& checkpoint_written() const { return checkpoint_written_; }
    [[nodiscard]] const std::string& checkpoint_error() const { return checkpoint_error_; }
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = store_->bytes() + knowledge_->bytes();
        for (const Expansion<S>& expansion : expansions_) {
            sum += expansion.bytes();
        }
        return sum;
    }

    // --- the states by a number without gaps; number 0 is the initial state (exact storage) -----

    [[nodiscard]] std::size_t size() const { return store_->size(); }
    [[nodiscard]] StateId id_of(std::size_t number) const {
        for (std::size_t i = 0;; ++i) {
            const std::size_t shard = (progress_.first_shard + i) % StateStore::kShards;
            if (number < store_->size_of(shard)) {
                return StateStore::id_of(shard, number);
            }
            number -= store_->size_of(shard);
        }
    }
    [[nodiscard]] std::size_t number_of(StateId id) const {
        std::size_t number = StateStore::index_of(id);
        for (std::size_t shard = progress_.first_shard; shard != StateStore::shard_of(id);
             shard = (shard + 1) % StateStore::kShards) {
            number += store_->size_of(shard);
        }
        return number;
    }
    [[nodiscard]] State state_at(std::size_t number) const {
        State state;
        std::memset(static_cast<void*>(&state), 0, sizeof(state));
        knowledge_->codec.unpack(store_->record(id_of(number)), state);
        return state;
    }
    // The number of the stored state that stands for `state`; it must have been reached.
    [[nodiscard]] std::size_t number_of(const State& state) const {
        const auto record = record_of(state);
        LOCKKEEPER_CHECK(record.has_value());
        const StateId id = store_->find(record->data(), fingerprint(*record));
        LOCKKEEPER_CHECK(id != kNoState);
        return number_of(id);
    }

    // --- the way to a state ----------------------------------------------------------------

    // The steps that lead from the initial state to (a state that is represented by) `id`.
    [[nodiscard]] std::vector<Action> path_to(StateId id, State& end) const {
        std::vector<StateId> chain;
        for (StateId at = id; store_->parent(at) != kNoState; at = store_->parent(at)) {
            chain.push_back(at);
        }
        std::vector<Action> path;
        end = system_.initial();
        follow(end, path);
        for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
            step_towards(end, *next, path);
        }
        return path;
    }

    // What happens by itself in the reduced graph: the private steps.
    void follow(State& state, std::vector<Action>& path) const {
        if (reduces()) {
            take_private_steps(
                system_, state, visible(),
                [&](const State&, Action action, const Event&) { path.push_back(action); });
        }
    }

  private:
    using Clock = std::chrono::steady_clock;
    using Record = std::vector<std::uint64_t>;
    static constexpr std::size_t kStatesOfExpansion = 256;
    static constexpr std::size_t kStatesOfRound = 4096;

    [[nodiscard]] bool reduces() const {
        return has_local_steps(system_) && options_.reduction == Reduction::kPrivateSteps;
    }
    [[nodiscard]] std::uint32_t visible() const {
        return judge_.observed_events() | Judge(options_.reach).observed_events();
    }
    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    void prepare(bool is_wide) {
        knowledge_ = std::make_unique<Knowledge<S>>(system_, options_.symmetry, is_wide, visible());
        store_ = std::make_unique<StateStore>(knowledge_->codec.words(), options_.storage);
        progress_ = SearchProgress(judge_.properties().size(), options_.reach.size());
        expanders_.clear();
        for (std::size_t i = 0; i < crew_.size(); ++i) {
            expanders_.emplace_back(system_, options_, *knowledge_, *store_);
        }
    }

    [[nodiscard]] static std::uint64_t fingerprint(const Record& record) {
        return StateStore::fingerprint(record.data(), record.size());
    }
    [[nodiscard]] std::optional<Record> record_of(const State& state) const {
        Record record(knowledge_->codec.words());
        return knowledge_->codec.find(state, record.data()) ? std::optional(std::move(record))
                                                            : std::nullopt;
    }

    void step_towards(State& state, StateId target, std::vector<Action>& path) const {
        ActionList actions;
        system_.enabled(state, actions);
        for (Action action : actions) {
            State after = state;
            std::vector<Action> steps{action};
            system_.apply(after, action);
            follow(after, steps);
            const auto record = record_of(after);
            if (record && store_->is_same(target, record->data(), fingerprint(*record))) {
                state = after;
                path.insert(path.end(), steps.begin(), steps.end());
                return;
            }
        }
        unreachable("a stored state is a successor of its parent");
    }

    // --- searching -------------------------------------------------------------------------

    void search() {
        if (!options_.checkpoint.resume_from.empty()) {
            resume();
        } else {
            State initial = system_.initial();
            std::vector<Action> path;
            follow(initial, path);
            Record record(knowledge_->codec.words());
            knowledge_->codec.add(initial, record.data());
            knowledge_->steps.learn_parts(knowledge_->codec);
            const Visit visit = store_->visit(record.data(), fingerprint(record), kNoState);
            progress_.first_shard = StateStore::shard_of(visit.id);
            begin_level();
        }
        options_.frontier == Frontier::kQueue ? run_queue() : run_stack();
    }

    void begin_level() {
        store_->begin_level();
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            progress_.level_end[shard] = store_->size_of(shard);
        }
        progress_.levels.push_back(progress_.waiting());
    }

    void run_queue() {
        for (;;) {
            if (progress_.depth > options_.depth_max) {
                --progress_.depth;
                only_judges_ = true;
            }
            while (!ended_ && plan_round()) {
                run_round();
                look_at_limits();
            }
            if (only_judges_ && !ended_) {
                end("depth");
            }
            if (!progress_.order_found.empty() && options_.stop_at_first && !ended_) {
                end("first violation");
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
        const std::uint64_t known = store_->size();
        const std::uint64_t allowed = options_.states_max - std::min(options_.states_max, known);
        std::size_t left = std::clamp<std::size_t>(allowed / 8, 1, kStatesOfRound);
        planned_ = 0;
        for (std::size_t shard = 0; shard < StateStore::kShards && left > 0; ++shard) {
            std::size_t& next = progress_.next[shard];
            while (next < progress_.level_end[shard] && left > 0) {
                const std::size_t count =
                    std::min({kStatesOfExpansion, left, progress_.level_end[shard] - next});
                plan(StateStore::id_of(shard, next), count);
                next += count;
                left -= count;
            }
        }
        return planned_ > 0;
    }

    void plan(StateId first, std::size_t count) {
        if (planned_ == expansions_.size()) {
            expansions_.emplace_back();
        }
        Expansion<S>& expansion = expansions_[planned_++];
        expansion.first = first;
        expansion.count = count;
        expansion.depth = progress_.depth + (only_judges_ ? 1 : 0);
        expansion.only_judges = only_judges_;
    }

    void run_round() {
        for (Expander<S>& expander : expanders_) {
            expander.close_found(progress_);
        }
        crew_.run(planned_, [&](std::size_t worker, std::size_t piece) {
            expanders_[worker].expand(expansions_[piece]);
        });
        learn();
        std::size_t successors = 0;
        for (std::size_t i = 0; i < planned_; ++i) {
            collect(expansions_[i]);
            successors += expansions_[i].parents.size();
        }
        constexpr std::size_t kWorthSharing = 4096;
        std::array<std::exception_ptr, StateStore::kShards> errors;
        const auto fill = [&](std::size_t, std::size_t shard) {
            try {
                fill_shard(shard);
            } catch (...) {
                errors[shard] = std::current_exception();
            }
        };
        if (successors < kWorthSharing) {
            for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
                fill(0, shard);
            }
        } else {
            crew_.run(StateStore::kShards, fill);
        }
        for (const std::exception_ptr& error : errors) {
            if (error) {
                std::rethrow_exception(error);
            }
        }
    }

    // States that showed something new, once more, in their order: one more expansion.
    void learn() {
        const std::size_t planned = planned_;
        plan(0, 0);
        Expansion<S>& learned = expansions_[planned];
        learned.clear();
        for (std::size_t i = 0; i < planned; ++i) {
            if (expansions_[i].error) {
                std::rethrow_exception(expansions_[i].error);
            }
            for (const StateId id : expansions_[i].unknown) {
                expanders_.front().expand_and_learn(learned, id);
            }
        }
        learned.sort_by_shard();
    }

    void collect(const Expansion<S>& expansion) {
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
        for (const std::size_t goal : expansion.goals) {
            progress_.goal_reached[goal] = 1;
        }
    }

    struct Arrival {
        const std::uint64_t* record;
        std::uint64_t hash;
        StateId parent;
    };

    void fill_shard(std::size_t shard) {
        thread_local std::vector<Arrival> arrivals;
        arrivals.clear();
        const std::size_t words = store_->words_of_record();
        for (std::size_t i = 0; i < planned_; ++i) {
            const Expansion<S>& expansion = expansions_[i];
            for (std::size_t at = expansion.shard_begin[shard];
                 at < expansion.shard_begin[shard + 1]; ++at) {
                const std::size_t position = expansion.by_shard[at];
                arrivals.push_back({expansion.record(position, words), expansion.hashes[position],
                                    expansion.parents[position]});
            }
        }
        constexpr std::size_t kSlotsAhead = 48;
        constexpr std::size_t kKeysAhead = 20;
        const std::size_t size = arrivals.size();
        for (std::size_t i = 0; i < std::min(size, kSlotsAhead); ++i) {
            store_->prefetch_slot(arrivals[i].hash);
        }
        for (std::size_t i = 0; i < size; ++i) {
            if (i + kSlotsAhead < size) {
                store_->prefetch_slot(arrivals[i + kSlotsAhead].hash);
            }
            if (i + kKeysAhead < size) {
                store_->prefetch_key(arrivals[i + kKeysAhead].hash);
            }
            store_->visit(arrivals[i].record, arrivals[i].hash, arrivals[i].parent);
        }
    }

    void run_stack() {
        struct Waiting {
            StateId id;
            std::uint64_t depth;
        };
        bool cut_off = false;
        planned_ = 0;
        std::vector<Waiting> stack{{StateStore::id_of(progress_.first_shard, 0), 0}};
        const std::size_t words = store_->words_of_record();
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
            expanders_.front().expand(expansion);
            if (expansion.error) {
                std::rethrow_exception(expansion.error);
            }
            for (const StateId unknown : expansion.unknown) {
                expanders_.front().expand_and_learn(expansion, unknown);
            }
            collect(expansion);
            const std::size_t below = stack.size();
            for (std::size_t i = 0; i < expansion.parents.size(); ++i) {
                const Visit visit = store_->visit(expansion.record(i, words), expansion.hashes[i],
                                                  expansion.parents[i]);
                if (visit.is_new) {
                    stack.push_back({visit.id, next.depth + 1});
                }
            }
            std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(below), stack.end());
            stack_size_ = stack.size();
            if (!progress_.order_found.empty() && options_.stop_at_first) {
                end("first violation");
            } else {
                look_at_limits();
            }
        }
        progress_.depth = deepest_;
        if (cut_off && !ended_) {
            end("depth");
        }
    }

    void end(std::string limit) {
        ended_ = true;
        limit_ = std::move(limit);
    }

    void look_at_limits() {
        const std::uint64_t states = store_->size();
        const std::uint64_t frontier =
            options_.frontier == Frontier::kQueue ? states - progress_.expanded() : stack_size_;
        if (states >= options_.states_max && frontier > 0) {
            end("states");
            return;
        }
        constexpr unsigned kStatesALook = 4096;
        if (options_.frontier == Frontier::kStack && ++looks_ % kStatesALook != 0) {
            return;
        }
        const double seconds = elapsed();
        if (interrupt_requested()) {
            end("interrupted");
        } else if (seconds > options_.seconds_max) {
            end("time");
        } else if (bytes() > options_.bytes_max) {
            end("memory");
        } else if (options_.progress) {
            report(frontier, seconds);
        }
        if (!ended_ && seconds - saved_at_ > options_.checkpoint.every) {
            save_checkpoint(true);
            saved_at_ = elapsed();
        }
    }

    void report(std::uint64_t frontier, double seconds) const {
        ExploreProgress now{
            store_->size(), progress_.transitions, progress_.depth, frontier, bytes(), seconds, {}};
        if (options_.frontier == Frontier::kQueue) {
            now.estimate = estimate_total(progress_.levels);
        }
        options_.progress(now);
    }

    // --- checkpoints -----------------------------------------------------------------------

    // What has been found counts more than the file: a failure is told at the end.
    void save_checkpoint(bool wanted) {
        if (!wanted || options_.checkpoint.save_to.empty()) {
            return;
        }
        try {
            CheckpointWriter file(options_.checkpoint.save_to);
            file.text(options_.checkpoint.identity);
            knowledge_->codec.save(file);
            progress_.save(file);
            store_->save(file);
            file.close();
            checkpoint_written_ = options_.checkpoint.save_to;
            checkpoint_error_.clear();
        } catch (const CheckpointError& error) {
            checkpoint_error_ = error.what();
        }
    }

    void resume() {
        CheckpointReader file(options_.checkpoint.resume_from);
        file.expect_text(options_.checkpoint.identity);
        knowledge_->codec.load(file);
        knowledge_->steps.learn_parts(knowledge_->codec);
        if (knowledge_->codec.is_wide()) {
            *store_ = StateStore(knowledge_->codec.words(), options_.storage);
        }
        progress_.load(file);
        store_->load(file);
        file.close();
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            if (progress_.level_end[shard] > store_->size_of(shard)) {
                file.fail("is damaged");
            }
        }
    }

    const S& system_;
    const ExploreOptions& options_;
    Judge judge_;
    std::optional<std::size_t> deadlock_;
    WorkCrew crew_;
    std::unique_ptr<Knowledge<S>> knowledge_;
    std::unique_ptr<StateStore> store_;
    std::vector<Expander<S>> expanders_;
    std::vector<Expansion<S>> expansions_;
    std::size_t planned_ = 0;
    SearchProgress progress_;
    std::uint64_t deepest_ = 0;
    std::size_t stack_size_ = 0;
    unsigned looks_ = 0;
    bool only_judges_ = false;
    bool ended_ = false;
    std::string limit_;
    std::string checkpoint_written_;
    std::string checkpoint_error_;
    Clock::time_point start_;
    double seconds_ = 0;
    double saved_at_ = 0;
};

}  // namespace lockkeeper
