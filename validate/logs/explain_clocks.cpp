// SPDX-License-Identifier: Apache-2.0

// Explainer: what clocks that are wrong, or few callers alone, say of the lines.
#include <algorithm>

#include "validate/logs/explainer.hpp"
#include "validate/logs/few_callers.hpp"

namespace lockkeeper::logs {
namespace {

// Some hundred searches tell which clock could be wrong: of all of them.
constexpr std::uint64_t kStatesOfClocks = 20'000;
constexpr std::int64_t kClockErrorFirst = 1'000'000;  // nanoseconds

}  // namespace

void Explainer::doubt_clocks() {
    if (answer_.doubts.clock_error) {
        answer_.answer = Answer::kUndecided;
        return;
    }
    if (clocks_used(sources_) < 2 || !question_.clock_errors.empty()) {
        return;
    }
    // With clocks more wrong nobody knows in which order a caller of two logs did things.
    const std::int64_t most = has_order_with(kClockDoubt) ? kClockDoubt : most_with_order();
    const std::optional<std::int64_t> least_of_few = clock_error_of_few(most);
    if (!least_of_few && most == kClockDoubt) {
        return;
    }
    states_max_ = question_.states_of_doubt;
    // Small errors first: they have few runs.
    std::int64_t too_few = std::max<std::int64_t>(0, least_of_few.value_or(0) - kFinest);
    std::int64_t error = std::min(std::max(kClockErrorFirst, too_few + kFinest), most);
    bool is_explained = is_explained_with(error);
    while (!is_explained && !is_cut_ && error < most) {
        too_few = error;
        error = std::min(error * 4, most);
        is_explained = is_explained_with(error);
    }
    if (is_explained) {
        answer_.doubts.clock_error =
            least(too_few, error, [&](std::int64_t some) { return is_explained_with(some); });
    } else if (is_cut_ || most < kClockDoubt) {  // nobody knows, and somebody can say it
        answer_.doubts.limit = "how wrong clocks may be: --clock-error says it";
    }
    states_max_ = UINT64_MAX;
    const bool is_decided = !is_explained && answer_.doubts.limit == nullptr;
    answer_.answer = is_decided ? answer_.answer : Answer::kUndecided;
}

bool Explainer::do_clocks_explain() {
    doubt_clocks();
    answer_.doubts.limit = nullptr;
    return answer_.doubts.clock_error.has_value();
}

Problem Explainer::with_clock_error(std::int64_t clock_error) const {
    Problem problem = make_problem(
        sources_, std::vector<std::int64_t>(sources_.size(), clock_error), *question_.model);
    problem.answer_max = kAnswerDoubt;
    return problem;
}

bool Explainer::do_few_contradict(const Problem& problem, std::uint32_t lost_max) {
    if (!can_leave_out_callers(problem, lost_max)) {
        return false;
    }
    bool is_contradiction = false;
    const std::uint64_t states = answer_.states;
    states_max_ = question_.states_of_doubt;
    for (const auto& callers : suspects(*answer_.problem, *answer_.run, unreached())) {
        Problem few = only_of(problem, callers);
        few.answer_max = kNever;
        const Found found = search(few, lost_max, true);
        is_contradiction = !found.is_found && found.limit == nullptr;
        if (is_contradiction || answer_.states - states > kStatesOfMissing) {
            break;
        }
    }
    states_max_ = UINT64_MAX;
    return is_contradiction;
}

std::optional<std::int64_t> Explainer::clock_error_of_few(std::int64_t most) {
    const std::uint32_t lost_max = question_.lost_max.value_or(0);
    if (!can_leave_out_callers(*answer_.problem, lost_max)) {
        return 0;
    }
    std::int64_t error = 0;
    bool is_contradiction = false;
    states_max_ = question_.states_of_doubt;
    for (const auto& callers : suspects(*answer_.problem, *answer_.run, unreached())) {
        const auto is_enough = [&](std::int64_t some) {
            const Found found =
                search(only_of(with_clock_error(some), callers), lost_max, false, 0);
            is_cut_ = found.limit != nullptr;
            return found.is_found || is_cut_;
        };
        is_contradiction = !is_enough(most);
        if (is_contradiction) {
            break;
        }
        if (!is_enough(error)) {
            const std::int64_t enough = least(error, most, is_enough);
            error = is_cut_ || question_.budget->ended() != nullptr ? error : enough;
        }
    }
    states_max_ = UINT64_MAX;
    return is_contradiction ? std::nullopt : std::optional(error);
}

bool Explainer::has_order_with(std::int64_t clock_error) const {
    try {
        static_cast<void>(make_problem(
            sources_, std::vector<std::int64_t>(sources_.size(), clock_error), *question_.model));
        return true;
    } catch (const LogError&) {
        return false;
    }
}

std::int64_t Explainer::most_with_order() {
    return -least(-kClockDoubt, 0, [&](std::int64_t less) { return has_order_with(-less); });
}

void Explainer::tell_clocks() {
    const bool is_asked = question_.clock_errors.empty() && clocks_used(sources_) > 1;
    if (!is_asked || answer_.states > kStatesOfClocks) {
        return;
    }
    const std::uint64_t states = answer_.states;
    states_max_ = kStatesOfClocks;
    answer_.doubts.clocks = clocks_that_explain(
        sources_,
        [&](const std::vector<Source>& sources, const std::vector<std::int64_t>& errors) {
            return is_explained_by(sources, errors);
        },
        [&] {
            return question_.budget->ended() != nullptr ||
                   answer_.states - states > kStatesOfClocks;
        });
    states_max_ = UINT64_MAX;
    answer_.states = states;  // of the answer
}

bool Explainer::is_explained_with(std::int64_t clock_error) {
    return is_explained_by(sources_, std::vector<std::int64_t>(sources_.size(), clock_error));
}

bool Explainer::is_explained_by(const std::vector<Source>& sources,
                                const std::vector<std::int64_t>& clock_errors) {
    try {
        Problem problem = make_problem(sources, clock_errors, *question_.model);
        problem.answer_max = kAnswerDoubt;
        const Found found = search(problem, question_.lost_max.value_or(0), false, 0);
        is_cut_ = found.limit != nullptr;
        return is_plain(found);
    } catch (const LogError&) {
        is_cut_ = false;
        return false;  // with clocks so wrong nobody knows in which order a caller did things
    }
}

}  // namespace lockkeeper::logs
