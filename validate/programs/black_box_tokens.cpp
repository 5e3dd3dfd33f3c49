// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "validate/programs/black_box_finding.hpp"
#include "validate/programs/message.hpp"

namespace lockkeeper {
namespace {

struct Granted {
    std::int64_t token = 0;
    std::size_t record = 0;
};

std::optional<std::int64_t> token_of(const Record& record) {
    const Datum* token = record.value.find("token");
    const bool is_grant = record.type == HistoryType::kOk && record.f == "acquire";
    return is_grant && token != nullptr && token->is(Datum::Kind::kInteger)
               ? std::optional(token->integer)
               : std::nullopt;
}

bool is_lost(const Record& record) {
    const std::string code = std::to_string(kErrorNotHeld) + " ";
    return record.type == HistoryType::kFail && record.error.compare(0, code.size(), code) == 0;
}

// How many grants of a key each process has not released. A re-entrant lock answers its holder the
// token of the hold again.
class Holds {
  public:
    void take(const Record& record) {
        if (record.f == "exit") {
            std::erase_if(depths_,
                          [&](const auto& entry) { return entry.first.first == record.process; });
            return;
        }
        int& depth = depths_[{record.process, record.key}];
        if (record.f != "acquire" && is_lost(record)) {
            depth = std::max(depth - 1, 0);
        } else if (record.type == HistoryType::kOk || record.type == HistoryType::kInfo) {
            depth += record.f == "acquire" ? 1 : record.f == "release" ? -1 : 0;
            depth = std::max(depth, 0);
        }
    }
    [[nodiscard]] bool has(const Record& record) const {
        const auto found = depths_.find({record.process, record.key});
        return found != depths_.end() && found->second > 0;
    }

  private:
    std::map<std::pair<std::string, std::string>, int> depths_;
};

BlackBoxFinding fault(const RecordedHistory& history, const Property& property,
                      const Granted& earlier, const Granted& later) {
    const auto who = [&](const Granted& granted) {
        return history.records[granted.record].process + " (record " +
               std::to_string(granted.record + 1) + ")";
    };
    const char* how = later.token == earlier.token ? ", the same as that of " : ", after that of ";
    std::string reason = "key " + history.records[later.record].key + ": the grant of ";
    reason += who(later) + " has token " + std::to_string(later.token) + how + who(earlier);
    if (later.token != earlier.token) {
        reason += ", which has token " + std::to_string(earlier.token);
    }
    return finding_of(property, std::move(reason), {earlier.record, later.record});
}

}  // namespace

bool has_tokens(const RecordedHistory& history) {
    return std::any_of(history.records.begin(), history.records.end(),
                       [](const Record& record) { return token_of(record).has_value(); });
}

std::optional<BlackBoxFinding> find_token_fault(const RecordedHistory& history,
                                                const Property& property) {
    std::map<std::string, std::map<std::int64_t, std::size_t>> grants;  // of each key, by token
    std::map<std::string, std::optional<Granted>> before;  // the largest when a process called
    Holds holds;
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        const Record& record = history.records[i];
        const bool holds_already = holds.has(record);
        holds.take(record);
        auto& of_key = grants[record.key];
        if (record.type == HistoryType::kInvoke && record.f == "acquire") {
            before[record.process] =
                of_key.empty()
                    ? std::nullopt
                    : std::optional(Granted{of_key.rbegin()->first, of_key.rbegin()->second});
        }
        const auto token = token_of(record);
        if (!token) {
            continue;
        }
        const Granted later{*token, i};
        if (const auto same = of_key.find(*token); same != of_key.end()) {
            if (holds_already && history.records[same->second].process == record.process &&
                std::next(same) == of_key.end()) {
                continue;
            }
            return fault(history, property, {same->first, same->second}, later);
        }
        if (const auto& largest = before[record.process]; largest && largest->token > *token) {
            return fault(history, property, *largest, later);
        }
        of_key.emplace(*token, i);
    }
    return std::nullopt;
}

}  // namespace lockkeeper
