// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's csvlog, as it speaks about advisory locks: log_statement says that a session asks,
// log_duration and log_min_duration_statement that a statement was carried out, and how long it
// took, log_lock_waits who holds a lock and who waits for it. It never says what a try_ answered.
//
// A lock of a transaction is given back at its end: COMMIT and its like, an error outside of
// savepoints, or a line of the session with another virtual transaction. An error or ROLLBACK TO
// gives back what was taken behind a savepoint. A lock of a session is given back by unlock,
// unlock_all, DISCARD ALL, or the end of the session. A database has locks of its own.
//
// Left out are locks that no model explains: taken shared, kept by a prepared transaction, or given
// back or not by a statement that does not say so. A statement that does not say its lock may be
// about any of them.
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
#include "validate/logs/csvlog_columns.hpp"
#include "validate/logs/line_words.hpp"
#include "validate/logs/session_locks.hpp"

namespace lockkeeper::logs {
namespace {

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
        PostgresSession& session = sessions_[process];
        session.name = caller_of(process, name);
        ReadLine read = at(*time);
        read.seen.is_local = false;
        read.seen.full_key = " of database " + columns[kDatabaseColumn];  // behind each key
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
    std::set<std::string> lacks_keys() const override { return lacks_keys_; }
    bool gives_back_own() const override { return true; }
    std::string unknown_zone() const override { return zone_; }
    bool ends_unsaid() const override { return !says_ends_; }
    UnreadKeys unread_keys() const override { return unread_; }

  private:
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
        const std::vector<std::string>& fields = mapping().caller;
        const bool is_by_name =
            std::find(fields.begin(), fields.end(), "application_name") != fields.end();
        return is_by_name && !name.empty() ? name : process;
    }

    void remark_names(const std::string& process, const std::string& name,
                      PostgresSession& session) {
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
        read.seen.full_key = key + read.seen.full_key;
        all.push_back(std::move(read));
    }

    static void say(const SessionLocks::Keys& keys, Seen seen, const ReadLine& read,
                    std::vector<ReadLine>& all) {
        for (const std::string& key : keys) {
            add(read, seen, LockCode::kRelease, key, all);
        }
    }
    // No statement says so.
    void give_back(const SessionLocks::Keys& keys, const ReadLine& read,
                   std::vector<ReadLine>& all) const {
        for (const std::string& key : keys) {
            if (logs_calls_) {
                add(read, Seen::kCall, LockCode::kRelease, key, all);
            }
            add(read, Seen::kServed, LockCode::kRelease, key, all);
        }
    }

    void leave_out(const SessionLocks::Keys& keys, const ReadLine& read, const char* why) {
        for (const std::string& key : keys) {
            unread_[{key, key + read.seen.full_key}] = why;
        }
    }
    void lack_key(const ReadLine& read, const char* why) {
        lacks_keys_.insert(read.seen.full_key);
        remark_ = why;
    }

    // It was over before this line.
    void end_of_other_transaction(const std::vector<std::string>& columns, PostgresSession& session,
                                  const ReadLine& read, std::vector<ReadLine>& all) const {
        const std::string& transaction = columns[kTransactionColumn];
        const bool is_none = transaction.ends_with("/0");
        const bool is_other = !session.transaction.empty() && !is_none &&
                              transaction.find('/') != std::string::npos &&
                              transaction != session.transaction;
        if (is_other) {
            ReadLine before = read;
            before.seen.earliest = session.last;
            give_back(session.locks.end_from(SessionLocks::kTransaction), before, all);
        }
        session.transaction = is_none ? session.transaction : transaction;
    }

    // The end of the session, or an error that ends its transaction. False: neither.
    bool read_end(const std::vector<std::string>& columns, PostgresSession& session,
                  const ReadLine& read, std::vector<ReadLine>& all) {
        const std::string& severity = columns[kSeverityColumn];
        const bool is_said = columns[kMessageColumn].starts_with("disconnection: ");
        says_ends_ = says_ends_ || is_said;
        const bool is_over = severity == "FATAL" || is_said;
        if (!is_over && severity != "ERROR") {
            return false;
        }
        ReadLine after = read;  // the line is written before the locks are given back
        constexpr std::int64_t kGivesBackMax = 1'000'000'000;
        after.seen.latest += kGivesBackMax;
        if (session.asked && !is_over && is_of(columns, *session.asked)) {  // it has taken nothing
            SessionLocks::Keys taken = session.take_back();
            session.failed.insert(session.failed.end(), taken.begin(), taken.end());
        }
        session.asked.reset();
        give_back(
            is_over ? session.locks.end_from(SessionLocks::kSession) : session.locks.end_last(),
            after, all);
        return true;
    }

    // An error in the statement that the session has asked last, and not in one that is not logged.
    static bool is_of(const std::vector<std::string>& columns,
                      const PostgresSession::Asked& asked) {
        const std::string query = columns.size() > kQueryColumn ? columns[kQueryColumn] : "";
        constexpr const char* kSyntaxError = "42601";  // such statements are not logged before it
        const std::string& transaction = columns[kTransactionColumn];
        const bool is_other_transaction = !transaction.ends_with("/0") &&
                                          !asked.transaction.ends_with("/0") &&
                                          transaction != asked.transaction;
        return !asked.is_carried_out && !is_other_transaction &&
               (query.empty() ? columns[kCodeColumn] != kSyntaxError : query == asked.text);
    }

