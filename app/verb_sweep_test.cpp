// SPDX-License-Identifier: Apache-2.0

// The verb `sweep`: a wrong lock and a right one, the table, its comparison, bad input.

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "scenarios/schema_check_test.hpp"
#include "scheduler/base/interrupt.hpp"
#include "work/sweep_job.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using Json = nlohmann::json;

class VerbSweep : public WithFiles {};

TEST_F(VerbSweep, FindsWhatTheWrongLockViolatesAndNothingInTheRightOne) {
    const Ran ran = run({"sweep", sweep(), "--format", "json"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "sweep_table.schema.json"));
    const Json rows = Json::parse(ran.out)["rows"];
    ASSERT_EQ(4U, rows.size());
    EXPECT_EQ(rows[0]["at"], (Json{"wrong", "1"}));
    EXPECT_EQ(1U, rows[1]["violated"].count("leak")) << rows;
    EXPECT_EQ(Json::object(), rows[2]["violated"]);
    EXPECT_EQ(Json::object(), rows[3]["violated"]);
    const Ran right = run({"sweep", sweep(), "--where", "lock=right"});
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    EXPECT_TRUE(contains(right.out, "verdict: passed")) << right.out;
}

TEST_F(VerbSweep, BeginsWithNoPointWhenTheTimeIsOverBeforeAllAreMade) {
    const Ran ran = run({"sweep", sweep(), "--time-limit", "0.001ms"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "inconclusive: ended by limit: time")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "0 points, ")) << ran.out;
}

TEST_F(VerbSweep, HasNoPassWhereAnInterruptCameBeforeAllPointsWereMade) {
    const std::string file = sweep();
    request_interrupt();
    const SweptTable table = begin_sweep(file, {});
    clear_interrupt();
    EXPECT_TRUE(table.points.empty());
    EXPECT_TRUE(is<Inconclusive>(sweep_verdict(table)));
    EXPECT_EQ(4U, begin_sweep(file, {}).points.size());
}

TEST_F(VerbSweep, PassesWhereTheFileExpectsWhatIsFound) {
    const std::string file =
        sweep(R"(, "expected": [{"of": {"lock": "wrong"}, "violated": ["leak"]}])");
    EXPECT_EQ(kExitPassed, run({"sweep", file}).exit_code);
}

TEST_F(VerbSweep, NamesTheFirstDifferenceFromAStoredTable) {
    const std::string file =
        sweep(R"(, "expected": [{"of": {"lock": "wrong"}, "violated": "any"}])");
    const std::string table = path("table.json");
    EXPECT_EQ(kExitPassed,
              run({"sweep", file, "--table", table, "--csv", path("table.csv")}).exit_code);
    EXPECT_TRUE(
        contains(read_whole(path("table.csv")), "lock,others,callers,states,complete,violated"));
    EXPECT_EQ(kExitPassed, run({"sweep", file, "--check", table, "--jobs", "3"}).exit_code);
    std::string other = read_whole(table);
    other.replace(other.find("\"leak\":"), 7, "\"leek\":");
    const Ran ran = run({"sweep", file, "--check", write("other.json", other)});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "other.json: line ")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "\"leek\"")) << ran.out;
}

// The row that says something else is looked at only where its states are few enough.
TEST_F(VerbSweep, ComparesRowsUpToANumberOfStates) {
    const std::string file =
        sweep(R"(, "expected": [{"of": {"lock": "wrong"}, "violated": "any"}])");
    const std::string table = path("table.json");
    EXPECT_EQ(kExitPassed, run({"sweep", file, "--table", table}).exit_code);
    const Json rows = Json::parse(read_whole(table))["rows"];
    const auto states = [&](std::size_t row) { return rows[row]["states"].get<std::uint64_t>(); };
    ASSERT_LT(states(0), states(1));
    std::string other = read_whole(table);
    other.replace(other.find("\"leak\":", other.find(rows[1]["at"].dump())), 7, "\"leek\":");
    const std::string stored = write("other.json", other);
    const auto up_to = [&](std::uint64_t most) {
        return run({"sweep", file, "--check", stored, "--check-up-to", std::to_string(most)});
    };
    EXPECT_EQ(kExitViolated, up_to(states(1)).exit_code);
    EXPECT_EQ(kExitPassed, up_to(states(1) - 1).exit_code);
    EXPECT_EQ(kExitUsage, up_to(0).exit_code);  // no point is left
    expect_one_line(run({"sweep", file, "--check-up-to", "9"}), "--check");
}

