// SPDX-License-Identifier: Apache-2.0

// The state that a request to a server can see and change. Two requests commute if they use
// different keys or only read. Used by the proxy, which knows the commands, and by the search,
// which leaves out orders that lead to the same state.
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

// The name of the server's key in a footprint.
[[nodiscard]] std::string key_name(const std::string& key, std::size_t server);
// The footprint of beginning or ending to listen to a channel. A message on the channel writes it.
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
// The longest wait of a command that waits, in milliseconds; 0: without an end.
[[nodiscard]] std::int64_t redis_wait_limit(const std::vector<std::string>& words);
[[nodiscard]] RedisCommand redis_command(const std::vector<std::string>& words,
                                         std::size_t server = 0);

}  // namespace lockkeeper::wire
