// SPDX-License-Identifier: Apache-2.0
#include "work/wanted_run.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "model/check.hpp"
#include "work/wanted_rules.hpp"

namespace lockkeeper {
namespace {

using WantedState = ErasedSystem::State;

struct WantedNode {
    const std::string* bytes = nullptr;  // state and progress, in known_
    std::size_t parent = 0;
    Action action;
    std::size_t returned = 0;  // operations
};

class WantedSearch {
  public:
    WantedSearch(const ErasedSystem& system, const std::vector<WantedOperation>& operations,
                 const WantedLimits& limits)
        : system_(system), operations_(operations), rules_(operations), limits_(limits) {}

    WantedRun run() {
        add(system_.initial(), rules_.beginning(), {});
        while (!open_.empty() && !run_.is_found && run_.is_complete) {
            const std::size_t number = open_.back();
            open_.pop_back();
            try {
                expand(number);
            } catch (const LimitExceeded&) {
                run_.is_complete = false;  // the system has no number for it
            }
        }
        if (!run_.is_found) {
            tell_why();
        }
        run_.schedule.actions = actions_to(run_.is_found ? found_ : furthest_);
        run_.states = nodes_.size();
        return std::move(run_);
    }

  private:
    void add(const WantedState& state, const WantedProgress& progress, WantedNode node) {
        std::string key(reinterpret_cast<const char*>(state.bytes.data()), system_.used_bytes());
        key.append(reinterpret_cast<const char*>(progress.data()),
                   progress.size() * sizeof(CallerProgress));
        const auto [known, is_new] = known_.insert(std::move(key));
        if (!is_new) {
            return;
        }
        node.bytes = &*known;
        node.returned = WantedRules::returned(progress);
        const std::size_t number = nodes_.size();
        nodes_.push_back(node);
        open_.push_back(number);
        if (node.returned >= nodes_[furthest_].returned) {
            run_.why = node.returned > nodes_[furthest_].returned ? "" : run_.why;
            furthest_ = number;
        }
        if (rules_.is_done(progress)) {
            run_.is_found = true;
            found_ = number;
        }
        const bool is_stopped = limits_.stop && nodes_.size() % 1024 == 0 && limits_.stop();
        if (nodes_.size() >= limits_.states_max || is_stopped) {
            run_.is_complete = false;
        }
    }

    [[nodiscard]] WantedState state_of(const WantedNode& node) const {
        WantedState state{};
        std::memcpy(state.bytes.data(), node.bytes->data(), system_.used_bytes());
        return state;
    }
    [[nodiscard]] WantedProgress progress_of(const WantedNode& node) const {
        WantedProgress progress = rules_.beginning();
        std::memcpy(progress.data(), node.bytes->data() + system_.used_bytes(),
                    progress.size() * sizeof(CallerProgress));
        return progress;
    }

    void expand(std::size_t number) {
        const WantedState state = state_of(nodes_[number]);
        const WantedProgress progress = progress_of(nodes_[number]);
        ActionList actions;
        system_.enabled(state, actions);
        if (sleep_or_wake(number, state, progress, actions)) {
            return;
        }
        const bool is_late = keeps_time(state, progress, actions);
        // The last that is added goes on first: as late as possible what nobody asks for.
        for (std::size_t i = actions.size(); i-- > 0 && !run_.is_found && run_.is_complete;) {
            const bool is_allowed = actions[i].kind != ActionKind::kTime || !is_late;
            if (!is_fault(actions[i]) && is_allowed) {
                try_action(number, state, progress, actions[i]);
            }
        }
    }

    // Some wanted call can go on now: time does not pass before it has.
    bool keeps_time(const WantedState& before, const WantedProgress& progress,
                    const ActionList& actions) const {
        return std::any_of(actions.begin(), actions.end(), [&](Action action) {
            if (action.kind != ActionKind::kStep || action.actor >= rules_.callers()) {
                return false;
            }
            WantedState state = before;
            const Event event = system_.apply(state, action);
            const bool begins = event.is(kInvoked) && is_wanted_call(event.invoked);
            return begins ? rules_.may_begin(progress, event) : progress[action.actor].is_open != 0;
        });
    }

    // Scripts sleep until their times: a sleep begins and ends at once, or its caller would be
    // late.
    bool sleep_or_wake(std::size_t number, const WantedState& before,
                       const WantedProgress& progress, const ActionList& actions) {
        for (const Action action : actions) {
            if (action.kind != ActionKind::kStep) {
                continue;
            }
            WantedState state = before;
            const Event event = system_.apply(state, action);
            const bool is_in_call =
                action.actor < rules_.callers() && progress[action.actor].is_open != 0;
            const bool wakes_up = !event.is(kInvoked) && !is_in_call;
            if (wakes_up || (event.is(kInvoked) && event.invoked == Verb::kSleep)) {
                WantedNode next;
                next.parent = number;
                next.action = action;
                add(state, progress, next);
                return true;
            }
        }
        return false;
    }

    void try_action(std::size_t number, const WantedState& before, const WantedProgress& before_it,
                    Action action) {
        WantedState state = before;
        WantedProgress progress = before_it;
        const Event event = system_.apply(state, action);
        if (const char* why = rules_.follow(progress, event)) {
            // An answer says most of what is not as wanted.
            const bool is_furthest = nodes_[number].returned == nodes_[furthest_].returned;
            if (is_furthest && run_.why.empty() && why != WantedRules::kTooEarly) {
                const std::string error =
                    event.error != 0 ? " (" + system_.error_name(event.error) + ")" : "";
                run_.why = system_.describe(before, action) + ": " + why + error;
                missed_ = rules_.next_of(before_it, event.caller);
            }
            return;
        }
        WantedNode next;
        next.parent = number;
        next.action = action;
        add(state, progress, next);
    }

    // Without a step of its own that differs, the caller passes its call over: it has lost.
    void tell_why() {
        const WantedProgress progress = progress_of(nodes_[furthest_]);
        run_.missed = rules_.first_missing(progress);
        if (!run_.why.empty()) {
            run_.missed = missed_;
            return;
        }
        run_.why = "the call does not come";
        const std::size_t caller = operations_[run_.missed].caller;
        WantedState state = system_.initial();
        for (const Action action : actions_to(furthest_)) {
            const std::string text = system_.describe(state, action);
            const Event event = system_.apply(state, action);
            if (event.caller == caller && event.is(kLost)) {
                Observation seen;
                system_.observe(state, seen);
                run_.lost_at = seen.now;
                run_.why = text;
            } else if (event.caller == caller && event.is(kAcquired)) {
                run_.lost_at.reset();
            }
        }
    }

    [[nodiscard]] std::vector<Action> actions_to(std::size_t number) const {
        std::vector<Action> actions;
        for (; number != 0; number = nodes_[number].parent) {
            actions.push_back(nodes_[number].action);
        }
        std::reverse(actions.begin(), actions.end());
        return actions;
    }

    const ErasedSystem& system_;
    const std::vector<WantedOperation>& operations_;
    WantedRules rules_;
    const WantedLimits& limits_;
    WantedRun run_;
    std::vector<WantedNode> nodes_;
    std::vector<std::size_t> open_;
    std::unordered_set<std::string> known_;
    std::size_t furthest_ = 0;
    std::size_t found_ = 0;
    std::size_t missed_ = 0;  // the operation that run_.why explains
};

}  // namespace

WantedRun find_wanted_run(const ErasedSystem& system,
                          const std::vector<WantedOperation>& operations,
                          const WantedLimits& limits) {
    return WantedSearch(system, operations, limits).run();
}

}  // namespace lockkeeper
