// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/ladder.hpp"

#include <algorithm>
#include <string>

#include "validate/histories/freed_by_refused.hpp"
#include "validate/histories/holding_intervals.hpp"
#include "validate/histories/order_records.hpp"

namespace lockkeeper {
namespace {

// More than all the permits of a history (kPermitsInOperationMax); far from overflow.
constexpr std::int64_t kAnyNumber = std::int64_t{1} << 61U;
constexpr const char* kBudget = "a limit ended it";
constexpr const char* kNoneTooMany = "never too many";
constexpr const char* kNotOfThisModel = "not judged of this model";
constexpr const char* kNoneRefused = "no acquire was refused";

class Ladder {
  public:
    Ladder(const RecordedHistory& history, const ModelChoice& choice,
           const std::vector<JudgedKey>& keys, const SearchBudget& budget)
        : history_(history), choice_(choice), keys_(keys), budget_(budget) {
        choice_.judges_refusals = false;
        choice_.judges_effects = false;
        if (history.time_problem.empty()) {
            times_.instants = instants_of(history);
        }
        times_.end = INT64_MIN;
        for (const TimeRange& instant : times_.instants) {
            times_.end = std::max(times_.end, instant.latest);
        }
    }

    // False: no time is left.
    bool read() {
        if (budget_.ended() != nullptr) {
            return false;
        }
        ModelChoice judging = choice_;
        judging.judges_refusals = true;
        model_ = make_model(judging);
        auto read = read_operations(history_, *model_);
        if (auto* lists = std::get_if<std::vector<KeyOperations>>(&read)) {
            lists_ = std::move(*lists);
        }
        for (const KeyOperations& list : lists_) {
            auto holdings = holdings_of(list, *model_, budget_);
            if (!holdings) {
                return false;
            }
            holdings_.push_back(std::move(*holdings));
            is_exact_ = is_exact_ && !holdings_.back().has_foreign_release;
        }
        return true;
    }

    Rung strict(bool judges_refusals) const {
        Rung rung{"strict", judges_refusals ? "the model, refusals included" : "the model"};
        rung.verdict = Passed{};
        for (const JudgedKey& key : keys_) {
            if (is<Violated>(key.verdict)) {
                rung.verdict = Violated{};
            } else if (is<Inconclusive>(key.verdict) && rung.is_satisfied()) {
                rung.verdict = Inconclusive{};
                rung.detail = kBudget;
            }
        }
        return rung;
    }

    Rung too_many() {
        Rung rung{"too-many", "at most k too many"};
        if (choice_.kind == ModelKind::kFencedResource) {
            rung.detail = "the model excludes nobody";
            return rung;
        }
        measure_excess();
        if (!excess_) {
            rung.verdict = Inconclusive{};
            rung.detail = kBudget;
            return rung;
        }
        std::int64_t slack =
            is_exact_ && is_symmetric() ? std::max<std::int64_t>(0, excess_->most) : 0;
        for (const KeyOperations& list : lists_) {
            rung.verdict = raise(list, slack);
            if (!rung.is_satisfied()) {
                rung.detail =
                    is<Violated>(*rung.verdict)
                        ? "something else than the number of holders is wrong" + on_key(list)
                        : kBudget;
                return rung;
            }
        }
        rung.excess = slack;
        rung.contract =
            slack == 0 ? kNoneTooMany : "at most " + std::to_string(slack) + " too many";
        return rung;
    }

    Rung too_many_for(const Rung& too_many) const {
        Rung rung{"too-many-for", "at most k too many, for at most t"};
        if (times_.instants.empty()) {
            rung.detail = history_.time_problem.empty() ? "not every record has a time"
                                                        : history_.time_problem;
            return rung;
        }
        if (!too_many.is_satisfied()) {
            rung.verdict = too_many.verdict;
            rung.detail = too_many.detail;
            return rung;
        }
        rung.excess = too_many.excess;
        rung.duration = excess_->longest;
        rung.ticks = history_.times.ticks_in_reports();
        rung.contract = *rung.excess == 0 ? kNoneTooMany
                                          : "at most " + std::to_string(*rung.excess) +
                                                " too many, for at most " +
                                                history_.times.duration_text(*rung.duration);
        const bool is_exact = is_exact_ && excess_->most == *too_many.excess;
        rung.verdict = is_exact ? Verdict(Passed{}) : Inconclusive{};
        rung.detail = is_exact ? *rung.excess == 0 || history_.times.form.is_calendar
                                     ? ""
                                     : "in the history's unit of time"
                               : "who releases is not who holds: the time is a guess";
        return rung;
    }

