// SPDX-License-Identifier: Apache-2.0
#include "work/searches.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "model/check.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/auto_reduction.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/graph/draw_graph.hpp"
#include "work/findings.hpp"
#include "work/make_report.hpp"
#include "work/prove_job.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// A search resumes only with the same identity: all that decides which states there are, in which
// order it meets them and what it checks in them. Not the limits, nor the number of workers.
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

// Adds the violations that a search found, and the run after which nobody can go on.
void add_findings(const Job& job, const Following& following, const ShrinkLimits& limits,
                  std::vector<FoundViolation> violations, const std::vector<std::string>& found_by,
                  const Verdict& verdict, RunReport& report) {
    if (const auto* stuck = std::get_if<Stuck>(&verdict)) {
        violations.push_back({nullptr, stuck->schedule});
    }
    const Explaining explaining{following.shrinks, following.write, limits,
                                following.desk.wants.comparisons};
    for (std::size_t i = 0; i < violations.size(); ++i) {
        report.findings.push_back(explained(following.desk.registry, job, explaining, violations[i],
                                            i < found_by.size() ? found_by[i] : "", report.seed));
    }
}

void refuse_with_disk(const ExploreOptions& options) {
    if (options.storage != Storage::kExact) {
        throw UsageError("--disk: goes with --storage exact");
    }
    if (without_relative_time(options.reduction) == Reduction::kFaultsLeft) {
        throw UsageError(
            "--disk: excludes --reduction faults-left, which compares states in memory");
    }
    if (!options.checkpoint.save_to.empty()) {
        throw UsageError("--disk: excludes --checkpoint, because its directory has one");
    }
}

void refuse_depth_first(const ExploreOptions& options) {
    const CheckpointOptions& checkpoint = options.checkpoint;
    if (!checkpoint.save_to.empty() || !checkpoint.resume_from.empty() ||
        !options.disk.directory.empty()) {
        throw UsageError("--checkpoint, --disk and --resume go with --frontier queue");
    }
    if (options.ranks != nullptr) {
        throw UsageError("several ranks go with --frontier queue");
    }
}

void refuse_with_ranks(const ExploreOptions& options, const Following& following) {
    if (!options.disk.directory.empty()) {
        throw UsageError("--disk: goes with one process, not with several ranks");
    }
    if (following.desk.asked.certificate) {
        throw UsageError("--certificate: goes with one process, not with several ranks");
    }
}

}  // namespace

std::string strategy_of(std::optional<Frontier> frontier) {
    return frontier == Frontier::kStack ? "depth-first" : "breadth-first";
}

std::string reduction_plan(const Runner& runner, const ExploreOptions& options) {
    const std::string at_once = reductions_text(runner.possible(options));
    if (!options.automatic.is_on || options.reduction != Reduction::kNone) {
        return at_once == "none" ? at_once : at_once + " (--reduction none uses none)";
    }
    const ReductionPlan plan = plan_of(runner, options);
    const std::string then =
        plan.further == Reduction::kNone
            ? fmt::format("no more: {}", plan.why_none)
            : fmt::format("beyond {} states also {}", with_commas(options.automatic.states_before),
                          reductions_text({false, false, plan.further}));
    return fmt::format("{}; {} (auto; --reduction none uses none)", at_once, then);
}

void show_exploration(const Job& job, ExploreResult result, const ShrinkLimits& limits,
                      const Following& following, RunReport& report) {
    add_findings(job, following, limits, result.violations, {}, result.verdict, report);
    add_exploration(job, std::move(result), report);
}

