// The search and the models that know owners, modes, tags and times against twins that share no
// code with them (naive_twin_test.hpp).
#include <compare>
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "histories/naive_twin_test.hpp"
#include "histories/random_history_test.hpp"
#include "histories/tag_names.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

// Who holds what, how often: (owner, mode).
using Holds = std::map<std::pair<std::uint32_t, std::uint8_t>, int>;

// owner-aware-mutex, reentrant-mutex, read-write-lock, multi-lock. `forbids(wanted, held)`: so the
// wanted one cannot be had; `depth`: how often by the same owner in the same mode.
struct NaiveHolds {
    using State = Holds;
    using Held = std::pair<std::uint32_t, std::uint8_t>;
    std::function<bool(const Held&, const Held&)> forbids;
    int depth = 1;

    std::vector<Holds> after(Holds holds, const LockOperation& operation) const {
        const Held own{operation.owner, operation.mode};
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

NaiveHolds naive_holds(const ModelChoice& choice) {
    using Held = NaiveHolds::Held;
    if (choice.kind == ModelKind::kReadWriteLock) {
        return {[](const Held& wanted, const Held& held) {
            return wanted.second == 1 || held.second == 1;
        }};
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

// lease: every operation is tried at every moment between its invocation and its return.
struct NaiveLease {
    struct State {
        std::int64_t now = 0;
        std::int64_t holder = -1;  // of a lease that runs, or that nobody has taken over
        std::int64_t end = 0;      // not before
        // NOLINTNEXTLINE(modernize-use-nullptr)
        auto operator<=>(const State&) const = default;
    };
    std::int64_t ttl;
    std::int64_t error;
    std::int64_t last_moment;

    std::vector<State> after(const State& state, const LockOperation& operation) const {
        std::vector<State> all;
        const std::int64_t latest = std::min(operation.latest, last_moment);
        for (std::int64_t now = std::max(state.now, operation.earliest); now <= latest; ++now) {
            State next = state;
            next.now = now;
            if (happens(next, operation)) {
                all.push_back(next);
            }
        }
        return all;
    }
    bool happens(State& state, const LockOperation& operation) const {
        const bool is_own = state.holder == operation.owner;
        const std::int64_t length =
            (operation.number == kUnknownNumber ? ttl : operation.number) - error;
        switch (operation.code) {
            case LockCode::kAcquire:
                if (state.holder >= 0 && state.end > state.now) {
                    return false;
                }
                state.holder = operation.owner;
                state.end = state.now + std::max<std::int64_t>(0, length);
                return true;
            case LockCode::kRenew:
                state.end = std::max(state.end, state.now + length);
                return is_own;
            case LockCode::kRelease: state.holder = -1; return is_own;
            case LockCode::kExit: state.holder = is_own ? -1 : state.holder; return true;
            case LockCode::kWrite: return true;
        }
        return false;
    }
};

Said naively(const KeyOperations& list, const ModelChoice& choice) {
    if (choice.kind != ModelKind::kLease) {
        return said_by(naive_holds(choice), list.operations);
    }
    std::int64_t last = 0;
    for (const TimedOperation& timed : list.operations) {
        last = std::max(last, timed.operation.earliest);
        last = timed.completed == kNeverCompleted ? last : std::max(last, timed.operation.latest);
    }
    return said_by(NaiveLease{choice.ttl, choice.clock_error, last}, list.operations);
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
    "lease:ttl=6,error=1",
    "lease:ttl=4,error=0",
};

std::vector<KeyOperations> lists_of(const RecordedHistory& history, const SequentialModel& model) {
    return std::get<std::vector<KeyOperations>>(read_operations(history, model));
}

class NaiveOwners : public ::testing::TestWithParam<const char*> {};

TEST_P(NaiveOwners, SayTheSameOfRandomHistoriesOfBothVerdicts) {
    const auto model = make_model(model_of(GetParam()));
    std::size_t passed = 0;
    std::size_t violated = 0;
    std::uint32_t random = 11;
    for (int i = 0; i < 2000; ++i) {
        const RecordedHistory history =
            HistoryMaker(model->choice().kind, false).make(pseudo_random_numbers(18, random));
        for (const KeyOperations& list : lists_of(history, *model)) {
            const Said said = said_by(linearize(list, *model, SearchBudget({})), list);
            const Said expected = naively(list, model->choice());
            ASSERT_EQ(expected.passed, said.passed) << write_history(history);
            ASSERT_EQ(expected.first_unexplained, said.first_unexplained) << write_history(history);
            ++(said.passed ? passed : violated);
        }
    }
    EXPECT_GT(passed, 50U);
    EXPECT_GT(violated, 50U);
}

INSTANTIATE_TEST_SUITE_P(Histories, NaiveOwners, ::testing::ValuesIn(kOwnerModels));

// The same with histories that shrink.
RC_GTEST_PROP(NaiveOwnersProperty, SayTheSame, ()) {
    const std::string name = *rc::gen::elementOf(
        std::vector<std::string>(std::begin(kOwnerModels), std::end(kOwnerModels)));
    const auto numbers = *rc::gen::resize(
        20, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 20U)));
    const auto model = make_model(model_of(name));
    const RecordedHistory history = HistoryMaker(model->choice().kind, false).make(numbers);
    RC_LOG() << name << "\n" << write_history(history);
    for (const KeyOperations& list : lists_of(history, *model)) {
        RC_ASSERT(naively(list, model->choice()) ==
                  said_by(linearize(list, *model, SearchBudget({})), list));
    }
}

}  // namespace
}  // namespace lockkeeper
