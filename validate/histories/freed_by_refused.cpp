// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/freed_by_refused.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace lockkeeper {
namespace {

using Choice = std::vector<std::pair<std::size_t, std::size_t>>;  // refused, acquired; sorted

// A choice to try: first those that continue a choice which explains more, then the older ones.
struct Attempt {
    std::size_t explained;  // by the choice that this one goes on from
    std::size_t number;
    Choice choice;

    friend bool operator<(const Attempt& left, const Attempt& right) {
        return std::pair(left.explained, right.number) < std::pair(right.explained, left.number);
    }
};

class FreedSearch {
  public:
    FreedSearch(const KeyOperations& list, const SequentialModel& model, const SearchBudget& budget)
        : list_(list), model_(model), budget_(budget), work_(budget) {}

    FreedByRefused run() {
        FreedByRefused result;
        if (!match_releases() || !find_candidates()) {
            return result;
        }
        const std::size_t attempts_max =
            std::clamp(kAttemptedOperationsMax / std::max<std::size_t>(1, list_.operations.size()),
                       kAttemptsLeast, kAttemptsMost);
        push(0, {});
        for (std::size_t attempts = 0; !attempts_.empty(); ++attempts) {
            if (attempts == attempts_max) {
                result.are_attempts_used_up = true;
                return result;
            }
            const Choice choice = attempts_.top().choice;
            attempts_.pop();
            const KeyOperations changed = changed_by(choice);
            const Linearization found = linearize(changed, model_, budget_);
            if (is<Violated>(found.verdict)) {
                push_further(choice, changed.operations[*found.stuck].completed);
                continue;
            }
            result.verdict = found.verdict;
            for (const auto& [refused, acquired] : choice) {
                result.freed.push_back({refused, acquired});
            }
            return result;
        }
        result.verdict = Violated{};
        return result;
    }

  private:
    [[nodiscard]] const TimedOperation& at(std::size_t i) const { return list_.operations[i]; }
    [[nodiscard]] bool is_refused(std::size_t i) const { return at(i).operation.is_refused; }
    [[nodiscard]] bool is_grant(std::size_t i) const {
        return at(i).operation.code == LockCode::kAcquire && !is_refused(i);
    }

    // A release ends the oldest hold of its caller, in its mode, that is not ended yet, one that
    // was granted for certain before others. An exit ends all, and stays where it is.
    bool match_releases() {
        release_of_.assign(list_.operations.size(), kNeverCompleted);
        ends_.assign(list_.operations.size(), kNeverCompleted);
        std::map<std::pair<std::uint32_t, std::uint8_t>, std::deque<std::size_t>> open;
        for (std::size_t i = 0; i < list_.operations.size() && work_.spend(); ++i) {
            auto& holds = open[{at(i).owner, at(i).operation.mode}];
            const LockCode code = at(i).operation.code;
            if (is_grant(i)) {
                holds.push_back(i);
            } else if (code == LockCode::kRelease && !holds.empty()) {
                auto ended = std::find_if(holds.begin(), holds.end(), [&](std::size_t grant) {
                    return at(grant).completed != kNeverCompleted;
                });
                ended = ended == holds.end() ? holds.begin() : ended;
                release_of_[*ended] = i;
                ends_[*ended] = at(i).completed;
                holds.erase(ended);
            } else if (code == LockCode::kExit) {
                for (const std::uint8_t mode : {std::uint8_t{0}, std::uint8_t{1}}) {
                    for (const std::size_t grant : open[{at(i).owner, mode}]) {
                        ends_[grant] = at(i).completed;
                    }
                    open[{at(i).owner, mode}].clear();
                }
            }
        }
        return budget_.ended() == nullptr;
    }

