// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "validate/logs/words.hpp"

namespace lockkeeper::logs {

std::string lines_text(const Logs& logs) {
    std::string out = fmt::format("{} of {} lines say something about the lock",
                                  logs.lines - logs.other_lines, logs.lines);
    out += logs.other_lines == 0 ? "\n" : "; these do not:\n";
    for (const OtherLine& other : logs.others) {
        out += "  " + other.file + ":" + std::to_string(other.line) + ": " + other.text + "\n";
    }
    if (logs.other_lines > logs.others.size()) {
        out += fmt::format("  and {} more\n", logs.other_lines - logs.others.size());
    }
    for (const std::string& remark : logs.remarks) {
        out += "remark: " + remark + "\n";
    }
    return out;
}

}  // namespace lockkeeper::logs
