// SPDX-License-Identifier: Apache-2.0

// What the callers of a recorded history were answered, and whether that is enough for a "passed".
// Called by validate_history.
#pragma once

#include <string>

#include "model/answer_counts.hpp"
#include "validate/histories/model_choice.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// An acquire that failed counts as refused, whatever its error says. An exit has no answer.
[[nodiscard]] AnswerCounts count_answers(const RecordedHistory& history);

// Why a history that no model refuses is no reason to say "passed"; empty: it is one. An effect
// with a token is something to judge even where no grant was recorded.
[[nodiscard]] std::string what_was_not_judged(const RecordedHistory& history,
                                              const AnswerCounts& answers,
                                              const ModelChoice& model);

}  // namespace lockkeeper
