// SPDX-License-Identifier: Apache-2.0

// The operations of a judged history, in columns (reports/schema/history.schema.json: calls).
#include <algorithm>
#include <map>
#include <optional>

#include "reports/run_json.hpp"
#include "reports/texts.hpp"

namespace lockkeeper {
namespace {

// Adding to a list of this kind of JSON takes as long as the list is; to an array_t it does not.
using Json = nlohmann::ordered_json;

constexpr std::size_t kNeverDone = static_cast<std::size_t>(-1);

// Names in the order in which they first appear.
class Names {
  public:
    std::size_t number(const std::string& name) {
        const auto [at, is_new] = numbers_.try_emplace(name, list_.size());
        if (is_new) {
            list_.push_back(name);
        }
        return at->second;
    }
    [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

  private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> list_;
};

struct PairedCall {
    std::size_t call = 0;  // records
    std::size_t completion = kNeverDone;
};

// Each invocation with the next record of its process.
std::vector<PairedCall> operations_of(const RecordedHistory& history) {
    std::vector<PairedCall> operations;
    std::map<std::string, std::size_t> open;  // by process, in `operations`
    const auto take = [&](std::size_t position) {
        const Record& record = history.records[position];
        if (record.type == HistoryType::kInvoke) {
            open[record.process] = operations.size();
            operations.push_back({position, kNeverDone});
        } else if (const auto own = open.find(record.process); own != open.end()) {
            operations[own->second].completion = position;
            open.erase(own);
        }
    };
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        take(history.as_written.empty() ? i : history.as_written[i]);
    }
    std::sort(operations.begin(), operations.end(),
              [](const PairedCall& a, const PairedCall& b) { return a.call < b.call; });
    return operations;
}

// Instants of records: their times, counted from the first so that they are exact in a browser, or,
// where some record has none, their places in the order.
class Instants {
  public:
    explicit Instants(const RecordedHistory& history) : history_(history) {
        is_timed_ = history.time_problem.empty() && !history.records.empty();
        for (const Record& record : history.records) {
            is_timed_ = is_timed_ && record.time.has_value();
            first_ = is_timed_ ? std::min(first_.value_or(*record.time), *record.time) : first_;
        }
    }
    [[nodiscard]] std::int64_t at(std::size_t record) const {
        return is_timed_ ? *history_.records[record].time - *first_
                         : static_cast<std::int64_t>(record) + 1;
    }
    [[nodiscard]] std::string unit() const {
        if (!is_timed_) {
            return "records";
        }
        switch (history_.units_per_second) {
            case 1: return "s";
            case 1'000: return "ms";
            case 1'000'000: return "us";
            case 1'000'000'000: return "ns";
            default: return "units";
        }
    }

  private:
    const RecordedHistory& history_;
    bool is_timed_ = true;
    std::optional<std::int64_t> first_;
};

char letter_of(const RecordedHistory& history, const PairedCall& operation) {
    if (operation.completion == kNeverDone) {
        return '-';
    }
    switch (history.records[operation.completion].type) {
        case HistoryType::kOk: return 'o';
        case HistoryType::kFail: return 'f';
        case HistoryType::kInfo:
        case HistoryType::kInvoke: break;
    }
    return 'i';
}

Json value_of(const RecordedHistory& history, const PairedCall& operation) {
    for (const std::size_t position : {operation.completion, operation.call}) {
        if (position != kNeverDone && !history.records[position].value.is(Datum::Kind::kNil)) {
            return history.records[position].value.to_text();
        }
    }
    return nullptr;
}

Json error_of(const RecordedHistory& history, const PairedCall& operation) {
    return operation.completion == kNeverDone
               ? Json(nullptr)
               : or_null(history.records[operation.completion].error);
}

bool has_any(const Json::array_t& list) {
    return std::any_of(list.begin(), list.end(), [](const Json& one) { return !one.is_null(); });
}

}  // namespace

Json history_calls(const RecordedHistory& history) {
    Names processes;
    Names functions;
    Names keys;
    const Instants instants(history);
    Json::array_t process;
    Json::array_t f;
    Json::array_t key;
    Json::array_t call;
    Json::array_t end;
    Json::array_t record;
    Json::array_t value;
    Json::array_t error;
    std::string outcome;
    for (const PairedCall& operation : operations_of(history)) {
        const Record& called = history.records[operation.call];
        const bool ends = operation.completion != kNeverDone;
        process.push_back(processes.number(called.process));
        f.push_back(functions.number(called.f));
        key.push_back(keys.number(called.key));
        call.push_back(instants.at(operation.call));
        end.push_back(ends ? Json(instants.at(operation.completion)) : Json(nullptr));
        record.push_back(operation.call + 1);
        value.push_back(value_of(history, operation));
        error.push_back(error_of(history, operation));
        outcome += letter_of(history, operation);
    }
    Json json{{"unit", instants.unit()}};
    json["processes"] = processes.list();
    json["functions"] = functions.list();
    json["keys"] = keys.list();
    json["process"] = std::move(process);
    json["f"] = std::move(f);
    json["key"] = std::move(key);
    json["call"] = std::move(call);
    json["return"] = std::move(end);
    json["outcome"] = std::move(outcome);
    json["record"] = std::move(record);
    if (has_any(value)) {
        json["value"] = std::move(value);
    }
    if (has_any(error)) {
        json["error"] = std::move(error);
    }
    return json;
}

}  // namespace lockkeeper
