// SPDX-License-Identifier: Apache-2.0
#include "measure/sampled.hpp"

#include <algorithm>
#include <cmath>

#include "measure/run.hpp"
#include "measure/sampled_run.hpp"
#include "measure/sampler_crew.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

// Figures from tallies: which interval stands behind which figure
// (docs/decisions/methods/sampled_rates.md).

// A run that was cut may have met it later: the upper end takes it for a hit.
Figure probability(const PropertyTally& sums, std::uint64_t runs, double confidence, bool anytime) {
    const auto interval = [&](std::uint64_t hits) {
        return anytime ? anytime_interval(hits, runs, confidence)
                       : clopper_pearson(hits, runs, confidence);
    };
    Figure figure = interval(sums.hits);
    figure.high = sums.cut_before == 0 ? figure.high : interval(sums.hits + sums.cut_before).high;
    return figure;
}

// Mean time until something that `hits` of the runs met; the others waited for it in vain, until
// their end (then it may never come) or until they were cut (`cut_before` of them).
Figure time_until(const Spread& waited, std::uint64_t hits, std::uint64_t cut_before,
                  const RunTally& tally, double confidence) {
    if (hits == tally.runs && hits > 0) {
        return mean_interval(waited, confidence);
    }
    if (tally.runs - hits > cut_before) {
        return {kInfinity, kInfinity, kInfinity};  // some run ended without it: it is not sure
    }
    // All that waited in vain were cut: time waited by hits, as if what comes after a cut were like
    // a new run. Each interval at half the error.
    const double each = (1 + confidence) / 2;
    return quotient(mean_interval(waited, each), clopper_pearson(hits, tally.runs, each));
}

PropertyRates rates_of(const Property* property, const PropertyTally& sums, const RunTally& tally,
                       const MeasureOptions& options, bool anytime) {
    const double each = (1 + options.confidence) / 2;
    PropertyRates rates;
    rates.property = property;
    rates.hits = sums.hits;
    if (!is_seen_in_runs(*property)) {
        rates.per_run = {0, 0, 1};  // a property of the graph: runs do not show it
        rates.count_per_run = {0, 0, kInfinity};
        rates.per_acquire = {0, 0, kInfinity};
        return rates;
    }
    rates.per_run = probability(sums, tally.runs, options.confidence, anytime);
    rates.count_per_run = seldom_interval(sums.count, options.confidence);
    rates.per_acquire =
        quotient(seldom_interval(sums.count, each), seldom_interval(tally.acquires, each));
    if (tally.has_virtual_time && is_overlap(*property)) {
        const auto lasts = [&](double confidence) {
            return seldom_interval(sums.overlap_lasts, confidence, Values::kReal,
                                   std::max(1.0, sums.overlap_lasts.most));
        };
        rates.overlap_lasts = lasts(options.confidence);
        rates.overlap_lasts_if_any =
            quotient(lasts(each), probability(sums, tally.runs, each, anytime));
    }
    if (options.law.kind == LawKind::kRates) {
        rates.to_first =
            time_until(sums.seconds_until, sums.hits, sums.cut_before, tally, options.confidence);
    }
    if (sums.has_time) {
        rates.violating_seconds = seldom_interval(sums.violating_seconds, options.confidence,
                                                  Values::kReal, tally.seconds.mean);
        if (tally.cut_runs > 0) {
            rates.fraction_of_time =
                seldom_interval(sums.share_of_time, options.confidence, Values::kReal, 1);
            rates.fraction_of_time->high = std::min(rates.fraction_of_time->high, 1.0);
        }
    }
    return rates;
}

// Shares of all contended grants; nothing is known of them where there was none.
ServedShares served_of(const RunTally& tally, double confidence) {
    const double each = (1 + confidence) / 2;
    const auto share = [&](const Spread& part, Values values) {
        Figure figure = tally.contended.mean > 0 ? quotient(seldom_interval(part, each, values),
                                                            seldom_interval(tally.contended, each))
                                                 : Figure{0, 0, 1};
        figure.high = std::min(figure.high, 1.0);
        return figure;
    };
    return {seldom_interval(tally.contended, confidence), share(tally.to_longest, Values::kWhole),
            share(tally.to_newest, Values::kWhole), share(tally.by_equal_chances, Values::kReal)};
}

// `anytime`: it was looked at the hits to decide when to stop; then probabilities have intervals
// that are right whenever one stops.
MeasureResult result_of(const RunTally& tally, const MeasureOptions& options, bool anytime) {
    MeasureResult result;
    result.law = options.law;
    result.runs = tally.runs;
    result.steps = tally.steps;
    result.cut_runs = tally.cut_runs;
    result.confidence = options.confidence;
    result.acquires_per_run = seldom_interval(tally.acquires, options.confidence);
    result.capacity_lost = seldom_interval(tally.lost, options.confidence);
    if (options.ages) {
        result.served = served_of(tally, options.confidence);
    }
    if (options.law.kind == LawKind::kRates) {
        result.seconds_per_run = mean_interval(tally.seconds, options.confidence);
        result.seconds_to_seizure = time_until(tally.seconds_to_seizure, tally.seized_runs,
                                               tally.cut_unseized, tally, options.confidence);
    }
    for (std::size_t i = 0; i < options.check.size(); ++i) {
        result.properties.push_back(
            rates_of(options.check[i], tally.properties[i], tally, options, anytime));
    }
    return result;
}

constexpr std::uint64_t kRunsForCapacities = 16;
constexpr double kSecondsOfRound = 0.05;
constexpr std::size_t kBatchesOfRound = 1024;  // per worker, at most

