// The loop of a comparison, whatever stands beside the model: schedules one after the other until
// the first difference, which is confirmed by a second run and made small: steps that it does not
// need are left out.
//
// Who calls it: compare() of compared_server.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/schedule.hpp"
#include "model/verdict.hpp"

namespace lockkeeper::databases {

struct Difference {
    std::size_t step = 0;                 // from 1, of `schedule`
    std::string text;                     // of that step
    std::string model;                    // what the model shows
    std::string server;                   // what the server shows
    Schedule schedule;                    // the smallest that still differs, up to the step
    std::vector<std::string> steps;       // of that schedule, in words
    std::vector<std::string> statements;  // sent in that run
};

// Passed: model and server agree. Violated: they differ.
struct Comparison {
    Verdict verdict;
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;       // taken by model and server
    std::uint64_t statements = 0;  // of callers, sent to the server
    std::optional<Difference> difference;
};

struct ComparisonLimits {
    std::uint64_t random_schedules = 10;
    std::uint64_t seed = 1;             // of the first random schedule
    std::size_t steps_max = 60;         // of a random schedule
    std::size_t shrinks_max = 40;       // further runs that make a difference small
    std::size_t shrink_passes_max = 1;  // over all of its steps
    double seconds_max = 1e18;
};

struct DrivenRun {
    std::optional<Difference> difference;
    std::uint64_t steps = 0;
    std::uint64_t statements = 0;
};

// Nothing was compared, because the machine was too slow: inconclusive.
class TooSlow : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Both sides once through the schedule. May throw TooSlow; what else it throws ends the comparison.
using DriveSchedule = std::function<DrivenRun(const Schedule&)>;

// First the given schedules, then what `random` draws.
[[nodiscard]] Comparison compare_schedules(const DriveSchedule& drive,
                                           const std::vector<Schedule>& given,
                                           const std::function<Schedule()>& random,
                                           const ComparisonLimits& limits);

}  // namespace lockkeeper::databases
