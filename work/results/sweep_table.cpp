// SPDX-License-Identifier: Apache-2.0
#include "work/results/sweep_table.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "model/json.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 4;
constexpr int kDigitsOfEnds = 3;

// Null: infinite.
Json rounded(double value, int digits) {
    if (!std::isfinite(value)) {
        return nullptr;
    }
    const std::string text = fmt::format("{:.{}g}", value, digits);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Json figure(const Figure& figure, bool has_interval) {
    const Json value = rounded(figure.value, kDigits);
    return has_interval ? Json{value, rounded(figure.low, kDigitsOfEnds),
                               rounded(figure.high, kDigitsOfEnds)}
                        : value;
}

Json at_text(const Sweep& sweep, const std::vector<std::vector<std::string>>& chosen) {
    Json::array_t at;
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
        at.push_back(sweep.axes[axis].has_several() ? Json(chosen[axis])
                                                    : Json(chosen[axis].front()));
    }
    return at;
}

void add_violations(const SweptPoint& result, Json& row) {
    row["states"] = result.states;
    row["complete"] = result.complete;
    row["violated"] = Json::object();
    for (const SweptViolation& violation : result.violations) {
        row["violated"][name_of(violation)] = violation.steps;
    }
}

void add_rates(const MeasureResult& result, Json& row) {
    row["method"] = name_of(result.method);
    if (is_sampled(result)) {
        row["runs"] = result.runs;
    } else {
        row["states"] = result.states;
    }
    row["complete"] = result.complete;
    row["rates"] = Json::object();
    if (!has_figures(result)) {
        return;
    }
    for (const PropertyRates& rates : result.properties) {
        const std::string name(rates.property->name);
        row["rates"][name] = figure(rates.per_run, is_sampled(result));
        if (rates.overlap_lasts_if_any) {
            row["lasts"][name] = figure(*rates.overlap_lasts_if_any, is_sampled(result));
        }
    }
}

std::string row_text(const SweptTable& table, std::size_t i) {
    const SweptPoint& result = table.results[i];
    Json row;
    row["at"] = at_text(table.sweep, table.points[i].chosen);
    row["callers"] = result.callers;
    if (table.points[i].effort != SweepEffort::kQuick) {
        row["effort"] = table.points[i].effort == SweepEffort::kLong ? "long" : "hours";
    }
    if (result.measured) {
        add_rates(result.measured->result, row);
    } else {
        add_violations(result, row);
    }
    return row.dump();
}

std::string head_text(const SweptTable& table) {
    Json::array_t axes;
    for (const SweptAxis& axis : table.sweep.axes) {
        axes.push_back(axis.name);
    }
    return std::string(kSweepTableMark) +
           fmt::format("\"sweep_table_version\": {},\n\"axes\": {},\n\"rows\": [",
                       kSweepTableVersion, Json(axes).dump());
}

// Goes through a stored table line by line.
class Comparison {
  public:
    explicit Comparison(const SweptTable& table) : head_(head_text(table)) {
        for (std::size_t i = 0; i < table.points.size(); ++i) {
            found_.emplace(row_name(table.sweep, table.points[i].chosen), row_text(table, i));
        }
        for (const auto& chosen : table.not_asked) {
            not_asked_.insert(row_name(table.sweep, chosen));
        }
    }

    std::string first_difference(const std::string& stored) {
        std::istringstream lines(stored);
        std::istringstream head(head_);
        for (std::string line; std::getline(head, line);) {
            if (next(lines) != line) {
                return differs(line);
            }
        }
        while (next(lines) != "]") {
            std::string found;
            if (!is_as_found(found)) {
                return differs(found);
            }
        }
        if (!found_.empty()) {
            return fmt::format("line {}: no row {}", number_, found_.begin()->second);
        }
        if (next(lines) != "}") {
            return differs("}");
        }
        ++number_;
        return std::getline(lines, line_) ? differs("") : "";
    }

  private:
    const std::string& next(std::istringstream& lines) {
        ++number_;
        if (!std::getline(lines, line_)) {
            line_.clear();
        }
        return line_;
    }

    // The row in `line_`. A row is expected once.
    bool is_as_found(std::string& found) {
        const bool has_next = !line_.empty() && line_.back() == ',';
        const std::string text = line_.substr(0, line_.size() - (has_next ? 1 : 0));
        const Json row = Json::parse(text, nullptr, false);
        const std::string at = row.is_object() ? row.value("at", Json()).dump() : "";
        if (not_asked_.erase(at) > 0) {
            return true;
        }
        const auto known = found_.find(at);
        if (known == found_.end()) {
            return false;
        }
        found = known->second;
        found_.erase(known);
        return text == found;
    }

    [[nodiscard]] std::string differs(const std::string& found) const {
        return fmt::format("line {}: stored {}, found {}", number_,
                           line_.empty() ? "nothing" : line_, found.empty() ? "nothing" : found);
    }

    std::string head_;
    std::map<std::string, std::string> found_;  // rows by what is chosen
    std::set<std::string> not_asked_;
    std::size_t number_ = 0;
    std::string line_;
};

}  // namespace

std::string row_name(const Sweep& sweep, const std::vector<std::vector<std::string>>& chosen) {
    return at_text(sweep, chosen).dump();
}

// Anything that is no row is left to the comparison, which says so.
std::set<std::string> rows_above(const std::string& stored, std::uint64_t states) {
    std::set<std::string> above;
    const Json table = Json::parse(stored, nullptr, false);
    for (const Json& row : table.is_object() ? table.value("rows", Json::array()) : Json::array()) {
        const auto has = row.is_object() ? row.find("states") : row.end();
        if (has != row.end() && has->is_number_unsigned() && has->get<std::uint64_t>() > states) {
            above.insert(row.value("at", Json()).dump());
        }
    }
    return above;
}

std::string sweep_table_json(const SweptTable& table) {
    std::string out = head_text(table);
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        out += (i == 0 ? "\n" : ",\n") + row_text(table, i);
    }
    return out + "\n]\n}\n";
}

std::string first_table_difference(const std::string& stored, const SweptTable& table) {
    return Comparison(table).first_difference(stored);
}

}  // namespace lockkeeper
