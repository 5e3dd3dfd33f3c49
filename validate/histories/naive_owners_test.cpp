// SPDX-License-Identifier: Apache-2.0

// The search and the models that know owners, modes, tags and times against twins that share no
// code with them (naive_twin_test.hpp).
#include <compare>
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/slow_build_test.hpp"
#include "validate/histories/naive_twin_test.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/histories/tag_names.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

// How often each (owner, mode) holds.
using Holds = std::map<std::pair<std::uint32_t, std::uint8_t>, int>;

// owner-aware-mutex, reentrant-mutex, read-write-lock, multi-lock. `forbids(wanted, held)`: so the
// wanted one cannot be had; `depth`: how often by the same owner in the same mode.
struct NaiveHolds {
    using State = Holds;
    using Held = std::pair<std::uint32_t, std::uint8_t>;
    std::function<bool(const Held&, const Held&)> forbids;
    int depth = 1;
    // Whether a hold covers an effect of its owner; nothing: effects are not judged.
    std::function<bool(const Held&, const LockOperation&)> covers = {};

    bool is_covered(const Holds& holds, const LockOperation& effect) const {
        return std::any_of(holds.begin(), holds.end(), [&](const auto& entry) {
            return entry.first.first == effect.owner && covers(entry.first, effect);
        });
    }
    std::vector<Holds> after(Holds holds, const LockOperation& operation) const {
        const Held own{operation.owner, operation.mode};
        if (operation.code == LockCode::kWrite && covers && !is_covered(holds, operation)) {
            return {};
        }
        if (operation.code == LockCode::kAcquire) {
            const bool is_free =
                std::none_of(holds.begin(), holds.end(),
                             [&](const auto& entry) { return forbids(own, entry.first); }) &&
                (holds.count(own) == 0 || holds.at(own) < depth);
            if (is_free == operation.is_refused) {
                return {};
            }
            if (is_free) {
                ++holds[own];
            }
        } else if (operation.code == LockCode::kRelease) {
            if (holds.count(own) == 0) {
                return {};
            }
            if (--holds[own] == 0) {
                holds.erase(own);
            }
        } else if (operation.code == LockCode::kExit) {
            std::erase_if(holds,
                          [&](const auto& entry) { return entry.first.first == operation.owner; });
        }
        return {holds};
    }
};

std::function<bool(const NaiveHolds::Held&, const LockOperation&)> naive_cover(ModelKind kind) {
    using Held = NaiveHolds::Held;
    if (kind == ModelKind::kReadWriteLock || kind == ModelKind::kReentrantReadWriteLock) {
        return [](const Held& held, const LockOperation&) { return held.second == 1; };
    }
    if (kind == ModelKind::kMultiLock) {
        return [](const Held& held, const LockOperation& effect) {
            return effect.mode == kAnyTag || held.second == effect.mode;
        };
    }
    return [](const Held&, const LockOperation&) { return true; };
}

NaiveHolds naive_holds(const ModelChoice& choice) {
    using Held = NaiveHolds::Held;
    if (choice.kind == ModelKind::kReadWriteLock) {
        return {[](const Held& wanted, const Held& held) {
            return wanted.second == 1 || held.second == 1;
        }};
    }
    if (choice.kind == ModelKind::kReentrantReadWriteLock) {
        return {[](const Held& wanted, const Held& held) {
                    return wanted.first != held.first && (wanted.second == 1 || held.second == 1);
                },
                choice.depth_max == 0 ? INT32_MAX : static_cast<int>(choice.depth_max)};
    }
    if (choice.kind == ModelKind::kMultiLock) {  // excludes=a-b+c>a+b-b
        const TagNames names(choice);
        const std::uint8_t a = *names.find("a");
        const std::uint8_t b = *names.find("b");
        const std::uint8_t c = *names.find("c");
        return {[a, b, c](const Held& wanted, const Held& held) {
                    return (wanted.second == a && held.second == b) ||
                           (wanted.second == b && (held.second == a || held.second == b)) ||
                           (wanted.second == c && held.second == a);
                },
                INT32_MAX};
    }
    const auto by_another = [](const Held& wanted, const Held& held) {
        return wanted.first != held.first;
    };
    return {by_another, choice.kind == ModelKind::kReentrantMutex ? 2 : 1};
}

