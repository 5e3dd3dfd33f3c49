#include "app/agreement.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/check.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

class Comparison {
  public:
    explicit Comparison(double confidence) : confidence_(confidence) {}

    void compare(const std::string& what, const Figure& exact, const Figure& sampled) {
        constexpr double kRounding = 1e-9;
        if (std::isinf(exact.value) || !std::isfinite(sampled.value)) {
            return;  // what need not happen has no mean
        }
        ++figures;
        const double margin = kRounding * std::max(1.0, std::abs(exact.value));
        if (difference.empty() &&
            (exact.low > sampled.high + margin || exact.high < sampled.low - margin)) {
            difference = fmt::format(
                "{}: exact {:.9g}, sampled {:.9g} in [{:.9g}, {:.9g}] at confidence {}", what,
                exact.value, sampled.value, sampled.low, sampled.high, confidence_);
        }
    }
    void compare(const std::string& what, const std::optional<Figure>& exact,
                 const std::optional<Figure>& sampled) {
        if (exact && sampled) {
            compare(what, *exact, *sampled);
        }
    }

    std::string difference;  // the first
    std::uint64_t figures = 0;

  private:
    double confidence_;
};

void compare_property(const PropertyRates& exact, const PropertyRates& sampled,
                      Comparison& comparison) {
    const std::string title = title_of(*exact.property);
    comparison.compare(title, exact.per_run, sampled.per_run);
    if (sampled.hits < kHitsOfAMean) {
        return;
    }
    comparison.compare(title + ", count in a run", exact.count_per_run, sampled.count_per_run);
    comparison.compare(title + ", per acquire", exact.per_acquire, sampled.per_acquire);
    comparison.compare(title + ", seconds to the first", exact.to_first, sampled.to_first);
    comparison.compare(title + ", violating seconds", exact.violating_seconds,
                       sampled.violating_seconds);
    comparison.compare(title + ", how long in a run", exact.overlap_lasts, sampled.overlap_lasts);
    comparison.compare(title + ", how long where there is one", exact.overlap_lasts_if_any,
                       sampled.overlap_lasts_if_any);
}

}  // namespace

Agreement compared(const MeasureResult& exact, MeasureResult sampled) {
    LOCKKEEPER_CHECK(exact.properties.size() == sampled.properties.size() && sampled.cut_runs == 0);
    Comparison comparison(sampled.confidence);
    for (std::size_t i = 0; i < exact.properties.size(); ++i) {
        compare_property(exact.properties[i], sampled.properties[i], comparison);
        if (exact.properties[i].property->name == "leak" &&
            sampled.properties[i].hits >= kHitsOfAMean) {
            comparison.compare("capacity lost in a run", exact.capacity_lost,
                               sampled.capacity_lost);
        }
    }
    comparison.compare("acquires granted in a run", exact.acquires_per_run,
                       sampled.acquires_per_run);
    comparison.compare("seconds of a run", exact.seconds_per_run, sampled.seconds_per_run);
    Agreement agreement;
    agreement.agrees = comparison.difference.empty();
    agreement.difference = comparison.difference;
    agreement.figures = comparison.figures;
    agreement.sampled = std::move(sampled);
    return agreement;
}

}  // namespace lockkeeper
