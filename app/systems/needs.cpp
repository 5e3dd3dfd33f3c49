#include <algorithm>
#include <array>

#include "app/systems/shipped.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

struct Outstanding {
    std::size_t locks = 0;
    std::size_t remembered = 0;
};

// The most locks of one key that the script can have at once, when every acquire succeeds.
// A script that repeats for ever and gains locks each time is cut off after the second round:
// it reaches the compiled limit and is refused there, by name.
Outstanding outstanding(const CallerConfig& caller) {
    Outstanding most;
    std::array<std::size_t, kKeysMax> held{};
    for (int round = 0; round < (caller.repeats_forever ? 2 : 1); ++round) {
        for (const Operation& operation : caller.script) {
            std::size_t& count = held[operation.key];
            if (operation.verb == Verb::kAcquire) {
                ++count;
                most.locks = std::max(most.locks, count);
                if (operation.follows_resizes) {
                    most.remembered = std::max(most.remembered, count);
                }
            } else if (operation.verb == Verb::kRelease && count > 0) {
                --count;
            }
        }
    }
    return most;
}

}  // namespace

Needs needs_of(const Scenario& scenario) {
    Needs needs;
    needs.callers = scenario.world.callers.size();
    needs.keys = scenario.world.keys.size();
    needs.max_per = scenario.parameters.manager_max_per;
    for (const std::uint16_t view : scenario.world.views) {
        needs.buckets = std::max<std::size_t>(needs.buckets, view);
    }
    for (const auto& [key, table] : scenario.parameters.tables) {
        needs.buckets = std::max(needs.buckets, table.buckets.size());
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        needs.script = std::max(needs.script, caller.script.size());
        const Outstanding most = outstanding(caller);
        needs.locks = std::max(needs.locks, most.locks);
        needs.remembered = std::max(needs.remembered, most.remembered);
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kExit) {
                needs.buckets = std::max<std::size_t>(needs.buckets, operation.buckets);
                needs.max_per = std::max<std::size_t>(needs.max_per, operation.max_per);
            }
        }
    }
    return needs;
}

bool fits(const Needs& needs, const Needs& compiled) {
    return needs.callers <= compiled.callers && needs.keys <= compiled.keys &&
           needs.buckets <= compiled.buckets && needs.max_per <= compiled.max_per &&
           needs.script <= compiled.script && needs.locks <= compiled.locks &&
           needs.remembered <= compiled.remembered;
}

std::string text_of(const Needs& needs) {
    const auto some = [](std::size_t count, const char* what) {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    return some(needs.callers, "caller") + ", " + some(needs.keys, "key") + ", " +
           some(needs.buckets, "bucket") + ", max_per " + std::to_string(needs.max_per) + ", " +
           some(needs.script, "operation") + " in a script, " + some(needs.locks, "lock") +
           " of a key in one hand" +
           (needs.remembered > 0 ? " (" + std::to_string(needs.remembered) + " following resizes)"
                                 : "");
}

WorldConfig world_of(const Scenario& scenario, std::uint32_t features) {
    WorldConfig world = scenario.world;
    const auto checks = properties_to_check(scenario, features);
    if (const auto* properties = std::get_if<std::vector<const Property*>>(&checks)) {
        world.watches_others =
            std::any_of(properties->begin(), properties->end(), [](const Property* property) {
                return property->monitor == Monitor::kOthersDuringCall;
            });
    }
    return world;
}

}  // namespace lockkeeper
