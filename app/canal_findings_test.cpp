// What is wrong with the published canal lock, found by going through scopes systematically, and
// the proof that the repaired one passes all of them. The table is the one in docs/canal_lock.md,
// which this test compares word by word: the quick scopes always, all of them in `make test-long`.
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "app/canal_scopes.hpp"
#include "app/registry.hpp"
#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

using testing_model::kIsSlowBuild;

ExploreResult explore_all(const Registry& registry, const CanalScope& scope,
                          const std::string& variant) {
    const MadeRunner made = registry.make(to_scenario(scope, variant));
    const auto* runner = std::get_if<std::unique_ptr<Runner>>(&made);
    if (runner == nullptr) {
        throw std::runtime_error(std::get<InputError>(made).text());
    }
    ExploreOptions options;
    options.counting = Counting::kOff;
    options.jobs = scope.is_long ? std::max(1U, std::thread::hardware_concurrency()) : 1;
    for (const Property& property : all_properties()) {
        if ((property.needs & ~(*runner)->features()) == 0) {
            options.check.push_back(&property);
        }
    }
    return (*runner)->explore(options);
}

std::vector<std::string> column_names() {
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
                       scope.views_text() + (scope.is_long ? kLong : "");
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

    static constexpr const char* kLong = " (long)";

  private:
    std::vector<std::string> columns_ = column_names();
    std::map<std::tuple<int, ViewKind, bool>, std::vector<std::string>> rows_;
};

enum class Which { kQuick, kAll };

std::string findings_table(Which which) {
    const Registry registry = shipped_systems();
    FindingsTable table;
    for (const CanalScope& scope : canal_scopes()) {
        if (scope.is_long && which == Which::kQuick) {
            continue;
        }
        const ExploreResult result = explore_all(registry, scope, "faithful");
        EXPECT_TRUE(result.complete) << scope.text();
        table.add(scope, result);
    }
    return table.text();
}

std::string table_in_documentation() {
    std::ifstream file(std::string(LOCKKEEPER_SOURCE_DIR) + "/docs/canal_lock.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    const std::string begin = "<!-- findings: checked by app/canal_findings_test.cpp -->\n";
    const std::size_t from = all.find(begin);
    const std::size_t to = all.find("<!-- end of findings -->", from);
    if (from == std::string::npos || to == std::string::npos) {
        return "no table between the marks in docs/canal_lock.md";
    }
    return all.substr(from + begin.size(), to - from - begin.size());
}

// What the quick scopes alone find: the others come last in every cell.
std::string without_long_findings(const std::string& table) {
    std::istringstream lines(table);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        const bool had_long = line.find(FindingsTable::kLong) != std::string::npos;
        for (std::size_t mark = 0; (mark = line.find(FindingsTable::kLong)) != std::string::npos;) {
            const std::size_t cell = line.rfind("| ", mark) + 2;
            line.replace(cell, line.find(" |", mark) - cell, "-");
        }
        const bool is_empty = had_long && line.find(": ") == std::string::npos;
        out += is_empty ? "" : line + "\n";
    }
    return out;
}

void expect_repaired_passes(Which which) {
    const Registry registry = shipped_systems();
    constexpr std::size_t kSample = 3;  // in a slow build; the whole is run by the optimised one
    std::uint64_t states = 0;
    std::size_t number = 0;
    for (const CanalScope& scope : canal_scopes()) {
        const Circumstance& added = canal_circumstances()[scope.circumstance];
        const bool is_small = scope.callers.size() <= 2 && added.crashes + added.locks <= 2;
        const bool is_sampled = is_small && number++ % kSample == 0;
        if ((kIsSlowBuild && !is_sampled) || (scope.is_long && which == Which::kQuick)) {
            continue;
        }
        const ExploreResult result = explore_all(registry, scope, "repaired");
        EXPECT_TRUE(result.complete) << scope.text();
        EXPECT_TRUE(result.violations.empty())
            << scope.text() << ": " << result.violations.front().property->name;
        states += result.states;
    }
    ::testing::Test::RecordProperty("states", std::to_string(states));
    EXPECT_GT(states, 0U);
}

TEST(CanalScopes, TheLongOnesComeLastInEveryCell) {
    std::set<std::tuple<std::string_view, ViewKind, bool>> has_long;
    for (const CanalScope& scope : canal_scopes()) {
        const std::tuple cell{canal_circumstances()[scope.circumstance].column, scope.kind(),
                              scope.warm};
        EXPECT_FALSE(has_long.contains(cell) && !scope.is_long) << scope.text();
        if (scope.is_long) {
            has_long.insert(cell);
        }
    }
}

TEST(CanalScopes, MoreCallersOnlyWhereAllScopesOfFewerAreExplored) {
    const CanalView one{1, 1};
    const CanalView other{2, 1};
    for (std::size_t added = 0; added < canal_circumstances().size(); ++added) {
        for (std::size_t callers = 3; callers <= kScopeCallersMax; ++callers) {
            for (const CanalView last : {one, other}) {
                CanalScope more{std::vector<CanalView>(callers, one), true, added};
                more.callers.back() = last;
                CanalScope fewer = more;
                fewer.callers.erase(fewer.callers.begin());
                EXPECT_TRUE(reach_of(more).in_all == 0 || reach_of(fewer).in_all == kScopeNumberMax)
                    << more.text();
            }
        }
    }
}

TEST(CanalFindings, TheDocumentationSaysWhatTheQuickScopesShow) {
    if (kIsSlowBuild) {
        GTEST_SKIP() << "takes minutes in a build like this";
    }
    EXPECT_EQ(findings_table(Which::kQuick), without_long_findings(table_in_documentation()));
}

TEST(CanalFindings, TheRepairedLockPassesTheQuickScopes) { expect_repaired_passes(Which::kQuick); }

// ctest sets the variable where it runs the tests called Long; alone, app_test leaves them out.
class CanalFindingsLong : public ::testing::Test {
  protected:
    void SetUp() override {
        if (kIsSlowBuild || std::getenv("LOCKKEEPER_LONG_TESTS") == nullptr) {
            GTEST_SKIP() << "takes twenty minutes: make test-long";
        }
    }
};

TEST_F(CanalFindingsLong, TheDocumentationSaysWhatAllScopesShow) {
    EXPECT_EQ(findings_table(Which::kAll), table_in_documentation());
}

TEST_F(CanalFindingsLong, TheRepairedLockPassesAllScopes) { expect_repaired_passes(Which::kAll); }

}  // namespace
}  // namespace lockkeeper
