// SPDX-License-Identifier: Apache-2.0

// The search against a twin that tries all orders, on random small histories of every model.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "validate/histories/linearize.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

StepResult stepped(const SequentialModel& model, LockState& state, const LockOperation& operation) {
    return operation.is_refused ? model.refuse(state, operation) : model.step(state, operation);
}

// Wing and Gong without memory: every operation that nothing unplaced precedes, one after another.
class AllOrders {
  public:
    AllOrders(const KeyOperations& list, const SequentialModel& model)
        : operations_(list.operations), model_(model), placed_(list.operations.size(), false) {}

    bool exists() { return place({}); }

  private:
    bool place(const LockState& state) {
        bool is_all = true;
        std::size_t first_return = kNeverCompleted;
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (!placed_[i] && operations_[i].completed != kNeverCompleted) {
                is_all = false;
                first_return = std::min(first_return, operations_[i].completed);
            }
        }
        if (is_all) {
            return true;
        }
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            const std::size_t after = operations_[i].after;
            if (placed_[i] || operations_[i].invoked > first_return ||
                (after != kNeverCompleted && !placed_[after])) {
                continue;
            }
            LockState next = state;
            if (stepped(model_, next, operations_[i].operation) != StepResult::kDone &&
                !is_behind_another(state, i, first_return)) {
                continue;
            }
            placed_[i] = true;
            if (place(next)) {
                return true;
            }
            placed_[i] = false;
        }
        return false;
    }

    // Only for models whose states a refusal does not change.
    bool is_behind_another(const LockState& state, std::size_t refused, std::size_t now) const {
        const LockOperation& what = operations_[refused].operation;
        for (const Hold& hold : state.holds) {
            const bool is_own = hold.count > 0 && hold.owner == what.owner;
            if (is_own && hold.mode == what.mode && is_reentrant(model_.choice().kind)) {
                return false;
            }
        }
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            LockOperation waiter = operations_[i].operation;
            waiter.is_refused = false;
            LockState tried = state;
            if (model_.choice().is_fair && what.is_refused && i != refused && !placed_[i] &&
                waiter.code == LockCode::kAcquire && operations_[i].invoked < now &&
                model_.counts_against(what, waiter) &&
                model_.step(tried, waiter) == StepResult::kImpossible) {
                return true;
            }
        }
        return false;
    }

    const std::vector<TimedOperation>& operations_;
    const SequentialModel& model_;
    std::vector<bool> placed_;
};

// The order must be one that the rules allow, whatever the verdict.
void assert_allowed(const KeyOperations& list, const SequentialModel& model,
                    const Linearization& result) {
    LockState state;
    std::vector<bool> placed(list.operations.size(), false);
    for (const std::uint32_t number : result.order) {
        const TimedOperation& timed = list.operations[number];
        for (std::size_t i = 0; i < placed.size(); ++i) {
            RC_ASSERT(placed[i] || list.operations[i].completed > timed.invoked);
        }
        RC_ASSERT(timed.after == kNeverCompleted || placed[timed.after]);
        RC_ASSERT(stepped(model, state, timed.operation) == StepResult::kDone ||
                  (model.choice().is_fair && timed.operation.is_refused));
        RC_ASSERT(!placed[number]);
        placed[number] = true;
    }
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const std::size_t end =
            result.stuck ? list.operations[*result.stuck].completed : kNeverCompleted;
        RC_ASSERT(placed[i] || list.operations[i].completed >= end);
    }
}

std::string_view verdict_of(const KeyOperations& list, const SequentialModel& model) {
    return AllOrders(list, model).exists() ? Passed::kName : Violated::kName;
}

KeyOperations only_list(const RecordedHistory& history, const SequentialModel& model) {
    auto read = read_operations(history, model);
    auto lists = std::get<std::vector<KeyOperations>>(read);
    return lists.empty() ? KeyOperations{} : lists.front();
}

