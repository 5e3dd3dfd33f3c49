// SPDX-License-Identifier: Apache-2.0

// The lease coordinator: what a scenario can say to it.
#include <algorithm>
#include <functional>

#include "impl/leases/descriptor/lease_lock.hpp"
#include "impl/leases/planted_bugs.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace leases;

constexpr NamedRepair kCoordinatorRepairs[] = {
    {"listen_first", kCoListenFirst},       {"reap_notifies", kCoReapNotifies},
    {"checked_release", kCoCheckedRelease}, {"clean_up", kCoCleanUp},
    {"growing_tokens", kCoGrowingTokens},   {"fencing", kCoFencing},
    {"guarded_writes", kCoGuardedWrites},   {"tombstones", kCoTombstones},
    {"applied_once", kCoAppliedOnce},
};
static_assert(names_all(kCoordinatorRepairs, kAllLeaseCoordinatorRepairs));

// "runner:reserve:R1": the namespace [runner, reserve], and the key R1.
std::variant<std::vector<std::string>, InputError> namespace_of(const Scenario& scenario,
                                                                const std::string& scope) {
    std::vector<std::string> elements;
    std::size_t from = 0;
    for (std::size_t colon = scope.find(':'); colon != std::string::npos;
         colon = scope.find(':', from)) {
        elements.push_back(scope.substr(from, colon - from));
        from = colon + 1;
        const std::string& element = elements.back();
        if (element.empty() || element.find('.') != std::string::npos) {
            return InputError{scenario.file, "/keys",
                              "\"" + scope + "\": an element of a namespace is not empty and has " +
                                  "no '.', because the table stores the list joined by '.'"};
        }
    }
    if (from == scope.size()) {
        return InputError{scenario.file, "/keys", "\"" + scope + "\": the key of a scope is empty"};
    }
    return elements;
}

// Numbers that do not go together, and nested calls that are too deep.
std::optional<InputError> what_does_not_fit(const Scenario& scenario) {
    const auto& own = scenario.parameters.own;
    if (own.at("upsert") != 0 && own.at("module") != 0) {
        return InputError{scenario.file, "/parameters/module",
                          "with \"upsert\": 1 each message renews, and no library does"};
    }
    if (own.at("upsert") != 0 && lease_bounds_of(scenario).free_within >= 0) {
        return InputError{scenario.file, "/parameters/free_within",
                          "with \"upsert\": 1 a lease does not belong to one caller, and is not "
                          "kept by one that has died"};
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            const bool nests =
                operation.verb == Verb::kCall &&
                operation.word == static_cast<std::uint8_t>(LeaseCoordinatorCall::kNested);
            if (nests && operation.number > NestedCalls::kDepthMost) {
                return InputError{scenario.file,
                                  "/callers/" + std::to_string(caller.group) + "/script",
                                  "nested: expected a number of at most " +
                                      std::to_string(NestedCalls::kDepthMost)};
            }
        }
    }
    return std::nullopt;
}

bool somebody_reaps(const Scenario& scenario) {
    const auto& callers = scenario.world.callers;
    return std::any_of(callers.begin(), callers.end(), [](const CallerConfig& caller) {
        return std::any_of(
            caller.script.begin(), caller.script.end(), [](const Operation& operation) {
                return operation.verb == Verb::kCall &&
                       operation.word == static_cast<std::uint8_t>(LeaseCoordinatorCall::kReap);
            });
    });
}

std::optional<InputError> fill_in(const Scenario& scenario, LeaseCoordinatorOptions& options) {
    fill_in_leases(scenario, options);
    const auto& own = scenario.parameters.own;
    options.module = own.at("module") != 0;
    options.reaps = own.at("reaps") != 0;
    options.is_reaped = options.reaps || somebody_reaps(scenario);
    options.hooks = own.at("hooks") != 0;
    options.upsert = own.at("upsert") != 0;
    options.renew = own.at("renew");
    options.transaction = own.at("transaction");
    options.wait = own.at("wait");
    for (const std::string& key : options.keys) {
        const auto elements = namespace_of(scenario, key);
        if (const auto* error = std::get_if<InputError>(&elements)) {
            return *error;
        }
        options.namespaces.push_back(std::get<std::vector<std::string>>(elements));
        const auto use_case = own.find("use_case:" + key);
        options.use_cases.push_back(use_case == own.end() ? own.at("use_case") : use_case->second);
    }
    if (std::adjacent_find(options.use_cases.begin(), options.use_cases.end(),
                           std::not_equal_to<>()) == options.use_cases.end()) {
        options.use_cases.clear();  // all are of one
    }
    if (auto error = what_does_not_fit(scenario)) {
        return error;
    }
    for (const Client& client : options.clients) {
        const std::int32_t ttl = client.ttl == 0 ? options.ttl : client.ttl;
        const std::int32_t renew = options.renew == 0 ? ttl / 3 : options.renew;
        if (options.grace >= ttl) {
            return InputError{scenario.file, "/parameters/grace", "expected less than the ttl"};
        }
        if (options.module && (renew == 0 || options.delay * 2 >= renew)) {
            return InputError{scenario.file, "/parameters/delay",
                              "expected less than half of the time between two renewals"};
        }
    }
    return std::nullopt;
}

