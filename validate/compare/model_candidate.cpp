// SPDX-License-Identifier: Apache-2.0

// A model of the registry as a candidate.
#include <algorithm>

#include "validate/compare/answers.hpp"

namespace lockkeeper::against {
namespace {

class ModelCandidate : public Candidate {
  public:
    ModelCandidate(ErasedSystem system, bool with_counts)
        : system_(std::move(system)), with_counts_(with_counts), state_(system_.initial()) {}

    void begin() override {
        state_ = system_.initial();
        now_ = kBeginning;
        recorder_ = {};
    }

    std::vector<Action> choices() override {
        ActionList all;
        system_.enabled(state_, all);
        return {all.begin(), all.end()};
    }

    void take(Action action) override {
        const Event event = system_.apply(state_, action);
        recorder_.step(action);
        if (action.kind == ActionKind::kTime) {
            now_ = instant_after(system_, state_, now_, action);
            recorder_.time_is(now_);
        }
        if (event.is(kCrashed)) {
            recorder_.died(event.caller, event.is(kInvoked));
            return;
        }
        if (event.is(kInvoked) || event.passed_signal()) {
            recorder_.called(event.caller, event.invoked, event.key);
        }
        if ((event.what & kReturns) != 0 || event.passed_signal()) {
            recorder_.returned(event.caller, answer_of(system_, event, with_counts_));
        }
    }

    ObservedRun finish() override {
        ObservedRun& run = recorder_.run();
        const std::vector<Action> left = choices();
        run.stuck = std::all_of(left.begin(), left.end(), is_fault) && !system_.finished(state_);
        if (run.stuck) {
            note_who_cannot_begin();
        }
        run.at_rest = system_.finished(state_) && system_.quiescent(state_);
        if (run.at_rest) {
            units_of(system_, state_, run.units_least, run.units_most);
            run.grants = grants_of(system_, state_);
        }
        return std::move(run);
    }

  private:
    // An acquire that would wait before its first step has not begun in the model. To its caller it
    // is a call that does not return. Of one key: the state does not say which one it would be.
    void note_who_cannot_begin() {
        Observation seen{};
        system_.observe(state_, seen);
        for (std::uint8_t i = 0; i < seen.callers_count && seen.keys_count == 1; ++i) {
            const CallerObservation& caller = seen.callers[i];
            const bool is_at_rest = !caller.dead && !caller.finished && !caller.calling;
            if (is_at_rest &&
                system_.class_of(state_, {i, ActionKind::kStep, 0}) == ActionClass::kArrival) {
                recorder_.called(i, Verb::kAcquire, 0);
            }
        }
    }

    ErasedSystem system_;
    bool with_counts_;
    ErasedSystem::State state_;
    std::int32_t now_ = kBeginning;
    RunRecorder recorder_;
};

}  // namespace

void RunRecorder::called(std::uint8_t caller, Verb verb, std::uint8_t key) {
    // A sleep ends by itself: its caller shows it when it calls again.
    returned(caller, {kDoneWord});
    open_[caller] = run_.calls.size();
    ObservedCall call;
    call.caller = caller;
    call.verb = verb;
    call.key = key;
    call.called = run_.actions.size();
    call.resizes = resizes_;
    run_.calls.push_back(call);
}

void RunRecorder::returned(std::uint8_t caller, const Answer& answer, bool unnamed) {
    if (caller >= kCallersMax || !open_[caller]) {
        return;
    }
    ObservedCall& call = run_.calls[*open_[caller]];
    call.returned = run_.actions.size();
    static_cast<Answer&>(call) = answer;
    call.unnamed = unnamed;
    open_[caller].reset();
}

void RunRecorder::died(std::uint8_t caller, bool exits) {
    run_.deaths.push_back({caller, run_.actions.size(), exits, open_[caller]});
    open_[caller].reset();
}

std::unique_ptr<Candidate> model_candidate(ErasedSystem system, bool with_counts) {
    return std::make_unique<ModelCandidate>(std::move(system), with_counts);
}

}  // namespace lockkeeper::against
