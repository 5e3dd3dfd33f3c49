// SPDX-License-Identifier: Apache-2.0
#include "validate/compare/make_reference.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/base/random.hpp"
#include "validate/compare/answers.hpp"

namespace lockkeeper::against {
namespace {

constexpr std::uint64_t kWalks = 32;
constexpr int kWalkStepsMax = 200;
constexpr int kCallStepsMax = 1'000;

using State = ErasedSystem::State;

class Walk {
  public:
    Walk(const ErasedSystem& system, std::uint64_t seed)
        : system_(system), random_(seed), state_(system.initial()) {}

    Timers run() {
        Timers found;
        for (int step = 0; step < kWalkStepsMax; ++step) {
            ActionList list;
            system_.enabled(state_, list);
            std::vector<Action> possible(list.begin(), list.end());
            found.has_time =
                found.has_time || std::any_of(possible.begin(), possible.end(), [](Action action) {
                    return action.kind == ActionKind::kTime;
                });
            found.acts_alone = found.acts_alone || background_decides(possible);
            std::erase_if(possible, [](Action action) {
                return !is_step(action) && action.kind != ActionKind::kTime;
            });
            if (possible.empty()) {
                break;
            }
            system_.apply(state_,
                          possible[random_.below(static_cast<std::uint32_t>(possible.size()))]);
        }
        return found;
    }

  private:
    [[nodiscard]] bool nobody_calls() const {
        Observation seen{};
        system_.observe(state_, seen);
        return std::none_of(seen.callers.begin(), seen.callers.begin() + seen.callers_count,
                            [](const auto& caller) { return caller.calling; });
    }

    // The answer to a whole call; the background helps where the call waits for it.
    [[nodiscard]] std::string answer_to(State state, std::uint8_t caller) const {
        for (int i = 0; i < kCallStepsMax; ++i) {
            Event event;
            if (!step_if_enabled(system_, state, caller, event)) {
                if (!step_background(system_, state)) {
                    return "waits";
                }
            } else if ((event.what & kReturns) != 0) {
                return answer_of(system_, event, true).text;
            }
        }
        return "goes on";
    }

    [[nodiscard]] bool background_decides(const std::vector<Action>& possible) const {
        if (background_of(system_, state_).empty() || !nobody_calls()) {
            return false;
        }
        State after = state_;
        for (int i = 0; step_background(system_, after); ++i) {
            if (i == kCallStepsMax) {
                return true;  // never quiet: no whole call ends there
            }
        }
        return std::any_of(possible.begin(), possible.end(), [&](Action action) {
            return action.kind == ActionKind::kStep &&
                   answer_to(state_, action.actor) != answer_to(after, action.actor);
        });
    }

