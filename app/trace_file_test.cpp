// SPDX-License-Identifier: Apache-2.0

// Trace files: written, read back, edited, broken.

#include "app/command_test.hpp"
#include "app/session.hpp"
#include "model/json.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using OrderedJson = nlohmann::ordered_json;

class TraceFile : public WithFiles {
  protected:
    void SetUp() override {
        WithFiles::SetUp();
        scenario_ = write_pair("pair.json", R"("check": ["leak"], )");
        found_ = run({"explore", scenario_, "--out", path("out")});
        ASSERT_EQ(kExitViolated, found_.exit_code) << found_.err;
        const auto files = find_files({path("out")}, FileKind::kTraces);
        ASSERT_EQ(1U, files.size());
        trace_ = files.front().path;
        json_ = OrderedJson::parse(read_whole(trace_));
    }
    [[nodiscard]] std::string edited() const { return write("edited.trace.json", json_.dump()); }
    void expect_refused(const std::string& place) const {
        const std::string file = edited();
        const Ran ran = run({"replay", file});
        EXPECT_EQ(kExitInput, ran.exit_code);
        expect_one_line(ran, file + ":");
        expect_one_line(ran, ": " + place);
    }

    std::string scenario_;
    std::string trace_;
    Ran found_;
    OrderedJson json_;
};

TEST_F(TraceFile, IsNamedBySignatureAndKeepsToItsSchema) {
    EXPECT_TRUE(contains(found_.out, "written: " + trace_));
    EXPECT_TRUE(contains(found_.out, "replay: lockkeeper replay " + trace_));
    const std::string name = std::filesystem::path(trace_).filename().string();
    EXPECT_EQ(std::string("leak-01234567.trace.json").size(), name.size());
    EXPECT_EQ(0U, name.find("leak-"));
    EXPECT_EQ("", testing_scenarios::report_complaint(json_.dump(), "trace.schema.json"));
}

TEST_F(TraceFile, ReplaysToTheSameViolation) {
    for (const std::string& argument : {trace_, path("out")}) {
        const Ran ran = run({"replay", argument});
        EXPECT_EQ(kExitViolated, ran.exit_code);
        EXPECT_TRUE(contains(ran.out, "verdict: violated: P2 leak in 22 steps\n")) << ran.out;
        EXPECT_TRUE(contains(ran.out, "replay: lockkeeper replay " + trace_));
    }
}

TEST_F(TraceFile, FuzzTriesItFirstAndWritesTheSameName) {
    const Ran ran = run({"fuzz", scenario_, "--out", path("out"), "--seed", "99"});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "found by corpus"));
    EXPECT_TRUE(contains(ran.out, "written: " + trace_)) << ran.out;
    EXPECT_TRUE(contains(ran.out, "seed: 99\n"));
}

TEST_F(TraceFile, FuzzLeavesOutOtherScenariosAndBrokenTraces) {
    static_cast<void>(write("out/broken.trace.json", "{"));
    OrderedJson other = json_;
    other["scenario"]["faults"]["crashes"] = 1;
    static_cast<void>(
        write(std::filesystem::path(trace_).lexically_relative(path("")).string(), other.dump()));
    const Ran ran = run({"fuzz", scenario_, "--out", path("out"), "--force"});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_FALSE(contains(ran.out, "found by corpus"));
    expect_one_line(ran, "broken.trace.json:1:2: ");
}

TEST_F(TraceFile, ChangedActionDiverges) {
    std::size_t step = 0;
    while (json_["steps"][step]["action"] != "b0.1") {
        ++step;
    }
    json_["steps"][step]["action"] = "b0.2";
    const Ran ran = run({"replay", edited()});
    EXPECT_EQ(kExitDiverged, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "verdict: diverged: step " + std::to_string(step + 1) +
                                      ": action b0.2 is not possible"))
        << ran.out;
    const Ran onward = run({"replay", edited(), "--on-divergence", "continue"});
    EXPECT_EQ(kExitDiverged, onward.exit_code);
    EXPECT_TRUE(contains(onward.out, "the recorded violation of leak does not happen"));
    EXPECT_EQ(kExitViolated, run({"replay", edited(), "--on-divergence", "nearest"}).exit_code);
}