// lease, fenced-lease: every operation is tried at every moment between its invocation and its
// return, every grant with every token.
struct NaiveLease {
    struct State {
        std::int64_t now = 0;
        std::int64_t holder = -1;  // of a lease that runs, or that nobody has taken over
        std::int64_t end = 0;      // not before
        std::int64_t token = -1;   // of the lease
        NaiveTokens tokens;
        // NOLINTNEXTLINE(modernize-use-nullptr)
        auto operator<=>(const State&) const = default;
    };
    std::int64_t ttl;
    std::int64_t error;
    std::int64_t last_moment;
    std::int64_t token_max;  // below 0: grants have none
    bool judges_effects;

    std::vector<State> after(const State& state, const LockOperation& operation) const {
        std::vector<State> all;
        const std::int64_t latest = std::min(operation.latest, last_moment);
        for (std::int64_t now = std::max(state.now, operation.earliest); now <= latest; ++now) {
            State next = state;
            next.now = now;
            for (const State& one : with_tokens(next, operation)) {
                all.push_back(one);
            }
        }
        return all;
    }
    // The lease that the caller has may be granted again with its own token.
    std::vector<State> with_tokens(State state, const LockOperation& operation) const {
        const bool is_grant = operation.code == LockCode::kAcquire && !operation.is_refused;
        const bool is_again = is_grant && state.holder == operation.owner;
        const std::int64_t token = state.token;
        if (!happens(state, operation)) {
            return {};
        }
        std::vector<State> all;
        if (!is_grant || token_max < 0) {
            const bool is_write = operation.code == LockCode::kWrite && token_max >= 0;
            if (!is_write || state.tokens.takes(operation)) {
                all.push_back(state);
            }
            return all;
        }
        if (is_again && (operation.number == kUnknownNumber || operation.number == token)) {
            all.push_back(state);
        }
        for (const NaiveTokens& tokens : state.tokens.after_grant(operation.number, token_max)) {
            all.push_back(state);
            all.back().tokens = tokens;
            all.back().token = tokens.last;
        }
        return all;
    }
    bool covers(const State& state, const LockOperation& write) const {
        return state.holder == write.owner && state.now <= state.end + 2 * error;
    }
    bool happens(State& state, const LockOperation& operation) const {
        const bool is_own = state.holder == operation.owner;
        const std::int64_t length = std::max<std::int64_t>(
            0, (operation.ttl == kUnknownNumber ? ttl : operation.ttl) - error);
        switch (operation.code) {
            case LockCode::kAcquire:
                if (operation.is_refused) {
                    return state.holder >= 0 && state.now <= state.end + 2 * error;
                }
                if (state.holder >= 0 && !is_own && state.end > state.now) {
                    return false;
                }
                state.holder = operation.owner;
                state.end = state.now + length;
                return true;
            case LockCode::kRenew: state.end = state.now + length; return is_own;
            case LockCode::kRelease: state.holder = -1; return is_own;
            case LockCode::kExit: state.holder = is_own ? -1 : state.holder; return true;
            case LockCode::kWrite: return !judges_effects || covers(state, operation);
            default: break;
        }
        return false;
    }
};

Said naively(const KeyOperations& list, const ModelChoice& choice) {
    const bool is_fenced = choice.kind == ModelKind::kFencedLease;
    if (choice.kind != ModelKind::kLease && !is_fenced) {
        NaiveHolds naive = naive_holds(choice);
        naive.covers = choice.judges_effects ? naive_cover(choice.kind) : nullptr;
        return said_by(naive, list.operations);
    }
    std::int64_t last = 0;
    for (const TimedOperation& timed : list.operations) {
        last = std::max(last, timed.operation.earliest);
        last = timed.completed == kNeverCompleted ? last : std::max(last, timed.operation.latest);
    }
    return said_by(NaiveLease{choice.ttl, choice.clock_error, last,
                              is_fenced ? token_max_of(list) : -1, choice.judges_effects},
                   list.operations);
}

constexpr const char* kOwnerModels[] = {
    "owner-aware-mutex",
    "owner-aware-mutex:refusals=judged",
    "reentrant-mutex:depth=2",
    "reentrant-mutex:depth=2,refusals=judged",
    "read-write-lock",
    "read-write-lock:refusals=judged",
    "multi-lock:excludes=a-b+c>a+b-b",
    "multi-lock:excludes=a-b+c>a+b-b,refusals=judged",
    "reentrant-read-write-lock",
    "reentrant-read-write-lock:depth=2,refusals=judged",
    "owner-aware-mutex:writes=holder",
    "read-write-lock:writes=holder",
    "multi-lock:excludes=a-b+c>a+b-b,writes=holder",
    "lease:ttl=6,error=1,writes=holder",
    "lease:ttl=4,error=1,writes=holder,refusals=judged",
    "lease:ttl=6,error=1",
    "lease:ttl=4,error=0",
    "lease:ttl=6,error=1,refusals=judged",
    "lease:ttl=3,error=0,refusals=judged",
};

