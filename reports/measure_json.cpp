// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json figure(const Figure& figure) {
    return {{"value", number(figure.value)},
            {"low", number(figure.low)},
            {"high", number(figure.high)}};
}

Json figure(const std::optional<Figure>& maybe) { return maybe ? figure(*maybe) : Json(nullptr); }

Json extremes_of(const std::optional<ExtremeRates>& extremes) {
    if (!extremes) {
        return nullptr;
    }
    const auto line = [](const std::optional<Schedule>& schedule) {
        return schedule ? Json(to_line(*schedule)) : Json(nullptr);
    };
    return {{"least", number(extremes->least)},
            {"most", number(extremes->most)},
            {"schedule_least", line(extremes->schedule_least)},
            {"schedule_most", line(extremes->schedule_most)}};
}

Json property_of(const PropertyRates& rates) {
    Json json;
    json["property"] = rates.property->name;
    json["number"] = rates.property->number;
    json["per_run"] = figure(rates.per_run);
    json["count_per_run"] = figure(rates.count_per_run);
    json["per_acquire"] = figure(rates.per_acquire);
    json["seconds_to_first"] = figure(rates.to_first);
    json["fraction_of_time"] = figure(rates.fraction_of_time);
    json["violating_seconds_per_run"] = figure(rates.violating_seconds);
    json["overlap_lasts_per_run"] = figure(rates.overlap_lasts);
    json["overlap_lasts_if_any"] = figure(rates.overlap_lasts_if_any);
    json["extremes"] = extremes_of(rates.extremes);
    json["hits"] = rates.hits;
    return json;
}

Json served_of(const std::optional<ServedShares>& served) {
    if (!served) {
        return nullptr;
    }
    return {{"contended_per_run", figure(served->contended_per_run)},
            {"to_longest", figure(served->to_longest)},
            {"to_newest", figure(served->to_newest)},
            {"by_equal_chances", figure(served->by_equal_chances)}};
}

Json result_of(const MeasureResult& result) {
    Json json;
    json["method"] = name_of(result.method);
    json["complete"] = result.complete;
    json["limit"] = result.limit;
    json["confidence"] = is_sampled(result) ? Json(result.confidence) : Json(nullptr);
    json["properties"] = list_of(result.properties, property_of);
    json["acquires_per_run"] = figure(result.acquires_per_run);
    json["capacity_lost_per_run"] =
        result.every_run_ends() ? figure(result.capacity_lost) : Json(nullptr);
    json["seconds_to_seizure"] = figure(result.seconds_to_seizure);
    json["seconds_per_run"] = figure(result.seconds_per_run);
    json["served"] = served_of(result.served);
    json["states"] = result.states;
    json["transitions"] = result.transitions;
    json["runs"] = result.runs;
    json["steps"] = result.steps;
    json["cut_runs"] = result.cut_runs;
    json["is_below"] = or_null(result.is_below);
    json["seconds"] = result.seconds;
    return json;
}

Json agreement_of(const MeasuredPoint& point) {
    if (!point.agreement) {
        return nullptr;
    }
    return {{"agrees", point.agreement->agrees()},
            {"figures", point.agreement->figures},
            {"difference", difference_text(*point.agreement)},
            {"sampled", result_of(point.agreement->sampled)}};
}

Json forecast_of(const std::optional<Forecast>& forecast) {
    if (!forecast) {
        return nullptr;
    }
    Json json;
    json["acquires_per_second"] = forecast->load.acquires_per_second;
    json["capacity"] = forecast->load.capacity;
    json["share"] = forecast->load.share;
    const auto of_capacity = [&](const Figure& known) {
        return figure(forecast->has_capacity ? std::optional(known) : std::nullopt);
    };
    json["units_per_acquire"] = of_capacity(forecast->units_per_acquire);
    json["units_per_day"] = of_capacity(forecast->units_per_day);
    json["seconds_to_seizure"] = of_capacity(forecast->seconds_to_seizure);
    json["restart_seconds"] = of_capacity(forecast->restart_seconds);
    json["events_per_day"] = Json::object();
    for (const EventsPerDay& events : forecast->events) {
        json["events_per_day"][std::string(events.property->name)] = figure(events.per_day);
    }
    return json;
}

Json point_of(const MeasuredPoint& point) {
    Json json;
    json["system"] = point.system;
    json["variant"] = point.variant;
    json["scope"] = point.scope;
    json["at"] = Json::object();
    for (const auto& [name, value] : point.at) {
        json["at"][name] = value;
    }
    json["capacity"] = point.capacity;
    json["result"] = result_of(point.result);
    json["agreement"] = agreement_of(point);
    const std::string not_compared = not_compared_text(point);
    json["not_compared"] = or_null(not_compared);
    json["forecast"] = forecast_of(point.forecast);
    return json;
}

Json law_of(const Measurement& measured) {
    constexpr const char* kKinds[] = {"uniform", "weights", "rates_per_second"};
    Json weights;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        weights[std::string(name_of(static_cast<ActionClass>(i)))] = measured.law.law.weights[i];
    }
    return {{"text", law_text(measured.law.law)},
            {"from", name_of(measured.law.origin)},
            {"kind", kKinds[static_cast<std::size_t>(measured.law.law.kind)]},
            {"weights", weights}};
}

Json gate_of(const RunReport& report) {
    return list_of(report.rates, [](const RateCheck& check) -> Json {
        return {{"property", check.property->name},
                {"bound", check.bound},
                {"rate", figure(check.rate)},
                {"method", name_of(check.method)},
                {"met", or_null(check.met)}};
    });
}

}  // namespace

nlohmann::ordered_json measured_file(const RunReport& report) {
    static const Measurement kNone;  // of a file that was refused
    const auto* known = std::get_if<Measurement>(&report.details);
    const Measurement& measured = known != nullptr ? *known : kNone;
    Json json;
    json["file"] = report.file;
    add_verdict(report.verdict, kMeasureWords, json);
    json["exit_code"] = exit_code_of(report);
    json["seed"] = report.seed;
    json["scope"] = report.scope;
    json["law"] = law_of(measured);
    json["warnings"] = list_of(measured.warnings, warning_text);
    json["measured"] = names(report.checked);
    json["points"] = list_of(measured.points, point_of);
    json["max_rate"] = gate_of(report);
    if (measured.bad_run) {
        json["bad_run"] = {{"property", measured.bad_run->property->name},
                           {"schedule", to_line(measured.bad_run->schedule)},
                           {"replay", measured.bad_run->replay_command}};
    }
    if (!measured.remarks.empty()) {
        json["remarks"] = measured.remarks;
    }
    json["files_written"] = report.files_written;
    json["repeat"] = report.repeat_command;
    json["seconds"] = report.seconds;
    return json;
}

nlohmann::ordered_json measure_document(const Results& results) {
    Json json = document_head("measure", kMeasureVersion);
    json["command"] = "measure";
    json["exit_code"] = results.exit_code;
    json["files"] = list_of(results.files, measured_file);
    return json;
}

}  // namespace lockkeeper
