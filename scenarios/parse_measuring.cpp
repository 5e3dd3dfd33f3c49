// How often each action happens (law) and what an operator knows of the load (traffic).
#include "scenarios/fields.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

// 0, or within the bounds, by `unit`.
double parse_weight(const Place& place, double unit = 1) {
    const double weight = place.real(0, kWeightMax);
    if (weight != 0 && weight / unit < kWeightMin) {
        static_cast<void>(place.real(unit * kWeightMin, kWeightMax));
    }
    return weight / unit;
}

// {"step": 1000, "crash": 0.001}; what is in `weights` already is named twice.
void parse_weights(const Place& place, double unit, std::map<ActionClass, double>& weights) {
    static_assert(kActionClasses == 9);
    place.has_only({"arrival", "departure", "step", "background", "crash", "resize", "fault",
                    "disturbance", "time"});
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        const auto which = static_cast<ActionClass>(i);
        const auto weight = place.find(name_of(which));
        if (weight && !weights.emplace(which, parse_weight(*weight, unit)).second) {
            weight->refuse("has a rate per second already");
        }
    }
}

Law parse_law(const Place& place) {
    if (!place.is_object()) {
        static_cast<void>(place.word({"uniform"}));
        return {};
    }
    place.has_only({"weights", "rates_per_second", "rates_per_hour"});
    const auto weights = place.find("weights");
    const auto per_second = place.find("rates_per_second");
    const auto per_hour = place.find("rates_per_hour");
    if (weights.has_value() == (per_second || per_hour)) {
        place.refuse(
            "expected either \"weights\" or rates (\"rates_per_second\", "
            "\"rates_per_hour\")");
    }
    std::map<ActionClass, double> named;
    if (weights) {
        parse_weights(*weights, 1, named);
    }
    if (per_second) {
        parse_weights(*per_second, 1, named);
    }
    if (per_hour) {
        parse_weights(*per_hour, kSecondsPerHour, named);
    }
    const auto law = make_law(weights ? LawKind::kWeights : LawKind::kRates, named);
    if (!law) {
        place.refuse("\"step\" needs a number above 0");
    }
    return *law;
}

}  // namespace

std::optional<Law> make_law(LawKind kind, const std::map<ActionClass, double>& weights) {
    Law law;
    law.kind = kind;
    const auto step = weights.find(ActionClass::kStep);
    if (kind == LawKind::kRates && step == weights.end()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        const auto which = static_cast<ActionClass>(i);
        const auto named = weights.find(which);
        law.weights[i] = named != weights.end()  ? named->second
                         : step == weights.end() ? 1
                                                 : default_weight(kind, which, step->second);
    }
    return law.weight(ActionClass::kStep) > 0 ? std::optional(law) : std::nullopt;
}

void parse_measuring(const Place& document, Scenario& scenario) {
    if (const auto law = document.find("law")) {
        scenario.law = parse_law(*law);
    }
    if (const auto traffic = document.find("traffic")) {
        scenario.traffic.emplace();
        read_fields("traffic", traffic->has_only(keys_of("traffic")), scenario);
    }
}

}  // namespace lockkeeper
