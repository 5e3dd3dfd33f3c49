// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/random_lock_test.hpp"

#include <iostream>
#include <map>
#include <unordered_set>

#include <gtest/gtest.h>

#include "model/long_run_test.hpp"
#include "model/slow_build_test.hpp"
#include "model/world.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/proofs/check_certificate.hpp"
#include "scheduler/proofs/decide.hpp"
#include "scheduler/proofs/looping_world.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper::testing_proofs {
namespace {

std::vector<const Property*> all_decidable(std::uint32_t features) {
    std::vector<const Property*> found;
    for (const Property& property : all_properties()) {
        if (proofs::is_decidable(property) && (property.needs & ~features) == 0) {
            found.push_back(&property);
        }
    }
    return found;
}

// Plain enumeration, by the rules as every search asks them.
template <class Lock>
proofs::Scope enumerate(const Lock& lock, const WorldConfig& config,
                        const std::vector<const Property*>& check) {
    constexpr std::size_t kStatesMost = 6'000;
    using State = typename World<Lock>::State;
    const World<Lock> world(lock, config);
    Judge judge(check);
    const auto key = [](const State& state) {
        return std::string(reinterpret_cast<const char*>(&state), sizeof(state));
    };
    std::unordered_set<std::string> seen;
    std::vector<State> open{world.initial()};
    bool is_violated = false;
    const auto found = [&](std::size_t) { is_violated = true; };
    world.canonicalize(open.front());
    seen.insert(key(open.front()));
    judge.judge_rest(world, open.front(), found);
    ActionList actions;
    for (std::size_t i = 0; i < open.size() && !is_violated; ++i) {
        if (open.size() > kStatesMost) {
            return proofs::Scope::kUndecided;
        }
        world.enabled(open[i], actions);
        for (const Action action : actions) {
            State after = open[i];
            const Event event = world.apply(after, action);
            judge.judge_step(world, after, event, found);
            world.canonicalize(after);
            if (seen.insert(key(after)).second) {
                judge.judge_rest(world, after, found);
                open.push_back(after);
            }
        }
    }
    return is_violated ? proofs::Scope::kViolated : proofs::Scope::kPassed;
}

std::vector<std::vector<std::size_t>> numbers_of_callers(std::size_t kinds, std::size_t most) {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t sum = kinds; sum <= most; ++sum) {
        for (std::size_t first = 1; first + kinds - 1 <= sum; ++first) {
            all.push_back(kinds == 1 ? std::vector<std::size_t>{sum}
                                     : std::vector<std::size_t>{first, sum - first});
            if (kinds == 1) {
                break;
            }
        }
    }
    return all;
}

struct Tally {
    std::array<int, 6> proved{};       // by kWays
    std::map<std::size_t, int> least;  // 0: up to six callers break nothing
};

using proofs::Way;

// Each way for itself, all of them together.
const std::vector<std::vector<Way>> kWays{{Way::kWeights},       {Way::kCountsAtOnceHeard},
                                          {Way::kCountsAtOnce},  {Way::kCountsLater},
                                          {Way::kCountsUnmoved}, proofs::ProveOptions{}.ways};

template <class Lock>
Lock lock_of(std::uint32_t seed);
template <>
RandomLock lock_of(std::uint32_t seed) {
    return random_lock(seed);
}
template <>
RandomGrants lock_of(std::uint32_t seed) {
    return {{random_lock(seed)}};
}
template <>
RandomTelling lock_of(std::uint32_t seed) {
    return {random_lock_that_tells(seed)};
}

template <>
RandomTimed lock_of(std::uint32_t seed) {
    return random_timed_lock(seed);
}

template <>
RandomLine lock_of(std::uint32_t seed) {
    return random_line(seed);
}

template <>
RandomLeaseLine lock_of(std::uint32_t seed) {
    return random_lease_line(seed);
}

// How much of it is compared. All ways together are what `prove` does.
struct Depth {
    std::size_t callers = 6;        // that are enumerated
    std::uint32_t each_way_of = 1;  // each way for itself: of one in so many locks
};

