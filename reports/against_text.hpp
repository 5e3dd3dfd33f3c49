// The report of `validate --against`, as text and as JSON
// (reports/schema/validate_against.schema.json). No errors.
#pragma once

#include <string>
#include <vector>

#include "reports/conclusion.hpp"
#include "scheduler/runner.hpp"
#include "validate/compare/compare.hpp"

namespace lockkeeper {

// What one scenario came to.
struct AgainstReport : Conclusion {
    std::string file;
    std::string candidate;  // "canal/faithful", or the program's command
    std::vector<std::string> callers;
    against::Compared compared;
    // Of the difference that is shown: the run step by step, and the command that repeats it.
    Trace trace;
    std::string replay;
};

// "canal/faithful": the reference.
[[nodiscard]] std::string against_head_text(const std::string& reference);
[[nodiscard]] std::string against_text(const AgainstReport& report);
[[nodiscard]] std::string against_json(const std::string& reference,
                                       const std::vector<AgainstReport>& reports, int exit_code);

}  // namespace lockkeeper
