// For the tests that go through the scopes of docs/findings/canal_lock_scopes.md: one scope
// explored, the table of findings, and the table as the documentation has it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "app/canal_scopes_test.hpp"
#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper::testing_app {

inline ExploreResult explore_all(const Registry& registry, const CanalScope& scope,
                                 CanalLock lock) {
    const MadeRunner made = registry.make(to_scenario(scope, lock));
    const auto* runner = std::get_if<std::unique_ptr<Runner>>(&made);
    if (runner == nullptr) {
        throw std::runtime_error(std::get<InputError>(made).text());
    }
    ExploreOptions options;
    options.counting = Counting::kOff;
    options.jobs =
        scope.effort == Effort::kQuick ? 1 : std::max(1U, std::thread::hardware_concurrency());
    for (const Property& property : all_properties()) {
        if ((property.needs & ~(*runner)->features()) == 0) {
            options.check.push_back(&property);
        }
    }
    return (*runner)->explore(options);
}

inline std::vector<std::string> column_names() {
    std::vector<std::string> names;
    for (const Circumstance& circumstance : canal_circumstances()) {
        if (names.empty() || names.back() != circumstance.column) {
            names.emplace_back(circumstance.column);
        }
    }
    return names;
}

// A row for each property, kind of views and table; a column for each circumstance; in each cell
// the first scope, small ones first, and the steps.
class FindingsTable {
  public:
    void add(const CanalScope& scope, const ExploreResult& result) {
        const auto& column = canal_circumstances()[scope.circumstance].column;
        const auto at = std::find(columns_.begin(), columns_.end(), column) - columns_.begin();
        for (const FoundViolation& violation : result.violations) {
            auto& row = rows_[{violation.property->number, scope.kind(), !scope.warm}];
            row.resize(columns_.size());
            std::string& cell = row[static_cast<std::size_t>(at)];
            if (cell.empty()) {
                cell = std::to_string(violation.schedule.actions.size()) + ": " +
                       scope.views_text() + kMarks[static_cast<std::size_t>(scope.effort)];
            }
        }
    }

    [[nodiscard]] std::string text() const {
        std::string text = "| property | views differ in | table |";
        std::string line = "|---|---|---|";
        for (const std::string& column : columns_) {
            text += " " + column + " |";
            line += "---|";
        }
        text += "\n" + line + "\n";
        for (const auto& [key, cells] : rows_) {
            const auto& [number, kind, is_cold] = key;
            const Property& property = all_properties()[static_cast<std::size_t>(number) - 1];
            text += "| P" + std::to_string(number) + " " + std::string(property.name) + " | " +
                    std::string(name_of(kind)) + " | " + (is_cold ? "cold" : "warm") + " |";
            for (const std::string& cell : cells) {
                text += " " + (cell.empty() ? "-" : cell) + " |";
            }
            text += "\n";
        }
        return text;
    }

    static constexpr std::array kMarks{"", " (long)", " (hours)"};

  private:
    std::vector<std::string> columns_ = column_names();
    std::map<std::tuple<int, ViewKind, bool>, std::vector<std::string>> rows_;
};

inline std::string table_in_documentation() {
    std::ifstream file(std::string(LOCKKEEPER_SOURCE_DIR) + "/docs/reference/canal_lock_table.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    const std::string begin = "<!-- findings: checked by app/canal_findings_test.cpp -->\n";
    const std::size_t from = all.find(begin);
    const std::size_t to = all.find("<!-- end of findings -->", from);
    if (from == std::string::npos || to == std::string::npos) {
        return "no table between the marks in docs/reference/canal_lock_table.md";
    }
    return all.substr(from + begin.size(), to - from - begin.size());
}

// What is found with less effort: the other findings come last in every cell.
inline std::string without_findings_of(Effort effort, const std::string& table) {
    const std::string mark_text = FindingsTable::kMarks[static_cast<std::size_t>(effort)];
    std::istringstream lines(table);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        const bool had_mark = line.find(mark_text) != std::string::npos;
        for (std::size_t mark = 0; (mark = line.find(mark_text)) != std::string::npos;) {
            const std::size_t cell = line.rfind("| ", mark) + 2;
            line.replace(cell, line.find(" |", mark) - cell, "-");
        }
        const bool is_empty = had_mark && line.find(": ") == std::string::npos;
        out += is_empty ? "" : line + "\n";
    }
    return out;
}

// In a slow build a sample of the small ones; the whole is run by the optimised one.
inline bool is_sampled(const CanalScope& scope, std::size_t number) {
    constexpr std::size_t kSample = 3;
    const Circumstance& added = canal_circumstances()[scope.circumstance];
    return scope.callers.size() <= 2 && added.crashes + added.locks <= 2 && number % kSample == 0;
}

// How far the scopes of one effort are, for the documentation.
struct Enumerated {
    std::uint64_t scopes = 0;
    std::uint64_t states = 0;
    void add(const ExploreResult& result) {
        ++scopes;
        states += result.states;
    }
    void print() const {
        std::printf("%s scopes, %s states\n", std::to_string(scopes).c_str(),
                    std::to_string(states).c_str());
    }
};

// In one circumstance, or in all.
inline void expect_repaired_passes(Effort effort,
                                   std::optional<std::size_t> circumstance = std::nullopt) {
    const Registry registry = shipped_systems();
    Enumerated enumerated;
    std::size_t number = 0;
    for (const CanalScope& scope : canal_scopes(CanalLock::kRepaired)) {
        const bool is_asked = scope.effort == effort &&
                              scope.circumstance == circumstance.value_or(scope.circumstance);
        if (!is_asked || (testing_model::kIsSlowBuild && !is_sampled(scope, number++))) {
            continue;
        }
        const ExploreResult result = explore_all(registry, scope, CanalLock::kRepaired);
        EXPECT_TRUE(result.complete) << scope.text();
        EXPECT_TRUE(result.violations.empty())
            << scope.text() << ": " << result.violations.front().property->name;
        enumerated.add(result);
    }
    enumerated.print();
    EXPECT_GT(enumerated.scopes, 0U);
}

// ctest sets the variable where it runs the tests called Long or Hours; alone, app_test leaves
// them out.
inline void skip_unless_asked(const char* variable, const char* why) {
    if (testing_model::kIsSlowBuild || std::getenv(variable) == nullptr) {
        GTEST_SKIP() << why;
    }
}

}  // namespace lockkeeper::testing_app
