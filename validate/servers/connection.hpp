// SPDX-License-Identifier: Apache-2.0

// A connection to a database server that can be told to do something without waiting for it, and
// the server's own word on who waits for a lock. PostgreSQL (libpq) and MariaDB (its client) behind
// one interface; `connect` in private_server.hpp makes both.
//
// Order of calls: send, then poll until it gives the answer, then the next send. Whether a
// statement waits for a lock is asked of the server on another connection (waiting_of), never
// guessed from time. Answers come from outside: their rows and texts are bounded (kRowsMax,
// kTextMax).
//
// Errors: DatabaseError where the harness cannot go on (the server has gone without being told to).
// The failure of a statement is an Answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockkeeper::databases {

inline constexpr std::size_t kRowsMax = 10'000;
inline constexpr std::size_t kTextMax = 1U << 20U;  // bytes of one value

class DatabaseError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Why a statement failed, in the words of both servers.
enum class Failure : std::uint8_t {
    kNone,
    kDeadlock,             // 40P01; 1213
    kLockTimeout,          // 55P03; 1205
    kStatementFailed,      // any other error of a statement
    kInFailedTransaction,  // 25P02
    kSerialization,        // 40001
    kConnectionLost,
};

// The same words as the models use (impl/transactional/transaction_words.hpp), "ok" for kNone.
[[nodiscard]] const char* name_of(Failure failure);

struct Answer {
    Failure failure = Failure::kNone;
    std::string code;     // SQLSTATE, or the number of the error
    std::string message;  // of the server, one line
    std::string tag;      // PostgreSQL: the command that it says it has done
    std::vector<std::vector<std::string>> rows;

    [[nodiscard]] bool ok() const { return failure == Failure::kNone; }
    // The first value of the first row; empty where there is none.
    [[nodiscard]] std::string value() const;
};

class Connection {
  public:
    Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    virtual ~Connection() = default;

    // The server's number of this session.
    [[nodiscard]] virtual std::uint64_t id() const = 0;
    // Nothing may be under way.
    virtual void send(const std::string& sql) = 0;
    // The answer, once all of it has come; waits at most so long for it.
    [[nodiscard]] virtual std::optional<Answer> poll(int milliseconds) = 0;
    // The server says that the waiting statement has looked for a deadlock and found none
    // (PostgreSQL with log_lock_waits). Forgotten with the next send.
    [[nodiscard]] virtual bool has_looked_for_deadlock() { return false; }

    // send, and wait for the answer: at most so many seconds, then DatabaseError.
    Answer run(const std::string& sql, int seconds_max = 30);
    // The same where failing is not foreseen: DatabaseError with the server's message.
    Answer require(const std::string& sql);
};

// The sessions among these whose statement waits for a lock now.
[[nodiscard]] std::vector<std::uint64_t> waiting_on_postgresql(
    Connection& monitor, const std::vector<std::uint64_t>& sessions);
[[nodiscard]] std::vector<std::uint64_t> waiting_on_mariadb(
    Connection& monitor, const std::vector<std::uint64_t>& sessions);

// `database` has to be there. DatabaseError when the server cannot be reached.
[[nodiscard]] std::unique_ptr<Connection> connect_postgresql(const std::string& socket_directory,
                                                             const std::string& database);
[[nodiscard]] std::unique_ptr<Connection> connect_mariadb(const std::string& socket,
                                                          const std::string& database);

}  // namespace lockkeeper::databases
