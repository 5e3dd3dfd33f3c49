// SPDX-License-Identifier: Apache-2.0

// The scenarios of examples/wire, put to a client as the command does.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "scenarios/recorded_trace.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {

inline const std::string kExamples = LOCKKEEPER_SOURCE_DIR "/examples/wire/";

// One that has this module; empty: there is none.
inline std::string python_with(const std::string& module) {
    for (const char* python : {"/usr/bin/python3", "python3"}) {
        std::string command = python;
        command += " -c 'import " + module + "' 2>/dev/null";
        if (std::system(command.c_str()) == 0) {
            return python;
        }
    }
    return "";
}

inline std::string python_with_redis() {
    static const std::string kFound = python_with("redis");
    return kFound;
}

#define SKIP_WITHOUT_REDIS_PY()                      \
    SKIP_WITHOUT_REDIS();                            \
    if (python_with_redis().empty()) {               \
        GTEST_SKIP() << "redis-py is not installed"; \
    }

// To start a server, and clients with their libraries, may take longer than to search: scenarios
// with as many callers, and the same clocks, share them.
class SearchedOnOneServer {
  public:
    SearchedOnOneServer(ServerKind server, const std::string& client) {
        plan_.command = client;
        plan_.server = server;
    }
    // Searches the scenario of this name; with `shown`, also repeats what it found, shrunk.
    OutsideResult searched(const std::string& name, const OutsideOptions& options = exploring(),
                           OutsideTrace* shown = nullptr) {
        auto loaded = load_replayable(kExamples + name + ".json");
        const WireScenario made = for_wire(std::get<Scenario>(std::move(loaded)), plan_, {}, false);
        const WireSettings settings = settings_of(made.plan, made.world);
        if (!wire_ || settings.callers != settings_.callers ||
            settings.clock_offsets != settings_.clock_offsets ||
            settings.clock_drifts != settings_.clock_drifts ||
            settings.servers != settings_.servers) {
            wire_.reset();
            wire_ = std::make_unique<Wire>(settings);
            settings_ = settings;
        }
        WireSearch search(*wire_, made.world, made.plan.scope, options);
        OutsideResult result = search.search();
        if (shown != nullptr && result.finding) {
            *shown = search.show(search.shrink(*result.finding));
        }
        // The next search knows nothing of what they were in the middle of.
        for (std::size_t caller = 0; caller < wire_->callers(); ++caller) {
            wire_->kill(caller);
        }
        return result;
    }

  private:
    WirePlan plan_;
    WireSettings settings_;  // of the wire
    std::unique_ptr<Wire> wire_;
};

inline OutsideResult searched_on(ServerKind server, const std::string& client,
                                 const std::string& name,
                                 const OutsideOptions& options = exploring()) {
    return SearchedOnOneServer(server, client).searched(name, options);
}

}  // namespace lockkeeper::wire
