// SPDX-License-Identifier: Apache-2.0

// The pool's model against a twin that shares no code with it: every order is tried, and the twin
// keeps every name, also of connections that nobody asks for again. It follows each cancel to the
// acquires that it finds open, where the search has what cancels mean in the acquires themselves.
#include <compare>
#include <set>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "validate/histories/models/pool.hpp"
#include "validate/histories/naive_twin_test.hpp"
#include "validate/histories/pool_waits.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

struct NaivePool {
    struct State {
        std::multiset<std::int64_t> lent;  // kUnknownNumber: nobody knows which
        std::set<std::int64_t> destroyed;
        std::set<std::int64_t> opening;
        std::set<std::size_t> cancelled;  // positions in `operations`
        std::set<std::size_t> over;
        bool is_shut = false;
        auto operator<=>(const State&) const = default;
    };
    std::size_t places;
    // In the form in which they were recorded; `amount` is the position.
    const std::vector<TimedOperation>& operations;

    std::vector<State> after(State state, const LockOperation& operation) const {
        if (operation.code == LockCode::kCancel) {
            return after_cancel(state, operation);
        }
        if (operation.code == LockCode::kOpen) {
            if (!is_full(state)) {
                state.opening.insert(operation.number);
            }
            return {state};
        }
        const bool is_right = operation.is_refused                   ? refuses(state, operation)
                              : operation.code == LockCode::kAcquire ? lends(state, operation)
                                                                     : does(state, operation);
        return is_right ? std::vector<State>{state} : std::vector<State>{};
    }

  private:
    static std::size_t position(const LockOperation& operation) {
        return static_cast<std::size_t>(operation.amount);
    }
    bool is_full(const State& state) const {
        return state.lent.size() + state.opening.size() >= places;
    }
    // An acquire that began later than the cancel may have begun too late.
    std::vector<State> after_cancel(const State& state, const LockOperation& operation) const {
        const TimedOperation& cancel = operations[position(operation)];
        std::vector<State> all{state};
        for (const TimedOperation& timed : operations) {
            if (timed.operation.code != LockCode::kAcquire ||
                timed.operation.owner != operation.owner || timed.call() > cancel.completed ||
                state.over.count(position(timed.operation)) > 0) {
                continue;
            }
            const std::vector<State> without =
                timed.call() < cancel.invoked ? std::vector<State>{} : all;
            for (State& one : all) {
                one.cancelled.insert(position(timed.operation));
            }
            all.insert(all.end(), without.begin(), without.end());
        }
        return all;
    }
    bool refuses(State& state, const LockOperation& operation) const {
        state.over.insert(position(operation));
        state.opening.erase(operation.number);
        const bool is_cancelled = state.cancelled.count(position(operation)) > 0;
        const bool is_full = this->is_full(state);
        if (operation.mode == static_cast<std::uint8_t>(WaitEnd::kStillWaits)) {
            return is_full && !is_cancelled && !state.is_shut;
        }
        return is_full || is_cancelled || state.is_shut ||
               operation.mode == static_cast<std::uint8_t>(WaitEnd::kGivenUp);
    }
    bool lends(State& state, const LockOperation& operation) const {
        const bool is_named = operation.number != kUnknownNumber;
        state.over.insert(position(operation));
        if (is_full(state) || state.is_shut || state.cancelled.count(position(operation)) > 0 ||
            (is_named && (state.lent.count(operation.number) > 0 ||
                          state.destroyed.count(operation.number) > 0))) {
            return false;
        }
        state.lent.insert(operation.number);
        return true;
    }
    static bool does(State& state, const LockOperation& operation) {
        if (operation.code == LockCode::kClose) {
            state.is_shut = true;
            return true;
        }
        auto found = state.lent.find(operation.number);
        found = found == state.lent.end() ? state.lent.find(kUnknownNumber) : found;
        if (operation.code == LockCode::kDestroy && operation.number != kUnknownNumber) {
            state.destroyed.insert(operation.number);
        }
        if (found == state.lent.end()) {  // an idle one?
            return operation.code == LockCode::kDestroy && operation.number != kUnknownNumber;
        }
        state.lent.erase(found);
        return true;
    }
};

// Calls of the callers that overlap as it comes; each number is one of them.
KeyOperations list_of(const std::vector<std::uint32_t>& numbers, bool is_named,
                      std::uint32_t callers) {
    KeyOperations list{"", {}, {"a", "b", "c", "d", "e"}};
    std::size_t position = 0;
    std::vector<std::size_t> last(callers, kNeverCompleted);  // of each caller, while it runs
    for (std::uint32_t number : numbers) {
        const auto take = [&](std::uint32_t bound) {
            const std::uint32_t taken = number % bound;
            number /= bound;
            return taken;
        };
        TimedOperation timed;
        LockOperation& operation = timed.operation;
        timed.owner = operation.owner = take(callers);
        if (last[timed.owner] != kNeverCompleted) {
            list.operations[std::exchange(last[timed.owner], kNeverCompleted)].completed =
                position++;
        }
        constexpr LockCode kCodes[] = {LockCode::kAcquire, LockCode::kAcquire, LockCode::kAcquire,
                                       LockCode::kAcquire, LockCode::kRelease, LockCode::kRelease,
                                       LockCode::kDestroy, LockCode::kCancel,  LockCode::kClose};
        operation.code = kCodes[take(take(4) == 0 ? std::uint32_t{std::size(kCodes)} : 6)];
        const std::uint32_t how = take(8);
        if (operation.code == LockCode::kAcquire && how < 3) {
            operation.is_refused = true;
            operation.mode = static_cast<std::uint8_t>(how);
        } else if (operation.code == LockCode::kCancel) {
            operation.owner = take(callers);
        } else if (is_named && operation.code != LockCode::kClose) {
            operation.number = take(3);
        }
        timed.invoked = position++;
        last[timed.owner] = list.operations.size();
        list.operations.push_back(timed);
    }
    for (TimedOperation& timed : list.operations) {
        const bool waits = timed.operation.is_refused;
        if (waits && timed.completed == kNeverCompleted) {
            timed.completed = ++position;  // no other record is at the place before it
            ++position;
        }
        if (waits && timed.operation.mode == static_cast<std::uint8_t>(WaitEnd::kStillWaits)) {
            timed.called = std::exchange(timed.invoked, timed.completed - 1);
        }
        if (timed.operation.code == LockCode::kAcquire && timed.completed == kNeverCompleted) {
            timed.operation.number = kUnknownNumber;
        }
    }
    mark_lent_again(list);
    return list;
}

