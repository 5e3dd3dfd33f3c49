// SPDX-License-Identifier: Apache-2.0
#include "validate/compare/step_search.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "validate/compare/answers.hpp"

namespace lockkeeper::against {
namespace {

bool concerns_nobody_else(Verb verb) {
    return verb == Verb::kSleep || verb == Verb::kSignal || verb == Verb::kWait;
}

}  // namespace

StepSearch::StepSearch(const ErasedSystem& reference, bool has_clock, Compares compares,
                       const ObservedRun& observed, const Marks& marks)
    : reference_(reference),
      compares_(compares),
      observed_(observed),
      marks_(marks),
      mismatches_(observed.calls.size()) {
    if (has_clock) {
        Observation seen{};
        reference_.observe(reference_.initial(), seen);
        clock_ = static_cast<std::uint8_t>(seen.callers_count - 1);
    }
}

const Mark* StepSearch::next_mark(const Node& node) const {
    return node.mark < marks_.marks.size() ? &marks_.marks[node.mark] : nullptr;
}

std::optional<std::size_t> StepSearch::open_call(const Node& node, std::size_t caller) const {
    const auto& open = marks_.open[node.mark];
    return caller < open.size() ? open[caller] : std::nullopt;
}

bool StepSearch::is_new(const Node& node) {
    const std::uint64_t numbers[] = {node.mark, node.returned, node.faults,
                                     static_cast<std::uint64_t>(node.now)};
    std::string fingerprint(reinterpret_cast<const char*>(numbers), sizeof(numbers));
    fingerprint.append(reinterpret_cast<const char*>(node.state.bytes.data()),
                       reference_.used_bytes());
    return seen_.insert(std::move(fingerprint)).second;
}

// --- one step of the reference -----------------------------------------------------------------

std::int32_t StepSearch::arrival(const Node& node, Action action) const {
    State state = node.state;
    reference_.apply(state, action);
    return instant_after(reference_, state, node.now, action);
}

bool StepSearch::may_take(const Node& node, Action action) const {
    switch (action.kind) {
        case ActionKind::kBackground: return true;
        case ActionKind::kStep:
        case ActionKind::kFault:
            return open_call(node, action.actor) && !has_returned(node, action.actor);
        case ActionKind::kTime: {
            const Mark* mark = next_mark(node);
            // Where the candidate is stuck for ever, the reference has all the time there is.
            return mark == nullptr
                       ? observed_.stuck
                       : mark->kind == Mark::Kind::kTime && arrival(node, action) <= mark->instant;
        }
        case ActionKind::kCrash:
        case ActionKind::kResize:
        case ActionKind::kDisturb: return false;
    }
    return false;
}

bool StepSearch::meets_fault(Node& node, std::size_t call, Action action) const {
    for (std::size_t i = 0; i < marks_.faults.size(); ++i) {
        const StepFault& fault = marks_.faults[i];
        const Mask bit = Mask{1} << i;
        if (fault.call == call && fault.argument == action.argument && (node.faults & bit) == 0) {
            node.faults |= bit;
            return true;
        }
    }
    return false;
}

// False: the reference has made another call, or answered something else.
bool StepSearch::judge(Node& node, std::size_t call, const Event& event) {
    const ObservedCall& observed = observed_.calls[call];
    const bool begins = event.is(kInvoked) || event.passed_signal();
    if (begins && (event.invoked != observed.verb || event.key != observed.key)) {
        const auto [difference, expected] = another_call(observed, event.invoked);
        remember(node, call, difference, expected);
        return false;
    }
    if ((event.what & kReturns) == 0 && !event.passed_signal()) {
        return true;
    }
    const Answer answer = answer_of(reference_, event, compares_.counts);
    if (observed.returned && !is_same_answer(observed, answer)) {
        remember(node, call, difference_of(observed, answer), answer.text);
        return false;
    }
    node.returned |= Mask{1} << observed.caller;
    return true;
}

std::optional<StepSearch::Node> StepSearch::after(const Node& node, Action action) {
    Node next = node;
    try {
        const Event event = reference_.apply(next.state, action);
        switch (action.kind) {
            case ActionKind::kTime:
                next.now = instant_after(reference_, next.state, node.now, action);
                settle(next);
                break;
            case ActionKind::kStep:
            case ActionKind::kFault: {
                const std::size_t call = *open_call(node, action.actor);
                const bool may_go_wrong =
                    action.kind == ActionKind::kStep || meets_fault(next, call, action);
                if (!may_go_wrong || !judge(next, call, event)) {
                    return std::nullopt;
                }
                break;
            }
            default: break;
        }
    } catch (const LimitExceeded&) {
        meets_limit_ = true;
        return std::nullopt;
    }
    return next;
}

// Takes the steps that concern nobody else and cannot come too early: sleeps that are over, the
// clock's among them.
void StepSearch::settle(Node& node) {
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        ActionList possible;
        reference_.enabled(node.state, possible);
        for (const Action action : possible) {
            if (action.kind != ActionKind::kStep) {
                continue;
            }
            const auto call = open_call(node, action.actor);
            const bool sleeps = call && !has_returned(node, action.actor) &&
                                observed_.calls[*call].verb == Verb::kSleep;
            if (clock_ == action.actor || sleeps) {
                const Event event = reference_.apply(node.state, action);
                goes_on = true;
                if (sleeps) {
                    static_cast<void>(judge(node, *call, event));
                }
                break;
            }
        }
    }
}

