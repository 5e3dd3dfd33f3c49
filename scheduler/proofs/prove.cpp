// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/prove.hpp"

#include <algorithm>
#include <random>
#include <unordered_set>

#include "scheduler/proofs/solve_weights.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper::proofs {
namespace {

constexpr std::size_t kSampleMarkings = 3'000;
constexpr int kRoundsOfWeights = 60;

// The set is closed if everybody's steps are his own. The types say so; this tries it once more, in
// surroundings that the set allows: pairs, and some three at once.
class Surroundings {
  public:
    Surroundings(ReplicatedSteps& steps, MarkingJudge& judge, const ClosedSet& set)
        : steps_(steps), judge_(judge), set_(set) {}

    // "": all fit; else the limit that came first. DoesNotFit.
    std::string check(ProofWatch& watch) {
        for (std::size_t i = 0; i < set_.markings.size(); ++i) {
            const Marking& marking = set_.markings[i];
            std::string limit =
                watch.look({"taking its steps beside others", i, set_.markings.size(),
                            steps_.shared_count(), steps_.locals_count()});
            if (!limit.empty()) {
                return limit;
            }
            const Populated at(marking.shared, counts_of(marking), set_.weights);
            for (const LocalCount& some : at.counts()) {
                if (pairs_ >= kFirstPairs && ++passed_over_ % kOneOfCallers != 0) {
                    continue;
                }
                if (absent_.insert(key_of(marking.shared, some.local)).second) {
                    steps_.check_absent(marking.shared, some.local);
                }
                check_pairs(at, some);
            }
            check_some_triples(at);
        }
        return "";
    }

  private:
    static constexpr std::size_t kTriplesOfEach = 8;

    [[nodiscard]] Counts counts_of(const Marking& marking) const {
        if (!set_.everybody) {
            return marking.counts;
        }
        Counts everybody;
        for (const LocalId local : set_.locals) {
            everybody.push_back({local, kAnyNumber});
        }
        return everybody;
    }

    static std::uint64_t key_of(SharedId shared, LocalId one, LocalId other = 0) {
        return static_cast<std::uint64_t>(shared) << 32U | static_cast<std::uint64_t>(one) << 16U |
               other;
    }

    // With everybody else at first, then some callers with some. No proof rests on it: who checks a
    // certificate tries all beside the absent.
    void check_pairs(const Populated& at, const LocalCount& one) {
        if (pairs_ < kFirstPairs) {
            const Populated others = at.without(one.local);
            for (const LocalCount& other : others.counts()) {
                check_pair(at.shared(), one.local, other.local);
            }
            return;
        }
        std::uniform_int_distribution<std::size_t> which(0, at.counts().size() - 1);
        for (std::size_t i = 0; i < kPairsOfEach; ++i) {
            const LocalCount& other = at.counts()[which(random_)];
            if (other.local != one.local || one.count > 1) {
                check_pair(at.shared(), one.local, other.local);
            }
        }
    }
    void check_pair(SharedId shared, LocalId one, LocalId other) {
        ++pairs_;
        const bool is_new = set_.everybody || known_.insert(key_of(shared, one, other)).second;
        if (is_new && steps_.has_room({one, other})) {
            steps_.check_beside(shared, {one, other});
            judge_.check_beside(shared, {one, other});
        }
    }

    void check_some_triples(const Populated& at) {
        const std::size_t triples = pairs_ < kFirstPairs ? kTriplesOfEach : 1;
        for (std::size_t i = 0; i < triples && !at.counts().empty(); ++i) {
            std::vector<LocalId> callers;
            Populated left = at;
            for (int one = 0; one < 3 && !left.counts().empty(); ++one) {
                std::uniform_int_distribution<std::size_t> which(0, left.counts().size() - 1);
                callers.push_back(left.counts()[which(random_)].local);
                left = left.without(callers.back());
            }
            if (callers.size() == 3 && steps_.has_room(callers)) {
                steps_.check_beside(at.shared(), callers);
                judge_.check_beside(at.shared(), callers);
            }
        }
    }

    static constexpr std::uint64_t kFirstPairs = 20'000;
    static constexpr std::size_t kPairsOfEach = 2;
    static constexpr std::uint64_t kOneOfCallers = 16;  // then

    ReplicatedSteps& steps_;
    MarkingJudge& judge_;
    const ClosedSet& set_;
    std::unordered_set<std::uint64_t> known_;
    std::unordered_set<std::uint64_t> absent_;  // tried beside those that are absent
    std::uint64_t pairs_ = 0;
    std::uint64_t passed_over_ = 0;
    std::mt19937 random_{1};
};

class Prover {
  public:
    Prover(const ReplicatedWorld& world, const ProveOptions& options, ProofWatch& watch)
        : steps_(world),
          judge_(steps_, options.check),
          watch_(watch),
          limits_{&watch, options.markings_max, "", options.bug},
          equations_(steps_.initial_shared(), steps_.initial_locals()),
          check_(options.check) {}

