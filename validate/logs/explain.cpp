// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/explain.hpp"

#include <algorithm>
#include <set>

#include "model/printable.hpp"

namespace lockkeeper::logs {
namespace {

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
        answer_.holes = visible_holes(problem);
        const std::uint32_t lost_max =
            question_.lost_max.value_or(kLostDoubt + kLostPerHole * answer_.holes);
        answer_.lost_max = lost_max;
        answer_.found = search(problem, lost_max, true);
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
        return std::move(answer_);
    }

  private:
    Found search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered) {
        // More operations than lines say nothing that fewer do not.
        const auto unseen_max = static_cast<std::uint32_t>(problem.lines());
        Found found = search_runs(problem, {lost_max, unseen_max, allows_uncovered,
                                            question_.budget, question_.on_progress});
        answer_.states += found.states;
        return found;
    }

    // Answers without the call that their caller logs otherwise: whatever happened, lines are gone.
    static std::uint32_t visible_holes(const Problem& problem) {
        std::uint32_t holes = 0;
        for (std::uint32_t caller = 0; caller < problem.own.size(); ++caller) {
            for (std::size_t i = 1; i < problem.own[caller].size(); ++i) {
                const Line& before = problem.own_line(caller, i - 1);
                const Line& line = problem.own_line(caller, i);
                const bool has_call = before.seen == Seen::kCall && before.code == line.code;
                const bool is_hole = line.seen == Seen::kAnswer && !has_call &&
                                     problem.weights_of(caller, line.code).call > 0;
                holes += is_hole ? 1 : 0;
            }
        }
        return holes;
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
        const std::uint32_t lost_max = std::max(
            question_.lost_max.value_or(kLostDoubtOfEffects + kLostPerHole * answer_.holes),
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
        const Found found = search(*problem, question_.lost_max.value_or(0), true);
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
        const auto clocks =
            std::count_if(sources_.begin(), sources_.end(),
                          [](const Source& source) { return !source.observations.empty(); });
        if (clocks < 2 || !question_.clock_errors.empty() || !is_explained_with(kClockDoubt)) {
            return;
        }
        answer_.doubts.clock_error =
            least(0, kClockDoubt, [&](std::int64_t error) { return is_explained_with(error); });
        answer_.answer = Answer::kUndecided;
    }

    // The least time that is enough, to a microsecond: `most` is, `too_few` is not.
    template <class IsEnough>
    std::int64_t least(std::int64_t too_few, std::int64_t most, const IsEnough& is_enough) {
        constexpr std::int64_t kFinest = 1'000;
        while (most - too_few > kFinest && question_.budget->ended() == nullptr) {
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
        } else if (answer_.answer == Answer::kExplained && has_answer_without_call()) {
            doubt_slow_answers();
        }
    }

    // A double grant, too, is explained if the release between them was answered late enough.
    void doubt_slow_answers() {
        const Found prompt = search_within(kPromptAnswer);
        if (is_plain(prompt)) {
            return;
        }
        answer_.answer = Answer::kUndecided;
        answer_.doubts.limit = prompt.limit;
        if (prompt.limit == nullptr) {
            answer_.doubts.slow_answers =
                least(kPromptAnswer, kAnswerDoubt,
                      [&](std::int64_t most) { return is_plain(search_within(most)); });
        }
    }

    // It explains the lines by nothing that these logs never show.
    static bool is_plain(const Found& found) { return found.is_found && found.cost.unseen == 0; }

    Found search_within(std::int64_t answer_max) {
        Problem problem = *answer_.problem;
        problem.answer_max = answer_max;
        return search(problem, question_.lost_max.value_or(0), false);
    }

    [[nodiscard]] bool has_answer_without_call() const {
        const Problem& problem = *answer_.problem;
        for (std::uint32_t caller = 0; caller < problem.own.size(); ++caller) {
            for (std::size_t i = 0; i < problem.own[caller].size(); ++i) {
                const bool follows_call =
                    i > 0 && problem.own_line(caller, i - 1).seen == Seen::kCall;
                if (problem.own_line(caller, i).seen == Seen::kAnswer && !follows_call) {
                    return true;
                }
            }
        }
        return false;
    }

    bool is_explained_with(std::int64_t clock_error) {
        const std::vector<std::int64_t> errors(sources_.size(), clock_error);
        Problem problem = make_problem(sources_, errors, *question_.model);
        problem.answer_max = kAnswerDoubt;
        return is_plain(search(problem, question_.lost_max.value_or(0), false));
    }

    const std::vector<Source>& sources_;
    const Question& question_;
    LockAnswer answer_;
};

}  // namespace

LockAnswer explain(const std::vector<Source>& sources, const Question& question) {
    return Explainer(sources, question).run();
}

std::vector<std::pair<std::string, std::vector<Source>>> by_lock(const Logs& logs) {
    std::set<std::string> keys;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            keys.insert(seen.key);
        }
    }
    if (keys.size() > 1) {
        keys.erase("");
    }
    std::vector<std::pair<std::string, std::vector<Source>>> locks;
    for (const std::string& key : keys) {
        std::vector<Source> sources;
        for (const Source& source : logs.sources) {
            Source part{source.name, source.file, {}};
            for (const Observation& seen : source.observations) {
                if (seen.key.empty() && keys.size() > 1) {
                    throw LogError(source.file, seen.line,
                                   "the line names no lock, and these logs are about " +
                                       std::to_string(keys.size()) +
                                       " locks; a mapping says where a line has its key");
                }
                if (seen.key.empty() || seen.key == key) {
                    part.observations.push_back(seen);
                }
            }
            sources.push_back(std::move(part));
        }
        locks.emplace_back(key, std::move(sources));
    }
    return locks;
}

}  // namespace lockkeeper::logs
