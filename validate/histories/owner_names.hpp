// SPDX-License-Identifier: Apache-2.0

// Finds who calls: the client that an operation's values name, and where they name none, the one
// that the rest of the history shows. Used by read_operations only.
//
//   1. the `client` (`owner`) of the return, or of the call
//   2. a text that is all of the call's value, where another record names a client so
//   3. the client that the process has named last, or the only one that it names later
//   4. such a text, where the model has a number there, the process always gives the same, and no
//      other process does unless the first has ended in a call without a known end; but not one
//      that some record calls a `uid`, of which Hazelcast's tests have one for all callers
//   5. the process
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "validate/histories/operation_values.hpp"

namespace lockkeeper {

class OwnerNames {
  public:
    // `bare`: what the model makes of a value that is no map.
    OwnerNames(const RecordedHistory& history, ValueMeaning bare)
        : history_(history),
          takes_texts_(bare != ValueMeaning::kTag && bare != ValueMeaning::kMode),
          trusts_texts_(takes_texts_ && bare != ValueMeaning::kNothing) {}

    // For every call, in the order of each process: positions of its records; no end: none is
    // recorded.
    void add(std::size_t invoked, std::optional<std::size_t> ended, bool is_definite) {
        const Record& call = history_.records[invoked];
        Process& process = processes_[call.process];
        Call& known = calls_[invoked];
        known.process = call.process;
        known.before = process.latest;
        known.client = client_in(call.value);
        note_uid(call.value);
        if (ended) {
            const Datum& value = history_.records[*ended].value;
            const std::string client = client_in(value);
            known.client = client.empty() ? known.client : client;
            note_uid(value);
        }
        if (!known.client.empty()) {
            clients_.insert(known.client);
            process.clients.insert(known.client);
            process.latest = known.client;
        }
        process.has_unknown_end = !is_definite;
        if (takes_texts_ && call.value.is(Datum::Kind::kText) && !call.value.text.empty()) {
            known.text = call.value.text;
            note_text(known.text, call.process);
        }
    }
    // After all calls have been added. `invoked`: of one of them.
    [[nodiscard]] std::string owner_of(std::size_t invoked) const {
        const Call& call = calls_.at(invoked);
        if (!call.client.empty()) {
            return call.client;
        }
        if (clients_.count(call.text) > 0) {
            return call.text;
        }
        if (!call.before.empty()) {
            return call.before;
        }
        const Process& process = processes_.at(call.process);
        if (process.clients.size() == 1) {
            return *process.clients.begin();
        }
        const bool is_uid = uids_.count(call.text) > 0;
        if (trusts_texts_ && !call.text.empty() && !is_uid && !texts_.at(call.text).is_ambiguous) {
            return call.text;
        }
        return call.process;
    }

    // The client that a value names; empty: none.
    [[nodiscard]] static std::string client_in(const Datum& value) {
        const std::string client = name_in(value, "client");
        return client.empty() ? name_in(value, "owner") : client;
    }

  private:
    struct Call {
        std::string process;
        std::string client;  // that its own values name
        std::string before;  // that the process has named before
        std::string text;
    };
    struct TextUse {
        std::string process;
        bool is_ambiguous = false;
    };
    struct Process {
        std::set<std::string> clients;
        std::string latest;  // client
        std::string text;    // of its calls
        bool has_unknown_end = false;
    };

    [[nodiscard]] static std::string name_in(const Datum& value, const char* field) {
        const Datum* datum = value.find(field);
        const bool is_name =
            datum != nullptr && (datum->is(Datum::Kind::kText) || datum->is(Datum::Kind::kInteger));
        return is_name ? datum->to_text() : "";
    }
    void note_uid(const Datum& value) {
        const std::string uid = name_in(value, "uid");
        if (!uid.empty()) {
            uids_.insert(uid);
        }
    }
    // If a process gives two texts, neither says who it is.
    void note_text(const std::string& text, const std::string& process) {
        Process& caller = processes_[process];
        if (!caller.text.empty() && caller.text != text) {
            texts_[caller.text].is_ambiguous = true;
            texts_[text].is_ambiguous = true;
        }
        caller.text = text;
        TextUse& use = texts_[text];
        if (!use.process.empty() && use.process != process) {
            use.is_ambiguous = use.is_ambiguous || !processes_[use.process].has_unknown_end;
        }
        use.process = process;
    }

    const RecordedHistory& history_;
    bool takes_texts_;                             // they are no tags or modes
    bool trusts_texts_;                            // rule 4
    std::unordered_map<std::size_t, Call> calls_;  // by invocation
    std::unordered_map<std::string, Process> processes_;
    std::set<std::string> clients_;
    std::set<std::string> uids_;
    std::map<std::string, TextUse> texts_;
};

}  // namespace lockkeeper