    const ErasedSystem& system_;
    Random random_;
    State state_;
};

constexpr const char* kClockName = "(the clock)";

// "lease_db_broken" has the planted bugs of lease_db, "transactional_broken" those of both servers.
bool is_variant_of(const std::string& system, const std::string& other) {
    constexpr std::string_view kBroken = "_broken";
    return system == other || (system.ends_with(kBroken) &&
                               other.starts_with(system.substr(0, system.size() - kBroken.size())));
}

void refuse_what_cannot_be_compared(const Scenario& scenario, const Way& way) {
    if (!scenario.world.signals.empty() && !way.step_by_step) {
        refuse(scenario, "/callers", "callers that wait for signals cannot be compared");
    }
    if (scenario.rate_limit.is_given()) {
        refuse(scenario, "/rate_limit", "no lock has one: it is judged without --against");
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        if (caller.repeats_forever) {
            refuse(scenario, fmt::format("/callers/{}/repeat", caller.group),
                   "a script that never ends cannot be compared");
        }
    }
}

ErasedSystem made_or_refused(const Registry& registry, const Scenario& scenario,
                             std::uint32_t& features) {
    auto made = registry.make(scenario);
    if (const auto* error = std::get_if<InputError>(&made)) {
        refuse(scenario, error->pointer, "as a scenario of the reference: " + error->message);
    }
    const Runner& runner = *std::get<std::unique_ptr<Runner>>(made);
    features = runner.features();
    return runner.erased();
}

// Adds a caller who sleeps from one instant of the candidate's run to the next, so that the
// reference's time stops there, too.
ErasedSystem with_clock(const Registry& registry, Scenario scenario,
                        const std::vector<std::uint16_t>& sleeps) {
    CallerConfig clock;
    clock.name = kClockName;
    clock.may_crash = false;
    for (const CallerConfig& caller : scenario.world.callers) {
        clock.group =
            std::max<std::uint8_t>(clock.group, static_cast<std::uint8_t>(caller.group + 1));
    }
    for (const std::uint16_t ticks : sleeps) {
        Operation sleep;
        sleep.verb = Verb::kSleep;
        sleep.number = ticks;
        clock.script.push_back(sleep);
    }
    scenario.world.callers.push_back(clock);
    std::uint32_t features = 0;
    return made_or_refused(registry, scenario, features);
}

// Virtual time of a lock whose scripts cannot sleep: nobody can make its clock stop where the
// candidate's does, so only another variant of the lock is compared, whose clock stops there, too.
void refuse_own_clocks(const Scenario& scenario, const Way& way, const Timers& reference,
                       const Timers& candidate) {
    if (way.has_clock || way.has_server) {
        return;
    }
    if (reference.has_time != candidate.has_time) {
        refuse(scenario, "/system",
               "a system with a clock can be compared with another that has one");
    }
    if (reference.has_time && !way.is_variant) {
        refuse(scenario, "/system",
               "both have a clock, but scripts of the reference cannot sleep "
               "(Vocabulary::has_time): its time cannot follow the candidate's");
    }
}

}  // namespace

Timers timers_of(const ErasedSystem& system) {
    Timers found;
    try {
        for (std::uint64_t seed = 0; seed < kWalks; ++seed) {
            const Timers one = Walk(system, seed).run();
            found.has_time = found.has_time || one.has_time;
            found.acts_alone = found.acts_alone || one.acts_alone;
        }
    } catch (const LimitExceeded&) {  // as far as it has room
    }
    return found;
}

bool has_faults(const Scenario& scenario) {
    const auto& faults = scenario.parameters.faults;
    return std::any_of(faults.begin(), faults.end(),
                       [](const auto& fault) { return fault.second > 0; });
}

Reference make_reference(const Registry& registry, Scenario scenario,
                         const RegisteredSystem& reference, const Way& way,
                         const Timers& candidate) {
    scenario.system = reference.system;
    scenario.variant = reference.variant;
    scenario.parameters.repairs.reset();  // those of the candidate
    scenario.check.clear();
    scenario.reach.clear();
    Reference sides;
    sides.is_variant = way.is_variant;
    std::vector<std::uint16_t>& views = scenario.world.views;
    for (std::size_t resizes = 0; resizes < views.size(); ++resizes) {
        sides.by_resizes.push_back(made_or_refused(registry, scenario, sides.features));
        std::rotate(views.begin(), views.begin() + 1, views.end());
    }
    const Timers timers = timers_of(sides.by_resizes.front());
    refuse_own_clocks(scenario, way, timers, candidate);
    sides.has_clock = way.has_clock;
    if (way.has_clock) {
        static_cast<void>(with_clock(registry, scenario, {}));  // refused before anything is run
        sides.step_by_step = [&registry, scenario](const std::vector<std::uint16_t>& sleeps) {
            return with_clock(registry, scenario, sleeps);
        };
    } else if (way.step_by_step || timers.acts_alone || timers.has_time) {
        sides.step_by_step = [system = sides.by_resizes.front()](const auto&) { return system; };
    }
    return sides;
}

Way way_of(Scenario& scenario, const RegisteredSystem* own, const RegisteredSystem& reference) {
    Way way;
    way.is_variant = own != nullptr && (is_variant_of(own->system, reference.system) ||
                                        is_variant_of(reference.system, own->system));
    if (!way.is_variant) {
        scenario.parameters.faults.clear();
    }
    way.has_clock = reference.vocabulary.has_time;
    if (own != nullptr && own->vocabulary.has_time != way.has_clock) {
        refuse(scenario, "/system",
               "a system with a clock can be compared with another that has one");
    }
    // Calls wait in line at a server: one whole call after the other they would not return.
    way.has_server = (reference.features & kShowsGrants) != 0;
    way.step_by_step = way.has_clock || way.has_server || has_faults(scenario);
    refuse_what_cannot_be_compared(scenario, way);
    return way;
}

void keep_known(const RegisteredSystem& reference, const std::map<std::string, std::int32_t>& given,
                ScenarioParameters& parameters) {
    parameters.own.clear();
    for (const OwnNumber& number : reference.vocabulary.parameters) {
        const auto found = given.find(number.name);
        if (reference.vocabulary.has_time && found != given.end()) {
            parameters.own[number.name] = found->second;
        }
    }
}

}  // namespace lockkeeper::against