    // A statement about refusals alone: it is none about a lock of which too many hold, or that
    // is wrong otherwise.
    Rung leaks(const Rung& too_many) const {
        Rung rung{"leaks-but-recovers", "refuses without reason, but recovers"};
        if (model_->knows_time() || choice_.kind == ModelKind::kFencedResource ||
            choice_.kind == ModelKind::kPool) {
            rung.detail = kNotOfThisModel;
            return rung;
        }
        if (is<Inconclusive>(*too_many.verdict)) {
            rung.verdict = Inconclusive{};
            rung.detail = too_many.detail;
            return rung;
        }
        if (!too_many.is_satisfied() || *too_many.excess > 0) {
            rung.detail = too_many.is_satisfied() ? "too many hold" : too_many.detail;
            return rung;
        }
        Refusals all;
        const KeyOperations* example_key = nullptr;
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            const auto one = judge_refusals(lists_[i], holdings_[i].all, *model_, budget_);
            if (!one) {
                rung.verdict = Inconclusive{};
                rung.detail = kBudget;
                return rung;
            }
            const bool is_worse = all.not_recovered == 0 && one->not_recovered > 0;
            if (one->without_reason > 0 && (example_key == nullptr || is_worse)) {
                example_key = &lists_[i];
                all.example = one->example;
            }
            all.all += one->all;
            all.without_reason += one->without_reason;
            all.not_recovered += one->not_recovered;
        }
        if (all.all == 0) {
            rung.detail = kNoneRefused;
            return rung;
        }
        rung.detail = std::to_string(all.without_reason) + " of " + std::to_string(all.all) +
                      " refusals had no reason";
        if (all.without_reason > 0) {
            rung.detail += ", " + std::to_string(all.not_recovered) +
                           " of them not recovered; such as " + history_.place_of(all.example) +
                           on_key(*example_key);
        }
        rung.verdict = all.not_recovered == 0 ? Verdict(Passed{}) : Violated{};
        return rung;
    }

    Rung freed_by_refused(const Rung& too_many) const {
        Rung rung{"refused-but-frees", "a refused acquire may free what another holds"};
        if (too_many.is_satisfied() && *too_many.excess == 0) {
            rung.detail = "nothing needs it";
            return rung;
        }
        if (!knows_single_holds()) {
            rung.detail = kNotOfThisModel;
            return rung;
        }
        if (!is_exact_ && !model_->knows_owners()) {
            rung.detail = "who releases is not who holds";
            return rung;
        }
        const auto model = make_model(choice_);
        std::size_t calls = 0;
        for (const KeyOperations& list : lists_) {
            const FreedByRefused found = explain_by_refused(list, *model, budget_);
            if (!is<Passed>(found.verdict)) {
                rung.verdict = found.verdict;
                rung.detail = is<Violated>(found.verdict)
                                  ? "no such call explains it" + on_key(list)
                              : found.are_attempts_used_up ? "too many ways to try them all"
                                                           : kBudget;
                return rung;
            }
            if (calls == 0 && !found.freed.empty()) {
                rung.detail = blame(list, found.freed.front());
            }
            calls += found.freed.size();
        }
        rung.verdict = Passed{};
        rung.detail =
            std::to_string(calls) + (calls == 1 ? " call: " : " calls, such as ") + rung.detail;
        return rung;
    }

    Rung fenced() const {
        Rung rung{"fenced", "effects are fenced"};
        ModelChoice choice;
        choice.kind = ModelKind::kFencedResource;
        choice.has_bare_tokens = make_model(choice_)->bare_value() == ValueMeaning::kToken;
        choice.invalid_token = choice_.invalid_token;
        choice.has_repeated_tokens = choice_.kind == ModelKind::kReentrantFencedMutex;
        const auto model = make_model(choice);
        const auto read = read_operations(history_, *model);
        const auto* lists = std::get_if<std::vector<KeyOperations>>(&read);
        const bool has_effects =
            lists != nullptr &&
            std::any_of(lists->begin(), lists->end(), [](const KeyOperations& list) {
                return std::any_of(list.operations.begin(), list.operations.end(),
                                   [](const TimedOperation& timed) {
                                       return timed.operation.code == LockCode::kWrite &&
                                              timed.operation.number != kUnknownNumber;
                                   });
            });
        if (!has_effects) {
            rung.detail = "no effects with tokens are recorded";
            return rung;
        }
        rung.verdict = Passed{};
        for (const KeyOperations& list : *lists) {
            const Linearization result = linearize(list, *model, budget_);
            if (is<Violated>(result.verdict)) {
                rung.verdict = Violated{};
                rung.detail =
                    history_.place_of(list.operations[*result.stuck].invoked) + ": " +
                    model->refusal(result.state, list.operations[*result.stuck].operation);
                return rung;
            }
            if (is<Inconclusive>(result.verdict)) {
                rung.verdict = Inconclusive{};
                rung.detail = kBudget;
            }
        }
        return rung;
    }

