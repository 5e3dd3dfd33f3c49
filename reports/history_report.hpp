// The report of `validate --history`, as text and as JSON (reports/schema/history.schema.json).
// Used by validate_history only. No errors; text from the file is made printable.
#pragma once

#include <string>

#include "model/answer_counts.hpp"
#include "validate/histories/check_history.hpp"

namespace lockkeeper {

struct HistoryReport {
    const RecordedHistory& history;
    const HistoryCheck& check;
    std::string model;     // as given
    std::string command;   // that repeats it
    Verdict verdict = {};  // a pass of which nothing was judged is none
    int exit_code = 0;
    AnswerCounts answers = {};
    std::string not_judged = {};  // why it is no "passed" though no model refuses it
    bool is_whole = false;        // all operations of the longest prefix, not only the last
};

[[nodiscard]] std::string history_head_text(const RecordedHistory& history,
                                            const std::string& model);
[[nodiscard]] std::string history_body_text(const HistoryReport& report);
[[nodiscard]] std::string history_json(const HistoryReport& report);

}  // namespace lockkeeper
