// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/read_operations.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "validate/histories/models/pool.hpp"
#include "validate/histories/operation_values.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/owner_names.hpp"
#include "validate/histories/pool_waits.hpp"

namespace lockkeeper {
namespace {

struct Refusal {
    std::size_t record;
    std::string message;
    DatumPlace place = {};  // of what is wrong in the record, where that is known
    std::string unknown_word = {};
    std::vector<std::string> known_words = {};
};

// Goes from one record to the next, and keeps what it needs between them.
class OperationReader {
  public:
    OperationReader(const RecordedHistory& history, const SequentialModel& model)
        : history_(history),
          model_(model),
          tags_(model.choice()),
          names_(history, model.bare_value()) {
        if (looks_at_times()) {
            instants_ = instants_of(history);
        }
    }

    std::vector<KeyOperations> read() {
        for (std::size_t i = 0; i < history_.records.size(); ++i) {
            at_ = history_.as_written.empty() ? i : history_.as_written[i];
            const Record& record = history_.records[at_];
            if (looks_at_times()) {
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
                pairs_.push_back({invocation, kNeverCompleted, std::nullopt, false});
            }
        }
        return build();
    }

  private:
    using Pair = CallRecords;

    bool is_pool() const { return model_.choice().kind == ModelKind::kPool; }
    bool looks_at_times() const { return model_.knows_time() || model_.choice().judges_timeouts; }

    [[noreturn]] void refuse(std::size_t record, const std::string& message,
                             DatumPlace place = {}) const {
        throw Refusal{record, message, place, "", {}};
    }

    [[noreturn]] void refuse_operation(std::size_t record) const {
        const ModelDescription& model = description_of(model_.choice().kind);
        const std::string& word = history_.records[record].f;
        std::vector<std::string> known;
        for (const LockCode code : kAllCodes) {
            if (model_.knows(code)) {
                known.emplace_back(name_of(code));
            }
        }
        throw Refusal{record,
                      "\"" + word + "\" is no operation of " + std::string(model.name) + " (" +
                          std::string(model.operations) + ")",
                      history_.records[record].f_place, word, known};
    }

    void check_time(const Record& record) {
        if (history_.times.ticks_per_unit == 0) {
            refuse(at_,
                   "the model has times to live, and ISO times do not say in which unit: add "
                   "--time-unit ms (or ns, us, s)");
        }
        if (!record.time || *record.time < 0) {
            refuse(at_, "the model looks at times; \"time\" must be there and not below 0");
        }
        if (!history_.time_problem.empty()) {
            refuse(at_, "the model looks at times: " + history_.time_problem);
        }
    }

    // A process does one thing at a time; but it may end in the middle of it.
    void open(const Record& record) {
        std::vector<std::size_t>& invocations = open_[record.process];
        if (!invocations.empty() && record.f != name_of(LockCode::kExit)) {
            refuse(at_, "process " + record.process + " invokes again before the operation of " +
                            history_.place_of(invocations.back()) + " has ended");
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
            {invocation, is_open ? kNeverCompleted : at_, at_, record.type == HistoryType::kFail});
    }

    std::vector<KeyOperations> build() {
        std::sort(pairs_.begin(), pairs_.end(),
                  [](const Pair& left, const Pair& right) { return left.invoked < right.invoked; });
        for (const Pair& pair : pairs_) {
            // A cancel names another caller than its own.
            if (history_.records[pair.invoked].f != name_of(LockCode::kExit) &&
                !is_cancel(pair.invoked)) {
                names_.add(pair.invoked, pair.ended, pair.completed != kNeverCompleted);
            }
        }
        if (const auto late = is_pool() ? record_after_the_end(history_, pairs_) : std::nullopt) {
            refuse(late->record, late->message);
        }
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
                last_of_.emplace_back();
                acquirers_.emplace_back();
            }
            if (is_exit) {
                add_exit(pair, found->second);
            } else {
                OperationValues values = read_values(pair);
                if (is_cancel(pair.invoked)) {
                    if (!values.owner) {
                        refuse(pair.invoked, "a cancel says its \"client\": whose acquire it ends");
                    }
                } else {
                    if (values.owner) {
                        clients_[invoked.process].insert(*values.owner);
                    }
                    values.owner = names_.owner_of(pair.invoked);
                }
                add_pair(pair, found->second, values);
            }
        }
        for (KeyOperations& list : keys_) {
            if (is_pool()) {
                finish_pool(list, acquirers_[static_cast<std::size_t>(&list - keys_.data())]);
            } else if (!model_.knows_owners()) {
                count_exits(list);
            }
            mark_granted(list);
        }
        return std::move(keys_);
    }

