// SPDX-License-Identifier: Apache-2.0

// Outside code that the explorer has open: a program of the protocol, or clients at the wire. Its
// state cannot be copied, so kept processes run to each place from the beginning. States without a
// name (Source::key) are never reported as seen before. Each function is one endpoint; each throws
// DoesNotFit and BadInput. Safe with threads, which wait for each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "serve/saving.hpp"
#include "serve/search_thread.hpp"
#include "serve/session.hpp"

namespace lockkeeper {

// The time limit of one request.
inline constexpr double kOutsideWalkSeconds = 60;

class OutsideFile {
  public:
    explicit OutsideFile(ProgramJob job);

    [[nodiscard]] ServeJson view(std::size_t number) const;
    [[nodiscard]] ServeJson run(const Schedule& schedule);
    [[nodiscard]] ServeJson choices(const Schedule& schedule);
    [[nodiscard]] ServeJson random(const Schedule& schedule, const RandomWalk& choice);
    // A trace, which `validate` repeats.
    [[nodiscard]] SavedFile saved(const Schedule& schedule);

    [[nodiscard]] const ProgramJob& job() const { return job_; }

  private:
    void ask(const std::function<void(OutsideSearch&)>& use);

    ProgramJob job_;
    SearchThread thread_;
};

}  // namespace lockkeeper
