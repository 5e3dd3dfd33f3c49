// SPDX-License-Identifier: Apache-2.0

// Walk: what each step does to the lock.
#include <algorithm>
#include <cstring>
#include <utility>

#include "validate/logs/walk.hpp"

namespace lockkeeper::logs {

Walk::Window Walk::window_of(const WalkState& state, const Step& step) const {
    Window window{state.now, kNever};
    const auto narrow = [&](Window other) {
        window.earliest = std::max(window.earliest, other.earliest);
        window.latest = std::min(window.latest, other.latest);
    };
    const std::uint32_t caller = caller_of(state, step);
    const bool is_line = step.kind == StepKind::kLine;
    if (is_line) {
        const Line& line = *head(state, step.number);
        narrow({line.earliest, line.latest});
    }
    if (step.kind == StepKind::kServe || step.whose == Whose::kOpen ||
        step.whose == Whose::kSplit) {
        narrow(open_window(state, caller, is_line));
    }
    if (step.kind == StepKind::kHidden || (is_line && step.whose == Whose::kHidden)) {
        narrow(hidden_window(state, caller, step.gap));
    }
    if (step.kind == StepKind::kStray || (is_line && step.whose == Whose::kStray)) {
        const std::uint32_t line = line_before(state, step);
        narrow({line == 0 ? kLongAgo : problem_.own_line(caller, line - 1).earliest, kNever});
    }
    return window;
}

bool Walk::can_hold_from_before(const WalkState& state, std::uint32_t caller) const {
    bool is_free = true;  // a lease has one holder
    for (std::uint32_t i = 0; problem_.has_time() && i < state.callers.size(); ++i) {
        is_free = is_free && !holds(state, i);
    }
    const CallerState& one = state.callers[caller];
    return is_free && !state.has_begun && one.next == one.fresh;
}

void Walk::begin_stray(WalkState& state, std::uint32_t caller, LockCode code,
                       std::uint32_t line) const {
    const std::size_t own = problem_.own[caller].size();
    const bool has_call = line > 0 && problem_.own_line(caller, line - 1).seen == Seen::kCall &&
                          problem_.own_line(caller, line - 1).code == code;
    if (has_call || line >= own || problem_.own_line(caller, line).seen != Seen::kAnswer ||
        problem_.own_line(caller, line).code != code) {
        return;
    }
    CallerState& one = state.callers[caller];
    if (one.next == line) {
        one.phase = Phase::kBusy;
    } else {
        one.fresh =
            static_cast<std::uint8_t>(std::min<std::uint32_t>(one.fresh, one.next - line - 1));
    }
}

std::uint32_t Walk::line_before(const WalkState& state, const Step& step) const {
    const bool is_line = step.kind == StepKind::kLine;
    if (step.kind == StepKind::kStray) {
        return state.strays[step.number].line;
    }
    const std::uint32_t caller = caller_of(state, step);
    if (is_line && (step.whose == Whose::kNone || step.whose == Whose::kOutside)) {
        return 0;
    }
    if (is_line && step.whose == Whose::kStray) {
        return state.strays[first_stray(state, caller, step.code)].line;
    }
    const bool is_hidden = step.kind == StepKind::kHidden || step.whose == Whose::kHidden;
    return state.callers[caller].next - (is_hidden ? step.gap : 0U);
}

LockOperation Walk::operation_of(const Served& served) const {
    LockOperation operation;
    operation.code = served.code;
    operation.owner = served.caller;
    operation.is_refused = served.is_refused;
    operation.earliest = served.window.earliest;
    operation.latest = served.window.latest;
    return operation;
}

// Time goes on, and nobody does anything: an exit of somebody who never holds.
Walk::Taken Walk::pass(WalkState& state, Window window) const {
    if (window.earliest > window.latest) {
        return Taken::kNo;
    }
    state.now = window.earliest;
    if (!problem_.has_time()) {
        return Taken::kYes;
    }
    const Served nobody{kNobody, LockCode::kExit, false, window};
    const bool is_done =
        problem_.model->step(state.lock, operation_of(nobody)) == StepResult::kDone;
    state.now = std::max(state.now, state.lock.units);
    return is_done ? Taken::kYes : Taken::kNo;
}

Walk::Taken Walk::serve(WalkState& state, const Served& served) const {
    if (served.window.earliest > served.window.latest || !may_serve(state, served)) {
        return Taken::kNo;
    }
    const StepResult result = problem_.model->step(state.lock, operation_of(served));
    if (result != StepResult::kDone) {
        return result == StepResult::kNoRoom ? Taken::kNoRoom : Taken::kNo;
    }
    state.now = served.window.earliest;
    if (problem_.has_time()) {
        state.now = std::max(state.now, state.lock.units);
        return Taken::kYes;
    }
    std::uint16_t& held = state.callers[served.caller].held;
    if (served.code == LockCode::kAcquire) {
        ++held;
    } else if (held > 0) {
        --held;  // else it gives back what another took, which models without owners allow
    }
    return Taken::kYes;
}

Walk::Taken Walk::refuse(WalkState& state, const Served& served) const {
    if (served.window.earliest > served.window.latest) {
        return Taken::kNo;
    }
    if (served.code == LockCode::kAcquire && !problem_.leaves_out_callers) {
        const StepResult result = problem_.model->refuse(state.lock, operation_of(served));
        state.now = problem_.has_time() ? std::max(served.window.earliest, state.lock.units)
                                        : served.window.earliest;
        return result == StepResult::kDone     ? Taken::kYes
               : result == StepResult::kNoRoom ? Taken::kNoRoom
                                               : Taken::kNo;
    }
    if (served.code == LockCode::kAcquire || !holds(state, served.caller)) {
        return pass(state, served.window);
    }
    if (!problem_.has_time()) {
        return Taken::kNo;
    }
    // "Not yours any more": the lease has run out, and is gone for good.
    const std::size_t own = state.lock.place_of(served.caller, 0);
    Window window = served.window;
    window.earliest = std::max(window.earliest, state.lock.holds[own].number);
    const Taken taken = pass(state, window);
    if (taken == Taken::kYes) {
        state.lock.erase(own);
        state.lock.units_least = 0;
        state.lock.lease_length = 0;
    }
    return taken;
}

bool Walk::names_another(const WalkState& state, std::uint32_t caller) const {
    const std::uint32_t holder = answer_of(state, caller).holder;
    return holder != kNobody && !holds(state, holder);
}

Walk::Taken Walk::take_state(WalkState& state, const Line& line, Window window) const {
    if (pass(state, window) == Taken::kNo) {
        return Taken::kNo;
    }
    std::int64_t units = 0;
    for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
        units += holds(state, i) ? std::max<std::int64_t>(1, state.callers[i].held) : 0;
    }
    if (line.count >= 0) {
        return line.count == units && (line.caller == kNobody || holds(state, line.caller))
                   ? Taken::kYes
                   : Taken::kNo;
    }
    if (line.caller != kNobody) {
        return holds(state, line.caller) ? Taken::kYes : Taken::kNo;
    }
    if (units == 0 || !problem_.has_time()) {
        return units == 0 ? Taken::kYes : Taken::kNo;
    }
    // Nobody holds: the lease has run out by then.
    window.earliest = std::max(state.now, state.lock.holds[0].number);
    return pass(state, window);
}

