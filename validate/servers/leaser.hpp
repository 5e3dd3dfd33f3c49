// SPDX-License-Identifier: Apache-2.0

// The database leaser of docs/decisions/models/leases.md as SQL on PostgreSQL: one row a lease, all
// times the database's clock at the start of the transaction. Its model is
// impl/leases/lease_db.hpp.
//
//   acquire   insert (key, token, now + ttl). A row that is there is a conflict, EVEN IF it has
//             expired; an insert or delete of the key that is not committed yet is waited for.
//   renew     expires_at := now + ttl where key and token match. Expiry is not checked: a row that
//             has expired and was not reaped is revived. No row: lost.
//   release   delete where key and token match. No row: it had been lost.
//   reap      delete all rows with expires_at < now.
//
// Each is one statement and so one transaction, unless the connection has one open. `..._sql`
// returns the statement, for callers that send without waiting. A ttl is at least kTtlMin.
//
// LeaseSources are the inputs of the statements beside the table: the clock and the randomness. A
// harness with its own time replaces them and drives the very statements that are used otherwise.
//
// Limits: keys of at most kLeaseKeyMax bytes; any character, quotes are doubled.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "validate/servers/connection.hpp"

namespace lockkeeper::databases {

inline constexpr std::chrono::milliseconds kTtlMin{5000};
inline constexpr std::size_t kLeaseKeyMax = 1000;

enum class LeaseResult : std::uint8_t {
    kOk,
    kConflict,  // acquire: there is a row
    kLost,      // renew, release: there is none with this token
    kRefused,   // the ttl is too short, or the key too long; nothing was sent
    kFailed,    // any other error, a time-out among them
};

struct Lease {
    std::string key;
    std::string token;  // a random UUID
    std::chrono::milliseconds ttl = kTtlMin;
};

// SQL expressions.
struct LeaseSources {
    std::string now = "transaction_timestamp()";
    std::string token = "gen_random_uuid()";
    std::string clock = "clock_timestamp()";  // of a check within a transaction that may be old
};

void create_lease_table(Connection& connection);
// Its ttl is too short, or its key none.
[[nodiscard]] bool is_refused(const Lease& lease);
// The text as a literal of SQL.
[[nodiscard]] std::string quoted(const std::string& text);
// " WHERE ..." for the row of this acquisition.
[[nodiscard]] std::string where_its_row(const Lease& lease);

[[nodiscard]] std::string acquire_sql(const Lease& lease, const LeaseSources& from = {});
[[nodiscard]] std::string renew_sql(const Lease& lease, const LeaseSources& from = {});
[[nodiscard]] std::string release_sql(const Lease& lease);
[[nodiscard]] std::string reap_sql(const LeaseSources& from = {});
// The meaning of an answer to acquire, and to the other statements.
[[nodiscard]] LeaseResult result_of_acquire(const Answer& answer);
[[nodiscard]] LeaseResult result_of_change(const Answer& answer);

}  // namespace lockkeeper::databases
