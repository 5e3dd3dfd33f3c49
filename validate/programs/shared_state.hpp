// SPDX-License-Identifier: Apache-2.0

// The state that the callers of a program share at the stepped level, kept by the harness: a store
// of keys and values, mailboxes, a clock. A question is one atomic step on it. Plain values; used
// by SteppedRun. docs/reference/protocol.md has the table of questions.
//
// Mailboxes keep the order of each sender; the search chooses whose message is received next.
// Actors are numbers: callers from 0 on, background activities behind them.
// Limits: kStoreKeysMax keys, kMailMax messages in all mailboxes together; an atomic step is shown
// kAtomicBytesMax.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/programs/message.hpp"

namespace lockkeeper {

inline constexpr std::size_t kStoreKeysMax = 4096;
inline constexpr std::size_t kMailMax = 1024;
inline constexpr std::size_t kMonitorsMax = 1024;
inline constexpr std::size_t kAtomicBytesMax = 32U << 10U;

class SharedState {
  public:
    struct Answer {
        std::string type;  // "read_ok", "proceed", "error"
        std::string more;  // further members of the body, as JSON, without a comma in front
        std::string text;  // for reports: "2", "error 20"
    };

    // Senders whose message a `receive` could get, in order; empty: it waits.
    [[nodiscard]] std::vector<std::uint8_t> senders_for(const Message& receive) const;
    // `await` and `receive` may have to wait; everything else never does.
    [[nodiscard]] bool is_blocked(const Message& question) const;

    // Does the question, which is not blocked, for `actor`. `sender`: for a receive, one of
    // senders_for; nothing: the oldest message. `client`: for a monitor, its client's number, and
    // whether it is dead. Throws Misbehaved(kNonsense) beyond the limits, and for a bad counter.
    Answer apply(const Message& question, std::uint8_t actor, std::optional<std::uint8_t> sender,
                 int client, bool client_is_dead);

    // Does the second half of an atomic step right after apply() did the first. Returns both in
    // words: "sees db=0 x=1, leaves db=1". Throws Misbehaved(kNonsense) for a key that the question
    // has not named.
    std::string commit(const Message& question, const Message& commit);

    void died(std::uint8_t client);
    // Values stored for a time vanish once that time is over.
    void set_clock(std::int64_t time);
    [[nodiscard]] std::int64_t clock() const { return clock_; }
    // The moment at which the last value stored for a time vanishes; 0: none will.
    [[nodiscard]] std::int64_t last_end() const;
    // "db=1 lease={...}": for reports, cut at about 100 characters.
    [[nodiscard]] std::string describe() const;
    // Writes everything, for comparing states.
    void write_key(std::string& out) const;

  private:
    struct Mail {
        std::uint8_t sender;
        std::string message;
        friend bool operator==(const Mail&, const Mail&) = default;
    };
    struct Monitor {
        std::uint8_t client;
        std::string mailbox;
        std::string message;
    };

    Answer store_question(const Message& question);
    Answer update_counter(const Message& question);
    [[nodiscard]] Answer show(const Message& atomic) const;
    [[nodiscard]] std::string item(const std::string& key) const;  // "db=1 until 5", "db absent"
    [[nodiscard]] std::string describe(const std::vector<std::string>& keys) const;
    void deliver(const std::string& mailbox, std::uint8_t sender, const std::string& message);
    Answer remove(const Message& question);
    Answer expire(const Message& question);
    void store(const std::string& key, const std::string& value, std::optional<std::int64_t> ttl);

    std::map<std::string, std::string> values_;
    std::map<std::string, std::int64_t> ends_;  // of values that were stored for a time
    std::map<std::string, std::vector<Mail>> mail_;
    std::size_t mail_count_ = 0;
    std::vector<Monitor> monitors_;
    std::int64_t clock_ = 0;
};

}  // namespace lockkeeper
