// SPDX-License-Identifier: Apache-2.0

// Saved files are taken by the other verbs, and show what the page showed.
#include "serve/saving.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "scenarios/bad_input.hpp"
#include "scenarios/find_files.hpp"
#include "serve/serve_test.hpp"
#include "work/expectation.hpp"
#include "work/make_report.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

class Saving : public WithFiles {
  protected:
    static SavedFile saved(const OpenedFile& file, const Schedule& schedule, SavedAs as,
                           std::size_t cycle_start = kNoStep) {
        return saved_file(file, registry(), schedule, cycle_start, as);
    }
    static Schedule random_way(const OpenedFile& file, std::size_t steps) {
        const Json walked = random_view(file, {3, {}}, {"random", 3, steps});
        return std::get<Schedule>(parse_schedule(walked["schedule"].get<std::string>()));
    }
};

// Empty: the scenario that was saved does what it says.
std::string difference_in(const std::string& text, const Json& expected_verdict) {
    EXPECT_EQ(expected_verdict, Json::parse(text)["expect"]["verdict"]) << text;
    const Job job =
        value_or_throw(make_job(registry(), value_or_throw(parse_scenario(text, "saved.json"))));
    ReplayOptions options;
    options.check = job.check;
    RunReport report = begin_report(job, "run", "replay");
    add_run(job, run_as_written(job, options), OnDivergence::kStop, report);
    return first_difference(job.scenario, job.runner->world(), report);
}

TEST_F(Saving, AScenarioExpectsWhatTheRunShows) {
    const auto file = opened(pair_text(R"("check": "safety", "reach": ["full"], )"));
    const Schedule way = way_to_violation(*file);
    const std::string violated = saved(*file, way, SavedAs::kScenario).text;
    EXPECT_EQ("", difference_in(violated, "violated"));
    EXPECT_EQ(Json::array({"leak"}), Json::parse(violated)["expect"]["properties"]);
    EXPECT_EQ(22, Json::parse(violated)["expect"]["steps"]);
    const std::string begun = saved(*file, cut(way, 9), SavedAs::kScenario).text;
    EXPECT_EQ("", difference_in(begun, "passed"));
    EXPECT_TRUE(Json::parse(begun)["expect"].contains("results"));
}

TEST_F(Saving, AScenarioOfAnySystemMeetsItsExpectation) {
    const std::string root = std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/";
    std::set<std::string> systems;
    for (const char* folder : {"leases/findings", "single_counter", "canal/findings", "monglock",
                               "transactional/pg/findings"}) {
        std::size_t count = 0;
        for (const InputFile& named : find_files({root + folder}, FileKind::kScenarios)) {
            constexpr std::size_t kSomeOfEach = 9;
            if (count++ % kSomeOfEach != 0) {
                continue;
            }
            const auto file =
                files_.at(files_.open(value_or_throw(load_replayable(named.path)), {}));
            systems.insert(file->job.scenario.system);
            for (const std::size_t steps : {0U, 3U, 40U}) {
                const Schedule way = steps == 0 ? Schedule{1, {}} : random_way(*file, steps);
                // Throws where it does not.
                EXPECT_FALSE(saved(*file, way, SavedAs::kScenario).text.empty()) << named.path;
            }
        }
    }
    EXPECT_GE(systems.size(), 5U);
}

TEST_F(Saving, ATraceReplaysToItsViolation) {
    const auto file = opened(pair_text(R"("check": "safety", )"));
    Schedule way = way_to_violation(*file);
    const SavedFile trace = saved(*file, way, SavedAs::kTrace);
    EXPECT_TRUE(trace.name.starts_with("leak-") && trace.name.ends_with(".trace.json"));
    const auto read = parse_replayable(trace.text, trace.name);
    ASSERT_TRUE(std::holds_alternative<RecordedTrace>(read));
    EXPECT_EQ(way, std::get<RecordedTrace>(read).schedule);
    EXPECT_EQ("leak", std::get<RecordedTrace>(read).property);
}

