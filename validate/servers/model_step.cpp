#include "validate/servers/model_step.hpp"

namespace lockkeeper::databases {

ModelStep step_of(const Subject& subject, const ErasedSystem::State& state, Action action) {
    const ModelStep step = subject.system.server_act(state, action);
    const bool exits = !subject.leases && step.step == Step::kExits;
    if (exits || step.step == Step::kUnknown || step.fault == StepFault::kUnknown) {
        throw UnknownStep("a step that is no statement: \"" +
                          subject.system.describe(state, action) + "\"");
    }
    return step;
}

}  // namespace lockkeeper::databases
