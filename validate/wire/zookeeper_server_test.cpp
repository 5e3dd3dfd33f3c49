// SPDX-License-Identifier: Apache-2.0

// A server with ZooKeeper's messages (test_clients/zookeeper_lock.py) between two runs, and what is
// shown of a client that numbers its requests from 0.
#include "validate/wire/unknown_server_test.hpp"
#include "validate/wire/wire_scenario.hpp"

namespace lockkeeper::wire {
namespace {

bool has_part(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

WireSettings zookeeper_settings(const UnknownServer& asked, const std::string& server_kind) {
    WireSettings settings = settings_of(asked);
    settings.outside = {};
    settings.outside.framing = "zookeeper";
    settings.outside.command =
        run_by_python("zookeeper_lock.py", true) + " server {port} " + server_kind;
    settings.command = run_by_python("zookeeper_lock.py", true) + " right";
    return settings;
}

// Where the harness may not look, or may not delete a node, the server is started again, and the
// next run begins without that node.
TEST(ZookeeperServer, WhatCannotBeDeletedIsNotThereInTheNextRun) {
    SKIP_WITHOUT_PYTHON();
    const UnknownServer asked{.alone = true};
    for (const char* kind : {"", "guards", "hides"}) {
        SCOPED_TRACE(kind);
        WireSettings settings = zookeeper_settings(asked, kind);
        settings.command = run_by_python("zookeeper_lock.py", true) + " marks";
        OutsideWorld world = two_callers();
        world.world.callers.resize(1);
        settings.callers = clients_of(world.world);
        Wire wire(std::move(settings));
        const Action calls{0, ActionKind::kStep, 0};
        const Action asks{0, ActionKind::kStep, 1};
        WireSearch search(wire, world, {}, exploring());
        for (int run = 0; run < 3; ++run) {
            const OutsideTrace trace = search.replay({calls, asks, calls, asks, asks});
            ASSERT_LE(5U, trace.steps.size());
            EXPECT_TRUE(has_part(trace.steps[4].text, "create /mark")) << trace.steps[4].text;
            EXPECT_TRUE(has_part(trace.steps[4].result, "/mark")) << trace.steps[4].result;
            EXPECT_FALSE(has_part(trace.steps[4].result, "node exists")) << run;
        }
    }
}

TEST(ZookeeperServer, TheFirstRequestIsWhatItIsAndNotTheSession) {
    SKIP_WITHOUT_PYTHON();
    const UnknownServer asked;
    Wire wire(zookeeper_settings(asked, ""));
    OutsideWorld world = two_callers();
    WireSearch search(wire, world, {}, exploring());
    const OutsideTrace trace =
        search.replay({{0, ActionKind::kStep, 0}, {0, ActionKind::kStep, 1}});
    ASSERT_LE(2U, trace.steps.size());
    EXPECT_TRUE(has_part(trace.steps[1].text, "create /db, ephemeral")) << trace.steps[1].text;
    for (const auto& step : trace.steps) {
        EXPECT_FALSE(has_part(step.text + step.result, "a session of")) << step.text << step.result;
    }
}

// They would be sent alone, and the greeting taken for their answer.
TEST(ZookeeperServer, NeitherItNorNatsIsAskedToForgetOrToEndALease) {
    for (const std::string framing : {"zookeeper", "nats", "newline"}) {
        for (const std::string key : {"reset", "expire"}) {
            auto parsed = parse_scenario(
                R"({"version": 1, "system": "wire", "callers": [{"name": "A", "script": [
{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}], "server": {"command": "serve {port}",
"granted": "granted {lease} {seconds}", ")" +
                    key + R"(": "forget {lease}"}})",
                "x.json");
            const Scenario scenario = value_or_throw(std::move(parsed));
            WirePlan plan;
            plan.server = ServerKind::kTcp;
            plan.outside.framing = framing;  // as the flag says it
            std::string said = "accepted";
            try {
                static_cast<void>(for_wire(scenario, plan, {}, false));
            } catch (const BadInput& error) {
                said = error.what();
            }
            EXPECT_EQ(framing != "newline",
                      has_part(said, "/server/" + key) &&
                          has_part(said, "does not go with framing " + framing))
                << said;
            EXPECT_EQ(framing == "newline", said == "accepted") << said;
        }
    }
}

}  // namespace
}  // namespace lockkeeper::wire
