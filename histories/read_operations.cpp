#include "histories/read_operations.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "histories/operation_values.hpp"
#include "histories/tag_names.hpp"

namespace lockkeeper {
namespace {

struct Refusal {
    std::size_t record;
    std::string message;
};

// What is needed to go from one record to the next.
class OperationReader {
  public:
    OperationReader(const RecordedHistory& history, const SequentialModel& model)
        : history_(history), model_(model), tags_(model.choice()) {}

    std::vector<KeyOperations> read() {
        for (at_ = 0; at_ < history_.records.size(); ++at_) {
            const Record& record = history_.records[at_];
            if (model_.knows_time()) {
                check_time(record);
            }
            if (record.type == HistoryType::kInvoke) {
                open(record);
            } else {
                pair(record);
            }
        }
        for (auto& [process, invocations] : open_) {
            for (const std::size_t invocation : invocations) {
                pairs_.push_back({invocation, kNeverCompleted, false});
            }
        }
        return build();
    }

  private:
    struct Pair {
        std::size_t invoked;
        std::size_t completed;
        bool has_failed;
    };

    [[noreturn]] void refuse(std::size_t record, const std::string& message) const {
        throw Refusal{record, message};
    }

    void check_time(const Record& record) {
        if (!record.time || *record.time < 0) {
            refuse(at_, "the model looks at times; \"time\" must be there and not below 0");
        }
        if (*record.time < last_time_) {
            refuse(at_, "time goes back, from " + std::to_string(last_time_) + " to " +
                            std::to_string(*record.time));
        }
        last_time_ = *record.time;
    }

    // A process does one thing at a time; but it may end in the middle of it.
    void open(const Record& record) {
        std::vector<std::size_t>& invocations = open_[record.process];
        if (!invocations.empty() && record.f != name_of(LockCode::kExit)) {
            const std::size_t before = invocations.back();
            const std::uint32_t line = history_.records[before].line;
            refuse(at_, "process " + record.process + " invokes again before the operation of " +
                            (line > 0 ? "line " + std::to_string(line)
                                      : "record " + std::to_string(before + 1)) +
                            " has ended");
        }
        invocations.push_back(at_);
    }

    // The completion belongs to the process' newest open invocation; one that ended with info has
    // been taken off.
    void pair(const Record& record) {
        std::vector<std::size_t>& invocations = open_[record.process];
        if (invocations.empty()) {
            refuse(at_, std::string(name_of(record.type)) + " of process " + record.process +
                            ", which has invoked nothing");
        }
        const std::size_t invocation = invocations.back();
        const Record& invoked = history_.records[invocation];
        if (invoked.f != record.f) {
            refuse(at_, "process " + record.process + " invoked " + invoked.f + ", and completes " +
                            record.f);
        }
        if (!record.key.empty() && record.key != invoked.key) {
            refuse(at_, "invoked on the key \"" + invoked.key + "\", completed on \"" + record.key +
                            "\"");
        }
        invocations.pop_back();
        const bool is_open = record.type == HistoryType::kInfo;
        pairs_.push_back(
            {invocation, is_open ? kNeverCompleted : at_, record.type == HistoryType::kFail});
    }

    std::vector<KeyOperations> build() {
        std::sort(pairs_.begin(), pairs_.end(),
                  [](const Pair& left, const Pair& right) { return left.invoked < right.invoked; });
        std::unordered_map<std::string, std::size_t> key_numbers;
        for (const Pair& pair : pairs_) {
            const Record& invoked = history_.records[pair.invoked];
            const bool is_exit = invoked.f == name_of(LockCode::kExit);
            if (is_exit && invoked.key.empty()) {
                for (std::size_t key = 0; key < keys_.size(); ++key) {
                    add_exit(pair, key);
                }
                continue;
            }
            const auto [found, is_new] = key_numbers.emplace(invoked.key, keys_.size());
            if (is_new) {
                keys_.push_back({invoked.key, {}, {}});
                owners_.emplace_back();
            }
            if (is_exit) {
                add_exit(pair, found->second);
            } else {
                const OperationValues values = read_values(pair);
                if (values.owner) {
                    clients_[invoked.process].insert(*values.owner);
                }
                add_pair(pair, found->second, values);
            }
        }
        for (KeyOperations& list : keys_) {
            count_exits(list);
        }
        return std::move(keys_);
    }

    void add_pair(const Pair& pair, std::size_t key, const OperationValues& values) {
        const std::string& process = history_.records[pair.invoked].process;
        const std::string& owner = values.owner ? *values.owner : process;
        auto& owners = owners_[key];
        const auto [found, is_new] =
            owners.emplace(owner, static_cast<std::uint32_t>(owners.size()));
        if (is_new) {
            keys_[key].owners.push_back(owner);
        }
        TimedOperation timed;
        if (read_pair(pair, values, found->second, timed)) {
            keys_[key].operations.push_back(timed);
        }
    }
    // Ends what the client holds that it names; without one, what the process holds and every
    // client that it has named. Who has not used the key holds nothing of it.
    void add_exit(const Pair& pair, std::size_t key) {
        OperationValues values = read_values(pair);
        const auto add_known = [&](const std::string& owner) {
            if (owners_[key].count(owner) > 0) {
                values.owner = owner;
                add_pair(pair, key, values);
            }
        };
        const std::string& process = history_.records[pair.invoked].process;
        if (values.owner) {
            add_known(std::string(*values.owner));
            return;
        }
        add_known(process);
        for (const std::string& client : clients_[process]) {
            if (client != process) {
                add_known(client);
            }
        }
    }

