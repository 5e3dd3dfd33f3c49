// SPDX-License-Identifier: Apache-2.0

// A picture for each file, each below the one before: the rates that were measured, or the runs
// that were found.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/drawn_run.hpp"
#include "reports/rate_plot.hpp"
#include "reports/xml.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kRowsMax = 400;
constexpr double kRowHeight = 18;
constexpr double kLanesHeadHeight = 62;
constexpr double kFirstLane = 60;
constexpr double kLaneWidth = 250;
constexpr double kStateWidth = 460;
constexpr std::size_t kLaneLetters = 36;
constexpr std::size_t kStateLetters = 70;

constexpr const char* kBlack = "#000000";
constexpr const char* kGrey = "#bbbbbb";
constexpr const char* kLightBlue = "#8fb0d6";  // messages cross the words of steps
constexpr const char* kGreen = "#3b7d3b";
constexpr const char* kRed = "#b3421b";

// One run as a picture: a lane for each party from top to bottom, a row for each step with the
// state after it, bars for open operations and for locks held, arrows for messages.
class LanesPicture {
  public:
    // Does not own the results that the run is of.
    explicit LanesPicture(DrawnRun run)
        : run_(std::move(run)), window_(window_of(run_.steps().size(), kRowsMax)) {
        for (std::size_t i = 0; i < run_.parties().size(); ++i) {
            if (run_.takes_part(i)) {
                lanes_.push_back(i);
            }
        }
    }

    [[nodiscard]] double width() const {
        return kFirstLane + kLaneWidth * static_cast<double>(lanes_.size()) + kStateWidth;
    }
    [[nodiscard]] double height() const {
        const std::size_t shown = window_.head + (run_.steps().size() + 1 - window_.tail);
        return kLanesHeadHeight + kRowHeight * static_cast<double>(shown + 3);
    }
    void draw(Svg& svg, double top) const {
        draw_head(svg, top);
        draw_operations(svg, top);
        draw_holdings(svg, top);
        draw_messages(svg, top);
        for (std::size_t number = 1; number <= run_.steps().size(); ++number) {
            if (window_.has(number)) {
                draw_step(number, svg, top);
            }
        }
        if (window_.left_out() > 0) {
            svg.text(kFirstLane, y_of(window_.head + 1, top) + 4,
                     fmt::format("... {} left out ...", counted(window_.left_out(), "step")),
                     Svg::Anchor::kStart);
        }
        if (const auto start = run_.cycle_start()) {
            svg.text(kFirstLane, y_of(run_.steps().size() + 1, top) + 4,
                     fmt::format("for ever from step {} on", *start + 1), Svg::Anchor::kStart,
                     true);
        }
    }

