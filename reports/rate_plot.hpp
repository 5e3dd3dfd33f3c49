// SPDX-License-Identifier: Apache-2.0

// The rates of `measure` as a picture: one panel a property, the swept parameter to the right, the
// probability per run upwards on a logarithmic axis, intervals as bars, one line a variant (and a
// value of the second parameter). Black and grey lines with different marks, so that it can be
// printed. Used by svg_writer.
//
// A rate of exactly 0 has no place on such an axis: it is a small triangle on the lower edge. With
// no hit in a sample, the bar above the triangle reaches up to the highest rate not excluded.
// Limits: properties that are 0 everywhere are left out; at most 12 panels, named where cut.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/xml.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

class RatePlot {
  public:
    static constexpr double kWidth = 760;

    struct PlotPoint {
        double at = 0;  // the swept parameter, or the number of the category
        Figure rate;
    };
    struct Series {
        std::string name;
        std::vector<PlotPoint> points;
    };

    // Both outlive it.
    RatePlot(const RunReport& report, const Measurement& measured);
    [[nodiscard]] double height() const;
    void draw(Svg& svg, double top) const;

  private:
    const RunReport& report_;
    const Measurement& measured_;
    std::vector<std::pair<const Property*, std::vector<Series>>> panels_;
    std::string left_out_;
};

}  // namespace lockkeeper
