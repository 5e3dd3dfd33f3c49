// SPDX-License-Identifier: Apache-2.0
#include "measure/agreement.hpp"

#include <algorithm>
#include <cmath>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

void compare(const Property* property, ComparedFigure which, const Figure& exact,
             const Figure& sampled, Agreement& agreement) {
    constexpr double kRounding = 1e-9;
    if (std::isinf(exact.value) || !std::isfinite(sampled.value)) {
        return;  // what need not happen has no mean
    }
    ++agreement.figures;
    const double margin = kRounding * std::max(1.0, std::abs(exact.value));
    if (agreement.agrees() &&
        (exact.low > sampled.high + margin || exact.high < sampled.low - margin)) {
        agreement.difference = {property, which, exact, sampled};
    }
}
void compare(const Property* property, ComparedFigure which, const std::optional<Figure>& exact,
             const std::optional<Figure>& sampled, Agreement& agreement) {
    if (exact && sampled) {
        compare(property, which, *exact, *sampled, agreement);
    }
}

void compare_property(const PropertyRates& exact, const PropertyRates& sampled,
                      Agreement& agreement) {
    using enum ComparedFigure;
    const auto one = [&](ComparedFigure which, auto member) {
        compare(exact.property, which, exact.*member, sampled.*member, agreement);
    };
    one(kPerRun, &PropertyRates::per_run);
    if (sampled.hits < kHitsOfAMean) {
        return;
    }
    one(kCountPerRun, &PropertyRates::count_per_run);
    one(kPerAcquire, &PropertyRates::per_acquire);
    one(kSecondsToFirst, &PropertyRates::to_first);
    one(kViolatingSeconds, &PropertyRates::violating_seconds);
    one(kOverlapLasts, &PropertyRates::overlap_lasts);
    one(kOverlapLastsIfAny, &PropertyRates::overlap_lasts_if_any);
}

}  // namespace

Agreement compared(const MeasureResult& exact, MeasureResult sampled) {
    LOCKKEEPER_CHECK(exact.properties.size() == sampled.properties.size() && sampled.cut_runs == 0);
    Agreement agreement;
    const auto whole_run = [&](ComparedFigure which, auto member) {
        compare(nullptr, which, exact.*member, sampled.*member, agreement);
    };
    for (std::size_t i = 0; i < exact.properties.size(); ++i) {
        compare_property(exact.properties[i], sampled.properties[i], agreement);
        if (exact.properties[i].property->name == "leak" &&
            sampled.properties[i].hits >= kHitsOfAMean) {
            whole_run(ComparedFigure::kCapacityLost, &MeasureResult::capacity_lost);
        }
    }
    whole_run(ComparedFigure::kAcquiresPerRun, &MeasureResult::acquires_per_run);
    whole_run(ComparedFigure::kSecondsPerRun, &MeasureResult::seconds_per_run);
    agreement.sampled = std::move(sampled);
    return agreement;
}

}  // namespace lockkeeper
