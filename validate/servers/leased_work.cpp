// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/leased_work.hpp"

namespace lockkeeper::databases {
namespace {

std::string where_call(const std::string& key, const std::string& attempt) {
    return " WHERE key = " + quoted(key) + " AND attempt = " + attempt;
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

}  // namespace lockkeeper::databases
