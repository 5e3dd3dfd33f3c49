// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace lockkeeper {
namespace {

constexpr std::size_t kLevelsMin = 8;
constexpr std::size_t kLevelsAhead = 10'000;
// Fewer are found before anybody has read an estimate. It is made after each level, and one of
// thousands of small levels would take longer than their states.
constexpr double kStatesMin = 20'000;

struct Parabola {
    double constant = 0;
    double linear = 0;
    double square = 0;

    [[nodiscard]] double at(double x) const { return constant + x * (linear + x * square); }
};

// Least squares through (0, y0), (1, y1), ...; three normal equations, solved by elimination.
Parabola fit(const double* values, std::size_t count) {
    std::array<std::array<double, 4>, 3> rows{};
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<double>(i);
        const std::array<double, 3> powers{1, x, x * x};
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                rows[row][column] += powers[row] * powers[column];
            }
            rows[row][3] += powers[row] * values[i];
        }
    }
    for (std::size_t pivot = 0; pivot < 3; ++pivot) {
        for (std::size_t row = 0; row < 3; ++row) {
            const double factor = rows[row][pivot] / rows[pivot][pivot];
            for (std::size_t column = 0; row != pivot && column < 4; ++column) {
                rows[row][column] -= factor * rows[pivot][column];
            }
        }
    }
    return {rows[0][3] / rows[0][0], rows[1][3] / rows[1][1], rows[2][3] / rows[2][2]};
}

// How many states the last `count` levels promise beyond them; nothing while they bend upwards.
std::optional<double> still_to_come(const std::vector<double>& logs, std::size_t count) {
    const Parabola parabola = fit(logs.data() + (logs.size() - count), count);
    if (!(parabola.square < -1e-9)) {
        return std::nullopt;
    }
    double sum = 0;
    for (std::size_t ahead = 0; ahead < kLevelsAhead; ++ahead) {
        const double level = parabola.at(static_cast<double>(count + ahead));
        const bool falls = parabola.linear + 2 * parabola.square * static_cast<double>(count) < 0;
        if (level < 0 && (falls || ahead > count)) {
            break;  // less than one state
        }
        sum += std::exp(std::min(level, 100.0));
    }
    return sum;
}

}  // namespace

std::optional<TotalEstimate> estimate_total(const std::vector<std::uint64_t>& levels) {
    double known = 0;
    for (const std::uint64_t level : levels) {
        known += static_cast<double>(level);
    }
    if (known < kStatesMin) {
        return std::nullopt;
    }
    std::vector<double> logs;
    logs.reserve(levels.size());
    for (const std::uint64_t level : levels) {
        logs.push_back(std::log(static_cast<double>(std::max<std::uint64_t>(level, 1))));
    }
    std::vector<double> totals;
    for (const std::size_t part : {4U, 3U, 2U}) {
        const std::size_t count = std::max(kLevelsMin, levels.size() / part);
        if (count > levels.size()) {
            return std::nullopt;
        }
        if (const auto rest = still_to_come(logs, count)) {
            totals.push_back(known + *rest);
        }
    }
    if (totals.size() < 2) {
        return std::nullopt;
    }
    std::sort(totals.begin(), totals.end());
    return TotalEstimate{totals[totals.size() / 2], totals.front(), totals.back()};
}

}  // namespace lockkeeper
