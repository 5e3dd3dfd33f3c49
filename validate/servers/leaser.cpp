// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/leaser.hpp"

namespace lockkeeper::databases {
namespace {

std::string where_call(const std::string& key, const std::string& attempt) {
    return " WHERE key = " + quoted(key) + " AND attempt = " + attempt;
}

std::string deadline(const Lease& lease, const LeaseSources& from) {
    return from.now + " + interval '" + std::to_string(lease.ttl.count()) + " milliseconds'";
}

}  // namespace

std::string growing_token() { return "lpad(to_hex(nextval('lease_tokens')), 32, '0')::uuid"; }

void create_work_tables(Connection& connection) {
    connection.require("CREATE SEQUENCE lease_tokens");
    connection.require("CREATE UNIQUE INDEX leases_token ON leases (token)");
    connection.require(
        "CREATE TABLE resources (key text PRIMARY KEY, writes int NOT NULL DEFAULT 0, "
        "fence uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000')");
    connection.require(
        "CREATE TABLE calls (key text, attempt int, state text NOT NULL DEFAULT 'pending', "
        "PRIMARY KEY (key, attempt))");
}

std::string write_sql(const Lease& lease, WorkRepairs repairs, const LeaseSources& from) {
    const std::string token = quoted(lease.token) + "::uuid";
    std::string sql = "UPDATE resources SET writes = writes + 1";
    sql += repairs.fencing ? ", fence = " + token : "";
    sql += " WHERE key = " + quoted(lease.key);
    sql += repairs.fencing ? " AND fence <= " + token : "";
    sql += repairs.guarded ? " AND EXISTS (" + check_sql(lease, from) + ")" : "";
    return sql + " RETURNING writes";
}

std::string check_sql(const Lease& lease, const LeaseSources& from) {
    return "SELECT 1 FROM leases" + where_its_row(lease) + " AND expires_at >= " + from.clock +
           " FOR SHARE";
}

std::vector<std::string> give_up_sql(const Lease& lease, bool tombstones) {
    if (!tombstones) {
        return {release_sql(lease)};
    }
    return {"BEGIN", release_sql(lease),
            "INSERT INTO leases (key, token, expires_at) VALUES (" +
                quoted("given up: " + lease.token) + ", " + quoted(lease.token) +
                ", 'infinity') ON CONFLICT DO NOTHING",
            "COMMIT"};
}

std::string pick_sql(const std::string& key) {
    return "SELECT attempt FROM calls WHERE key = " + quoted(key) +
           " AND state = 'pending' ORDER BY attempt LIMIT 1";
}

std::string pick_oldest_sql() {
    return "SELECT attempt, key FROM calls WHERE state = 'pending' ORDER BY attempt, key LIMIT 1";
}

std::string mark_sql(const std::string& key, const std::string& attempt, bool checked) {
    return "UPDATE calls SET state = 'executing'" + where_call(key, attempt) +
           (checked ? " AND state = 'pending'" : "") + " RETURNING attempt";
}

std::string complete_sql(const std::string& key, const std::string& attempt) {
    return "UPDATE calls SET state = 'succeeded'" + where_call(key, attempt) + " RETURNING attempt";
}

std::string clean_up_calls_sql(const std::string& key, bool retries) {
    std::string failed =
        "UPDATE calls SET state = 'failed' WHERE key = " + quoted(key) +
        " AND state = 'executing' AND NOT EXISTS (SELECT 1 FROM leases WHERE key = " + quoted(key) +
        ") RETURNING key, attempt";
    if (!retries) {
        return failed;
    }
    return "WITH failed AS (" + failed +
           ") INSERT INTO calls (key, attempt) SELECT key, 1 FROM failed WHERE attempt = 0 "
           "ON CONFLICT DO NOTHING";
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter == '\'' ? "''" : std::string(1, letter);
    }
    return out + "'";
}

bool is_refused(const Lease& lease) {
    return lease.ttl < kTtlMin || lease.key.empty() || lease.key.size() > kLeaseKeyMax ||
           lease.key.find('\0') != std::string::npos;
}

std::string where_its_row(const Lease& lease) {
    return " WHERE key = " + quoted(lease.key) + " AND token = " + quoted(lease.token);
}

void create_lease_table(Connection& connection) {
    connection.require(
        "CREATE TABLE leases (key text PRIMARY KEY, token uuid NOT NULL, "
        "expires_at timestamptz NOT NULL)");
}

std::string acquire_sql(const Lease& lease, const LeaseSources& from) {
    return "INSERT INTO leases (key, token, expires_at) VALUES (" + quoted(lease.key) + ", " +
           from.token + ", " + deadline(lease, from) + ") RETURNING token";
}

std::string renew_sql(const Lease& lease, const LeaseSources& from) {
    return "UPDATE leases SET expires_at = " + deadline(lease, from) + where_its_row(lease) +
           " RETURNING token";
}

std::string release_sql(const Lease& lease) {
    return "DELETE FROM leases" + where_its_row(lease) + " RETURNING token";
}

std::string reap_sql(const LeaseSources& from) {
    return "DELETE FROM leases WHERE expires_at < " + from.now + " RETURNING key";
}

LeaseResult result_of_acquire(const Answer& answer) {
    if (answer.ok()) {
        return LeaseResult::kOk;
    }
    return answer.code == "23505" ? LeaseResult::kConflict : LeaseResult::kFailed;
}

LeaseResult result_of_change(const Answer& answer) {
    if (!answer.ok()) {
        return LeaseResult::kFailed;
    }
    return answer.rows.empty() ? LeaseResult::kLost : LeaseResult::kOk;
}

}  // namespace lockkeeper::databases
