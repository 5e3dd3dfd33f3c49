// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/explain.hpp"

#include <algorithm>
#include <set>

#include "validate/logs/explainer.hpp"
#include "validate/logs/few_callers.hpp"

namespace lockkeeper::logs {
namespace {

constexpr const char* kLostUnsaid = "how many lines may be missing: --lost says it";

}  // namespace

LockAnswer Explainer::run() {
    auto made =
        std::make_shared<Problem>(make_problem(sources_, question_.clock_errors, *question_.model));
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
        if (answer_.found.limit == nullptr && !is_decided_early_) {
            answer_.found = search(problem, 0, true);  // told as if nothing were missing
        }
        answer_.run = retell(problem, answer_.found.furthest.steps);
        answer_.answer =
            answer_.doubts.limit == nullptr ? Answer::kNotExplained : Answer::kUndecided;
        if (answer_.doubts.limit == nullptr) {
            doubt_clocks();
        }
        if (answer_.doubts.limit == nullptr && !is_decided_early_) {
            doubt_callers();
        }
    }
    if (!few_contradict_) {
        doubt_answers();
    }
    doubt_locks();
    if (!answer_.found.is_found && answer_.doubts.limit == nullptr) {
        tell_clocks();
    }
    return std::move(answer_);
}

std::uint32_t Explainer::lost_for_certain(const Problem& problem) const {
    return kLostPerHole * answer_.holes + kLostPerUnsaidEnd * problem.unsaid_ends;
}

Found Explainer::search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered) {
    // More operations than lines say nothing that fewer do not.
    return search(problem, lost_max, allows_uncovered, static_cast<std::uint32_t>(problem.lines()));
}

Found Explainer::search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered,
                        std::uint32_t unseen_max) {
    Found found = search_runs(problem, {lost_max, unseen_max, allows_uncovered, question_.budget,
                                        states_max_, question_.on_progress});
    answer_.states += found.states;
    return found;
}

Found Explainer::search_in_turn(const Problem& problem, std::uint32_t lost_max) {
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
    answer_.run = retell(problem, found.furthest.steps);
    answer_.found = found;
    few_contradict_ = do_few_contradict(problem, lost_max);
    is_decided_early_ = few_contradict_ || do_clocks_explain();
    if (is_decided_early_) {
        return found;
    }
    found = search(near_incident(problem, found.furthest, *answer_.run), lost_max, true);
    if (found.is_found || found.limit != nullptr) {
        return found;
    }
    states_max_ = question_.lost_max ? UINT64_MAX : kStatesOfMissing;
    found = search(problem, lost_max, true);
    states_max_ = UINT64_MAX;
    found.limit = found.limit == kManyStates ? kLostUnsaid : found.limit;
    return found;
}

