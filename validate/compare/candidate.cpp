// SPDX-License-Identifier: Apache-2.0
#include "validate/compare/candidate.hpp"

#include "validate/compare/answers.hpp"

namespace lockkeeper::against {

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

}  // namespace lockkeeper::against