  private:
    // Every hold counts against every other: how many are too many does not depend on who came
    // first, and the certain intervals say the least.
    [[nodiscard]] bool is_symmetric() const {
        return choice_.kind != ModelKind::kResizableSemaphore && !has_readers(choice_.kind) &&
               choice_.kind != ModelKind::kMultiLock && !model_->knows_time();
    }

    // An owner has one hold of a mode at most.
    [[nodiscard]] bool knows_single_holds() const {
        return choice_.kind == ModelKind::kMutex || choice_.kind == ModelKind::kOwnerAwareMutex ||
               choice_.kind == ModelKind::kFencedMutex || choice_.kind == ModelKind::kReadWriteLock;
    }

    [[nodiscard]] std::string blame(const KeyOperations& list, const FreedHold& freed) const {
        const TimedOperation& refused = list.operations[freed.refused];
        const TimedOperation& acquired = list.operations[freed.acquired];
        return "the acquire by " + list.owners[refused.owner] + " (" +
               history_.place_of(refused.invoked) + ") was refused, and freed what " +
               list.owners[acquired.owner] + " held (" + history_.place_of(acquired.invoked) + ")" +
               on_key(list);
    }

    void measure_excess() {
        Excess all;
        for (const Holdings& holdings : holdings_) {
            const auto one = certain_excess(holdings.all, *model_, times_, budget_);
            if (!one) {
                return;
            }
            all.most = std::max(all.most, one->most);
            all.longest = std::max(all.longest, one->longest);
        }
        excess_ = all;
    }

    // Raises `slack` until the key can be explained with it. More slack forbids nothing, so the
    // least is found by halving; small ones are tried first, because most are.
    Verdict raise(const KeyOperations& judged, std::int64_t& slack) const {
        const KeyOperations list = without_refused(judged);
        const auto verdict_with = [&](std::int64_t tried) {
            ModelChoice choice = choice_;
            choice.slack = tried;
            return linearize(list, *make_model(choice), budget_).verdict;
        };
        Verdict verdict = verdict_with(slack);
        if (is<Violated>(verdict)) {
            verdict = verdict_with(kAnyNumber);
            if (is<Violated>(verdict)) {
                return verdict;
            }
            std::int64_t too_little = slack;
            slack = kAnyNumber;
            for (std::int64_t step = 1; is<Passed>(verdict) && slack - too_little > 1;
                 step = std::min(step * 2, kAnyNumber)) {
                const std::int64_t tried = too_little + std::min(step, (slack - too_little) / 2);
                Verdict at = verdict_with(tried);
                if (is<Violated>(at)) {
                    too_little = tried;
                } else {
                    slack = tried;
                    verdict = std::move(at);
                }
            }
        }
        return verdict;
    }

    [[nodiscard]] static std::string on_key(const KeyOperations& list) {
        return list.key.empty() ? "" : " (key " + list.key + ")";
    }

    const RecordedHistory& history_;
    ModelChoice choice_;
    const std::vector<JudgedKey>& keys_;
    const SearchBudget& budget_;
    Times times_;
    std::unique_ptr<SequentialModel> model_;
    std::vector<KeyOperations> lists_;  // refused acquires among the operations
    std::vector<Holdings> holdings_;
    bool is_exact_ = true;  // see Holdings
    std::optional<Excess> excess_;
};

}  // namespace

std::vector<Rung> climb(const RecordedHistory& history, const ModelChoice& choice,
                        const std::vector<JudgedKey>& keys, const SearchBudget& budget) {
    Ladder ladder(history, choice, keys, budget);
    std::vector<Rung> rungs;
    rungs.push_back(ladder.strict(choice.judges_refusals));
    if (!ladder.read()) {
        for (const char* name :
             {"too-many", "too-many-for", "leaks-but-recovers", "fenced", "refused-but-frees"}) {
            rungs.push_back({name, "not judged", Inconclusive{}, kBudget});
        }
        return rungs;
    }
    const Rung too_many = ladder.too_many();
    rungs.push_back(too_many);
    rungs.push_back(ladder.too_many_for(too_many));
    rungs.push_back(ladder.leaks(too_many));
    rungs.push_back(ladder.fenced());
    rungs.push_back(ladder.freed_by_refused(too_many));
    return rungs;
}

std::optional<std::size_t> tightest_of(const std::vector<Rung>& ladder) {
    enum : std::size_t { kStrict, kTooMany, kTooManyFor, kLeaks, kFenced, kFrees };
    const auto satisfied = [&](std::size_t rung) { return ladder[rung].is_satisfied(); };
    if (satisfied(kStrict)) {
        return kStrict;
    }
    if (satisfied(kLeaks) && satisfied(kTooMany) && *ladder[kTooMany].excess == 0) {
        return kLeaks;
    }
    for (const std::size_t rung : {kFrees, kTooManyFor, kTooMany, kFenced}) {
        if (satisfied(rung)) {
            return rung;
        }
    }
    return std::nullopt;
}

}  // namespace lockkeeper
