// Every reachable state, each once.
//
// States are numbered in the order of discovery. The queue frontier is therefore no container at
// all: it is the number of the next state to expand, and the first violation found is a shortest
// one. The stack frontier keeps the numbers that wait.
//
// Where the time goes: a look into a table that does not fit the cache, for every transition. So
// successors are made in batches; the slots of a whole batch are prefetched, then the states that
// will have to be compared, and only then is anything looked at.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <concepts>

#include "scheduler/explore.hpp"
#include "scheduler/judge.hpp"
#include "scheduler/state_store.hpp"

namespace lockkeeper {

template <System S, template <class> class Store>
class Explorer {
  public:
    using State = typename S::State;

    Explorer(const S& system, const ExploreOptions& options)
        : system_(system), options_(options), judge_(options.check), goals_(options.reach) {
        first_.assign(judge_.properties().size(), {});
        goal_reached_.assign(goals_.properties().size(), false);
        deadlock_ = judge_.index_of("deadlock");
    }

    void run() {
        start_ = Clock::now();
        State initial = system_.initial();
        judge_.judge_rest(system_, initial, [&](std::size_t i) { found(i, kNoState, {}, 0); });
        represent(initial);
        store_.visit(initial, fingerprint(initial), kNoState);
        try {
            options_.frontier == Frontier::kQueue ? run_queue() : run_stack();
        } catch (const LimitExceeded& limit) {
            end(std::string("compiled size: ") + limit.what());
        } catch (const std::bad_alloc&) {
            end("memory");
        }
        seconds_ = elapsed();
    }

    // Where a violation was found: the action taken in state `from`, after `steps` steps in all.
    struct Place {
        bool found = false;
        StateId from = kNoState;
        Action action;
        std::uint64_t steps = 0;
    };

    [[nodiscard]] const Store<State>& store() const { return store_; }
    [[nodiscard]] const std::vector<Place>& first() const { return first_; }
    [[nodiscard]] const std::vector<std::size_t>& order_found() const { return order_found_; }
    [[nodiscard]] const std::vector<bool>& goal_reached() const { return goal_reached_; }
    [[nodiscard]] const std::string& limit() const { return limit_; }
    [[nodiscard]] std::uint64_t transitions() const { return transitions_; }
    [[nodiscard]] std::uint64_t depth() const { return depth_; }
    [[nodiscard]] std::uint64_t terminal_states() const { return terminal_states_; }
    [[nodiscard]] bool stuck() const { return stuck_.found; }
    [[nodiscard]] const Place& stuck_place() const { return stuck_; }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] Judge& judge() { return judge_; }

    // The member of the state's symmetry class that is stored.
    void represent(State& state) const {
        if constexpr (SymmetricSystem<S>) {
            if (options_.symmetry) {
                system_.canonicalize(state);
            }
        }
    }

