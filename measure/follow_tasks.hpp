// SPDX-License-Identifier: Apache-2.0

// All that a rank does that is not the first: what the first asks of it, whatever its command is.
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
    // Of the last task: the next one is often about the same.
    std::string scope_;
    std::shared_ptr<const Runner> runner_;
};

}  // namespace lockkeeper
