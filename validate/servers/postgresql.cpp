// SPDX-License-Identifier: Apache-2.0

// The adapter for PostgreSQL, on libpq's asynchronous functions.
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "validate/servers/connection.hpp"

namespace lockkeeper::databases {
namespace {

std::string one_line(const char* text) {
    std::string line = text == nullptr ? "" : text;
    line.resize(std::min<std::size_t>(line.size(), 500));
    while (!line.empty() && line.back() == '\n') {
        line.pop_back();
    }
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

Failure failure_of(const std::string& state) {
    constexpr std::pair<const char*, Failure> kStates[] = {
        {"40P01", Failure::kDeadlock},
        {"55P03", Failure::kLockTimeout},
        {"25P02", Failure::kInFailedTransaction},
        {"40001", Failure::kSerialization},
    };
    for (const auto& [known, failure] : kStates) {
        if (state == known) {
            return failure;
        }
    }
    // Class 57P: the administrator ends the session; class 08: the connection.
    const bool lost = state.empty() || state.starts_with("57P0") || state.starts_with("08");
    return lost ? Failure::kConnectionLost : Failure::kStatementFailed;
}

class Postgresql final : public Connection {
  public:
    Postgresql(const std::string& directory, const std::string& database) {
        const char* const names[] = {"host",    "dbname", "user", "connect_timeout",
                                     "options", nullptr};
        const char* const values[] = {directory.c_str(),
                                      database.c_str(),
                                      "lockkeeper",
                                      "10",
                                      "-c client_min_messages=log -c log_lock_waits=on",
                                      nullptr};
        session_ = PQconnectdbParams(names, values, 0);
        if (PQstatus(session_) != CONNECTION_OK) {
            const std::string why = one_line(PQerrorMessage(session_));
            PQfinish(session_);
            throw DatabaseError("no connection to the server: " + why);
        }
        PQsetNoticeReceiver(session_, on_notice, this);
    }
    Postgresql(const Postgresql&) = delete;
    Postgresql& operator=(const Postgresql&) = delete;
    ~Postgresql() override { PQfinish(session_); }

    [[nodiscard]] std::uint64_t id() const override {
        return static_cast<std::uint64_t>(PQbackendPID(session_));
    }

    void send(const std::string& sql) override {
        answer_ = {};
        looked_ = false;
        if (PQsendQuery(session_, sql.c_str()) != 1) {
            lose();
        }
    }

    [[nodiscard]] std::optional<Answer> poll(int milliseconds) override {
        if (answer_.failure == Failure::kConnectionLost && PQstatus(session_) != CONNECTION_OK) {
            return answer_;
        }
        if (PQisBusy(session_) == 1) {
            pollfd wait{PQsocket(session_), POLLIN, 0};
            if (::poll(&wait, 1, milliseconds) > 0 && PQconsumeInput(session_) != 1) {
                lose();
                return answer_;
            }
        }
        while (PQisBusy(session_) == 0) {
            PGresult* result = PQgetResult(session_);
            if (result == nullptr) {
                return answer_;  // the server is ready for the next statement
            }
            take(result);
            PQclear(result);
        }
        return std::nullopt;
    }

    [[nodiscard]] bool has_looked_for_deadlock() override { return looked_; }

  private:
    void lose() {
        answer_.failure = Failure::kConnectionLost;
        answer_.message = one_line(PQerrorMessage(session_));
    }

    void take(PGresult* result) {
        const ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK &&
            status != PGRES_EMPTY_QUERY) {
            if (!answer_.ok()) {
                return;  // what came first is the reason
            }
            const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
            answer_.code = state == nullptr ? "" : state;
            answer_.failure = failure_of(answer_.code);
            const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
            answer_.message = one_line(text == nullptr ? PQresultErrorMessage(result) : text);
            return;
        }
        answer_.tag = PQcmdStatus(result);
        const auto rows =
            std::min<std::size_t>(static_cast<std::size_t>(PQntuples(result)), kRowsMax);
        for (std::size_t row = 0; row < rows; ++row) {
            auto& values = answer_.rows.emplace_back();
            for (int column = 0; column < PQnfields(result); ++column) {
                const auto at = static_cast<int>(row);
                const auto length = static_cast<std::size_t>(PQgetlength(result, at, column));
                values.emplace_back(PQgetvalue(result, at, column), std::min(length, kTextMax));
            }
        }
    }

    static void on_notice(void* self, const PGresult* result) {
        const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        if (text != nullptr && std::string(text).find("still waiting for") != std::string::npos) {
            static_cast<Postgresql*>(self)->looked_ = true;
        }
    }

    PGconn* session_;
    Answer answer_;
    bool looked_ = false;
};

}  // namespace

std::unique_ptr<Connection> connect_postgresql(const std::string& socket_directory,
                                               const std::string& database) {
    return std::make_unique<Postgresql>(socket_directory, database);
}

std::vector<std::uint64_t> waiting_on_postgresql(Connection& monitor,
                                                 const std::vector<std::uint64_t>& sessions) {
    std::string list;
    for (const std::uint64_t session : sessions) {
        list += (list.empty() ? "" : ",") + std::to_string(session);
    }
    // A request that was granted is no wait any more, even when its backend has not woken up.
    const Answer answer = monitor.require(
        "SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pid IN (" + list + ")");
    std::vector<std::uint64_t> waiting;
    for (const auto& row : answer.rows) {
        waiting.push_back(std::stoull(row.front()));
    }
    return waiting;
}

}  // namespace lockkeeper::databases
