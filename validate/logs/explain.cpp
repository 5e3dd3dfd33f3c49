// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/explain.hpp"

#include <algorithm>
#include <set>

#include "model/printable.hpp"
#include "validate/logs/few_callers.hpp"

namespace lockkeeper::logs {
namespace {

// Some hundred searches tell which clock could be wrong: of all of them.
constexpr std::uint64_t kStatesOfClocks = 20'000;
constexpr std::uint64_t kStatesOfMissing = 1'000'000;
constexpr std::int64_t kClockErrorFirst = 1'000'000;  // nanoseconds

class Explainer {
  public:
    Explainer(const std::vector<Source>& sources, const Question& question)
        : sources_(sources), question_(question) {}

    LockAnswer run() {
        auto made = std::make_shared<Problem>(
            make_problem(sources_, question_.clock_errors, *question_.model));
        made->answer_max = kAnswerDoubt;
        answer_.problem = made;
        const Problem& problem = *answer_.problem;
        answer_.holes = problem.holes();
        const std::uint32_t lost_max =
            question_.lost_max.value_or(kLostDoubt + lost_for_certain(problem));
        answer_.lost_max = lost_max;
        answer_.found = search_in_turn(problem, lost_max);
        if (answer_.found.is_found) {
            answer_.run = retell(problem, answer_.found.steps);
            decide(problem);
        } else {
            answer_.doubts.limit = answer_.found.limit;
            if (answer_.found.limit == nullptr) {  // told as if nothing were missing
                answer_.found = search(problem, 0, true);
            }
            answer_.run = retell(problem, answer_.found.furthest.steps);
            answer_.answer =
                answer_.doubts.limit == nullptr ? Answer::kNotExplained : Answer::kUndecided;
            if (answer_.doubts.limit == nullptr) {
                doubt_clocks();
                doubt_callers();
            }
        }
        doubt_answers();
        if (!answer_.found.is_found && answer_.doubts.limit == nullptr) {
            tell_clocks();
        }
        return std::move(answer_);
    }

  private:
    [[nodiscard]] std::uint32_t lost_for_certain(const Problem& problem) const {
        return kLostPerHole * answer_.holes + kLostPerUnsaidEnd * problem.unsaid_ends;
    }

    Found search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered) {
        // More operations than lines say nothing that fewer do not.
        return search(problem, lost_max, allows_uncovered,
                      static_cast<std::uint32_t>(problem.lines()));
    }
    Found search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered,
                 std::uint32_t unseen_max) {
        Found found = search_runs(problem, {lost_max, unseen_max, allows_uncovered,
                                            question_.budget, states_max_, question_.on_progress});
        answer_.states += found.states;
        return found;
    }

    // Where lines may be missing in so many places that the search does not end soon, first those
    // near the line that no complete run reaches.
    Found search_in_turn(const Problem& problem, std::uint32_t lost_max) {
        states_max_ = std::max<std::uint64_t>(question_.states_of_doubt, 4 * problem.lines());
        Found found = search(problem, lost_max, true);
        states_max_ = UINT64_MAX;
        if (found.limit != kManyStates) {
            return found;
        }
        found = search(problem, 0, true);
        if (found.is_found || found.limit != nullptr) {
            return found;
        }
        const Retold nearest = retell(problem, found.furthest.steps);
        found = search(near_incident(problem, found.furthest, nearest), lost_max, true);
        if (found.is_found || found.limit != nullptr) {
            return found;
        }
        states_max_ = kStatesOfMissing;
        found = search(problem, lost_max, true);
        states_max_ = UINT64_MAX;
        found.limit = found.limit == kManyStates ? "how many lines may be missing: --lost says it"
                                                 : found.limit;
        return found;
    }

    void decide(const Problem& problem) {
        const Cost cost = answer_.found.cost;
        Doubts& doubts = answer_.doubts;
        doubts.by_lost = cost.lost > 0 && !question_.lost_max;
        doubts.by_unseen = cost.unseen > 0;
        doubts.is_empty = !problem.decides;
        answer_.answer = doubts.by_lost || doubts.by_unseen || doubts.is_empty ? Answer::kUndecided
                                                                               : Answer::kExplained;
        if (cost.uncovered > 0) {
            judge_effects(problem);
        } else if (answer_.answer == Answer::kUndecided) {
            doubt_clocks();
        }
        if (doubts.by_unseen) {
            doubt_callers();
        }
    }