    OperationValues read_values(const Pair& pair) const {
        OperationValues values;
        add(pair.invoked, history_.records[pair.invoked].value, values);
        if (pair.completed != kNeverCompleted && !pair.has_failed) {
            add(pair.completed, history_.records[pair.completed].value, values);
        }
        return values;
    }

    // False: nothing to judge.
    bool read_pair(const Pair& pair, const OperationValues& values, std::uint32_t owner,
                   TimedOperation& out) const {
        const Record& invoked = history_.records[pair.invoked];
        const Record* completed =
            pair.completed == kNeverCompleted ? nullptr : &history_.records[pair.completed];
        const auto code = code_of(invoked.f);
        if (!code || !model_.knows(*code)) {
            const ModelDescription& model = description_of(model_.choice().kind);
            refuse(pair.invoked, "\"" + invoked.f + "\" is no operation of " +
                                     std::string(model.name) + " (" +
                                     std::string(model.operations) + ")");
        }
        LockOperation& operation = out.operation;
        operation.code = *code;
        operation.owner = owner;
        out.owner = owner;
        set_numbers(pair, values, operation);
        operation.is_refused = pair.has_failed;
        if (model_.knows_time()) {
            operation.earliest = *invoked.time;
            operation.latest = completed != nullptr ? *completed->time : kForever;
        }
        out.invoked = pair.invoked;
        out.completed = pair.completed;
        const bool is_judged = model_.choice().judges_refusals && *code == LockCode::kAcquire;
        return !pair.has_failed || is_judged;
    }

    void add(std::size_t record, const Datum& value, OperationValues& values) const {
        const std::string problem = add_values(value, model_.bare_value(), values);
        if (!problem.empty()) {
            refuse(record, problem);
        }
    }

    void set_numbers(const Pair& pair, const OperationValues& values,
                     LockOperation& operation) const {
        const ModelKind kind = model_.choice().kind;
        if (kind == ModelKind::kSemaphore) {
            operation.amount = values.permits.value_or(1);
        } else if (kind == ModelKind::kResizableSemaphore) {
            if (operation.code == LockCode::kAcquire) {
                if (!values.capacity) {
                    refuse(pair.invoked,
                           "an acquire says \"capacity\", or \"max_per\" and "
                           "\"buckets\"");
                }
                operation.number = *values.capacity;
            }
        } else if (kind == ModelKind::kReadWriteLock) {
            if (operation.code != LockCode::kExit) {
                operation.mode = mode_of(pair, values);
            }
        } else if (kind == ModelKind::kMultiLock) {
            if (operation.code != LockCode::kExit) {
                if (!values.tag) {
                    refuse(pair.invoked, "an acquire or release says its \"tag\"");
                }
                operation.mode = tags_.find(*values.tag).value_or(kOtherTag);
            }
        } else if (kind == ModelKind::kLease) {
            set_ttl(pair, values, operation);
        } else if (values.token) {
            operation.number = *values.token;
        }
    }

    void set_ttl(const Pair& pair, const OperationValues& values, LockOperation& operation) const {
        if (operation.code != LockCode::kAcquire && operation.code != LockCode::kRenew) {
            return;
        }
        if (values.ttl) {
            operation.number = *values.ttl;
        } else if (model_.choice().ttl == 0) {
            refuse(pair.invoked,
                   "neither the operation nor the model (lease:ttl=TIME) says \"ttl\"");
        }
    }

    std::uint8_t mode_of(const Pair& pair, const OperationValues& values) const {
        if (!values.mode || (*values.mode != "read" && *values.mode != "write")) {
            refuse(pair.invoked, "an acquire or release says its \"mode\", read or write");
        }
        return *values.mode == "write" ? 1 : 0;
    }

    // A model that only counts is told how much an exit can give back: what the process may have
    // acquired and has not begun to release. An acquire without a known end may have happened; a
    // release that may not have can be placed after the exit, too.
    void count_exits(KeyOperations& list) const {
        if (model_.knows_owners()) {
            return;
        }
        std::vector<std::int64_t> held(list.owners.size(), 0);
        for (TimedOperation& timed : list.operations) {
            LockOperation& operation = timed.operation;
            std::int64_t& own = held[operation.owner];
            if (operation.code == LockCode::kExit) {
                operation.amount = own;
                own = 0;
            } else if (operation.code == LockCode::kRelease) {
                own = std::max<std::int64_t>(0, own - operation.amount);
            } else if (operation.code == LockCode::kAcquire && !operation.is_refused) {
                own += operation.amount;
            }
            operation.owner = 0;
        }
    }

    const RecordedHistory& history_;
    const SequentialModel& model_;
    TagNames tags_;
    std::size_t at_ = 0;
    std::int64_t last_time_ = 0;
    std::unordered_map<std::string, std::vector<std::size_t>> open_;
    std::vector<Pair> pairs_;
    std::vector<KeyOperations> keys_;
    std::vector<std::unordered_map<std::string, std::uint32_t>> owners_;  // by key
    std::unordered_map<std::string, std::set<std::string>> clients_;  // that a process has named
};

}  // namespace

std::variant<std::vector<KeyOperations>, HistoryError> read_operations(
    const RecordedHistory& history, const SequentialModel& model) {
    try {
        return OperationReader(history, model).read();
    } catch (const Refusal& refusal) {
        const std::uint32_t line = history.records[refusal.record].line;
        const std::string place =
            line > 0 ? "" : "record " + std::to_string(refusal.record + 1) + ": ";
        return HistoryError{history.file, line, place + refusal.message};
    }
}

}  // namespace lockkeeper
