#include "outside/scout.hpp"

#include <algorithm>

#include "outside/stepped_run.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kScoutStepsMax = 1'000;

OutsideWorld one_caller(const ProgramOptions& options) {
    OutsideWorld world;
    world.world.keys = options.keys;
    world.world.words = {"renew"};
    world.parameters = options.parameters;
    CallerConfig caller;
    caller.name = options.callers.front();
    for (const Verb verb : {Verb::kAcquire, Verb::kCall, Verb::kRelease}) {
        Operation operation;
        operation.verb = verb;
        caller.script.push_back(operation);
    }
    world.world.callers = {caller};
    return world;
}

}  // namespace

Scouted scout(ProgramOptions options, const ChildProcess::StopRule& stop) {
    options.callers = {"A"};
    options.keys = {"db"};
    const OutsideWorld world = one_caller(options);
    Program program(options);
    program.stop_by(stop);
    SteppedRun run(program, world);
    Scouted scouted;
    try {
        run.begin();
        for (std::uint64_t step = 0; step < kScoutStepsMax; ++step) {
            const std::vector<Action> enabled = run.enabled();
            if (enabled.empty()) {
                break;
            }
            run.take(enabled.front());
        }
    } catch (const Misbehaved& error) {
        scouted.renews = error.kind() != Misbehaviour::kNotSupported;
        program.kill();
    } catch (const Stopped&) {
        program.kill();
    }
    const SteppedTally tally = run.take_tally();
    scouted.lease_time = tally.has_leases ? std::max<std::int64_t>(tally.lease_time, 1) : 0;
    return scouted;
}

}  // namespace lockkeeper