void Explainer::decide(const Problem& problem) {
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

void Explainer::judge_effects(const Problem& problem) {
    const std::uint32_t lost = answer_.found.cost.lost;
    const std::uint32_t lost_max = question_.lost_max.value_or(
        std::max(kLostDoubtOfEffects + lost_for_certain(problem), lost));
    Found other = search(problem, lost_max, false);
    const bool is_wider = !question_.lost_max && lost > 0 && lost + kLostDoubt > lost_max;
    if (is_wider && !other.is_found && other.limit == nullptr) {
        states_max_ = question_.states_of_doubt;  // so many lines are missing in very many ways
        other = search(problem, lost + kLostDoubt, false);
        states_max_ = UINT64_MAX;
        other.limit = other.limit == kManyStates ? kLostUnsaid : other.limit;
    }
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

void Explainer::doubt_callers() {
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
        found.cost.packed() + (names_known_holders(sources_, *answer_.problem) ? 1 : 0) >
            answer_.found.cost.packed();
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

void Explainer::doubt_locks() {
    std::set<std::string> keys;
    std::set<std::string> ends;
    for (const Source& source : sources_) {
        ends.insert(source.lacks_keys.begin(), source.lacks_keys.end());
        for (const Observation& seen : source.observations) {
            keys.insert(seen.full_key);
        }
    }
    answer_.doubts.by_unknown_lock =
        answer_.answer == Answer::kExplained &&
        std::any_of(ends.begin(), ends.end(), [&](const std::string& end) {
            return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
                return key.empty() || key.ends_with(end);
            });
        });
    answer_.answer = answer_.doubts.by_unknown_lock ? Answer::kUndecided : answer_.answer;
}

const Line* Explainer::unreached() const {
    const Furthest& furthest = answer_.found.furthest;
    return answer_.found.is_found || furthest.time >= kNever
               ? nullptr
               : &answer_.problem->line(furthest.line);
}

void Explainer::doubt_answers() {
    if (answer_.answer == Answer::kNotExplained || answer_.answer == Answer::kBroken) {
        const Found found = search_within(kNever);
        if (found.limit != nullptr || is_plain(found)) {
            answer_.doubts.slow_answers =
                found.is_found ? std::optional(kAnswerDoubt) : std::nullopt;
            answer_.doubts.limit = found.limit;
            answer_.answer = Answer::kUndecided;
        }
    } else if (answer_.answer == Answer::kExplained && answer_.problem->has_answer_without_call()) {
        doubt_slow_answers();
    }
}

void Explainer::doubt_slow_answers() {
    const auto is_enough = [&](std::int64_t most) { return is_plain(search_within(most)); };
    const Found prompt = search_within(kPromptAnswer);
    answer_.doubts.limit = prompt.limit;
    if (prompt.limit != nullptr) {
        answer_.answer = Answer::kUndecided;
    } else if (!is_plain(prompt)) {
        answer_.answer = Answer::kUndecided;
        answer_.doubts.slow_answers = least(kPromptAnswer, kAnswerDoubt, is_enough);
    } else if (!is_enough(0)) {
        constexpr std::int64_t kFinestOfAnswers = 100'000;
        answer_.doubts.slow_answers = least(0, kPromptAnswer, is_enough, kFinestOfAnswers);
    }
}

Found Explainer::search_within(std::int64_t answer_max) {
    Problem problem = *answer_.problem;
    problem.answer_max = answer_max;
    return search(problem, question_.lost_max.value_or(0), false);
}

namespace {

bool is_of_lock(const Observation& seen) {
    return seen.seen == Seen::kServed || seen.seen == Seen::kState;
}

// The lock's log has a name that no caller's log has, and does not have one of a caller that has
// held it: both may be of one caller.
bool may_have_two_names(const std::vector<Source>& sources) {
    std::set<std::string> of_lock;
    std::set<std::string> of_callers;
    std::set<std::string> of_holders;
    for (const Source& source : sources) {
        for (const Observation& seen : source.observations) {
            const bool has_held = seen.seen == Seen::kEffect ||
                                  (seen.seen == Seen::kAnswer && seen.outcome == Outcome::kOk);
            (is_of_lock(seen) ? of_lock : of_callers).insert(seen.caller);
            if (has_held) {
                of_holders.insert(seen.caller);
            }
        }
    }
    of_lock.erase("");
    const auto is_apart = [](const std::set<std::string>& some, const std::set<std::string>& all) {
        return !std::includes(all.begin(), all.end(), some.begin(), some.end());
    };
    return !of_lock.empty() && is_apart(of_lock, of_callers) && is_apart(of_holders, of_lock);
}

bool is_violated(const LockAnswer& answer) {
    return answer.answer == Answer::kBroken || answer.answer == Answer::kNotExplained;
}

}  // namespace

// Where names may hide who is who, callers' logs alone accuse somebody.
LockAnswer explain(const std::vector<Source>& sources, const Question& question) {
    LockAnswer answer = Explainer(sources, question).run();
    if (!is_violated(answer) || !may_have_two_names(sources)) {
        return answer;
    }
    std::vector<Source> callers = sources;
    for (Source& source : callers) {
        std::erase_if(source.observations, is_of_lock);
    }
    try {
        const LockAnswer of_callers = Explainer(callers, question).run();
        if (!is_violated(of_callers)) {
            answer.answer = Answer::kUndecided;
            answer.doubts.by_names = true;
            answer.doubts.limit = of_callers.doubts.limit;
        }
    } catch (const LogError&) {
        return answer;  // without the lock's lines nobody knows in which order a caller did things
    }
    return answer;
}

}  // namespace lockkeeper::logs
