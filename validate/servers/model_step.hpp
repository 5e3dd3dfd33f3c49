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

// Of the actor's step in this state, enabled or not; of leases, of any action. Throws UnknownStep.
[[nodiscard]] ModelStep step_of(const Subject& subject, const ErasedSystem::State& state,
                                Action action);

// It goes on at the server, without its caller: the walk takes it at once.
[[nodiscard]] constexpr bool is_at_server(Step step) {
    return step == Step::kGoesOn || step == Step::kDelete || step == Step::kDeleteEnds;
}

// What the model's server does by itself, beside the callers' statements: arguments of kBackground
// (impl/transactional/transaction_background.cpp). From kLostLooks on of a session that a living
// caller has lost.
enum Background : std::uint16_t {
    kLooksForDeadlock,
    kTimesOut,
    kNoticesDead,
    kLostLooks,
    kLostTimesOut,
    kLostGoesOn,
    kNoticesLost,
    kDeadGoesOn,  // InnoDB: the insert of a dead caller
};
[[nodiscard]] constexpr bool is_of_lost(std::uint16_t what) {
    return what >= kLostLooks && what <= kNoticesLost;
}
[[nodiscard]] constexpr bool looks(std::uint16_t what) {
    return what == kLooksForDeadlock || what == kLostLooks;
}
// Arguments of kDisturb and kFault, as in impl/transactional/transaction_words.hpp.
inline constexpr std::uint16_t kLosesConnection = 2;
inline constexpr std::uint16_t kRequestLost = 3;
inline constexpr std::uint16_t kAnswerLost = 4;
// A statement of a caller, or its answer, is lost with the connection.
[[nodiscard]] constexpr bool loses_connection(Action action) {
    return (action.kind == ActionKind::kFault && action.argument >= kRequestLost) ||
           (action.kind == ActionKind::kDisturb && action.argument == kLosesConnection);
}

// What may wait for a lock, and for how long is said to the server before.
[[nodiscard]] constexpr bool has_timers(Step step) {
    return step == Step::kLock || step == Step::kDelete || step == Step::kDeleteEnds;
}

}  // namespace lockkeeper::databases
