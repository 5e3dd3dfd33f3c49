// SPDX-License-Identifier: Apache-2.0

// examples/wire: locks on etcd, and a client in Go.
#include <iostream>
#include <set>
#include <tuple>

#include "model/missing_test.hpp"
#include "validate/wire/shipped_examples_test.hpp"
#include "validate/wire/unknown_server_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string word_for(const OutsideResult& result) {
    return !result.diverged.empty()              ? result.diverged
           : !result.finding                     ? (result.complete ? "passed" : "incomplete")
           : result.finding->property != nullptr ? std::string(result.finding->property->name)
                                                 : result.finding->detail;
}

std::string etcd_driver() {
    const bool is_shim = databases::find_program("python3").find("/shims/") != std::string::npos;
    return std::string(is_shim ? "/usr/bin/python3 " : "python3 ") + kExamples + "etcd_lock.py ";
}

bool is_etcd_missing() {
    return databases::find_program("etcd").empty() || databases::find_program("python3").empty();
}

TEST(ShippedTcp, LocksOnEtcd) {
    if (is_etcd_missing()) {
        SKIP_FOR_LACK_OF("etcd-server or python3 is not installed");
    }
    const std::string driver = etcd_driver();
    const auto outcome = [&](const std::string& kind, const std::string& name) {
        return searched_on(ServerKind::kTcp, driver + kind, "etcd/" + name);
    };
    // The right one passes killed.json in 92 schedules and expiry.json in 226, which takes too long
    // for every day.
    EXPECT_EQ("passed", word_for(outcome("right", "two_callers")));
    EXPECT_EQ("leak", word_for(outcome("no_lease", "killed")));
    const OutsideResult expired = outcome("release_of_anybody", "expiry");
    EXPECT_EQ("false-ok", word_for(expired));
    ASSERT_EQ(1U, expired.tally.remarks.size());
    EXPECT_TRUE(expired.tally.remarks.begin()->ends_with("the request that the scenario names"));
}

// ctest -L long. A search that finds nothing is compared by its ends, one that does by its word.
TEST(ShippedTcp, DISABLED_LongFullSearchOfLocksOnEtcdFindsTheSame) {
    ASSERT_FALSE(is_etcd_missing());
    for (const auto& [kind, name, word] : {std::tuple{"right", "two_callers", "passed"},
                                           {"right", "killed", "passed"},
                                           {"right", "expiry", "passed"},
                                           {"no_lease", "killed", "leak"},
                                           {"release_of_anybody", "expiry", "false-ok"}}) {
        const std::string run = std::string(kind) + " " + name;
        SCOPED_TRACE(run);
        OutsideResult results[2];
        std::set<std::string> ends[2];
        for (const bool reduces : {false, true}) {
            OutsideOptions options = exploring();
            options.reduces = options.uses_source_sets = reduces;
            options.schedules_max = 1'000'000;
            options.seconds_max = 3'600;
            options.on_outcome = [&](const std::string& end) { ends[reduces].insert(end); };
            results[reduces] = searched_on(ServerKind::kTcp, etcd_driver() + kind,
                                           std::string("etcd/") + name, options);
        }
        EXPECT_EQ(word, word_for(results[0]));
        EXPECT_EQ(word, word_for(results[1]));
        if (!results[0].finding) {
            EXPECT_EQ(ends[0], ends[1]);
        }
        std::cout << run << ": " << word_for(results[0]) << ", " << results[1].schedules << " of "
                  << results[0].schedules << " schedules, " << ends[0].size() << " ends"
                  << std::endl;
    }
}

TEST(ShippedTcp, AClientInGoRunsOnRealTime) {
    SKIP_WITHOUT_REDIS();
    if (databases::find_program("go").empty()) {
        GTEST_SKIP() << "golang-go is not installed: with 335 MB, it is not asked for";
    }
    const std::string directory = testing::TempDir() + "lockkeeper_go";
    const std::string program = directory + "/lock";
    ASSERT_EQ(0, std::system(("mkdir -p " + directory + " && GOCACHE=" + directory +
                              "/cache CGO_ENABLED=0 go build -o " + program + " " + kExamples +
                              "set_nx_px.go " + kExamples + "lockkeeper_wire.go")
                                 .c_str()));
    const OutsideResult right = searched_on(ServerKind::kRedis, program, "two_callers");
    EXPECT_EQ("passed", word_for(right));
    EXPECT_EQ(2U, right.tally.remarks.size());
    EXPECT_EQ("over-allocation",
              word_for(searched_on(ServerKind::kRedis, program + " --get-and-set", "two_callers")));
    const OutsideResult expired =
        searched_on(ServerKind::kRedis, program + " --release-anybody", "expiry");
    EXPECT_EQ("passed", word_for(expired));  // the runs that were possible
    EXPECT_NE(std::string::npos, expired.tally.not_judged.find("was not possible"));
    std::system(("chmod -R u+w " + directory + " && rm -rf " + directory).c_str());
}

}  // namespace
}  // namespace lockkeeper::wire
