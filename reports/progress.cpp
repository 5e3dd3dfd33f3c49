// SPDX-License-Identifier: Apache-2.0
#include "reports/progress.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "scheduler/proofs/proof_progress.hpp"
#include "scheduler/runs/fuzz.hpp"
#include "scheduler/search/explore.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {
constexpr double kTerminalSeconds = 0.5;
constexpr double kPlainSeconds = 5;

constexpr double kDay = 86'400;
constexpr double kYear = 365 * kDay;  // nobody waits so long, however much longer it is

// "40 s", "3 min", "2.5 h", "12 days", "more than a year": as precise as a guess is.
std::string about(double seconds) {
    constexpr double kMinute = 60;
    constexpr double kHour = 3600;
    if (seconds > kYear) {
        return "more than a year";
    }
    if (seconds < 2 * kMinute) {
        return fmt::format("{:.0f} s", seconds);
    }
    return seconds < 2 * kHour  ? fmt::format("{:.0f} min", seconds / kMinute)
           : seconds < 2 * kDay ? fmt::format("{:.0f} h", seconds / kHour)
                                : fmt::format("{:.3g} days", seconds / kDay);
}

// At the speed so far, and not beyond the limit of time.
double seconds_left(double done, double total, double seconds, const ProgressLimits& limits) {
    const double by_count = done > 0 ? seconds * std::max(0.0, total - done) / done
                                     : std::numeric_limits<double>::infinity();
    return std::min(by_count, std::max(0.0, limits.seconds - seconds));
}

// ", about 3 min left (10 s to 6 h)"
std::string span_text(double likely, double least, double most) {
    if (least > kYear) {
        return ", more than a year left";
    }
    const bool is_long = likely > kYear;
    return fmt::format(", {}{} left ({} to {})", is_long ? "" : "about ", about(likely),
                       about(least), about(most));
}

// The time left for a number of runs that is known in advance.
std::string left_text(std::uint64_t done, double seconds, const ProgressLimits& limits) {
    const double total = limits.count > 0 ? static_cast<double>(limits.count)
                                          : std::numeric_limits<double>::infinity();
    const double left = seconds_left(static_cast<double>(done), total, seconds, limits);
    return left <= kYear ? fmt::format(", at most {} left", about(left)) : "";
}

}  // namespace

std::string progress_text(const ExploreProgress& progress, const ProgressLimits& limits) {
    std::string text =
        fmt::format("{} states, {} transitions, depth {}, frontier {}, {}, {}, {}",
                    with_commas(progress.states), with_commas(progress.transitions), progress.depth,
                    with_commas(progress.frontier), bytes_text(progress.bytes),
                    rate_text(progress.states, progress.seconds), seconds_text(progress.seconds));
    if (progress.ranks) {
        text += ", " + ranks_text(*progress.ranks, progress.transitions);
    }
    if (progress.estimate) {
        text +=
            fmt::format(", estimate {:.2g} states ({:.2g} to {:.2g})", progress.estimate->states,
                        progress.estimate->least, progress.estimate->most);
        const auto left = [&](double total) {
            return seconds_left(static_cast<double>(progress.states), total, progress.seconds,
                                limits);
        };
        text += span_text(left(progress.estimate->states), left(progress.estimate->least),
                          left(progress.estimate->most));
    } else {
        text += left_text(progress.states, progress.seconds, {0, limits.seconds});
    }
    return text;
}

std::string ranks_text(const RanksUse& ranks, std::uint64_t transitions) {
    return fmt::format(
        "{} ranks, the fullest {:.2f} of the mean, waiting {:.0f} % of the time, {:.2f} bytes sent "
        "a transition",
        ranks.count, ranks.imbalance, 100 * ranks.share_waiting,
        transitions == 0
            ? 0
            : static_cast<double>(ranks.bytes_sent) / static_cast<double>(transitions));
}

std::string progress_text(const FuzzProgress& progress, const ProgressLimits& limits) {
    return fmt::format("{} schedules, {} steps, {}, {}", with_commas(progress.schedules),
                       with_commas(progress.steps), rate_text(progress.steps, progress.seconds),
                       seconds_text(progress.seconds)) +
           left_text(progress.schedules, progress.seconds, limits);
}

std::string progress_text(const MeasureProgress& progress, const ProgressLimits& limits) {
    return fmt::format("measured {} states or runs, {}, {}", with_commas(progress.done),
                       rate_text(progress.done, progress.seconds), seconds_text(progress.seconds)) +
           left_text(progress.done, progress.seconds, limits);
}

std::string progress_text(const proofs::ProofProgress& progress, const ProgressLimits& limits) {
    std::string text = fmt::format(
        "{}: {} {}", progress.doing,
        progress.all > 0
            ? fmt::format("{} of {}", with_commas(progress.done), with_commas(progress.all))
            : with_commas(progress.done),
        progress.what);
    if (progress.situations > 0) {
        text += fmt::format(", {} shared values, {} situations of a caller",
                            with_commas(progress.shared), with_commas(progress.situations));
    }
    return text + ", " + seconds_text(progress.seconds) +
           left_text(progress.done, progress.seconds, {0, limits.seconds});
}

bool ProgressLine::is_due(double seconds) {
    last_seconds_ = seconds < last_seconds_ ? 0 : last_seconds_;
    return !quiet_ && seconds - last_seconds_ >= (is_terminal_ ? kTerminalSeconds : kPlainSeconds);
}

void ProgressLine::write(const std::string& line, double seconds) {
    last_seconds_ = seconds;
    if (is_terminal_) {
        const std::size_t rest = shown_ > line.size() ? shown_ - line.size() : 0;
        err_ << '\r' << line << std::string(rest, ' ') << std::flush;
        shown_ = line.size();
    } else {
        err_ << line << std::endl;
    }
}

template <class Progress>
void ProgressLine::show_when_due(const Progress& progress) {
    if (is_due(progress.seconds)) {
        write(progress_text(progress, limits_), progress.seconds);
    }
}

void ProgressLine::show(const ExploreProgress& progress) { show_when_due(progress); }
void ProgressLine::show(const FuzzProgress& progress) { show_when_due(progress); }
void ProgressLine::show(const MeasureProgress& progress) { show_when_due(progress); }
void ProgressLine::show(const proofs::ProofProgress& progress) { show_when_due(progress); }

void ProgressLine::say(const RanksUse& ranks, std::uint64_t transitions) {
    say(ranks_text(ranks, transitions));
}

void ProgressLine::say(const std::string& line) {
    if (!quiet_) {
        wipe();
        err_ << line << std::endl;
    }
}

void ProgressLine::wipe() {
    if (shown_ > 0) {
        err_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
        shown_ = 0;
    }
}

}  // namespace lockkeeper
