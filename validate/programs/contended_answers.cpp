#include "validate/programs/contended_answers.hpp"

namespace lockkeeper {

ContendedAnswers& ContendedAnswers::operator+=(const ContendedAnswers& other) {
    judged += other.judged;
    errors += other.errors;
    return *this;
}

std::string contention_not_judged(const ContendedAnswers& met_all_taken,
                                  const ContendedAnswers& met_holder, const AnswerCounts& answers) {
    for (const ContendedAnswers& met : {met_all_taken, met_holder}) {
        if (met.errors > 0 && met.judged == 0) {
            return "contention was never judged: " +
                   (met.errors == 1
                        ? "the one acquire that met a holder"
                        : "all " + std::to_string(met.errors) + " acquires that met a holder") +
                   " ended in an error that is no refusal (" + answers.to_text() + ")";
        }
    }
    return "";
}

}  // namespace lockkeeper
