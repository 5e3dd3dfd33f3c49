#include "app/execute.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/findings.hpp"
#include "reports/progress.hpp"
#include "reports/run_text.hpp"
#include "reports/trace_file.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scheduler/process_memory.hpp"

namespace lockkeeper {
namespace {

// What must be the same for a search to go on: all that decides which states there are, in which
// order they are met and what is asked about them. Not the limits, nor the number of workers.
std::string checkpoint_identity(const Job& job, const ExploreOptions& options) {
    std::string text = build_text() + "\n" + identity_of(job.scenario) + "\n";
    for (const auto* asked : {&options.check, &options.reach}) {
        for (const Property* property : *asked) {
            text += std::string(property->name) + " ";
        }
        text += "\n";
    }
    return text + std::to_string(options.symmetry) + std::to_string(options.stop_at_first) +
           std::to_string(options.causes_max) + std::to_string(options.sleep_sets) +
           std::to_string(static_cast<int>(options.reduction)) +
           std::to_string(static_cast<int>(options.storage)) +
           std::to_string(static_cast<int>(options.frontier));
}

ExploreOptions explore_options(const Session& session, const Job& job,
                               const ExploreChoice& choice) {
    const Options& options = session.options;
    const ScenarioLimits& limits = job.scenario.limits;
    ExploreOptions out;
    out.check = job.check;
    out.reach = job.reach;
    out.frontier = options.frontier.value_or(out.frontier);
    out.storage = options.storage.value_or(out.storage);
    out.counting = choice.counting;
    out.symmetry = job.scenario.symmetry && !options.no_symmetry;
    const Reduction of_file = job.scenario.reduces ? Reduction::kPrivateSteps : Reduction::kNone;
    out.reduction = options.reduction.value_or(of_file);
    out.sleep_sets = !options.no_sleep_sets;
    out.jobs = jobs_of(options);
    out.stop_at_first = choice.stop_at_first;
    // Depth first the ways are none that show a cause.
    const bool tells_causes = choice.tells_causes && out.frontier == Frontier::kQueue;
    out.causes_max = tells_causes ? kCausesMax : 1;
    out.states_max = first_of(options.states_max, limits.states_max, std::uint64_t{UINT64_MAX});
    out.depth_max = first_of(options.steps_max, limits.steps_max, std::uint64_t{UINT64_MAX});
    out.bytes_max = options.bytes_max.value_or(memory_default());
    out.process_bytes_max = out.bytes_max;
    out.seconds_max = first_of(options.seconds_max, limits.seconds_max, kNoTimeLimit);
    out.checkpoint.save_to = options.checkpoint.value_or("");
    out.checkpoint.every = options.checkpoint_every.value_or(out.checkpoint.every);
    out.checkpoint.resume_from = options.resume.value_or("");
    out.checkpoint.identity = checkpoint_identity(job, out);
    return out;
}

// The schedules of this scenario's traces in the directory, by file name. What cannot be read is
// named on stderr and left out.
std::vector<Schedule> load_corpus(const Session& session, const std::string& directory,
                                  const Scenario& scenario) {
    std::vector<Schedule> schedules;
    const std::string identity = identity_of(scenario);
    for (const InputFile& file : find_files({directory}, FileKind::kTraces)) {
        if (!file.error.empty()) {
            continue;  // nothing has been found here yet
        }
        auto loaded = load_replayable(file.path);
        if (const auto* error = std::get_if<InputError>(&loaded)) {
            session.complain(error->text() + " (left out)");
        } else if (auto* trace = std::get_if<RecordedTrace>(&loaded);
                   trace != nullptr && identity_of(trace->scenario) == identity) {
            schedules.push_back(std::move(trace->schedule));
        }
    }
    return schedules;
}

// The scenario's own order or schedule.
Trace run_as_written(const Job& job, const ReplayOptions& options) {
    if (job.scenario.method == Method::kReplay && job.scenario.schedule) {
        return job.runner->replay(*job.scenario.schedule, options);
    }
    if (job.scenario.method != Method::kOrder) {
        refuse(job.scenario, "", "has no schedule and no order; say --schedule 'lk1:...'");
    }
    return job.runner->run_in_order(order_of(job.scenario, job.runner->world()), options);
}

}  // namespace

void execute_explore(const Session& session, const Job& job, const ExploreChoice& choice,
                     RunReport& report) {
    ExploreOptions options = explore_options(session, job, choice);
    const Explaining explaining =
        choice.explaining.within({Deadline(options.seconds_max), options.process_bytes_max});
    ProgressLine line(session.err, session.err_is_terminal, session.options.quiet,
                      {0, options.seconds_max});
    options.progress = [&](const ExploreProgress& progress) { line.show(progress); };
    options.hint = [&](const std::string& hint) { line.say("hint: " + hint); };
    ExploreResult result = job.runner->explore(options);
    line.wipe();
    if (!result.checkpoint_error.empty()) {
        session.complain(result.checkpoint_error);
        report.has_failed_output = true;
    } else if (!result.checkpoint_written.empty()) {
        report.files_written.push_back(result.checkpoint_written);
    }
    for (const FoundViolation& violation : result.violations) {
        add_finding(session, job, explaining, violation, "", report);
    }
    if (const auto* stuck = std::get_if<Stuck>(&result.verdict)) {
        add_finding(session, job, explaining, {nullptr, stuck->schedule}, "", report);
    }
    add_exploration(job, std::move(result), report);
}

void execute_fuzz(const Session& session, const Job& job, const FuzzChoice& choice,
                  RunReport& report) {
    const Options& flags = session.options;
    const ScenarioLimits& limits = job.scenario.limits;
    FuzzOptions options;
    options.check = job.check;
    options.reach = job.reach;
    options.strategy = fuzz_strategy(job);
    options.seed = job.scenario.seed;
    options.schedules_max =
        first_of(flags.schedules_max, limits.schedules_max, options.schedules_max);
    options.steps_max = first_of(flags.steps_max, limits.steps_max, options.steps_max);
    options.seconds_max = first_of(flags.seconds_max, limits.seconds_max, kNoTimeLimit);
    const Explaining explaining = choice.explaining.within(
        {Deadline(options.seconds_max), flags.bytes_max.value_or(memory_default())});
    options.stop_at_first = choice.stop_at_first;
    options.check_determinism = flags.check_determinism;
    options.jobs = flags.check_determinism ? 1 : jobs_of(flags);
    if (choice.uses_corpus && flags.out_directory) {
        options.corpus = load_corpus(session, *flags.out_directory, job.scenario);
    }
    ProgressLine line(session.err, session.err_is_terminal, flags.quiet,
                      {options.schedules_max, options.seconds_max});
    options.progress = [&](const FuzzProgress& progress) { line.show(progress); };
    FuzzResult result = job.runner->fuzz(options);
    line.wipe();
    for (std::size_t i = 0; i < result.violations.size(); ++i) {
        const std::string by = i < result.found_by.size() ? result.found_by[i] : "";
        add_finding(session, job, explaining, result.violations[i], by, report);
    }
    if (const auto* stuck = std::get_if<Stuck>(&result.verdict)) {
        add_finding(session, job, explaining, {nullptr, stuck->schedule}, "", report);
    }
    add_fuzzing(job, std::move(result), report);
}

void execute_one_run(const Job& job, const Schedule* schedule, const ReplayOptions& options,
                     RunReport& report) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Trace trace =
        schedule != nullptr ? job.runner->replay(*schedule, options) : run_as_written(job, options);
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    add_run(job, std::move(trace), options.on_divergence, report);
}

std::string explore_strategy(const Options& options) {
    return options.frontier == Frontier::kStack ? "depth-first" : "breadth-first";
}

std::string fuzz_strategy(const Job& job) {
    return job.scenario.strategy.empty() ? "portfolio" : job.scenario.strategy;
}

}  // namespace lockkeeper
