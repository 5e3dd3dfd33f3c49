// SPDX-License-Identifier: Apache-2.0

// Lines of PostgreSQL's csvlog, and what is read of them. Used by postgres_reader_test.cpp and
// postgres_errors_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "validate/logs/answered_test.hpp"

namespace lockkeeper::logs {

struct Csv {
    int process = 7;
    const char* time = "12:00:00.100";
    std::string message;
    const char* transaction = "3/1";
    const char* detail = "";
    const char* severity = "LOG";
    const char* zone = "UTC";
    const char* database = "d";
};

inline std::string line_of(const Csv& csv) {
    return fmt::format(
        "2026-03-01 {} {},\"u\",\"{}\",{},\"h:1\",s,2,\"SELECT\",2026-03-01 11:00:00 UTC,{},0,{},"
        "00000,\"{}\",\"{}\",,,,,,,,\"app\",\"client backend\",,0\n",
        csv.time, csv.zone, csv.database, csv.process, csv.transaction, csv.severity, csv.message,
        csv.detail);
}

inline ReadLogs read_csv(const std::vector<std::string>& texts) {
    return read_texts(texts, ".csv");
}

// "7 served acquire of 42; ", of every line.
inline std::string told_by(const std::string& text) {
    constexpr const char* kSeen[] = {"call", "served", "answer", "state", "effect"};
    std::string out;
    for (const Source& source : read_csv({text}).logs.sources) {
        for (const Observation& seen : source.observations) {
            out += fmt::format("{} {} {} of {}; ", seen.caller,
                               kSeen[static_cast<std::size_t>(seen.seen)], name_of(seen.code),
                               seen.key);
        }
    }
    return out;
}

inline std::string refused(const std::vector<std::string>& texts) {
    return refusal_of_texts(texts, ".csv");
}

inline Answer answered(const std::string& text, const char* model_name = "owner-aware-mutex",
                       std::optional<std::uint32_t> lost_max = 0) {
    return answer_to(read_csv({text}).logs, model_name, lost_max);
}

inline std::string done(const std::string& statement) {
    return "duration: 0.5 ms  statement: " + statement;
}

}  // namespace lockkeeper::logs
