// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/connection.hpp"

#include <chrono>

namespace lockkeeper::databases {

const char* name_of(Failure failure) {
    constexpr const char* kNames[] = {"ok",
                                      "Deadlock",
                                      "LockTimeout",
                                      "StatementFailed",
                                      "InFailedTransaction",
                                      "SerializationFailure",
                                      "ConnectionLost"};
    return kNames[static_cast<std::size_t>(failure)];
}

std::string Answer::value() const {
    return rows.empty() || rows.front().empty() ? std::string() : rows.front().front();
}

Answer Connection::run(const std::string& sql, int seconds_max) {
    send(sql);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_max);
    do {
        if (auto answer = poll(100)) {
            return std::move(*answer);
        }
    } while (std::chrono::steady_clock::now() < end);
    throw DatabaseError("no answer within " + std::to_string(seconds_max) + " s to: " + sql);
}

Answer Connection::require(const std::string& sql) {
    Answer answer = run(sql);
    if (!answer.ok()) {
        throw DatabaseError("the server refuses \"" + sql + "\": " + answer.code + " " +
                            answer.message);
    }
    return answer;
}

}  // namespace lockkeeper::databases
