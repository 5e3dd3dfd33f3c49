// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/leaser.hpp"

namespace lockkeeper::databases {
namespace {

std::string deadline(const Lease& lease, const LeaseSources& from) {
    return from.now + " + interval '" + std::to_string(lease.ttl.count()) + " milliseconds'";
}

}  // namespace

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
