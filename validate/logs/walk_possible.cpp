// SPDX-License-Identifier: Apache-2.0

// Walk: which steps there are.
#include <algorithm>

#include "validate/logs/walk.hpp"

namespace lockkeeper::logs {
namespace {

constexpr LockCode kOperationCodes[] = {LockCode::kAcquire, LockCode::kRelease, LockCode::kRenew};

}  // namespace

// The operations that the line of a lock can show.
void Walk::line_steps(const WalkState& state, std::uint32_t source, bool costly,
                      std::vector<Step>& out) const {
    const Line* line = head(state, source);
    if (line == nullptr || line->seen == Seen::kCall || line->seen == Seen::kAnswer) {
        return;
    }
    const auto add = [&](Whose whose, LockCode code, bool is_refused, std::uint8_t gap = 0) {
        out.push_back({StepKind::kLine, whose, code, is_refused, gap, source});
    };
    const bool is_write = line->seen == Seen::kState && line->is_write;
    if (line->seen != Seen::kServed && !is_write) {
        if (!costly && (line->seen != Seen::kEffect || !waits(state, source, line->caller))) {
            add(Whose::kNone, line->code, false);
            if (line->seen == Seen::kEffect && is_first(state, *line)) {
                add(Whose::kOutside, line->code, false);
            }
        }
        return;
    }
    const std::uint32_t caller = line->caller;
    const CallerState& one = state.callers[caller];
    for (const LockCode code : kOperationCodes) {
        const bool is_shown = is_write ? code != LockCode::kRelease && problem_.model->knows(code)
                                       : code == line->code;
        if (!is_shown) {
            continue;
        }
        const bool is_open = one.phase == Phase::kOpen && answer_of(state, caller).code == code;
        const bool is_refused = is_open && answer_of(state, caller).outcome == Outcome::kRefused;
        if (is_open && !costly && !(is_write && is_refused)) {
            add(Whose::kOpen, code, is_refused);
        }
        const auto both = [&](Whose whose) {
            add(whose, code, false);
            if (!is_write) {
                add(whose, code, true);
            }
        };
        if (costly && can_split(state, caller) && answer_of(state, caller).code == code) {
            both(Whose::kSplit);
        }
        if (!costly && first_stray(state, caller, code) < state.strays.size()) {
            both(Whose::kStray);
        }
        const Weights& weights = problem_.weights_of(caller, code);
        // Who holds and has written has renewed, where there are renewals.
        const bool is_renewal = holds(state, caller) && problem_.model->knows(LockCode::kRenew);
        const bool fits = !is_write || (code == LockCode::kRenew) == is_renewal;
        for (std::uint8_t gap = 0; fits && gap <= one.fresh && one.phase != Phase::kServed; ++gap) {
            const std::size_t before = one.next - gap;
            const bool is_last = !goes_on(state, caller, before);
            for (const bool is_no : {false, true}) {
                const bool has_answer = (is_no ? weights.answer : weights.granted) > 0 && !is_last;
                const bool costs = before > 0 && (weights.call > 0 || has_answer);
                if (costly == costs && !(is_no && is_write) && !is_inside(state, caller, gap)) {
                    add(Whose::kHidden, code, is_no, gap);
                }
            }
        }
    }
}

bool Walk::waits(const WalkState& state, std::uint32_t source, std::uint32_t caller) const {
    const std::vector<Place>& last = problem_.last_of_pieces[caller];
    return std::any_of(last.begin(), last.end(), [&](Place place) {
        return problem_.is_older(place.source, source) &&
               state.cursors[place.source] <= place.position;
    });
}

// No source's next line was made for certain before this one. An effect without the lock touches
// nothing: taken earlier, it would hide from lines before it that the caller's log goes on.
bool Walk::is_first(const WalkState& state, const Line& line) const {
    for (std::uint32_t i = 0; i < state.cursors.size(); ++i) {
        const Line* other = head(state, i);
        if (other != nullptr && other->latest < line.earliest) {
            return false;
        }
    }
    return true;
}

// The caller's log goes on, with this line of its own or an effect: an answer before that was
// written.
bool Walk::goes_on(const WalkState& state, std::uint32_t caller, std::size_t line) const {
    const std::vector<Place>& last = problem_.last_effects[caller];
    return line < problem_.own[caller].size() ||
           std::any_of(last.begin(), last.end(),
                       [&](Place place) { return state.cursors[place.source] <= place.position; });
}

bool Walk::can_split(const WalkState& state, std::uint32_t caller) const {
    const CallerState& one = state.callers[caller];
    if (!one.has_call || problem_.own_line(caller, one.next - 1).is_of_answer ||
        (one.phase != Phase::kOpen && one.phase != Phase::kServed)) {
        return false;
    }
    // A refusal that was served changed nothing: it need not have been.
    return one.phase == Phase::kOpen || answer_of(state, caller).outcome == Outcome::kRefused;
}

void Walk::free_steps(const WalkState& state, std::vector<Step>& out) const {
    for (std::uint32_t i = 0; i < state.strays.size(); ++i) {
        const Stray& stray = state.strays[i];
        const bool is_first = first_stray(state, stray.caller, stray.code) == i;
        if (is_first && served_weight(state, stray.caller, stray.code, false) == 0) {
            out.push_back({StepKind::kStray, Whose::kNone, stray.code, false, 0, i});
        }
    }
    for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
        if (state.callers[i].phase == Phase::kOpen) {
            const Line& answer = answer_of(state, i);
            const bool is_refused = answer.outcome == Outcome::kRefused;
            if (served_weight(state, i, answer.code, is_refused) == 0) {
                out.push_back({StepKind::kServe, Whose::kNone, answer.code, is_refused, 0, i});
            }
        }
    }
    for (std::uint32_t i = 0; i < state.cursors.size(); ++i) {
        line_steps(state, i, false, out);
    }
}