RC_GTEST_PROP(LinearizeProperty, AgreesWithTheTwinThatTriesAllOrders, ()) {
    const std::string name =
        *rc::gen::elementOf(std::vector<std::string>(std::begin(kModels), std::end(kModels)));
    const auto numbers = *rc::gen::resize(
        16, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 20U)));
    const auto model = make_model(model_of(name));
    const RecordedHistory history =
        HistoryMaker(model->choice().kind, false, model->choice().judges_effects).make(numbers);
    RC_LOG() << name << "\n" << write_history(history);
    const KeyOperations list = only_list(history, *model);
    const SearchBudget budget({});
    const Linearization result = linearize(list, *model, budget);
    RC_ASSERT(name_of(result.verdict) == verdict_of(list, *model));
    assert_allowed(list, *model, result);
}

class EveryModel : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryModel, MeetsBothVerdictsAndAgreesWithTheTwin) {
    const auto model = make_model(model_of(GetParam()));
    std::size_t passed = 0;
    std::size_t violated = 0;
    std::uint32_t random = 1;
    for (int i = 0; i < 300; ++i) {
        const RecordedHistory history =
            HistoryMaker(model->choice().kind, false, model->choice().judges_effects)
                .make(pseudo_random_numbers(14, random));
        const KeyOperations list = only_list(history, *model);
        const Verdict verdict = linearize(list, *model, SearchBudget({})).verdict;
        ASSERT_EQ(verdict_of(list, *model), name_of(verdict)) << write_history(history);
        passed += is<Passed>(verdict) ? 1 : 0;
        violated += is<Violated>(verdict) ? 1 : 0;
    }
    EXPECT_GT(passed, 15U);
    EXPECT_GT(violated, 15U);
}

// Times that are equal, so that only a process orders its own records.
TEST_P(EveryModel, AgreesWithTheTwinWhereRecordsAreConcurrent) {
    const auto model = make_model(model_of(GetParam()));
    std::size_t passed = 0;
    std::size_t violated = 0;
    std::size_t followed = 0;
    std::uint32_t random = 2;
    for (int i = 0; i < 300; ++i) {
        RecordedHistory history =
            HistoryMaker(model->choice().kind, false, model->choice().judges_effects)
                .make(pseudo_random_numbers(12, random));
        for (Record& record : history.records) {
            record.time = *record.time / 4;
        }
        ASSERT_FALSE(order_records(history, {}));
        const KeyOperations list = only_list(history, *model);
        const Verdict verdict = linearize(list, *model, SearchBudget({})).verdict;
        ASSERT_EQ(verdict_of(list, *model), name_of(verdict)) << write_history(history);
        passed += is<Passed>(verdict) ? 1 : 0;
        violated += is<Violated>(verdict) ? 1 : 0;
        for (const TimedOperation& timed : list.operations) {
            followed += timed.after != kNeverCompleted ? 1 : 0;
        }
    }
    EXPECT_GT(passed, 15U);
    EXPECT_GT(violated, 5U);
    EXPECT_GT(followed, 20U);
}

INSTANTIATE_TEST_SUITE_P(Histories, EveryModel, ::testing::ValuesIn(kModels));

// The smallest k of the ladder is the smallest with which some order exists; what the ladder says
// about the strict contract is what the search says.
RC_GTEST_PROP(LadderProperty, FindsTheSmallestExcess, ()) {
    const std::string name = *rc::gen::element<std::string>(
        "mutex", "owner-aware-mutex", "semaphore:2", "read-write-lock", "resizable-semaphore",
        "multi-lock:excludes=a-b+c>a+b-b", "lease:ttl=6,error=1");
    const auto numbers = *rc::gen::resize(
        14, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 20U)));
    ModelChoice choice = model_of(name);
    const RecordedHistory history = HistoryMaker(choice.kind, false).make(numbers);
    RC_LOG() << name << "\n" << write_history(history);
    const auto checked = check_history(history, choice);
    const HistoryCheck& check = std::get<HistoryCheck>(checked);
    const Rung& rung = check.ladder[1];
    const KeyOperations list = only_list(history, *make_model(choice));
    std::optional<std::int64_t> smallest;
    for (std::uint32_t slack = 0; slack < 12 && !smallest; ++slack) {
        choice.slack = slack;
        if (verdict_of(list, *make_model(choice)) == Passed::kName) {
            smallest = slack;
        }
    }
    RC_ASSERT(rung.excess == smallest);
    RC_ASSERT(list.operations.empty() || is<Passed>(check.verdict) == (smallest == 0));
}

}  // namespace
}  // namespace lockkeeper