// --- what may come next --------------------------------------------------------------------------

// The first of the candidate's actions before the next mark that is possible; `guide` goes on
// behind it.
std::optional<Action> StepSearch::imitate(const Node& node, const ActionList& possible,
                                          std::size_t& guide) const {
    const Mark* mark = next_mark(node);
    const std::size_t end = mark == nullptr ? observed_.actions.size()
                                            : mark->action + (mark->follows_its_action() ? 1U : 0U);
    for (std::size_t i = node.guide; i < end; ++i) {
        Action action = observed_.actions[i];
        guide = i + 1;
        if (action.kind == ActionKind::kTime) {
            const std::int32_t instant = marks_.instants[i];
            const auto* offered = std::find_if(possible.begin(), possible.end(), [](Action one) {
                return one.kind == ActionKind::kTime;
            });
            if (node.now >= instant || offered == possible.end()) {
                continue;
            }
            guide = i + (arrival(node, *offered) < instant ? 0U : 1U);
            action = *offered;
        }
        if (possible.contains(action) && may_take(node, action)) {
            return action;
        }
    }
    return std::nullopt;
}

// The last one is tried first.
void StepSearch::expand(const Node& node) {
    ActionList possible;
    reference_.enabled(node.state, possible);
    const auto take = [&](Action action, std::size_t guide) {
        if (!possible.contains(action) || !may_take(node, action)) {
            return;
        }
        if (auto next = after(node, action)) {
            next->guide = guide;
            open_.push_back(*next);
        }
    };
    for (const ActionKind kind : {ActionKind::kTime, ActionKind::kBackground, ActionKind::kStep}) {
        for (const Action action : possible) {
            if (action.kind == kind) {
                take(action, node.guide);
            }
        }
    }
    for (const StepFault& fault : marks_.faults) {
        const std::uint8_t caller = observed_.calls[fault.call].caller;
        if (open_call(node, caller) == fault.call) {
            take({caller, ActionKind::kFault, fault.argument}, node.guide);
        }
    }
    if (next_mark(node) != nullptr) {
        pass_mark(node);
    }
    std::size_t guide = 0;
    if (const auto action = imitate(node, possible, guide)) {
        take(*action, guide);
    }
}

void StepSearch::pass_mark(const Node& node) {
    const Mark& mark = *next_mark(node);
    Node next = node;
    ++next.mark;
    next.guide = std::max(node.guide, mark.action + 1);
    switch (mark.kind) {
        case Mark::Kind::kCalled:
            next.guide = std::max(node.guide, mark.action);
            if (begin_call(next, mark.call)) {
                open_.push_back(next);
            }
            return;
        case Mark::Kind::kReturned:
            if (has_returned(node, observed_.calls[mark.call].caller)) {
                open_.push_back(next);
            }
            return;
        case Mark::Kind::kTime:
            if (node.now == mark.instant) {
                open_.push_back(next);
            }
            return;
        case Mark::Kind::kMayHappen: open_.push_back(next); [[fallthrough]];
        case Mark::Kind::kHappens: happen(node, next, mark);
    }
}

// Sleeps, signals and waits for them are taken when the candidate takes them. False: the reference
// does something else.
bool StepSearch::begin_call(Node& node, std::size_t call) {
    const ObservedCall& observed = observed_.calls[call];
    node.returned &= ~(Mask{1} << observed.caller);
    if (!concerns_nobody_else(observed.verb)) {
        return true;
    }
    const Action step{observed.caller, ActionKind::kStep, 0};
    ActionList possible;
    reference_.enabled(node.state, possible);
    auto next = possible.contains(step) ? after(node, step) : std::nullopt;
    if (!next) {
        remember(node, call, Difference::kWrong, kMakesNoSuchCall);
        return false;
    }
    node = *next;
    settle(node);
    return true;
}

void StepSearch::happen(const Node& node, Node next, const Mark& mark) {
    ActionList possible;
    reference_.enabled(node.state, possible);
    // Whoever has finished and left nothing behind dies without an effect.
    const bool is_possible = possible.contains(mark.taken);
    if (!is_possible && mark.taken.kind != ActionKind::kCrash) {
        return;
    }
    if (is_possible) {
        const Event event = reference_.apply(next.state, mark.taken);
        if (mark.taken.kind == ActionKind::kStep && !event.is(kCrashed)) {
            return;
        }
    }
    open_.push_back(next);
}

// --- the search --------------------------------------------------------------------------------

Explanation StepSearch::explain() {
    Explanation unknown{Difference::kUndecided, std::nullopt, "", 0};
    if (marks_.faults.size() > kFaultsAtMost || marks_.open.back().size() > kCallersAtMost) {
        return unknown;
    }
    Node first{reference_.initial(), 0, 0, 0, 0, kBeginning};
    settle(first);
    open_.push_back(first);
    while (!open_.empty()) {
        const Node node = open_.back();
        open_.pop_back();
        if (!is_new(node)) {
            continue;
        }
        if (seen_.size() > kStatesMax) {
            return unknown;
        }
        if (!deepest_ || node.mark > deepest_->mark) {
            deepest_ = node;
        }
        if (next_mark(node) == nullptr && ends_well(node)) {
            const std::string& wrong = observed_.misbehaves;
            return wrong.empty() ? Explanation{}
                                 : Explanation{Difference::kWrong, std::nullopt, wrong, node.mark};
        }
        expand(node);
    }
    return meets_limit_ ? unknown : deepest();
}

}  // namespace lockkeeper::against
