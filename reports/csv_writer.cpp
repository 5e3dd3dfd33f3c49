// SPDX-License-Identifier: Apache-2.0

// The figures of `measure` as a table: one figure a row; the first row has the names. Infinite:
// "inf". A sweep is written as its own table.
#include <fmt/format.h>

#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

// A cell (RFC 4180), quoted only where it has to be.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char character : text) {
        quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
    }
    return quoted + "\"";
}

void add_csv_rates(const std::string& begin, const MeasureResult& result, std::string& out) {
    for (const PropertyRates& rates : result.properties) {
        out += fmt::format("{},{},{},{},{},{},{},{}\n", begin, name_of(result.method),
                           result.states, result.runs, rates.property->name, rates.per_run.value,
                           rates.per_run.low, rates.per_run.high);
    }
}

void add_csv_violations(const std::string& begin, const SweptPoint& result, std::string& out) {
    const std::string scope = fmt::format("{},{},{}", begin, result.states, result.complete);
    for (const SweptViolation& violation : result.violations) {
        out += fmt::format("{},{},{}\n", scope, name_of(violation), violation.steps);
    }
    out += result.violations.empty() ? scope + ",,\n" : "";
}

std::string sweep_table_csv(const SweptTable& table) {
    std::string out;
    for (const SweptAxis& axis : table.sweep.axes) {
        out += csv_field(axis.name) + ",";
    }
    out += table.sweep.measuring ? "callers,method,states,runs,property,rate,low,high\n"
                                 : "callers,states,complete,violated,steps\n";
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        std::string begin;
        for (const auto& chosen : table.points[i].chosen) {
            begin += csv_field(choice_text(chosen)) + ",";
        }
        const SweptPoint& result = table.results[i];
        begin += std::to_string(result.callers);
        if (!table.sweep.measuring) {
            add_csv_violations(begin, result, out);
        } else if (result.measured && has_figures(result.measured->result)) {
            add_csv_rates(begin, result.measured->result, out);
        }
    }
    return out;
}

constexpr const char* kHead =
    "file,system,variant,parameter_1,value_1,parameter_2,value_2,law,method,confidence,property,"
    "quantity,unit,value,low,high\n";

class CsvRows {
  public:
    CsvRows(const std::string& file, const MeasuredPoint& point, std::string& out)
        : beginning_(beginning_of(file, point)), out_(out) {}

    void add(const std::string& property, const char* quantity, const char* unit,
             const std::optional<Figure>& figure) {
        if (figure) {
            out_ += fmt::format("{},{},{},{},{},{},{}\n", beginning_, property, quantity, unit,
                                figure->value, figure->low, figure->high);
        }
    }

  private:
    static std::string beginning_of(const std::string& file, const MeasuredPoint& point) {
        std::string text = fmt::format("{},{},{}", csv_field(file), point.system, point.variant);
        for (std::size_t i = 0; i < 2; ++i) {
            text += i < point.at.size()
                        ? fmt::format(",{},{}", csv_field(point.at[i].first), point.at[i].second)
                        : ",,";
        }
        const bool sampled = is_sampled(point.result);
        return text + fmt::format(",{},{},{}", csv_field(law_text(point.result.law)),
                                  name_of(point.result.method),
                                  sampled ? fmt::to_string(point.result.confidence) : "");
    }

    std::string beginning_;
    std::string& out_;
};

void add_point(const std::string& file, const MeasuredPoint& point, std::string& out) {
    CsvRows rows(file, point, out);
    const MeasureResult& result = point.result;
    for (const PropertyRates& rates : result.properties) {
        const std::string name(rates.property->name);
        rows.add(name, "per_run", "probability", rates.per_run);
        rows.add(name, "count_per_run", "events", rates.count_per_run);
        rows.add(name, "per_acquire", "events", rates.per_acquire);
        rows.add(name, "to_first", "s", rates.to_first);
        rows.add(name, "fraction_of_time", "share", rates.fraction_of_time);
        rows.add(name, "violating_per_run", "s", rates.violating_seconds);
        rows.add(name, "overlap_lasts_per_run", "virtual time", rates.overlap_lasts);
        rows.add(name, "overlap_lasts_if_any", "virtual time", rates.overlap_lasts_if_any);
        if (const auto& extremes = rates.extremes) {
            rows.add(name, "over_all_schedulers", "probability",
                     Figure{extremes->most, extremes->least, extremes->most});
        }
    }
    rows.add("", "acquires_per_run", "acquires", result.acquires_per_run);
    if (result.every_run_ends()) {
        rows.add("", "capacity_lost_per_run", "units", result.capacity_lost);
    }
    rows.add("", "to_seizure", "s", result.seconds_to_seizure);
    rows.add("", "length_of_run", "s", result.seconds_per_run);
    if (point.forecast && point.forecast->has_capacity) {
        rows.add("", "capacity_lost_per_day", "units", point.forecast->units_per_day);
        rows.add("", "forecast_to_seizure", "s", point.forecast->seconds_to_seizure);
        rows.add("", "restart_every", "s", point.forecast->restart_seconds);
    }
}

}  // namespace

// For a row of formats.cpp.
std::string csv_document(const Results& results) {
    std::string text = results.kind == ResultsKind::kSweeps ? "" : kHead;
    for (const RunReport& report : results.files) {
        if (const auto* table = std::get_if<SweptTable>(&report.details)) {
            text += sweep_table_csv(*table);
        } else if (const auto* measured = std::get_if<Measurement>(&report.details)) {
            for (const MeasuredPoint& point : measured->points) {
                if (has_figures(point.result)) {
                    add_point(report.file, point, text);
                }
            }
        }
    }
    return text;
}

}  // namespace lockkeeper
