// The rates of all measured files as one picture, each below the one before.
#include <ostream>

#include "reports/rate_plot.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

class SvgWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        std::vector<RatePlot> plots;
        double height = 0;
        for (const RunReport& report : results.files) {
            if (const auto* measured = std::get_if<Measurement>(&report.details)) {
                height += plots.emplace_back(report, *measured).height();
            }
        }
        Svg svg(RatePlot::kWidth, height);
        double top = 0;
        for (const RatePlot& plot : plots) {
            plot.draw(svg, top);
            top += plot.height();
        }
        out() << svg.finish() << std::flush;
    }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_svg_writer(std::ostream& out, bool verbose) {
    return std::make_unique<SvgWriter>(out, verbose);
}

}  // namespace lockkeeper
