// SPDX-License-Identifier: Apache-2.0

// Locks on servers that Lockkeeper does not know (test_clients/line_server.py), searched.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {

#define SKIP_WITHOUT_PYTHON()                       \
    if (databases::find_program("python3").empty()) \
    GTEST_SKIP() << "python3 is not installed"

struct UnknownServer {
    std::string framing = "newline";
    std::string server = "right";  // the kinds of line_server.py and line_client.py
    std::string client = "right";
    int seconds = 0;
    bool server_is_held = true;
    bool client_is_held = true;
    bool is_reset = true;  // else started again
    bool has_folder = false;
    bool says_leases = false;
    WireScope scope = {};
    std::uint8_t crashes = 0;
    double answer_seconds = 10;
    bool or_less = false;  // two_callers_or_less()
    bool alone = false;    // one caller
};

inline std::string run_by_python(const std::string& file, bool is_held) {
    const bool is_shim = databases::find_program("python3").find("/shims/") != std::string::npos;
    return std::string(is_held ? "" : "env -u LD_PRELOAD ") +
           (is_shim ? "/usr/bin/python3" : "python3") +
           " -S -E " LOCKKEEPER_SOURCE_DIR "/validate/wire/test_clients/" + file;
}

inline WireSettings settings_of(const UnknownServer& asked) {
    WireSettings settings;
    settings.server = ServerKind::kTcp;
    settings.callers = 3;
    settings.answer_seconds = asked.answer_seconds;
    settings.command =
        fmt::format("{} {} {} {}", run_by_python("line_client.py", asked.client_is_held),
                    asked.client, asked.framing, asked.seconds);
    const std::string request = asked.framing == "http" ? "POST /lock " : "";
    settings.outside.command =
        fmt::format("{} {{port}} {} {}{}", run_by_python("line_server.py", asked.server_is_held),
                    asked.framing, asked.server, asked.has_folder ? " {dir}" : "");
    settings.outside.framing = asked.framing;
    settings.outside.reset = asked.is_reset ? request + "forget" : "";
    settings.outside.granted = asked.says_leases ? "granted {lease} {seconds}" : "";
    settings.outside.expire = asked.says_leases ? request + "end {lease}" : "";
    settings.outside.changing =
        asked.says_leases ? "" : "granted {} " + std::to_string(asked.seconds);
    return settings;
}

struct UnknownResult {
    std::string verdict;  // a property, a misbehaviour, "not deterministic: ...", "passed", ...
    OutsideResult search;
};

inline UnknownResult searched(const UnknownServer& asked, WireSettings settings) {
    OutsideWorld world = asked.or_less ? two_callers_or_less() : two_callers();
    world.world.callers.resize(asked.alone ? 1 : world.world.callers.size());
    world.world.crashes_max = asked.crashes;
    world.ticks_max = asked.scope.expiries_max;
    WireScope scope = asked.scope;
    scope.splits = scope.drops_max > 0 || scope.expiries_max > 0;
    settings.callers = clients_of(world.world);
    Wire wire(std::move(settings));
    WireSearch search(wire, world, scope, exploring());
    UnknownResult out{"", search.search()};
    const OutsideResult& result = out.search;
    out.verdict = !result.diverged.empty() ? "not deterministic: " + result.diverged
                  : !result.finding        ? result.tally.what_is_missing(world)
                  : result.finding->property != nullptr
                      ? std::string(result.finding->property->name)
                      : result.finding->detail;
    if (out.verdict.empty()) {
        out.verdict = result.complete ? "passed" : "inconclusive: " + result.limit;
    }
    return out;
}

inline UnknownResult searched(const UnknownServer& asked) {
    return searched(asked, settings_of(asked));
}

inline std::string verdict_on(const UnknownServer& asked) { return searched(asked).verdict; }

}  // namespace lockkeeper::wire