    // Finds the holds that each refused call can have freed: of another owner, and held at some
    // moment of the call. Where the model knows no owners, the hold must have been asked for before
    // the call: a release that is placed before its own acquire would free somebody else's hold.
    bool find_candidates() {
        std::vector<std::size_t> active;
        for (std::size_t i = 0; i < list_.operations.size(); ++i) {
            if (is_grant(i)) {
                active.push_back(i);
            }
            if (!is_refused(i)) {
                continue;
            }
            std::erase_if(active, [&](std::size_t grant) { return ends_[grant] <= at(i).invoked; });
            if (!work_.spend(1 + active.size())) {
                return false;
            }
            for (const std::size_t grant : active) {
                add_candidate(i, grant);
            }
            for (std::size_t later = i + 1;
                 model_.knows_owners() && later < list_.operations.size() &&
                 at(later).invoked < at(i).completed && work_.spend();
                 ++later) {
                if (is_grant(later)) {
                    add_candidate(i, later);
                }
            }
        }
        std::reverse(candidates_.begin(), candidates_.end());
        return budget_.ended() == nullptr;
    }
    void add_candidate(std::size_t refused, std::size_t grant) {
        if (at(grant).owner != at(refused).owner) {
            candidates_.emplace_back(refused, grant);
        }
    }

    void push(std::size_t explained, Choice choice) {
        attempts_.push({explained, next_number_++, std::move(choice)});
    }

    void push_further(const Choice& choice, std::size_t stuck) {
        for (const auto& candidate : candidates_) {
            const bool is_new = std::none_of(choice.begin(), choice.end(), [&](const auto& one) {
                return one.first == candidate.first || one.second == candidate.second;
            });
            if (!is_new || at(candidate.first).invoked > stuck || !work_.spend()) {
                continue;
            }
            Choice one = choice;
            one.push_back(candidate);
            std::sort(one.begin(), one.end());
            if (seen_.insert(one).second) {
                push(stuck, std::move(one));
            }
        }
    }

    // The refused call becomes the release of what it freed; the holder's own release is left out.
    [[nodiscard]] KeyOperations changed_by(const Choice& choice) const {
        std::vector<bool> is_dropped(list_.operations.size(), false);
        for (std::size_t i = 0; i < is_dropped.size(); ++i) {
            is_dropped[i] = is_refused(i);
        }
        for (const auto& [refused, grant] : choice) {
            is_dropped[refused] = false;
            if (release_of_[grant] != kNeverCompleted) {
                is_dropped[release_of_[grant]] = true;
            }
        }
        KeyOperations changed{list_.key, {}, list_.owners};
        std::vector<std::size_t> places;  // in `changed`
        for (std::size_t i = 0; i < list_.operations.size(); ++i) {
            places.push_back(is_dropped[i] ? kNeverCompleted : changed.operations.size());
            if (!is_dropped[i]) {
                changed.operations.push_back(at(i));
                changed.operations.back().after = before(i, places);
            }
        }
        for (const auto& [refused, grant] : choice) {
            TimedOperation& call = changed.operations[places[refused]];
            const bool is_needed = grant < refused && at(grant).completed > call.invoked;
            call.owner = at(grant).owner;
            call.operation = at(grant).operation;
            call.operation.code = LockCode::kRelease;
            call.operation.number = kUnknownNumber;
            call.after = is_needed ? places[grant] : kNeverCompleted;
        }
        return changed;
    }

    // The place of the operation that its process did before it, skipping those left out.
    [[nodiscard]] std::size_t before(std::size_t i, const std::vector<std::size_t>& places) const {
        std::size_t before = at(i).after;
        while (before != kNeverCompleted && places[before] == kNeverCompleted) {
            before = at(before).after;
        }
        const bool is_needed = before != kNeverCompleted && at(before).completed > at(i).invoked;
        return is_needed ? places[before] : kNeverCompleted;
    }

    const KeyOperations& list_;
    const SequentialModel& model_;
    const SearchBudget& budget_;
    BudgetedWork work_;
    std::vector<std::size_t> release_of_;  // by grant: the operation
    std::vector<std::size_t> ends_;        // by grant: the record after which it is over
    Choice candidates_;                    // the latest first
    std::priority_queue<Attempt> attempts_;
    std::size_t next_number_ = 0;
    std::set<Choice> seen_;
};

}  // namespace

FreedByRefused explain_by_refused(const KeyOperations& list, const SequentialModel& model,
                                  const SearchBudget& budget) {
    return FreedSearch(list, model, budget).run();
}

}  // namespace lockkeeper
