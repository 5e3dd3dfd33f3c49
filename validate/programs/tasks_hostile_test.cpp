// SPDX-License-Identifier: Apache-2.0

// Drivers of --tasks that misbehave: each is understood, or ends in a clear error.
#include <algorithm>

#include "validate/programs/tasks_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

struct Hostile {
    const char* mode;
    const char* found;  // "": refused, with an error of the driver
};
class HostileDrivers : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileDrivers, EndInAClearError) {
    NEEDS_TOOL("python3");
    const std::string mode = GetParam().mode;
    std::string found;
    try {
        const SearchedTasks searched(other_child("hostile_tasks.py " + mode), tasks(2, 2, 1),
                                     at_most(30), true, mode == "hangs" ? 0.5 : 60);
        found = searched.found();
    } catch (const Misbehaved& error) {
        found = std::string("error: ") + std::string(name_of(error.kind()));
        EXPECT_NE("", std::string(error.what()));
    }
    EXPECT_EQ(GetParam().found, found);
}

constexpr const char* kNonsense = "talked nonsense";
constexpr const char* kStart = "error: cannot be started";
constexpr const char* kMistake = "error: has an error in its own code";

INSTANTIATE_TEST_SUITE_P(
    EachWay, HostileDrivers,
    ::testing::Values(
        Hostile{"of-no-list", kNonsense}, Hostile{"of-no-object", kNonsense},
        Hostile{"unknown-choice", kNonsense}, Hostile{"no-name", kNonsense},
        Hostile{"negative-id", kNonsense}, Hostile{"large-id", kNonsense},
        Hostile{"twice", kNonsense}, Hostile{"cancel-nobody", kNonsense},
        Hostile{"many", kNonsense}, Hostile{"begin-no-list", kNonsense},
        Hostile{"missed-no-list", kNonsense}, Hostile{"missed-nobody", kNonsense},
        Hostile{"missed-hit", kNonsense}, Hostile{"unknown-key", kNonsense},
        Hostile{"no-time", kNonsense}, Hostile{"long-did", kNonsense},
        Hostile{"answers-twice", "answered wrongly"}, Hostile{"answers-nobody", "answered wrongly"},
        Hostile{"answers-another", kNonsense}, Hostile{"asks", kNonsense},
        Hostile{"crashes", kNonsense}, Hostile{"time-goes-back", kNonsense},
        Hostile{"to-a-caller", kNonsense}, Hostile{"version", kStart},
        Hostile{"no-version", kStart}, Hostile{"exits", "died"}, Hostile{"exits-at-once", "died"},
        Hostile{"asserts", "died"}, Hostile{"mistake", kMistake}, Hostile{"recursion", kMistake},
        Hostile{"hangs", "hung"}, Hostile{"threads", kMistake}, Hostile{"to-thread", kMistake},
        Hostile{"thread-later", kMistake}, Hostile{"thread-calls", kMistake},
        Hostile{"sockets", kMistake}, Hostile{"subprocess", kMistake},
        Hostile{"runs-a-loop", "died"}, Hostile{"prints", "double-release"},
        Hostile{"chance", "diverged"}, Hostile{"waits", "deadlock"},
        Hostile{"ready-without-end", "nothing"}, Hostile{"timers-without-end", "nothing"},
        Hostile{"ignores-cancellation", "deadlock"}, Hostile{"cancels-itself", "leak"},
        Hostile{"many-arrivals", kNonsense}, Hostile{"answers-nonsense", kMistake},
        Hostile{"answers-no-json", kMistake}, Hostile{"setup-waits", "died"},
        Hostile{"setup-raises", "died"}, Hostile{"executor-before", kMistake},
        Hostile{"thread-before", kMistake}, Hostile{"bare-thread-before", kMistake},
        Hostile{"swallows-a-refusal", kMistake}, Hostile{"alarm", kMistake},
        Hostile{"returns-false", kMistake}, Hostile{"returns-a-generator", kMistake},
        Hostile{"returns-a-manager", kMistake}, Hostile{"returns-a-function", kMistake},
        Hostile{"reads-stdin", "double-release"}, Hostile{"child-reads-stdin", "double-release"},
        Hostile{"forks", "double-release"}),
    [](const auto& named) {
        std::string name = named.param.mode;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

class HostileDriversOfNode : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileDriversOfNode, EndInAClearError) {
    NEEDS_TOOL("node");
    const std::string mode = GetParam().mode;
    std::string found;
    try {
        const SearchedTasks searched(other_child("hostile_tasks.js " + mode, "node"),
                                     tasks(2, 2, 1), at_most(10), true,
                                     mode.starts_with("hangs") ? 0.5 : 60);
        found = searched.found();
    } catch (const Misbehaved& error) {
        found = std::string("error: ") + std::string(name_of(error.kind()));
    }
    EXPECT_EQ(GetParam().found, found);
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, HostileDriversOfNode,
    ::testing::Values(
        Hostile{"throws", "died"}, Hostile{"mistake", kMistake}, Hostile{"exits", "died"},
        Hostile{"hangs", "hung"}, Hostile{"hangs-in-jobs", "hung"},
        Hostile{"prints", "double-release"}, Hostile{"rejects-later", "double-release"},
        Hostile{"waits", "deadlock"}, Hostile{"throws-later", "died"},
        Hostile{"setup-waits", "died"}, Hostile{"setup-throws", "died"},
        Hostile{"chance", "diverged"}, Hostile{"files", kMistake}, Hostile{"channels", kMistake},
        Hostile{"sockets", kMistake}, Hostile{"file-again", kMistake}, Hostile{"scrypt", kMistake},
        Hostile{"digest", kMistake}, Hostile{"gzip", kMistake}, Hostile{"wait-async", kMistake},
        Hostile{"compiles", kMistake}, Hostile{"at-once", "double-release"},
        Hostile{"immediates-without-end", "nothing"},
        Hostile{"intervals-without-end", "double-release"}, Hostile{"worker-before", kMistake},
        Hostile{"channel-before", kMistake}, Hostile{"server-before", kMistake},
        Hostile{"child-before", kMistake}, Hostile{"returns-false", kMistake},
        Hostile{"generator", kMistake}, Hostile{"request-before", "double-release"},
        Hostile{"returns-an-object", kMistake}, Hostile{"returns-functions", "double-release"}),
    [](const auto& named) {
        std::string name = named.param.mode;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

}  // namespace
}  // namespace lockkeeper
