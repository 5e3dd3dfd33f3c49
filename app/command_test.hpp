// SPDX-License-Identifier: Apache-2.0

// Running the command in-process, for the tests of app/: what it prints, its exit code, files that
// vanish with the test, and a runner that does what it is told.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/command_line.hpp"
#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper::testing_app {

struct Ran {
    int exit_code = -1;
    std::string out;
    std::string err;
};

using Variables = std::map<std::string, std::string>;

inline Ran run(const Registry& registry, const std::vector<std::string>& arguments,
               const Variables& variables = {}) {
    std::ostringstream out;
    std::ostringstream err;
    const Environment environment = [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
    Ran ran;
    ran.exit_code = run_lockkeeper(arguments, registry, {out, err, false, environment});
    ran.out = out.str();
    ran.err = err.str();
    return ran;
}

inline Ran run(const std::vector<std::string>& arguments, const Variables& variables = {}) {
    static const Registry kRegistry = shipped_systems();
    return run(kRegistry, arguments, variables);
}

// One line on stderr, that begins as all do and contains `part`.
inline void expect_one_line(const Ran& ran, const std::string& part) {
    EXPECT_EQ(1, std::count(ran.err.begin(), ran.err.end(), '\n')) << ran.err;
    EXPECT_EQ(0U, ran.err.find("lockkeeper: ")) << ran.err;
    EXPECT_NE(std::string::npos, ran.err.find(part)) << part << "\n" << ran.err;
}

inline const std::string kScenarios = LOCKKEEPER_SOURCE_DIR "/scenarios/";

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::string read_whole(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// A directory of its own for each test.
class WithFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lockkeeper_test_XXXXXX").string();
        ASSERT_NE(nullptr, mkdtemp(pattern.data()));
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (directory_ / name).string();
    }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((directory_ / name).parent_path());
        std::ofstream(directory_ / name, std::ios::binary) << text;
        return path(name);
    }
    // Two callers that acquire and release once, each; `more`: further keys, with a comma behind.
    [[nodiscard]] std::string write_pair(const std::string& name,
                                         const std::string& more = "") const {
        return write(name, R"({"version": 1, )" + more + R"("system": "canal",
            "parameters": {"table": {"warm": 2}}, "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})");
    }
    // One counter loses a unit when views differ; the repaired canal lock does not.
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

  private:
    std::filesystem::path directory_;
};

// Does nothing, and lets a test say what each search answers.
class FakeRunner final : public Runner {
  public:
    std::function<ExploreResult(const ExploreOptions&)> on_explore;
    std::function<Reduction(const ExploreOptions&)> on_possible;
    std::function<FuzzResult(const FuzzOptions&)> on_fuzz;
    std::optional<ErasedSystem> system;

    [[nodiscard]] const WorldConfig& world() const override { return world_; }
    [[nodiscard]] std::uint32_t features() const override { return UINT32_MAX; }
    [[nodiscard]] std::size_t state_bytes() const override { return 8; }
    [[nodiscard]] ErasedSystem erased() const override {
        if (system) {
            return *system;
        }
        throw InternalError("the fake has no system");
    }
    [[nodiscard]] MakeWalker walkers() const override { return {}; }
    [[nodiscard]] ExploreResult explore_once(const ExploreOptions& options) const override {
        return on_explore ? on_explore(options) : ExploreResult{};
    }
    [[nodiscard]] Reductions possible(const ExploreOptions& options) const override {
        return {false, false, on_possible ? on_possible(options) : Reduction::kNone};
    }
    [[nodiscard]] FuzzResult fuzz(const FuzzOptions& options) const override {
        FuzzResult result = on_fuzz ? on_fuzz(options) : FuzzResult{};
        result.reached = options.reach;
        return result;
    }
    [[nodiscard]] std::unique_ptr<AnyRunMaker> run_maker(const FuzzOptions&) const override {
        throw InternalError("the fake makes no runs");
    }
    [[nodiscard]] Trace replay(const Schedule&, const ReplayOptions&) const override { return {}; }
    [[nodiscard]] Trace run_in_order(const std::vector<std::size_t>&,
                                     const ReplayOptions&) const override {
        return {};
    }
    [[nodiscard]] ShrinkResult shrink_within(const Schedule& schedule, const Property&,
                                             const ShrinkLimits&) const override {
        return {schedule, {}, 0, false};
    }
    [[nodiscard]] std::optional<PassingRun> nearest_passing(const Schedule&, const Property&,
                                                            const ShrinkLimits&) const override {
        return std::nullopt;
    }

  private:
    WorldConfig world_;
};

// A registry whose system "canal" is the fake; `prepare` sets it up.
inline Registry fake_registry(const std::function<void(FakeRunner&)>& prepare) {
    Registry registry;
    RegisteredSystem system;
    system.system = "canal";
    system.variant = "faithful";
    system.features = UINT32_MAX;
    system.make = [prepare](const Scenario&) -> MadeRunner {
        auto runner = std::make_unique<FakeRunner>();
        prepare(*runner);
        return runner;
    };
    registry.add(system);
    return registry;
}

}  // namespace lockkeeper::testing_app
