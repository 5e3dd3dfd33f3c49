// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/shown_moments.hpp"

#include <algorithm>

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kMomentsAround = 6;  // before and behind what matters

}  // namespace

std::vector<bool> shown_moments(const Retold& run, bool is_found) {
    std::vector<bool> shown(run.moments.size(), run.moments.size() <= kMomentsMax);
    const auto show = [&](std::size_t position) {
        const std::size_t begin = position > kMomentsAround ? position - kMomentsAround : 0;
        for (std::size_t i = begin; i < std::min(position + kMomentsAround + 1, shown.size());
             ++i) {
            shown[i] = true;
        }
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < run.moments.size() && count < kMomentsMax; ++i) {
        if (run.moments[i].is_outside) {
            show(i);
            ++count;
        }
    }
    for (const LostLine& lost : run.lost) {
        const auto at = std::lower_bound(
            run.moments.begin(), run.moments.end(), lost.time,
            [](const Moment& moment, std::int64_t when) { return moment.earliest < when; });
        if (at != run.moments.end() && count < kMomentsMax) {
            show(static_cast<std::size_t>(at - run.moments.begin()));
            ++count;
        }
    }
    if (!is_found && !shown.empty()) {
        show(shown.size() - 1);
    }
    return shown;
}

}  // namespace lockkeeper::logs
