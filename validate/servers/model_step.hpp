// Which statement a step of the model is: the system says it by an id (model/server_step.hpp),
// never by the words of its reports. A step that no server could be told is an error of the
// harness.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "validate/servers/subject.hpp"

namespace lockkeeper::databases {

using Step = ServerStep;
using StepFault = ServerFault;
using ModelStep = ServerAct;

class UnknownStep : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// In this state, enabled or not. Throws UnknownStep.
[[nodiscard]] ModelStep step_of(const Subject& subject, const ErasedSystem::State& state,
                                Action action);

// It goes on at the server, without its caller: the walk takes it at once.
[[nodiscard]] constexpr bool is_at_server(Step step) {
    return step == Step::kGoesOn || step == Step::kDelete || step == Step::kDeleteEnds;
}

// ... without any client.
[[nodiscard]] constexpr bool goes_on_by_itself(Step step) {
    return step == Step::kSessionGoesOn || step == Step::kRenewalGoesOn;
}

// A timer of the server, which takes real time. Those of leases are virtual.
[[nodiscard]] constexpr bool is_timer(Step step) {
    return step == Step::kLooksForDeadlock || step == Step::kTimesOut;
}

// A statement of a caller, or its answer, is lost with the connection.
[[nodiscard]] constexpr bool loses_connection(const ModelStep& step) {
    return step.fault == StepFault::kRequestLost || step.fault == StepFault::kReplyLost ||
           step.step == Step::kConnectionLost;
}

// What may wait for a lock, and for how long is said to the server before.
[[nodiscard]] constexpr bool has_timers(Step step) {
    return step == Step::kLock || step == Step::kDelete || step == Step::kDeleteEnds;
}

}  // namespace lockkeeper::databases
