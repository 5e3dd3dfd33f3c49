#include "reports/measure_words.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lockkeeper {
namespace {

struct TimeUnit {
    const char* name;
    double seconds;
};
constexpr std::array kTimeUnits{TimeUnit{"s", 1}, TimeUnit{"min", 60}, TimeUnit{"h", 3600},
                                TimeUnit{"days", 86'400}, TimeUnit{"years", 31'557'600}};

// What --law takes for granted of a class that is not named.
double taken_for_granted(const Law& law, ActionClass which) {
    if (law.kind != LawKind::kRates) {
        return 1;
    }
    const bool seldom = which == ActionClass::kCrash || which == ActionClass::kResize ||
                        which == ActionClass::kFault || which == ActionClass::kDisturbance;
    return seldom ? 0 : law.weight(ActionClass::kStep);
}

}  // namespace

std::string law_text(const Law& law) {
    if (law.kind == LawKind::kUniform) {
        return "uniform";
    }
    std::string text = fmt::format("{}:step={}", law.kind == LawKind::kRates ? "rates" : "weights",
                                   law.weight(ActionClass::kStep));
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        const auto which = static_cast<ActionClass>(i);
        if (which != ActionClass::kStep && law.weights[i] != taken_for_granted(law, which)) {
            text += fmt::format(",{}={}", name_of(which), law.weights[i]);
        }
    }
    return text;
}

std::string number_text(double number) {
    return std::isinf(number) ? "infinite" : fmt::format("{:.6g}", number);
}

std::string interval_text(const Figure& figure) {
    const auto end = [](double number) {
        return std::isinf(number) ? std::string("infinite") : fmt::format("{:.4g}", number);
    };
    return "[" + end(figure.low) + ", " + end(figure.high) + "]";
}

std::string with_interval(const Figure& figure, bool sampled) {
    return number_text(figure.value) + (sampled ? " " + interval_text(figure) : "");
}

std::string time_text(double seconds) {
    if (std::isinf(seconds)) {
        return "never";
    }
    std::size_t unit = 0;
    while (unit + 1 < kTimeUnits.size() && seconds >= 2 * kTimeUnits[unit + 1].seconds) {
        ++unit;
    }
    return fmt::format("{:.3g} {}", seconds / kTimeUnits[unit].seconds, kTimeUnits[unit].name);
}

std::string time_with_interval(const Figure& figure, bool sampled) {
    std::string text = time_text(figure.value);
    if (sampled) {
        text += " [" + time_text(figure.low) + ", " + time_text(figure.high) + "]";
    }
    return text;
}

bool is_sampled(const MeasureResult& result) { return result.method != "exact"; }

bool has_figures(const MeasureResult& result) { return is_sampled(result) || result.complete; }

std::string name_text(const MeasuredPoint& point) {
    std::string text = point.system + "/" + point.variant;
    for (const auto& [name, value] : point.at) {
        text += fmt::format(", {} {}", name, value);
    }
    return text;
}

}  // namespace lockkeeper