auto options_of_coordinator(void (*plant)(LeaseCoordinatorOptions&)) {
    return [=](const Scenario& scenario) -> std::variant<LeaseCoordinatorOptions, InputError> {
        LeaseCoordinatorOptions options;
        if (auto error = fill_in(scenario, options)) {
            return *std::move(error);
        }
        options.repairs = repairs_of<std::uint16_t>(scenario, kCoordinatorRepairs);
        plant(options);
        return options;
    };
}

Vocabulary lease_coordinator_vocabulary() {
    const auto word = [](LeaseCoordinatorCall call) { return static_cast<std::uint8_t>(call); };
    constexpr std::int32_t kMost = kLeaseTimeMost;
    Vocabulary words = lease_vocabulary();
    words.parameters.insert(
        words.parameters.end(),
        {{"module", 0, 1, 0, "1: a library renews in the background"},
         of_time({"renew", 0, kMost, 0, "module: so often; 0: three times in the ttl"}),
         {"reaps", 0, 1, 1, "0: nobody reaps but by the call reap"},
         {"hooks", 0, 1, 0, "1: WillInsert and WillHeartbeat change what the lease guards"},
         {"upsert", 0, 1, 0, "1: acquire obtains the lease, or renews it, whosever it is"},
         {"use_case", 0, 3, 0, "keys of one number are of one use case, which reaps them", true},
         of_time(
             {"transaction", 0, kMost, 0, "a write takes at most so long from begin to COMMIT"}),
         of_time({"wait", 0, kMost, 0, "how long an acquire waits for a release; 60000: for ever"},
                 LeaseCoordinator::kForEver)});
    words.faults.push_back({"small_tokens", 0, kLeaseBudgetMost, 0,
                            "a random lease key is smaller than all before it"});
    words.faults.push_back(
        {"client_clock_jumps", 0, kLeaseBudgetMost, 0, "a client's clock jumps, forward or back"});
    words.faults.push_back({"hook_failures", 0, kLeaseBudgetMost, 0,
                            "WillInsert, WillHeartbeat or WillRelease fails, all is rolled back"});
    words.settings.push_back(
        of_time({"wait", -1, kMost, -1, "of this client; -1: as the system says"},
                LeaseCoordinator::kForEver));
    words.calls = {
        {"write", word(LeaseCoordinatorCall::kWrite), true, false,
         "changes what the lease guards, in a transaction"},
        {"heartbeat", word(LeaseCoordinatorCall::kHeartbeat), true, false,
         "renews, and reads the new deadline"},
        {"nested", word(LeaseCoordinatorCall::kNested), true, false,
         "makes a call under the lease, which writes some time; number 2 or 3: so many, one inside "
         "of the other",
         true},
        {"reap", word(LeaseCoordinatorCall::kReap), false, false,
         "reaps the namespace of the key; number 1: with its children, 2: those of the whole "
         "use case, 3: both",
         true},
        {"release_fail", word(LeaseCoordinatorCall::kReleaseFail), true, true,
         "release, with a failure"},
    };
    return words;
}

}  // namespace

void add_lease_coordinator(Registry& registry) {
    register_leases_of<LeaseCoordinator>(
        registry,
        {"lease_coordinator", "faithful", "leases with deadlines, as designed", "",
         lease_coordinator_vocabulary()},
        kCoordinatorRepairs, lease_coordinator_bugs(), options_of_coordinator);
}

}  // namespace lockkeeper