    static bool only_takes(const std::string& text, const std::string& parameters) {
        const std::vector<std::string> statements = statements_of(text);
        return std::all_of(statements.begin(), statements.end(), [&](const std::string& statement) {
            const std::vector<AdvisoryCall> calls = advisory_calls(statement, parameters);
            return transaction_step(statement).word == TransactionWord::kNone &&
                   std::all_of(calls.begin(), calls.end(), [](const AdvisoryCall& call) {
                       return call.code == LockCode::kAcquire;
                   });
        });
    }

    void read_statement(const std::vector<std::string>& columns, PostgresSession& session,
                        ReadLine read, std::vector<ReadLine>& all) {
        const std::string& message = columns[kMessageColumn];
        const bool is_done = message.starts_with("duration: ");
        std::string text = statement_of(message);
        std::string parameters = columns[kDetailColumn];
        if (is_done) {
            const double milliseconds = std::strtod(message.c_str() + 10, nullptr);
            constexpr double kDayMs = 86'400'000;
            if (!(milliseconds >= 0 && milliseconds < kDayMs)) {
                return;
            }
            read.seen.earliest -= static_cast<std::int64_t>(std::ceil(milliseconds * 1e6));
            // Without its statement the line ends the one that a line before has.
            if (message.ends_with(" ms") && session.asked) {
                text = session.asked->text;
                parameters = session.asked->parameters;
                static_cast<void>(session.take_back());
            }
            session.asked.reset();
        } else if (!text.empty()) {
            session.asked = {
                text, parameters, columns[kTransactionColumn], session.locks.mark(),
                only_takes(text, parameters) ? std::nullopt : std::optional(session.locks)};
            logs_calls_ = true;
        }
        for (const std::string& statement : statements_of(text)) {
            read_step(transaction_step(statement), session, is_done, read, all);
            for (const AdvisoryCall& call : advisory_calls(statement, parameters)) {
                read_call(call, session, is_done, read, all);
            }
        }
        if (is_done && columns[kTransactionColumn].ends_with("/0")) {  // it was a transaction
            give_back(session.locks.end_from(SessionLocks::kTransaction), read, all);
        }
    }

    void read_step(const TransactionStep& step, PostgresSession& session, bool is_done,
                   const ReadLine& read, std::vector<ReadLine>& all) {
        SessionLocks& locks = session.locks;
        const Seen seen = is_done ? Seen::kServed : Seen::kCall;
        const std::optional<std::size_t> level = locks.level_of(step.name);
        switch (step.word) {
            case TransactionWord::kNone: return;
            case TransactionWord::kSavepoint: locks.save(step.name); return;
            case TransactionWord::kReleaseSavepoint:
                if (level) {
                    locks.join(*level);
                }
                return;
            case TransactionWord::kPrepare:
                prepared_.insert(step.name);
                leave_out(locks.end_from(SessionLocks::kTransaction), read,
                          "a prepared transaction keeps it, which no model explains");
                return;
            case TransactionWord::kEndPrepared:
                if (!prepared_.contains(step.name)) {
                    lack_key(read, "a prepared transaction ends whose locks the log does not have");
                }
                return;
            case TransactionWord::kRollbackTo:
                if (!level) {
                    leave_out(locks.end_from(SessionLocks::kTransaction), read,
                              "the log does not have the savepoint to which it rolls back");
                    return;
                }
                say(locks.end_from(*level), seen, read, all);
                return;
            case TransactionWord::kEnd:
                say(locks.end_from(SessionLocks::kTransaction), seen, read, all);
        }
    }

    void read_call(const AdvisoryCall& call, PostgresSession& session, bool is_done, ReadLine read,
                   std::vector<ReadLine>& all) {
        const Seen seen = is_done ? Seen::kServed : Seen::kCall;
        if (call.is_all) {
            session.failed.clear();
            say(session.locks.end_of_session(), seen, read, all);
            return;
        }
        if (call.key.empty()) {
            lack_key(read,
                     "the key of a lock is a parameter or a column that the log does not have");
            if (call.code == LockCode::kRelease) {
                leave_out(session.locks.of_session(), read,
                          "a session gives back a key that the log does not have");
            }
            return;
        }
        if (call.is_shared) {
            leave_out({call.key}, read, "it is also taken shared, which no model explains");
            return;
        }
        const bool is_release = call.code == LockCode::kRelease;
        if (is_release) {
            session.locks.give_back(call.key);
            std::erase(session.failed, call.key);
        } else {
            session.locks.take(call.key, call.is_of_transaction);
        }
        // Without try_ it waits until it has the lock.
        const bool is_write = is_done && !call.is_try && !is_release;
        read.seen.is_write = is_write;
        add(std::move(read), is_write ? Seen::kState : seen, call.code, call.key, all);
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
        if (known != sessions_.end()) {
            known->second.keep_what_is_held(key);
        }
        add(std::move(read), Seen::kState, LockCode::kAcquire, key, all);
    }
    static std::uint64_t number(const std::string& text) {
        return std::strtoull(text.c_str(), nullptr, 10);
    }

    std::map<std::string, PostgresSession> sessions_;  // by process
    bool logs_calls_ = false;                          // some line says that a session asks
    bool says_ends_ = false;                           // some line says that a session has ended
    std::set<std::string> prepared_;                   // names of transactions
    std::set<std::string> lacks_keys_;                 // ends of full keys: of which database
    UnreadKeys unread_;
    std::string zone_;  // of the times, where its offset is not known
    std::string remark_;
};

}  // namespace

std::unique_ptr<LineReader> make_postgres_reader(const Mapping& mapping) {
    return std::make_unique<PostgresReader>(mapping);
}

}  // namespace lockkeeper::logs