TEST_F(TraceFile, ChangedTextDiverges) {
    json_["steps"][2]["result"] = "-> acquired, count 7";
    const Ran ran = run({"replay", edited()});
    EXPECT_EQ(kExitDiverged, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "diverged at step 3: recorded \"")) << ran.out;
}

TEST_F(TraceFile, StepsWithoutTextAreNotCompared) {
    for (OrderedJson& step : json_["steps"]) {
        step.erase("text");
        step.erase("result");
    }
    EXPECT_EQ(kExitViolated, run({"replay", edited()}).exit_code);
}

// Valid JSON whose last steps are gone would pass: the violation is in the last step.
TEST_F(TraceFile, LostStepsAreNotAPass) {
    const OrderedJson whole = json_;
    json_["steps"].erase(json_["steps"].size() - 1);
    expect_refused("/steps: 21 steps, but \"schedule\" has 22; delete \"schedule\" when");
    json_["steps"] = OrderedJson::array();
    expect_refused("/steps: 0 steps, but \"schedule\" has 22");
    json_ = whole;
    json_["steps"].push_back(json_["steps"][0]);
    expect_refused("/steps: 23 steps, but \"schedule\" has 22");
}

TEST_F(TraceFile, FewerStepsOnPurposeDoNotShowTheViolation) {
    json_["steps"].erase(json_["steps"].size() - 1);
    json_.erase("schedule");
    const Ran ran = run({"replay", edited()});
    EXPECT_EQ(kExitDiverged, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "the recorded violation of leak does not happen"));
    EXPECT_TRUE(contains(ran.out, "seed: 1\n")) << "the seed is its own";
}

TEST_F(TraceFile, WithoutASeedOfItsOwnHasThatOfItsSchedule) {
    json_.erase("seed");
    const Ran ran = run({"replay", edited()});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "seed: 1\n")) << ran.out;
}

TEST_F(TraceFile, IsNoScenarioToExplore) {
    const Ran ran = run({"explore", trace_});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "is a trace: `lockkeeper replay` runs it");
}

TEST_F(TraceFile, Truncated) {
    const std::string whole = read_whole(trace_);
    for (std::size_t size = 0; size + 3 < whole.size(); size += 1 + size / 7) {
        const std::string file = write("cut.trace.json", whole.substr(0, size));
        const Ran ran = run({"replay", file});
        EXPECT_EQ(kExitInput, ran.exit_code) << size;
        expect_one_line(ran, file + ":");
        expect_one_line(ran, ": not JSON: ");
    }
}

TEST_F(TraceFile, WrongVersionKindAndType) {
    const OrderedJson whole = json_;
    const auto with = [&](const char* key, const OrderedJson& value) {
        json_ = whole;
        json_[key] = value;
    };
    with("version", 2);
    expect_refused(
        "/version: this build reads version 1, found 2: read it with a newer Lockkeeper");
    with("kind", "history");
    expect_refused("/kind: ");
    with("steps", 7);
    expect_refused("/steps: ");
    with("schedule", "lk9:1:s0");
    expect_refused("/schedule: character 1: not a schedule of version lk1");
    with("property", "leek");
    expect_refused("/property: unknown property \"leek\"");
    with("cycle_from", 23);
    expect_refused("/cycle_from: ");
    with("causes", OrderedJson::array({99}));
    expect_refused("/causes/0: ");
    with("stepz", 1);
    expect_refused("unknown key \"stepz\"; did you mean \"steps\"?");
    json_ = whole;
    json_["steps"][3]["action"] = "q1";
    expect_refused("/steps/3/action: character 1: expected an action");
    json_ = whole;
    json_["scenario"]["system"] = "kanal";
    expect_refused("/scenario/system: unknown system \"kanal\"");
    json_ = whole;
    json_["scenario"]["callers"] = 1;
    expect_refused("/scenario/callers: ");
    json_ = whole;
    json_.erase("scenario");
    expect_refused("");
}

}  // namespace
}  // namespace lockkeeper
