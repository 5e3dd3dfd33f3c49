#include "app/against_pair.hpp"

#include <algorithm>

#include "app/exit_code.hpp"
#include "app/job.hpp"
#include "app/validate_program.hpp"
#include "reports/words.hpp"

namespace lockkeeper::against {
namespace {

void refuse_what_cannot_be_compared(const std::string& file, const WorldConfig& world,
                                    bool has_time) {
    const bool waits = !world.signals.empty();
    if (has_time || waits) {
        throw BadInput({file, waits ? "/signals" : "/system",
                        waits ? "callers that wait for signals cannot be compared"
                              : "systems with clocks cannot be compared: time is no call"});
    }
    for (const CallerConfig& caller : world.callers) {
        if (caller.repeats_forever) {
            throw BadInput({file, "/callers", "a script that never ends cannot be compared"});
        }
    }
}

Reference make_reference(const Session& session, Scenario scenario,
                         const RegisteredSystem& reference) {
    const std::string file = scenario.file;
    scenario.system = reference.system;
    scenario.variant = reference.variant;
    scenario.parameters.repairs.reset();  // those of the candidate
    Reference sides;
    std::vector<std::uint16_t>& views = scenario.world.views;
    for (std::size_t resizes = 0; resizes < views.size(); ++resizes) {
        auto made = session.registry.make(scenario);
        if (const auto* error = std::get_if<InputError>(&made)) {
            throw BadInput(
                {file, error->pointer, "as a scenario of the reference: " + error->message});
        }
        const Runner& runner = *std::get<std::unique_ptr<Runner>>(made);
        sides.by_resizes.push_back(runner.erased());
        sides.features = runner.features();
        std::rotate(views.begin(), views.begin() + 1, views.end());
    }
    return sides;
}

Pair make_model_pair(const Session& session, Scenario scenario, const RegisteredSystem& reference) {
    const auto job = std::make_shared<const Job>(prepare(session, std::move(scenario)));
    const RegisteredSystem* own =
        session.registry.find(job->scenario.system, job->scenario.variant);
    refuse_what_cannot_be_compared(
        job->file, job->scenario.world,
        reference.vocabulary.has_time || (own != nullptr && own->vocabulary.has_time));
    Pair pair;
    pair.candidate = job->scenario.system + "/" + job->scenario.variant;
    pair.seed = job->scenario.seed;
    pair.against = std::make_unique<Against>(Side{job->runner->erased(), job->runner->features()},
                                             make_reference(session, job->scenario, reference));
    pair.show = [job](const ObservedRun& run) {
        return job->runner->replay(Schedule{job->scenario.seed, run.actions}, {});
    };
    pair.replay_of = [job](const std::string& schedule) {
        return job->program + " replay " + shell_quoted(job->file) + " --schedule " +
               shell_quoted(schedule) + job->set_flags;
    };
    return pair;
}

Pair make_program_pair(const Session& session, Scenario scenario,
                       const RegisteredSystem& reference) {
    const auto job = std::make_shared<const ProgramJob>(make_program_job(session, scenario));
    const WorldConfig& world = job->world.world;
    refuse_what_cannot_be_compared(scenario.file, world, reference.vocabulary.has_time);
    scenario.parameters.own.clear();  // the program's
    const Reference side = make_reference(session, scenario, reference);
    const auto program = std::make_shared<Program>(job->program);
    program->stop_by({ChildProcess::after(session.options.seconds_max.value_or(1e18))});
    Pair pair;
    pair.candidate = job->command;
    pair.seed = job->seed;
    pair.against = std::make_unique<Against>(
        program_candidate(*program, world, (side.features & kShowsCount) != 0), side);
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
    scenario.parameters.faults.clear();  // what is not chosen is not there
    return session.options.validate.program
               ? make_program_pair(session, std::move(scenario), reference)
               : make_model_pair(session, std::move(scenario), reference);
}

}  // namespace lockkeeper::against
