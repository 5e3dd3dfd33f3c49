// SPDX-License-Identifier: Apache-2.0

// The loop that drives a server beside a model, without a server.
#include "validate/servers/compared_server.hpp"

#include <gtest/gtest.h>

#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper::databases {
namespace {

// Agrees with the model. The last run of so many ends before its end.
class Agreeing final : public BothSides {
  public:
    explicit Agreeing(std::uint64_t cut_at) : cut_at_(cut_at) {}

    DrivenRun drive(const Schedule&) override {
        DrivenRun run;
        run.steps = 1;
        run.is_cut = ++runs_ == cut_at_;
        return run;
    }
    Schedule next_random() override { return {}; }

  private:
    std::uint64_t cut_at_;
    std::uint64_t runs_ = 0;
};
class AgreeingServer final : public ComparedServer {
  public:
    explicit AgreeingServer(std::uint64_t cut_at) : cut_at_(cut_at) {}

    [[nodiscard]] const char* kind() const override { return "server"; }
    [[nodiscard]] const std::string& version() const override { return version_; }
    [[nodiscard]] ComparisonLimits limits() const override { return {}; }
    [[nodiscard]] std::unique_ptr<BothSides> both_sides(const Understood&, const Runner&,
                                                        const ComparisonLimits&) override {
        return std::make_unique<Agreeing>(cut_at_);
    }

  private:
    std::uint64_t cut_at_;
    std::string version_;
};

Job job_of(const std::string& file) {
    auto scenario = load_scenario(std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/" + file);
    static const Registry kRegistry = shipped_systems();
    return std::get<Job>(make_job(kRegistry, std::get<Scenario>(std::move(scenario))));
}

Verdict verdict_when_cut_at(std::uint64_t run, std::function<bool()> is_full = {}) {
    const Job job = job_of("findings/leak_two_callers.json");
    ComparisonLimits limits;
    limits.random_schedules = 3;
    limits.is_full = std::move(is_full);
    AgreeingServer server(run);
    return compare(server, job, *job.runner, {}, limits).verdict;
}

// The time may end in the last run of all.
TEST(ComparedServer, IsNotSaidToAgreeWhereARunWasCutShort) {
    EXPECT_TRUE(is<Passed>(verdict_when_cut_at(4)));
    for (const std::uint64_t run : {1U, 3U}) {
        const Verdict verdict = verdict_when_cut_at(run);
        ASSERT_TRUE(is<Inconclusive>(verdict)) << run;
        EXPECT_EQ("the time limit was reached", std::get<Inconclusive>(verdict).detail);
    }
}

TEST(ComparedServer, IsNotSaidToAgreeWhereMemoryHasComeToItsLimit) {
    int asked = 0;
    const Verdict verdict = verdict_when_cut_at(4, [&asked] { return ++asked == 3; });
    ASSERT_TRUE(is<Inconclusive>(verdict));
    EXPECT_EQ("memory", std::get<Inconclusive>(verdict).limit);
    EXPECT_TRUE(is<Passed>(verdict_when_cut_at(4, [] { return false; })));
}

TEST(ComparedServer, LooksForSchedulesNoLongerThanTheCommandMay) {
    const Job job = job_of("findings/leak_two_callers.json");
    EXPECT_FALSE(own_schedules(job.scenario, *job.runner, job.check).empty());
    EXPECT_TRUE(own_schedules(job.scenario, *job.runner, job.check, 0).empty());
    const Job ordered = job_of("seeds/fill_and_drain_2x2.json");
    EXPECT_EQ(1, own_schedules(ordered.scenario, *ordered.runner, ordered.check).size());
    EXPECT_TRUE(own_schedules(ordered.scenario, *ordered.runner, ordered.check, 0).empty());
}

}  // namespace
}  // namespace lockkeeper::databases
