// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "measure/sampled.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/outside/walker.hpp"
#include "work/jobs.hpp"
#include "work/make_report.hpp"
#include "work/measure_files.hpp"
#include "work/program_job.hpp"
#include "work/results/conclusion.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// The command that gives the same figures again. The file keeps what it says, but for the seed.
std::string repeat_command(const Asked& options, const RunReport& report) {
    return fmt::format(
        "{} measure {} --seed {}{}", options.program, shell_quoted(report.file), report.seed,
        given_again(options,
                    {"--law", "--method", "--below", "--runs", "--max-states", "--max-steps",
                     "--keep-loss-under", "--confidence", "--relative-width", "--bounds", "--ages",
                     "--check", "--set", "--sweep", "--compare"}) +
            given_again(options, {"--program", "--tasks", "--promises", "--wire", "--client"}) +
            wire_flags_again(options));
}

RunReport begin(const Desk& desk, const Scenario& scenario) {
    const MeasureFlags& flags = desk.asked.measure;
    const Job job = prepare(desk, scenario);
    RunReport report = begin_report(desk, job, "");
    report.words = kMeasureWords;
    report.checked = measurable(job.check);
    const ChosenLaw law = law_for(flags.chosen_law, scenario);
    report.details = Measurement{law, warnings_about(law.law, job.scenario), flags.confidence, {}};
    report.repeat_command = repeat_command(desk.asked, report);
    return report;
}

// `chain`: null without --prism. What was measured is told also where a file cannot be written.
MeasuredPoint measure(const Desk& desk, const Job& job, const Law& law, PrismFiles* chain,
                      RunReport& report) {
    const Asked& flags = desk.asked;
    MeasureOptions options = measure_options(desk, job, law);
    const auto watcher = desk.watch();
    options.progress = [&](std::uint64_t done, double seconds) {
        watcher->show(MeasureProgress{done, seconds});
    };
    MeasuredPoint point =
        measure_point(*job.runner, job.scenario, options,
                      job.scenario.limits.states_max.has_value(), flags.measure.keep_loss_under);
    point.scope = scope_of(job);
    watcher->wipe();
    write_beside(desk, report, [&] {
        if (flags.out_directory) {
            write_extremes(job, point.result, *flags.out_directory, output_rule(desk, kTraceMark),
                           report.files_written);
        }
    });
    options.progress = nullptr;
    write_beside(desk, report, [&] {
        if (chain != nullptr) {
            write_chain(job, options, *chain, report);
        }
    });
    return point;
}

}  // namespace

RunReport measure_outside(const Desk& desk, const std::string& file) {
    const Asked& options = desk.asked;
    ProgramJob job =
        (options.validate.wire ? wire_job : program_job)(desk, value_or_throw(load_scenario(file)));
    const MeasureOptions asked = begin_measuring(job, options);
    job.report.repeat_command = repeat_command(options, job.report);
    desk.head(job.report);
    measure_program(job, asked, *desk.watch());
    return std::move(job.report);
}

RunReport measure_scenario(const Desk& desk, const std::string& file, const ChainFiles& chains) {
    const Deadline began;
    const MeasureFlags& flags = desk.asked.measure;
    const Scenario scenario = value_or_throw(load_scenario(file));
    refuse_contradictions(flags, flags.plan, desk.asked.numbers);
    RunReport report = begin(desk, scenario);
    Measurement& measured = std::get<Measurement>(report.details);
    desk.head(report);
    // All of them before the first is measured: a bad value costs no finished point.
    const auto has_to_end = [&desk] { return interrupt_requested() || desk.deadline.is_past(); };
    std::vector<Job> jobs;
    auto points = planned_points(desk.registry, scenario, measured.law, flags.plan);
    jobs.reserve(points.size());
    for (std::size_t i = 0; i < points.size() && (i == 0 || !has_to_end()); ++i) {
        jobs.push_back(prepare(desk, points[i].scenario));
    }
    for (std::size_t i = 0; i < jobs.size() && !(i == 0 ? interrupt_requested() : has_to_end());
         ++i) {
        PrismFiles* chain = chains.empty() ? nullptr : chains.at(i).get();
        measured.points.push_back(measure(desk, jobs[i], points[i].law, chain, report));
        measured.points.back().at = points[i].at;
    }
    const bool is_as_it_stands = flags.plan.variants.empty() && flags.plan.sweep.empty();
    report.seconds = began.elapsed();
    judge_measurement(flags.below, is_as_it_stands ? scenario.expect.max_rate : RateBounds{}, jobs,
                      desk.asked.bytes_max, report);
    judge_points_left(flags.plan.points_count(), report);
    return report;
}

