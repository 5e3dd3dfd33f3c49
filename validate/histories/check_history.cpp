// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/check_history.hpp"

#include <algorithm>

#include "validate/histories/ladder.hpp"
#include "validate/histories/linearize.hpp"
#include "validate/histories/read_operations.hpp"
#include "validate/histories/waiters.hpp"

namespace lockkeeper {
namespace {

// The first share of every key, so that one hard key cannot hide that another is violated.
constexpr std::uint64_t kFirstConfigurations = 200'000;

struct Held {
    const TimedOperation* acquired;
    std::int64_t left;  // of its amount
};

// Takes from the caller's own holds, the newest first; where anybody may give back, then from the
// oldest holds.
void give_back(std::vector<Held>& held, const TimedOperation& timed, const SequentialModel& model) {
    std::int64_t rest = timed.operation.amount;
    const auto take_from = [&](Held& one) {
        const std::int64_t taken = std::min(rest, one.left);
        one.left -= taken;
        rest -= taken;
    };
    const bool names_connection =
        model.choice().kind == ModelKind::kPool && timed.operation.number != kUnknownNumber;
    for (Held& one : held) {
        if (names_connection && one.acquired->operation.number == timed.operation.number) {
            take_from(one);
        }
    }
    for (std::size_t i = held.size(); i-- > 0;) {
        const bool is_own = held[i].acquired->owner == timed.owner &&
                            held[i].acquired->operation.mode == timed.operation.mode;
        if (is_own) {
            take_from(held[i]);
        }
    }
    for (std::size_t i = 0; i < held.size() && !model.knows_owners(); ++i) {
        take_from(held[i]);
    }
    std::erase_if(held, [](const Held& one) { return one.left == 0; });
}

std::vector<Held> held_after(const KeyOperations& list, const std::vector<std::uint32_t>& order,
                             const SequentialModel& model) {
    std::vector<Held> held;
    for (const std::uint32_t number : order) {
        const TimedOperation& timed = list.operations[number];
        const LockOperation& operation = timed.operation;
        if (operation.code == LockCode::kAcquire && !operation.is_refused && operation.amount > 0) {
            held.push_back({&timed, operation.amount});
        } else if (operation.code == LockCode::kExit && model.knows_owners()) {
            std::erase_if(held,
                          [&](const Held& one) { return one.acquired->owner == timed.owner; });
        } else if (operation.code == LockCode::kRelease || operation.code == LockCode::kDestroy ||
                   operation.code == LockCode::kExit) {
            give_back(held, timed, model);
        }
    }
    return held;
}

std::string holders_after(const RecordedHistory& history, const KeyOperations& list,
                          const std::vector<std::uint32_t>& order, const SequentialModel& model) {
    std::string out;
    for (const Held& one : held_after(list, order, model)) {
        const std::int64_t all = one.acquired->operation.amount;
        out += (out.empty() ? "" : ", ") + list.owners[one.acquired->owner] + " (" +
               history.place_of(one.acquired->invoked) +
               (one.left == all
                    ? ")"
                    : ", " + std::to_string(one.left) + " of " + std::to_string(all) + " left)");
    }
    return out.empty() ? "nobody" : out;
}

// For a refusal without a reason: names the acquire that waited in front of it.
std::string waiter_text(const RecordedHistory& history, const KeyOperations& list,
                        const Linearization& result, const SequentialModel& model) {
    const TimedOperation& stuck = list.operations[*result.stuck];
    for (std::uint32_t i = 0; i < list.operations.size(); ++i) {
        const TimedOperation& timed = list.operations[i];
        LockState state = result.state;
        const bool waits =
            !model.choice().is_fair && !model.knows_time() && i != *result.stuck &&
            !passes_waiters(model, state, stuck.operation) && timed.invoked < stuck.completed &&
            timed.completed > stuck.invoked &&
            std::find(result.order.begin(), result.order.end(), i) == result.order.end() &&
            would_be_kept_out(model, timed.operation, stuck.operation) &&
            has_no_room(model, timed.operation, state);
        if (waits) {
            return "; the acquire of " + history.place_of(timed.invoked) +
                   " waited, which refusals=fair takes for a reason";
        }
    }
    return "";
}

Explanation explain(const RecordedHistory& history, const KeyOperations& list,
                    const Linearization& result, const SequentialModel& model) {
    Explanation out;
    out.key = list.key;
    out.verdict = result.verdict;
    for (const std::uint32_t number : result.order) {
        if (list.operations[number].operation.code != LockCode::kOpen) {
            out.order.push_back(list.operations[number].call());
        }
    }
    out.holders = holders_after(history, list, result.order, model);
    if (result.stuck) {
        const TimedOperation& stuck = list.operations[*result.stuck];
        out.invocation = stuck.call();
        out.completion = stuck.answer();
        out.explained = stuck.completed;
        const bool has_room_text =
            stuck.operation.is_refused && model.choice().kind != ModelKind::kPool;
        out.reason = stuck.answered != kNeverCompleted ? "the caller was cancelled before"
                     : has_room_text ? "there was room: it should have been granted" +
                                           waiter_text(history, list, result, model)
                                     : model.refusal(result.state, stuck.operation);
    }
    return out;
}

class Check {
  public:
    Check(const RecordedHistory& history, const ModelChoice& choice, const CheckLimits& limits)
        : history_(history),
          choice_(choice),
          limits_(limits),
          budget_(limits),
          model_(make_model(choice)) {}

