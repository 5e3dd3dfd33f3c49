// SPDX-License-Identifier: Apache-2.0
#include "scenarios/nearest_name.hpp"

#include <algorithm>
#include <array>

namespace lockkeeper {
namespace {

constexpr std::size_t kBytesMax = 64;  // longer names are no typing errors of ours

// Edit distance in which exchanging two neighbours counts as one.
std::size_t distance(std::string_view from, std::string_view to) {
    std::array<std::array<std::size_t, kBytesMax + 1>, kBytesMax + 1> best{};
    for (std::size_t i = 0; i <= from.size(); ++i) {
        for (std::size_t j = 0; j <= to.size(); ++j) {
            if (i == 0 || j == 0) {
                best[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = best[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            best[i][j] = std::min({replaced, best[i - 1][j] + 1, best[i][j - 1] + 1});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                best[i][j] = std::min(best[i][j], best[i - 2][j - 2] + 1);
            }
        }
    }
    return best[from.size()][to.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string_view>& known) {
    if (name.empty() || name.size() > kBytesMax) {
        return std::nullopt;
    }
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    std::optional<std::string> nearest;
    for (const std::string_view candidate : known) {
        if (candidate.size() > kBytesMax) {
            continue;
        }
        // "crash" for "crashes", "max" for "max_per": a beginning is as good as one wrong letter.
        const bool begins = name.size() >= 3 && candidate.starts_with(name);
        const std::size_t away = begins ? 1 : distance(name, candidate);
        if (away < least) {
            least = away;
            nearest = std::string(candidate);
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known,
                         const std::string& otherwise) {
    const auto nearest = nearest_name(name, known);
    return nearest ? "; did you mean \"" + *nearest + "\"?" : otherwise;
}

}  // namespace lockkeeper
