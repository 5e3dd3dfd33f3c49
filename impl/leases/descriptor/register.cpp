// The leases: what a scenario can say to each of the three systems.
#include <algorithm>
#include <optional>

#include "impl/leases/descriptor/lease_descriptors.hpp"
#include "impl/leases/descriptor/lease_lock.hpp"
#include "impl/leases/lease_db.hpp"
#include "scenarios/registry/repairs.hpp"
#include "scenarios/registry/script_calls.hpp"

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

struct PlantedBug {
    const char* variant;
    LeaseDbBug bug;
    const char* must_fail;
    const char* about;
};
constexpr PlantedBug kDbBugs[] = {
    {"reaps_too_early", LeaseDbBug::kReapsTooEarly, "belief-overlap",
     "reaps rows at half of their time"},
    {"releases_by_key", LeaseDbBug::kReleasesByKey, "foreign-removal",
     "release deletes the row of the key, whosever it is"},
    {"ignores_row_count", LeaseDbBug::kIgnoresRowCount, "false-ok",
     "release does not look whether it has deleted a row"},
    {"forgets_to_delete", LeaseDbBug::kForgetsToDelete, "phantom",
     "release ends the renewals and leaves the row"},
    {"restarts_tokens", LeaseDbBug::kRestartsTokens, "token-order",
     "the numbers of tokens begin again with each row"},
    {"guards_by_key", LeaseDbBug::kGuardsByKey, "unprotected-effect",
     "an effect asks whether there is a row, not whose"},
    {"keeps_no_fence", LeaseDbBug::kKeepsOldFence, "stale-read",
     "the guarded resource does not remember the tokens that it has seen"},
    {"renews_by_key", LeaseDbBug::kRenewsByKey, "belief-overlap",
     "a renewal extends the row of the key, whosever it is"},
    {"renews_by_insert", LeaseDbBug::kRenewsByInsert, "phantom",
     "a renewal that finds no row inserts it again"},
    {"expires_by_client_clock", LeaseDbBug::kExpiresByClientClock, "belief-overlap",
     "the client's clock, not the database's, says when a row expires"},
    {"reaps_by_client_clock", LeaseDbBug::kReapsByClientClock, "belief-overlap",
     "a client's clock, not the database's, says which rows have expired"},
    {"deadline_from_answer", LeaseDbBug::kDeadlineFromAnswer, "belief-overlap",
     "the holder's own deadline counts from the answer, not from the request"},
    {"keeps_transactions", LeaseDbBug::kKeepsTransactions, "deadlock",
     "nobody notices that a client died within its transaction"},
    {"believes_any_answer", LeaseDbBug::kBelievesAnyAnswer, "told-late",
     "an answer to a renewal counts as a grant, whatever it says"},
    {"reaps_too_late", LeaseDbBug::kReapsTooLate, "free-late",
     "reaps rows a ttl after they have expired"},
    {"picks_anyway", LeaseDbBug::kPicksAnyway, "repeated-effect",
     "a pick sets the call to executing, whatever it is by then"},
};

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

auto maker(LeaseDbBug bug) {
    return [=](const Scenario& scenario) -> std::variant<LeaseDb, InputError> {
        LeaseDbOptions options;
        fill_in_leases(scenario, options);
        options.repairs = repairs_of<std::uint16_t>(scenario, kDbRepairs);
        options.bug = static_cast<std::uint8_t>(bug);
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
        return LeaseDb(options);
    };
}

Vocabulary vocabulary() {
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
        {"stream_end", -1, kLeaseTimeMost, -1,
         "a client is told so long after its controller has crashed; -1: never"});
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
    register_lease(registry,
                   {"lease_db", "faithful", "leases as rows in PostgreSQL, as built", "",
                    vocabulary(), kServer},
                   maker(LeaseDbBug::kNone));
    register_lease(registry,
                   {"lease_db", "repaired", "the same with what the faithful one lacks", "",
                    with_repairs(vocabulary(), kDbRepairs), kServer},
                   maker(LeaseDbBug::kNone));
    for (const PlantedBug& planted : kDbBugs) {
        register_lease(registry,
                       {"lease_db_broken", planted.variant, planted.about, planted.must_fail,
                        with_repairs(vocabulary(), kDbRepairs), kServer},
                       maker(planted.bug));
    }
}

void register_leases(Registry& registry) {
    add_lease_db(registry);
    add_lease_service(registry);
    add_lease_coordinator(registry);
}

}  // namespace lockkeeper
