// SPDX-License-Identifier: Apache-2.0

// One run as a picture: a lane for each party from top to bottom, a row for each step with the
// state after it, bars for open operations and for locks held, arrows for messages. Used by
// svg_writer.
#pragma once

#include <vector>

#include "reports/drawn_run.hpp"
#include "reports/svg.hpp"

namespace lockkeeper {

class LanesPicture {
  public:
    // Does not own the results that the run is of.
    explicit LanesPicture(DrawnRun run);

    [[nodiscard]] double width() const;
    [[nodiscard]] double height() const;
    void draw(Svg& svg, double top) const;

  private:
    // Steps that are left out have no row of their own, but one for all of them.
    [[nodiscard]] double y_of(std::size_t step, double top) const;
    [[nodiscard]] double x_of(std::size_t party) const;
    void draw_head(Svg& svg, double top) const;
    void draw_operations(Svg& svg, double top) const;
    void draw_holdings(Svg& svg, double top) const;
    void draw_messages(Svg& svg, double top) const;
    void draw_step(std::size_t number, Svg& svg, double top) const;

    DrawnRun run_;
    StepWindow window_;
    std::vector<std::size_t> lanes_;  // the party of each
};

}  // namespace lockkeeper
