// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/explain.hpp"

#include <algorithm>
#include <set>

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
        const std::uint32_t lost_max = question_.lost_max.value_or(kLostDoubt);
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
            }
        }
        doubt_answers();
        return std::move(answer_);
    }

  private:
    Found search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered) {
        // More operations than lines say nothing that fewer do not.
        const auto unseen_max = static_cast<std::uint32_t>(problem.lines());
        Found found =
            search_runs(problem, {lost_max, unseen_max, allows_uncovered, question_.budget});
        answer_.states += found.states;
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
    }

    // Is there a run in which every effect is a holder's?
    void judge_effects(const Problem& problem) {
        const std::uint32_t lost_max =
            std::max(question_.lost_max.value_or(kLostDoubtOfEffects), answer_.found.cost.lost);
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

    // The least error of all clocks with which the lines are explained, and nothing else is needed.
    void doubt_clocks() {
        if (!question_.clock_errors.empty() || !is_explained_with(kClockDoubt)) {
            return;
        }
        constexpr std::int64_t kFinest = 1'000;
        std::int64_t low = 0;
        std::int64_t high = kClockDoubt;
        while (high - low > kFinest && question_.budget->ended() == nullptr) {
            const std::int64_t middle = low + (high - low) / 2;
            (is_explained_with(middle) ? high : low) = middle;
        }
        answer_.doubts.clock_error = high;
        answer_.answer = Answer::kUndecided;
    }

    // Without calls, an answer may be about what was carried out long before.
    void doubt_answers() {
        if (answer_.answer != Answer::kNotExplained && answer_.answer != Answer::kBroken) {
            return;
        }
        Problem problem = *answer_.problem;
        problem.answer_max = kNever;
        const Found found = search(problem, question_.lost_max.value_or(0), false);
        if (found.limit != nullptr || (found.is_found && found.cost.unseen == 0)) {
            answer_.doubts.by_slow_answers = found.is_found;
            answer_.doubts.limit = found.limit;
            answer_.answer = Answer::kUndecided;
        }
    }

    bool is_explained_with(std::int64_t clock_error) {
        const std::vector<std::int64_t> errors(sources_.size(), clock_error);
        Problem problem = make_problem(sources_, errors, *question_.model);
        problem.answer_max = kAnswerDoubt;
        const Found found = search(problem, question_.lost_max.value_or(0), false);
        return found.is_found && found.cost.unseen == 0;
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
