// SPDX-License-Identifier: Apache-2.0

// Clients of the tests, held, with what is searched or repeated on them.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "validate/servers/private_server.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

#define SKIP_WITHOUT_REDIS()                                        \
    if (databases::find_program("redis-server").empty() ||          \
        databases::find_program("python3").empty()) {               \
        GTEST_SKIP() << "redis-server or python3 is not installed"; \
    }

// One of test_clients/; `modes`: "reset fork" where it is empty, "-" for neither.
inline std::string raw_client(const std::string& kind, const std::string& modes = "",
                              const std::string& file = "raw_lock.py") {
    // Not by a shim that is a shell script.
    const std::string python =
        databases::find_program("python3").find("/shims/") != std::string::npos ? "/usr/bin/python3"
                                                                                : "python3";
    return python + " -S -E " LOCKKEEPER_SOURCE_DIR "/validate/wire/test_clients/" + file + " " +
           kind + " " + modes;
}

inline OutsideWorld two_callers(const std::vector<Verb>& script = {Verb::kAcquire,
                                                                   Verb::kRelease}) {
    OutsideWorld world;
    world.world.keys = {"db"};
    world.world.words = {"renew"};
    for (const char* name : {"A", "B"}) {
        CallerConfig caller;
        caller.name = name;
        for (const Verb verb : script) {
            caller.script.emplace_back().verb = verb;
        }
        world.world.callers.push_back(caller);
    }
    for (const Property& property : all_properties()) {
        if (is_judged_at_wire(property)) {
            world.check.push_back(&property);
        }
    }
    return world;
}

// Where a search has to look at everything. In slow builds the second one releases nothing: that
// takes a fraction of the runs, and the first one's release is the same step.
inline OutsideWorld two_callers_or_less() {
    OutsideWorld world = two_callers();
    if (testing_model::is_short_run()) {
        world.world.callers[1].script.pop_back();
    }
    return world;
}

struct Held {
    Held(const std::string& command, OutsideWorld its_world, WireScope scope = {},
         OutsideOptions options = {}, double answer_seconds = 10,
         Freshness freshness = Freshness::kKept, std::size_t servers = 1, std::size_t replicas = 0)
        : world(std::move(its_world)) {
        WireSettings settings;
        settings.command = command;
        settings.servers = servers;
        settings.replicas = replicas;
        settings.callers = clients_of(world.world);
        settings.answer_seconds = answer_seconds;
        settings.freshness = freshness;
        for (const CallerConfig& caller : world.world.callers) {
            settings.clock_offsets.push_back(
                std::int64_t{caller.settings.value_or(kClockSetting, 0)} * 1'000'000);
            settings.clock_drifts.push_back(caller.settings.value_or(kDriftSetting, 0));
        }
        wire = std::make_unique<Wire>(settings);
        search = std::make_unique<WireSearch>(*wire, world, scope, std::move(options));
    }
    OutsideWorld world;
    std::unique_ptr<Wire> wire;
    std::unique_ptr<WireSearch> search;
};

// Every day only the first of what a server does alike; all of them in `make test-long`.
inline std::vector<const char*> everyday(std::size_t few, std::vector<const char*> all) {
    if (testing_model::is_short_run() && all.size() > few) {
        all.resize(few);
    }
    return all;
}

inline OutsideOptions exploring() {
    OutsideOptions options;
    options.method = OutsideMethod::kExplore;
    options.confirmations = testing_model::is_short_run() ? 3 : kConfirmations;
    return options;
}

// The property that is violated, shrunk and shown; "nothing": none, completely.
inline std::string found_with(const std::string& kind, WireScope scope, OutsideWorld world) {
    scope.splits = scope.drops_max > 0 || scope.expiries_max > 0;
    Held held(raw_client(kind), std::move(world), scope, exploring());
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    if (!result.finding) {
        return result.complete ? "nothing" : "incomplete: " + result.limit;
    }
    if (result.finding->property == nullptr) {
        return "misbehaved: " + result.finding->detail;
    }
    const OutsideFinding shrunk = held.search->shrink(*result.finding);
    const OutsideTrace trace = held.search->show(shrunk);
    EXPECT_FALSE(trace.violated.empty());
    EXPECT_EQ("", held.search->repeated_difference(shrunk, trace));
    return trace.violated.empty() ? "" : std::string(trace.violated.front()->name);
}

}  // namespace lockkeeper::wire
