#include "app/database_subject.hpp"

#include <algorithm>
#include <bit>

namespace lockkeeper {
namespace {

using databases::Engine;
using databases::Subject;

constexpr std::uint64_t kExploredMost = 200'000;
constexpr double kExploringMost = 20;

std::int32_t number_of(const std::map<std::string, std::int32_t>& numbers, const std::string& name,
                       std::int32_t otherwise) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? otherwise : found->second;
}

// The number of the key by that name, or that of all keys.
std::int32_t of_key(const Scenario& scenario, const std::string& name, const std::string& key) {
    const auto& own = scenario.parameters.own;
    return number_of(own, name + ":" + key, number_of(own, name, 0));
}

bool is_of_leases(const std::string& system) {
    return system == "lease_db" || system == "lease_db_broken";
}

const std::set<std::string>& repairs_of_variant(const std::string& system) {
    static const std::set<std::string> kPg{"guard_savepoint", "read_committed", "checked_end",
                                           "outbox",          "ask_outcome",    "fixed_byte_order"};
    static const std::set<std::string> kInnodb{
        "row_first",    "locking_reads",    "checked_end",     "outbox",
        "counts_again", "fixed_byte_order", "inner_savepoint", "ask_outcome"};
    static const std::set<std::string> kPool{"reset_on_return"};
    static const std::set<std::string> kLeases{
        "own_deadline",   "clean_up",           "growing_tokens", "fencing",
        "guarded_writes", "checked_completion", "tombstones",     "checked_pick"};
    if (is_of_leases(system)) {
        return kLeases;
    }
    if (system == "transactional_innodb") {
        return kInnodb;
    }
    return system == "session_lock_pool" ? kPool : kPg;
}

bool is_pooled(const Scenario& scenario) {
    return scenario.system.starts_with("session_lock_pool") ||
           scenario.system.starts_with("try_retry") || scenario.variant == "unlocks_by_key";
}

std::string why_not(const Scenario& scenario, Engine engine) {
    const bool innodb = scenario.system.starts_with("transactional_innodb");
    if (!is_of_a_server(scenario)) {
        return "system " + scenario.system + " is none of a database server";
    }
    if (innodb != (engine == Engine::kMariadb)) {
        return innodb ? "its rules are those of InnoDB" : "its rules are those of PostgreSQL";
    }
    for (const char* fault : {"resends", "duplicates", "client_restarts"}) {
        if (number_of(scenario.parameters.faults, fault, 0) != 0) {
            return std::string("nothing sends a statement twice, or starts a client again: ") +
                   fault;
        }
    }
    if (number_of(scenario.parameters.own, "by_weight", 0) != 0) {
        return "MariaDB 10.11 serves a line in order, by weight is MySQL 8.0.20 and later";
    }
    return "";
}

// A transaction is in one database.
bool mixes_databases(const Subject& subject) {
    for (const CallerConfig& caller : subject.world.callers) {
        std::size_t first = SIZE_MAX;
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire) {
                const std::size_t database = subject.keys[operation.key].database;
                if (first != SIZE_MAX && first != database) {
                    return true;
                }
                first = database;
            }
        }
    }
    return false;
}

void add_keys(const Scenario& scenario, Subject& subject) {
    const bool fixed = subject.has("fixed_byte_order");  // most significant first
    for (std::size_t at = 0; at < scenario.world.keys.size(); ++at) {
        databases::SubjectKey key;
        key.name = key.hashed = scenario.world.keys[at];
        key.other_byte_order = fixed && std::endian::native == std::endian::little;
        key.row = of_key(scenario, "row", key.name) != 0;
        key.database = static_cast<std::size_t>(of_key(scenario, "database", key.name));
        const std::int32_t id = of_key(scenario, "id", key.name);
        const std::int32_t name = of_key(scenario, "name", key.name);
        for (std::size_t other = 0; other < at; ++other) {
            const std::string& before = scenario.world.keys[other];
            const bool same_id = id != 0 && of_key(scenario, "id", before) == id;
            const bool same_name = name != 0 && of_key(scenario, "name", before) == name;
            if (same_id || same_name) {
                // No two names are known that have one hash: it is the same name, then. One name
                // with two ids is what hosts of different byte order make of it.
                key.hashed = subject.keys[other].hashed;
                key.other_byte_order = fixed ? key.other_byte_order : !same_id;
                break;
            }
        }
        subject.databases = std::max(subject.databases, key.database + 1);
        subject.keys.push_back(key);
    }
}

