// SPDX-License-Identifier: Apache-2.0

// What a request to a server can see and change, and so which requests commute: those on different
// keys, and those that only read. Used by the proxy, which knows the commands, and by the search,
// which leaves out orders that lead to the same.
//
// Keys are taken from the command's words. A script is believed to touch no key but those that it
// is given, as Redis asks of scripts; one that is given none, and a command that is not known here,
// touch everything. The scripts that the server knows are something of their own, and so are
// channels: a script may send messages on any, whatever keys it is given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validate/outside/step_effect.hpp"

namespace lockkeeper::wire {

// Of the key `key` of this server.
[[nodiscard]] std::string key_name(const std::string& key, std::size_t server);
// Of who begins or ends to listen there. A message on the channel writes it.
[[nodiscard]] KeyFootprint channel_footprint(bool is_pattern, const std::string& channel,
                                             std::size_t server);

struct RedisCommand {
    KeyFootprint footprint;
    // Sets up or looks at the connection, and changes nothing that another one could see: it is
    // passed on at once, without a choice.
    bool is_set_up = false;
    // SCRIPT LOAD or EXISTS, which sets up, too, unless the server may forget scripts.
    bool is_about_scripts = false;
};
// Of a command that waits, how long at most: milliseconds; 0: without an end.
[[nodiscard]] std::int64_t redis_wait_limit(const std::vector<std::string>& words);
[[nodiscard]] RedisCommand redis_command(const std::vector<std::string>& words,
                                         std::size_t server = 0);

}  // namespace lockkeeper::wire