  private:
    // Steps that are left out have no row of their own, but one for all of them.
    [[nodiscard]] double y_of(std::size_t step, double top) const {
        std::size_t row = step;
        if (step > window_.head && window_.left_out() > 0) {
            row = step < window_.tail ? window_.head + 1 : step - window_.left_out() + 1;
        }
        return top + kLanesHeadHeight + kRowHeight * static_cast<double>(row);
    }
    [[nodiscard]] double x_of(std::size_t party) const {
        const auto at = std::find(lanes_.begin(), lanes_.end(), party);
        return kFirstLane + kLaneWidth * static_cast<double>(at - lanes_.begin()) + 10;
    }
    void draw_head(Svg& svg, double top) const {
        svg.text(10, top + 20, run_.report().file + ": " + run_.title(), Svg::Anchor::kStart, true);
        const double bottom = y_of(run_.steps().size(), top) + kRowHeight / 2;
        for (const std::size_t party : lanes_) {
            svg.line(x_of(party), top + kLanesHeadHeight - 6, x_of(party), bottom, kGrey, 1);
            svg.text(x_of(party), top + kLanesHeadHeight - 14,
                     abbreviated(clean_line(run_.parties()[party]), kLaneLetters),
                     Svg::Anchor::kStart, true);
        }
        svg.text(width() - kStateWidth, top + kLanesHeadHeight - 14, "state after the step",
                 Svg::Anchor::kStart, true);
    }
    void draw_operations(Svg& svg, double top) const {
        for (const DrawnOperation& operation : run_.operations()) {
            const double x = x_of(operation.party);
            const std::size_t last = operation.last.value_or(run_.steps().size());
            svg.line(x, y_of(operation.first, top) - 7, x, y_of(last, top) + 7, kGrey, 9);
        }
    }
    // From the step after which the caller believes to hold a lock, of whatever key.
    void draw_holdings(Svg& svg, double top) const {
        const std::vector<ShownField>& fields = run_.trace().fields;
        std::map<std::size_t, std::size_t> since;  // of each field, a step
        const auto change = [&](std::size_t field, std::int32_t value, std::size_t step) {
            if (fields[field].kind != ShownKind::kBelieved || !fields[field].caller) {
                return;
            }
            const auto open = since.find(field);
            if (value > 0 && open == since.end()) {
                since.emplace(field, step);
            } else if (value <= 0 && open != since.end()) {
                const double x = x_of(*fields[field].caller) - 8;
                svg.line(x, y_of(open->second, top), x, y_of(step, top), kGreen, 4);
                since.erase(open);
            }
        };
        for (std::size_t i = 0; i < fields.size(); ++i) {
            change(i, run_.trace().initial_values[i], 0);
        }
        for (std::size_t number = 1; number <= run_.steps().size(); ++number) {
            for (const ShownChange& one : run_.steps()[number - 1].changes) {
                change(one.field, one.value, number);
            }
        }
        const auto open = since;
        for (const auto& [field, step] : open) {
            change(field, 0, run_.steps().size());
        }
    }
    void draw_messages(Svg& svg, double top) const {
        for (const TraceMessage& message : run_.messages()) {
            const bool arrives = message.arrives != 0;
            const double x1 = x_of(message.from);
            const double x2 = x_of(message.to);
            const double y1 = y_of(message.sent, top);
            const double y2 = y_of(arrives ? message.arrives : run_.steps().size(), top);
            const char* color = message.is_lost || !arrives ? kRed : kLightBlue;
            svg.line(x1, y1, x2, y2, color, 1.2);
            if (arrives && !message.is_lost) {
                const double back = x2 > x1 ? -8 : 8;
                svg.line(x2, y2, x2 + back, y2 - 4, color, 1.2);
                svg.line(x2, y2, x2 + back, y2 + 2, color, 1.2);
            }
        }
    }
    void draw_step(std::size_t number, Svg& svg, double top) const {
        const TraceStep& step = run_.steps()[number - 1];
        const double y = y_of(number, top);
        const double x = x_of(run_.party_of(step));
        const bool violates = !step.violates.empty();
        svg.text(40, y + 4,
                 fmt::format("{}{}{}", violates ? "! " : "", step.is_cause ? "* " : "", number),
                 Svg::Anchor::kEnd, violates || step.is_cause);
        svg.line(x - 3, y, x + 3, y, violates ? kRed : kBlack, 6);
        svg.text(x + 12, y + 4, abbreviated(clean_line(run_.step_text(step)), kLaneLetters),
                 Svg::Anchor::kStart, violates || step.is_cause);
        svg.text(width() - kStateWidth, y + 4, abbreviated(clean_line(step.state), kStateLetters),
                 Svg::Anchor::kStart);
    }

    DrawnRun run_;
    StepWindow window_;
    std::vector<std::size_t> lanes_;  // the party of each
};

constexpr std::size_t kPicturesMax = 20;  // of runs
constexpr double kNoteHeight = 40;

void draw_plots(const std::vector<RatePlot>& plots, Svg& svg) {
    double top = 0;
    for (const RatePlot& plot : plots) {
        plot.draw(svg, top);
        top += plot.height();
    }
}

std::string svg_of_rates(const Results& results) {
    std::vector<RatePlot> plots;
    double height = 0;
    for (const RunReport& report : results.files) {
        if (const auto* measured = std::get_if<Measurement>(&report.details)) {
            height += plots.emplace_back(report, *measured).height();
        }
    }
    Svg svg(RatePlot::kWidth, height);
    draw_plots(plots, svg);
    return svg.finish();
}

std::string svg_of_runs(const Results& results) {
    const std::vector<DrawnRun> runs = drawn_runs(results);
    const std::size_t shown = std::min(runs.size(), kPicturesMax);
    std::vector<LanesPicture> pictures(runs.begin(),
                                       runs.begin() + static_cast<std::ptrdiff_t>(shown));
    double width = RatePlot::kWidth;
    double height = kNoteHeight;
    for (const LanesPicture& picture : pictures) {
        width = std::max(width, picture.width());
        height += picture.height();
    }
    Svg svg(width, height);
    double top = 0;
    for (const LanesPicture& picture : pictures) {
        picture.draw(svg, top);
        top += picture.height();
    }
    const std::string note = runs.empty()          ? "no run to draw"
                             : shown < runs.size() ? counted(runs.size() - shown, "run") + " more"
                                                   : "";
    svg.text(10, top + kNoteHeight / 2, note, Svg::Anchor::kStart);
    return svg.finish();
}

}  // namespace

// For a row of formats.cpp.
std::string svg_document(const Results& results) {
    return results.kind == ResultsKind::kMeasurements ? svg_of_rates(results)
                                                      : svg_of_runs(results);
}

std::string svg_refusal(int /*exit_code*/, const std::string& message) {
    Svg svg(RatePlot::kWidth, kNoteHeight);
    svg.text(10, kNoteHeight / 2, message, Svg::Anchor::kStart);
    return svg.finish();
}

}  // namespace lockkeeper
