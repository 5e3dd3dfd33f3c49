// SPDX-License-Identifier: Apache-2.0

// One line of the protocol of docs/reference/protocol.md, read and checked. Lines from the program
// are untrusted: every key is known, of its type and within its bounds, or the line is nonsense.
// Made by parse_message, used by Program and the runs; message_line writes the other direction.
//
// Values (what is stored, what is sent between activities) are carried as JSON texts in one fixed
// form, so that equal values are equal texts and nobody else has to know a JSON library.
// Limits: kMessageDepthMax levels, kValueBytesMax for a value, kNameBytesMax for a name; an atomic
// step sees kAtomicKeysMax keys, and its commit has kCommitStepsMax steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/crash_takes.hpp"

namespace lockkeeper {

inline constexpr std::size_t kMessageDepthMax = 32;
inline constexpr std::size_t kValueBytesMax = 16U << 10U;
inline constexpr std::size_t kNameBytesMax = 256;
inline constexpr std::size_t kBackgroundMax = 8;
inline constexpr std::size_t kAtomicKeysMax = 16;
inline constexpr std::size_t kCommitStepsMax = 64;
inline constexpr std::size_t kFailureBytesMax = 1024;
inline constexpr std::size_t kChoicesMax = 256;
inline constexpr std::int64_t kTtlMax = std::int64_t{1} << 32U;

enum class MessageKind : std::uint8_t {
    kAnswer,  // "..._ok"
    kError,
    kWait,     // nothing new from an operation that has other questions open
    kCommit,   // the changes of an atomic step to the state that it was shown
    kFailed,   // the program's own code has raised an error that is no answer of a lock
    kChoices,  // what may happen next in an event loop (TasksRun)
    kRead,
    kWrite,
    kCompareAndSet,
    kInsertNew,
    kDelete,
    kUpdateCounter,
    kAwait,
    kNow,
    kAccess,
    kSend,
    kReceive,
    kMonitor,
    kExpire,
    kAtomic,
};
[[nodiscard]] constexpr bool is_question(MessageKind kind) { return kind >= MessageKind::kRead; }

// A choice of an event loop: run a callback that is ready, let something from outside arrive,
// let a timer fire, cancel the call of a client, or let something from outside fail.
enum class ChoiceKind : std::uint8_t { kRun, kArrive, kTimer, kCancel, kFail };
// The words of messages, in the order of ChoiceKind.
inline constexpr const char* kChoiceWords[] = {"run", "arrive", "timer", "cancel", "fail"};
struct Choice {
    ChoiceKind kind = ChoiceKind::kRun;
    std::uint16_t id = 0;     // names it among those of its kind, again in each run
    std::string client;       // cancel
    std::string name;         // for reports
    std::optional<bool> due;  // timer: its moment has come; nothing: the program does not say
};

struct Message {
    MessageKind kind = MessageKind::kAnswer;
    std::string src;
    std::string dest;
    std::string type;
    std::optional<std::int64_t> in_reply_to;  // answers and errors have it
    std::optional<std::int64_t> msg_id;       // questions have it, and op
    std::optional<std::int64_t> op;
    // For questions:
    std::string name;      // key, mailbox, or what: the label of an access or a now
    std::string client;    // monitor
    std::string value;     // JSON: value, to (cas), message
    std::string from;      // JSON: cas; delete and expire, where they ask; else empty
    std::string local;     // JSON; empty: none
    std::string label;     // in reports in place of the question; empty: none
    bool creates = false;  // create_if_not_exists
    std::int64_t add = 0;  // update_counter
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> most;
    std::optional<std::int64_t> ttl;  // write, cas, insert_new, expire: ticks until it vanishes
    std::vector<std::string> keys;    // atomic: the keys that it sees
    bool sees_clock = false;          // atomic
    std::vector<Message> steps;       // commit: writes, deletes, expires
    // For answers:
    std::optional<std::int64_t> count;
    std::optional<std::int64_t> until;
    std::optional<std::int64_t> token;
    bool done = false;  // a release: it says no more than that it returned
    bool stateless = false;
    std::optional<std::int64_t> tasks;  // init_ok: it has an event loop, of this version
    std::optional<CrashTakes> crash_takes;
    std::vector<std::string> background;
    bool more = false;      // further lines of the same turn follow
    std::int64_t code = 0;  // error
    std::string text;       // error, failed
    std::string where;      // failed; may be empty
    // For choices:
    std::vector<Choice> choices;
    std::optional<std::vector<std::string>> begin;  // who may begin a call; nothing: everybody
    std::vector<std::string> at_once;  // who may begin a call within the step that has just ended
    std::vector<std::string>
        missed;       // whose cancellation came before its call had begun or when it had ended
    std::string did;  // for reports, in place of the choice's name; may be empty
    std::int64_t loop_time = 0;  // in milliseconds

    // A question in reports: "cas row 1 -> 2", or the label.
    [[nodiscard]] std::string describe() const;
    // Writes all that decides what a question does, so that only equal questions have equal keys.
    // Leaves out the label, which is for readers.
    void write_key(std::string& out) const;
};

inline constexpr std::int64_t kErrorNotSupported = 10;
inline constexpr std::int64_t kErrorCrash = 13;
inline constexpr std::int64_t kErrorNotHeld = 22;
// The error says that certainly nothing has happened; docs/reference/protocol.md has the table.
[[nodiscard]] bool is_definite_error(std::int64_t code);
// An acquire is told that somebody else has the lock. Other definite errors are mistakes.
[[nodiscard]] bool is_refusal(std::int64_t code);

// Returns the message, or a text that says what is wrong with the line.
[[nodiscard]] std::variant<Message, std::string> parse_message(std::string_view line);

// A line to the program, without its end: {"src":...,"dest":...,"body":{"type":...,members}}. Bytes
// that are no UTF-8 are replaced.
[[nodiscard]] std::string message_line(const std::string& src, const std::string& dest,
                                       const std::string& type,
                                       const nlohmann::ordered_json& members);

// Adds the piece to a key with its length in front, so that nobody can take the following text for
// a part of the piece.
void add_piece(std::string& key, std::string_view piece);
// The integer that the JSON text is, if it is an integer.
[[nodiscard]] std::optional<std::int64_t> json_integer(std::string_view json);

}  // namespace lockkeeper
