// The verb `sweep`: a wrong lock and a right one, the table, its comparison, bad input.
#include <nlohmann/json.hpp>

#include "app/command_test.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using Json = nlohmann::json;

// One counter loses a unit when views differ; the repaired canal lock does not.
class VerbSweep : public WithFiles {
  protected:
    [[nodiscard]] std::string sweep(const std::string& more = "") const {
        return write("s.json", R"({"sweep_version": 1, "about": "Locks and a view that differs.",
            "scenario": {"version": 1, "parameters": {"table": {"warm": 1}}, "check": ["leak"], "callers": [
                {"name": "A", "count": 2, "script": [
                    {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]},
                {"name": "B", "script": [
                    {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]},
            "axes": [
                {"name": "lock", "choices": [
                    {"name": "wrong", "set": {"/system": "single_counter", "/parameters": {}}},
                    {"name": "right", "set": {"/system": "canal", "/variant": "repaired",
                                              "/parameters/table/warm": 2}}]},
                {"name": "others", "vary": "callers:B", "values": [1, 2]}])" +
                                   more + "}");
    }
};

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
