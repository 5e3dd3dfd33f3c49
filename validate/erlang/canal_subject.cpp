#include "validate/erlang/canal_subject.hpp"

#include <algorithm>
#include <map>

namespace lockkeeper::erlang {
namespace {

std::string why_not(const RegisteredSystem& system) {
    return system.server.name == kErlangServer ? system.server.why_not
                                               : "system " + system.system + " is none of Erlang's";
}

// With max_per 0 the model's events do not tell how many buckets the call was passed.
bool is_ambiguous(const CallerConfig& caller) {
    std::map<std::uint8_t, Operation> first;
    for (const Operation& operation : caller.script) {
        if (operation.verb == Verb::kAcquire && operation.place_capacity == 0) {
            const Operation& other = first.emplace(operation.key, operation).first->second;
            if (other.places != operation.places ||
                other.follows_resizes != operation.follows_resizes) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::variant<CanalSubject, databases::NotExpressible> canal_subject(const Understood& understood,
                                                                    const Runner& runner) {
    using databases::NotExpressible;
    if (const std::string reason = why_not(*understood.system); !reason.empty()) {
        return NotExpressible{reason};
    }
    const WorldConfig& world = runner.world();
    if (std::any_of(world.callers.begin(), world.callers.end(), is_ambiguous)) {
        return NotExpressible{"one caller passes max_per 0 with different numbers of buckets"};
    }
    return CanalSubject{runner.erased(), world, understood.scenario.parameters};
}

}  // namespace lockkeeper::erlang