template <class Lock>
class Comparison {
  public:
    Comparison(std::uint32_t seed, Tally& tally, Depth depth = {})
        : callers_most_(depth.callers),
          first_way_(seed % depth.each_way_of == 0 ? 0 : kWays.size() - 1),
          lock_{lock_of<Lock>(seed)},
          callers_(random_callers(seed)),
          kinds_(proofs::kinds_of_callers(callers_).size()),
          apart_(ErasedSystem(World<Lock>(lock_, proofs::world_to_take_apart(callers_))),
                 ErasedSystem(World<Lock>(lock_, proofs::one_of_each(callers_))),
                 ErasedSystem(World<Lock>(lock_, proofs::one_is_absent(callers_)))),
          tally_(tally) {}

    // "": all is as it has to be.
    std::string run() {
        for (const auto& counts : numbers_of_callers(kinds_, callers_most_)) {
            const proofs::Scope scope = least_ ? proofs::Scope::kPassed : explore(counts);
            if (scope == proofs::Scope::kViolated) {
                least_ = sum_of(counts);
            }
            is_least_known_ = is_least_known_ && scope != proofs::Scope::kUndecided;
        }
        tally_.least[least_.value_or(0)] += 1;
        bool is_proved = false;  // by a way for itself
        for (std::size_t i = first_way_; i < kWays.size(); ++i) {
            const int before = tally_.proved[i];
            std::string wrong = compare(kWays[i], tally_.proved[i]);
            if (!wrong.empty()) {
                return wrong;
            }
            const bool proves = tally_.proved[i] != before;
            if (i + 1 == kWays.size() && is_proved && !proves) {
                return "one way proves it, and all ways together do not";
            }
            is_proved = is_proved || proves;
        }
        return "";
    }

  private:
    static std::size_t sum_of(const std::vector<std::size_t>& counts) {
        return counts[0] + (counts.size() > 1 ? counts[1] : 0);
    }
    // Each number of callers once: every way of proving asks for all of them.
    [[nodiscard]] proofs::Scope explore(const std::vector<std::size_t>& counts) {
        const auto [known, is_new] = explored_.try_emplace(counts);
        if (is_new) {
            known->second =
                enumerate(lock_, proofs::looping_world(callers_, counts, false), check_);
        }
        return known->second;
    }

