// SPDX-License-Identifier: Apache-2.0

// The settings of the command line and the environment. A setting that is not given is as the
// scenario file says, else the default. Made by parse_options from flags.hpp, read by the verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line.hpp"
#include "validate/logs/command.hpp"
#include "validate/threads/command/command.hpp"
#include "work/asked.hpp"

namespace lockkeeper {

enum class Command : std::uint8_t {
    kRun,
    kReplay,
    kExplore,
    kFuzz,
    kMeasure,
    kSweep,
    kValidate,
    kReport,
    kList,
    kServe,
    kProve,
    kCheckCertificate,
    kThreads,
    kExplain,
    kClinic,
    kPlayground
};

[[nodiscard]] constexpr const char* name_of(Command command) {
    constexpr const char* kNames[] = {"run",     "replay",  "explore",  "fuzz",
                                      "measure", "sweep",   "validate", "report",
                                      "list",    "serve",   "prove",    "check-certificate",
                                      "threads", "explain", "clinic",   "playground"};
    return kNames[static_cast<std::size_t>(command)];
}

// The settings of the clinic; what is not given is as its tool says.
struct ClinicFlags {
    std::optional<std::string> folder;
    std::optional<std::string> cache;
    bool accepts = false;
};

struct Options : Asked {
    Command verb = Command::kRun;
    std::string format = "text";  // of stdout; see report_formats()
    std::vector<std::string> report_files;
    std::optional<std::string> csv_file;
    bool quiet = false;
    std::uint16_t port = 0;  // serve, playground; 0: any that is free
    threads::Asked threads;
    logs::Asked explain;
    ClinicFlags clinic;
};

// Text to be printed on stdout, with exit code 0: help or version.
struct PrintAndEnd {
    std::string text;
};

// Throws UsageError, naming the flag or the variable.
[[nodiscard]] std::variant<Options, PrintAndEnd> parse_options(
    const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace lockkeeper
