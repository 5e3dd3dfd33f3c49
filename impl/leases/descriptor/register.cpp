// SPDX-License-Identifier: Apache-2.0

// The leases: what a scenario can say to each of the three systems.
#include <algorithm>
#include <optional>

#include "impl/leases/descriptor/lease_descriptors.hpp"
#include "impl/leases/descriptor/lease_lock.hpp"
#include "impl/leases/lease_db.hpp"
#include "impl/leases/planted_bugs.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace leases;

const RealServer kServer{"postgresql", RealServer::Clients::kLeases};

constexpr NamedRepair kDbRepairs[] = {
    {"own_deadline", kDbOwnDeadline},     {"clean_up", kDbCleanUp},
    {"growing_tokens", kDbGrowingTokens}, {"fencing", kDbFencing},
    {"guarded_writes", kDbGuardedWrites}, {"checked_completion", kDbCheckedCompletion},
    {"tombstones", kDbTombstones},        {"applied_once", kDbAppliedOnce},
    {"checked_pick", kDbCheckedPick},
};
static_assert(names_all(kDbRepairs, kAllLeaseDbRepairs));

// Nothing, or a number that decides nothing in this scenario.
std::optional<InputError> without_effect(const Scenario& scenario) {
    const auto& own = scenario.parameters.own;
    const auto& callers = scenario.world.callers;
    const bool has_controllers = std::any_of(
        callers.begin(), callers.end(),
        [](const CallerConfig& caller) { return caller.settings.at("controller") != 0; });
    if (own.at("oldest_first") != 0 && own.at("calls") == 0) {
        return InputError{scenario.file, "/parameters/oldest_first",
                          "it orders asynchronous calls: give the parameter \"calls\": 1"};
    }
    if (scenario.parameters.faults.at("controller_crashes") != 0 && !has_controllers) {
        return InputError{scenario.file, "/faults/controller_crashes",
                          "no caller has a controller: give the setting \"controller\""};
    }
    return std::nullopt;
}

auto options_of_db(void (*plant)(LeaseDbOptions&)) {
    return [=](const Scenario& scenario) -> std::variant<LeaseDbOptions, InputError> {
        LeaseDbOptions options;
        fill_in_leases(scenario, options);
        options.repairs = repairs_of<std::uint16_t>(scenario, kDbRepairs);
        options.calls = scenario.parameters.own.at("calls") != 0;
        if (!options.calls && somebody_calls(scenario.world, LeaseDbCall::kComplete)) {
            return InputError{
                scenario.file, "/callers",
                "complete ends an asynchronous call: give the parameter \"calls\": 1"};
        }
        if (auto error = without_effect(scenario)) {
            return *error;
        }
        options.retries = scenario.parameters.own.at("retries") != 0;
        options.singleton = scenario.parameters.own.at("singleton") != 0;
        options.reaped_by_task = scenario.parameters.own.at("reaped_by_task") != 0;
        options.oldest_first = scenario.parameters.own.at("oldest_first") != 0;
        options.stream_end = scenario.parameters.own.at("stream_end");
        plant(options);
        return options;
    };
}

Vocabulary lease_db_vocabulary() {
    const auto word = [](LeaseDbCall call) { return static_cast<std::uint8_t>(call); };
    Vocabulary words = lease_vocabulary();
    words.parameters.push_back(
        {"calls", 0, 1, 0, "1: each key is an asynchronous call; acquire picks it"});
    words.parameters.push_back({"retries", 0, 1, 1, "whether a failed call is tried once more"});
    words.parameters.push_back(
        {"singleton", 0, 1, 0, "1: who holds a lease looks only whether it has got it once"});
    words.parameters.push_back(
        {"reaped_by_task", 0, 1, 0, "1: nothing is reaped but by the call reap, under a lease"});
    words.parameters.push_back(
        {"oldest_first", 0, 1, 0, "1: a pick gets its call only if that is the oldest pending"});
    words.parameters.push_back(
        of_time({"stream_end", -1, kLeaseTimeMost, -1,
                 "a client is told so long after its controller has crashed; -1: never"},
                -1));
    words.settings.push_back({"controller", 0, static_cast<std::int32_t>(LeaseDb::kControllers), 0,
                              "which asks and renews for this client; 0: a process of its own"});
    words.faults.push_back({"slow_commits", 0, kLeaseBudgetMost, 0,
                            "an insert or a delete is applied and for a while not committed"});
    words.faults.push_back(
        {"small_tokens", 0, kLeaseBudgetMost, 0, "a random token is smaller than all before it"});
    words.faults.push_back(
        {"resets", 0, kLeaseBudgetMost, 0, "the connection of a renewal breaks: an error at once"});
    words.faults.push_back({"row_locks", 0, kLeaseBudgetMost, 0,
                            "a transaction of somebody else looks at a row FOR SHARE, and lasts"});
    words.faults.push_back({"controller_crashes", 0, kLeaseBudgetMost, 0,
                            "a controller crashes with all that it does for its clients"});
    words.calls = {
        {"write", word(LeaseDbCall::kWrite), true, false, "changes what the lease guards"},
        {"complete", word(LeaseDbCall::kComplete), true, true, "completes the call, then releases"},
        {"hang", word(LeaseDbCall::kHang), true, false, "stops renewing, and goes on believing"},
        {"delete_row", word(LeaseDbCall::kDeleteRow), false, false,
         "deletes the row, whosever it is"},
        {"reap", word(LeaseDbCall::kReapRows), true, false, "reaps what has expired, of all keys"},
    };
    return words;
}

}  // namespace

void add_lease_db(Registry& registry) {
    register_leases_of<LeaseDb>(registry,
                                {"lease_db", "faithful", "leases as rows in PostgreSQL, as built",
                                 "", lease_db_vocabulary(), kServer},
                                kDbRepairs, lease_db_bugs(), options_of_db);
}

void register_leases(Registry& registry) {
    add_lease_db(registry);
    add_lease_service(registry);
    add_lease_coordinator(registry);
}

}  // namespace lockkeeper
