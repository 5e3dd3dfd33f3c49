// SPDX-License-Identifier: Apache-2.0

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
// Needs the table of leaser.hpp. A call is (key, attempt): attempt 0 and its retry, 1.
#pragma once

#include <string>
#include <vector>

#include "validate/servers/leaser.hpp"

namespace lockkeeper::databases {

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
