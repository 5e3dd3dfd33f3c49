// SPDX-License-Identifier: Apache-2.0

// All the work of a rank that is not the first: it does what the first asks, for any command.
#pragma once

#include <memory>
#include <string>

#include "scenarios/registry/registry.hpp"
#include "scheduler/ranks/rank_tasks.hpp"

namespace lockkeeper {

// One task after the other, for follow().
class FollowTasks {
  public:
    // The registry lives as long.
    explicit FollowTasks(const Registry& registry) : registry_(&registry) {}

    void operator()(FollowedTask& task);

  private:
    const Runner& runner_of(const std::string& scope);

    const Registry* registry_;
    // Kept from the last task: the next one is often about the same scope.
    std::string scope_;
    std::shared_ptr<const Runner> runner_;
};

}  // namespace lockkeeper
