// SPDX-License-Identifier: Apache-2.0

// A statement of PostgreSQL as it asks for advisory locks. Used by postgres_reader.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validate/histories/lock_operation.hpp"

namespace lockkeeper::logs {

struct AdvisoryCall {
    LockCode code = LockCode::kAcquire;
    std::string key;  // "42", "1,2"; empty: of all locks of the session, or the log does not say it
    bool is_all = false;             // unlock_all, DISCARD ALL
    bool is_try = false;             // it may say no
    bool is_shared = false;          // no model explains such locks
    bool is_of_transaction = false;  // given back at its end
};

// The statements of a text, each without its comments and its semicolon.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view text);

// In the order of the statement. What it only names, in a text or the body of a function, is no
// call. `parameters`: "$1 = '42', $2 = '7'".
[[nodiscard]] std::vector<AdvisoryCall> advisory_calls(std::string_view statement,
                                                       std::string_view parameters);

enum class TransactionWord : std::uint8_t {
    kNone,
    kEnd,  // COMMIT, ROLLBACK, END, ABORT
    kPrepare,
    kEndPrepared,  // COMMIT PREPARED, ROLLBACK PREPARED
    kSavepoint,
    kReleaseSavepoint,
    kRollbackTo
};
struct TransactionStep {
    TransactionWord word = TransactionWord::kNone;
    std::string name;  // of the savepoint, or the prepared transaction
};
[[nodiscard]] TransactionStep transaction_step(std::string_view statement);

}  // namespace lockkeeper::logs
