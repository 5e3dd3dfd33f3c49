// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's csvlog, as it speaks about advisory locks: log_statement says that a session asks,
// log_duration and log_min_duration_statement that a statement was carried out, and how long it
// took, log_lock_waits who holds a lock and who waits for it. It never says what a try_ answered.
//
// A lock of a transaction is given back at its end: COMMIT and its like, an error outside of
// savepoints, or a line of the session with another virtual transaction. A lock of a session is
// given back by unlock, unlock_all, DISCARD ALL, or the end of the session.
//
// The caller is the server's process, which the lock belongs to; a mapping with "caller":
// "application_name" takes the name that the client gave. Where one process serves several names,
// that is a remark: behind a pool, sessions are shared.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "validate/logs/advisory_calls.hpp"
#include "validate/logs/line_words.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kTimeColumn = 0;
constexpr std::size_t kProcessColumn = 3;
constexpr std::size_t kTransactionColumn = 9;  // "3/12": of the session; "3/0": none
constexpr std::size_t kSeverityColumn = 11;
constexpr std::size_t kMessageColumn = 13;
constexpr std::size_t kDetailColumn = 14;
constexpr std::size_t kNameColumn = 22;  // since PostgreSQL 9.0

constexpr std::size_t kTimeBytes = 23;  // "2026-11-29 23:41:51.759", and behind it the zone

std::string behind(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    return at == std::string_view::npos ? "" : std::string(text.substr(at + words.size()));
}

std::string until(std::string_view text, std::string_view ends) {
    return std::string(text.substr(0, text.find_first_of(ends)));
}

// "statement: SELECT 1", "duration: 0.1 ms  execute <unnamed>: SELECT 1"
std::string statement_of(const std::string& message) {
    std::string statement = behind(message, "statement: ");
    return statement.empty() ? behind(behind(message, "execute "), ": ") : statement;
}

// The session of one process of the server.
struct Session {
    std::string name;              // of the caller
    std::set<std::string> served;  // applications
    std::string asked;             // the statement that a line without it says the end of
    std::string parameters;        // of that
    std::multiset<std::string> keys;
    std::set<std::string> keys_of_transaction;
    std::string transaction;
    bool has_savepoint = false;
    std::int64_t last = 0;  // its last line
};