void check_options(const MeasureOptions& options) {
    LOCKKEEPER_CHECK(options.confidence > 0 && options.confidence < 1);
    LOCKKEEPER_CHECK(!options.below || (*options.below > 0 && *options.below < 1));
    LOCKKEEPER_CHECK(options.relative_width >= 0 && options.steps_max > 0);
}

class Sampling {
  public:
    Sampling(const MakeWalker& make_walker, const MeasureOptions& options)
        : options_(options), crew_(make_walker, options), sum_(crew_.nothing()) {
        check_options(options);
    }

    MeasureResult run() {
        const bool is_sequential = options_.relative_width > 0 || options_.below.has_value();
        try {
            const Capacities capacities = crew_.look_for_capacities(kRunsForCapacities);
            crew_.set_capacities(capacities);
            if (options_.helpers.ranks != nullptr) {
                shared_.emplace(options_, capacities);
            }
            sample();
        } catch (const LimitExceeded& limit) {
            limit_ = limit.what();
        }
        MeasureResult result = result_of(sum_, options_, is_sequential);
        result.method = MeasureMethod::kSampled;
        result.is_below = is_below_;
        result.complete = is_sequential ? reached_ : has_made_all_;
        result.limit = result.complete ? "" : limit_;
        result.seconds = seconds();
        return result;
    }

  private:
    [[nodiscard]] double seconds() const { return began_.elapsed(); }
    // Rounds of batches. How many there are in a round depends on the clock, and who does which on
    // chance; what is merged, and when it is enough, on neither.
    void sample() {
        const std::size_t workers = crew_.size() * (shared_ ? shared_->ranks_count() : 1);
        std::size_t batches = workers;
        while (limit_.empty() && !reached_) {
            const std::uint64_t left = options_.runs_max - sum_.runs;
            if (left == 0) {
                limit_ = "runs";
                has_made_all_ = true;
                break;
            }
            const auto needed = static_cast<std::size_t>(std::min<std::uint64_t>(
                (left + kRunsOfBatch - 1) / kRunsOfBatch, kBatchesOfRound * workers));
            const double began = seconds();
            round(std::min(batches, needed));
            if (seconds() - began < kSecondsOfRound) {
                batches *= 2;
            }
            if (options_.progress) {
                options_.progress(sum_.runs, seconds());
            }
        }
    }

    void round(std::size_t count) {
        std::vector<Batch> batches(count);
        const std::uint64_t first = sum_.runs;
        const std::size_t own =
            shared_ ? shared_->ask(first, count, options_.seconds_max - seconds()) : count;
        crew_.sample(first, {batches.data(), own}, [this]() -> std::string {
            return interrupt_requested()               ? "interrupted"
                   : seconds() >= options_.seconds_max ? "time"
                                                       : "";
        });
        if (shared_) {
            shared_->take_answers(batches);
        }
        for (const Batch& batch : batches) {
            if (batch.error) {
                std::rethrow_exception(batch.error);
            }
            sum_.merge(batch.tally);
            if (!batch.limit.empty()) {
                limit_ = batch.limit;
                return;
            }
            decide();
            if (reached_) {
                return;
            }
        }
    }

    // --- is it enough? ------------------------------------------------------------------------

    void decide() {
        if (options_.below) {
            decide_below();
        }
        const bool is_narrow = options_.relative_width > 0 && narrow();
        reached_ = is_below_.has_value() || is_narrow;
    }

    // Below: all of them are, each tested at the whole error (who is wrong about "all" is wrong
    // about one that is not). Not below: one of them is not, each at its share of the error.
    void decide_below() {
        const double error = 1 - options_.confidence;
        const auto count = static_cast<double>(options_.check.size());
        bool all = !options_.check.empty();
        for (std::size_t i = 0; i < options_.check.size(); ++i) {
            if (!is_seen_in_runs(*options_.check[i])) {
                all = false;
                continue;
            }
            const PropertyTally& sums = sum_.properties[i];
            if (evidence_above(sums.hits, sum_.runs, *options_.below) >= std::log(count / error)) {
                is_below_ = false;
                return;
            }
            // A run that was cut may have met it later.
            const std::uint64_t at_most = sums.hits + sums.cut_before;
            all = all && evidence_below(at_most, sum_.runs, *options_.below) >= -std::log(error);
        }
        if (all) {
            is_below_ = true;
        }
    }

    [[nodiscard]] bool narrow() const {
        const auto is_narrow = [&](const PropertyTally& sums) {
            // Cheap first: the interval is never narrower than 2 standard errors.
            const double target = options_.relative_width;
            const auto hits = static_cast<double>(sums.hits);
            const double miss = 1 - hits / static_cast<double>(sum_.runs);
            return sums.hits > 0 && target * target * hits >= 4 * miss &&
                   relative_width(anytime_interval(sums.hits, sum_.runs, options_.confidence)) <=
                       target;
        };
        return !sum_.properties.empty() &&
               std::all_of(sum_.properties.begin(), sum_.properties.end(), is_narrow);
    }

    const MeasureOptions& options_;
    Deadline began_;
    SamplerCrew crew_;
    std::optional<SharedSampling> shared_;  // where others help
    RunTally sum_;
    std::string limit_;
    bool has_made_all_ = false;  // of the runs that were asked for
    bool reached_ = false;
    std::optional<bool> is_below_;
};

}  // namespace

MeasureResult measure_by_sampling(const MakeWalker& make_walker, const MeasureOptions& options) {
    return Sampling(make_walker, options).run();
}

}  // namespace lockkeeper
