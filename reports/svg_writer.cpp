// SPDX-License-Identifier: Apache-2.0

// A picture for each file, each below the one before: the rates that were measured, or the runs
// that were found.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "reports/lanes_picture.hpp"
#include "reports/rate_plot.hpp"
#include "reports/writer.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

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

class SvgWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        const bool are_rates = results.kind == ResultsKind::kMeasurements;
        out() << (are_rates ? svg_of_rates(results) : svg_of_runs(results)) << std::flush;
    }
    void refused(int /*exit_code*/, const std::string& message) override {
        Svg svg(RatePlot::kWidth, kNoteHeight);
        svg.text(10, kNoteHeight / 2, message, Svg::Anchor::kStart);
        out() << svg.finish() << std::flush;
    }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_svg_writer(std::ostream& out, bool verbose) {
    return std::make_unique<SvgWriter>(out, verbose);
}

}  // namespace lockkeeper