    std::variant<HistoryCheck, HistoryError> run() {
        auto read = read_operations(history_, *model_);
        if (auto* error = std::get_if<HistoryError>(&read)) {
            return std::move(*error);
        }
        lists_ = std::move(std::get<std::vector<KeyOperations>>(read));
        results_.resize(lists_.size());
        search_all(kFirstConfigurations);
        search_all(0);
        count();
        explain_all();
        if (limits_.ladder) {
            std::vector<JudgedKey> keys;
            for (std::size_t i = 0; i < lists_.size(); ++i) {
                keys.push_back({&lists_[i], results_[i].verdict});
            }
            check_.ladder = climb(history_, choice_, keys, budget_);
            check_.tightest = tightest_of(check_.ladder);
        }
        check_.seconds = budget_.seconds();
        return std::move(check_);
    }

  private:
    // Searches the keys that are not decided yet.
    void search_all(std::uint64_t configurations_max) {
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            Linearization& result = results_[i];
            const bool is_next = configurations_max > 0 || result.needs_more;
            if (!is<Inconclusive>(result.verdict) || !is_next) {
                continue;
            }
            if (const char* limit = budget_.ended(); limit != nullptr) {
                result.verdict = Inconclusive{limit};
                continue;
            }
            result = linearize(lists_[i], *model_, budget_, configurations_max);
            check_.states += result.states;
        }
    }

    void count() {
        check_.keys = lists_.size();
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            const Verdict& verdict = results_[i].verdict;
            check_.keys_passed += is<Passed>(verdict) ? 1 : 0;
            check_.keys_violated += is<Violated>(verdict) ? 1 : 0;
            if (const auto* undecided = std::get_if<Inconclusive>(&verdict);
                undecided != nullptr && check_.limit.empty()) {
                check_.limit = undecided->limit;
            }
            check_.operations += static_cast<std::size_t>(
                std::count_if(lists_[i].operations.begin(), lists_[i].operations.end(),
                              [](const TimedOperation& timed) {
                                  return timed.operation.code != LockCode::kOpen;
                              }));
            check_.operations_open += static_cast<std::size_t>(std::count_if(
                lists_[i].operations.begin(), lists_[i].operations.end(),
                [](const TimedOperation& timed) { return timed.completed == kNeverCompleted; }));
        }
        count_effects();
        if (check_.operations == 0) {
            check_.limit = "there is nothing to judge";
        }
        const bool all_passed = check_.operations > 0 && check_.keys_passed == lists_.size();
        check_.verdict = check_.keys_violated > 0 ? Verdict(Violated{})
                         : all_passed             ? Verdict(Passed{})
                                                  : Inconclusive{check_.limit};
    }

    void count_effects() {
        for (const KeyOperations& list : lists_) {
            for (const TimedOperation& timed : list.operations) {
                if (timed.operation.code != LockCode::kWrite ||
                    timed.completed == kNeverCompleted) {
                    continue;
                }
                const bool is_judged =
                    choice_.judges_effects ||
                    (model_->has_tokens() && timed.operation.number != kUnknownNumber);
                ++check_.effects;
                check_.effects_unjudged += is_judged ? 0 : 1;
            }
        }
    }

    // Violated ones first, and the one that can be explained least.
    void explain_all() {
        std::vector<std::pair<bool, std::size_t>> sorted;  // not violated; number of the key
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            if (!is<Passed>(results_[i].verdict)) {
                sorted.emplace_back(!is<Violated>(results_[i].verdict), i);
            }
        }
        const auto rank = [&](const auto& key) {
            const auto& stuck = results_[key.second].stuck;
            return std::pair(key.first, stuck ? lists_[key.second].operations[*stuck].completed
                                              : kNeverCompleted);
        };
        std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& left, const auto& right) {
            return rank(left) < rank(right);
        });
        sorted.resize(std::min(sorted.size(), kExplanationsMax));
        for (const auto& [undecided, i] : sorted) {
            check_.explanations.push_back(explain(history_, lists_[i], results_[i], *model_));
        }
    }

    const RecordedHistory& history_;
    const ModelChoice& choice_;
    const CheckLimits& limits_;
    SearchBudget budget_;
    std::unique_ptr<SequentialModel> model_;
    std::vector<KeyOperations> lists_;
    std::vector<Linearization> results_;
    HistoryCheck check_;
};

}  // namespace

std::variant<HistoryCheck, HistoryError> check_history(const RecordedHistory& history,
                                                       const ModelChoice& model,
                                                       const CheckLimits& limits) {
    const auto in_ticks = in_ticks_of(history.times, model);
    if (!in_ticks) {
        return HistoryError{history.file,
                            {0, 0},
                            "the model's ttl or error is finer than the times of the history, or "
                            "too large for them"};
    }
    return Check(history, *in_ticks, limits).run();
}

}  // namespace lockkeeper
