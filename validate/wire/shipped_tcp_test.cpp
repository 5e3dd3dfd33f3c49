// SPDX-License-Identifier: Apache-2.0

// examples/wire: locks on etcd, and a client in Go.
#include "model/missing_test.hpp"
#include "validate/wire/shipped_examples_test.hpp"
#include "validate/wire/unknown_server_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string word_for(const SteppedResult& result) {
    return !result.diverged.empty()              ? result.diverged
           : !result.finding                     ? (result.complete ? "passed" : "incomplete")
           : result.finding->property != nullptr ? std::string(result.finding->property->name)
                                                 : result.finding->detail;
}

TEST(ShippedTcp, LocksOnEtcd) {
    if (databases::find_program("etcd").empty() || databases::find_program("python3").empty()) {
        SKIP_FOR_LACK_OF("etcd-server or python3 is not installed");
    }
    const bool is_shim = databases::find_program("python3").find("/shims/") != std::string::npos;
    const std::string driver =
        std::string(is_shim ? "/usr/bin/python3 " : "python3 ") + kExamples + "etcd_lock.py ";
    const auto outcome = [&](const std::string& kind, const std::string& name) {
        return searched_on(ServerKind::kTcp, driver + kind, "etcd/" + name);
    };
    EXPECT_EQ("passed", word_for(outcome("right", "two_callers")));
    EXPECT_EQ("passed", word_for(outcome("right", "killed")));
    EXPECT_EQ("leak", word_for(outcome("no_lease", "killed")));
    // The right one passes expiry.json in 226 schedules, which takes too long for every day.
    const SteppedResult expired = outcome("release_of_anybody", "expiry");
    EXPECT_EQ("false-ok", word_for(expired));
    ASSERT_EQ(1U, expired.tally.remarks.size());
    EXPECT_TRUE(expired.tally.remarks.begin()->ends_with("the request that the scenario names"));
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
    const SteppedResult right = searched_on(ServerKind::kRedis, program, "two_callers");
    EXPECT_EQ("passed", word_for(right));
    EXPECT_EQ(2U, right.tally.remarks.size());
    EXPECT_EQ("over-allocation",
              word_for(searched_on(ServerKind::kRedis, program + " --get-and-set", "two_callers")));
    const SteppedResult expired =
        searched_on(ServerKind::kRedis, program + " --release-anybody", "expiry");
    EXPECT_EQ("passed", word_for(expired));  // the runs that were possible
    EXPECT_NE(std::string::npos, expired.tally.not_judged.find("was not possible"));
    std::system(("chmod -R u+w " + directory + " && rm -rf " + directory).c_str());
}

}  // namespace
}  // namespace lockkeeper::wire
