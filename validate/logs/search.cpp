// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/search.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "validate/logs/known_walks.hpp"

namespace lockkeeper::logs {
namespace {

class RunSearch {
  public:
    RunSearch(const Problem& problem, const SearchLimits& limits)
        : problem_(problem),
          limits_(limits),
          walk_(problem),
          work_(*limits.budget),
          lines_(problem.lines()) {}

    Found run() {
        Cost cost;
        const WalkState state = walk_.first(cost);
        found_.limit = limits_.budget->ended();
        note(state, kNoNode);
        if (cost.lost <= limits_.lost_max) {
            push(state, cost, kNoNode, {});
        }
        while (found_.limit == nullptr && !found_.is_found && next()) {
        }
        if (!found_.is_found) {
            tell_furthest();
        }
        found_.states = nodes_.size();
        return std::move(found_);
    }

  private:
    // Of one cost: what is to be tried, and what is still to be tried with steps that cost.
    struct Level {
        std::vector<std::uint32_t> open;
        std::vector<std::uint32_t> tried;
    };

    bool next() {
        if (levels_.empty()) {
            return false;
        }
        const std::uint64_t cost = levels_.begin()->first;
        Level& level = levels_.begin()->second;
        if (!level.open.empty()) {
            const std::uint32_t number = level.open.back();
            level.open.pop_back();
            if (nodes_[number].cost == cost && !nodes_[number].is_done) {
                level.tried.push_back(number);
                nodes_[number].is_done = true;
                expand(number, &Walk::free_steps);
            }
            return true;
        }
        if (level.tried.empty()) {
            levels_.erase(levels_.begin());
            return true;
        }
        const std::uint32_t number = level.tried.back();
        level.tried.pop_back();
        expand(number, &Walk::costly_steps);
        return true;
    }

    void expand(std::uint32_t number,
                void (Walk::*steps_of)(const WalkState&, std::vector<Step>&) const) {
        const WalkState state = read_state({nodes_[number].bytes, nodes_[number].length}, problem_);
        if (walk_.is_at_end(state)) {
            found_.is_found = true;
            found_.cost = Cost::unpacked(nodes_[number].cost);
            found_.steps = steps_to(number);
            return;
        }
        steps_.clear();
        (walk_.*steps_of)(state, steps_);
        // The last that is pushed is tried first: the earliest line.
        std::stable_sort(steps_.begin(), steps_.end(), [&](const Step& left, const Step& right) {
            return rank(state, left) > rank(state, right);
        });
        const Cost cost = Cost::unpacked(nodes_[number].cost);
        for (const Step& step : steps_) {
            if (!work_.spend()) {
                found_.limit = work_.limit();
                return;
            }
            try_step(state, step, cost, number);
        }
    }

    [[nodiscard]] std::int64_t rank(const WalkState& state, const Step& step) const {
        if (step.kind != StepKind::kLine || step.whose == Whose::kOutside) {
            return kNever;
        }
        return walk_.head(state, step.number)->earliest;
    }

    void try_step(const WalkState& state, const Step& step, Cost cost, std::uint32_t number) {
        WalkState after = state;
        const Walk::Taken taken = walk_.take(after, step, cost);
        if (taken == Walk::Taken::kNoRoom) {
            found_.limit = "holders at once";
        }
        const bool is_allowed = cost.lost <= limits_.lost_max &&
                                cost.unseen <= limits_.unseen_max &&
                                (cost.uncovered == 0 || limits_.allows_uncovered);
        if (taken != Walk::Taken::kYes || !is_allowed) {
            return;
        }
        if (walk_.is_alive(after)) {
            note(after, number, step, cost.uncovered);
            push(after, cost, number, step);
        }
    }

    void push(const WalkState& state, Cost cost, std::uint32_t parent, const Step& step) {
        if (state.strays.size() > kStraysMax) {
            found_.limit = "operations without an answer";
            return;
        }
        write_state(state, bytes_);
        const std::uint32_t number = nodes_.reach(bytes_, cost.packed(), parent, step);
        if (number == kNoNode) {
            return;
        }
        levels_[cost.packed()].open.push_back(number);
        if (limits_.on_progress && nodes_.size() % kStatesPerProgress == 0) {
            limits_.on_progress(most_lines_, lines_, nodes_.size());
        }
        if (nodes_.bytes() > limits_.budget->bytes_max() || nodes_.size() >= kNoNode - 1) {
            found_.limit = "memory";
        }
        if (nodes_.size() >= limits_.states_max) {
            found_.limit = kManyStates;
        }
    }

    // Keeps how far lines have been read; `parent` and `step` lead to the state.
    // Among runs that come as far, the one in which fewer act without holding.
    void note(const WalkState& state, std::uint32_t parent, const Step& step = {},
              std::uint32_t uncovered = 0) {
        Furthest& furthest = found_.furthest;
        std::size_t lines = 0;
        Place first;
        std::int64_t time = kNever;
        for (std::uint32_t i = 0; i < state.cursors.size(); ++i) {
            lines += state.cursors[i];
            const Line* line = walk_.head(state, i);
            if (line != nullptr && line->earliest < time) {
                time = line->earliest;
                first = {i, state.cursors[i]};
            }
        }
        most_lines_ = std::max(most_lines_, lines);
        const bool is_further = time > furthest.time ||
                                (time == furthest.time &&
                                 (uncovered < furthest_uncovered_ ||
                                  (uncovered == furthest_uncovered_ && lines > furthest.lines)));
        if (is_further || furthest.state.cursors.empty()) {
            furthest.time = time;
            furthest.lines = lines;
            furthest.line = first;
            furthest.state = state;
            furthest_parent_ = parent;
            furthest_step_ = step;
            furthest_uncovered_ = uncovered;
        }
    }

    void tell_furthest() {
        if (furthest_parent_ != kNoNode) {
            found_.furthest.steps = steps_to(furthest_parent_);
            found_.furthest.steps.push_back(furthest_step_);
        }
    }

    [[nodiscard]] std::vector<Step> steps_to(std::uint32_t number) const {
        std::vector<Step> steps;
        for (; nodes_[number].parent != kNoNode; number = nodes_[number].parent) {
            steps.push_back(nodes_[number].step);
        }
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    const Problem& problem_;
    SearchLimits limits_;
    Walk walk_;
    BudgetedWork work_;
    KnownWalks nodes_;
    std::map<std::uint64_t, Level> levels_;
    std::vector<Step> steps_;
    std::string bytes_;
    Found found_;
    std::uint32_t furthest_parent_ = kNoNode;
    Step furthest_step_;
    std::uint32_t furthest_uncovered_ = 0;
    std::size_t lines_;           // of the problem
    std::size_t most_lines_ = 0;  // that some run has read
};

}  // namespace

Found search_runs(const Problem& problem, const SearchLimits& limits) {
    return RunSearch(problem, limits).run();
}

}  // namespace lockkeeper::logs
