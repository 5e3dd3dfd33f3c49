// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/looping_world.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "model/check.hpp"

namespace lockkeeper::proofs {
namespace {

constexpr std::size_t kCrashesMost = 16;  // that a scenario file can say

void say_once(std::vector<Operation>& script) {
    for (std::size_t period = 1; period < script.size(); ++period) {
        const auto behind = script.begin() + static_cast<std::ptrdiff_t>(period);
        if (script.size() % period == 0 && std::equal(behind, script.end(), script.begin())) {
            script.resize(period);
            return;
        }
    }
}

bool is_alike(const CallerConfig& left, const CallerConfig& right) {
    return left.script == right.script && left.may_crash == right.may_crash &&
           left.settings == right.settings;
}

// "worker" of worker1, unless another kind is called so.
std::string base_name(const std::string& name, std::size_t kind,
                      const std::vector<CallerConfig>& kinds) {
    std::string base = name;
    if (base.size() > 1 && base.back() == '1') {
        base.pop_back();
    }
    const bool is_taken = std::any_of(kinds.begin(), kinds.end(), [&](const CallerConfig& other) {
        return other.name == base || other.name + "1" == base;
    });
    return is_taken ? "kind" + std::to_string(kind + 1) + "_" : base;
}

// With a number behind each they are names that a scenario may have, and no two are the same.
bool are_distinct_with_numbers(const std::vector<CallerConfig>& kinds) {
    constexpr std::size_t kLongest = 36;
    constexpr const char* kDigits = "0123456789";
    return std::all_of(kinds.begin(), kinds.end(), [&](const CallerConfig& kind) {
        return kind.name.size() <= kLongest &&
               std::none_of(kinds.begin(), kinds.end(), [&](const CallerConfig& other) {
                   return &other != &kind && other.name.starts_with(kind.name) &&
                          other.name.find_first_not_of(kDigits, kind.name.size()) ==
                              std::string::npos;
               });
    });
}

// A release of what it does not hold is passed over, so that nothing is left to do. It sees what
// somebody else sees: a view of its own would be one more for the lock to reckon with.
CallerConfig absent_caller(const WorldConfig& world) {
    CallerConfig absent;
    absent.name = "absent";
    absent.may_crash = false;
    for (const CallerConfig& caller : world.callers) {
        for (const Operation& operation : caller.script) {
            const bool is_seen = operation.verb == Verb::kAcquire && !operation.follows_resizes;
            if (absent.script.empty() && is_seen) {
                Operation release;
                release.verb = Verb::kRelease;
                release.key = operation.key;
                release.place_capacity = operation.place_capacity;
                release.places = operation.places;
                absent.script.push_back(release);
            }
        }
    }
    absent.settings = world.callers.front().settings;
    return absent;
}

// However many have crashed already: the count is set back after each.
WorldConfig any_crashes(WorldConfig world) {
    if (world.crashes_max > 0) {
        world.crashes_max = std::numeric_limits<std::uint8_t>::max();
    }
    return world;
}

// In the compiled size of the World that is taken apart.
WorldConfig few_callers(const WorldConfig& world, bool absent) {
    const std::vector<std::size_t> counts(kinds_of_callers(world).size(), 1);
    WorldConfig few = any_crashes(looping_world(world, counts, absent));
    few.room_for_callers = world_to_take_apart(world).callers.size();
    return few;
}

}  // namespace

std::vector<CallerConfig> kinds_of_callers(const WorldConfig& world) {
    std::vector<CallerConfig> kinds;
    for (CallerConfig caller : world.callers) {
        say_once(caller.script);
        caller.repeats_forever = true;
        const bool is_known = std::any_of(kinds.begin(), kinds.end(),
                                          [&](const auto& kind) { return is_alike(kind, caller); });
        if (!is_known) {
            caller.name = base_name(caller.name, kinds.size(), kinds);
            caller.group = static_cast<std::uint8_t>(kinds.size());
            kinds.push_back(std::move(caller));
        }
    }
    if (!are_distinct_with_numbers(kinds)) {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            kinds[kind].name = "kind" + std::to_string(kind + 1) + "_";
        }
    }
    return kinds;
}

WorldConfig looping_world(const WorldConfig& world, const std::vector<std::size_t>& counts,
                          bool absent) {
    const std::vector<CallerConfig> kinds = kinds_of_callers(world);
    LOCKKEEPER_CHECK(counts.size() == kinds.size());
    WorldConfig looping = world;
    looping.callers.clear();
    looping.watches_others = false;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        for (std::size_t i = 1; i <= counts[kind]; ++i) {
            CallerConfig caller = kinds[kind];
            caller.name += counts[kind] == 1 ? "" : std::to_string(i);
            looping.callers.push_back(std::move(caller));
        }
    }
    if (world.crashes_max > 0) {
        looping.crashes_max =
            static_cast<std::uint8_t>(std::min(looping.callers.size(), kCrashesMost));
    }
    if (absent) {
        looping.callers.push_back(absent_caller(world));
        looping.callers.back().group = static_cast<std::uint8_t>(kinds.size());
    }
    return looping;
}

WorldConfig world_to_take_apart(const WorldConfig& world) {
    const std::size_t kinds = kinds_of_callers(world).size();
    // Three of a kind as far as that fits the smallest compiled sizes.
    const std::vector<std::size_t> counts(kinds, kinds == 1 ? 3 : 2);
    return any_crashes(looping_world(world, counts, false));
}

WorldConfig one_of_each(const WorldConfig& world) { return few_callers(world, false); }

WorldConfig one_is_absent(const WorldConfig& world) { return few_callers(world, true); }

}  // namespace lockkeeper::proofs
