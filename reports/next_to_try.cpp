// SPDX-License-Identifier: Apache-2.0
#include "reports/next_to_try.hpp"

#include <fmt/format.h>

namespace lockkeeper {
namespace {

struct LimitFlag {
    std::string_view limit;
    const char* flag;
};
constexpr LimitFlag kLimitFlags[] = {
    {"states", "a larger --max-states"}, {"memory", "more --memory"},
    {"time", "a longer --time-limit"},   {"depth", "a larger --max-steps"},
    {"steps", "a larger --max-steps"},   {"schedules", "more --schedules"},
};

}  // namespace

std::string flag_beyond(std::string_view limit) {
    for (const LimitFlag& known : kLimitFlags) {
        if (known.limit == limit) {
            return known.flag;
        }
    }
    return "";
}

std::string next_text(const std::vector<std::string>& to_try) {
    return to_try.empty() ? "" : fmt::format("{:<24}{}\n", "try next", fmt::join(to_try, "; "));
}

}  // namespace lockkeeper
