// SPDX-License-Identifier: Apache-2.0

// The search and the models of counts and tokens against a twin that shares no code with them:
// every order is tried, and in every order all that an exit can have given back, and all that a
// token can have been. naive_owners_test.cpp does the same for the other models.
#include "validate/histories/naive_twin_test.hpp"

#include <compare>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

struct NaiveState {
    std::int64_t held = 0;  // units
    // clang-tidy 14 takes the comparison with 0 inside for one with a pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const NaiveState&) const = default;
};
using NaiveStates = std::vector<NaiveState>;

// mutex, semaphore, resizable-semaphore (no limit: each acquire says its own)
struct NaiveCounting {
    using State = NaiveState;
    std::optional<std::int64_t> limit;

    NaiveStates after(NaiveState state, const LockOperation& operation) const {
        const std::int64_t amount = operation.amount;
        switch (operation.code) {
            case LockCode::kAcquire:
                if ((state.held + amount <= limit.value_or(operation.number)) ==
                    operation.is_refused) {
                    return {};
                }
                state.held += operation.is_refused ? 0 : amount;
                return {state};
            case LockCode::kRelease:
                state.held -= amount;
                return state.held < 0 ? NaiveStates{} : NaiveStates{state};
            case LockCode::kExit: {
                NaiveStates all;
                for (std::int64_t back = 0; back <= std::min(amount, state.held); ++back) {
                    all.push_back(state);
                    all.back().held -= back;
                }
                return all;
            }
            default: return {state};
        }
    }
};

// fenced-mutex, reentrant-fenced-mutex
struct NaiveFenced {
    struct State {
        std::int64_t held = 0;  // how often by `owner`
        std::uint32_t owner = 0;
        std::int64_t token = 0;  // of the hold
        NaiveTokens tokens;
        // NOLINTNEXTLINE(modernize-use-nullptr)
        auto operator<=>(const State&) const = default;
    };
    std::int64_t token_max;
    std::int64_t depth;

    std::vector<State> acquired(State state, const LockOperation& operation) const {
        const bool is_known = operation.number != kUnknownNumber;
        std::vector<State> all;
        if (state.held > 0) {
            const bool is_right =
                state.owner == operation.owner && (!is_known || operation.number == state.token);
            if (++state.held <= depth && is_right) {
                all.push_back(state);
            }
            return all;
        }
        for (const NaiveTokens& tokens : state.tokens.after_grant(operation.number, token_max)) {
            all.push_back({1, operation.owner, tokens.last, tokens});
        }
        return all;
    }
    static std::vector<State> given_back(State state, std::int64_t times) {
        state.held -= times;
        if (state.held == 0) {
            state.owner = 0;
            state.token = 0;
        }
        return {state};
    }
    std::vector<State> after(State state, const LockOperation& operation) const {
        const bool is_own = state.held > 0 && state.owner == operation.owner;
        switch (operation.code) {
            case LockCode::kAcquire: return acquired(state, operation);
            case LockCode::kRelease: return is_own ? given_back(state, 1) : std::vector<State>{};
            case LockCode::kExit:
                return is_own ? given_back(state, state.held) : std::vector<State>{state};
            default: break;
        }
        return state.tokens.takes(operation) ? std::vector<State>{state} : std::vector<State>{};
    }
};

// fenced-resource
struct NaiveResource {
    using State = NaiveTokens;
    std::int64_t token_max;

    std::vector<NaiveTokens> after(NaiveTokens state, const LockOperation& operation) const {
        if (operation.code == LockCode::kAcquire) {
            return state.after_grant(operation.number, token_max);
        }
        const bool is_right = operation.code != LockCode::kWrite || state.takes(operation);
        return is_right ? std::vector<NaiveTokens>{state} : std::vector<NaiveTokens>{};
    }
};

Said naively_said(const KeyOperations& list, const ModelChoice& choice) {
    const bool is_reentrant = choice.kind == ModelKind::kReentrantFencedMutex;
    if (is_reentrant || choice.kind == ModelKind::kFencedMutex) {
        return said_by(NaiveFenced{token_max_of(list), is_reentrant ? INT64_MAX : 1},
                       list.operations);
    }
    if (choice.kind == ModelKind::kFencedResource) {
        return said_by(NaiveResource{token_max_of(list)}, list.operations);
    }
    return said_by(choice.kind == ModelKind::kResizableSemaphore ? NaiveCounting{}
                                                                 : NaiveCounting{choice.permits},
                   list.operations);
}

