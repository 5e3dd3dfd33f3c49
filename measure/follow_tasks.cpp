// SPDX-License-Identifier: Apache-2.0
#include "measure/follow_tasks.hpp"

#include "measure/sampler_crew.hpp"
#include "measure/shared_splitting.hpp"
#include "measure/sweep_run.hpp"
#include "scenarios/registry/job.hpp"
#include "scheduler/runs/shared_runs.hpp"

namespace lockkeeper {

const Runner& FollowTasks::runner_of(const std::string& scope) {
    if (!runner_ || scope != scope_) {
        auto scenario = parse_scenario(scope, "what the first rank asks about");
        if (const auto* error = std::get_if<InputError>(&scenario)) {
            throw InternalError(error->text());
        }
        std::get<Scenario>(scenario).source = nullptr;  // the first rank has judged what it says
        auto job = make_job(*registry_, std::move(std::get<Scenario>(scenario)));
        if (const auto* error = std::get_if<InputError>(&job)) {
            throw InternalError(error->text());
        }
        runner_ = std::move(std::get<Job>(job).runner);
        scope_ = scope;
    }
    return *runner_;
}

void FollowTasks::operator()(FollowedTask& task) {
    if (task.kind() == RankTaskKind::kSweep) {
        follow_sweep(*registry_, task);
        return;
    }
    const Runner& runner = runner_of(task.scope());
    switch (task.kind()) {
        case RankTaskKind::kFuzz:
            follow_runs([&](const FuzzOptions& options) { return runner.run_maker(options); },
                        task);
            return;
        case RankTaskKind::kSample: follow_sampling(runner.walkers(), task); return;
        case RankTaskKind::kLearn: follow_learning(runner.walkers(), task); return;
        case RankTaskKind::kSplit: follow_splitting(runner.walkers(), task); return;
        case RankTaskKind::kSweep: break;
    }
    unreachable("a task of another version");
}

}  // namespace lockkeeper
