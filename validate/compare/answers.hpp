// SPDX-License-Identifier: Apache-2.0

// The answers to a call, by the candidate and by the reference, and whether they are the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validate/compare/candidate.hpp"

namespace lockkeeper::against {

// A call has come to its end.
inline constexpr std::uint32_t kReturns =
    kAcquired | kRefused | kReleased | kFailed | kDone | kCallerDied;

inline const std::string kAcquiredWord = "acquired";
inline const std::string kDoneWord = "done";
inline const std::string kMakesNoSuchCall = "does not make this call";
inline const std::string kHoldsNoLonger = "holds no longer";

[[nodiscard]] Answer answer_of(const ErasedSystem& system, const Event& event, bool with_count);
// A grant that tells no count agrees with any grant. The names of a program's errors are not
// compared: a refusal agrees with any refusal, and a failed or lost call with any such call.
[[nodiscard]] bool is_same_answer(const ObservedCall& observed, const Answer& answer);
// The kind of difference between two answers that are not the same.
[[nodiscard]] Difference difference_of(const ObservedCall& observed, const Answer& answer);

// For a reference that makes another call than the candidate: `made`, or none at all (kExit).
[[nodiscard]] std::pair<Difference, std::string> another_call(const ObservedCall& observed,
                                                              Verb made);

// One step of what the caller or the background can do. False: there is none.
bool step_if_enabled(const ErasedSystem& system, ErasedSystem::State& state, std::uint8_t caller,
                     Event& event);
[[nodiscard]] std::vector<Action> background_of(const ErasedSystem& system,
                                                const ErasedSystem::State& state);
bool step_background(const ErasedSystem& system, ErasedSystem::State& state);

// The instant after a time action: systems with a clock show it, those with timers say how much
// time has passed.
[[nodiscard]] std::int32_t instant_after(const ErasedSystem& system,
                                         const ErasedSystem::State& after, std::int32_t before,
                                         Action action);

// By key: units of capacity in use, cap marks apart.
void units_of(const ErasedSystem& system, const ErasedSystem::State& state,
              std::vector<std::uint32_t>& least, std::vector<std::uint32_t>& most);
// By key: locks that the servers' records grant.
[[nodiscard]] std::vector<std::uint32_t> grants_of(const ErasedSystem& system,
                                                   const ErasedSystem::State& state);

}  // namespace lockkeeper::against
