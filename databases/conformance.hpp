// Model and server driven by the same schedules, statement by statement. After each step both are
// at rest, and this is compared:
//
//   of each caller   its statement was done, failed with which error, or waits for a lock;
//                    COMMIT committed, or was a roll-back (PostgreSQL says which); a try was
//                    refused
//   of each key      the committed writes; PostgreSQL: how long its line is; InnoDB: whether its
//                    row is there
//   of a read        under the lock and not stale in the model: what was committed last
//
// Of leases (lease_clients.hpp), whose time is virtual on the server, too:
//
//   of each caller   what its client makes of the answers; of a renewal, when its answer arrives
//   of each key      its row as committed: whose, until when, expired or not; its call's states
//
// The first difference is confirmed by a second run and made small: steps that it does not need are
// left out. A run in which the machine was too slow for the real timers is repeated with a larger
// unit of time, and counts as inconclusive in the end. So does a comparison of no steps.
//
// Who calls it: validate --server, and the tests of this folder. Errors: DatabaseError,
// UnknownStep.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "databases/schedules.hpp"
#include "databases/server_clients.hpp"
#include "model/schedule.hpp"

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

enum class Agreement : std::uint8_t { kAgrees, kDiffers, kInconclusive };

struct Comparison {
    Agreement agreement = Agreement::kAgrees;
    std::string reason;  // kInconclusive
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;       // taken by model and server
    std::uint64_t statements = 0;  // of callers, sent to the server
    std::optional<Difference> difference;
};

struct CompareOptions {
    std::uint64_t random_schedules = 10;
    RandomOptions random;
    std::size_t shrinks_max = 40;  // further runs that make a difference small
    double seconds_max = 1e18;
};

// First the given schedules, then random ones; ends with the first difference.
[[nodiscard]] Comparison compare(const Subject& subject, PrivateServer& server,
                                 const std::vector<Schedule>& schedules,
                                 const CompareOptions& options);

}  // namespace lockkeeper::databases
