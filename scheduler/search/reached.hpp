// SPDX-License-Identifier: Apache-2.0

// What a search has reached: the stored states by a number without gaps, what is known of their
// parts and steps, how far the search has come, and the way to each state. Filled by the explorer;
// all of it goes into a checkpoint.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/disk/disk_budget.hpp"
#include "scheduler/search/expander.hpp"

namespace lockkeeper {

template <System S>
class Reached {
  public:
    using State = typename S::State;
    using Record = std::vector<std::uint64_t>;

    Reached(const S& system, const ExploreOptions& options)
        : system_(system),
          options_(options),
          visible_(Judge(options.check).observed_events() | Judge(options.reach).observed_events()),
          orders_tails_(possible_reduction(system, options) == Reduction::kFaultsLeft),
          knowledge_(
              std::make_unique<Knowledge<S>>(system, options.symmetry, orders_tails_, visible_)) {
        if (!options.disk.directory.empty()) {
            LOCKKEEPER_CHECK(options.frontier == Frontier::kQueue &&
                             options.storage == Storage::kExact && !orders_tails_);
            disk_.emplace(options.disk, options.checkpoint.resume_from, options.bytes_max);
        }
        clear();
    }

    // Nothing reached yet; what is known of parts and steps stays.
    void clear() {
        store_ = std::make_unique<StateStore>(empty_store());
        progress =
            SearchProgress(options_.check.size(), options_.reach.size(), options_.causes_max > 1);
    }
    // There are more parts than numbers: room for more, and nothing reached yet.
    void make_room() {
        store_->forget_disk();
        knowledge_->codec.make_room();
        clear();
    }

    SearchProgress progress;
    [[nodiscard]] Knowledge<S>& knowledge() { return *knowledge_; }
    [[nodiscard]] const Knowledge<S>& knowledge() const { return *knowledge_; }
    [[nodiscard]] StateStore& store() { return *store_; }
    [[nodiscard]] const StateStore& store() const { return *store_; }
    [[nodiscard]] std::size_t bytes() const { return store_->bytes() + knowledge_->bytes(); }

    // Before states with parts that are new come into the store.
    void order_tails() { knowledge_->codec.order_tails(system_); }

    // The initial state becomes number 0.
    void add_initial() {
        State initial = system_.initial();
        std::vector<Action> path;
        follow(initial, path);
        Record record(knowledge_->codec.shape().words);
        knowledge_->codec.add(initial, record.data());
        knowledge_->steps.learn_parts(knowledge_->codec);
        order_tails();
        const Visit visit = store_->visit(record.data(), fingerprint(record), kNoState);
        progress.first_shard = StateStore::shard_of(visit.id);
    }

    // --- the states by number (exact storage) ----------------------------------------------

    [[nodiscard]] std::size_t size() const { return store_->size(); }
    // Once the search has ended: what the functions below go by. Number 0 is the initial state.
    void number_states() {
        std::size_t next = 0;
        for (std::size_t i = 0; i < StateStore::kShards; ++i) {
            shards_in_order_[i] = (progress.first_shard + i) % StateStore::kShards;
            first_number_[shards_in_order_[i]] = next;
            next += store_->size_of(shards_in_order_[i]);
        }
    }
    [[nodiscard]] std::size_t number_of(StateId id) const {
        return first_number_[StateStore::shard_of(id)] + StateStore::index_of(id);
    }
    // The first states of each shard, in the order of their numbers.
    [[nodiscard]] const SearchProgress::Indexes& shards_in_order() const {
        return shards_in_order_;
    }
    [[nodiscard]] StateId id_of(std::size_t number) const {
        for (const std::size_t shard : shards_in_order_) {
            const std::size_t index = number - first_number_[shard];
            if (index < store_->size_of(shard)) {
                return StateStore::id_of(shard, index);
            }
        }
        unreachable("a state has a number below their count");
    }
    // Of a state that has been reached, it or its representative. `record`: room for one.
    [[nodiscard]] std::size_t number_of(const State& state, Record& record) const {
        record.resize(knowledge_->codec.shape().words);
        const bool is_known = knowledge_->codec.find(state, record.data());
        const StateId id =
            is_known ? store_->find(record.data(), fingerprint(record)) : StateId{kNoState};
        if (id == kNoState) {
            unreachable(
                "what differs only in the names of callers alike goes on alike: a lock that does "
                "not treat them so is explored with \"symmetry\": false");
        }
        return number_of(id);
    }
    [[nodiscard]] State state_at(std::size_t number) const {
        State state;
        std::memset(static_cast<void*>(&state), 0, sizeof(state));
        RecordCache cache;
        knowledge_->codec.unpack(store_->record(id_of(number), cache), state);
        return state;
    }
    // Known without a look at the graph: every transition leads from one level to the next.
    [[nodiscard]] bool is_graded() const {
        return options_.frontier == Frontier::kQueue && !store_->leads_back();
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
        if (may_reduce(system_) && options_.reduction == Reduction::kPrivateSteps) {
            take_private_steps(
                system_, state, visible_,
                [&](const State&, Action action, const Event&) { path.push_back(action); });
        }
    }

    // --- checkpoints -----------------------------------------------------------------------

    // CheckpointError: the file cannot be written. States that go to disk are there.
    void save(const std::string& path, const std::string& identity) {
        CheckpointWriter file(path);
        file.text(identity);
        knowledge_->codec.save(file);
        file.value(knowledge_->steps.footprints().footprints());
        progress.save(file);
        store_->save(file);
        file.close();
        store_->end_saving();
    }

    // CheckpointError: the file cannot be read, is damaged, or belongs to something else. False:
    // `seconds_max` did not suffice, and nothing is reached.
    [[nodiscard]] bool load(const std::string& path, const std::string& identity,
                            double seconds_max, const ForShards& for_shards) {
        try {
            load(path, identity, Deadline(seconds_max), for_shards);
            return true;
        } catch (const LoadingEnded&) {
            clear();
            return false;
        }
    }

  private:
    void load(const std::string& path, const std::string& identity, const Deadline& deadline,
              const ForShards& for_shards) {
        CheckpointReader file(path, deadline);
        file.expect_text(identity);
        knowledge_->codec.load(file);
        FootprintKinds::Footprints footprints{};
        file.value(footprints);
        knowledge_->steps.footprints().restore(footprints);
        *store_ = empty_store();
        order_tails();
        progress.load(file);
        store_->load(file, for_shards);
        file.close();
        store_->end_loading();
        knowledge_->steps.learn_parts(knowledge_->codec);
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            if (progress.level_end[shard] > store_->size_of(shard)) {
                file.fail("is damaged");
            }
        }
    }
    [[nodiscard]] StateStore empty_store() {
        return {knowledge_->codec.shape(), options_.storage,
                orders_tails_ ? &knowledge_->codec.tails() : nullptr,
                disk_ ? &disk_->plan(knowledge_->codec.shape()) : nullptr};
    }
    [[nodiscard]] std::uint64_t fingerprint(const Record& record) const {
        return store_->shape().fingerprint(record.data());
    }
    [[nodiscard]] std::optional<Record> record_of(const State& state) const {
        Record record(knowledge_->codec.shape().words);
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

    const S& system_;
    const ExploreOptions& options_;
    std::uint32_t visible_;
    bool orders_tails_;
    std::unique_ptr<Knowledge<S>> knowledge_;
    std::optional<DiskBudget> disk_;
    std::unique_ptr<StateStore> store_;
    SearchProgress::Indexes first_number_{};  // of each shard
    SearchProgress::Indexes shards_in_order_{};
};

}  // namespace lockkeeper
