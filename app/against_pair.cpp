#include "app/against_pair.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/against_timers.hpp"
#include "app/exit_code.hpp"
#include "app/job.hpp"
#include "app/validate_program.hpp"
#include "reports/words.hpp"

namespace lockkeeper::against {
namespace {

constexpr const char* kClockName = "(the clock)";

// How the two are compared.
struct Way {
    bool has_clock = false;
    bool has_server = false;  // calls wait in line
    bool step_by_step = false;
    bool is_variant = false;
};

// "lease_db_broken" has the planted bugs of lease_db, "transactional_broken" those of both servers.
bool is_variant_of(const std::string& system, const std::string& other) {
    constexpr std::string_view kBroken = "_broken";
    return system == other || (system.ends_with(kBroken) &&
                               other.starts_with(system.substr(0, system.size() - kBroken.size())));
}

bool has_faults(const Scenario& scenario) {
    const auto& faults = scenario.parameters.faults;
    return std::any_of(faults.begin(), faults.end(),
                       [](const auto& fault) { return fault.second > 0; });
}

void refuse_what_cannot_be_compared(const Scenario& scenario, const Way& way) {
    if (!scenario.world.signals.empty() && !way.step_by_step) {
        refuse(scenario, "/callers", "callers that wait for signals cannot be compared");
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        if (caller.repeats_forever) {
            refuse(scenario, fmt::format("/callers/{}/repeat", caller.group),
                   "a script that never ends cannot be compared");
        }
    }
}

ErasedSystem made_or_refused(const Session& session, const Scenario& scenario,
                             std::uint32_t& features) {
    auto made = session.registry.make(scenario);
    if (const auto* error = std::get_if<InputError>(&made)) {
        refuse(scenario, error->pointer, "as a scenario of the reference: " + error->message);
    }
    const Runner& runner = *std::get<std::unique_ptr<Runner>>(made);
    features = runner.features();
    return runner.erased();
}

// With a caller more, who sleeps from one instant of the candidate's run to the next: so the
// reference's time stops there, too.
ErasedSystem with_clock(const Session& session, Scenario scenario,
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
    return made_or_refused(session, scenario, features);
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

Reference make_reference(const Session& session, Scenario scenario,
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
        sides.by_resizes.push_back(made_or_refused(session, scenario, sides.features));
        std::rotate(views.begin(), views.begin() + 1, views.end());
    }
    const Timers timers = timers_of(sides.by_resizes.front());
    refuse_own_clocks(scenario, way, timers, candidate);
    sides.has_clock = way.has_clock;
    if (way.has_clock) {
        static_cast<void>(with_clock(session, scenario, {}));  // refused before anything is run
        sides.step_by_step = [&session, scenario](const std::vector<std::uint16_t>& sleeps) {
            return with_clock(session, scenario, sleeps);
        };
    } else if (way.step_by_step || timers.acts_alone || timers.has_time) {
        sides.step_by_step = [system = sides.by_resizes.front()](const auto&) { return system; };
    }
    return sides;
}

// Faults beside crashes are one system's own: between others they are left out.
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

Pair make_model_pair(const Session& session, Scenario scenario, const RegisteredSystem& reference) {
    const Way way =
        way_of(scenario, session.registry.find(scenario.system, scenario.variant), reference);
    const auto job = std::make_shared<const Job>(prepare(session, std::move(scenario)));
    if (!way.is_variant && has_faults(job->scenario)) {  // by --set
        throw UsageError("--set: faults of another system than the reference's");
    }
    Pair pair;
    pair.candidate = job->scenario.system + "/" + job->scenario.variant;
    pair.seed = job->scenario.seed;
    pair.against = std::make_unique<Against>(
        Side{job->runner->erased(), job->runner->features()},
        make_reference(session, job->scenario, reference, way, timers_of(job->runner->erased())));
    pair.show = [job](const ObservedRun& run) {
        return job->runner->replay(Schedule{job->scenario.seed, run.actions}, {});
    };
    pair.replay_of = [job](const std::string& schedule) {
        return job->program + " replay " + shell_quoted(job->file) + " --schedule " +
               shell_quoted(schedule) + job->set_flags;
    };
    return pair;
}

// Of a program's numbers the reference takes those that it knows, where it has a clock; else none.
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

Pair make_program_pair(const Session& session, Scenario scenario,
                       const RegisteredSystem& reference) {
    const auto job = std::make_shared<const ProgramJob>(make_program_job(session, scenario));
    const WorldConfig& world = job->world.world;
    const Way way = way_of(scenario, nullptr, reference);
    keep_known(reference, job->world.parameters, scenario.parameters);
    const Reference side = make_reference(session, scenario, reference, way, {});
    const auto program = std::make_shared<Program>(job->program);
    program->stop_by({ChildProcess::after(session.options.seconds_max.value_or(1e18))});
    Pair pair;
    pair.candidate = job->command;
    pair.seed = job->seed;
    const ProgramRuns runs{(side.features & kShowsCount) != 0, way.has_clock,
                           way.has_clock ? job->world.ticks_max : 0};
    pair.against = std::make_unique<Against>(program_candidate(*program, world, runs), side);
    pair.show = [program](const ObservedRun& run) {
        Trace trace;
        trace.steps = run.steps;
        return trace;
    };
    pair.replay_of = [&session, job](const std::string& schedule) {
        return replay_command(session, *job, schedule);
    };
    return pair;
}

}  // namespace

Pair make_pair(const Session& session, const std::string& file, const RegisteredSystem& reference) {
    Scenario scenario = value_or_throw(load_scenario(file));
    std::vector<std::string> callers;
    for (const CallerConfig& caller : scenario.world.callers) {
        callers.push_back(caller.name);
    }
    Pair pair = session.options.validate.program
                    ? make_program_pair(session, std::move(scenario), reference)
                    : make_model_pair(session, std::move(scenario), reference);
    pair.callers = std::move(callers);
    return pair;
}

}  // namespace lockkeeper::against
