// SPDX-License-Identifier: Apache-2.0

// A person lays an Overlay over a scenario file for one run of it: seed, limits, checks, numbers of
// the system. Each comes before what the file says. Errors: BadInput for the file; UsageError where
// only a flag makes something wrong, with the flag's name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/registry/job.hpp"
#include "scheduler/base/deadline.hpp"

namespace lockkeeper {

struct Overlay {
    std::string program = "lockkeeper";  // by which name it was called, for lines to be pasted
    std::optional<std::uint64_t> seed;
    std::optional<std::string> strategy;
    std::vector<std::string> check;               // --check; empty: the scenario's
    std::map<std::string, std::int32_t> numbers;  // --set
    std::optional<std::uint64_t> schedules_max;
    std::optional<std::uint64_t> steps_max;
    std::optional<std::uint64_t> states_max;
    std::optional<double> seconds_max;
};

// With what is left of a command's time in the place of its limit.
[[nodiscard]] inline Overlay within(Overlay overlay, const Deadline& deadline) {
    if (overlay.seconds_max) {
        overlay.seconds_max = deadline.left();
    }
    return overlay;
}

// The scenario with all of it, made ready to run.
[[nodiscard]] Job prepare(const Registry& registry, const Overlay& overlay, Scenario scenario);

// The scenario with the checks, the limits and the seed: what goes with every lock.
[[nodiscard]] Scenario laid_over(const Overlay& overlay, Scenario scenario);
// " --set grace=3 --set ttl=5", to be pasted.
[[nodiscard]] std::string set_flags_of(const Overlay& overlay);
// Reads the schedule of a flag, lk1:...
[[nodiscard]] Schedule schedule_of_flag(const std::string& flag, const std::string& line);

}  // namespace lockkeeper
