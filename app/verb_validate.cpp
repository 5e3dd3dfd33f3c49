// SPDX-License-Identifier: Apache-2.0

// Which of the ways in it is; each has a file of its own.
#include "app/validate.hpp"
#include "app/verbs.hpp"
#include "model/check.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

enum Way : std::uint32_t {
    kHistory = 1U << 0,
    kServer = 1U << 1,
    kAgainst = 1U << 2,
    kStepped = 1U << 3,  // a program alone, by its level
    kBlackBox = 1U << 4,
    kProgramAgainst = 1U << 5,
    kWire = 1U << 6,
};

Way way_of(const ValidateFlags& flags) {
    return flags.program && flags.against ? kProgramAgainst
           : flags.history                ? kHistory
           : flags.wire                   ? kWire
           : flags.server                 ? kServer
           : flags.against                ? kAgainst
           : flags.level == "stepped"     ? kStepped
                                          : kBlackBox;
}

// A flag that would be passed over is refused.
void refuse_flags_of_other_ways(const Options& options) {
    struct Row {
        std::vector<const char*> flags;
        std::uint32_t goes_with;
        const char* where;
    };
    const Row rows[] = {
        {{"--model"}, kHistory | kBlackBox, "--history and --level black-box"},
        {{"--sort-by-time", "--clock-tolerance", "--time-unit"}, kHistory, "--history"},
        {{"--level"}, kStepped | kBlackBox, "--program without --against"},
        {{"--search", "--preemptions", "--replay-choices"},
         kStepped | kWire,
         "--program at the stepped level and --wire"},
        {{"--answer-time"}, kStepped | kBlackBox | kProgramAgainst | kWire, "--program and --wire"},
        {{"--client", "--server-command", "--framing", "--callers", "--script", "--crashes",
          "--restarts", "--drops", "--expiries", "--failovers", "--server-restarts", "--late",
          "--jumps", "--wakes", "--processes", "--server-crashes", "--cuts", "--server-jumps",
          "--no-sleep-sets"},
         kWire,
         "--wire"},
        {{"--process-per-caller", "--recovery-time"}, kBlackBox, "--program --level black-box"},
    };
    for (const Row& row : rows) {
        for (const char* flag : row.flags) {
            if (is_given(options, flag) && (row.goes_with & way_of(options.validate)) == 0) {
                throw UsageError(std::string("validate: ") + flag + " goes with " + row.where +
                                 ", and does not go with what is asked here");
            }
        }
    }
}

}  // namespace

int verb_validate(const Session& session) {
    const ValidateFlags& flags = session.options.validate;  // a program may be compared
    const int ways = (flags.history ? 1 : 0) + (flags.server ? 1 : 0) + (flags.wire ? 1 : 0) +
                     (flags.program || flags.against ? 1 : 0);
    if (ways > 1) {
        throw UsageError(
            "validate: --history, --server, --program, --wire and --against are different ways; "
            "only --program and --against go together");
    }
    if (ways == 0) {
        throw UsageError("validate: --history, --program, --server, --wire or --against is needed");
    }
    refuse_flags_of_other_ways(session.options);
    switch (way_of(flags)) {
        case kHistory: return validate_history(session);
        case kServer: return validate_server(session);
        case kStepped:
        case kBlackBox: return validate_program(session);
        case kWire: return validate_wire(session);
        case kAgainst:
        case kProgramAgainst: return validate_against(session);
    }
    unreachable("a way in");
}

}  // namespace lockkeeper
