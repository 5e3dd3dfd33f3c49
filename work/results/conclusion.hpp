// SPDX-License-Identifier: Apache-2.0

// Turns a verdict into an exit code and the members of a document. Used by reports/ and app/;
// another format (JUnit) is another function here. docs/reference/output.md documents the codes,
// and `lockkeeper list` prints them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "model/verdict.hpp"

namespace lockkeeper {

enum ExitCode : int {
    kExitPassed = 0,
    kExitViolated = 1,
    kExitInconclusive = 2,
    kExitDiverged = 3,
    kExitUsage = 64,
    kExitInput = 65,
    kExitInternal = 70,
    kExitInterrupted = 130,
};

struct ExitCodeMeaning {
    ExitCode code;
    std::string_view meaning;
};
inline constexpr std::array kExitCodes{
    ExitCodeMeaning{kExitPassed, "passed: nothing is violated, every expectation is met"},
    ExitCodeMeaning{kExitViolated,
                    "violated: a property, a goal that was not reached, or an expectation"},
    ExitCodeMeaning{kExitInconclusive, "inconclusive: a limit or the time ended the search"},
    ExitCodeMeaning{kExitDiverged, "divergence of a replay, or nondeterminism"},
    ExitCodeMeaning{kExitUsage, "usage: the command line or the environment is wrong"},
    ExitCodeMeaning{kExitInput, "input: a file is missing, malformed, or asks for too much"},
    ExitCodeMeaning{kExitInternal, "internal error: the harness is wrong, there is no verdict"},
    ExitCodeMeaning{kExitInterrupted, "interrupted: the partial result has been written"},
};

// The worst of several files counts: interrupted, internal error, bad input, divergence, violation,
// inconclusive, passed.
[[nodiscard]] int worse_exit_code(int left, int right);

// The outcome of one file.
struct Conclusion {
    Verdict verdict;
    bool is_interrupted = false;     // Ctrl-C came before it was known
    bool has_failed_output = false;  // a file could not be written
};

[[nodiscard]] int exit_code_of(const Verdict& verdict);
[[nodiscard]] int exit_code_of(const Conclusion& outcome);

// "inconclusive: ended by limit: time"
[[nodiscard]] std::string verdict_text(const Verdict& verdict, const VerdictWords& words = {});
// The members "verdict" and "detail".
void add_verdict(const Verdict& verdict, const VerdictWords& words, nlohmann::ordered_json& json);

}  // namespace lockkeeper