TEST_F(Saving, ATraceWithoutAViolationSaysSo) {
    const auto file = opened(pair_text(R"("check": ["leak"], )"));
    const Schedule begun = cut(way_to_violation(*file), 5);
    const SavedFile trace = saved(*file, begun, SavedAs::kTrace);
    EXPECT_TRUE(trace.name.starts_with("no-leak-")) << trace.name;
    const auto read = std::get<RecordedTrace>(parse_replayable(trace.text, trace.name));
    EXPECT_EQ("", read.property);
    EXPECT_EQ(begun, read.schedule);
}

TEST_F(Saving, ALivelockIsATraceAndNoScenario) {
    const auto loaded = load_replayable(std::string(LOCKKEEPER_SOURCE_DIR) +
                                        "/scenarios/canal/findings/livelock_crash.json");
    const auto file = files_.at(files_.open(std::get<Scenario>(loaded), {}));
    ExploreOptions options = explore_options_of(file->job);
    options.check = file->job.check;
    const FoundViolation found = file->job.runner->explore(options).violations.at(0);
    const SavedFile trace = saved(*file, found.schedule, SavedAs::kTrace, found.cycle_start);
    const auto read = std::get<RecordedTrace>(parse_replayable(trace.text, trace.name));
    EXPECT_EQ(found.cycle_start, read.cycle_start);
    EXPECT_EQ("livelock", read.property);
    EXPECT_THROW(saved(*file, found.schedule, SavedAs::kScenario, found.cycle_start), UsageError);
}

TEST_F(Saving, WhatDoesNotFitIsNotSaved) {
    const auto file = opened(pair_text());
    EXPECT_THROW(saved(*file, {1, {Action{7, ActionKind::kStep, 0}}}, SavedAs::kTrace), DoesNotFit);
}

class Writing : public Saving {
  protected:
    void SetUp() override {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lockkeeper_test_XXXXXX").string();
        ASSERT_NE(nullptr, mkdtemp(pattern.data()));
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::size_t files_count() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(directory_),
                          std::filesystem::directory_iterator()));
    }

    std::filesystem::path directory_;
    SavedFile trace_{"leak-1.trace.json",
                     "{\n    \"$schema\": \"trace.schema.json\",\n    \"version\": 1\n}\n"};
};

TEST_F(Writing, PutsTheFileIntoTheDirectoryAndAddsTheEnding) {
    EXPECT_EQ((directory_ / "leak-1.trace.json").string(),
              write_saved(trace_, directory_.string(), "", SavedAs::kTrace));
    EXPECT_EQ((directory_ / "mine.trace.json").string(),
              write_saved(trace_, directory_.string(), "mine", SavedAs::kTrace));
    EXPECT_EQ(2U, files_count());
}

TEST_F(Writing, TakesNoNameThatLeadsOutOfTheDirectory) {
    std::vector<std::string> names;
    for (const char* name : {"../a", "/tmp/a", "a/b", "..", ".hidden", "a\nb", "a b", "a\\b"}) {
        EXPECT_THROW(write_saved(trace_, directory_.string(), name, SavedAs::kTrace), UsageError)
            << name;
    }
    EXPECT_THROW(write_saved(trace_, directory_.string(), std::string(200, 'a'), SavedAs::kTrace),
                 UsageError);
    EXPECT_EQ(0U, files_count());
}

TEST_F(Writing, ReplacesATraceAndNeverAScenario) {
    write_saved(trace_, directory_.string(), "a", SavedAs::kTrace);
    write_saved(trace_, directory_.string(), "a", SavedAs::kTrace);
    const SavedFile scenario{"a.json", pair_text()};
    write_saved(scenario, directory_.string(), "", SavedAs::kScenario);
    EXPECT_THROW(write_saved(scenario, directory_.string(), "", SavedAs::kScenario), OutputError);
}

}  // namespace
}  // namespace lockkeeper
