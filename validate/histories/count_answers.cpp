// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/count_answers.hpp"

#include <algorithm>
#include <map>

#include "validate/histories/operation_values.hpp"
#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {
namespace {

void count_one(const Record& record, AnswerCounts& answers) {
    const bool is_acquire = code_of(record.f) == LockCode::kAcquire;
    switch (record.type) {
        case HistoryType::kInvoke: break;
        case HistoryType::kOk: answers.grants += is_acquire ? 1U : 0U; break;
        case HistoryType::kFail: ++(is_acquire ? answers.refusals : answers.errors); break;
        case HistoryType::kInfo: ++answers.indefinite_answers; break;
    }
}

}  // namespace

AnswerCounts count_answers(const RecordedHistory& history) {
    AnswerCounts answers;
    std::map<std::string, bool> open;  // by process
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        // Records that were put in another order for judging are paired in that of their process.
        const Record& record =
            history.records[history.as_written.empty() ? i : history.as_written[i]];
        if (code_of(record.f) == LockCode::kExit) {
            continue;
        }
        bool& is_open = open[record.process];
        const bool begins = record.type == HistoryType::kInvoke;
        // Whoever begins anew has never heard of the call before.
        answers.indefinite_answers += begins && is_open ? 1U : 0U;
        is_open = begins;
        count_one(record, answers);
    }
    answers.indefinite_answers += static_cast<std::uint64_t>(
        std::count_if(open.begin(), open.end(), [](const auto& entry) { return entry.second; }));
    return answers;
}

std::string what_was_not_judged(const RecordedHistory& history, const AnswerCounts& answers,
                                const ModelChoice& model) {
    if (history.records.empty()) {
        return "nothing was ever granted: the history is empty";
    }
    if (std::string missing = answers.what_is_missing(); !missing.empty()) {
        return missing;
    }
    const bool has_effects =
        std::any_of(history.records.begin(), history.records.end(), [](const Record& record) {
            return record.type == HistoryType::kOk && code_of(record.f) == LockCode::kWrite;
        });
    if (model.judges_effects && !has_effects) {
        return "no effect was recorded, and writes=holder asks about effects";
    }
    // A pool's refusals are judged unasked.
    if (model.judges_refusals && answers.refusals == 0 && model.kind != ModelKind::kPool) {
        return std::string("no acquire was refused, and refusals=") +
               (model.is_fair ? "fair" : "judged") + " asks about refusals";
    }
    return "";
}

std::string unjudged_effects_text(const HistoryCheck& check, const ModelChoice& model) {
    const std::size_t count = check.effects_unjudged;
    if (count == 0) {
        return "";
    }
    const bool knows_owners = make_model(model)->knows_owners();
    return std::to_string(count) + (count == 1 ? " effect was" : " effects were") +
           " not judged (" +
           (knows_owners ? "writes=holder judges them"
                         : "a model that knows who holds does, with writes=holder") +
           ")";
}

}  // namespace lockkeeper