namespace {

// The runs cannot show how long something lasts, nor units that nobody can have any more.
void leave_out_what_is_not_seen(const std::vector<const Property*>& check, MeasureResult& result) {
    for (std::size_t i = 0; i < check.size(); ++i) {
        PropertyRates& rates = result.properties[i];
        rates.property = check[i];
        rates.fraction_of_time.reset();
        rates.violating_seconds.reset();
    }
    result.seconds_to_seizure.reset();
    result.capacity_lost = {0, 0, kInfinity};  // nobody knows
}

BadRun shown_run(const ProgramJob& job, OutsideSearch& search, const OutsideFinding& bad_run) {
    const Schedule schedule{job.report.seed, search.shrink(bad_run).actions};
    return {bad_run.property, schedule, job.replay_command(to_line(schedule))};
}

void refuse_what_needs_a_model(const Asked& asked) {
    const MeasureFlags& flags = asked.measure;
    const bool needs_graph = flags.method == MeasureMethod::kExact ||
                             flags.method == MeasureMethod::kSplitting || flags.bounds ||
                             flags.ages;
    const bool writes_files = flags.prism_directory || flags.svg_file || asked.out_directory;
    if (needs_graph || writes_files || !flags.plan.sweep.empty() || !flags.plan.variants.empty()) {
        throw UsageError(
            "measure: runs of --program and --wire are sampled: --method exact and splitting, "
            "--bounds, --ages, --prism, --svg, --out, --sweep and --compare are for models");
    }
}

}  // namespace

MeasureOptions begin_measuring(ProgramJob& job, const Asked& asked) {
    const MeasureFlags& flags = asked.measure;
    refuse_what_needs_a_model(asked);
    const ChosenLaw chosen = law_for(flags.chosen_law, job.scenario);
    MeasureOptions options = measure_options_of(job.scenario, job.world.check, chosen.law,
                                                static_cast<const MeasureOptions&>(flags));
    options.runs_max = is_given(asked, "--runs") ? options.runs_max : kOutsideRuns;
    job.report.words = kMeasureWords;
    job.report.checked = options.check;
    job.report.details =
        Measurement{chosen, warnings_about(chosen.law, job.scenario), flags.confidence, {}, {}};
    return options;
}

void measure_program(ProgramJob& job, const MeasureOptions& options, Watcher& watcher) {
    RunReport& report = job.report;
    const std::vector<const Property*> check = options.check;
    const std::vector<Property> shown = as_event_bits(check);
    MeasureOptions asked = options;
    asked.method = MeasureMethod::kSampled;
    asked.jobs = 1;  // one program
    asked.check.clear();
    for (const Property& property : shown) {
        asked.check.push_back(&property);
    }
    asked.progress = [&](std::uint64_t done, double seconds) {
        watcher.show(MeasureProgress{done, seconds});
    };
    OutsideOptions limits = stepped_options_of(job);
    limits.seconds_max = options.seconds_max;
    std::optional<OutsideFinding> bad_run;
    std::optional<Verdict> broken;
    OutsideTally tally;
    MeasuredPoint point;
    point.system = report.system;
    point.variant = report.variant;
    point.scope = report.scope;
    with_search(job, limits, watcher, [&](OutsideSearch& search, const LastWords&) {
        const MakeWalker make_walker = [&](const Law& law) {
            return std::make_unique<OutsideWalker>(search, check, law, bad_run, tally);
        };
        try {
            point.result = measure_by_sampling(make_walker, asked);
        } catch (const Misbehaved& error) {
            if (is_input(error.kind())) {
                throw;
            }
            broken =
                Violated{"misbehaved: " + std::string(name_of(error.kind())) + ": " + error.what()};
            return;
        }
        leave_out_what_is_not_seen(check, point.result);
        if (bad_run) {
            std::get<Measurement>(report.details).bad_run = shown_run(job, search, *bad_run);
        }
    });
    watcher.wipe();
    if (broken || is<Error>(report.verdict)) {
        report.verdict = broken.value_or(report.verdict);
        return;
    }
    report.seconds = point.result.seconds;
    std::get<Measurement>(report.details).points.push_back(std::move(point));
    judge_measurement(options.below, job.scenario.expect.max_rate, report);
    Measurement& measured = std::get<Measurement>(report.details);
    measured.remarks.assign(tally.remarks.begin(), tally.remarks.end());
    // Like a search: without a violation, runs that showed too little are inconclusive.
    const std::string missing = tally.what_is_missing(job.world);
    if (!missing.empty() && !measured.bad_run) {
        report.verdict = Inconclusive{"", missing};
    }
}

}  // namespace lockkeeper
