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
    OwnerNames(const RecordedHistory& history, ValueMeaning bare);

    // For every call, in the order of each process: positions of its records; no end: none is
    // recorded.
    void add(std::size_t invoked, std::optional<std::size_t> ended, bool is_definite);
    // After all calls have been added. `invoked`: of one of them.
    [[nodiscard]] std::string owner_of(std::size_t invoked) const;

    // The client that a value names; empty: none.
    [[nodiscard]] static std::string client_in(const Datum& value);

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

    void note_uid(const Datum& value);
    void note_text(const std::string& text, const std::string& process);

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
