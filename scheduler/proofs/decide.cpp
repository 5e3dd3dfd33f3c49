// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/decide.hpp"

#include <algorithm>

namespace lockkeeper::proofs {
namespace {

// Every way to make `sum` of numbers above 0, one for each kind.
void add_sums(std::vector<std::size_t> begun, std::size_t kinds, std::size_t sum,
              std::vector<std::vector<std::size_t>>& out) {
    const std::size_t left = kinds - begun.size();
    if (left == 1) {
        begun.push_back(sum);
        out.push_back(std::move(begun));
        return;
    }
    for (std::size_t count = 1; count + left - 1 <= sum; ++count) {
        std::vector<std::size_t> longer = begun;
        longer.push_back(count);
        add_sums(std::move(longer), kinds, sum - count, out);
    }
}

class Decider {
  public:
    explicit Decider(const Deciding& question)
        : question_(question), next_(question.kinds), decision_({{}, {}, "", question.kinds - 1}) {}

    Decision decide() {
        const std::size_t at_once = std::max(question_.callers_at_once, question_.kinds);
        if (explore_up_to(std::min(at_once, question_.callers_max)) == Scope::kViolated) {
            return std::move(decision_);
        }
        ProofAttempt made = question_.prove();
        if (made.certificate) {
            const std::string why = question_.check(*made.certificate);
            if (why.empty()) {
                decision_.proved = std::move(made);
                return std::move(decision_);
            }
            made.why_not = "the certificate was refused: " + why;
        }
        if (question_.begins_again && question_.begins_again()) {
            next_ = question_.kinds;
            decision_.explored = next_ - 1;
            is_going_on_ = true;
        }
        if (explore_up_to(question_.callers_max) == Scope::kViolated) {
            return std::move(decision_);
        }
        decision_.undecided =
            "no proof was found: " + (made.why_not.empty() ? "time" : made.why_not);
        if (decision_.explored >= question_.kinds) {
            decision_.undecided +=
                decision_.explored == 1
                    ? "; one caller breaks nothing"
                    : "; up to " + std::to_string(decision_.explored) + " callers break nothing";
        }
        return std::move(decision_);
    }

  private:
    // Ends with the first that is not passed.
    Scope explore_up_to(std::size_t most) {
        for (; next_ <= most && is_going_on_; ++next_) {
            std::vector<std::vector<std::size_t>> all;
            add_sums({}, question_.kinds, next_, all);
            for (const std::vector<std::size_t>& counts : all) {
                const Scope scope = question_.explore(counts);
                if (scope == Scope::kViolated) {
                    decision_.violated = counts;
                    return scope;
                }
                is_going_on_ = is_going_on_ && scope == Scope::kPassed;
            }
            decision_.explored = is_going_on_ ? next_ : decision_.explored;
        }
        return is_going_on_ ? Scope::kPassed : Scope::kUndecided;
    }

    const Deciding& question_;
    std::size_t next_;
    bool is_going_on_ = true;  // no number of callers was too much
    Decision decision_;
};

}  // namespace

Decision decide(const Deciding& question) { return Decider(question).decide(); }

}  // namespace lockkeeper::proofs