    void finish_pool(KeyOperations& list, const std::set<std::uint32_t>& acquirers) const {
        if (const auto bad = first_without_connection(list)) {
            refuse(*bad, "does not say its \"connection\", and other calls do");
        }
        if (const auto problem = problem_of_ends(list, acquirers, keys_.size() == 1)) {
            refuse(problem->record, problem->message);
        }
        mark_lent_again(list);
        if (model_.choice().judges_refusals) {
            bind_cancels(list);
            add_openings(list);
        }
        sort_by_moment(list);
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
        if (history_.records[pair.invoked].f == name_of(LockCode::kAcquire)) {
            acquirers_[key].insert(found->second);
        }
        TimedOperation timed;
        if (read_pair(pair, values, found->second, timed)) {
            follow(process, key, timed);
            keys_[key].operations.push_back(timed);
        }
    }
    // A process does one thing after another, also where its records do not stand so.
    void follow(const std::string& process, std::size_t key, TimedOperation& timed) {
        if (history_.as_written.empty()) {
            return;
        }
        const std::vector<TimedOperation>& operations = keys_[key].operations;
        const auto [found, is_first] = last_of_[key].emplace(process, operations.size());
        if (is_first) {
            return;
        }
        const std::size_t before = std::exchange(found->second, operations.size());
        const std::size_t completed = operations[before].completed;
        if (completed != kNeverCompleted && completed > timed.invoked) {
            timed.after = before;
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
        values.invalid_token = model_.choice().invalid_token;
        values.ticks_per_unit = std::max<std::int64_t>(1, history_.times.ticks_per_unit);
        const Datum& called = history_.records[pair.invoked].value;
        const bool is_name = is_text_for_number(called, model_.bare_value());
        if (!is_name) {
            add(pair.invoked, called, values);
        }
        if (pair.completed != kNeverCompleted && !pair.has_failed) {
            const Datum& returned = history_.records[pair.completed].value;
            if (!is_name || returned != called) {
                add(pair.completed, returned, values);
            }
        }
        return values;
    }

    // False: nothing to judge.
    bool read_pair(const Pair& pair, const OperationValues& values, std::uint32_t owner,
                   TimedOperation& out) {
        const Record& invoked = history_.records[pair.invoked];
        const auto code = code_of(invoked.f);
        if (!code || !model_.knows(*code)) {
            refuse_operation(pair.invoked);
        }
        LockOperation& operation = out.operation;
        operation.code = *code;
        operation.owner = owner;
        out.owner = owner;
        const std::string problem = set_numbers(model_, tags_, values, operation);
        if (!problem.empty()) {
            refuse(pair.invoked, problem, invoked.value.place);
        }
        if (values.connection) {
            operation.number = static_cast<std::int64_t>(
                connections_.emplace(*values.connection, connections_.size()).first->second);
        }
        operation.is_refused = pair.has_failed;
        if (model_.knows_time()) {
            operation.earliest = instants_[pair.invoked].earliest;
            operation.latest =
                pair.completed == kNeverCompleted ? kForever : instants_[pair.completed].latest;
        }
        out.invoked = pair.invoked;
        out.completed = pair.completed;
        if (is_pool() && *code == LockCode::kAcquire && pair.ended) {
            const Wait wait{history_, instants_, *pair.ended, pair.has_failed, values.timeout};
            set_wait(wait, model_.choice(), out);
        }
        const bool is_judged = model_.choice().judges_refusals && *code == LockCode::kAcquire;
        return !operation.is_refused || is_judged;
    }

    bool is_cancel(std::size_t record) const {
        return is_pool() && history_.records[record].f == name_of(LockCode::kCancel);
    }

    void add(std::size_t record, const Datum& value, OperationValues& values) const {
        try {
            add_values(value, model_.bare_value(), values);
        } catch (const DatumProblem& problem) {
            refuse(record, problem.message, problem.place);
        }
    }

    const RecordedHistory& history_;
    const SequentialModel& model_;
    TagNames tags_;
    OwnerNames names_;
    std::vector<TimeRange> instants_;
    std::size_t at_ = 0;
    std::unordered_map<std::string, std::size_t> connections_;  // their numbers
    std::unordered_map<std::string, std::vector<std::size_t>> open_;
    std::vector<Pair> pairs_;
    std::vector<KeyOperations> keys_;
    std::vector<std::unordered_map<std::string, std::uint32_t>> owners_;  // by key
    std::vector<std::set<std::uint32_t>> acquirers_;                      // by key: their owners
    // By key: the last operation of each process.
    std::vector<std::unordered_map<std::string, std::size_t>> last_of_;
    std::unordered_map<std::string, std::set<std::string>> clients_;  // that a process has named
};

}  // namespace

KeyOperations without_refused(const KeyOperations& list) {
    KeyOperations kept{list.key, {}, list.owners};
    std::vector<std::size_t> places;  // in `kept`
    for (const TimedOperation& timed : list.operations) {
        places.push_back(kept.operations.size());
        if (timed.operation.is_refused) {
            continue;
        }
        TimedOperation& copy = kept.operations.emplace_back(timed);
        copy.completed = timed.answer();
        copy.answered = kNeverCompleted;
        std::size_t before = timed.after;
        while (before != kNeverCompleted && list.operations[before].operation.is_refused) {
            before = list.operations[before].after;
        }
        const bool is_needed =
            before != kNeverCompleted && list.operations[before].completed > timed.invoked;
        copy.after = is_needed ? places[before] : kNeverCompleted;
    }
    return kept;
}

std::variant<std::vector<KeyOperations>, HistoryError> read_operations(
    const RecordedHistory& history, const SequentialModel& model) {
    try {
        return OperationReader(history, model).read();
    } catch (const Refusal& refusal) {
        const Record& record = history.records[refusal.record];
        const std::string place = record.line > 0 ? "" : history.place_of(refusal.record) + ": ";
        const bool is_value = refusal.place.line > 0;
        return HistoryError{history.file,
                            is_value ? TextPlace{refusal.place.line, refusal.place.column}
                                     : TextPlace{record.line, record.column},
                            place + refusal.message, refusal.unknown_word, refusal.known_words};
    }
}

}  // namespace lockkeeper
