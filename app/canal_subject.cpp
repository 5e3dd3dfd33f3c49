#include "app/canal_subject.hpp"

#include <map>

namespace lockkeeper {
namespace {

bool is_published(const Scenario& scenario) {
    return (scenario.system == "canal" && scenario.variant == "faithful") ||
           scenario.system == "canal_broken";
}

std::string why_not(const Scenario& scenario) {
    if (scenario.system == "canal" && !is_published(scenario)) {
        return "its row is one object of the table, which the published lock does not have";
    }
    if (!is_published(scenario)) {
        return "system " + scenario.system + " is none of Erlang's";
    }
    return "";
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
    const Scenario& scenario = job.scenario;
    if (const std::string reason = why_not(scenario); !reason.empty()) {
        return NotExpressible{reason};
    }
    const WorldConfig& world = job.runner->world();
    for (const CallerConfig& caller : world.callers) {
        if (is_ambiguous(caller)) {
            return NotExpressible{"one caller passes max_per 0 with different numbers of buckets"};
        }
    }
    const ScenarioParameters& parameters = scenario.parameters;
    return erlang::CanalSubject{job.runner->erased(),       world,
                                parameters.manager_max_per, parameters.max_decr_tries,
                                parameters.has_manager,     parameters.returns_count};
}

}  // namespace lockkeeper
