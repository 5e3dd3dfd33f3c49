#include "app/canal_subject.hpp"

#include <map>

namespace lockkeeper {
namespace {

std::string why_not(const RegisteredSystem& system) {
    return system.server.name == kErlangServer ? system.server.why_not
                                               : "system " + system.system + " is none of Erlang's";
}

// With max_per 0 the model's events do not tell how many buckets the call was passed.
bool is_ambiguous(const CallerConfig& caller) {
    std::map<std::uint8_t, Operation> first;
    for (const Operation& operation : caller.script) {
        if (operation.verb == Verb::kAcquire && operation.max_per == 0) {
            const Operation& other = first.emplace(operation.key, operation).first->second;
            if (other.buckets != operation.buckets ||
                other.follows_resizes != operation.follows_resizes) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::variant<erlang::CanalSubject, NotExpressible> canal_subject(const Job& job) {
    if (const std::string reason = why_not(*job.understood.system); !reason.empty()) {
        return NotExpressible{reason};
    }
    const WorldConfig& world = job.runner->world();
    for (const CallerConfig& caller : world.callers) {
        if (is_ambiguous(caller)) {
            return NotExpressible{"one caller passes max_per 0 with different numbers of buckets"};
        }
    }
    const ScenarioParameters& parameters = job.understood.scenario.parameters;
    return erlang::CanalSubject{job.runner->erased(),       world,
                                parameters.manager_max_per, parameters.max_decr_tries,
                                parameters.has_manager,     parameters.returns_count};
}

}  // namespace lockkeeper
