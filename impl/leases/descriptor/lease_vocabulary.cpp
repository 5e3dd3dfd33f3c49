// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/descriptor/lease_descriptors.hpp"

namespace lockkeeper {

Vocabulary lease_vocabulary() {
    constexpr std::int32_t kMost = kLeaseTimeMost;
    constexpr std::int32_t kNotAsked = leases::LeaseBounds::kNotAsked;
    Vocabulary words;
    words.parameters = {
        of_time({"ttl", 1, kMost, 5'000, "how long a lease lasts"}),
        of_time({"grace", 0, kMost, 0, "own_deadline: the holder gives up so much earlier"}),
        of_time({"pause", 0, kMost, 0, "a client does what is due at most so much later"}),
        of_time({"delay", 0, kMost, 0, "a message travels at most so long"}),
        of_time({"reaper", 0, kMost, 1'000, "an expired record is reaped at most so much later"}),
        of_time({"until", 1, kMost, 15'000, "virtual time ends here"}),
        of_time({"jump", 1, kMost, 1, "how far a clock jumps"}),
        of_time({"told_within", kNotAsked, kMost, kNotAsked,
                 "told-late: so long after a loss its holder may believe; -1: not judged"},
                kNotAsked),
        of_time({"free_within", kNotAsked, kMost, kNotAsked,
                 "free-late: so long a dead caller may keep a key; -1: not judged"},
                kNotAsked),
    };
    words.faults = {
        {"lost_requests", 0, kLeaseBudgetMost, 0, "a request is lost: not applied"},
        {"lost_replies", 0, kLeaseBudgetMost, 0, "an answer is lost: applied, COMMIT too"},
        {"late_requests", 0, kLeaseBudgetMost, 0,
         "the request of an insert counts as lost, and comes after that"},
        {"deletions", 0, kLeaseBudgetMost, 0, "somebody deletes a record"},
        {"clock_jumps", 0, kLeaseBudgetMost, 0, "the server's clock jumps, forward or back"},
        {"resends", 0, kLeaseBudgetMost, 0,
         "a request is applied, its answer is lost, and it is sent again"},
        {"duplicates", 0, kLeaseBudgetMost, 0,
         "a request is delivered twice, the copy comes later"},
        client_restarts(),
    };
    words.settings = {
        of_time({"ttl", 0, kMost, 0, "of this client's leases; 0: as the system says"}),
        {"drift", -500, 500, 0, "so many thousandths this client's timers run late"},
        of_time({"clock", -900, 900, 0, "how far this client's clock is ahead"}),
    };
    words.has_time = true;
    words.knows_its_times = true;
    words.format_keys.emplace();  // one place of each key
    return words;
}

leases::LeaseBounds lease_bounds_of(const Scenario& scenario) {
    const auto& numbers = scenario.parameters.own;
    return {numbers.at("told_within"), numbers.at("free_within")};
}

void fill_in_leases(const Scenario& scenario, leases::LeaseOptions& options) {
    // Not every system has every number.
    const auto own = [&](const char* name, std::int32_t& into) {
        into = scenario.parameters.own.value_or(name, into);
    };
    own("ttl", options.ttl);
    own("grace", options.grace);
    own("pause", options.pause);
    own("delay", options.delay);
    own("reaper", options.reaper);
    own("until", options.until);
    own("jump", options.jump);
    options.keys = scenario.world.keys;
    options.time_unit = scenario.parameters.time_unit;
    const auto budget = [&](const char* name) {
        return static_cast<std::uint8_t>(scenario.parameters.faults.value_or(name, 0));
    };
    options.faults.lost_requests = budget("lost_requests");
    options.faults.lost_replies = budget("lost_replies");
    options.faults.slow_commits = budget("slow_commits");
    options.faults.small_tokens = budget("small_tokens");
    options.faults.deletions = budget("deletions");
    options.faults.clock_jumps = budget("clock_jumps");
    options.faults.resets = budget("resets");
    options.faults.restarts =
        static_cast<std::uint8_t>(budget("restarts") + budget("controller_crashes"));
    options.faults.row_locks = budget("row_locks");
    options.faults.hook_failures = budget("hook_failures");
    options.faults.late_requests = budget("late_requests");
    options.faults.copies = Copies::of(budget("resends"), budget("duplicates"));
    options.faults.client_clock_jumps = budget("client_clock_jumps");
    for (const CallerConfig& caller : scenario.world.callers) {
        leases::Client client;
        const auto setting = [&](const char* name, std::int32_t& into) {
            into = caller.settings.value_or(name, into);
        };
        setting("clock", client.clock);
        setting("drift", client.drift);
        setting("ttl", client.ttl);
        setting("wait", client.wait);
        setting("controller", client.controller);
        options.clients.push_back(client);
    }
}

}  // namespace lockkeeper
