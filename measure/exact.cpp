// SPDX-License-Identifier: Apache-2.0
#include "measure/exact.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "measure/chain_builder.hpp"
#include "measure/extremes.hpp"
#include "measure/measure.hpp"
#include "measure/run.hpp"
#include "measure/solution.hpp"

namespace lockkeeper {
namespace {

constexpr double kFree = std::numeric_limits<double>::quiet_NaN();

bool is_bottom(const Chain& chain, const Components& components, std::size_t component) {
    for (const StateIndex state : components.of(component)) {
        for (std::uint64_t i = chain.offsets[state]; i < chain.offsets[state + 1U]; ++i) {
            if (components.component_of[chain.targets[i]] != component) {
                return false;
            }
        }
    }
    return true;
}

// The figures of a run that never ends, in the long run. Every run ends, or stays in one bottom
// component for ever. There it comes back to a chosen state again and again, and by renewal the
// long-run share is what it collects between two visits, of one thing by the other. Both are
// solutions of a linear system without subtraction, with their bounds (solution.hpp); components
// are weighted by the probability of getting there.
class LongRun {
  public:
    LongRun(const Chain& chain, const Components& components, const SolverLimits& limits)
        : chain_(chain),
          components_(components),
          limits_(limits),
          references_(chain.size(), false),
          transient_zero_(chain.size(), 0) {
        for (StateIndex component = 0; component < components.size(); ++component) {
            if (!is_bottom(chain, components, component)) {
                continue;
            }
            const StateIndex reference = components.of(component)[0];
            if (chain.ends(reference)) {
                continue;
            }
            goes_on_ = true;
            bottoms_.push_back(component);
            references_[reference] = true;
            for (const StateIndex state : components.of(component)) {
                transient_zero_[state] = kFree;
            }
        }
    }

    // Some run never ends.
    [[nodiscard]] bool may_go_on_for_ever() const { return goes_on_; }

    // Divides `part` by `whole`, which states or labels bring (their cuts are set here). A run that
    // ends counts with `ended` of its last state, where that is given, else with nothing.
    [[nodiscard]] Figure share(Collecting part, Collecting whole,
                               const std::vector<bool>& ended) const {
        const Solution above = collect(part);
        const Solution below = collect(whole);
        double error = 0;
        std::vector<double> share(chain_.size(), kFree);
        bool any = false;
        for (const StateIndex component : bottoms_) {
            const StateIndex reference = components_.of(component)[0];
            const double collected = above.values[reference];
            const double value = collected > 0 ? collected / below.values[reference] : 0;
            error = std::max(error, static_cast<double>(above.errors[reference]) +
                                        static_cast<double>(below.errors[reference]));
            any = any || value > 0;
            for (const StateIndex state : components_.of(component)) {
                share[state] = value;
            }
        }
        for (StateIndex state = 0; state < chain_.size(); ++state) {
            if (chain_.ends(state)) {
                share[state] = !ended.empty() && ended[state] ? 1 : 0;
                any = any || share[state] > 0;
            }
        }
        if (!any && error == 0) {
            return {};
        }
        Collecting reaching;
        reaching.cut.fixed = share;
        const Solution reached = solve(chain_, components_, reaching, limits_);
        error = std::min(1.0, 2 * error);
        return {
            reached.values[0], reached.low(0) * (1 - error),
            error < 1 ? reached.high(0) / (1 - error) : std::numeric_limits<double>::infinity()};
    }

  private:
    [[nodiscard]] Solution collect(Collecting& what) const {
        what.cut = {};
        what.cut.fixed = transient_zero_;
        what.cut.stopping_states = references_;
        what.at_end = 0;
        return solve(chain_, components_, what, limits_);
    }