    // Takes what it has tried from `ways`, the first first.
    ProofAttempt attempt(std::vector<Way>& ways) {
        ProofAttempt made;
        try {
            while (!ways.empty() && !made.certificate && !is_over(made)) {
                const Way way = ways.front();
                ways.erase(ways.begin());
                go(way, made);
            }
        } catch (const DoesNotFit& reason) {
            does_not_fit_ = reason.what();
        } catch (const LimitExceeded& reason) {
            does_not_fit_ =
                std::string("something grows beyond the compiled size: ") + reason.what();
        }
        made.sizes.situations = steps_.locals_count();
        made.sizes.shared = steps_.shared_count();
        made.sizes.steps_tried = steps_.tried();
        return made;
    }
    // The reason that ended the way that it tried last; empty: nothing ended it.
    [[nodiscard]] const std::string& does_not_fit() const { return does_not_fit_; }

  private:
    [[nodiscard]] bool is_over(const ProofAttempt& made) const {
        return watch_.is_past() || made.why_not == "interrupted";
    }

    void go(Way way, ProofAttempt& made) {
        limits_.doing =
            way == Way::kWeights ? "seeking a proof by weights" : "seeking a proof by counts";
        switch (way) {
            case Way::kWeights: weights_ = by_weights(made); break;
            case Way::kCountsAtOnceHeard: by_counts(weights_, Pumping::kAtOnceHeard, made); break;
            case Way::kCountsAtOnce: by_counts(weights_, Pumping::kAtOnce, made); break;
            case Way::kCountsLater: by_counts(weights_, Pumping::kLater, made); break;
            case Way::kCountsUnmoved: by_counts(weights_, Pumping::kUnmoved, made); break;
        }
    }

    // Learns what few callers do, exactly: all their steps, which tell which weights are kept.
    void learn_from_few() {
        for (std::uint16_t callers = 1; callers <= 3; ++callers) {
            const std::vector<std::uint16_t> first(steps_.initial_locals().size(), callers);
            std::vector<WeighedStep> taken;
            static_cast<void>(search_counts(steps_, judge_, {}, first, Pumping::kNone,
                                            {&watch_, kSampleMarkings, limits_.doing}, &taken));
            for (const WeighedStep& step : taken) {
                equations_.add(step);
            }
        }
    }

    // The weights that all steps of the last search have kept.
    std::vector<Weights> by_weights(ProofAttempt& made) {
        learn_from_few();
        for (int round = 0; round < kRoundsOfWeights; ++round) {
            std::vector<Weights> weights = equations_.solve();
            SearchResult found = search_weights(steps_, judge_, weights, limits_);
            if (found.unweighed.empty()) {
                accept(std::move(found), "weights", made);
                return weights;
            }
            bool says_something_new = false;
            for (const WeighedStep& step : found.unweighed) {
                says_something_new = equations_.add(step) || says_something_new;
            }
            if (!says_something_new) {
                break;
            }
        }
        return {};
    }

    void by_counts(const std::vector<Weights>& weights, Pumping pumping, ProofAttempt& made) {
        const std::vector<std::uint16_t> first(steps_.initial_locals().size(), kAnyNumber);
        SearchResult found = search_counts(steps_, judge_, weights, first, pumping, limits_);
        if (!found.unweighed.empty()) {
            found = search_counts(steps_, judge_, {}, first, pumping, limits_);
        }
        accept(std::move(found), "counts", made);
    }

    void accept(SearchResult found, const char* method, ProofAttempt& made) {
        if (found.closed) {
            made.why_not = Surroundings(steps_, judge_, *found.closed).check(watch_);
        } else {
            made.why_not = found.broken ? found.broken->why : found.limit;
        }
        if (found.closed && made.why_not.empty()) {
            made.method = method;
            made.sizes.markings = found.closed->markings.size();
            made.sizes.weights = found.closed->weights.size();
            made.picture = picture_of(steps_, *found.closed);
            made.certificate = certificate_of(steps_, *found.closed, check_);
        }
    }

    ReplicatedSteps steps_;
    MarkingJudge judge_;
    ProofWatch& watch_;
    SearchLimits limits_;
    WeightEquations equations_;
    std::vector<const Property*> check_;
    std::vector<Weights> weights_;
    std::string does_not_fit_;
};

// A way comes to states that only it takes for possible. What does not fit there says nothing of
// the other ways, which begin again without it.
ProofAttempt try_ways(const ReplicatedWorld& world, const ProveOptions& options) {
    ProofWatch watch(options.seconds_max, options.process_bytes_max, options.progress);
    std::vector<Way> ways = options.ways;
    std::string first_reason;
    ProofAttempt made;
    bool goes_on = true;
    while (goes_on) {
        Prover prover(world, options, watch);
        made = prover.attempt(ways);
        goes_on = !prover.does_not_fit().empty() && !ways.empty() && !watch.is_past();
        first_reason = first_reason.empty() ? prover.does_not_fit() : first_reason;
    }
    if (!made.certificate && !first_reason.empty()) {
        made.why_not = first_reason;
    }
    return made;
}

}  // namespace

ProofAttempt prove(const ReplicatedWorld& world, const ProveOptions& options) {
    std::string why_not;
    try {
        why_not = world.why_not_by_record();
    } catch (const std::exception& reason) {  // of the implementation
        why_not = reason.what();
    }
    for (const Property* property : options.check) {
        if (why_not.empty() && !world.shows(*property)) {
            why_not = std::string(property->name) + " is not shown by what is taken apart";
        }
    }
    return why_not.empty() ? try_ways(world, options) : ProofAttempt{{}, "", why_not, {}};
}

}  // namespace lockkeeper::proofs
