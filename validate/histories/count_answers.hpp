// SPDX-License-Identifier: Apache-2.0

// Counts the answers in a recorded history, and says whether they are enough for a "passed". Called
// by validate_history.
#pragma once

#include <string>

#include "model/answer_counts.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// An acquire that failed counts as refused, whatever its error says. An exit has no answer.
[[nodiscard]] AnswerCounts count_answers(const RecordedHistory& history);

// Why a history that no model refuses does not justify "passed": nothing was granted, or what the
// model was asked about never happened. Empty: it does.
[[nodiscard]] std::string what_was_not_judged(const RecordedHistory& history,
                                              const AnswerCounts& answers,
                                              const ModelChoice& model);

// "2 effects were not judged (...)", for whoever says "passed"; empty: all were, or there are none.
[[nodiscard]] std::string unjudged_effects_text(const HistoryCheck& check,
                                                const ModelChoice& model);

}  // namespace lockkeeper
