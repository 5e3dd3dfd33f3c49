// SPDX-License-Identifier: Apache-2.0
#include "reports/rate_plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "work/results/told.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Series = RatePlot::Series;
using PlotPoint = RatePlot::PlotPoint;

constexpr double kWidth = RatePlot::kWidth;
constexpr double kPanelHeight = 300;
constexpr double kLeft = 80;
constexpr double kRight = 220;  // room for the legend
constexpr double kTop = 40;
constexpr double kBottom = 50;
constexpr double kHeadHeight = 50;
constexpr std::size_t kPanelsMax = 12;
constexpr std::size_t kTicksMax = 9;

// The x axis: the first swept parameter, or else the variants.
struct Axis {
    std::string name;
    std::vector<double> values;
    std::vector<std::string> labels;  // beside values
    bool is_log = false;

    [[nodiscard]] double place(double value) const {
        const double first = values.front();
        const double last = values.back();
        if (last == first) {
            return 0.5;
        }
        return is_log ? std::log(value / first) / std::log(last / first)
                      : (value - first) / (last - first);
    }
};

Axis axis_of(const Measurement& measured) {
    Axis axis;
    axis.name = "variant";
    for (const MeasuredPoint& point : measured.points) {
        if (!point.at.empty()) {
            axis.name = point.at.front().first;
            axis.values.push_back(point.at.front().second);
        }
    }
    std::sort(axis.values.begin(), axis.values.end());
    axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
    for (const double value : axis.values) {
        axis.labels.push_back(fmt::format("{:g}", value));
    }
    if (!axis.values.empty()) {
        axis.is_log = axis.values.front() > 0 && axis.values.back() >= 50 * axis.values.front();
        return axis;
    }
    for (const MeasuredPoint& point : measured.points) {
        axis.values.push_back(static_cast<double>(axis.values.size()));
        axis.labels.push_back(point.system + "/" + point.variant);
    }
    return axis;
}

std::string series_name(const MeasuredPoint& point) {
    std::string name = point.at.empty() ? "" : point.system + "/" + point.variant;
    if (point.at.size() > 1) {
        name += fmt::format(", {} {:g}", point.at[1].first, point.at[1].second);
    }
    return name;
}

std::vector<Series> series_of(const Measurement& measured, const Property* property) {
    std::vector<Series> all;
    for (std::size_t i = 0; i < measured.points.size(); ++i) {
        const MeasuredPoint& point = measured.points[i];
        const auto& rates = point.result.properties;
        const auto found = std::find_if(rates.begin(), rates.end(), [&](const auto& candidate) {
            return candidate.property == property;
        });
        if (found == rates.end() || !has_figures(point.result)) {
            continue;
        }
        const std::string name = series_name(point);
        auto series = std::find_if(all.begin(), all.end(),
                                   [&](const Series& other) { return other.name == name; });
        if (series == all.end()) {
            series = all.insert(all.end(), {name, {}});
        }
        const double at = point.at.empty() ? static_cast<double>(i) : point.at.front().second;
        series->points.push_back({at, found->per_run});
    }
    return all;
}

// From a power of ten to a power of ten.
struct Decades {
    int low = -1;
    int high = 0;

    // 0 at the lower edge, 1 at the upper one.
    [[nodiscard]] double place(double rate) const {
        return std::clamp((std::log10(rate) - low) / (high - low), 0.0, 1.0);
    }
};

Decades decades_of(const std::vector<Series>& all) {
    double least = 1;
    double most = 0;
    const auto note = [&](double rate) {
        if (rate > 0) {
            least = std::min(least, rate);
            most = std::max(most, rate);
        }
    };
    for (const Series& series : all) {
        for (const PlotPoint& point : series.points) {
            note(point.rate.value);
            note(point.rate.high);
            note(std::max(point.rate.low, point.rate.value / 100));
        }
    }
    Decades decades;
    decades.low = std::max(-300, static_cast<int>(std::floor(std::log10(least))));
    decades.high = static_cast<int>(std::ceil(std::log10(std::max(most, least))));
    decades.low = std::min(decades.low, decades.high - 1);
    return decades;
}

class Panel {
  public:
    Panel(Svg& svg, const Axis& axis, const std::vector<Series>& all, double top)
        : svg_(svg), axis_(axis), all_(all), decades_(decades_of(all)), top_(top + kTop) {}

    void draw(const std::string& title) {
        svg_.text(kLeft, top_ - 12, title, Svg::Anchor::kStart, true);
        draw_grid();
        for (std::size_t i = 0; i < all_.size(); ++i) {
            draw_series(i);
        }
    }