void explore_job(const Job& job, ExploreOptions options, const Following& following,
                 RunReport& report) {
    if (options.frontier == Frontier::kStack) {
        refuse_depth_first(options);
    }
    if (options.ranks != nullptr) {
        refuse_with_ranks(options, following);
    }
    if (!options.disk.directory.empty()) {
        refuse_with_disk(options);
    }
    std::optional<OutputClaim> certificate;  // now, and not after hours of searching
    if (const auto& path = following.desk.asked.certificate) {
        certificate.emplace(*path, output_rule(following.desk, kClosedStatesMark));
    }
    options.checkpoint.identity = checkpoint_identity(job, options);
    options.progress = [&](const ExploreProgress& progress) { following.watcher.show(progress); };
    options.hint = [&](const std::string& hint) { following.watcher.say("hint: " + hint); };
    options.checkpoint.tell = [&](const std::string& text) { following.watcher.say(text); };
    const ShrinkLimits limits{Deadline(options.seconds_max), options.process_bytes_max};
    ExploreResult result = job.runner->explore(options);
    following.watcher.wipe();
    if (result.ranks) {
        following.watcher.say(*result.ranks, result.transitions);
    }
    if (!result.checkpoint_error.empty()) {
        following.desk.complain(result.checkpoint_error);
        report.has_failed_output = true;
    } else if (!result.checkpoint_written.empty()) {
        report.files_written.push_back(result.checkpoint_written);
    }
    show_exploration(job, std::move(result), limits, following, report);
    doubt_without_acquire(
        job, {options.states_max, options.process_bytes_max, limits.deadline.left()}, report);
    if (certificate && is<Passed>(report.verdict)) {
        options.seconds_max = limits.deadline.left();  // of all that the command does
        certify_pass(job, options, *certificate, following, report);
    }
    if (following.desk.wants.drawn_states) {
        constexpr std::size_t kDrawnStatesMax = 200;  // more is no picture
        report.graph = draw_graph(job.runner->erased(), report.explored->used_symmetry, job.check,
                                  kDrawnStatesMax);
    }
}

void fuzz_job(const Job& job, FuzzOptions options, std::uint64_t bytes_max,
              const Following& following, RunReport& report) {
    options.progress = [&](const FuzzProgress& progress) { following.watcher.show(progress); };
    if (options.helpers.ranks != nullptr) {
        options.helpers.scope = to_json_text(job.scenario);
    }
    const ShrinkLimits limits{Deadline(options.seconds_max), bytes_max};
    if (needs_any_goal(job)) {
        options.reach = goals_of_proof(job);
    }
    FuzzResult result = job.runner->fuzz(options);
    following.watcher.wipe();
    add_findings(job, following, limits, result.violations, result.found_by, result.verdict,
                 report);
    const Goals reached = result.reached;
    add_fuzzing(job, std::move(result), report);
    if (needs_any_goal(job)) {
        doubt_without_acquire(reached, report);
    }
}

void run_job_once(const Job& job, const Schedule* schedule, const ReplayOptions& options,
                  RunReport& report, bool compares) {
    const Deadline began;
    Trace trace =
        schedule != nullptr ? job.runner->replay(*schedule, options) : run_as_written(job, options);
    report.seconds = began.elapsed();
    add_run(job, std::move(trace), options.on_divergence, report);
    if (compares && !report.findings.empty()) {
        add_nearest(job, {}, report.findings.front());
    }
}

void run_own(const Job& job, bool describes, bool compares, const Deadline& deadline,
             RunReport& report) {
    ReplayOptions options;
    options.describes = describes;
    options.check = job.check;
    options.stop = [&] { return interrupt_requested() || deadline.is_past(); };
    run_job_once(job, nullptr, options, report, compares);
}

