// SPDX-License-Identifier: Apache-2.0

// Mistakes in a scenario of leases: refused when it is made, with the place.
#include <fmt/format.h>

#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

class LeaseInputTest : public WithFiles {
  protected:
    void expect_refused(const std::string& system, const std::string& parameters,
                        const std::string& key, const std::string& wanted) const {
        const std::string text =
            fmt::format(R"({{"version": 1, "system": "{}", "parameters": {{{}}}, "callers":)"
                        R"( [{{"script": [{{"acquire": {{"key": "{}"}}}}]}}]}})",
                        system, parameters, key);
        const Ran ran = run({"run", write("a.json", text)});
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.err;
        EXPECT_NE(ran.err.find(wanted), std::string::npos) << ran.err;
    }
};

TEST_F(LeaseInputTest, ADotInANamespaceIsRefusedAndOneInTheKeyIsNot) {
    expect_refused("lease_coordinator", "", "runner.reserve:R1", "/keys: \"runner.reserve:R1\"");
    expect_refused("lease_coordinator", "", "runner::R1", "not empty");
    expect_refused("lease_coordinator", "", "runner:", "the key of a scope is empty");
    const Ran ran =
        run({"run", write("b.json", R"({"version": 1, "system": "lease_coordinator", "callers":)"
                                    R"( [{"script": [{"acquire": {"key": "runner:R.1"}}]}]})")});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.err;
}

TEST_F(LeaseInputTest, WhatDecidesNothingIsRefused) {
    expect_refused("lease_db", R"("oldest_first": 1)", "a",
                   "/parameters/oldest_first: it orders asynchronous calls");
    const auto refused = [&](const std::string& parts, const std::string& wanted) {
        const Ran ran =
            run({"run", write("c.json", R"({"version": 1, "system": "lease_db", )" + parts + "}")});
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.err;
        EXPECT_NE(ran.err.find(wanted), std::string::npos) << ran.err;
    };
    refused(R"("callers": [{"script": [{"acquire": {"key": "a"}},
                                       {"call": {"what": "complete", "key": "a"}}]}])",
            "complete ends an asynchronous call: give the parameter \"calls\": 1");
    refused(R"("faults": {"controller_crashes": 1},
               "callers": [{"script": [{"acquire": {"key": "a"}}]}])",
            "/faults/controller_crashes: no caller has a controller");
}

TEST_F(LeaseInputTest, TimesThatTheModelHasNoRoomForAreRefused) {
    expect_refused("lease_coordinator", R"("module": 1, "ttl": 3000, "delay": 500)", "a",
                   "/parameters/delay: expected less than half");
    expect_refused("lease_coordinator", R"("ttl": 3000, "grace": 3000)", "a",
                   "/parameters/grace: expected less than the ttl");
    expect_refused("lease_service", R"("ttl": 1000, "delay": 251)", "a",
                   "/parameters/delay: expected at most a quarter");
    expect_refused("lease_service", R"("jump": 1)", "a", "has no parameter \"jump\"");
}

}  // namespace
}  // namespace lockkeeper
