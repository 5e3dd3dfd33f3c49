// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "measure/chosen_law.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/base/process_memory.hpp"
#include "work/prove_job.hpp"
#include "work/results/run_report.hpp"
#include "work/results/told.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

using Probes = std::map<std::int32_t, RunReport>;

void show_violated(const BoundarySearch& find, std::int32_t value, const Probes& probes,
                   RunReport& report) {
    const RunReport& violated = probes.at(value);
    report.findings = violated.findings;
    for (Finding& finding : report.findings) {
        finding.replay_command += fmt::format(" --set {}={}", find.parameter, value);
    }
    report.files_written = violated.files_written;
}

// The report of the answer with its neighbour's findings; else of the probe that says why not.
RunReport report_of(const BoundarySearch& find, const Boundary& found, const Probes& probes) {
    if (found.undecided) {
        return probes.at(*found.undecided);
    }
    if (!found.value) {
        RunReport report = find.smallest ? probes.rbegin()->second : probes.begin()->second;
        report.verdict = with_detail(
            report.verdict,
            fmt::format("with no {} from {} to {}", find.parameter, find.from, find.to));
        return report;
    }
    RunReport report = probes.at(*found.value);
    if (found.violated) {
        show_violated(find, *found.violated, probes, report);
    }
    return report;
}

Probed probed(const RunReport& probe) {
    return is<Inconclusive>(probe.verdict) || probe.is_interrupted ? Probed::kUndecided
           : is<Passed>(probe.verdict)                             ? Probed::kPassed
                                                                   : Probed::kViolated;
}

[[noreturn]] void refuse_all_values(const Job& job, const BoundarySearch& find, bool by_flag,
                                    const std::string& why) {
    if (!by_flag) {
        refuse(job.scenario, "/find", "the scenario takes no value of the range: " + why);
    }
    throw UsageError(fmt::format("--find-{} {}={}..{}: the scenario takes no value of it: {}",
                                 find.smallest ? "smallest" : "largest", find.parameter, find.from,
                                 find.to, why));
}

// `prepare` makes the job with a value; BadInput and UsageError say why the scenario does not take
// it. `explore` makes the report of such a job. Fills the report as FoundBoundary says: passed with
// the answer, violated when no value in the range passes, inconclusive when a limit ended a probe.
// BadInput, or (`by_flag`) UsageError: the scenario takes none of the values.
void report_boundary(const Job& job, const BoundarySearch& find, bool by_flag,
                     const std::function<Job(std::int32_t)>& prepare,
                     const std::function<RunReport(const Job&)>& explore, RunReport& report) {
    Probes probes;
    const auto why_refused = [&](std::int32_t value) -> std::string {
        try {
            static_cast<void>(prepare(value));
            return "";
        } catch (const BadInput& error) {
            return error.what();
        } catch (const UsageError& error) {
            return error.what();
        }
    };
    const Boundary found = find_boundary(find, why_refused, [&](std::int32_t value) {
        return probed(probes[value] = explore(prepare(value)));
    });
    if (probes.empty()) {
        refuse_all_values(job, find, by_flag, found.refused.front().why);
    }
    const std::string command = report.command;
    report = report_of(find, found, probes);
    report.command = command;
    FoundBoundary& boundary = report.boundary.emplace();
    boundary = {find.parameter, find.smallest, found.value.value_or(0), found.violated, {},
                found.refused};
    for (const auto& [value, probe] : probes) {
        boundary.probes.emplace_back(value, told_verdict(probe));
    }
}

ExploreOptions explore_options(const Desk& desk, const Job& job, const SearchChoice& choice) {
    const Asked& flags = desk.asked;
    ExploreOptions options = explore_options_of(job, flags.reduction);
    options.frontier = flags.frontier.value_or(options.frontier);
    options.storage = flags.storage.value_or(options.storage);
    options.counting = choice.counting;
    options.symmetry = options.symmetry && !flags.no_symmetry;
    options.sleep_sets = options.sleep_sets && !flags.no_sleep_sets;
    options.jobs = jobs_of(flags);
    options.seconds_max = desk.deadline.left(options.seconds_max);
    options.stop_at_first = choice.stop_at_first;
    // Depth first the ways are none that show a cause.
    options.causes_max =
        choice.tells_causes && options.frontier == Frontier::kQueue ? kCausesMax : 1;
    options.bytes_max = flags.bytes_max.value_or(memory_default());
    options.process_bytes_max = options.bytes_max;
    options.checkpoint.save_to = flags.checkpoint.value_or("");
    options.checkpoint.every = flags.checkpoint_every.value_or(options.checkpoint.every);
    options.checkpoint.resume_from = flags.resume.value_or("");
    options.disk.directory = flags.disk.value_or("");
    options.ranks = flags.ranks;
    return options;
}

Following following(const Desk& desk, const SearchChoice& choice, Watcher& watcher,
                    RunReport& report) {
    Following how{desk, watcher, choice.shrinks};
    if (choice.writes && desk.asked.out_directory) {
        how.write = [&](const Scenario& scenario, Finding& finding) {
            write_finding(desk, scenario, finding, report);
        };
    }
    return how;
}