databases::SubjectLeases leases_of(const Scenario& scenario, const WorldConfig& world) {
    using std::chrono::milliseconds;
    const auto& numbers = scenario.parameters.own;
    databases::SubjectLeases leases;
    const std::int32_t ttl = number_of(numbers, "ttl", 5000);
    for (const CallerConfig& caller : world.callers) {
        const std::int32_t own = number_of(caller.settings, "ttl", 0);
        leases.ttls.emplace_back(own == 0 ? ttl : own);
        leases.drifts.push_back(number_of(caller.settings, "drift", 0));
        leases.controllers.push_back(
            static_cast<std::size_t>(number_of(caller.settings, "controller", 0)));
    }
    leases.grace = milliseconds(number_of(numbers, "grace", 0));
    leases.takes_time = number_of(numbers, "delay", 0) + number_of(numbers, "pause", 0) > 0;
    leases.jump = milliseconds(number_of(numbers, "jump", 1));
    leases.calls = number_of(numbers, "calls", 0) != 0;
    leases.retries = number_of(numbers, "retries", 1) != 0;
    leases.singleton = number_of(numbers, "singleton", 0) != 0;
    leases.reaped_by_task = number_of(numbers, "reaped_by_task", 0) != 0;
    leases.oldest_first = number_of(numbers, "oldest_first", 0) != 0;
    return leases;
}

}  // namespace

bool is_of_a_server(const Scenario& scenario) {
    return scenario.system == "transactional_pg" ||
           scenario.system.starts_with("transactional_innodb") ||
           scenario.system == "transactional_broken" || is_pooled(scenario) ||
           is_of_leases(scenario.system);
}

std::variant<Subject, NotExpressible> database_subject(const Job& job, Engine engine) {
    const Scenario& scenario = job.scenario;
    if (const std::string reason = why_not(scenario, engine); !reason.empty()) {
        return NotExpressible{reason};
    }
    Subject subject{job.runner->erased(), job.runner->world(), engine, {}, {}, {}, 0, 1, {}};
    subject.connections =
        is_pooled(scenario)
            ? static_cast<std::size_t>(number_of(scenario.parameters.own, "connections", 4))
            : 0;
    // A planted bug of the leases is one of the repaired system.
    if (scenario.variant == "repaired" || scenario.system == "lease_db_broken") {
        const RepairChoice choice = scenario.parameters.repairs.value_or(RepairChoice{true, {}});
        const auto named = [&](const std::string& name) {
            return std::find(choice.names.begin(), choice.names.end(), name) != choice.names.end();
        };
        subject.repairs = repairs_of_variant(scenario.system);
        std::erase_if(subject.repairs,
                      [&](const std::string& name) { return named(name) == choice.all_but; });
    }
    add_keys(scenario, subject);
    const bool tries = scenario.system.starts_with("try_retry");
    for (const CallerConfig& caller : subject.world.callers) {
        const auto setting = [&](const char* name, bool otherwise) {
            return number_of(caller.settings, name, otherwise ? 1 : 0) != 0;
        };
        subject.clients.push_back({setting("repeatable_read", engine == Engine::kMariadb),
                                   setting("rescues", false), setting("session_level", !tries),
                                   setting("tries", tries), setting("reconnects", false)});
    }
    if (is_of_leases(scenario.system)) {
        subject.leases = leases_of(scenario, subject.world);
    }
    if (mixes_databases(subject)) {
        return NotExpressible{"one caller locks in several databases"};
    }
    return subject;
}

std::vector<Schedule> own_schedules(const Job& job) {
    if (job.scenario.method == Method::kReplay && job.scenario.schedule) {
        return {*job.scenario.schedule};
    }
    if (job.scenario.method == Method::kOrder) {
        return {job.runner->run_in_order(order_of(job), {}).schedule(0)};
    }
    ExploreOptions options;
    options.check = job.check;
    options.states_max = kExploredMost;
    options.seconds_max = kExploringMost;
    std::vector<Schedule> schedules;
    for (FoundViolation& found : job.runner->explore(options).violations) {
        schedules.push_back(std::move(found.schedule));
    }
    return schedules;
}

}  // namespace lockkeeper