    // Is there a run in which every effect is a holder's?
    void judge_effects(const Problem& problem) {
        const std::uint32_t lost_max =
            std::max(question_.lost_max.value_or(kLostDoubtOfEffects + lost_for_certain(problem)),
                     answer_.found.cost.lost);
        const Found other = search(problem, lost_max, false);
        Doubts& doubts = answer_.doubts;
        if (other.is_found) {
            answer_.without = retell(problem, other.steps);
            answer_.cost_without = other.cost;
            doubts.by_lost = doubts.by_lost || other.cost.lost > 0;
            doubts.by_unseen = doubts.by_unseen || other.cost.unseen > 0;
        }
        doubts.limit = other.limit;
        const bool is_certain = !other.is_found && other.limit == nullptr;
        answer_.answer = is_certain ? Answer::kBroken : Answer::kUndecided;
        if (is_certain) {
            doubt_clocks();
        }
    }

    // Whoever refused it may have been right: another held it, whose log is not here.
    void doubt_callers() {
        const bool is_known = question_.has_all_callers || !answer_.problem->servers.empty() ||
                              answer_.problem->callers.size() >= kCallersMax;
        if (is_known || !answer_.problem->can_be_incomplete) {
            return;
        }
        auto problem = std::make_shared<Problem>(*answer_.problem);
        problem->allow_stranger();
        const bool is_open = answer_.answer == Answer::kUndecided;  // whatever this search says
        states_max_ = is_open ? question_.states_of_doubt : UINT64_MAX;
        const Found found = search(*problem, question_.lost_max.value_or(0), true);
        states_max_ = UINT64_MAX;
        if (is_open && found.limit != nullptr) {
            return;
        }
        const bool is_worse =
            answer_.found.is_found && found.is_found &&
            found.cost.packed() + (names_known_holders() ? 1 : 0) > answer_.found.cost.packed();
        if (is_worse || (!found.is_found && found.limit == nullptr)) {
            return;
        }
        answer_.answer = Answer::kUndecided;
        if (!found.is_found) {
            answer_.doubts.limit = found.limit;
            return;
        }
        answer_.doubts.by_stranger = true;
        answer_.problem = problem;
        answer_.with_stranger = retell(*problem, found.steps);
    }

    // Refusals say who held it, and it was one of these callers.
    [[nodiscard]] bool names_known_holders() const {
        bool is_named = false;
        for (const Source& source : sources_) {
            for (const Observation& seen : source.observations) {
                const auto& callers = answer_.problem->callers;
                const bool is_known = std::find(callers.begin(), callers.end(),
                                                printable(seen.holder)) != callers.end();
                if (!seen.holder.empty() && !is_known) {
                    return false;
                }
                is_named = is_named || !seen.holder.empty();
            }
        }
        return is_named;
    }

    // The least error of all clocks with which the lines are explained, and nothing else is needed.
    // One clock is never wrong against itself.
    void doubt_clocks() {
        if (clocks() < 2 || !question_.clock_errors.empty()) {
            return;
        }
        // With clocks more wrong nobody knows in which order a caller of two logs did things.
        const std::int64_t most = has_order_with(kClockDoubt) ? kClockDoubt : most_with_order();
        if (most == kClockDoubt && do_few_contradict(most)) {
            return;
        }
        states_max_ = question_.states_of_doubt;
        // Small errors first: they have few runs.
        std::int64_t too_few = 0;
        std::int64_t error = std::min(kClockErrorFirst, most);
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

    // The lines of some callers contradict each other, with clocks that are wrong by so much.
    bool do_few_contradict(std::int64_t clock_error) {
        Problem problem = make_problem(
            sources_, std::vector<std::int64_t>(sources_.size(), clock_error), *question_.model);
        problem.answer_max = kAnswerDoubt;
        if (!can_leave_out_callers(problem)) {
            return false;
        }
        states_max_ = question_.states_of_doubt;
        bool is_contradiction = false;
        for (const auto& callers : suspects(*answer_.problem, *answer_.run, unreached())) {
            const Found found =
                search(only_of(problem, callers), question_.lost_max.value_or(0), false, 0);
            is_contradiction = !found.is_found && found.limit == nullptr;
            if (is_contradiction) {
                break;
            }
        }
        states_max_ = UINT64_MAX;
        return is_contradiction;
    }

    // The first line that no run reaches; null: some run has all.
    [[nodiscard]] const Line* unreached() const {
        const Furthest& furthest = answer_.found.furthest;
        return answer_.found.is_found || furthest.time >= kNever
                   ? nullptr
                   : &answer_.problem->line(furthest.line);
    }

    [[nodiscard]] bool has_order_with(std::int64_t clock_error) const {
        try {
            static_cast<void>(make_problem(sources_,
                                           std::vector<std::int64_t>(sources_.size(), clock_error),
                                           *question_.model));
            return true;
        } catch (const LogError&) {
            return false;
        }
    }

    // The largest clock error, to a microsecond, with which every caller's order is known.
    std::int64_t most_with_order() {
        return -least(-kClockDoubt, 0, [&](std::int64_t less) { return has_order_with(-less); });
    }

    // Pieces of one rotated log have one clock.
    [[nodiscard]] std::size_t clocks() const {
        const std::vector<std::size_t> clocks = clocks_of(sources_);
        std::set<std::size_t> used;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            if (!sources_[i].observations.empty()) {
                used.insert(clocks[i]);
            }
        }
        return used.size();
    }

