// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/walk.hpp"

#include <algorithm>

namespace lockkeeper::logs {
namespace {

// Further back nobody looks for hidden operations.
constexpr int kFreshMax = 8;

}  // namespace

WalkState Walk::first(Cost& cost, WalkTold* told) const {
    WalkState state;
    state.cursors.resize(problem_.sources.size(), 0);
    state.callers.resize(problem_.callers.size());
    state.lock.units = problem_.has_time() ? kLongAgo : 0;  // a lease's time: before all lines
    read_lines(state, cost, told);
    return state;
}

const Line* Walk::head(const WalkState& state, std::uint32_t source) const {
    const std::vector<Line>& lines = problem_.sources[source];
    return state.cursors[source] < lines.size() ? &lines[state.cursors[source]] : nullptr;
}

bool Walk::is_at_end(const WalkState& state) const {
    for (std::uint32_t i = 0; i < state.cursors.size(); ++i) {
        if (head(state, i) != nullptr) {
            return false;
        }
    }
    return true;
}

bool Walk::is_alive(const WalkState& state) const {
    for (std::uint32_t i = 0; i < state.cursors.size(); ++i) {
        const Line* line = head(state, i);
        const bool touches =
            line != nullptr && (line->seen == Seen::kServed || line->seen == Seen::kState);
        if (touches && line->latest < state.now) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
        if (state.callers[i].phase == Phase::kOpen && answer_of(state, i).latest < state.now) {
            return false;
        }
    }
    return true;
}

const Line& Walk::answer_of(const WalkState& state, std::uint32_t caller) const {
    return problem_.own_line(caller, state.callers[caller].next);
}

// The earliest time of the caller's line so many before its next one.
std::int64_t Walk::since(const WalkState& state, std::uint32_t caller,
                         std::size_t lines_back) const {
    const std::size_t next = state.callers[caller].next;
    return next < lines_back ? kLongAgo : problem_.own_line(caller, next - lines_back).earliest;
}

Walk::Window Walk::open_window(const WalkState& state, std::uint32_t caller, bool is_shown) const {
    const Line& answer = answer_of(state, caller);
    const bool is_bounded =
        !state.callers[caller].has_call && problem_.answer_max < kNever && !is_shown;
    const std::int64_t from = is_bounded ? answer.earliest - problem_.answer_max : kLongAgo;
    return {std::max(from, since(state, caller, 1)), answer.latest};
}

// Between two lines of the caller that follow each other.
Walk::Window Walk::hidden_window(const WalkState& state, std::uint32_t caller,
                                 std::size_t gap) const {
    const std::size_t after = state.callers[caller].next - gap;
    const bool is_last = after >= problem_.own[caller].size();
    return {since(state, caller, gap + 1),
            is_last ? kNever : problem_.own_line(caller, after).latest};
}

bool Walk::is_inside(const WalkState& state, std::uint32_t caller, std::size_t gap) const {
    const CallerState& one = state.callers[caller];
    if (gap == 0) {
        return one.has_call || one.phase == Phase::kBusy;
    }
    if (one.next < gap + 1) {
        return false;
    }
    const Line& before = problem_.own_line(caller, one.next - gap - 1);
    const Line& after = problem_.own_line(caller, one.next - gap);
    return before.seen == Seen::kCall && after.seen == Seen::kAnswer && before.code == after.code;
}

void Walk::touch(WalkState& state, Place place) const {
    for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
        CallerState& one = state.callers[i];
        for (std::size_t number = one.next - one.fresh; number < one.next; ++number) {
            const Place line = problem_.own[i][number];
            if (line.source == place.source && line.position < place.position) {
                one.fresh = static_cast<std::uint8_t>(one.next - number - 1);
            }
        }
    }
}

std::size_t Walk::first_stray(const WalkState& state, std::uint32_t caller, LockCode code) {
    std::size_t i = 0;
    while (i < state.strays.size() &&
           (state.strays[i].caller != caller || state.strays[i].code != code)) {
        ++i;
    }
    return i;
}

bool Walk::holds(const WalkState& state, std::uint32_t caller) const {
    return problem_.has_time() ? state.lock.has(state.lock.place_of(caller, 0), caller, 0)
                               : state.callers[caller].held > 0;
}

bool Walk::may_serve(const WalkState& state, const Served& served) const {
    return !problem_.gives_back_own || served.code != LockCode::kRelease ||
           holds(state, served.caller);
}

std::uint32_t Walk::caller_of(const WalkState& state, const Step& step) const {
    return step.kind == StepKind::kLine    ? head(state, step.number)->caller
           : step.kind == StepKind::kStray ? state.strays[step.number].caller
                                           : step.number;
}

void Walk::lose(std::uint32_t caller, LockCode code, Seen line, Cost& cost, WalkTold* told) const {
    const Weights& weights = problem_.weights_of(caller, code);
    const std::uint8_t weight = line == Seen::kCall     ? weights.call
                                : line == Seen::kServed ? weights.served
                                : line == Seen::kState  ? weights.written
                                                        : weights.answer;
    cost.lost += weight;
    if (told != nullptr && weight > 0) {
        told->lost(caller, code, line);
    }
}

