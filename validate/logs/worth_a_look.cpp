// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/worth_a_look.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kMomentsAround = 6;  // before and behind what matters
constexpr std::size_t kDifferencesShownMax = 3;

// Names what happened, whenever it was; empty: it is in every run.
std::string event_of(const Problem& problem, const Moment& moment) {
    const std::string caller =
        moment.caller < problem.callers.size() ? problem.callers[moment.caller] : "nobody";
    if (moment.is_outside) {
        return caller + " acts without the lock";
    }
    return moment.is_served ? caller + "'s " + name_of(moment.code) +
                                  (moment.is_refused ? " is refused" : " is carried out")
                            : "";
}

std::string when(const Moment& moment, const TimeForm& form) {
    const bool has_begin = moment.earliest > kLongAgo / 2;
    const bool has_end = moment.latest < kNever / 2;
    if (!has_begin) {
        return has_end ? "before " + time_text(moment.latest, form, true) : "at some time";
    }
    return time_text(moment.earliest, form, false) +
           (has_end ? ".." + time_text(moment.latest, form, true) : " or later");
}

// Names what `run` has more often than `other`.
std::string only_in(const Problem& problem, const Retold& run, const Retold& other,
                    const TimeForm& form) {
    std::map<std::string, std::size_t> counts;
    for (const Moment& moment : other.moments) {
        ++counts[event_of(problem, moment)];
    }
    std::string text;
    std::size_t shown = 0;
    for (const Moment& moment : run.moments) {
        const std::string event = event_of(problem, moment);
        std::size_t& left = counts[event];
        if (event.empty() || left > 0) {
            left -= left > 0 ? 1 : 0;
            continue;
        }
        if (++shown <= kDifferencesShownMax) {
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", event, when(moment, form));
        }
    }
    return shown > kDifferencesShownMax
               ? fmt::format("{} and {} more", text, shown - kDifferencesShownMax)
               : text;
}

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

std::string differences(const Problem& problem, const Retold& first, const Retold& other,
                        const TimeForm& form) {
    const std::string one = only_in(problem, first, other, form);
    const std::string two = only_in(problem, other, first, form);
    if (one.empty() && two.empty()) {
        return "";
    }
    return "  the runs differ: " + (one.empty() ? "" : "only in the first " + one) +
           (one.empty() || two.empty() ? "" : "; ") +
           (two.empty() ? "" : "only in this one " + two) + "\n";
}

}  // namespace lockkeeper::logs