class NaiveTwins : public ::testing::TestWithParam<const char*> {};

TEST_P(NaiveTwins, SayTheSameOfRandomHistoriesOfBothVerdicts) {
    const auto model = make_model(model_of(GetParam()));
    int passed = 0;
    int violated = 0;
    int exits = 0;
    std::size_t guessed = 0;
    std::uint32_t random = 7;
    for (int i = 0; i < testing_model::random_cases(2500); ++i) {
        const RecordedHistory history =
            HistoryMaker(model->choice().kind, false, model->choice().judges_effects)
                .make(pseudo_random_numbers(18, random));
        const auto read = read_operations(history, *model);
        for (const KeyOperations& list : std::get<std::vector<KeyOperations>>(read)) {
            const Said said = said_by(linearize(list, *model, SearchBudget({})), list);
            const Said expected = naively_said(list, model->choice());
            ASSERT_LE(expected.passed, said.passed) << write_history(history);
            if (has_guessed_token(list)) {
                ++guessed;
                continue;
            }
            ASSERT_EQ(expected.passed, said.passed) << write_history(history);
            ASSERT_LE(expected.first_unexplained, said.first_unexplained) << write_history(history);
            ASSERT_TRUE(has_effects(list) || expected == said) << write_history(history);
            ++(said.passed ? passed : violated);
            exits += static_cast<int>(
                std::count_if(list.operations.begin(), list.operations.end(), [](const auto& one) {
                    return one.operation.code == LockCode::kExit && one.operation.amount > 0;
                }));
        }
    }
    EXPECT_GT(passed, testing_model::random_cases(50));
    EXPECT_GT(violated, testing_model::random_cases(50));
    EXPECT_GT(exits, testing_model::random_cases(100));
    EXPECT_EQ(guessed > 0, model->has_tokens());
}

INSTANTIATE_TEST_SUITE_P(Histories, NaiveTwins,
                         ::testing::Values("mutex", "mutex:refusals=judged", "semaphore:2",
                                           "semaphore:3,refusals=judged", "fenced-mutex",
                                           "resizable-semaphore",
                                           "resizable-semaphore:refusals=judged", "fenced-resource",
                                           "fenced-mutex:invalid=2", "fenced-resource:invalid=1",
                                           "reentrant-fenced-mutex"));

// A hold that is acquired again and again, its token said by some of the acquires only: all
// sequences of five calls (where that takes long, of four), one after another.
TEST(NaiveTwin, SaysTheSameOfEverySequenceOfAcquiresThatSayTheirTokenOrNot) {
    constexpr std::int64_t kRelease = -1;
    constexpr std::int64_t kNumbers[] = {kUnknownNumber, 1, 2, 4, kRelease};
    constexpr std::size_t kChoices = std::size(kNumbers) * 2;  // two owners
    constexpr std::size_t kCalls = testing_model::kIsSlowBuild ? 4 : 5;
    std::size_t sequences = 1;
    for (std::size_t call = 0; call < kCalls; ++call) {
        sequences *= kChoices;
    }
    const auto choice = model_of("reentrant-fenced-mutex");
    const auto model = make_model(choice);
    int passed = 0;
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
        KeyOperations list{"", {}, {"a", "b"}};
        for (std::size_t call = 0, rest = sequence; call < kCalls; ++call, rest /= kChoices) {
            TimedOperation timed;
            timed.operation.number = kNumbers[rest % kChoices / 2];
            timed.operation.owner = timed.owner = static_cast<std::uint32_t>(rest % 2);
            if (timed.operation.number == kRelease) {
                timed.operation.code = LockCode::kRelease;
                timed.operation.number = kUnknownNumber;
            }
            timed.invoked = 2 * call;
            timed.completed = 2 * call + 1;
            list.operations.push_back(timed);
        }
        const Said said = said_by(linearize(list, *model, SearchBudget({})), list);
        ASSERT_EQ(naively_said(list, choice), said) << sequence;
        passed += said.passed ? 1 : 0;
    }
    EXPECT_GT(passed, kCalls == 5 ? 900U : 100U);
}

}  // namespace
}  // namespace lockkeeper
