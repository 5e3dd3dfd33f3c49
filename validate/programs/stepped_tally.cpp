#include "validate/programs/stepped_tally.hpp"

#include <algorithm>

#include "validate/programs/properties_of_time.hpp"

namespace lockkeeper {
namespace {

bool sleeps(const OutsideWorld& world) {
    return std::any_of(
        world.world.callers.begin(), world.world.callers.end(), [](const CallerConfig& caller) {
            return std::any_of(
                caller.script.begin(), caller.script.end(),
                [](const Operation& operation) { return operation.verb == Verb::kSleep; });
        });
}

std::string ticks_text(std::int64_t ticks) {
    return std::to_string(ticks) + (ticks == 1 ? " tick" : " ticks");
}

}  // namespace

SteppedTally& SteppedTally::operator+=(const SteppedTally& other) {
    answers += other.answers;
    for (const auto& [why, operations] : other.passed_over) {
        passed_over[why] += operations;
    }
    events |= other.events;
    asks_time = asks_time || other.asks_time;
    has_leases = has_leases || other.has_leases;
    sees_lease_end = sees_lease_end || other.sees_lease_end;
    lease_time = std::max(lease_time, other.lease_time);
    runs_out_of_time += other.runs_out_of_time;
    grants_over_on_return += other.grants_over_on_return;
    met_holder += other.met_holder;
    met_all_taken += other.met_all_taken;
    return *this;
}

std::string SteppedTally::what_is_missing(const OutsideWorld& world) const {
    if (std::string missing = answers.what_is_missing(); !missing.empty()) {
        return missing;
    }
    if (std::string missing = contention_not_judged(met_all_taken, met_holder, answers);
        !missing.empty()) {
        return missing;
    }
    if (grants_over_on_return == answers.grants && answers.grants > 0) {
        return "the time of every grant was over when it was returned: " + answers.to_text();
    }
    if (runs_out_of_time > 0 && runs_out_of_time == answers.runs) {
        return "every run came to the end of the clock with somebody waiting for a later time";
    }
    const std::string of_time = properties_of_time(world);
    if ((!asks_time && !has_leases) || of_time.empty()) {
        return "";
    }
    if (world.ticks_max == 0 && !sleeps(world)) {
        return std::string("time matters (") +
               (has_leases ? "a grant carried until" : "the program asks for the time") +
               ") but cannot pass (0 ticks); not judged: " + of_time;
    }
    if (has_leases && !sees_lease_end) {
        const std::int64_t longest = (lease_time + world.tick_width - 1) / world.tick_width;
        return "no grant ever came to its end (" + ticks_text(world.ticks_max) +
               ", the longest grant takes " + ticks_text(longest) + "); not judged: " + of_time;
    }
    return "";
}

}  // namespace lockkeeper
