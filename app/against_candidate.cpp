#include "app/against_candidate.hpp"

namespace lockkeeper::against {

void RunRecorder::called(std::uint8_t caller, Verb verb, std::uint8_t key) {
    open_[caller] = run_.calls.size();
    ObservedCall call;
    call.caller = caller;
    call.verb = verb;
    call.key = key;
    call.called = run_.actions.size();
    call.resizes = resizes_;
    run_.calls.push_back(call);
}

void RunRecorder::returned(std::uint8_t caller, std::string answer, bool granted, bool refused) {
    if (caller >= kCallersMax || !open_[caller]) {
        return;
    }
    ObservedCall& call = run_.calls[*open_[caller]];
    call.returned = run_.actions.size();
    call.answer = std::move(answer);
    call.granted = granted;
    call.refused = refused;
    open_[caller].reset();
}

void RunRecorder::died(std::uint8_t caller, bool exits) {
    run_.deaths.push_back({caller, run_.actions.size(), exits, open_[caller]});
    open_[caller].reset();
}

}  // namespace lockkeeper::against
