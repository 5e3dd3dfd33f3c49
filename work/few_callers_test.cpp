// SPDX-License-Identifier: Apache-2.0

// `prove` with a write lock whose tokens grow without end: few callers are looked at for a short
// while, then a proof is sought, and where there is none they are explored again.
#include <sstream>

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "work/prove_job.hpp"

namespace lockkeeper {
namespace {

// Its grace of 2 is the least that is safe.
const std::string kWriteLock = LOCKKEEPER_SOURCE_DIR "/scenarios/every_number/write_lock.json";

class ShortLook : public ::testing::Test {
  protected:
    RunReport prove(std::int32_t grace, std::uint64_t states_first) {
        Asked asked;
        asked.command = "prove";
        asked.numbers = {{"grace", grace}};
        const Desk desk{registry_, asked, out_};
        const Job job = prepare(desk, value_or_throw(load_scenario(kWriteLock)));
        RunReport report = begin_proof(job, asked.command);
        Proving how;
        how.explore.states_max = 200'000;
        how.seconds_max = 1'800;
        how.states_first = states_first;
        const auto watcher = desk.watch();
        prove_job(job, how, Following{desk, *watcher}, report);
        return report;
    }
    static const EveryNumber& answer(const RunReport& report) {
        return std::get<EveryNumber>(report.details);
    }

    const Registry registry_ = shipped_systems();
    std::ostringstream out_;
};

TEST_F(ShortLook, AProofNeedsNoMore) {
    const RunReport report = prove(2, 20);
    EXPECT_TRUE(is<Passed>(report.verdict));
    EXPECT_EQ(answer(report).explored, 0U);
    EXPECT_EQ(answer(report).method, "counts");
}

TEST_F(ShortLook, WhereThereIsNoProofTheLeastNumberIsFoundAllTheSame) {
    const RunReport report = prove(1, 20);
    EXPECT_TRUE(is<Violated>(report.verdict));
    EXPECT_EQ(answer(report).least, (std::vector<std::size_t>{1, 1}));
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings.front().property->name, std::string("belief-overlap"));
}

}  // namespace
}  // namespace lockkeeper