void Walk::hidden_steps(const WalkState& state, std::uint32_t caller,
                        std::vector<Step>& out) const {
    if (can_hold_from_before(state, caller)) {
        out.push_back({StepKind::kHidden, Whose::kInitial, LockCode::kAcquire, false,
                       state.callers[caller].fresh, caller});
    }
    const bool is_holder = holds(state, caller);
    for (const LockCode code : kOperationCodes) {
        const bool can_help = code == LockCode::kAcquire || is_holder;
        for (std::uint8_t gap = 0; gap <= state.callers[caller].fresh; ++gap) {
            if (can_help && problem_.model->knows(code) && !is_inside(state, caller, gap)) {
                out.push_back({StepKind::kHidden, Whose::kNone, code, false, gap, caller});
            }
        }
    }
}

void Walk::costly_steps(const WalkState& state, std::vector<Step>& out) const {
    if (state.now < problem_.costly_from) {
        return;
    }
    for (std::uint32_t i = 0; i < state.strays.size(); ++i) {
        const Stray& stray = state.strays[i];
        const bool is_first =
            problem_.may_cost(stray.caller) && first_stray(state, stray.caller, stray.code) == i;
        if (is_first && served_weight(state, stray.caller, stray.code, false) > 0) {
            out.push_back({StepKind::kStray, Whose::kNone, stray.code, false, 0, i});
        }
    }
    for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
        const CallerState& one = state.callers[i];
        if (!problem_.may_cost(i)) {
            continue;
        }
        if (one.phase == Phase::kOpen) {
            const Line& answer = answer_of(state, i);
            const bool is_refused = answer.outcome == Outcome::kRefused;
            if (served_weight(state, i, answer.code, is_refused) > 0) {
                out.push_back({StepKind::kServe, Whose::kNone, answer.code, is_refused, 0, i});
            }
        }
        if (can_split(state, i)) {
            const LockCode code = answer_of(state, i).code;
            out.push_back({StepKind::kSplit, Whose::kNone, code, false, 0, i});
            out.push_back({StepKind::kSplit, Whose::kOpen, code, false, 0, i});
        }
        if (one.phase != Phase::kServed) {
            hidden_steps(state, i, out);
        }
    }
    for (std::uint32_t i = 0; i < state.cursors.size(); ++i) {
        const Line* line = head(state, i);
        if (line != nullptr && problem_.may_cost(line->caller)) {
            line_steps(state, i, true, out);
        }
    }
}

}  // namespace lockkeeper::logs