    const Chain& chain_;
    const Components& components_;
    SolverLimits limits_;
    std::vector<bool> references_;        // one state of each bottom component
    std::vector<StateIndex> bottoms_;     // components
    std::vector<double> transient_zero_;  // fixed values: transient states are not asked
    bool goes_on_ = false;
};

using Clock = std::chrono::steady_clock;
constexpr Figure kCertain{1, 1, 1};
constexpr Figure kNever{kInfinity, kInfinity, kInfinity};

Figure plus(Figure figure, double more) {
    return {figure.value + more, figure.low + more, figure.high + more};
}

// Divides expectations: none by none is none.
Figure ratio(const Figure& above, const Figure& below) {
    const auto divide = [](double a, double b) { return a == 0 ? 0 : b == 0 ? kInfinity : a / b; };
    return {divide(above.value, below.value), divide(above.low, below.high),
            divide(above.high, below.low)};
}

class ExactMeasure {
  public:
    ExactMeasure(const ChainGraph& graph, const MeasureOptions& options, SolverLimits limits)
        : chain_(graph.chain),
          judged_in_time_(graph.judged_in_time),
          has_virtual_time_(graph.has_virtual_time),
          options_(options),
          limits_(limits),
          components_(components_of(chain_, {})),
          long_run_(chain_, components_, limits_) {
        std::transform(chain_.exit_rates.begin(), chain_.exit_rates.end(),
                       std::back_inserter(stays_),
                       [](double rate) { return rate > 0 ? 1 / rate : 0; });
    }

    // Every figure that was asked for so far has a bound of its error.
    [[nodiscard]] bool is_proved() const { return is_proved_; }

    void fill_in(MeasureResult& result) {
        grants_ = grants();
        acquires_ = at_first(collect(grants_));
        result.acquires_per_run = acquires_;
        result.capacity_lost = capacity_lost();
        const std::size_t count = std::min(options_.check.size(), kExactPropertiesMax);
        for (std::size_t i = 0; i < count; ++i) {
            result.properties.push_back(rates_of(i));
        }
        if (timed()) {
            result.seconds_per_run = at_first(collect(time()));
            result.seconds_to_seizure = seconds_to_seizure();
        }
    }

  private:
    [[nodiscard]] bool timed() const { return options_.law.kind == LawKind::kRates; }
    [[nodiscard]] Solution collect(const Collecting& what) const {
        return solve(chain_, components_, what, limits_);
    }
    [[nodiscard]] Figure at_first(const Solution& solution, double most = kInfinity) const {
        is_proved_ = is_proved_ && std::isfinite(solution.errors[0]);
        return {solution.values[0], solution.low(0), solution.high(0, most)};
    }

    // --- what is collected ------------------------------------------------------------------

    template <class Brings>
    [[nodiscard]] Collecting by_label(Brings brings) const {
        Collecting what;
        for (const TransitionLabel& label : chain_.labels) {
            what.by_label.push_back(brings(label) ? 1 : 0);
        }
        return what;
    }
    [[nodiscard]] Collecting grants() const {
        return by_label([](const TransitionLabel& label) { return label.grants; });
    }
    [[nodiscard]] Collecting violations(std::uint32_t which) const {
        return by_label(
            [&](const TransitionLabel& label) { return (label.violated & which) != 0; });
    }
    [[nodiscard]] Collecting time() const {
        Collecting what;
        what.by_state = stays_;
        return what;
    }
    [[nodiscard]] std::vector<bool> stops(std::uint32_t which) const {
        std::vector<bool> stops;
        for (const TransitionLabel& label : chain_.labels) {
            stops.push_back((label.violated & which) != 0);
        }
        return stops;
    }

    // --- of one property --------------------------------------------------------------------

    [[nodiscard]] PropertyRates rates_of(std::size_t place) {
        const std::uint32_t which = property_bit(place);
        PropertyRates rates;
        rates.property = options_.check[place];
        const bool at_once = (chain_.violated_at_first & which) != 0;
        if ((chain_.violated_anywhere() & which) == 0) {
            rates.to_first = timed() ? std::optional(kNever) : std::nullopt;
        } else {
            const Collecting each = violations(which);
            Collecting once = each;
            once.cut.label_stops = stops(which);
            rates.per_run = at_once ? kCertain : at_first(collect(once), 1);
            rates.count_per_run = plus(at_first(collect(each)), at_once ? 1 : 0);
            rates.per_acquire = per_acquire(each, rates.count_per_run);
            if (timed()) {
                rates.to_first = at_once ? Figure{} : to_first(which);
            }
        }
        if (timed() && (judged_in_time_ & which) != 0) {
            judge_time(rates, which);
        }
        judge_overlap(rates);
        return rates;
    }

    void judge_overlap(PropertyRates& rates) const {
        if (!has_virtual_time_ || !is_overlap(*rates.property)) {
            return;
        }
        const bool of_beliefs = rates.property->is(PropertyNumber::kBeliefOverlap);
        Collecting what;
        what.by_state = of_beliefs ? chain_.beliefs_overlap_for : chain_.grants_overlap_for;
        rates.overlap_lasts = at_first(collect(what));
        rates.overlap_lasts_if_any = ratio(*rates.overlap_lasts, rates.per_run);
    }

