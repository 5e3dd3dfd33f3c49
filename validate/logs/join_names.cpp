// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "model/printable.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {

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
}

}  // namespace lockkeeper::logs
