// SPDX-License-Identifier: Apache-2.0

// From a scenario, as its system understands it, to what its server and its clients are.
#include <algorithm>
#include <bit>

#include "validate/servers/subject.hpp"

namespace lockkeeper::databases {
namespace {

// 0: the system has no such number.
std::int32_t number_of(const NamedNumbers& numbers, const std::string& name) {
    return numbers.value_or(name, 0);
}

// The number of the key by that name, or that of all keys.
std::int32_t of_key(const Scenario& scenario, const std::string& name, const std::string& key) {
    const auto& own = scenario.parameters.own;
    const auto found = own.find(name + ":" + key);
    return found == own.end() ? number_of(own, name) : found->second;
}

std::string why_not(const Understood& understood, Engine engine) {
    const Scenario& scenario = understood.scenario;
    const auto own = engine_of(understood.system->server.name);
    if (!own) {
        return "system " + scenario.system + " is none of a database server";
    }
    if (*own != engine) {
        return own == Engine::kMariadb ? "its rules are those of InnoDB"
                                       : "its rules are those of PostgreSQL";
    }
    for (const char* fault : {"resends", "duplicates", "client_restarts"}) {
        if (number_of(scenario.parameters.faults, fault) != 0) {
            return std::string("nothing sends a statement twice, or starts a client again: ") +
                   fault;
        }
    }
    if (number_of(scenario.parameters.own, "by_weight") != 0) {
        return "MariaDB 10.11 serves a line in order, by weight is MySQL 8.0.20 and later";
    }
    for (const auto& [name, value] : scenario.parameters.own) {
        if (value != 0 && (name == "user_lock" || name.starts_with("user_lock:"))) {
            return "no statement of the comparison is GET_LOCK";
        }
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        const bool is_pool = understood.system->server.clients == RealServer::Clients::kPool;
        if (!is_pool && number_of(caller.settings, "tries") != 0) {
            return "no statement of the comparison is a try";
        }
        if (number_of(caller.settings, "restarts") != 0) {
            return "the clients of the comparison send ROLLBACK after a deadlock";
        }
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
        SubjectKey key;
        key.name = key.hashed = scenario.world.keys[at];
        key.other_byte_order = fixed && std::endian::native == std::endian::little;
        key.row = of_key(scenario, "row", key.name) != 0;
        key.shared = of_key(scenario, "shared", key.name) != 0;
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

SubjectLeases leases_of(const Scenario& scenario) {
    using std::chrono::milliseconds;
    const auto number = [&](const char* name) { return number_of(scenario.parameters.own, name); };
    SubjectLeases leases;
    for (const CallerConfig& caller : scenario.world.callers) {
        const std::int32_t own = number_of(caller.settings, "ttl");
        leases.ttls.emplace_back(own == 0 ? number("ttl") : own);
        leases.drifts.push_back(number_of(caller.settings, "drift"));
        leases.controllers.push_back(
            static_cast<std::size_t>(number_of(caller.settings, "controller")));
    }
    leases.grace = milliseconds(number("grace"));
    leases.takes_time = number("delay") + number("pause") > 0;
    leases.jump = milliseconds(number("jump"));
    leases.calls = number("calls") != 0;
    leases.retries = number("retries") != 0;
    leases.singleton = number("singleton") != 0;
    leases.reaped_by_task = number("reaped_by_task") != 0;
    leases.oldest_first = number("oldest_first") != 0;
    return leases;
}

SubjectClient client_of(const CallerConfig& caller) {
    const auto setting = [&](const char* name) { return number_of(caller.settings, name) != 0; };
    return {setting("repeatable_read"), setting("rescues"), setting("session_level"),
            setting("tries"), setting("reconnects")};
}

}  // namespace

Subject make_subject(const Understood& understood, const Runner& runner, Engine engine) {
    if (const std::string reason = why_not(understood, engine); !reason.empty()) {
        throw NotExpressible{reason};
    }
    const Scenario& scenario = understood.scenario;
    const RealServer::Clients clients = understood.system->server.clients;
    Subject subject{runner.erased(), runner.world(), engine, {}, {}, {}, 0, 1, {}};
    if (clients == RealServer::Clients::kPool) {
        subject.connections =
            static_cast<std::size_t>(number_of(scenario.parameters.own, "connections"));
    }
    const auto& on = scenario.parameters.repairs_on;
    subject.repairs = {on.begin(), on.end()};
    add_keys(scenario, subject);
    for (const CallerConfig& caller : scenario.world.callers) {
        subject.clients.push_back(client_of(caller));
    }
    if (clients == RealServer::Clients::kLeases) {
        subject.leases = leases_of(scenario);
    }
    if (mixes_databases(subject)) {
        throw NotExpressible{"one caller locks in several databases"};
    }
    return subject;
}

}  // namespace lockkeeper::databases
