// SPDX-License-Identifier: Apache-2.0

// The adapter for MariaDB, on its C client. A statement is sent with mysql_send_query; its answer
// is read when the socket has something, so nothing waits for long and no second thread is needed.
#include <mysql.h>
#include <poll.h>

#include <algorithm>

#include "validate/servers/connection.hpp"

namespace lockkeeper::databases {
namespace {

constexpr unsigned kDeadlock = 1213;
constexpr unsigned kLockWaitTimeout = 1205;
// The client's own errors: 2006 gone away, 2013 lost during the query, 2055 the same with a reason.
// The server's errors: 1053 shutdown, 1317 interrupted, 1927 killed.
constexpr unsigned kConnectionLost[] = {2006, 2013, 2055, 1053, 1317, 1927};

Failure failure_of(unsigned code) {
    if (code == kDeadlock) {
        return Failure::kDeadlock;
    }
    if (code == kLockWaitTimeout) {
        return Failure::kLockTimeout;
    }
    const bool lost = std::find(std::begin(kConnectionLost), std::end(kConnectionLost), code) !=
                      std::end(kConnectionLost);
    return lost ? Failure::kConnectionLost : Failure::kStatementFailed;
}

class Mariadb final : public Connection {
  public:
    Mariadb(const std::string& socket, const std::string& database)
        : session_(mysql_init(nullptr)) {
        if (session_ == nullptr) {
            throw DatabaseError("no memory for a connection");
        }
        const unsigned seconds = 10;
        mysql_optionsv(session_, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
        const unsigned protocol = MYSQL_PROTOCOL_SOCKET;
        mysql_optionsv(session_, MYSQL_OPT_PROTOCOL, &protocol);
        if (mysql_real_connect(session_, nullptr, "root", nullptr,
                               database.empty() ? nullptr : database.c_str(), 0, socket.c_str(),
                               0) == nullptr) {
            const std::string why = mysql_error(session_);
            mysql_close(session_);
            throw DatabaseError("no connection to the server: " + why);
        }
    }
    Mariadb(const Mariadb&) = delete;
    Mariadb& operator=(const Mariadb&) = delete;
    ~Mariadb() override { mysql_close(session_); }

    [[nodiscard]] std::uint64_t id() const override { return mysql_thread_id(session_); }

    void send(const std::string& sql) override {
        sent_ = mysql_send_query(session_, sql.data(), sql.size()) == 0;
        failed_ = {};
        if (!sent_) {
            failed_ = error();
        }
    }

    [[nodiscard]] std::optional<Answer> poll(int milliseconds) override {
        if (!sent_) {
            return failed_;
        }
        const my_socket socket = mysql_get_socket(session_);
        if (socket == MARIADB_INVALID_SOCKET) {
            failed_.failure = Failure::kConnectionLost;
            return failed_;
        }
        pollfd wait{static_cast<int>(socket), POLLIN, 0};
        if (::poll(&wait, 1, milliseconds) <= 0) {
            return std::nullopt;
        }
        if (mysql_read_query_result(session_)) {
            return error();
        }
        Answer answer;
        if (MYSQL_RES* result = mysql_store_result(session_)) {
            take(result, answer);
            mysql_free_result(result);
        } else if (mysql_errno(session_) != 0) {
            return error();
        }
        return answer;
    }

  private:
    [[nodiscard]] Answer error() const {
        Answer answer;
        const unsigned code = mysql_errno(session_);
        answer.code = std::to_string(code);
        answer.failure = failure_of(code);
        answer.message = std::string(mysql_error(session_)).substr(0, 500);
        std::replace(answer.message.begin(), answer.message.end(), '\n', ' ');
        return answer;
    }

    static void take(MYSQL_RES* result, Answer& answer) {
        const unsigned columns = mysql_num_fields(result);
        while (MYSQL_ROW row = mysql_fetch_row(result)) {
            if (answer.rows.size() == kRowsMax) {
                return;
            }
            const unsigned long* lengths = mysql_fetch_lengths(result);
            auto& values = answer.rows.emplace_back();
            for (unsigned column = 0; column < columns; ++column) {
                values.emplace_back(
                    row[column] == nullptr ? "" : row[column],
                    row[column] == nullptr ? 0 : std::min<std::size_t>(lengths[column], kTextMax));
            }
        }
    }

    MYSQL* session_;
    bool sent_ = false;
    Answer failed_;
};

}  // namespace

std::unique_ptr<Connection> connect_mariadb(const std::string& socket,
                                            const std::string& database) {
    return std::make_unique<Mariadb>(socket, database);
}

// From SHOW ENGINE INNODB STATUS: information_schema.innodb_trx is a copy that is renewed only when
// nobody has looked for a tenth of a second. A piece of the list:
//
//   ---TRANSACTION 7, ACTIVE 0 sec inserting
//   LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
//   MariaDB thread id 4, OS thread handle ...
std::vector<std::uint64_t> waiting_on_mariadb(Connection& monitor,
                                              const std::vector<std::uint64_t>& sessions) {
    const Answer answer = monitor.require("SHOW ENGINE INNODB STATUS");
    const std::string text = answer.rows.empty() ? "" : answer.rows.front().back();
    const std::string thread = "MariaDB thread id ";
    std::vector<std::uint64_t> waiting;
    std::size_t at = text.find("LIST OF TRANSACTIONS FOR EACH SESSION");
    if (at == std::string::npos) {
        throw DatabaseError("InnoDB's status does not list transactions");
    }
    while ((at = text.find("\n---TRANSACTION ", at)) != std::string::npos) {
        const std::size_t next = text.find("\n---", at + 4);
        const std::string piece = text.substr(at, next - at);
        const std::size_t owner = piece.find(thread);
        if (piece.find("\nLOCK WAIT ") != std::string::npos && owner != std::string::npos) {
            const std::uint64_t id =
                std::strtoull(piece.c_str() + owner + thread.size(), nullptr, 10);
            if (std::find(sessions.begin(), sessions.end(), id) != sessions.end()) {
                waiting.push_back(id);
            }
        }
        at += 4;
    }
    return waiting;
}

}  // namespace lockkeeper::databases
