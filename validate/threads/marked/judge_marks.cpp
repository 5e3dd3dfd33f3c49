// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/marked/judge_marks.hpp"

#include <algorithm>
#include <utility>

#include "properties/rules/belief_overlap.hpp"
#include "properties/rules/double_release.hpp"
#include "properties/rules/false_ok.hpp"
#include "properties/rules/leak.hpp"
#include "properties/rules/over_allocation.hpp"
#include "properties/rules/under_allocation.hpp"
#include "properties/rules/unexplained_history.hpp"
#include "validate/threads/marked/marked_run.hpp"
#include "validate/threads/marked/order_of_marks.hpp"

namespace lockkeeper::threads {
namespace {

// Steps to all orders of the marks of one execution.
constexpr std::size_t kStepsMax = 20'000;
// Kept at once.
constexpr std::size_t kRunsMax = 1000;

std::string title_of(const Property& property) {
    return "P" + std::to_string(property.number) + " " + std::string(property.name);
}

}  // namespace

BrokenPromise MarksJudge::broken_by(const MarkedRun& run, const std::vector<std::size_t>& order,
                                    std::size_t taken) {
    BrokenPromise broken;
    broken.property = run.violated().front();
    broken.order.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken));
    for (const std::uint32_t step : run.steps_of(*broken.property)) {
        if (step > 0 && step < taken) {
            broken.other = order[step - 1];
        }
    }
    return broken;
}

MarksJudge::MarksJudge(std::optional<int> only)
    : rules_{properties::over_allocation(),    properties::leak(),
             properties::under_allocation(),   properties::double_release(),
             properties::belief_overlap(),     properties::false_ok(),
             properties::unexplained_history()} {
    for (const Property& rule : rules_) {
        if (!only || *only == rule.number) {
            check_.push_back(&rule);
        }
    }
}

struct MarksJudge::KeptRun {
    KeptRun(const std::vector<Mark>& of, const std::vector<const Property*>& check)
        : marks(of), world(world_of(marks, check)), run(world, marks) {}
    std::vector<Mark> marks;
    OutsideWorld world;
    MarkedRun run;
};

MarksJudge::~MarksJudge() = default;

MarkedRun& MarksJudge::run_of(const std::vector<Mark>& marks) {
    std::string key;
    for (const Mark& mark : marks) {
        for (const std::uint64_t part :
             {std::uint64_t{mark.thread}, static_cast<std::uint64_t>(mark.what),
              std::uint64_t{mark.capacity}, std::uint64_t{mark.units},
              std::uint64_t{mark.is_reentrant}, std::uint64_t{mark.has_end}}) {
            key += std::to_string(part) + ",";
        }
    }
    if (runs_.size() > kRunsMax) {
        runs_.clear();
    }
    std::unique_ptr<KeptRun>& kept = runs_[key];
    if (kept == nullptr) {
        kept = std::make_unique<KeptRun>(marks, check_);
    }
    return kept->run;
}

std::optional<BrokenPromise> MarksJudge::judge(const std::vector<Mark>& marks, const Graph& graph) {
    std::vector<std::pair<const void*, std::uint32_t>> locks;
    for (const Mark& mark : marks) {
        if (std::find(locks.begin(), locks.end(), std::pair(mark.lock, mark.life)) == locks.end()) {
            locks.emplace_back(mark.lock, mark.life);
        }
    }
    for (const auto& lock : locks) {
        std::vector<std::size_t> indices;
        for (std::size_t index = 0; index < marks.size(); ++index) {
            if (std::pair(marks[index].lock, marks[index].life) == lock) {
                indices.push_back(index);
            }
        }
        // In whatever order the threads ran.
        std::stable_sort(indices.begin(), indices.end(), [&](std::size_t one, std::size_t other) {
            return marks[one].thread < marks[other].thread;
        });
        std::vector<Mark> of_lock;
        of_lock.reserve(indices.size());
        for (const std::size_t index : indices) {
            of_lock.push_back(marks[index]);
        }
        if (std::optional<BrokenPromise> broken = judge_lock(of_lock, indices, graph)) {
            return broken;
        }
    }
    return std::nullopt;
}

std::optional<BrokenPromise> MarksJudge::judge_lock(const std::vector<Mark>& marks,
                                                    const std::vector<std::size_t>& indices,
                                                    const Graph& graph) {
    const OrderOfMarks orders(marks, graph);
    if (!known_.insert(orders.text()).second) {
        return std::nullopt;
    }
    MarkedRun& run = run_of(marks);
    std::optional<BrokenPromise> broken;
    const std::string& marks_text = orders.text_of_marks();
    const bool is_whole = orders.visit(
        kStepsMax, [&](const std::vector<std::size_t>& order, const std::string& kind) {
            if (!judged_.insert(marks_text + kind).second) {
                return true;
            }
            const std::size_t taken = run.run(order);
            tally_ += run.take_tally();
            if (run.violated().empty()) {
                return true;
            }
            judged_.erase(marks_text + kind);  // the next execution may break it, too
            broken = broken_by(run, order, taken);
            return false;
        });
    was_cut_ = was_cut_ || (!is_whole && !broken);
    if (!broken) {
        return std::nullopt;
    }
    known_.erase(orders.text());
    const auto as_given = [&](std::size_t& mark) { mark = indices[mark]; };
    std::for_each(broken->order.begin(), broken->order.end(), as_given);
    if (broken->other) {
        as_given(*broken->other);
    }
    return broken;
}

// Each variable of a function that is made when it is first used.
void MarksJudge::warm_up() {
    using What = Mark::What;
    for (const bool has_end : {false, true}) {
        for (const std::uint32_t capacity : {1U, 2U}) {
            std::vector<Mark> marks(4);
            constexpr What kCalls[] = {What::kAcquiring, What::kAcquired, What::kReleasing,
                                       What::kReleased};
            for (std::size_t index = 0; index < marks.size(); ++index) {
                marks[index].what = kCalls[index];
                marks[index].thread = 0;
                marks[index].capacity = capacity;
                marks[index].has_end = has_end && kCalls[index] == What::kAcquired;
            }
            static_cast<void>(judge(marks, Graph()));
        }
    }
    known_.clear();
    judged_.clear();
    runs_.clear();
    tally_ = {};
}

bool MarksJudge::has_judged(const Property& rule) const {
    const auto decided = tally_.decided.find(PropertyNumber(rule.number));
    return decided != tally_.decided.end() && decided->second > 0;
}

std::vector<int> MarksJudge::judged() const {
    std::vector<int> numbers;
    for (const Property& rule : rules_) {
        if (has_judged(rule)) {
            numbers.push_back(rule.number);
        }
    }
    return numbers;
}

std::string MarksJudge::text() const {
    if (judged_.empty()) {
        return "";
    }
    std::string judged;
    std::string not_judged;
    for (const Property& rule : rules_) {
        std::string& to = has_judged(rule) ? judged : not_judged;
        to += (to.empty() ? "" : ", ") + title_of(rule);
    }
    return "marks       judged: " + (judged.empty() ? "nothing" : judged) + "\n" +
           (not_judged.empty() ? "" : "            without a case: " + not_judged + "\n");
}

}  // namespace lockkeeper::threads
