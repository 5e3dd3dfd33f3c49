// SPDX-License-Identifier: Apache-2.0
#include "measure/long_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

LongRun::LongRun(const Chain& chain, const Components& components, const SolverLimits& limits)
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

Solution LongRun::collect(Collecting& what) const {
    what.cut = {};
    what.cut.fixed = transient_zero_;
    what.cut.stopping_states = references_;
    what.at_end = 0;
    return solve(chain_, components_, what, limits_);
}

Figure LongRun::share(Collecting part, Collecting whole, const std::vector<bool>& ended) const {
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
    return {reached.values[0], reached.low(0) * (1 - error),
            error < 1 ? reached.high(0) / (1 - error) : std::numeric_limits<double>::infinity()};
}

}  // namespace lockkeeper
