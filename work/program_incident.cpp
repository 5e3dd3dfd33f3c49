// SPDX-License-Identifier: Apache-2.0
#include "work/program_incident.hpp"

#include "scenarios/bad_input.hpp"
#include "scenarios/json_layout.hpp"
#include "scenarios/outside_lock.hpp"
#include "validate/programs/program_scenario.hpp"
#include "validate/programs/stepped_run.hpp"
#include "work/program_job.hpp"
#include "work/wanted_program_run.hpp"

namespace lockkeeper {

const RegisteredSystem& program_in_incidents() {
    static const RegisteredSystem kProgram = [] {
        RegisteredSystem system;
        system.system = kProgramSystem;
        system.vocabulary.format_keys = {FormatKey::kPlaces};
        system.vocabulary.has_time = true;
        OwnNumber ttl;
        ttl.name = "ttl";
        system.vocabulary.parameters.push_back(ttl);
        OwnCall renew;
        renew.name = "renew";
        system.vocabulary.calls.push_back(renew);
        return system;
    }();
    return kProgram;
}

WantedRun find_program_run(const IncidentProgram& asked, const IncidentScenario& made) {
    ProgramOptions options;
    options.command = asked.command;
    const ProgramScenario scenario =
        for_program(value_or_throw(parse_scenario(laid_out(made.document), "scenario")),
                    std::move(options), false);
    Program program(scenario.program);
    program.stop_by({asked.stop_at});
    WantedRun run;
    try {
        SteppedRun source(program, scenario.world);
        WantedLimits limits;
        limits.bytes_max = asked.bytes_max;
        run = find_wanted_run(source, made.wanted, limits);
    } catch (const Stopped&) {
        run.is_complete = false;
    } catch (const DifferentAnswer& error) {
        program.kill();
        run.is_complete = false;
        run.different = error.what();
    } catch (const Misbehaved& error) {
        program.kill();
        throw refused_program(asked.command, {error.kind(), error.what(), program.last_words()});
    }
    return run;
}

}  // namespace lockkeeper
