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
#include <vector>

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

// The work on top of the database leaser, as SQL on PostgreSQL: the resource that a lease guards,
// what clients leave behind and take away, and asynchronous calls.
// docs/decisions/models/leases.md, "DB"; the repairs are those of impl/leases/lease_db.hpp.
//
//   tokens    growing: from a sequence. A client that has to give up what it may have left draws
//             its token before its insert, and knows it then.
//   write     a row of `resources` is changed. fencing: not by a token that is smaller than one
//             which it has seen.
//             guarded: only while the lease's row is there and has not expired, in the same
//             transaction; the row is locked until its end.
//   give up   delete by token. tombstones: and leave a note of the token, in the table of the
//             leases, whose unique index on the token then refuses an insert that comes later.
//   calls     pick the pending call, insert its lease, set it to executing by its id alone
//             (checked: only while it is pending): one transaction. Complete it by its id alone
//             (checked: only under the lease, as above, by the clock of then, because the
//             transaction may have begun long before). Clean up: what executes without a lease has
//             failed, and its retry is pending, if it has none yet.
//
// Needs the table of leases. A call is (key, attempt): attempt 0 and its retry, 1.

struct WorkRepairs {
    bool fencing = false;
    bool guarded = false;
};

// Tokens in the order in which they are drawn.
[[nodiscard]] std::string growing_token();
void create_work_tables(Connection& connection);

// A row: it was taken.
[[nodiscard]] std::string write_sql(const Lease& lease, WorkRepairs repairs,
                                    const LeaseSources& from = {});
// A row: the lease is there and has not expired. It stays until the end of the transaction.
[[nodiscard]] std::string check_sql(const Lease& lease, const LeaseSources& from = {});
// One transaction. Twice is as good as once.
[[nodiscard]] std::vector<std::string> give_up_sql(const Lease& lease, bool tombstones);

[[nodiscard]] std::string pick_sql(const std::string& key);  // the attempt, or no row
// The attempt and the key of the oldest, or no row: retries are younger than first tries, and keys
// are in the order of their calls.
[[nodiscard]] std::string pick_oldest_sql();
// A row: it is executing now.
[[nodiscard]] std::string mark_sql(const std::string& key, const std::string& attempt,
                                   bool checked);
[[nodiscard]] std::string complete_sql(const std::string& key, const std::string& attempt);
[[nodiscard]] std::string clean_up_calls_sql(const std::string& key, bool retries);

}  // namespace lockkeeper::databases