    // Runs that go on for ever are granted without end: then in the long run.
    [[nodiscard]] Figure per_acquire(const Collecting& each, const Figure& count) const {
        if (std::isfinite(acquires_.value) || std::isfinite(count.value)) {
            return ratio(count, acquires_);
        }
        const std::vector<double> ones(chain_.size(), 1);
        Collecting steps;
        steps.by_state = ones;
        return ratio(long_run_.share(each, steps, {}), long_run_.share(grants_, steps, {}));
    }

    [[nodiscard]] Figure to_first(std::uint32_t which) const {
        Collecting what = time();
        what.cut.label_stops = stops(which);
        what.at_end = kInfinity;
        return at_first(collect(what));
    }

    void judge_time(PropertyRates& rates, std::uint32_t which) const {
        std::vector<double> stays(chain_.size(), 0);
        std::vector<bool> ended(chain_.size(), false);
        for (StateIndex state = 0; state < chain_.size(); ++state) {
            if ((chain_.violating[state] & which) != 0) {
                stays[state] = stays_[state];
                ended[state] = chain_.ends(state);
            }
        }
        Collecting what;
        what.by_state = stays;
        rates.violating_seconds = at_first(collect(what));
        if (long_run_.may_go_on_for_ever()) {
            rates.fraction_of_time = long_run_.share(what, time(), ended);
            rates.fraction_of_time->high = std::min(1.0, rates.fraction_of_time->high);
        }
    }

    // --- of the system ----------------------------------------------------------------------

    [[nodiscard]] Figure capacity_lost() const {
        if (std::all_of(chain_.units_lost.begin(), chain_.units_lost.end(),
                        [](std::uint32_t units) { return units == 0; })) {
            return {};
        }
        std::vector<double> at_end(chain_.size(), std::numeric_limits<double>::quiet_NaN());
        for (StateIndex state = 0; state < chain_.size(); ++state) {
            if (chain_.ends(state)) {
                at_end[state] = chain_.units_lost[state];
            }
        }
        Collecting what;
        what.cut.fixed = at_end;
        return at_first(collect(what));
    }

    [[nodiscard]] Figure seconds_to_seizure() const {
        if (std::find(chain_.seized.begin(), chain_.seized.end(), true) == chain_.seized.end()) {
            return kNever;
        }
        std::vector<double> none_left(chain_.size(), std::numeric_limits<double>::quiet_NaN());
        for (StateIndex state = 0; state < chain_.size(); ++state) {
            if (chain_.seized[state]) {
                none_left[state] = 0;
            }
        }
        Collecting what = time();
        what.cut.fixed = none_left;
        what.at_end = kInfinity;
        return at_first(collect(what));
    }

    const Chain& chain_;
    std::uint32_t judged_in_time_;
    bool has_virtual_time_;
    mutable bool is_proved_ = true;
    const MeasureOptions& options_;
    SolverLimits limits_;
    Components components_;
    LongRun long_run_;
    std::vector<double> stays_;  // mean seconds of one stay, by state
    Collecting grants_;
    Figure acquires_;
};

SolverLimits solver_limits(const MeasureOptions& options, const Chain& chain,
                           Clock::time_point began) {
    SolverLimits limits;
    limits.precision = options.precision;
    limits.probability_error = chain.probability_error;
    if (options.seconds_max < 1e9) {
        limits.deadline = began + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.seconds_max));
    }
    return limits;
}

}  // namespace

MeasureResult measure_exactly(const ErasedSystem& system, const MeasureOptions& options) {
    const Clock::time_point began = Clock::now();
    const ChainGraph graph = build_chain(system, options);
    MeasureResult result;
    result.law = options.law;
    result.states = graph.states.size();
    result.transitions = graph.transitions;
    result.limit = graph.limit;
    result.complete = graph.limit.empty();
    if (result.complete) {
        const SolverLimits limits = solver_limits(options, graph.chain, began);
        ExactMeasure exact(graph, options, limits);
        exact.fill_in(result);
        if (!exact.is_proved()) {
            // A figure without bounds is not exact.
            result.complete = false;
            result.properties.clear();
            result.limit =
                Clock::now() >= limits.deadline ? "time" : "a figure without proved bounds";
        } else if (options.bounds) {
            add_extremes(system, options, graph, limits, result);
        }
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return result;
}

}  // namespace lockkeeper
