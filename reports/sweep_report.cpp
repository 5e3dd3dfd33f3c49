#include "reports/sweep_report.hpp"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/csv_field.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const SweptViolation& violation) {
    return violation.property != nullptr ? std::string(violation.property->name)
                                         : "nobody can go on";
}

std::uint64_t states_of(const SweptTable& table) {
    std::uint64_t states = 0;
    for (const SweptPoint& point : table.results) {
        states += point.states;
    }
    return states;
}

std::string violations_text(const SweptPoint& point) {
    std::string text;
    for (const SweptViolation& violation : point.violations) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name_of(violation),
                            counted(violation.steps, "step"));
    }
    return text;
}

}  // namespace

std::string sweep_table_json(const SweptTable& table) {
    std::string out(kSweepTableMark);
    Json axes = Json::array();
    for (const SweptAxis& axis : table.sweep.axes) {
        axes.push_back(axis.name);
    }
    out += fmt::format("\"sweep_table_version\": {},\n\"axes\": {},\n\"rows\": [",
                       kSweepTableVersion, axes.dump());
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const SweptPoint& result = table.results[i];
        Json row;
        row["at"] = Json::array();
        for (std::size_t axis = 0; axis < table.sweep.axes.size(); ++axis) {
            const auto& chosen = table.points[i].chosen[axis];
            row["at"].push_back(table.sweep.axes[axis].subsets_most ? Json(chosen)
                                                                    : Json(chosen.front()));
        }
        row["callers"] = result.callers;
        row["states"] = result.states;
        row["complete"] = result.complete;
        row["violated"] = Json::object();
        for (const SweptViolation& violation : result.violations) {
            row["violated"][name_of(violation)] = violation.steps;
        }
        out += (i == 0 ? "\n" : ",\n") + row.dump();
    }
    return out + "\n]\n}\n";
}

std::string sweep_table_csv(const SweptTable& table) {
    std::string out;
    for (const SweptAxis& axis : table.sweep.axes) {
        out += csv_field(axis.name) + ",";
    }
    out += "callers,states,complete,violated,steps\n";
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        std::string begin;
        for (const auto& chosen : table.points[i].chosen) {
            begin += csv_field(choice_text(chosen)) + ",";
        }
        const SweptPoint& result = table.results[i];
        begin += fmt::format("{},{},{}", result.callers, result.states, result.complete);
        for (const SweptViolation& violation : result.violations) {
            out += fmt::format("{},{},{}\n", begin, name_of(violation), violation.steps);
        }
        out += result.violations.empty() ? begin + ",,\n" : "";
    }
    return out;
}

std::string sweep_head(const SweptTable& table) {
    return fmt::format("{}  scope: {}\n{}\n", build_text(), counted(table.points.size(), "point"),
                       table.sweep.about);
}

std::string sweep_text(const RunReport& report, const SweptTable& table) {
    std::string text;
    std::size_t found = 0;
    std::size_t cut = 0;
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const SweptPoint& result = table.results[i];
        found += result.violations.empty() ? 0U : 1U;
        cut += result.complete ? 0U : 1U;
        bool is_told = !result.complete;
        for (const SweptViolation& violation : result.violations) {
            is_told = is_told || !is_expected(table.sweep, table.points[i], violation);
        }
        if (is_told) {
            text += fmt::format("  {}: {}{}\n", point_text(table.sweep, table.points[i]),
                                result.complete ? "" : "NOT complete ", violations_text(result));
        }
    }
    text += fmt::format("{}, {} with a finding, {} not complete, {}, {}\n",
                        counted(table.points.size(), "point"), with_commas(found), with_commas(cut),
                        counted(states_of(table), "state"), seconds_text(report.seconds));
    return text + "verdict: " + verdict_text(report.verdict, {}) + "\n";
}

Verdict sweep_verdict(const SweptTable& table) {
    Verdict verdict = Passed{};
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const SweptPoint& result = table.results[i];
        for (const SweptViolation& violation : result.violations) {
            if (!is_expected(table.sweep, table.points[i], violation)) {
                return Violated{name_of(violation) + " (" +
                                point_text(table.sweep, table.points[i]) + ")"};
            }
        }
        if (!result.complete && is<Passed>(verdict)) {
            verdict =
                Inconclusive{"", point_text(table.sweep, table.points[i]) + " is not complete"};
        }
    }
    return verdict;
}

std::string first_table_difference(const std::string& stored, const std::string& table) {
    std::istringstream before(stored);
    std::istringstream now(table);
    std::string old_line;
    std::string new_line;
    for (std::size_t number = 1;; ++number) {
        const bool has_old = static_cast<bool>(std::getline(before, old_line));
        const bool has_new = static_cast<bool>(std::getline(now, new_line));
        if (!has_old && !has_new) {
            return "";
        }
        if (has_old != has_new || old_line != new_line) {
            return fmt::format("line {}: stored {}, found {}", number,
                               has_old ? old_line : "nothing", has_new ? new_line : "nothing");
        }
    }
}

}  // namespace lockkeeper