// The recorded operations with the openings that were added to `bound`.
KeyOperations with_openings(KeyOperations list, const KeyOperations& bound) {
    const std::size_t count = list.operations.size();
    for (std::size_t i = 0; i < bound.operations.size(); ++i) {
        if (i < count) {
            list.operations[i].after = bound.operations[i].after;
            list.operations[i].operation.number = bound.operations[i].operation.number;
        } else {
            list.operations.push_back(bound.operations[i]);
        }
    }
    sort_by_moment(list);
    for (std::size_t i = 0; i < list.operations.size(); ++i) {
        list.operations[i].operation.amount = static_cast<std::int64_t>(i);
    }
    return list;
}

// Most acquires get nothing: their callers give up, or the pool is closed meanwhile.
void let_most_get_nothing(KeyOperations& list, std::uint32_t& random) {
    for (TimedOperation& timed : list.operations) {
        const std::uint32_t how = pseudo_random_numbers(1, random).front() % 4;
        if (timed.operation.code == LockCode::kAcquire && !timed.operation.is_refused &&
            timed.completed != kNeverCompleted && how < 3) {
            timed.operation.is_refused = true;
            timed.operation.mode =
                static_cast<std::uint8_t>(how < 2 ? WaitEnd::kGivenUp : WaitEnd::kRefused);
        }
    }
    mark_lent_again(list);
}

// Several openings at once, of which the search looks at few orders.
TEST(NaivePool, SaysTheSameWhereMostGetNothing) {
    std::uint32_t random = 7;
    int passed = 0;
    int violated = 0;
    int several = 0;
    for (int i = 0; i < testing_model::random_cases(3000); ++i) {
        const std::size_t places = 1 + static_cast<std::size_t>(i) % 3;
        KeyOperations list = list_of(pseudo_random_numbers(8, random), i % 2 == 0, 5);
        let_most_get_nothing(list, random);
        KeyOperations recorded = list;
        bind_cancels(list);
        add_openings(list);
        recorded = with_openings(recorded, list);
        several += list.operations.size() > 10 ? 1 : 0;
        sort_by_moment(list);
        const auto model = make_model(model_of("pool:" + std::to_string(places)));
        const bool says = said_by(linearize(list, *model, SearchBudget({})), list).passed;
        ASSERT_EQ(said_by(NaivePool{places, recorded.operations}, recorded.operations).passed, says)
            << i;
        ++(says ? passed : violated);
    }
    EXPECT_GT(passed, testing_model::random_cases(200));
    EXPECT_GT(violated, testing_model::random_cases(300));
    EXPECT_GT(several, testing_model::random_cases(60));
}

TEST(NaivePool, SaysTheSameOfRandomHistoriesOfBothVerdicts) {
    std::uint32_t random = 1;
    int passed = 0;
    int violated = 0;
    int openings = 0;
    int cancels = 0;
    for (int i = 0; i < testing_model::random_cases(3000); ++i) {
        const std::size_t places = 1 + static_cast<std::size_t>(i) % 3;
        KeyOperations list = list_of(pseudo_random_numbers(8, random), i % 2 == 0, 3);
        KeyOperations recorded = list;
        bind_cancels(list);
        add_openings(list);
        recorded = with_openings(recorded, list);
        openings += list.operations.size() > 8 ? 1 : 0;
        sort_by_moment(list);
        const auto model = make_model(model_of("pool:" + std::to_string(places)));
        const Said said = said_by(linearize(list, *model, SearchBudget({})), list);
        const NaivePool naive{places, recorded.operations};
        const Said expected = said_by(naive, recorded.operations);
        ASSERT_EQ(expected.passed, said.passed) << i;
        // A cancel moves the place where the search gets stuck.
        const bool has_cancel = std::any_of(
            list.operations.begin(), list.operations.end(),
            [](const auto& timed) { return timed.operation.code == LockCode::kCancel; });
        ASSERT_TRUE(has_cancel || expected == said) << i;
        cancels += has_cancel ? 1 : 0;
        ++(said.passed ? passed : violated);
    }
    EXPECT_GT(passed, testing_model::random_cases(200));
    EXPECT_GT(violated, testing_model::random_cases(1000));
    EXPECT_GT(openings, testing_model::random_cases(100));
    EXPECT_GT(cancels, testing_model::random_cases(100));
}

}  // namespace
}  // namespace lockkeeper