Walk::Taken Walk::take_effect(WalkState& state, const Line& line, Window window) const {
    if (!problem_.has_time()) {
        return holds(state, line.caller) ? pass(state, window) : Taken::kNo;
    }
    const Served effect{line.caller, LockCode::kWrite, false, window};
    if (problem_.model->step(state.lock, operation_of(effect)) != StepResult::kDone) {
        return Taken::kNo;
    }
    state.now = std::max(window.earliest, state.lock.units);
    return Taken::kYes;
}

Walk::Taken Walk::take_line(WalkState& state, const Step& step, Cost& cost, WalkTold* told) const {
    const Line line = *head(state, step.number);
    const Window window = window_of(state, step);
    ++state.cursors[step.number];
    if (step.whose == Whose::kOutside) {
        ++cost.uncovered;
        return Taken::kYes;
    }
    if (step.whose == Whose::kNone) {
        return line.seen == Seen::kEffect ? take_effect(state, line, window)
                                          : take_state(state, line, window);
    }
    if (step.whose == Whose::kOpen) {
        if (step.is_refused && names_another(state, line.caller)) {
            return Taken::kNo;
        }
        state.callers[line.caller].phase = Phase::kServed;
    } else if (step.whose == Whose::kSplit) {
        split(state, line.caller, step.code, cost, told);
    } else if (step.whose == Whose::kStray) {
        const auto stray = std::find_if(
            state.strays.begin(), state.strays.end(),
            [&](const Stray& one) { return one.caller == line.caller && one.code == step.code; });
        state.strays.erase(stray);
    } else {
        // The caller's log can have begun later, and its answer been about to come at the end.
        const std::size_t before = state.callers[line.caller].next - step.gap;
        if (before > 0) {
            lose(line.caller, step.code, Seen::kCall, cost, told);
        }
        const bool has_answer =
            step.is_refused || problem_.weights_of(line.caller, step.code).granted > 0;
        if (has_answer && before > 0 && goes_on(state, line.caller, before)) {
            lose(line.caller, step.code, Seen::kAnswer, cost, told);
        }
    }
    const Served served{line.caller, step.code, step.is_refused, window};
    return step.is_refused ? refuse(state, served) : serve(state, served);
}

