// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/shown_run.hpp"

#include <utility>

namespace lockkeeper {
namespace {

// Counters are the code's own, so no run of outside code shows them.
constexpr std::uint32_t kShown = kHasCapacity | kShowsHistory;

// The bits of an action that a page colours and names.
std::uint32_t bits_of(Action action) {
    switch (action.kind) {
        case ActionKind::kCrash: return kCrashed;
        case ActionKind::kTime: return kTimePassed;
        case ActionKind::kResize: return kResized;
        case ActionKind::kFault:
        case ActionKind::kDisturb: return is_restart(action) ? 0U : std::uint32_t{kWentWrong};
        case ActionKind::kStep:
        case ActionKind::kBackground: return 0;
    }
    return 0;
}

}  // namespace

ShownRun::ShownRun(Source& source)
    : source_(source),
      world_(source.world().world),
      values_({&world_, kShown}),
      callers_(world_.callers.size()),
      operations_(world_.callers.size()) {
    look_at_state();
    overlaps_.look(seen_, 0);
    values_.begin({seen_, callers_});
}

// An effect is safe while no more places are held than there are.
void ShownRun::look_at_state() {
    seen_ = {};
    source_.observe(seen_);
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        callers_[i].granted = seen_.callers[i].believed;
    }
}

void ShownRun::take_state(TraceStep& step) {
    ++steps_;
    look_at_state();
    overlaps_.look(seen_, steps_);
    step.changes = values_.changes({seen_, callers_}, step.event);
}

// "A1 acquire: read db" is "read db" in the lane of A1.
void ShownRun::name(TraceStep& step, const std::string& operation) const {
    step.words.doer = doer_of(step.action);
    step.words.operation = operation;
    step.words.label = step.text;
    step.party = party_index(step.words.doer, step.action, world_.callers.size());
    if (step.words.doer != Doer::kCaller || step.action.actor >= world_.callers.size()) {
        return;
    }
    for (const std::string& beginning :
         {world_.callers[step.action.actor].name + " " + operation + ": ",
          world_.callers[step.action.actor].name + " "}) {
        if (step.text.starts_with(beginning) && step.text.size() > beginning.size()) {
            step.words.label = step.text.substr(beginning.size());
            return;
        }
    }
}

// The calls and returns of this step.
void ShownRun::take_calls(TraceStep& step) {
    std::string operation;
    const bool is_callers =
        doer_of(step.action) == Doer::kCaller && step.action.actor < world_.callers.size();
    if (is_callers) {
        operation = operations_[step.action.actor];
    }
    step.event.what |= bits_of(step.action);
    for (; entries_ < source_.entries().size(); ++entries_) {
        const Ledger::Entry& entry = source_.entries()[entries_];
        const HistoryEntry& shown = entry.shown;
        std::string& own = operations_[shown.caller];
        own = shown.type == HistoryType::kInvoke ? entry.word : own;
        operation =
            is_callers && shown.caller == step.action.actor && !own.empty() ? own : operation;
        own = shown.type == HistoryType::kInvoke ? own : "";
        step.event.caller = shown.caller;
        step.event.key = shown.key;
        step.event.what |= entry.what;
        step.event.invoked = shown.type == HistoryType::kInvoke ? shown.verb : step.event.invoked;
    }
    name(step, operation);
}

void ShownRun::after(TraceStep& step) {
    take_calls(step);
    take_state(step);
}

void ShownRun::after_look(TraceStep& step) {
    name(step, "");
    take_state(step);
}

void ShownRun::finish(Trace& trace) {
    trace.parties = parties_of({&world_, kShown}, world_.callers.size(), source_.servers());
    trace.keys = keys_of({&world_, kShown}, world_.keys.size());
    trace.features = kShown;
    trace.fields = std::move(values_.fields());
    trace.initial_values = std::move(values_.initial());
    trace.overlaps = overlaps_.overlaps();
    trace.judged = source_.world().check;
    for (TraceStep& step : trace.steps) {
        if (step.words.label.empty()) {  // it has not come to its end
            name(step, "");
        }
    }
    for (const Ledger::Entry& entry : source_.entries()) {
        trace.history.push_back(entry.shown);
    }
}

}  // namespace lockkeeper
