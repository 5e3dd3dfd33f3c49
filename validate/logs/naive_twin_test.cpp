// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/naive_twin_test.hpp"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "validate/logs/search.hpp"

namespace lockkeeper::logs {
namespace {

using testing_logs::NaiveLock;
using testing_logs::NaiveTwin;

constexpr std::int64_t kTtl = 4;

struct Lock {
    NaiveLock naive;
    const char* model;
    std::int64_t number;
};
constexpr Lock kLocks[] = {{NaiveLock::kOwned, "owner-aware-mutex", 1},
                           {NaiveLock::kSemaphore, "semaphore:2", 2},
                           {NaiveLock::kLease, "lease:ttl=4ns", kTtl}};

std::size_t logs_wanted() {
    const char* wanted = std::getenv("LOCKKEEPER_LOGS");
    return static_cast<std::size_t>(wanted == nullptr ? testing_model::random_cases(500)
                                                      : std::atoi(wanted));
}

// Any lines, in any order: most logs have no run, or one with lines missing.
class RandomLogs {
  public:
    explicit RandomLogs(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t bound) { return random_() % bound; }

    std::vector<Source> draw(bool has_renewals) {
        const std::size_t callers = 1 + below(2);
        const std::size_t count = 1 + below(5);
        const bool has_calls = below(2) == 0;
        const bool has_server = below(3) == 0;
        const bool is_one_file = below(2) == 0;
        std::vector<Source> sources(is_one_file ? 2 : callers + 1);
        std::vector<std::int64_t> times;
        for (std::size_t i = 0; i < count; ++i) {
            times.push_back(static_cast<std::int64_t>(below(10)));
        }
        std::sort(times.begin(), times.end());
        const auto width = static_cast<std::int64_t>(below(3));
        for (const std::int64_t time : times) {
            Observation seen = line(has_calls, has_server, has_renewals);
            const std::size_t caller = below(callers);
            seen.caller = seen.caller == "-" ? "" : std::string(1, static_cast<char>('a' + caller));
            seen.earliest = time;
            seen.latest = time + width;
            const bool is_server = seen.seen == Seen::kServed || seen.seen == Seen::kState;
            sources[is_server ? 0 : is_one_file ? 1 : 1 + caller].observations.push_back(seen);
        }
        return sources;
    }

  private:
    Observation line(bool has_calls, bool has_server, bool has_renewals) {
        Observation seen;
        seen.code = static_cast<LockCode>(below(has_renewals && below(3) == 0 ? 3 : 2));
        const std::size_t kind = below(10);
        if (kind < 2 && has_calls) {
            seen.seen = Seen::kCall;
        } else if (kind < 4 && has_server) {
            seen.seen = Seen::kServed;
        } else if (kind == 4) {
            seen.seen = Seen::kEffect;
        } else if (kind == 5 && has_server) {
            seen.seen = Seen::kState;
            seen.caller = below(2) == 0 ? "-" : "";
        } else {
            seen.seen = Seen::kAnswer;
            constexpr Outcome kOutcomes[] = {Outcome::kOk,     Outcome::kOk,
                                             Outcome::kOk,     Outcome::kRefused,
                                             Outcome::kFailed, Outcome::kUnknown};
            seen.outcome = kOutcomes[below(6)];
        }
        return seen;
    }

    std::mt19937_64 random_;
};

std::string text_of(const Problem& problem) {
    std::string out;
    for (const auto& lines : problem.sources) {
        out += "source\n";
        for (const Line& line : lines) {
            constexpr const char* kSeen[] = {"call", "served", "answer", "state", "effect"};
            out += "  " + std::to_string(line.earliest) + ".." + std::to_string(line.latest) + " " +
                   (line.caller == kNobody ? "nobody" : problem.callers[line.caller]) + " " +
                   kSeen[static_cast<std::size_t>(line.seen)] + " " + name_of(line.code) + " " +
                   name_of(line.outcome) + "\n";
        }
    }
    return out;
}

std::string text_of(const std::optional<Cost>& cost) {
    return cost ? std::to_string(cost->lost) + " lost, " + std::to_string(cost->unseen) +
                      " unseen, " + std::to_string(cost->uncovered) + " uncovered"
                : "no run";
}

// In pieces, which run beside each other: all of 10,000 logs take minutes.
constexpr std::size_t kPieces = 10;
class NaiveTwinPiece : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NaiveTwinPiece, TheSearchAndItsNaiveTwinAgreeOnRandomLogs) {
    constexpr std::uint32_t kLostMax = 2;
    constexpr std::uint32_t kUnseenMax = 1;
    CheckLimits limits;
    limits.seconds_max = 1e9;  // the machine may be busy
    const SearchBudget budget(limits);
    std::size_t explained = 0;
    std::size_t given_up = 0;
    std::size_t for_nothing = 0;
    const std::size_t wanted = logs_wanted() / kPieces;
    const std::size_t first = GetParam() * wanted;
    for (std::size_t seed = first; seed < first + wanted; ++seed) {
        const Lock& lock = kLocks[seed % 3];
        ModelChoice choice = model_of_logs(lock.model);
        const auto model = make_model(choice);
        const std::vector<Source> sources = RandomLogs(seed).draw(lock.naive == NaiveLock::kLease);
        const Problem problem = make_problem(sources, {}, *model);
        const Found found = search_runs(problem, {kLostMax, 10, true, &budget});
        ASSERT_EQ(found.limit, nullptr);
        const auto cost = found.is_found ? std::optional(found.cost) : std::nullopt;
        NaiveTwin twin(problem, lock.naive, lock.number, kLostMax, kUnseenMax);
        const std::optional<Cost> naive = twin.least();
        if (twin.gave_up()) {
            ++given_up;
            continue;
        }
        if (cost && cost->unseen > kUnseenMax) {
            // Fewer lines missing, and more hidden: the twin, which may not, has nothing better.
            ASSERT_TRUE(!naive || naive->packed() > cost->packed()) << seed;
            continue;
        }
        ASSERT_EQ(text_of(cost), text_of(naive)) << "seed " << seed << ", " << lock.model << "\n"
                                                 << text_of(problem);
        explained += cost ? 1 : 0;
        for_nothing += cost && cost->packed() == 0 ? 1 : 0;
    }
    if (wanted < 40) {
        return;  // few may all be of one kind
    }
    // The logs are of all kinds.
    EXPECT_GT(explained, wanted / 10);
    EXPECT_LT(explained, wanted);
    EXPECT_GT(for_nothing, wanted / 50);
    EXPECT_LT(given_up, wanted / 5);
}
INSTANTIATE_TEST_SUITE_P(NaiveTwin, NaiveTwinPiece, ::testing::Range<std::size_t>(0, kPieces));

}  // namespace
}  // namespace lockkeeper::logs