  private:
    [[nodiscard]] double x(double value) const {
        return kLeft + 12 + axis_.place(value) * (kWidth - kLeft - kRight - 24);
    }
    [[nodiscard]] double bottom() const { return top_ + kPanelHeight - kTop - kBottom; }
    [[nodiscard]] double y(double rate) const {
        return rate <= 0 ? bottom() : bottom() - decades_.place(rate) * (bottom() - top_);
    }

    void draw_grid() {
        const int decades = decades_.high - decades_.low;
        const int step = 1 + decades / static_cast<int>(kTicksMax);
        for (int decade = decades_.low; decade <= decades_.high; decade += step) {
            const double at = y(std::pow(10, decade));
            svg_.line(kLeft, at, kWidth - kRight, at, "#cccccc", 0.7);
            svg_.text(kLeft - 8, at + 4, fmt::format("1e{}", decade), Svg::Anchor::kEnd);
        }
        svg_.line(kLeft, bottom(), kWidth - kRight, bottom(), "black", 1.2);
        svg_.line(kLeft, top_, kLeft, bottom(), "black", 1.2);
        const std::size_t every = 1 + axis_.values.size() / 17;
        for (std::size_t i = 0; i < axis_.values.size(); i += every) {
            svg_.line(x(axis_.values[i]), bottom(), x(axis_.values[i]), bottom() + 5, "black", 1.2);
            svg_.text(x(axis_.values[i]), bottom() + 18, axis_.labels[i], Svg::Anchor::kMiddle);
        }
        svg_.text((kLeft + kWidth - kRight) / 2, bottom() + 36,
                  axis_.name + (axis_.is_log ? " (logarithmic)" : ""), Svg::Anchor::kMiddle);
    }

    void draw_series(std::size_t number) {
        const Series& series = all_[number];
        std::vector<std::pair<double, double>> line;
        for (const PlotPoint& point : series.points) {
            const double at = x(point.at);
            if (point.rate.high > 0 && point.rate.high > point.rate.low) {
                svg_.interval(at, y(point.rate.low), y(point.rate.high), number);
            }
            if (point.rate.value > 0) {
                svg_.mark(at, y(point.rate.value), number);
                line.emplace_back(at, y(point.rate.value));
            } else {
                svg_.zero(at, bottom(), number);
            }
        }
        svg_.curve(line, number);
        if (!series.name.empty()) {
            const double at = top_ + 14 + 18 * static_cast<double>(number);
            svg_.mark(kWidth - kRight + 20, at - 4, number);
            svg_.text(kWidth - kRight + 32, at, series.name, Svg::Anchor::kStart);
        }
    }

    Svg& svg_;
    const Axis& axis_;
    const std::vector<Series>& all_;
    Decades decades_;
    double top_;
};

bool is_worth_a_panel(const std::vector<Series>& all) {
    return std::any_of(all.begin(), all.end(), [](const Series& series) {
        return std::any_of(series.points.begin(), series.points.end(),
                           [](const PlotPoint& point) { return point.rate.high > 0; });
    });
}

}  // namespace

RatePlot::RatePlot(const RunReport& report, const Measurement& measured)
    : report_(report), measured_(measured) {
    for (const Property* property : report.checked) {
        auto all = series_of(measured, property);
        if (!is_worth_a_panel(all)) {
            continue;
        }
        if (panels_.size() == kPanelsMax) {
            left_out_ += " " + std::string(property->name);
        } else {
            panels_.emplace_back(property, std::move(all));
        }
    }
}

double RatePlot::height() const {
    return kHeadHeight +
           kPanelHeight * static_cast<double>(std::max<std::size_t>(panels_.size(), 1));
}

void RatePlot::draw(Svg& svg, double top) const {
    const Axis axis = axis_of(measured_);
    svg.text(kLeft, top + 22, report_.file, Svg::Anchor::kStart, true);
    svg.text(kLeft, top + 40,
             fmt::format("law {}, seed {}; bars: intervals at confidence {:g} of what is sampled",
                         law_text(measured_.law.law), report_.seed, measured_.confidence) +
                 (left_out_.empty() ? "" : "; not drawn:" + left_out_),
             Svg::Anchor::kStart);
    top += kHeadHeight;
    if (panels_.empty()) {
        svg.text(kLeft, top + kTop, "nothing was violated", Svg::Anchor::kStart);
    }
    for (const auto& [property, all] : panels_) {
        Panel(svg, axis, all, top).draw(title_of(*property) + ", probability per run");
        top += kPanelHeight;
    }
}

}  // namespace lockkeeper
