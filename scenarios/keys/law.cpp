// SPDX-License-Identifier: Apache-2.0

// "law": how often each action happens.
#include <map>
#include <vector>

#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/schema_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

struct LawKey {
    std::string_view key;
    double unit;  // of so many seconds
    std::string_view meaning;
};
constexpr LawKey kWeights{
    "weights", 1,
    "Probability: an action's weight by the sum of the weights of all that is possible. Not named: "
    "1."};
constexpr LawKey kPerSecond{
    "rates_per_second", 1,
    "A continuous-time chain. Not named: as step; crash, resize, fault, disturbance: 0."};
constexpr LawKey kPerHour{"rates_per_hour", kSecondsPerHour, "The same by the hour."};

// 0, or within the bounds, by `unit`.
double parse_weight(const Place& place, double unit) {
    const double weight = place.real(0, kWeightMax);
    if (weight != 0 && weight / unit < kWeightMin) {
        static_cast<void>(place.real(unit * kWeightMin, kWeightMax));
    }
    return weight / unit;
}

std::vector<std::string_view> class_names() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        names.push_back(name_of(static_cast<ActionClass>(i)));
    }
    return names;
}

// {"step": 1000, "crash": 0.001}; what is in `weights` already is named twice.
bool parse_weights(const Place& place, const LawKey& key, std::map<ActionClass, double>& weights) {
    const auto found = place.find(key.key);
    if (!found) {
        return false;
    }
    const std::vector<std::string_view> names = class_names();
    found->has_only(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto weight = found->find(names[i]);
        if (weight &&
            !weights.emplace(static_cast<ActionClass>(i), parse_weight(*weight, key.unit)).second) {
            weight->refuse("has a rate per second already");
        }
    }
    return true;
}

Law parse_law(const Place& place) {
    if (!place.is_object()) {
        static_cast<void>(place.word({"uniform"}));
        return {};
    }
    place.has_only({kWeights.key, kPerSecond.key, kPerHour.key});
    if (place.find(kWeights.key).has_value() ==
        (place.find(kPerSecond.key) || place.find(kPerHour.key))) {
        place.refuse(
            "expected either \"weights\" or rates (\"rates_per_second\", "
            "\"rates_per_hour\")");
    }
    std::map<ActionClass, double> named;
    const bool has_weights = parse_weights(place, kWeights, named);
    parse_weights(place, kPerSecond, named);
    parse_weights(place, kPerHour, named);
    const auto law = make_law(has_weights ? LawKind::kWeights : LawKind::kRates, named);
    if (!law) {
        place.refuse("\"step\" needs a number above 0");
    }
    return *law;
}

void read_law(const Place& place, const Reading& reading) {
    reading.scenario.law = parse_law(place);
}

// Rates are written per second: what is per hour in a file reads back to the same number.
Json written_law(const Scenario& scenario) {
    if (!scenario.law) {
        return nullptr;
    }
    const Law& law = *scenario.law;
    if (law.kind == LawKind::kUniform) {
        return "uniform";
    }
    Json weights;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        weights[std::string(name_of(static_cast<ActionClass>(i)))] = law.weights[i];
    }
    const LawKey& key = law.kind == LawKind::kWeights ? kWeights : kPerSecond;
    return {{std::string(key.key), weights}};
}

Json schema_of_law() {
    Json keys = Json::object();
    for (const LawKey& key : {kWeights, kPerSecond, kPerHour}) {
        keys[std::string(key.key)] = described(defined("weights"), key.meaning);
    }
    Json by_class = object_schema(keys);
    by_class["oneOf"] = {
        {{"required", {kWeights.key}}},
        {{"anyOf", {{{"required", {kPerSecond.key}}}, {{"required", {kPerHour.key}}}}}}};
    return {{"oneOf", {words_schema({"uniform"}), by_class}}};
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

nlohmann::ordered_json schema_of_weights() {
    const Json weight{{"oneOf",
                       {{{"type", "number"}, {"minimum", kWeightMin}, {"maximum", kWeightMax}},
                        {{"type", "number"}, {"enum", {0}}}}}};
    Json classes = Json::object();
    for (const std::string_view name : class_names()) {
        classes[std::string(name)] = weight;
    }
    return object_schema(classes);
}

constinit const Codec kLawCodec{read_law, written_law, schema_of_law};

}  // namespace lockkeeper