std::vector<KeyOperations> lists_of(const RecordedHistory& history, const SequentialModel& model) {
    return std::get<std::vector<KeyOperations>>(read_operations(history, model));
}

class NaiveOwners : public ::testing::TestWithParam<const char*> {};

TEST_P(NaiveOwners, SayTheSameOfRandomHistoriesOfBothVerdicts) {
    const auto model = make_model(model_of(GetParam()));
    int passed = 0;
    int violated = 0;
    std::uint32_t random = 11;
    for (int i = 0; i < testing_model::random_cases(2000); ++i) {
        const RecordedHistory history =
            HistoryMaker(model->choice().kind, false, model->choice().judges_effects)
                .make(pseudo_random_numbers(18, random));
        for (const KeyOperations& list : lists_of(history, *model)) {
            const Said said = said_by(linearize(list, *model, SearchBudget({})), list);
            const Said expected = naively(list, model->choice());
            ASSERT_EQ(expected, said) << write_history(history);
            ++(said.passed ? passed : violated);
        }
    }
    EXPECT_GE(passed, testing_model::random_cases(50));
    EXPECT_GE(violated, testing_model::random_cases(50));
}

INSTANTIATE_TEST_SUITE_P(Histories, NaiveOwners, ::testing::ValuesIn(kOwnerModels));

// Tokens of leases; smaller, since the twin has many states. Where an acquire of the holder does
// not say its token, or an effect has one that nobody is known to have got, the model may see a
// reason that there is not, and never the other way round.
TEST(NaiveFencedLease, SaysTheSameOfRandomHistories) {
    const int cases = testing_model::kIsSanitized     ? 150
                      : testing_model::is_short_run() ? 500
                                                      : 1500;
    for (const char* name : {"fenced-lease:ttl=4,error=1", "fenced-lease:ttl=3,refusals=judged"}) {
        const auto model = make_model(model_of(name));
        int passed = 0;
        int violated = 0;
        std::uint32_t random = 13;
        for (int i = 0; i < cases; ++i) {
            const RecordedHistory history =
                HistoryMaker(model->choice().kind, false, model->choice().judges_effects)
                    .make(pseudo_random_numbers(12, random));
            for (const KeyOperations& list : lists_of(history, *model)) {
                const Said said = said_by(linearize(list, *model, SearchBudget({})), list);
                const Said expected = naively(list, model->choice());
                ASSERT_LE(expected.passed, said.passed) << name << "\n" << write_history(history);
                const bool is_exact = std::none_of(
                    list.operations.begin(), list.operations.end(), [](const auto& one) {
                        return one.operation.code == LockCode::kAcquire &&
                               one.operation.number == kUnknownNumber;
                    });
                ASSERT_TRUE(!is_exact || expected.passed == said.passed) << name << "\n"
                                                                         << write_history(history);
                ASSERT_TRUE(!is_exact || has_effects(list) || expected == said)
                    << name << "\n"
                    << write_history(history);
                passed += is_exact && said.passed ? 1 : 0;
                violated += is_exact && !said.passed ? 1 : 0;
            }
        }
        EXPECT_GT(passed, cases / 75) << name;
        EXPECT_GT(violated, cases / 75) << name;
    }
}

// The same with histories that shrink.
RC_GTEST_PROP(NaiveOwnersProperty, SayTheSame, ()) {
    const std::string name = *rc::gen::elementOf(
        std::vector<std::string>(std::begin(kOwnerModels), std::end(kOwnerModels)));
    const auto numbers = *rc::gen::resize(
        20, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 20U)));
    const auto model = make_model(model_of(name));
    const RecordedHistory history =
        HistoryMaker(model->choice().kind, false, model->choice().judges_effects).make(numbers);
    RC_LOG() << name << "\n" << write_history(history);
    for (const KeyOperations& list : lists_of(history, *model)) {
        RC_ASSERT(naively(list, model->choice()) ==
                  said_by(linearize(list, *model, SearchBudget({})), list));
    }
}

}  // namespace
}  // namespace lockkeeper
