// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "model/printable.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

// Where the lock's log and its callers' have no name in common, the lock's says nothing of them.
void remark_strangers(Logs& logs) {
    std::set<std::string> of_lock;
    std::set<std::string> of_callers;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            const bool is_of_lock = seen.seen == Seen::kServed || seen.seen == Seen::kState;
            if (!seen.caller.empty()) {
                (is_of_lock ? of_lock : of_callers).insert(seen.caller);
            }
        }
    }
    const bool has_both = !of_lock.empty() && !of_callers.empty();
    if (has_both && std::none_of(of_lock.begin(), of_lock.end(), [&](const std::string& name) {
            return of_callers.contains(name);
        })) {
        logs.remarks.push_back("the lock's log names nobody as the callers' logs do (" +
                               printable(*of_lock.begin()) + ", " + printable(*of_callers.begin()) +
                               "): \"callers\" in a mapping says who is who");
    }
}

// The one place of a key that this is said of; null: none or several.
class Places {
  public:
    void add(const std::string& of, const std::string& key, const std::string& place) {
        std::string& known = places_.try_emplace({of, key}, place).first->second;
        known = known == place ? place : "";
    }
    [[nodiscard]] const std::string* find(const std::string& of, const std::string& key) const {
        const auto found = places_.find({of, key});
        return found == places_.end() || found->second.empty() ? nullptr : &found->second;
    }

  private:
    std::map<std::pair<std::string, std::string>, std::string> places_;
};

}  // namespace

// One key in two namespaces or databases is two locks, of which the first keeps the short name. A
// client's line names neither: its token tells them apart, or else its caller.
void LogsReader::join_keys() {
    std::map<std::string, std::set<std::string>> all;  // by key
    std::map<std::string, std::string> first;
    Places by_token;
    Places by_caller;
    const auto for_each = [&](const auto& use) {
        for (Source& source : read_.logs.sources) {
            for (Observation& seen : source.observations) {
                use(source, seen);
            }
        }
    };
    for_each([&](const Source&, const Observation& seen) {
        if (!seen.full_key.empty()) {
            all[seen.key].insert(seen.full_key);
            first.try_emplace(seen.key, seen.full_key);
        }
    });
    std::erase_if(all, [](const auto& one) { return one.second.size() < 2; });
    if (all.empty()) {
        return;
    }
    const auto learn = [&](const Source&, const Observation& seen) {
        if (!seen.full_key.empty()) {
            by_caller.add(seen.caller, seen.key, seen.full_key);
            if (!seen.token.empty()) {
                by_token.add(seen.token, seen.key, seen.full_key);
            }
        }
    };
    for_each(learn);
    for_each([&](const Source&, Observation& seen) {
        const std::string* place =
            seen.full_key.empty() ? by_token.find(seen.token, seen.key) : nullptr;
        seen.full_key = place == nullptr ? seen.full_key : *place;
    });
    for_each(learn);  // a client that said its token once
    for_each([&](const Source& source, Observation& seen) {
        if (!all.contains(seen.key)) {
            return;
        }
        const std::string* place =
            seen.full_key.empty() ? by_caller.find(seen.caller, seen.key) : &seen.full_key;
        if (place == nullptr) {
            throw LogError(source.file, seen.line,
                           "nobody can say which lock this line is about: these logs have " +
                               printable(*all[seen.key].begin()) + " and " +
                               printable(*all[seen.key].rbegin()));
        }
        seen.key = *place == first[seen.key] ? seen.key : *place;
    });
}

// The server names a client by its address, the client itself by its name: they are one where a
// token of the server's lines is in the client's.
void LogsReader::join_names() {
    std::map<std::string, std::string> by_token;
    std::set<std::string> clients;
    for (const Source& source : read_.logs.sources) {
        for (const Observation& seen : source.observations) {
            if (seen.seen == Seen::kServed || seen.seen == Seen::kState) {
                continue;
            }
            clients.insert(seen.caller);
            if (!seen.token.empty()) {
                by_token[seen.token] = seen.caller;
            }
        }
    }
    std::map<std::string, std::string> names;
    for (const Source& source : read_.logs.sources) {
        for (const Observation& seen : source.observations) {
            const auto client = by_token.find(seen.token);
            if (seen.seen != Seen::kServed || seen.token.empty() || client == by_token.end() ||
                clients.contains(seen.caller)) {
                continue;
            }
            const auto [known, is_new] = names.try_emplace(seen.caller, client->second);
            if (!is_new && known->second != client->second) {
                throw LogError(
                    source.file, seen.line,
                    printable(seen.caller + " is " + known->second + " by one token and " +
                              client->second + " by another: one connection serves both"));
            }
        }
    }
    for (Source& source : read_.logs.sources) {
        for (Observation& seen : source.observations) {
            const auto found = names.find(seen.caller);
            seen.caller = found == names.end() ? seen.caller : found->second;
        }
    }
    remark_strangers(read_.logs);
}

}  // namespace lockkeeper::logs
