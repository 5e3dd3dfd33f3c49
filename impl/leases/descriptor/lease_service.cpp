// SPDX-License-Identifier: Apache-2.0

// The in-memory lease service: what a scenario can say to it.
#include "impl/leases/lease_service.hpp"

#include "impl/leases/descriptor/lease_lock.hpp"
#include "impl/leases/planted_bugs.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace leases;

constexpr NamedRepair kServiceRepairs[] = {
    {"own_deadline", kSvOwnDeadline}, {"keeps_entries", kSvKeepsEntries},
    {"restart_wait", kSvRestartWait}, {"checked_release", kSvCheckedRelease},
    {"fencing", kSvFencing},          {"guarded_writes", kSvGuardedWrites},
    {"keeps_stream", kSvKeepsStream},
};
static_assert(names_all(kServiceRepairs, kAllLeaseServiceRepairs));

auto options_of_service(void (*plant)(LeaseServiceOptions&)) {
    return [=](const Scenario& scenario) -> std::variant<LeaseServiceOptions, InputError> {
        LeaseServiceOptions options;
        fill_in_leases(scenario, options);
        for (const Client& client : options.clients) {
            const std::int32_t ttl = client.ttl == 0 ? options.ttl : client.ttl;
            if (options.delay * 4 > ttl) {  // one heartbeat of a lease is under way at a time
                return InputError{scenario.file, "/parameters/delay",
                                  "expected at most a quarter of the ttl"};
            }
        }
        options.repairs = repairs_of<std::uint8_t>(scenario, kServiceRepairs);
        options.heartbeats = scenario.parameters.own.at("heartbeats") != 0;
        plant(options);
        return options;
    };
}

Vocabulary lease_service_vocabulary() {
    const auto word = [](LeaseServiceCall call) { return static_cast<std::uint8_t>(call); };
    Vocabulary words = lease_vocabulary();
    std::erase_if(words.parameters, [](const OwnNumber& number) {
        return number.name == "reaper" || number.name == "jump";
    });
    words.parameters.push_back(
        {"heartbeats", 0, 1, 1, "0: without the library's heartbeats, the service alone"});
    words.faults = {
        {"resets", 0, kLeaseBudgetMost, 0, "a connection breaks; the client does not know yet"},
        {"restarts", 0, kLeaseBudgetMost, 0, "the service restarts and forgets everything"},
        client_restarts(),
    };
    words.calls = {
        {"write", word(LeaseServiceCall::kWrite), true, false, "changes what the lease guards"},
        {"renew", word(LeaseServiceCall::kRenew), false, false,
         "renews and reads the answer: the service's own interface"},
        {"hang", word(LeaseServiceCall::kHang), true, false,
         "stops the heartbeats, and goes on believing"},
    };
    return words;
}

}  // namespace

void add_lease_service(Registry& registry) {
    register_leases_of<LeaseService>(
        registry,
        {"lease_service", "faithful", "leases in the memory of one service, as built", "",
         lease_service_vocabulary()},
        kServiceRepairs, lease_service_bugs(), options_of_service);
}

}  // namespace lockkeeper
