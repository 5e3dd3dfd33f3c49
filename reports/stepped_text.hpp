// What a program at the stepped level came to, for people. The first lines are those of every run
// (head_text of run_text.hpp). Plain ASCII, no errors.
#pragma once

#include <string>

#include "reports/run_report.hpp"
#include "validate/programs/stepped_verdict.hpp"

namespace lockkeeper {

// `last_words`: what the program has written on stderr.
[[nodiscard]] std::string stepped_search_text(const RunReport& report, const OutsideWorld& world,
                                              const SteppedResult& result,
                                              const SteppedVerdict& judged,
                                              const std::string& last_words);
[[nodiscard]] std::string stepped_replay_text(const RunReport& report, const SteppedVerdict& judged,
                                              const std::string& last_words);

// Of both levels.
[[nodiscard]] std::string passed_over_text(const RunReport& report);
[[nodiscard]] std::string last_words_text(const std::string& last_words);

}  // namespace lockkeeper
