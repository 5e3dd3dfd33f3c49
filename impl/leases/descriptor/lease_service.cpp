// The in-memory lease service: what a scenario can say to it.
#include "impl/leases/lease_service.hpp"

#include "impl/leases/descriptor/lease_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace leases;

constexpr NamedRepair kRepairs[] = {
    {"own_deadline", kSvOwnDeadline}, {"keeps_entries", kSvKeepsEntries},
    {"restart_wait", kSvRestartWait}, {"checked_release", kSvCheckedRelease},
    {"fencing", kSvFencing},          {"guarded_writes", kSvGuardedWrites},
    {"keeps_stream", kSvKeepsStream},
};
static_assert(names_all(kRepairs, kAllLeaseServiceRepairs));

struct PlantedBug {
    const char* variant;
    LeaseServiceBug bug;
    const char* must_fail;
    const char* about;
};
constexpr PlantedBug kBugs[] = {
    {"ignores_expiry", LeaseServiceBug::kIgnoresExpiry, "belief-overlap",
     "gives a scope away although its entry has not run out"},
    {"closes_by_scope", LeaseServiceBug::kClosesByScope, "foreign-removal",
     "the end of a stream deletes the entries of its scopes, whosever they are"},
    {"restarts_tokens", LeaseServiceBug::kRestartsTokens, "token-order",
     "tokens begin again after a restart"},
    {"renews_by_scope", LeaseServiceBug::kRenewsByScope, "belief-overlap",
     "a renewal extends the entry of the scope, whosever it is"},
    {"revives_expired", LeaseServiceBug::kRevivesExpired, "false-ok",
     "a renewal extends an entry that has run out"},
    {"expires_by_client_clock", LeaseServiceBug::kExpiresByClientClock, "belief-overlap",
     "the client's clock, not the service's, says when an entry runs out"},
    {"takes_by_client_clock", LeaseServiceBug::kTakesByClientClock, "belief-overlap",
     "the contender's clock, not the service's, says whether an entry has run out"},
    {"deadline_from_answer", LeaseServiceBug::kDeadlineFromAnswer, "belief-overlap",
     "the holder's own deadline counts from the answer, not from the request"},
    {"guards_by_scope", LeaseServiceBug::kGuardsByScope, "unprotected-effect",
     "an effect asks whether somebody has the scope, not who"},
    {"says_ok_anyway", LeaseServiceBug::kSaysOkAnyway, "false-ok",
     "release asks whether the entry is still there, and says ok whatever the answer"},
    {"forgets_to_end", LeaseServiceBug::kForgetsToEnd, "phantom",
     "release ends the heartbeats and leaves the entry"},
    {"keeps_no_fence", LeaseServiceBug::kKeepsOldFence, "stale-read",
     "the guarded resource does not remember the tokens that it has seen"},
    {"ignores_send_errors", LeaseServiceBug::kIgnoresSendErrors, "told-late",
     "a heartbeat that cannot be sent counts as answered"},
    {"doubles_ttl", LeaseServiceBug::kDoublesTtl, "free-late",
     "an entry lasts twice as long as its client asked for"},
};

auto maker(LeaseServiceBug bug) {
    return [=](const Scenario& scenario) -> std::variant<LeaseService, InputError> {
        LeaseServiceOptions options;
        fill_in_leases(scenario, options);
        for (const Client& client : options.clients) {
            const std::int32_t ttl = client.ttl == 0 ? options.ttl : client.ttl;
            if (options.delay * 4 > ttl) {  // one heartbeat of a lease is under way at a time
                return InputError{scenario.file, "/parameters/delay",
                                  "expected at most a quarter of the ttl"};
            }
        }
        options.repairs = repairs_of<std::uint8_t>(scenario, kRepairs);
        options.bug = static_cast<std::uint8_t>(bug);
        options.heartbeats = scenario.parameters.own.at("heartbeats") != 0;
        return LeaseService(options);
    };
}

Vocabulary vocabulary() {
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
    register_lease(registry,
                   {"lease_service", "faithful", "leases in the memory of one service, as built",
                    "", vocabulary()},
                   maker(LeaseServiceBug::kNone));
    register_lease(registry,
                   {"lease_service", "repaired", "the same with what the faithful one lacks", "",
                    with_repairs(vocabulary(), kRepairs)},
                   maker(LeaseServiceBug::kNone));
    for (const PlantedBug& planted : kBugs) {
        register_lease(registry,
                       {"lease_service_broken", planted.variant, planted.about, planted.must_fail,
                        with_repairs(vocabulary(), kRepairs)},
                       maker(planted.bug));
    }
}

}  // namespace lockkeeper
