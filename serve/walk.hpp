// SPDX-License-Identifier: Apache-2.0

// The state behind a schedule, and what can be asked from there on. Every endpoint that looks at a
// state walks to it anew: a schedule is all that a request says. Used by the views of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "scheduler/runner.hpp"
#include "serve/opened_files.hpp"

namespace lockkeeper {

// Longer runs are for `replay`.
inline constexpr std::size_t kWalkStepsMax = 20'000;

// The schedule is no run of this file: what() says at which step, and what was possible.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Walked {
    ErasedSystem::State state;
    std::size_t resizes = 0;  // that the run has seen
};
[[nodiscard]] Walked walk(const OpenedFile& file, const std::vector<Action>& actions);
// One step on. `action` must be possible.
[[nodiscard]] Walked after(const OpenedFile& file, const Walked& from, Action action);

// Whatever can happen from there on. The file must outlive it.
[[nodiscard]] std::unique_ptr<Runner> runner_from(const OpenedFile& file, const Walked& from);

[[nodiscard]] std::string id_text(std::uint64_t fingerprint);

// Equal for equal states, in 16 hexadecimal digits; `kind`: equal, too, for states that differ only
// in which of several interchangeable callers is which.
struct StateNames {
    std::string id;
    std::string kind;
};
[[nodiscard]] StateNames names_of(const OpenedFile& file, const ErasedSystem::State& state);

}  // namespace lockkeeper