std::uint32_t Walk::served_weight(const WalkState& state, std::uint32_t caller, LockCode code,
                                  bool is_refused) const {
    const bool is_within =
        std::any_of(problem_.servers.begin(), problem_.servers.end(), [&](std::uint32_t source) {
            return state.cursors[source] > 0 && head(state, source) != nullptr;
        });
    const Weights& weights = problem_.weights_of(caller, code);
    return is_within ? weights.served + (is_refused ? 0U : weights.written) : 0U;
}

void Walk::lose_served(const WalkState& state, const Step& step, std::uint32_t caller, Cost& cost,
                       WalkTold* told) const {
    if (served_weight(state, caller, step.code, step.is_refused) > 0) {
        lose(caller, step.code, Seen::kServed, cost, told);
        if (!step.is_refused) {
            lose(caller, step.code, Seen::kState, cost, told);
        }
    }
}

// An operation of which no line is there.
void Walk::pay_hidden(std::uint32_t caller, LockCode code, Cost& cost, WalkTold* told) const {
    if (caller == problem_.stranger || !problem_.is_shown[static_cast<std::size_t>(code)]) {
        ++cost.unseen;
        return;
    }
    const std::uint32_t before = cost.lost;
    lose(caller, code, Seen::kCall, cost, told);
    lose(caller, code, Seen::kServed, cost, told);
    lose(caller, code, Seen::kState, cost, told);
    lose(caller, code, Seen::kAnswer, cost, told);
    // Others show this operation; of this caller no line is left.
    cost.lost += cost.lost == before ? 1 : 0;
}

// The caller's operation begins whose answer is known and ahead.
void Walk::open(WalkState& state, std::uint32_t caller, bool has_call) const {
    CallerState& one = state.callers[caller];
    const Line& answer = answer_of(state, caller);
    if (answer.outcome == Outcome::kUnknown) {
        state.strays.push_back({caller, answer.code, one.next});
    }
    const bool is_decided = answer.outcome == Outcome::kOk || answer.outcome == Outcome::kRefused;
    one.phase = is_decided ? Phase::kOpen : Phase::kAnswering;
    one.has_call = has_call;
}

bool Walk::begin_without_call(WalkState& state, std::uint32_t caller, Cost& cost,
                              WalkTold* told) const {
    const CallerState& one = state.callers[caller];
    if (one.phase != Phase::kIdle || one.next >= problem_.own[caller].size()) {
        return false;
    }
    const Line& next = answer_of(state, caller);
    if (next.seen != Seen::kAnswer || waits(state, problem_.own[caller][one.next].source, caller)) {
        return false;
    }
    if (one.next > 0) {
        lose(caller, next.code, Seen::kCall, cost, told);
    }
    open(state, caller, false);
    return true;
}

void Walk::read_call(WalkState& state, const Line& line, WalkTold* told) const {
    CallerState& one = state.callers[line.caller];
    ++one.next;
    one.fresh = static_cast<std::uint8_t>(std::min(kFreshMax, one.fresh + 1));
    const bool is_last = one.next >= problem_.own[line.caller].size();
    if (!is_last) {
        const Line& next = answer_of(state, line.caller);
        if (next.seen == Seen::kAnswer && next.code == line.code) {
            open(state, line.caller, true);
            return;
        }
        if (told != nullptr) {
            told->unanswered(line.caller, line.code);
        }
    }
    state.strays.push_back({line.caller, line.code, one.next});
}

// A caller's line that is the next of its source. False: it has to wait, or touches the lock.
bool Walk::read_line(WalkState& state, std::uint32_t source, WalkTold* told) const {
    const Line* line = head(state, source);
    if (line == nullptr || (line->seen != Seen::kCall && line->seen != Seen::kAnswer)) {
        return false;
    }
    const Place place{source, state.cursors[source]};
    CallerState& one = state.callers[line->caller];
    if (!(problem_.own[line->caller][one.next] == place) || waits(state, source, line->caller)) {
        return false;  // another source has what this caller did before
    }
    const bool is_call = line->seen == Seen::kCall;
    if (!is_call && one.phase != Phase::kServed && one.phase != Phase::kAnswering &&
        one.phase != Phase::kBusy) {
        return false;
    }
    ++state.cursors[source];
    if (told != nullptr) {
        told->read(place);
    }
    if (is_call) {
        read_call(state, *line, told);
    } else {
        ++one.next;
        const bool was_served = one.phase == Phase::kServed || one.phase == Phase::kBusy;
        one.fresh = was_served ? std::uint8_t{0}
                               : static_cast<std::uint8_t>(std::min(kFreshMax, one.fresh + 1));
        one.phase = Phase::kIdle;
        one.has_call = false;
    }
    return true;
}

void Walk::read_lines(WalkState& state, Cost& cost, WalkTold* told) const {
    bool goes_on = true;
    while (goes_on) {
        goes_on = false;
        for (std::uint32_t caller = 0; caller < state.callers.size(); ++caller) {
            goes_on = begin_without_call(state, caller, cost, told) || goes_on;
        }
        for (std::uint32_t source = 0; source < state.cursors.size(); ++source) {
            while (read_line(state, source, told)) {
                goes_on = true;
            }
        }
    }
    std::sort(state.strays.begin(), state.strays.end(), [](const Stray& left, const Stray& right) {
        return left.caller != right.caller ? left.caller < right.caller
               : left.code != right.code   ? left.code < right.code
                                           : left.line < right.line;
    });
}

}  // namespace lockkeeper::logs
