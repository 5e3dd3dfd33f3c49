// SPDX-License-Identifier: Apache-2.0
#include "measure/sampling_result.hpp"

#include <algorithm>
#include <limits>

#include "measure/run.hpp"

namespace lockkeeper {
namespace {

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

}  // namespace

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

}  // namespace lockkeeper
