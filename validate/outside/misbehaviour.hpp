// SPDX-License-Identifier: Apache-2.0

// The ways in which an outside program can misbehave, whatever its lock is like. ChildProcess,
// Program and the runs throw them; the searches turn them into a verdict.
// docs/reference/protocol.md says what each of them means.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace lockkeeper {

enum class Misbehaviour : std::uint8_t {
    kCannotStart,   // the command does not exist, or ends before it has answered init
    kNotSupported,  // error 10: the program has no such operation
    kScriptError,   // its own code has raised an error that is no answer of a lock
    kDied,          // it ended, or closed stdout, unasked
    kHung,          // no line within the time that a line may take
    kFlooded,       // a line, or an output, that is too long
    kNonsense,      // no message, an unknown type or key, a message out of turn
    kWrongAnswer,   // in_reply_to or op names nothing that is open
    kDeaf,          // stdin is closed
};

[[nodiscard]] constexpr std::string_view name_of(Misbehaviour kind) {
    switch (kind) {
        case Misbehaviour::kCannotStart: return "cannot be started";
        case Misbehaviour::kNotSupported: return "does not fit the scenario";
        case Misbehaviour::kScriptError: return "has an error in its own code";
        case Misbehaviour::kDied: return "died";
        case Misbehaviour::kHung: return "hung";
        case Misbehaviour::kFlooded: return "flooded";
        case Misbehaviour::kNonsense: return "talked nonsense";
        case Misbehaviour::kWrongAnswer: return "answered wrongly";
        case Misbehaviour::kDeaf: return "stopped listening";
    }
    return "?";
}

// No verdict on the lock: the fault lies in the command, the scenario or the program's own code.
[[nodiscard]] constexpr bool is_input(Misbehaviour kind) {
    return kind == Misbehaviour::kCannotStart || kind == Misbehaviour::kNotSupported ||
           kind == Misbehaviour::kScriptError;
}

// `what()`: one line with the particulars, printable ASCII.
class Misbehaved : public std::runtime_error {
  public:
    Misbehaved(Misbehaviour kind, const std::string& detail, std::string last_words = "")
        : std::runtime_error(detail), kind_(kind), last_words_(std::move(last_words)) {}
    [[nodiscard]] Misbehaviour kind() const { return kind_; }
    // The program's last words on stderr; empty where the thrower does not know them.
    [[nodiscard]] const std::string& last_words() const { return last_words_; }

  private:
    Misbehaviour kind_;
    std::string last_words_;
};

// The time is over, or somebody interrupted: no verdict on the program.
class Stopped : public std::runtime_error {
  public:
    Stopped() : std::runtime_error("stopped") {}
};

// The same choices led to something else: the program is not deterministic, or a replay does not
// fit it.
class DifferentAnswer : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Text from outside for a message: at most `most` bytes, with '?' for all but printable ASCII.
[[nodiscard]] std::string quoted_piece(std::string_view text, std::size_t most = 120);

// The last line that a program wrote on stderr, quoted so; empty: it wrote nothing.
[[nodiscard]] std::string last_line(const std::string& text);

// The same for its last three lines, "a / b / c", without those that interpreters add to an error:
// the calls that led to it, the mark under a column, their own version.
[[nodiscard]] std::string last_complaint(const std::string& text);

}  // namespace lockkeeper