    // The actions that lead from the initial state to (a state symmetric to) `id`.
    [[nodiscard]] std::vector<Action> path_to(StateId id, State& end) const {
        std::vector<StateId> chain;
        for (StateId at = id; store_.parent(at) != kNoState; at = store_.parent(at)) {
            chain.push_back(at);
        }
        std::vector<Action> path;
        end = system_.initial();
        for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
            path.push_back(step_towards(end, *next));
        }
        return path;
    }

    // Moves the real state by the action after which it is represented by `target`.
    Action step_towards(State& state, StateId target) const {
        ActionList actions;
        system_.enabled(state, actions);
        for (Action action : actions) {
            State after = state;
            system_.apply(after, action);
            State representative = after;
            represent(representative);
            if (store_.is_same(target, representative, fingerprint(representative))) {
                state = after;
                return action;
            }
        }
        unreachable("a stored state is a successor of its parent");
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kBatch = 64;
    static constexpr std::size_t kExpandedPerLook = 4096;  // at limits, clock, interrupt

    struct Successor {
        State state;
        std::uint64_t hash;
        StateId parent;
        Action action;
    };

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    void run_queue() {
        StateId next = 0;
        StateId level_end = 1;
        while (!ended_) {
            if (next == level_end || next == store_.size()) {
                flush();
                store_.release_up_to(next);
                if (next == store_.size() || ended_) {
                    break;
                }
                if (next == level_end) {
                    ++depth_;
                    level_end = static_cast<StateId>(store_.size());
                    if (depth_ > options_.depth_max) {
                        --depth_;
                        end("depth");
                        break;
                    }
                }
            }
            expand(next++, depth_ + 1);
            look_at_limits(store_.size() - next);
        }
    }

    void run_stack() {
        std::vector<std::pair<StateId, std::uint32_t>> stack{{0, 0}};
        while (!stack.empty() && !ended_) {
            const auto [id, depth] = stack.back();
            stack.pop_back();
            if (depth > options_.depth_max) {
                cut_off_ = true;
                continue;
            }
            depth_ = std::max<std::uint64_t>(depth_, depth);
            const std::size_t before = store_.size();
            expand(id, depth + 1U);
            flush();
            for (std::size_t fresh = store_.size(); fresh > before; --fresh) {
                stack.emplace_back(static_cast<StateId>(fresh - 1), depth + 1U);
            }
            look_at_limits(stack.size());
        }
        if (cut_off_ && !ended_) {
            end("depth");
        }
    }

    void expand(StateId id, std::uint64_t depth) {
        const State from = store_.state(id);
        system_.enabled(from, actions_);
        if (actions_.empty()) {
            ++terminal_states_;
        }
        if (only_faults(actions_) && !system_.finished(from)) {
            stuck_at(id, depth - 1);
        }
        transitions_ += actions_.size();
        for (Action action : actions_) {
            Successor& successor = batch_[batch_size_];
            successor.state = from;
            const Event event = system_.apply(successor.state, action);
            successor.parent = id;
            successor.action = action;
            if (judge_.interested_in(event)) {
                judge_.judge_step(system_, successor.state, event,
                                  [&](std::size_t i) { found(i, id, action, depth); });
            }
            if (goals_.interested_in(event)) {
                goals_.judge_step(system_, successor.state, event,
                                  [&](std::size_t i) { goal_reached_[i] = true; });
            }
            represent(successor.state);
            successor.hash = fingerprint(successor.state);
            store_.prefetch_slot(successor.hash);
            if (++batch_size_ == kBatch) {
                flush_at(depth);
            }
        }
        batch_depth_ = depth;
    }

    void flush() { flush_at(batch_depth_); }

    void flush_at(std::uint64_t depth) {
        for (std::size_t i = 0; i < batch_size_; ++i) {
            store_.prefetch_state(batch_[i].hash);
        }
        for (std::size_t i = 0; i < batch_size_; ++i) {
            const Successor& successor = batch_[i];
            const Visit visit = store_.visit(successor.state, successor.hash, successor.parent);
            if (visit.is_new) {
                judge_.judge_rest(system_, successor.state, [&](std::size_t property) {
                    found(property, successor.parent, successor.action, depth);
                });
            }
        }
        batch_size_ = 0;
    }

    void found(std::size_t property, StateId from, Action action, std::uint64_t steps) {
        Place& place = first_[property];
        if (place.found) {
            return;
        }
        place = {true, from, action, steps};
        order_found_.push_back(property);
        if (options_.stop_at_first) {
            end("first violation");
        }
    }

    void stuck_at(StateId id, std::uint64_t steps) {
        if (!stuck_.found) {
            stuck_ = {true, id, {}, steps};
            if (deadlock_) {
                found(*deadlock_, id, {}, steps);
            }
        }
    }

    void end(std::string limit) {
        ended_ = true;
        limit_ = std::move(limit);
    }

    void look_at_limits(std::uint64_t frontier) {
        if (store_.size() >= std::min<std::uint64_t>(options_.states_max, kNoState - kBatch)) {
            end("states");
        }
        if (++expanded_ % kExpandedPerLook != 0) {
            return;
        }
        const double seconds = elapsed();
        if (interrupt_requested()) {
            end("interrupted");
        } else if (seconds > options_.seconds_max) {
            end("time");
        } else if (store_.bytes() > options_.bytes_max) {
            end("memory");
        } else if (options_.progress) {
            options_.progress({store_.size(), transitions_, depth_, frontier, seconds});
        }
    }

    const S& system_;
    const ExploreOptions& options_;
    Judge judge_;
    Judge goals_;
    Store<State> store_;
    ActionList actions_;
    std::array<Successor, kBatch> batch_;
    std::size_t batch_size_ = 0;
    std::uint64_t batch_depth_ = 0;
    std::uint64_t transitions_ = 0;
    std::uint64_t depth_ = 0;
    std::uint64_t terminal_states_ = 0;
    std::uint64_t expanded_ = 0;
    bool ended_ = false;
    bool cut_off_ = false;
    std::string limit_;
    std::vector<Place> first_;
    std::vector<std::size_t> order_found_;
    std::vector<bool> goal_reached_;
    std::optional<std::size_t> deadlock_;
    Place stuck_;
    Clock::time_point start_;
    double seconds_ = 0;
};

}  // namespace lockkeeper
