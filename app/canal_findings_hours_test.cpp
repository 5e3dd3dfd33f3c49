// The scopes of docs/findings/canal_lock_scopes.md that take hours (`make test-hours`): each kind
// of views and each table is a test by itself, so that what was found until then stays when the
// rest is broken off.
#include <set>

#include "app/canal_findings_test.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

struct Cell {
    ViewKind kind = ViewKind::kSame;
    bool warm = false;
};

class CanalFindingsHours : public ::testing::TestWithParam<Cell> {
  protected:
    void SetUp() override {
        skip_unless_asked("LOCKKEEPER_HOURS_TESTS", "takes hours: make test-hours");
    }
};

// Every finding of the table that is not in these lines, as "row | cell".
std::set<std::string> cells_of(const std::string& table) {
    std::set<std::string> cells;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> fields;
        std::istringstream parts(line);
        for (std::string field; std::getline(parts, field, '|');) {
            fields.push_back(field);
        }
        for (std::size_t i = 4; i < fields.size(); ++i) {
            if (fields[i].find(": ") != std::string::npos) {
                cells.insert(fields[1] + "|" + fields[2] + "|" + fields[3] + "|" +
                             std::to_string(i) + "|" + fields[i]);
            }
        }
    }
    return cells;
}

std::string place_of(const std::string& cell) { return cell.substr(0, cell.rfind('|')); }

TEST_P(CanalFindingsHours, TheDocumentationSaysWhatTheseScopesShow) {
    const Registry registry = shipped_systems();
    FindingsTable table;
    Enumerated enumerated;
    for (const CanalScope& scope : canal_scopes(CanalLock::kFaithful)) {
        if (scope.effort != Effort::kHours || scope.kind() != GetParam().kind ||
            scope.warm != GetParam().warm) {
            continue;
        }
        const ExploreResult result = explore_all(registry, scope, CanalLock::kFaithful);
        EXPECT_TRUE(result.complete) << scope.text();
        table.add(scope, result);
        enumerated.add(result);
    }
    enumerated.print();
    EXPECT_GT(enumerated.scopes, 0U);

    const std::string documented = table_in_documentation();
    std::set<std::string> with_less;
    for (const std::string& cell : cells_of(without_findings_of(Effort::kHours, documented))) {
        with_less.insert(place_of(cell));
    }
    const std::string kind =
        "| " + std::string(name_of(GetParam().kind)) + " | " + (GetParam().warm ? "warm" : "cold");
    std::set<std::string> expected;
    for (const std::string& cell : cells_of(documented)) {
        if (!with_less.contains(place_of(cell)) && cell.find(kind) != std::string::npos) {
            expected.insert(cell);
        }
    }
    std::set<std::string> found;
    for (const std::string& cell : cells_of(table.text())) {
        if (!with_less.contains(place_of(cell))) {
            found.insert(cell);
        }
    }
    EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Views, CanalFindingsHours,
    ::testing::Values(Cell{ViewKind::kBuckets, true}, Cell{ViewKind::kBuckets, false},
                      Cell{ViewKind::kMaxPer, true}, Cell{ViewKind::kMaxPer, false},
                      Cell{ViewKind::kBoth, true}, Cell{ViewKind::kBoth, false}),
    [](const auto& test) {
        std::string name(name_of(test.param.kind));
        std::erase_if(name, [](char c) { return c == ' ' || c == '_'; });
        return name + (test.param.warm ? "Warm" : "Cold");
    });

class CanalRepairedHours : public ::testing::TestWithParam<std::size_t> {
  protected:
    void SetUp() override {
        skip_unless_asked("LOCKKEEPER_HOURS_TESTS", "takes hours: make test-hours");
    }
};

TEST_P(CanalRepairedHours, PassesTheseScopes) {
    expect_repaired_passes(Effort::kHours, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Circumstances, CanalRepairedHours, ::testing::Values(1, 2, 3, 4, 5, 6),
                         [](const auto& test) {
                             std::string name(canal_circumstances()[test.param].column);
                             std::erase_if(name, [](char c) { return c == ' ' || c == ','; });
                             return name + std::to_string(test.param);
                         });

TEST(CanalScopes, ThoseThatTakeHoursAreOfTheCircumstancesAndViewsThatAreExplored) {
    for (const CanalScope& scope : canal_scopes(CanalLock::kRepaired)) {
        EXPECT_TRUE(scope.effort != Effort::kHours || scope.circumstance > 0) << scope.text();
    }
    for (const CanalScope& scope : canal_scopes(CanalLock::kFaithful)) {
        EXPECT_TRUE(scope.effort != Effort::kHours || scope.kind() != ViewKind::kSame)
            << scope.text();
    }
}

}  // namespace
}  // namespace lockkeeper