// Measures what two callers lose, by the buckets: one point for every day, one long, one of hours.
class MeasuringSweep : public WithFiles {
  protected:
    [[nodiscard]] std::string sweep(const std::string& measure) const {
        return write("m.json", R"({"sweep_version": 1, "about": "A leak by the number of buckets.",
            "scenario": {"version": 1, "system": "canal", "check": ["leak"], "callers": [
                {"name": "A", "count": 2, "script": [
                    {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]},
            "axes": [{"name": "buckets", "choices": [
                {"name": "2", "set": {"/callers/0/script/0/acquire/buckets": 2, "/parameters/table/warm": 2}},
                {"name": "4", "set": {"/callers/0/script/0/acquire/buckets": 4, "/parameters/table/warm": 4}},
                {"name": "1", "set": {"/parameters/table/warm": 1}}]}],
            "long": [{"buckets": "4"}], "hours": [{"buckets": "1"}],
            "measure": )" + measure +
                                   "}");
    }
};

TEST_F(MeasuringSweep, SolvesOrSamplesEachPoint) {
    const Ran ran = run({"sweep", sweep(R"({"method": "exact"})"), "--long", "--format", "json"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "sweep_table.schema.json"));
    const Json rows = Json::parse(ran.out)["rows"];
    ASSERT_EQ(2U, rows.size());
    EXPECT_EQ(rows[0], Json::parse(R"({"at": ["2"], "callers": 2, "method": "exact", "states": 356,
                                       "complete": true, "rates": {"leak": 0.01562}})"));
    EXPECT_EQ(rows[1]["effort"], "long");
    const std::string sampling = sweep(R"({"method": "sampled", "runs": 1000})");
    const Ran sampled = run({"sweep", sampling, "--format", "json"});
    EXPECT_EQ("", testing_scenarios::report_complaint(sampled.out, "sweep_table.schema.json"));
    const Json row = Json::parse(sampled.out)["rows"][0];
    EXPECT_EQ(row["runs"], 1000);
    EXPECT_LE(row["rates"]["leak"][1], 0.01562);
    EXPECT_GE(row["rates"]["leak"][2], 0.01562);
    EXPECT_EQ(run({"sweep", sampling, "--format", "json", "--jobs", "3"}).out, sampled.out);
    EXPECT_TRUE(contains(run({"sweep", sampling}).out, "1 point measured, 0 not complete"));
}

TEST_F(MeasuringSweep, IsUndecidedWhereALimitEndsAPoint) {
    const Ran ran = run({"sweep", sweep(R"({"method": "exact"})"), "--max-states", "10"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out;
    EXPECT_TRUE(contains(ran.out, "NOT complete")) << ran.out;
}

TEST_F(MeasuringSweep, RefusesMoreThanIsMeasuredAtOnce) {
    const std::string file = sweep("{}");
    std::string nothing = read_whole(file);
    nothing.replace(nothing.find(R"(["leak"])"), 8, R"(["livelock"])");
    const Ran ran = run({"sweep", write("n.json", nothing)});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "0 properties; from 1 to 32 are measured at once (buckets 2)");
}

// A stored table may say more than is asked for, and not less, nor of other points.
TEST_F(MeasuringSweep, ComparesTheRowsOfThePointsThatItWorksOn) {
    const std::string file = sweep(R"({"method": "exact"})");
    const std::string all = path("all.json");
    const std::string quick = path("quick.json");
    EXPECT_EQ(kExitPassed, run({"sweep", file, "--long", "--table", all}).exit_code);
    EXPECT_EQ(kExitPassed, run({"sweep", file, "--table", quick}).exit_code);
    const auto check = [&](const std::string& table, const std::vector<std::string>& flags = {}) {
        std::vector<std::string> arguments{"sweep", file, "--check", table};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        return run(arguments);
    };
    EXPECT_EQ(kExitPassed, check(all).exit_code);
    EXPECT_EQ(kExitPassed, check(all, {"--long", "--where", "buckets=4"}).exit_code);
    const auto differs = [&](const Ran& ran, const std::string& part) {
        EXPECT_EQ(kExitViolated, ran.exit_code);
        EXPECT_TRUE(contains(ran.out, part)) << part << "\n" << ran.out;
    };
    differs(check(quick, {"--long"}), R"(quick.json: line 7: no row {"at":["4"],"callers":2)");
    differs(check(quick, {"--hours"}), "no row");
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = read_whole(all);
        text.replace(text.find(from), from.size(), to);
        return write("with.json", text);
    };
    differs(check(with("0.01562", "0.01563")), "line 6: stored {");
    differs(check(with(R"(["4"])", R"(["3"])")), R"(line 7: stored {"at":["3"])");
    differs(check(with(R"(["4"])", R"(["2"])")), "line 7: stored");
    differs(check(with("\n]\n}\n", "\n]\n}\n}\n")), "line 10: stored }, found nothing");
    differs(check(with("\n]\n}\n", "")), "line 8: stored nothing");
    differs(check(with("buckets", "bucket")), "line 4: stored");
}

TEST_F(MeasuringSweep, IsRefusedWhereNoPointIsLeft) {
    const Ran none = run({"sweep", sweep("{}"), "--where", "buckets=4"});
    EXPECT_EQ(kExitUsage, none.exit_code);
    expect_one_line(none, "no point is left");
    EXPECT_EQ(kExitUsage, run({"sweep", sweep("{}"), "--long", "--hours"}).exit_code);
    EXPECT_EQ(kExitPassed, run({"sweep", sweep("{}"), "--hours"}).exit_code);
}

TEST_F(VerbSweep, ShippedFilesKeepToTheSchema) {
    const std::filesystem::path folder =
        std::filesystem::path(LOCKKEEPER_SOURCE_DIR) / "docs" / "sweeps";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool is_sweep = contains(name, ".sweep.json");
        EXPECT_EQ("", testing_scenarios::schema_complaint(
                          Json::parse(read_whole(entry.path())),
                          is_sweep ? "scenarios/schema/sweep.schema.json"
                                   : "reports/schema/sweep_table.schema.json"))
            << name;
    }
}

TEST_F(VerbSweep, RefusesBadFilesAndNames) {
    EXPECT_EQ(kExitInput, run({"sweep", path("none.json")}).exit_code);
    const Ran bad = run({"sweep", sweep(R"(, "rule": [])")});
    EXPECT_EQ(kExitInput, bad.exit_code);
    expect_one_line(bad, "did you mean \"rules\"?");
    const Ran name = run({"sweep", sweep(), "--where", "lok=right"});
    EXPECT_EQ(kExitUsage, name.exit_code);
    expect_one_line(name, "did you mean \"lock\"?");
    const Ran point = run({"sweep", write("p.json", R"({"sweep_version": 1, "about": "a",
        "scenario": {"version": 1, "system": "canal", "callers": []},
        "axes": [{"name": "a", "choices": [{"name": "x", "set": {"/sistem": "canal"}}]}]})")});
    EXPECT_EQ(kExitInput, point.exit_code);
    expect_one_line(point, "(a x)");
    EXPECT_EQ(kExitInconclusive,
              run({"sweep", sweep(), "--where", "lock=right", "--max-states", "1"}).exit_code);
}

}  // namespace
}  // namespace lockkeeper