class PostgresReader final : public LineReader {
  public:
    using LineReader::LineReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const std::vector<std::string> columns = columns_of(line);
        const auto time = columns.size() <= kDetailColumn ? std::nullopt : time_of(columns);
        if (!time) {
            return std::nullopt;
        }
        const std::string& process = columns[kProcessColumn];
        const std::string name = columns.size() > kNameColumn ? columns[kNameColumn] : "";
        Session& session = sessions_[process];
        session.name = caller_of(process, name);
        ReadLine read = at(*time);
        read.seen.is_local = false;
        read.source = "process " + process;
        read.seen.caller = session.name;
        std::vector<ReadLine> all;
        end_of_other_transaction(columns, session, read, all);
        const std::string& message = columns[kMessageColumn];
        if (message.starts_with("process ")) {
            read_wait(message, columns[kDetailColumn], read, all);
        } else if (!read_end(columns, session, read, all)) {
            read_statement(columns, session, read, all);
        }
        session.last = time->earliest;
        if (all.empty()) {
            return std::nullopt;
        }
        remark_names(process, name, session);
        ReadLine first = std::move(all.front());
        first.more.assign(std::make_move_iterator(all.begin() + 1),
                          std::make_move_iterator(all.end()));
        return first;
    }
    bool has_one_clock() const override { return true; }
    bool opens(std::string_view line) const override {
        return std::count(line.begin(), line.end(), '"') % 2 != 0;
    }
    bool begins(std::string_view line) const override {
        return line.size() > kTimeBytes && read_log_time(line.substr(0, kTimeBytes));
    }
    const char* expects() const override {
        return R"csv(2026-03-01 12:00:00.123 UTC,"u","d",7,...,"statement: SELECT pg_advisory_lock(1)")csv";
    }
    std::string remark() const override { return remark_; }
    std::string unknown_zone() const override { return zone_; }
    std::set<std::string> unread_keys() const override { return shared_; }

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

    // "2026-11-29 23:41:51.759 UTC", or "+02"
    std::optional<LogTime> time_of(const std::vector<std::string>& columns) {
        const std::string& text = columns[kTimeColumn];
        const std::string zone = text.size() > kTimeBytes ? text.substr(kTimeBytes + 1) : "";
        const bool is_offset = zone.starts_with("+") || zone.starts_with("-");
        if (!zone.empty() && !is_offset && zone != "UTC" && zone != "GMT" && zone != "Z") {
            zone_ = zone;
        }
        return read_log_time(text.substr(0, kTimeBytes) + (is_offset ? zone : ""));
    }

    std::string caller_of(const std::string& process, const std::string& name) const {
        const bool is_by_name =
            !mapping().caller.empty() && mapping().caller.front() == "application_name";
        return is_by_name && !name.empty() ? name : process;
    }

    void remark_names(const std::string& process, const std::string& name, Session& session) {
        if (name.empty() || !session.served.insert(name).second || session.served.size() < 2) {
            return;
        }
        remark_ = "process " + process + " of the server has served";
        for (const std::string& one : session.served) {
            remark_ += (one == *session.served.begin() ? " " : " and ") + one;
        }
        remark_ += ": to the server they are one session, and a session may take its lock again";
    }

    static void add(ReadLine read, Seen seen, LockCode code, const std::string& key,
                    std::vector<ReadLine>& all) {
        read.seen.seen = seen;
        read.seen.code = code;
        read.seen.key = key;
        all.push_back(std::move(read));
    }

    // It gives the lock back without a statement that says so.
    void give_back(const std::string& key, const ReadLine& read, std::vector<ReadLine>& all) const {
        if (logs_calls_) {
            add(read, Seen::kCall, LockCode::kRelease, key, all);
        }
        add(read, Seen::kServed, LockCode::kRelease, key, all);
    }

    void end_transaction(Session& session, const ReadLine& read, std::vector<ReadLine>& all) const {
        for (const std::string& key : session.keys_of_transaction) {
            give_back(key, read, all);
        }
        session.keys_of_transaction.clear();
        session.has_savepoint = false;
    }

    // It was over before this line.
    void end_of_other_transaction(const std::vector<std::string>& columns, Session& session,
                                  const ReadLine& read, std::vector<ReadLine>& all) const {
        const std::string& transaction = columns[kTransactionColumn];
        const bool is_none = transaction.ends_with("/0");
        const bool is_other = !session.transaction.empty() && !is_none &&
                              transaction.find('/') != std::string::npos &&
                              transaction != session.transaction;
        if (is_other) {
            ReadLine before = read;
            before.seen.earliest = session.last;
            end_transaction(session, before, all);
        }
        session.transaction = is_none ? session.transaction : transaction;
    }

    // The end of the session, or an error that ends its transaction. False: neither.
    bool read_end(const std::vector<std::string>& columns, Session& session, const ReadLine& read,
                  std::vector<ReadLine>& all) const {
        const std::string& severity = columns[kSeverityColumn];
        const bool is_over =
            severity == "FATAL" || columns[kMessageColumn].starts_with("disconnection: ");
        const bool is_error = severity == "ERROR" && !session.has_savepoint;
        if (!is_over && !is_error) {
            return severity == "ERROR";
        }
        ReadLine after = read;  // the line is written before the locks are given back
        constexpr std::int64_t kGivesBackMax = 1'000'000'000;
        after.seen.latest += kGivesBackMax;
        end_transaction(session, after, all);
        session.asked = "";
        if (is_over) {
            for (const std::string& key : session.keys) {
                give_back(key, after, all);
            }
            session.keys.clear();
        }
        return true;
    }

    void read_statement(const std::vector<std::string>& columns, Session& session, ReadLine read,
                        std::vector<ReadLine>& all) {
        const std::string& message = columns[kMessageColumn];
        const bool is_done = message.starts_with("duration: ");
        std::string statement = statement_of(message);
        std::string parameters = columns[kDetailColumn];
        if (is_done) {
            const double milliseconds = std::strtod(message.c_str() + 10, nullptr);
            constexpr double kDayMs = 86'400'000;
            if (!(milliseconds >= 0 && milliseconds < kDayMs)) {
                return;
            }
            const auto took = static_cast<std::int64_t>(std::ceil(milliseconds * 1e6));
            // Without its statement the line ends the one that a line before has.
            if (message.ends_with(" ms")) {
                statement = session.asked;
                parameters = session.parameters;
            }
            read.seen.earliest -= took;
            session.asked = "";
        } else {
            session.asked = statement;
            session.parameters = parameters;
        }
        if (statement.empty()) {
            return;
        }
        logs_calls_ = logs_calls_ || !is_done;
        const TransactionWord word = transaction_word(statement);
        session.has_savepoint = session.has_savepoint || word == TransactionWord::kSavepoint;
        if (word == TransactionWord::kEnd) {
            for (const std::string& key : session.keys_of_transaction) {
                add(read, is_done ? Seen::kServed : Seen::kCall, LockCode::kRelease, key, all);
            }
        }
        if (word == TransactionWord::kEnd && is_done) {
            session.keys_of_transaction.clear();
            session.has_savepoint = false;
        }
        for (const AdvisoryCall& call : advisory_calls(statement, parameters)) {
            read_call(call, session, is_done, read, all);
        }
        if (is_done && columns[kTransactionColumn].ends_with("/0")) {
            end_transaction(session, read, all);  // the statement was a transaction
        }
    }

    void read_call(const AdvisoryCall& call, Session& session, bool is_done, ReadLine read,
                   std::vector<ReadLine>& all) {
        if (call.is_all) {
            const std::multiset<std::string> keys =
                is_done ? std::move(session.keys) : session.keys;
            for (const std::string& key : keys) {
                add(read, is_done ? Seen::kServed : Seen::kCall, call.code, key, all);
            }
            session.keys = is_done ? std::multiset<std::string>() : keys;
            return;
        }
        if (call.key.empty()) {
            remark_ = "the key of a lock is a parameter that the log does not have";
            return;
        }
        if (call.is_shared) {
            shared_.insert(call.key);
            return;
        }
        const bool is_release = call.code == LockCode::kRelease;
        if (is_done && is_release) {
            const auto one = session.keys.find(call.key);
            if (one != session.keys.end()) {
                session.keys.erase(one);
            }
        } else if (call.is_of_transaction) {
            session.keys_of_transaction.insert(call.key);
        } else if (!is_release && is_done) {
            session.keys.insert(call.key);
        }
        // Without try_ it waits until it has the lock.
        read.seen.is_write = is_done && !call.is_try && !is_release;
        const Seen seen = !is_done             ? Seen::kCall
                          : read.seen.is_write ? Seen::kState
                                               : Seen::kServed;
        add(std::move(read), seen, call.code, call.key, all);
    }

    // "process 8 still waiting for ExclusiveLock on advisory lock [5,0,42,1] after 200.123 ms",
    // detail "Process holding the lock: 7. Wait queue: 8.": the key's upper and lower half and 1,
    // or two keys and 2.
    void read_wait(const std::string& message, const std::string& detail, ReadLine read,
                   std::vector<ReadLine>& all) {
        const std::string place = until(behind(message, "advisory lock ["), "]");
        const std::string first = behind(place, ",");
        const std::string second = behind(first, ",");
        if (second.empty() || message.find("still waiting") == std::string::npos) {
            return;  // the end of its statement says that it has acquired
        }
        const std::string holder = until(behind(detail, "holding the lock: "), ".");
        if (holder.empty() || holder.find(',') != std::string::npos) {
            return;
        }
        const std::string key =
            second.ends_with(",2")
                ? until(first, ",") + "," + until(second, ",")
                : fmt::format("{}",
                              static_cast<std::int64_t>(number(first) << 32U | number(second)));
        const auto known = sessions_.find(holder);
        read.seen.caller = known == sessions_.end() ? holder : known->second.name;
        add(std::move(read), Seen::kState, LockCode::kAcquire, key, all);
    }
    static std::uint64_t number(const std::string& text) {
        return std::strtoull(text.c_str(), nullptr, 10);
    }

    std::map<std::string, Session> sessions_;  // by process
    bool logs_calls_ = false;                  // some line says that a session asks
    std::set<std::string> shared_;             // keys of locks that are also taken shared
    std::string zone_;                         // of the times, where its offset is not known
    std::string remark_;
};

}  // namespace

std::unique_ptr<LineReader> make_postgres_reader(const Mapping& mapping) {
    return std::make_unique<PostgresReader>(mapping);
}

}  // namespace lockkeeper::logs
