#include "reports/progress.hpp"

#include <ostream>

#include <fmt/format.h>

#include "reports/words.hpp"

namespace lockkeeper {
namespace {
constexpr double kTerminalSeconds = 0.5;
constexpr double kPlainSeconds = 5;
}  // namespace

std::string progress_text(const ExploreProgress& progress) {
    std::string text =
        fmt::format("{} states, {} transitions, depth {}, frontier {}, {}, {}, {}",
                    with_commas(progress.states), with_commas(progress.transitions), progress.depth,
                    with_commas(progress.frontier), bytes_text(progress.bytes),
                    rate_text(progress.states, progress.seconds), seconds_text(progress.seconds));
    if (progress.estimate) {
        text +=
            fmt::format(", estimate {:.2g} states ({:.2g} to {:.2g})", progress.estimate->states,
                        progress.estimate->least, progress.estimate->most);
    }
    return text;
}

std::string progress_text(const FuzzProgress& progress) {
    return fmt::format("{} schedules, {} steps, {}, {}", with_commas(progress.schedules),
                       with_commas(progress.steps), rate_text(progress.steps, progress.seconds),
                       seconds_text(progress.seconds));
}

std::string progress_text(const MeasureProgress& progress) {
    return fmt::format("measured {} states or runs, {}, {}", with_commas(progress.done),
                       rate_text(progress.done, progress.seconds), seconds_text(progress.seconds));
}

bool ProgressLine::is_due(double seconds) const {
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

void ProgressLine::wipe() {
    if (shown_ > 0) {
        err_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
        shown_ = 0;
    }
}

}  // namespace lockkeeper
