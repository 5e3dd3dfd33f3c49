// SPDX-License-Identifier: Apache-2.0

// Checks whether a run of the reference ends as the candidate's does, and explains where none does.
#include "validate/compare/answers.hpp"
#include "validate/compare/step_search.hpp"

namespace lockkeeper::against {

// --- the end -------------------------------------------------------------------------------------

bool StepSearch::is_at_rest_too(const Node& node) {
    if (!reference_.finished(node.state)) {
        ActionList possible;
        reference_.enabled(node.state, possible);
        for (const Action action : possible) {
            if (action.kind == ActionKind::kStep) {
                at_end_ = "goes on with \"" + reference_.describe(node.state, action) +
                          "\", here nobody does";
                at_end_kind_ = reference_.class_of(node.state, action) == ActionClass::kDeparture
                                   ? Difference::kStricter
                                   : Difference::kWrong;
            }
        }
        return false;
    }
    const auto compare = [&](const char* what, std::uint32_t least, std::uint32_t most,
                             std::uint32_t here_least, std::uint32_t here_most) {
        if (here_least > most || here_most < least) {
            at_end_ =
                std::to_string(most) + what + " at the end, not " + std::to_string(here_least);
            at_end_kind_ = Difference::kWrong;
            return false;
        }
        return true;
    };
    const std::vector<std::uint32_t> grants = grants_of(reference_, node.state);
    for (std::size_t key = 0; compares_.grants && key < grants.size(); ++key) {
        const std::uint32_t here = observed_.grants[key];
        if (!compare(" granted", grants[key], grants[key], here, here)) {
            return false;
        }
    }
    std::vector<std::uint32_t> least;
    std::vector<std::uint32_t> most;
    units_of(reference_, node.state, least, most);
    for (std::size_t key = 0; compares_.units && key < least.size(); ++key) {
        if (!compare(" units in use", least[key], most[key], observed_.units_least[key],
                     observed_.units_most[key])) {
            return false;
        }
    }
    return true;
}

bool StepSearch::is_stuck_too(const Node& node) {
    ActionList possible;
    reference_.enabled(node.state, possible);
    bool goes_on = !only_faults(possible);
    for (std::size_t caller = 0; caller < marks_.open.back().size(); ++caller) {
        goes_on = goes_on || (open_call(node, caller) && has_returned(node, caller));
    }
    if (goes_on) {
        at_end_ = "every call returns, here some never do";
        at_end_kind_ = Difference::kWrong;
    }
    return !goes_on;
}

// A fresh client of a program was refused too much, or granted too much. A reference whose record
// keeps what nobody holds, or has lost what somebody holds, excuses such a program.
bool StepSearch::left_agrees(const Node& node) {
    if (observed_.left == LeftAtEnd::kAsMuch) {
        return true;
    }
    const bool less = observed_.left == LeftAtEnd::kLess;
    const std::vector<std::uint32_t> grants = grants_of(reference_, node.state);
    Observation seen{};
    reference_.observe(node.state, seen);
    for (std::size_t key = 0; key < grants.size(); ++key) {
        const std::uint32_t believed = seen.keys[key].believed;
        if (less ? grants[key] > believed : grants[key] < believed) {
            return true;
        }
    }
    at_end_ = less ? "all that nobody holds can be acquired at the end, here less"
                   : "no more than there is can be acquired at the end, here more";
    at_end_kind_ = Difference::kWrong;
    return false;
}

bool StepSearch::ends_well(const Node& node) {
    return (!observed_.at_rest || is_at_rest_too(node)) &&
           (!observed_.stuck || is_stuck_too(node)) && left_agrees(node);
}

// --- what is said where no run explains ----------------------------------------------------------

// Keeps the mismatch that came farthest; among equals, the first.
void StepSearch::remember(const Node& node, std::size_t call, Difference difference,
                          const std::string& expected) {
    Mismatch& known = mismatches_[call];
    if (known.difference == Difference::kNone || node.mark > known.mark) {
        known = {node.mark, difference, expected};
    }
}

Explanation StepSearch::explain_return(std::size_t call) const {
    const Mismatch& known = mismatches_[call];
    if (known.difference != Difference::kNone) {
        return {known.difference, call, known.expected, deepest_->mark};
    }
    const ObservedCall& observed = observed_.calls[call];
    Observation seen{};
    reference_.observe(deepest_->state, seen);
    if (!seen.callers[observed.caller].calling) {
        const auto [difference, expected] = another_call(observed, Verb::kExit);
        return {difference, call, expected, deepest_->mark};
    }
    return {observed.granted ? Difference::kLooser : Difference::kWrong, call, "still waits",
            deepest_->mark};
}

Explanation StepSearch::deepest() const {
    const Mark* mark = next_mark(*deepest_);
    if (mark == nullptr) {
        return {at_end_kind_, std::nullopt, at_end_, deepest_->mark};
    }
    if (mark->kind == Mark::Kind::kReturned || mark->kind == Mark::Kind::kCalled) {
        return explain_return(mark->call);
    }
    if (mark->kind == Mark::Kind::kHappens) {
        return {Difference::kWrong, std::nullopt, "does not come to this exit", deepest_->mark};
    }
    // The reference's time waits for a call that would answer something else: the latest such call.
    std::size_t last = 0;
    for (std::size_t call = 1; call < mismatches_.size(); ++call) {
        const bool has = mismatches_[call].difference != Difference::kNone;
        last = has && mismatches_[call].mark >= mismatches_[last].mark ? call : last;
    }
    if (mismatches_.empty() || mismatches_[last].difference == Difference::kNone) {
        return {Difference::kUndecided, std::nullopt, "", 0};
    }
    return explain_return(last);
}

}  // namespace lockkeeper::against