// The step has been taken: what came after it in the order of lines came after it in time.
void Walk::settle(WalkState& state, const Step& step, Place place, std::uint32_t caller,
                  std::uint32_t behind) const {
    const bool only_splits = step.kind == StepKind::kSplit && step.whose == Whose::kNone;
    if (only_splits || step.whose == Whose::kOutside) {
        return;
    }
    state.has_begun = state.has_begun || step.whose != Whose::kInitial;
    touch(state, place);
    if (behind > 0) {
        touch(state, problem_.own[caller][behind - 1]);
    }
    if (step.kind != StepKind::kLine || step.whose != Whose::kNone) {
        CallerState& one = state.callers[caller];
        one.fresh =
            static_cast<std::uint8_t>(std::min<std::uint32_t>(one.fresh, one.next - behind));
    }
    if (step.kind == StepKind::kStray || step.whose == Whose::kStray) {
        begin_stray(state, caller, step.code, behind);
    }
}

void Walk::split(WalkState& state, std::uint32_t caller, LockCode code, Cost& cost,
                 WalkTold* told) const {
    state.callers[caller].has_call = false;
    state.callers[caller].phase = Phase::kOpen;
    lose(caller, code, Seen::kCall, cost, told);
    if (told != nullptr) {
        told->unanswered(caller, code);
    }
}

// No caller's hidden operation could still have been before the place.
bool Walk::is_ordered(const WalkState& state, Place place) const {
    WalkState after = state;
    touch(after, place);
    return std::equal(state.callers.begin(), state.callers.end(), after.callers.begin(),
                      [](const CallerState& left, const CallerState& right) {
                          return left.fresh == right.fresh;
                      });
}

