// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's csvlog, as it speaks about advisory locks: log_statement says that a session asks,
// log_duration and log_min_duration_statement that a statement was carried out, and how long it
// took, log_lock_waits who holds a lock and who waits for it. It never says what a try_ answered.
//
// The caller is the server's process, which the lock belongs to; a mapping with "caller":
// "application_name" takes the name that the client gave. Where one process serves several names,
// that is a remark: behind a pool, sessions are shared.
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "validate/logs/line_words.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kTimeColumn = 0;
constexpr std::size_t kProcessColumn = 3;
constexpr std::size_t kMessageColumn = 13;
constexpr std::size_t kDetailColumn = 14;
constexpr std::size_t kNameColumn = 22;  // since PostgreSQL 9.0

std::string behind(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    return at == std::string_view::npos ? "" : std::string(text.substr(at + words.size()));
}

std::string until(std::string_view text, std::string_view ends) {
    return std::string(text.substr(0, text.find_first_of(ends)));
}

class PostgresReader final : public LineReader {
  public:
    using LineReader::LineReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const std::vector<std::string> columns = columns_of(line);
        if (columns.size() <= kDetailColumn) {
            return std::nullopt;
        }
        // "2026-11-29 23:41:51.759 UTC"
        const auto time = read_log_time(columns[kTimeColumn].substr(0, 23));
        if (!time) {
            return std::nullopt;
        }
        ReadLine read = at(*time);
        const std::string& process = columns[kProcessColumn];
        const std::string name = columns.size() > kNameColumn ? columns[kNameColumn] : "";
        read.source = "process " + process;
        names_[process] = caller_of(process, name);
        read.seen.caller = names_[process];
        const std::string& message = columns[kMessageColumn];
        const bool is_read = message.starts_with("process ")
                                 ? read_wait(message, columns[kDetailColumn], read)
                                 : read_statement(message, process, read);
        if (!is_read) {
            return std::nullopt;
        }
        if (!name.empty() && served_[process].insert(name).second && served_[process].size() > 1) {
            remark_ = "process " + process + " of the server has served";
            for (const std::string& one : served_[process]) {
                remark_ += (one == *served_[process].begin() ? " " : " and ") + one;
            }
            remark_ +=
                ": to the server they are one session, and a session may take its lock again";
        }
        return read;
    }
    const char* expects() const override {
        return R"csv(2026-03-01 12:00:00.123 UTC,"u","d",7,...,"statement: SELECT pg_advisory_lock(1)")csv";
    }
    std::string remark() const override { return remark_; }

  private:
    static std::vector<std::string> columns_of(std::string_view line) {
        constexpr std::size_t kColumnsMax = 32;
        std::vector<std::string> columns(1);
        bool is_quoted = false;
        for (const char letter : line) {
            if (letter == '"') {  // a doubled one ends the text and begins it again
                is_quoted = !is_quoted;
            } else if (letter == ',' && !is_quoted && columns.size() < kColumnsMax) {
                columns.emplace_back();
            } else {
                columns.back() += letter;
            }
        }
        return columns;
    }

    std::string caller_of(const std::string& process, const std::string& name) const {
        const bool is_by_name =
            !mapping().caller.empty() && mapping().caller.front() == "application_name";
        return is_by_name && !name.empty() ? name : process;
    }

    // "duration: 0.141 ms  statement: SELECT pg_try_advisory_lock(42)"
    bool read_statement(const std::string& message, const std::string& process, ReadLine& read) {
        std::string statement = behind(message, "statement: ");
        if (statement.empty()) {
            statement = behind(behind(message, "execute "), ": ");
        }
        if (statement.empty()) {
            return false;
        }
        const bool is_done = message.starts_with("duration: ");
        Observation& seen = read.seen;
        const bool is_end = statement.starts_with("COMMIT") || statement.starts_with("ROLLBACK") ||
                            statement.starts_with("END");
        if (is_end) {
            seen.key = in_transaction_[process];
            in_transaction_.erase(process);
            seen.code = LockCode::kRelease;
        } else if (!read_function(statement, process, seen)) {
            return false;
        }
        if (seen.key.empty()) {
            return false;
        }
        const bool can_fail = statement.find("try_") != std::string::npos || is_end ||
                              seen.code == LockCode::kRelease;
        seen.seen = !is_done ? Seen::kCall : can_fail ? Seen::kServed : Seen::kAnswer;
        if (is_done) {
            const double milliseconds = std::strtod(message.c_str() + 10, nullptr);
            constexpr double kDayMs = 86'400'000;
            if (!(milliseconds >= 0 && milliseconds < kDayMs)) {
                return false;
            }
            seen.earliest -= static_cast<std::int64_t>(std::ceil(milliseconds * 1e6));
        }
        return true;
    }

    bool read_function(const std::string& statement, const std::string& process,
                       Observation& seen) {
        const std::string call = behind(statement, "advisory_");
        if (call.starts_with("unlock(")) {
            seen.code = LockCode::kRelease;
        } else if (!call.starts_with("lock(") && !call.starts_with("xact_lock(")) {
            return false;  // shared ones, and all at once
        }
        seen.key = until(behind(call, "("), ")");
        if (call.starts_with("xact_")) {
            in_transaction_[process] = seen.key;
        }
        return true;
    }

    // "process 8 still waiting for ExclusiveLock on advisory lock [5,0,42,1] after 200.123 ms",
    // detail "Process holding the lock: 7. Wait queue: 8."
    bool read_wait(const std::string& message, const std::string& detail, ReadLine& read) {
        const std::string place = until(behind(message, "advisory lock ["), "]");
        const std::string third = behind(behind(place, ","), ",");
        if (place.empty() || third.empty()) {
            return false;
        }
        read.seen.key = until(third, ",");
        if (message.find(" acquired ") != std::string::npos) {
            return false;  // the end of its statement says so, too
        }
        const std::string holder = until(behind(detail, "holding the lock: "), ".");
        if (message.find("still waiting") == std::string::npos || holder.empty() ||
            holder.find(',') != std::string::npos) {
            return false;
        }
        read.seen.seen = Seen::kState;
        read.seen.caller = names_.contains(holder) ? names_[holder] : holder;
        return true;
    }

    std::map<std::string, std::string> names_;             // of callers, by process
    std::map<std::string, std::set<std::string>> served_;  // applications, by process
    std::map<std::string, std::string> in_transaction_;    // keys, by process
    std::string remark_;
};

}  // namespace

std::unique_ptr<LineReader> make_postgres_reader(const Mapping& mapping) {
    return std::make_unique<PostgresReader>(mapping);
}

}  // namespace lockkeeper::logs
