// What is wrong with the published canal lock, found by going through scopes systematically, and
// the proof that the repaired one passes all of them. The table is the one in
// docs/reference/canal_lock_table.md, which this test compares word by word: the quick scopes
// always, more of them in `make test-long`; canal_findings_hours_test.cpp has the rest.
#include "app/canal_findings_test.hpp"

#include <set>

#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

std::string findings_table(Effort most) {
    const Registry registry = shipped_systems();
    FindingsTable table;
    for (const CanalScope& scope : canal_scopes(CanalLock::kFaithful)) {
        if (scope.effort <= most) {
            const ExploreResult result = explore_all(registry, scope, CanalLock::kFaithful);
            EXPECT_TRUE(result.complete) << scope.text();
            table.add(scope, result);
        }
    }
    return table.text();
}

TEST(CanalScopes, ThoseOfMoreEffortComeLastInEveryCell) {
    std::map<std::tuple<std::string_view, ViewKind, bool>, Effort> last;
    for (const CanalScope& scope : canal_scopes(CanalLock::kFaithful)) {
        Effort& before =
            last[{canal_circumstances()[scope.circumstance].column, scope.kind(), scope.warm}];
        EXPECT_GE(scope.effort, before) << scope.text();
        before = scope.effort;
    }
}

TEST(CanalScopes, MoreCallersOnlyWhereAllScopesOfFewerAreExplored) {
    const CanalView one{1, 1};
    const CanalView other{2, 1};
    const CanalView no_bucket{1, 0};
    for (std::size_t added = 0; added < canal_circumstances().size(); ++added) {
        for (std::size_t callers = 3; callers <= kScopeCallersMax; ++callers) {
            for (const CanalView last : {one, other, no_bucket}) {
                CanalScope more{std::vector<CanalView>(callers, one), true, added};
                more.callers.back() = last;
                CanalScope fewer = more;
                fewer.callers.erase(fewer.callers.begin());
                EXPECT_TRUE(reach_of(more, CanalLock::kFaithful).in_hours == 0 ||
                            reach_of(fewer, CanalLock::kFaithful).in_hours == kScopeNumberMax)
                    << more.text();
            }
        }
    }
}

TEST(CanalScopes, TheRepairedLockIsTakenAtLeastAsFar) {
    std::set<std::string> repaired;
    for (const CanalScope& scope : canal_scopes(CanalLock::kRepaired)) {
        repaired.insert(scope.text());
    }
    for (const CanalScope& scope : canal_scopes(CanalLock::kFaithful)) {
        EXPECT_TRUE(repaired.contains(scope.text())) << scope.text();
    }
}

TEST(CanalFindings, TheDocumentationSaysWhatTheQuickScopesShow) {
    if (testing_model::kIsSlowBuild) {
        GTEST_SKIP() << "takes minutes in a build like this";
    }
    EXPECT_EQ(findings_table(Effort::kQuick),
              without_findings_of(Effort::kLong,
                                  without_findings_of(Effort::kHours, table_in_documentation())));
}

TEST(CanalFindings, TheRepairedLockPassesTheQuickScopes) { expect_repaired_passes(Effort::kQuick); }

class CanalFindingsLong : public ::testing::Test {
  protected:
    void SetUp() override {
        skip_unless_asked("LOCKKEEPER_LONG_TESTS", "takes twenty minutes: make test-long");
    }
};

TEST_F(CanalFindingsLong, TheDocumentationSaysWhatTheseScopesShow) {
    EXPECT_EQ(findings_table(Effort::kLong),
              without_findings_of(Effort::kHours, table_in_documentation()));
}

TEST_F(CanalFindingsLong, TheRepairedLockPassesTheseScopes) {
    expect_repaired_passes(Effort::kLong);
}

}  // namespace
}  // namespace lockkeeper