    // A note for whoever can ask that machine: it decides nothing.
    void tell_clocks() {
        const bool is_asked = question_.clock_errors.empty() && clocks() > 1;
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

    // The least time that is enough, to `finest`: `most` is, `too_few` is not.
    template <class IsEnough>
    std::int64_t least(std::int64_t too_few, std::int64_t most, const IsEnough& is_enough,
                       std::int64_t finest = 1'000) {
        is_cut_ = false;  // then the least that is known is the answer
        while (most - too_few > finest && !is_cut_ && question_.budget->ended() == nullptr) {
            const std::int64_t middle = too_few + (most - too_few) / 2;
            (is_enough(middle) ? most : too_few) = middle;
        }
        return most;
    }

    // Without calls, an answer may be about what was carried out long before.
    void doubt_answers() {
        if (answer_.answer == Answer::kNotExplained || answer_.answer == Answer::kBroken) {
            const Found found = search_within(kNever);
            if (found.limit != nullptr || is_plain(found)) {
                answer_.doubts.slow_answers =
                    found.is_found ? std::optional(kAnswerDoubt) : std::nullopt;
                answer_.doubts.limit = found.limit;
                answer_.answer = Answer::kUndecided;
            }
        } else if (answer_.answer == Answer::kExplained &&
                   answer_.problem->has_answer_without_call()) {
            doubt_slow_answers();
        }
    }

    // A double grant, too, is explained if the release between them was answered late enough.
    void doubt_slow_answers() {
        const auto is_enough = [&](std::int64_t most) { return is_plain(search_within(most)); };
        const Found prompt = search_within(kPromptAnswer);
        answer_.doubts.limit = prompt.limit;
        if (prompt.limit != nullptr) {
            answer_.answer = Answer::kUndecided;
        } else if (!is_plain(prompt)) {
            answer_.answer = Answer::kUndecided;
            answer_.doubts.slow_answers = least(kPromptAnswer, kAnswerDoubt, is_enough);
        } else if (!is_enough(0)) {
            constexpr std::int64_t kFinest = 100'000;
            answer_.doubts.slow_answers = least(0, kPromptAnswer, is_enough, kFinest);
        }
    }

    // It explains the lines by nothing that these logs never show.
    static bool is_plain(const Found& found) { return found.is_found && found.cost.unseen == 0; }

    Found search_within(std::int64_t answer_max) {
        Problem problem = *answer_.problem;
        problem.answer_max = answer_max;
        return search(problem, question_.lost_max.value_or(0), false);
    }

    bool is_explained_with(std::int64_t clock_error) {
        return is_explained_by(sources_, std::vector<std::int64_t>(sources_.size(), clock_error));
    }

    bool is_explained_by(const std::vector<Source>& sources,
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

    const std::vector<Source>& sources_;
    const Question& question_;
    LockAnswer answer_;
    std::uint64_t states_max_ = UINT64_MAX;  // of one search
    bool is_cut_ = false;                    // the last one with other clocks
};

}  // namespace

LockAnswer explain(const std::vector<Source>& sources, const Question& question) {
    return Explainer(sources, question).run();
}

}  // namespace lockkeeper::logs
