// SPDX-License-Identifier: Apache-2.0

// The text of a file that somebody named on the command line: scenarios, traces, histories. "-" is
// standard input, which messages call `<stdin>`; it can be read once. Nothing else is waited for: a
// named pipe, a device or a socket is refused, unless the shell has opened it for the command.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

namespace lockkeeper {

inline constexpr const char* kStandardInput = "-";

// The name with which a message about the file begins.
[[nodiscard]] inline std::string name_in_messages(const std::string& file) {
    return file == kStandardInput ? "<stdin>" : file;
}

// Why there is no text: one line, without the file's name.
struct NotRead {
    std::string message;
};

// A waiting read calls `asked` ten times a second: true ends the wait. Null: only the input does.
void end_reads_when(bool (*asked)());

// Called while a text that was read is understood, which takes seconds where it is large. Throws
// LimitExceeded where the wait would be ended.
void end_reading_if_asked();

// Reads at most one byte more than `bytes_max`: that byte tells the caller of too long a file.
[[nodiscard]] std::variant<std::string, NotRead> read_text(const std::string& file,
                                                           std::size_t bytes_max);

}  // namespace lockkeeper