namespace {

// Random schedules that look for goals before an exploration does, and where a limit has ended
// that.
constexpr std::array<std::uint64_t, 2> kFewSchedules = {10, 100};
constexpr std::array<std::uint64_t, 1> kManySchedules = {1'000};
// Of the time for the exploration between them; the rest is for many schedules.
constexpr double kShareOfExploration = 0.8;

bool is_among(const Property* goal, const Goals& goals) {
    return std::find(goals.begin(), goals.end(), goal) != goals.end();
}

const Property* acquired() { return find_goal("acquired"); }

// By random schedules: more only while a goal is left.
Goals met(const Job& job, const Goals& goals, std::span<const std::uint64_t> all_schedules,
          const Deadline& rest) {
    FuzzOptions options = fuzz_options_of(job);
    options.check.clear();
    options.reach = goals;
    Goals reached;
    for (const std::uint64_t schedules : all_schedules) {
        options.schedules_max = schedules;
        options.seconds_max = rest.left();
        reached = job.runner->fuzz(options).reached;
        if (has_all(goals, reached) || rest.is_past() || interrupt_requested()) {
            return reached;
        }
    }
    return reached;
}

// Explores, and returns the limit that ended the search; empty: it is complete.
std::string explore_for(const Job& job, const Goals& goals, const GoalLimits& limits,
                        double seconds_max, Goals& reached) {
    ExploreOptions options = explore_options_of(job);
    options.check.clear();
    options.reach = goals;
    options.counting = Counting::kOff;
    options.states_max = std::min(options.states_max, limits.states_max);
    options.process_bytes_max =
        limits.bytes_max == 0 ? options.process_bytes_max : limits.bytes_max;
    options.seconds_max = seconds_max;
    try {
        const ExploreResult result = job.runner->explore(options);
        reached.insert(reached.end(), result.reached.begin(), result.reached.end());
        return result.complete ? "" : result.limit;
    } catch (const LimitExceeded& reason) {
        return reason.what();
    }
}

void add_missing(const Goals& more, Goals& reached) {
    std::copy_if(more.begin(), more.end(), std::back_inserter(reached),
                 [&](const Property* goal) { return !is_among(goal, reached); });
}

// Many schedules come last: runs that nothing ends go on to --max-steps, each of them.
ReachedGoals look_for(const Job& job, const Goals& goals, const GoalLimits& limits) {
    const Deadline rest(limits.seconds_max);
    ReachedGoals found{met(job, goals, kFewSchedules, rest), ""};
    if (!has_all(goals, found.reached)) {
        Goals explored;
        found.limit = explore_for(job, goals, limits, kShareOfExploration * rest.left(), explored);
        add_missing(explored, found.reached);
    }
    if (!found.limit.empty() && !has_all(goals, found.reached)) {
        add_missing(met(job, goals, kManySchedules, rest), found.reached);
    }
    return found;
}

bool asks_to_acquire(const Job& job) {
    const auto& callers = job.scenario.world.callers;
    return std::any_of(callers.begin(), callers.end(), [](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(),
                           [](const Operation& call) { return call.verb == Verb::kAcquire; });
    });
}

}  // namespace

bool has_all(const Goals& goals, const Goals& reached) {
    return std::all_of(goals.begin(), goals.end(),
                       [&](const Property* goal) { return is_among(goal, reached); });
}

Goals goals_of_proof(const Job& job) {
    Goals goals = job.reach;
    if (asks_to_acquire(job) && !is_among(acquired(), goals)) {
        goals.push_back(acquired());
    }
    return goals;
}

bool needs_any_goal(const Job& job) { return job.reach.empty() && asks_to_acquire(job); }

void doubt_without_acquire(const Goals& reached, RunReport& report) {
    if (is<Passed>(report.verdict) && !is_among(acquired(), reached)) {
        report.verdict = Inconclusive{"", "nothing is violated, but nobody acquires"};
    }
}

void doubt_without_acquire(const Job& job, const GoalLimits& limits, RunReport& report) {
    if (!is<Passed>(report.verdict) || !needs_any_goal(job)) {
        return;
    }
    const ReachedGoals found = look_for(job, {acquired()}, limits);
    if (!found.limit.empty() && found.reached.empty()) {
        report.verdict = Inconclusive{
            found.limit,
            "nothing is violated, but nobody acquires yet (ended by limit: " + found.limit + ")"};
        return;
    }
    doubt_without_acquire(found.reached, report);
}

void judge_goals(const Job& job, const Goals& goals, const GoalLimits& limits,
                 const std::string& proved, RunReport& report) {
    if (goals.empty()) {
        return;
    }
    conclude_goals(job, goals, look_for(job, goals, limits), proved, report);
}

void conclude_goals(const Job& job, const Goals& goals, const ReachedGoals& found,
                    const std::string& proved, RunReport& report) {
    note_goals(job, found.reached, report);
    if (!is<Passed>(report.verdict) || has_all(goals, found.reached)) {
        return;
    }
    const std::string missed = report.goals_missed.empty()
                                   ? std::string("that anybody acquires")
                                   : "goal " + names_text(report.goals_missed);
    if (!found.limit.empty()) {
        report.verdict = Inconclusive{
            found.limit, fmt::format("{}, but {} is not reached yet (ended by limit: {})", proved,
                                     missed, found.limit)};
    } else if (!report.goals_missed.empty()) {
        report.verdict = Unreached{missed};
    } else {
        report.verdict = Inconclusive{"", proved + ", but nobody can acquire"};
    }
}

}  // namespace lockkeeper
