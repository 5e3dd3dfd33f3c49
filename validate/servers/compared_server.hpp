// SPDX-License-Identifier: Apache-2.0

// The server that `validate --server NAME` drives beside a model: a private database server
// (conformance.hpp), or a private Erlang node with the published table
// (validate/erlang/conformance.hpp). Both share one loop: it drives schedules until the first
// difference, confirms it by a second run, and leaves out the steps that it does not need.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "validate/servers/comparison.hpp"

namespace lockkeeper::databases {

struct ComparisonLimits {
    std::uint64_t random_schedules = 10;
    std::uint64_t seed = 1;             // of the first random schedule
    std::size_t steps_max = 60;         // of a random schedule
    std::size_t shrinks_max = 40;       // further runs that make a difference small
    std::size_t shrink_passes_max = 1;  // over all of its steps
    double seconds_max = 1e18;
    // Asked before each run. True: memory has come to its limit.
    std::function<bool()> is_full = {};
};

struct DrivenRun {
    std::optional<Difference> difference;
    std::uint64_t steps = 0;
    std::uint64_t statements = 0;
    bool is_cut = false;  // by the time or an interrupt, before its end
};

// Nothing was compared, because the machine was too slow: inconclusive.
class TooSlow : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Thrown: why a scenario cannot be put to the server, in one sentence.
struct NotExpressible {
    std::string because;
};

// One scenario, model and server, and the random schedules that are worth driving.
class BothSides {
  public:
    BothSides() = default;
    BothSides(const BothSides&) = delete;
    BothSides& operator=(const BothSides&) = delete;
    virtual ~BothSides() = default;

    // Once through the schedule. May throw TooSlow; what else it throws ends the comparison.
    [[nodiscard]] virtual DrivenRun drive(const Schedule& schedule) = 0;
    [[nodiscard]] virtual Schedule next_random() = 0;
    // This schedule is driven beside the random ones.
    virtual void note(const Schedule&) {}
};

class ComparedServer {
  public:
    ComparedServer() = default;
    ComparedServer(const ComparedServer&) = delete;
    ComparedServer& operator=(const ComparedServer&) = delete;
    virtual ~ComparedServer() = default;

    [[nodiscard]] virtual const char* kind() const = 0;  // "server", "node"
    [[nodiscard]] virtual const std::string& version() const = 0;
    [[nodiscard]] virtual ComparisonLimits limits() const = 0;  // where nobody says otherwise
    // `runner`: made of the scenario. Throws NotExpressible.
    [[nodiscard]] virtual std::unique_ptr<BothSides> both_sides(const Understood& understood,
                                                                const Runner& runner,
                                                                const ComparisonLimits& limits) = 0;
};

// First the given schedules, then random ones. Throws NotExpressible.
[[nodiscard]] Comparison compare(ComparedServer& server, const Understood& understood,
                                 const Runner& runner, const std::vector<Schedule>& given,
                                 const ComparisonLimits& limits);

// The scenario's own order or schedule; or of an exploration the shortest run to each violation.
[[nodiscard]] std::vector<Schedule> own_schedules(const Scenario& scenario, const Runner& runner,
                                                  const std::vector<const Property*>& check,
                                                  double seconds_max = 1e18);

}  // namespace lockkeeper::databases