void Walk::refuse_early(WalkState& state, const Step& step, std::int64_t time,
                        WalkTold* told) const {
    const bool is_step = step.kind != StepKind::kSplit && step.whose != Whose::kOutside;
    if (problem_.has_time() || !is_step || step.gap > 0) {
        return;
    }
    for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
        const bool is_other = step.kind == StepKind::kLine || i != step.number;
        if (!is_other || state.callers[i].phase != Phase::kOpen ||
            (step.kind == StepKind::kLine && head(state, step.number)->caller == i)) {
            continue;
        }
        const Line& answer = answer_of(state, i);
        const Step early{StepKind::kServe, Whose::kNone, answer.code, true, 0, i};
        const Window window = window_of(state, early);
        // Without a call it may begin later, and its caller do something hidden before.
        const bool is_possible = answer.outcome == Outcome::kRefused && !names_another(state, i) &&
                                 state.callers[i].has_call && window.earliest <= time &&
                                 window.earliest <= window.latest &&
                                 served_weight(state, i, answer.code, true) == 0;
        const std::uint32_t behind = state.callers[i].next;
        if (!is_possible || (behind > 0 && !is_ordered(state, problem_.own[i][behind - 1]))) {
            continue;
        }
        WalkState after = state;
        const bool is_done = refuse(after, {i, answer.code, true, window}) == Taken::kYes &&
                             std::memcmp(&after.lock, &state.lock, sizeof(LockState)) == 0;
        if (is_done) {
            after.callers[i].phase = Phase::kServed;
            settle(after, early, {kNobody, 0}, i, behind);
            if (told != nullptr) {
                told->took(early, state, after, window.latest);
            }
            state = std::move(after);
        }
    }
}

Walk::Taken Walk::take(WalkState& state, const Step& step, Cost& cost, WalkTold* told) const {
    refuse_early(state, step, window_of(state, step).earliest, told);
    WalkState before;
    if (told != nullptr) {
        before = state;
    }
    const Window window = window_of(state, step);
    const std::uint32_t behind = line_before(state, step);
    const Place place = step.kind == StepKind::kLine
                            ? Place{step.number, state.cursors[step.number]}
                            : Place{kNobody, 0};
    const std::uint32_t caller = caller_of(state, step);
    Taken taken = Taken::kYes;
    const Served served{caller, step.code, step.is_refused, window};
    switch (step.kind) {
        case StepKind::kServe:
            if (step.is_refused && names_another(state, step.number)) {
                return Taken::kNo;
            }
            state.callers[step.number].phase = Phase::kServed;
            lose_served(state, step, caller, cost, told);
            taken = step.is_refused ? refuse(state, served) : serve(state, served);
            break;
        case StepKind::kStray:
            lose_served(state, step, caller, cost, told);
            state.strays.erase(state.strays.begin() + step.number);
            taken = serve(state, served);
            break;
        case StepKind::kHidden:
            if (step.whose == Whose::kInitial) {
                ++cost.unseen;
            } else {
                pay_hidden(caller, step.code, cost, told);
            }
            taken = serve(state, served);
            break;
        case StepKind::kSplit:
            split(state, caller, step.code, cost, told);
            if (step.whose == Whose::kOpen) {
                lose_served(state, step, caller, cost, told);
                taken = serve(state, served);
            }
            break;
        case StepKind::kLine: taken = take_line(state, step, cost, told); break;
    }
    if (taken == Taken::kYes) {
        settle(state, step, place, caller, behind);
        if (told != nullptr) {
            told->took(step, before, state, window.latest);
        }
        read_lines(state, cost, told);
    }
    return taken;
}

std::string Walk::refusal(const WalkState& state, const Step& step) const {
    const Window window = window_of(state, step);
    if (window.earliest > window.latest) {
        return "it is too late for it: what came before cannot have happened so early";
    }
    const std::uint32_t caller = caller_of(state, step);
    const Line* line = step.kind == StepKind::kLine ? head(state, step.number) : nullptr;
    if (line != nullptr && line->seen == Seen::kState && !line->is_write) {
        return caller == kNobody ? "somebody holds it"
                                 : problem_.callers[caller] + " does not hold it";
    }
    const Served served{caller, step.code, step.is_refused, window};
    if (!step.is_refused) {
        return problem_.model->refusal(state.lock, operation_of(served));
    }
    const bool is_open = state.callers[caller].phase == Phase::kOpen;
    if (is_open && names_another(state, caller)) {
        return problem_.callers[answer_of(state, caller).holder] + ", whom the refusal names, " +
               "does not hold it";
    }
    return step.code == LockCode::kAcquire ? "it is refused, and is free"
                                           : "it is refused, and the caller holds it";
}

}  // namespace lockkeeper::logs
