// What `validate --server NAME` drives beside a model: a private database server (conformance.hpp),
// or a private Erlang node with the published table (validate/erlang/conformance.hpp).
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "validate/servers/comparison.hpp"

namespace lockkeeper::databases {

// Why a scenario cannot be put to the server: one sentence.
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
    // `runner`: made of the scenario.
    [[nodiscard]] virtual std::variant<std::unique_ptr<BothSides>, NotExpressible> both_sides(
        const Understood& understood, const Runner& runner, const ComparisonLimits& limits) = 0;
};

// The given schedules, then random ones; ends with the first difference.
[[nodiscard]] std::variant<Comparison, NotExpressible> compare(ComparedServer& server,
                                                               const Understood& understood,
                                                               const Runner& runner,
                                                               const std::vector<Schedule>& given,
                                                               const ComparisonLimits& limits);

// The scenario's own order or schedule; or of an exploration the shortest run to each violation.
[[nodiscard]] std::vector<Schedule> own_schedules(const Scenario& scenario, const Runner& runner,
                                                  const std::vector<const Property*>& check);

}  // namespace lockkeeper::databases