    std::string compare(const std::vector<Way>& ways, int& proved) {
        proofs::ProofAttempt made = proofs::prove(
            apart_, {.check = check_, .markings_max = 3'000, .seconds_max = 20, .ways = ways});
        if (made.certificate && least_) {
            return "proved, and violated by " + std::to_string(*least_) + " callers";
        }
        if (made.certificate) {
            const std::string why = proofs::why_refused(*made.certificate, apart_);
            if (!why.empty()) {
                return "its certificate is refused: " + why;
            }
        }
        proved += made.certificate ? 1 : 0;
        if (!is_least_known_) {
            return "";  // a smaller number was too much to enumerate, and decide() ends there
        }
        const proofs::Decision decision = proofs::decide(
            {kinds_, [&](const auto& counts) { return explore(counts); }, [&] { return made; },
             [](const proofs::Certificate&) { return std::string(); }, callers_most_, 2});
        if (decision.violated.has_value() != least_.has_value() ||
            (least_ && sum_of(*decision.violated) != *least_)) {
            return "another number of callers is the least";
        }
        return decision.proved.has_value() == made.certificate.has_value()
                   ? ""
                   : "the decision is another one";
    }

    std::size_t callers_most_;
    std::size_t first_way_;
    Lock lock_;
    WorldConfig callers_;
    std::size_t kinds_;
    proofs::ReplicatedWorld apart_;
    std::vector<const Property*> check_ = all_decidable(Lock::kFeatures);
    std::optional<std::size_t> least_;
    bool is_least_known_ = true;
    std::map<std::vector<std::size_t>, proofs::Scope> explored_;
    Tally& tally_;
};

// `without_weights`: the ways that have to prove something are the others.
template <class Lock>
void compare_all(std::uint32_t first, std::uint32_t count, bool without_weights = false,
                 Depth depth = {}) {
    Tally tally;
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        ASSERT_EQ(Comparison<Lock>(seed, tally, depth).run(), "") << "seed " << seed;
    }
    for (std::size_t way = 0; way < kWays.size(); ++way) {
        std::cout << tally.proved[way] << " proved, ";
        EXPECT_TRUE(tally.proved[way] > 0 || (way == 0 && without_weights));
    }
    for (const auto& [least, times] : tally.least) {
        std::cout << least << ": " << times << ", ";
    }
    std::cout << "of " << count << "\n";
    EXPECT_GT(tally.least[2], 0);
    EXPECT_EQ(tally.proved.back() > tally.least[0], false);
}

template <class Lock>
void compare_long(const testing_model::Seeds& all, bool without_weights = false) {
    const testing_model::Seeds seeds = testing_model::seeds_of_long_run(all);
    compare_all<Lock>(seeds.first, seeds.count, without_weights, {5, 8});
}

TEST(RandomLocksTest, AProofIsNeverContradictedByEnumeration) {
    compare_all<RandomLock>(1, testing_model::kIsSlowBuild ? 60 : 600);
}

TEST(RandomLocksTest, AProofOfARecordOfHoldersIsNeverContradictedByEnumeration) {
    compare_all<RandomGrants>(1, testing_model::kIsSlowBuild ? 30 : 200);
}

TEST(RandomLocksTest, AProofWhereEverybodyHearsIsNeverContradictedByEnumeration) {
    compare_all<RandomTelling>(1, testing_model::kIsSlowBuild ? 60 : 400);
}

TEST(RandomLocksTest, AProofWithTimeIsNeverContradictedByEnumeration) {
    compare_all<RandomTimed>(1, testing_model::kIsSlowBuild ? 100 : 2'000);
}

TEST(RandomLocksTest, AProofOfALineIsNeverContradictedByEnumeration) {
    compare_all<RandomLine>(1, testing_model::kIsSlowBuild ? 30 : 150, true);
}

TEST(RandomLocksTest, AProofOfLeasesWithALineIsNeverContradictedByEnumeration) {
    compare_all<RandomLeaseLine>(1, testing_model::kIsSlowBuild ? 30 : 100, true);
}

// Time waited for callers that were not there: it never came in the World that was taken apart.
TEST(RandomLocksTest, TimeDoesNotWaitForTheAbsent) {
    Tally tally;
    EXPECT_EQ(Comparison<RandomTimed>(4'004'377, tally).run(), "");
    EXPECT_EQ(tally.least[2], 1);
}

// Any number of callers from the beginning, whom a step of nobody's moves on, and who are pumped
// again: this search began again for ever.
TEST(RandomLocksTest, ASearchDoesNotBeginAgainWithWhatItHasTriedBefore) {
    Tally tally;
    EXPECT_EQ(Comparison<RandomTelling>(3'020'427, tally).run(), "");
    EXPECT_EQ(tally.proved[2], 1);
}

// A caller that is pumped at once is followed by what each step of nobody's would make of it, and
// some of these steps never come: the certificate listed combinations that are not reached.
TEST(RandomLocksTest, ACertificateListsNobodyWhomNoStepLeadsTo) {
    Tally tally;
    EXPECT_EQ(Comparison<RandomLeaseLine>(7'101'947, tally).run(), "");
    EXPECT_EQ(tally.proved[1], 1);
}

// With the label `long`, as every_number_long (cmake/LockkeeperTests.cmake).
TEST(RandomLocksTest, DISABLED_LongAProofIsNeverContradictedByEnumeration) {
    compare_long<RandomLock>({1'000'000, 100'000});
}

TEST(RandomLocksTest, DISABLED_LongAProofOfARecordOfHoldersIsNeverContradictedByEnumeration) {
    compare_long<RandomGrants>({2'000'000, 20'000});
}

TEST(RandomLocksTest, DISABLED_LongAProofWhereEverybodyHearsIsNeverContradictedByEnumeration) {
    compare_long<RandomTelling>({3'000'000, 50'000});
}

TEST(RandomLocksTest, DISABLED_LongAProofWithTimeIsNeverContradictedByEnumeration) {
    compare_long<RandomTimed>({4'000'000, 100'000});
}

TEST(RandomLocksTest, DISABLED_LongAProofOfALineIsNeverContradictedByEnumeration) {
    compare_long<RandomLine>({5'000'000, 100'000}, true);
}

TEST(RandomLocksTest, DISABLED_LongAProofOfLeasesWithALineIsNeverContradictedByEnumeration) {
    compare_long<RandomLeaseLine>({7'000'000, 100'000}, true);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
