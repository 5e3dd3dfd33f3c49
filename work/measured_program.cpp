// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "measure/sampled.hpp"
#include "validate/outside/walker.hpp"
#include "work/measure_verdict.hpp"
#include "work/program_job.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
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
