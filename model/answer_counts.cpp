// SPDX-License-Identifier: Apache-2.0
#include "model/answer_counts.hpp"

namespace lockkeeper {
namespace {

std::string counted(std::uint64_t count, const char* word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

std::string AnswerCounts::to_text() const {
    const std::string asking = refusals_while_free == 0
                                   ? ""
                                   : " (" + std::to_string(refusals_while_free) +
                                         " while a place was free: others were asking)";
    return counted(grants, "grant") + ", " + counted(refusals, "refusal") + asking + ", " +
           counted(errors, "error") + ", " + counted(indefinite_answers, "indefinite answer");
}

std::string AnswerCounts::what_is_missing() const {
    if (grants == 0) {
        return "nothing was ever granted: " + to_text();
    }
    if (runs > 0 && cut_runs == runs) {
        return "every run was cut before its scripts had ended";
    }
    return "";
}

AnswerCounts& AnswerCounts::operator+=(const AnswerCounts& other) {
    grants += other.grants;
    refusals += other.refusals;
    refusals_while_free += other.refusals_while_free;
    errors += other.errors;
    indefinite_answers += other.indefinite_answers;
    runs += other.runs;
    cut_runs += other.cut_runs;
    return *this;
}

}  // namespace lockkeeper