// Makes the job with a value of the number that is sought.
std::function<Job(std::int32_t)> job_with(const Desk& desk, const Job& job,
                                          const BoundarySearch& find) {
    if (desk.asked.numbers.contains(find.parameter)) {
        throw UsageError("--set " + find.parameter + " does not go with a search for it");
    }
    return [&](std::int32_t value) {
        Scenario scenario = job.scenario;
        set_number(desk.registry, find.parameter, value, scenario, "find");
        return prepare(desk, std::move(scenario));
    };
}

}  // namespace

std::vector<Schedule> corpus_of(const Desk& desk, const Scenario& scenario) {
    const auto left_out = [&](const std::string& why) { desk.complain(why + " (left out)"); };
    return load_corpus(desk.asked.out_directory.value_or(""), scenario, left_out);
}

void execute_explore(const Desk& desk, const Job& job, const SearchChoice& choice,
                     RunReport& report) {
    const ExploreOptions options = explore_options(desk, job, choice);
    report.reductions = reduction_plan(*job.runner, options);
    if (choice.shows_head) {
        desk.head(report);
    }
    const auto watcher = desk.watch({0, options.seconds_max});
    explore_job(job, options, following(desk, choice, *watcher, report), report);
}

void execute_fuzz(const Desk& desk, const Job& job, const SearchChoice& choice, RunReport& report) {
    const Asked& flags = desk.asked;
    FuzzOptions options = fuzz_options_of(job);
    options.seconds_max = desk.deadline.left(options.seconds_max);
    options.stop_at_first = choice.stop_at_first;
    options.check_determinism = flags.check_determinism;
    options.jobs = flags.check_determinism ? 1 : jobs_of(flags);
    options.helpers.ranks = flags.ranks;
    if (choice.uses_corpus) {
        options.corpus = corpus_of(desk, job.scenario);
    }
    const auto watcher = desk.watch({options.schedules_max, options.seconds_max});
    fuzz_job(job, options, flags.bytes_max.value_or(memory_default()),
             following(desk, choice, *watcher, report), report);
}

void execute_find(const Desk& desk, const Job& job, const BoundarySearch& find, RunReport& report) {
    const auto explore = [&](const Job& probe) {
        RunReport explored = begin_report(desk, probe, strategy_of(desk.asked.frontier));
        execute_explore(desk, probe, {.counting = Counting::kOff}, explored);
        return explored;
    };
    report_boundary(job, find, desk.asked.find.has_value(), job_with(desk, job, find), explore,
                    report);
}

void execute_find_proof(const Desk& desk, const Job& job, const BoundarySearch& find,
                        RunReport& report) {
    if (desk.asked.certificate || desk.asked.scenario_out) {
        throw UsageError("--certificate and --scenario-out do not go with a search for a number");
    }
    if (find.parameter == "callers") {
        throw UsageError("prove takes every number of callers: there is none to search for");
    }
    const auto prove = [&](const Job& probe) {
        RunReport proved = begin_proof(probe, desk.asked.command);
        execute_prove(desk, probe, proved);
        return proved;
    };
    report_boundary(job, find, true, job_with(desk, job, find), prove, report);
}

void execute_prove(const Desk& desk, const Job& job, RunReport& report) {
    const Asked& flags = desk.asked;
    Proving how{explore_options(desk, job, {}),
                kProveCallers,
                flags.seconds_max ? desk.deadline.left() : kProveSeconds,
                flags.states_max.value_or(kProveStatesFirst),
                {flags.certificate, flags.scenario_out, output_rule(desk, "")}};
    how.explore.states_max = flags.states_max.value_or(kProveStates);
    const auto watcher = desk.watch({0, how.seconds_max});
    prove_job(job, how, following(desk, {}, *watcher, report), report);
}

MeasureOptions measure_options(const Desk& desk, const Job& job, const Law& law) {
    const Asked& flags = desk.asked;
    MeasureOptions options = measure_options_of(job.scenario, job.check, law,
                                                static_cast<const MeasureOptions&>(flags.measure));
    options.symmetry = options.symmetry && !flags.no_symmetry;
    options.seconds_max = desk.deadline.left(options.seconds_max);
    options.bytes_max = flags.bytes_max.value_or(memory_default());
    options.process_bytes_max = options.bytes_max;
    options.jobs = static_cast<unsigned>(jobs_of(flags));
    options.helpers.ranks = flags.ranks;
    return options;
}

std::vector<RateCheck> check_rates(const Desk& desk, const Job& job) {
    const RateBounds& max_rate = job.scenario.expect.max_rate;
    return max_rate.empty()
               ? std::vector<RateCheck>()
               : check_rates(*job.runner, max_rate,
                             measure_options(desk, job, law_for({}, job.scenario).law));
}

void write_finding(const Desk& desk, const Scenario& scenario, Finding& finding,
                   RunReport& report) {
    write_beside(desk, report, [&] {
        finding.trace_file = write_trace(*desk.asked.out_directory, scenario, finding,
                                         output_rule(desk, kTraceMark));
        std::vector<std::string>& written = report.files_written;
        if (std::find(written.begin(), written.end(), finding.trace_file) == written.end()) {
            written.push_back(finding.trace_file);
        }
    });
}

}  // namespace lockkeeper
