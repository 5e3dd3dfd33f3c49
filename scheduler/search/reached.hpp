// SPDX-License-Identifier: Apache-2.0

// Holds what a search has reached: the stored states by a number without gaps, what is known of
// their parts and steps, how far the search has come, and the way to each state. The explorer fills
// it; all of it goes into a checkpoint.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/disk/disk_budget.hpp"
#include "scheduler/ranks/rank_status.hpp"
#include "scheduler/search/beyond_time.hpp"
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
        sizes_ = {};
        leads_back_ = false;
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

    // The initial state becomes number 0, where it belongs to this process.
    void add_initial() {
        State initial = system_.initial();
        std::vector<Action> path;
        follow(initial, path);
        Record record(knowledge_->codec.shape().words);
        knowledge_->codec.add(initial, record.data());
        knowledge_->steps.learn_parts(knowledge_->codec);
        order_tails();
        const std::uint64_t hash = fingerprint(record);
        progress.first_shard = StateStore::shard_of(hash);
        if (options_.ranks == nullptr || options_.ranks->owns(progress.first_shard)) {
            store_->visit(record.data(), hash, kNoState);
        }
        sizes_[progress.first_shard] = 1;
    }

    // --- the states by number (exact storage) ----------------------------------------------

    [[nodiscard]] std::size_t size() const {
        return options_.ranks == nullptr ? store_->size()
                                         : std::accumulate(sizes_.begin(), sizes_.end(), 0UL);
    }
    [[nodiscard]] std::size_t size_of(std::size_t shard) const {
        return options_.ranks == nullptr ? store_->size_of(shard) : sizes_[shard];
    }
    [[nodiscard]] std::size_t states_in_memory() const {
        return options_.ranks == nullptr ? store_->states_in_memory() : size();
    }
    // All states can be asked for, and no other process takes part.
    [[nodiscard]] bool is_all_in_memory() const {
        return options_.ranks == nullptr && !store_->is_partly_on_disk();
    }
    // Notes the totals of all processes after a round.
    void note_totals(const RankStatus& all) {
        std::copy(all.sizes.begin(), all.sizes.end(), sizes_.begin());
        leads_back_ = all.leads_back;
    }
    // Whether any rank has; all ranks call it.
    [[nodiscard]] bool any_of_ranks(bool has) const {
        return options_.ranks == nullptr ? has : options_.ranks->any(has);
    }
    // Called once the search has ended, before the functions below. Number 0 is the initial state.
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
    // The number of a reached state, or of its representative. `record`: room for one.
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
    // `tell`: may be empty. `bytes`: so many of each.
    void tell_each_state(const std::function<void(std::string_view)>& tell,
                         std::size_t bytes) const {
        for (std::size_t number = 0; tell && number < size(); ++number) {
            const State state = state_at(number);
            tell({reinterpret_cast<const char*>(&state), bytes});
        }
    }
    // Known without a look at the graph: no transition leads to a state of its own level or of an
    // earlier one.
    [[nodiscard]] bool is_graded() const {
        return options_.frontier == Frontier::kQueue &&
               !(options_.ranks == nullptr ? store_->leads_back() : leads_back_);
    }

    // --- the way to a state ----------------------------------------------------------------

    // The steps that lead from the initial state to (a state that is represented by) `id`.
    [[nodiscard]] std::vector<Action> path_to(StateId id, State& end) const {
        std::vector<Record> chain;
        for (Origin at = origin_of(id); at.parent != kNoState; at = origin_of(at.parent)) {
            chain.push_back(std::move(at.key));
        }
        std::vector<Action> path;
        end = system_.initial();
        follow(end, path);
        for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
            step_towards(end, *next, path);
        }
        return path;
    }

    // Takes the steps that happen by themselves in the reduced graph: the private steps.
    void follow(State& state, std::vector<Action>& path) const {
        if (may_reduce(system_) && options_.reduction == Reduction::kPrivateSteps) {
            take_private_steps(
                system_, state, visible_,
                [&](const State&, Action action, const Event&) { path.push_back(action); });
        }
    }

    // --- checkpoints -----------------------------------------------------------------------

    // CheckpointError: the file cannot be written. NoTimeToWrite: `look`. States that go to disk
    // are there.
    void save(const std::string& path, const std::string& identity, const LookAtClock& look) {
        CheckpointWriter file(path, look);
        file.text(identity);
        knowledge_->codec.save(file);
        file.value(knowledge_->steps.footprints().footprints());
        progress.save(file);
        store_->save(file, options_.ranks);
        file.close();
        store_->end_saving();
    }
    // Called by the other ranks while the first one saves.
    void help_to_save() const { store_->send_shards(*options_.ranks); }

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
        store_->load(file, for_shards, options_.ranks);
        sizes_ = store_->sizes_loaded();
        file.close();
        store_->end_loading();
        knowledge_->steps.learn_parts(knowledge_->codec);
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            if (progress.level_end[shard] > size_of(shard)) {
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

    // From where a state was reached, and how it is told from others.
    struct Origin {
        StateId parent = kNoState;
        Record key;
    };
    [[nodiscard]] Origin origin_of(StateId id) const {
        if (options_.ranks == nullptr) {
            return {store_->parent(id), store_->key(id)};
        }
        RankMessage mine;
        const std::size_t owner = options_.ranks->owner_of(StateStore::shard_of(id));
        if (owner == options_.ranks->rank()) {
            MessageWriter out(mine);
            out.value(store_->parent(id));
            out.array(store_->key(id));
        }
        const std::vector<RankMessage> all = options_.ranks->gather(mine);
        MessageReader in(all[owner]);
        Origin origin;
        origin.parent = in.value<StateId>();
        origin.key = in.array<std::uint64_t>();
        return origin;
    }

    void step_towards(State& state, const Record& target, std::vector<Action>& path) const {
        ActionList actions;
        system_.enabled(state, actions);
        for (Action action : actions) {
            if (is_beyond_time(action)) {
                continue;
            }
            State after = state;
            std::vector<Action> steps{action};
            system_.apply(after, action);
            follow(after, steps);
            const auto record = record_of(after);
            if (record && store_->is_same(target.data(), record->data(), fingerprint(*record))) {
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
    // The totals of all processes, where there are several.
    SearchProgress::Indexes sizes_{};
    bool leads_back_ = false;
};

}  // namespace lockkeeper
