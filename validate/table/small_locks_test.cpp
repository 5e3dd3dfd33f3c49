// SPDX-License-Identifier: Apache-2.0

// The table of small locks: each is written once, in small_locks.json, and every door gives the
// same judgement of it, or the one that its row declares.
#include <cstdlib>
#include <set>
#include <utility>

#include "model/slow_build_test.hpp"
#include "validate/table/doors_test.hpp"

namespace lockkeeper::table {
namespace {

template <class Door>
void expect_all(const std::string& door, Door says_of) {
    // Tests one row alone, for a person who writes a row.
    const char* only = std::getenv("LOCKKEEPER_TABLE_ROW");
    // Sanitizers are slow: every third row shows them all kinds of steps.
    const std::size_t every = testing_model::kIsSanitized && door != "model" ? 3 : 1;
    std::size_t number = 0;
    std::size_t judged_rows = 0;
    for (const Row& row : all_rows(door)) {
        if (only != nullptr ? row.lock == only : number++ % every == 0) {
            ++judged_rows;
            Says expected = row.expected();
            if (door == "model" && row.ttl > 0) {  // history_of_run.hpp: leases are no matter
                expected.history = kNotJudged;
            }
            if (door == "records") {
                expected = {expected.is, 0, 0, 0, "", expected.missing};
            }
            EXPECT_EQ(expected.text(), says_of(row).text()) << door << ": " << row.lock;
        }
    }
    EXPECT_GT(judged_rows, 0U);
}

TEST(SmallLocks, AreJudgedAsModels) { expect_all("model", of_model); }

TEST(SmallLocks, AreJudgedAsPrograms) {
    NEEDS_TOOL("python3");
    Programs programs;
    expect_all("program", [&](const Row& row) { return programs.of(row); });
}

TEST(SmallLocks, AreJudgedByRecordedRuns) {
    NEEDS_TOOL("python3");
    expect_all("records", [](const Row& row) {
        return of_records(row, checked_world(row, is_judged_in_records));
    });
}

TEST(SmallLocks, AreJudgedAsClientsAtTheWire) {
    SKIP_WITHOUT_REDIS();
    Wires wires;
    expect_all("wire", [&](const Row& row) { return wires.of(row); });
}

// A door may say otherwise, and a wrong lock may have a right history, where the row says why.
TEST(SmallLocks, HaveAReasonForEachDifference) {
    const std::set<std::string> doors{"model", "program", "wire", "records"};
    for (const Row& row : all_rows()) {
        const nlohmann::json apart = row.written.value("apart", nlohmann::json::object());
        for (const auto& [door, says] : apart.items()) {
            EXPECT_TRUE(doors.contains(door)) << row.lock;
            EXPECT_NE("", says.value("why", "")) << row.lock << ", " << door;
        }
        const std::string expected = row.expected().is == kPass ? "kept" : "violated";
        EXPECT_EQ(row.expected().history != expected && row.expected().is != kNotJudged,
                  row.written.contains("history_why"))
            << row.lock;
    }
}

// A member or step that the table does not explain is a mistake that nobody would see.
TEST(SmallLocks, AreWrittenInWordsThatTheTableExplains) {
    const std::set<std::string> members{
        "lock", "places",  "callers",   "acquire",    "release", "renew",
        "ttl",  "beyond",  "ends",      "crashes",    "is",      "primitives",
        "time", "faults",  "reentrant", "history",    "apart",   "check",
        "asks", "missing", "judged_as", "history_why"};
    std::set<std::string> explained;
    const nlohmann::json written = the_table();
    for (const auto& [step, about] : written.at("steps").items()) {
        explained.insert(step_of(step).name);
    }
    std::set<std::string> used;
    std::set<std::string> locks;
    for (const Row& row : all_rows()) {
        EXPECT_TRUE(locks.insert(row.lock).second) << row.lock << " stands there twice";
        for (const auto& [member, value] : row.written.items()) {
            EXPECT_TRUE(members.contains(member)) << row.lock << ": " << member;
        }
        for (const auto& [word, steps] : row.steps) {
            for (const Step& step : steps) {
                EXPECT_TRUE(is_answer(step.name) || explained.contains(step.name)) << step.name;
                used.insert(step.name);
            }
        }
    }
    for (const std::string& step : explained) {
        EXPECT_TRUE(used.contains(step)) << "no lock has the step " << step;
    }
}

}  // namespace
}  // namespace lockkeeper::table
