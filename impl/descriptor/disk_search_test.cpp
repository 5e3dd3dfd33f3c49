// SPDX-License-Identifier: Apache-2.0

// A search of every shipped scenario goes on from disk, with so little memory that it spills at
// every level, and finds what the search in memory finds. The systems with clocks and faults have
// records of several words.
#include "scheduler/disk/disk_search_test.hpp"

#include <map>

#include "impl/descriptor/drawn_faults_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

constexpr std::uint64_t kStatesOnDisk = testing_model::kIsSlowBuild ? 1'000 : 10'000;
// Writing and syncing takes most of the time, so that only every kStride-th scenario is searched,
// and more of a system that none of those has shown yet: which ones they are changes with every new
// file.
constexpr std::size_t kStride = testing_model::kIsSlowBuild ? 12 : 5;

// Returns the command's options, without the properties that need the graph.
ExploreOptions asked(const Job& job) {
    ExploreOptions options = explore_options_of(job);
    std::erase_if(options.check, [](const Property* property) {
        return property->kind == PropertyKind::kEventually;
    });
    options.counting = Counting::kOff;
    options.states_max = kStatesOnDisk;
    options.reduction = Reduction::kNone;
    options.seconds_max = kNoTimeLimit;
    return options;
}

TEST(DiskSearchOfShippedScenarios, FindsWhatASearchInMemoryFinds) {
    std::map<std::string, std::size_t> compared = {{"canal", 0},          {"single_counter", 0},
                                                   {"lease_db", 0},       {"lease_coordinator", 0},
                                                   {"monglock_write", 0}, {"transactional_pg", 0}};
    for (std::size_t i = 0; i < scenarios().size(); ++i) {
        const Scenario& scenario = scenarios()[i];
        const auto missing = compared.find(scenario.system);
        if (i % kStride != 0 && (missing == compared.end() || missing->second != 0)) {
            continue;
        }
        SCOPED_TRACE(scenario.file);
        const auto made = make_job(systems(), scenario);
        const auto* job = std::get_if<Job>(&made);
        if (job == nullptr) {
            continue;
        }
        ExploreOptions options = asked(*job);
        const ExploreResult memory = job->runner->explore(options);
        if (memory.limit == "states") {
            continue;
        }
        const testing_scheduler::TemporaryDirectory directory;
        const ExploreResult disk = job->runner->explore(
            testing_scheduler::on_disk(options, directory, 1 + memory.states / 6));
        testing_scheduler::expect_same_search(disk, memory);
        ASSERT_TRUE(directory.is_empty() || !memory.complete) << "limits leave a checkpoint";
        ASSERT_FALSE(HasFailure());
        ++compared[scenario.system];
    }
    for (const auto& [system, count] : compared) {
        EXPECT_GT(count, 0U) << system;
    }
}

}  // namespace
}  // namespace lockkeeper
