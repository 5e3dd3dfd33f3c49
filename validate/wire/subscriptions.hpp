// SPDX-License-Identifier: Apache-2.0

// The messages that Redis sends unasked to a connection: those of its channels, and invalid keys
// (CLIENT TRACKING). Tells answers from pushes: RESP3 marks a push; in RESP2 a connection that has
// subscribed receives nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "validate/wire/footprint.hpp"
#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {

// QUIT.
[[nodiscard]] bool is_good_bye(const std::vector<std::string>& words);
// SUBSCRIBE, UNSUBSCRIBE and those of patterns and shards.
[[nodiscard]] bool is_about_channels(const std::vector<std::string>& words);

// CLIENT TRACKING ... REDIRECT 17, KILL ID 17, UNBLOCK 17: a connection by the server's number of
// it.
[[nodiscard]] bool names_connection(const std::vector<std::string>& words);
// The same without the number.
[[nodiscard]] std::vector<std::string> without_connection(std::vector<std::string> words);

class Subscriptions {
  public:
    // A command goes on to the server: how many answers it gets.
    [[nodiscard]] std::size_t begin(const std::vector<std::string>& words);
    // A transaction does, or a command within one: so many, unless it has asked for none.
    [[nodiscard]] std::size_t begin_many(std::size_t answers);
    // A command about channels is queued in a transaction: the answer of its EXEC has others in it.
    void queue() { nests_ = true; }
    // The server has sent this, whole. True: it is a push, and answers nothing.
    bool take(std::string_view message, bool is_owed);
    // Something may come unasked.
    [[nodiscard]] bool listen() const { return tracks_ || !channels_.empty(); }
    // The answer was an error, and so the only one.
    [[nodiscard]] bool refused(std::string_view message) const {
        return changes_ && message.front() == '-';
    }
    // The changes that others can see when this connection ends.
    [[nodiscard]] KeyFootprint footprint(std::size_t server) const;

  private:
    std::set<std::string> channels_;  // the kind's letter before each: "c:", "p:", "s:"
    enum class Replies : std::uint8_t { kOn, kOff, kSkipNext };
    // CLIENT REPLY. The number of answers to what has so many otherwise.
    [[nodiscard]] std::size_t answers(const std::vector<std::string>& words, std::size_t otherwise);
    [[nodiscard]] std::size_t answers_of(const std::vector<std::string>& words);
    void note(const RespValue& value);

    Replies replies_ = Replies::kOn;
    bool nests_ = false;
    bool tracks_ = false;
    bool changes_ = false;  // the command under way is about channels
};

}  // namespace lockkeeper::wire
