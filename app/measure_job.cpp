#include "app/measure_job.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "app/agreement.hpp"
#include "app/execute.hpp"
#include "app/exit_code.hpp"
#include "app/units.hpp"
#include "measure/exact.hpp"
#include "measure/prism_export.hpp"
#include "measure/sampled.hpp"
#include "model/check.hpp"
#include "reports/measure_words.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"
#include "scheduler/process_memory.hpp"

namespace lockkeeper {
namespace {

// A check by sampling is cheap up to here. Its intervals are so wide that a disagreement is an
// error of the harness, not chance: one in a million.
constexpr std::uint64_t kCheckRuns = 20'000;
constexpr std::uint64_t kCheckSteps = 2'000;  // of one run
constexpr double kCheckConfidence = 0.999999;
constexpr double kGateConfidence = 0.99;

MeasureOptions options_for(const Session& session, const Job& job, const Law& law) {
    const Options& flags = session.options;
    const ScenarioLimits& limits = job.scenario.limits;
    MeasureOptions options;
    options.law = law;
    options.check = measurable(job.check);
    if (options.check.size() > kExactPropertiesMax) {
        refuse(job.scenario, "/check",
               fmt::format("{} properties; at most {} are measured at once", options.check.size(),
                           kExactPropertiesMax));
    }
    options.method = flags.measure.method;
    options.bounds = flags.measure.bounds;
    options.symmetry = job.scenario.symmetry && !flags.no_symmetry;
    options.states_max = first_of(flags.states_max, limits.states_max, options.states_max);
    options.bytes_max = flags.bytes_max.value_or(memory_default());
    options.process_bytes_max = options.bytes_max;
    options.seed = job.scenario.seed;
    // Never changes a figure.
    options.jobs = static_cast<unsigned>(jobs_of(flags));
    options.confidence = flags.measure.confidence;
    options.relative_width = flags.measure.relative_width;
    options.below = flags.measure.below;
    options.runs_max = flags.measure.runs_max.value_or(options.runs_max);
    options.steps_max = first_of(flags.steps_max, limits.steps_max, options.steps_max);
    options.seconds_max = flags.seconds_max.value_or(limits.seconds_max.value_or(1e18));
    return options;
}

MeasureResult sampled_or_split(const Runner& runner, const MeasureOptions& options) {
    return options.method == MeasureMethod::kSplitting
               ? measure_by_splitting(runner.walkers(), options)
               : measure_by_sampling(runner.walkers(), options);
}

// With --method auto: the exact result where the graph is small enough, else the sampled one.
MeasureResult exact_or_sampled(const Runner& runner, MeasureOptions options,
                               bool states_are_given) {
    if (!states_are_given) {
        options.states_max = std::min(options.states_max, kExactStates);
    }
    MeasureResult exact = measure_exactly(runner.erased(), options);
    if (exact.complete || interrupt_requested()) {
        return exact;
    }
    options.seconds_max = std::max(0.0, options.seconds_max - exact.seconds);
    return measure_by_sampling(runner.walkers(), options);
}

// Only runs that end say how probable something is in a run.
void check_by_sampling(const Runner& runner, MeasureOptions options, MeasuredPoint& point) {
    if (!std::isfinite(point.result.acquires_per_run.value)) {
        point.not_compared = "some runs never end";
        return;
    }
    options.runs_max = kCheckRuns;
    options.steps_max = kCheckSteps;
    options.seconds_max = std::max(0.0, options.seconds_max - point.result.seconds);
    options.confidence = kCheckConfidence;
    options.relative_width = 0;
    options.below.reset();
    MeasureResult sampled = measure_by_sampling(runner.walkers(), options);
    if (sampled.cut_runs > 0) {
        point.not_compared =
            fmt::format("{} of {} have no end after {} steps", with_commas(sampled.cut_runs),
                        counted(sampled.runs, "run"), with_commas(kCheckSteps));
    } else if (!sampled.complete) {
        point.not_compared = "sampling was ended by limit: " + sampled.limit;
    } else {
        point.agreement = compared(point.result, std::move(sampled));
    }
}

// No number of runs shows that something never happens.
void decide_by_sampling(const Runner& runner, MeasureOptions options, RateCheck& check) {
    options.check = {check.property};
    if (check.bound > 0 && check.bound < 1) {
        options.below = check.bound;
    } else {
        options.runs_max = kCheckRuns;
    }
    const MeasureResult sampled = measure_by_sampling(runner.walkers(), options);
    check.rate = sampled.properties.front().per_run;
    check.method = sampled.method;
    if (check.bound >= 1) {
        check.met = true;
    } else if (check.bound > 0) {
        check.met = sampled.is_below;
    } else if (check.rate.value > 0) {
        check.met = false;
    }
}

std::string exactness(const RateCheck& check) {
    return check.method == "exact" ? "exact"
                                   : fmt::format("{} in {} at confidence {}", check.method,
                                                 interval_text(check.rate), kGateConfidence);
}

}  // namespace

ChosenLaw law_for(const std::optional<Law>& flag, const Scenario& scenario) {
    if (flag) {
        return {*flag, "--law"};
    }
    if (scenario.law) {
        return {*scenario.law, "the scenario"};
    }
    if (scenario.traffic) {
        return {law_of(*scenario.traffic, scenario.world), "its traffic"};
    }
    return {{}, "default"};
}

Law law_of(const Traffic& traffic, const WorldConfig& world) {
    const auto callers = static_cast<double>(world.callers.size());
    const auto mortal = static_cast<double>(
        std::count_if(world.callers.begin(), world.callers.end(),
                      [](const CallerConfig& caller) { return caller.may_crash; }));
    std::map<ActionClass, double> rates;
    rates[ActionClass::kStep] = traffic.steps_per_second;
    rates[ActionClass::kArrival] = traffic.acquires_per_second / callers;
    rates[ActionClass::kDeparture] =
        traffic.hold_seconds > 0 ? 1 / traffic.hold_seconds : traffic.steps_per_second;
    rates[ActionClass::kCrash] =
        mortal > 0 ? traffic.crashes_per_hour / kSecondsPerHour / mortal : 0;
    rates[ActionClass::kResize] = traffic.resizes_per_hour / kSecondsPerHour;
    const auto law = make_law(LawKind::kRates, rates);
    LOCKKEEPER_CHECK(law);
    return *law;
}

std::vector<std::string> warnings_about(const Law& law, const Scenario& scenario) {
    std::vector<std::string> warnings;
    const auto warn = [&](bool is_allowed, ActionClass which) {
        if (is_allowed && law.weight(which) == 0) {
            warnings.push_back(fmt::format(
                "the scenario has \"{}\", but the law gives it weight 0: it never happens",
                name_of(which)));
        }
    };
    if (scenario.traffic) {
        const double busy = scenario.traffic->acquires_per_second * scenario.traffic->hold_seconds;
        const auto callers = static_cast<double>(scenario.world.callers.size());
        if (busy > callers) {
            warnings.push_back(fmt::format(
                "the traffic keeps {:g} locks held at a time (acquires_per_second times "
                "hold_seconds), but there are {:g} callers: they cannot make so many acquires",
                busy, callers));
        }
        if (law.kind != LawKind::kRates) {
            warnings.emplace_back(
                "the law knows no time: the forecast takes each acquire of the traffic for one of "
                "its runs, which is an upper limit at best");
        }
    }
    warn(scenario.world.crashes_max > 0, ActionClass::kCrash);
    warn(scenario.world.resizes_max() > 0, ActionClass::kResize);
    const auto& faults = scenario.parameters.faults;
    const bool has_faults = std::any_of(faults.begin(), faults.end(),
                                        [](const auto& fault) { return fault.second > 0; });
    if (has_faults && law.weight(ActionClass::kFault) == 0 &&
        law.weight(ActionClass::kDisturbance) == 0) {
        warn(true, ActionClass::kFault);
    }
    return warnings;
}

std::vector<const Property*> measurable(const std::vector<const Property*>& check) {
    std::vector<const Property*> chosen;
    std::copy_if(check.begin(), check.end(), std::back_inserter(chosen),
                 [](const Property* property) { return !property->is(PropertyNumber::kLivelock); });
    return chosen;
}

double capacity_of(const Job& job) {
    if ((job.runner->features() & kHasCapacity) == 0) {
        return 0;
    }
    double capacity = 0;
    for (const CallerConfig& caller : job.scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire && operation.key == 0) {
                const int buckets = operation.follows_resizes ? job.scenario.world.views.front()
                                                              : operation.buckets;
                capacity = std::max(capacity, static_cast<double>(operation.max_per) * buckets);
            }
        }
    }
    return capacity;
}

void measure_job(const Session& session, const Job& job, const Law& law, MeasuredPoint& point) {
    const Runner& runner = *job.runner;
    MeasureOptions options = options_for(session, job, law);
    ProgressLine line(session.err, session.err_is_terminal, session.options.quiet);
    options.progress = [&](std::uint64_t done, double seconds) {
        line.show(MeasureProgress{done, seconds});
    };
    const bool states_are_given = session.options.states_max || job.scenario.limits.states_max;
    switch (options.method) {
        case MeasureMethod::kAuto:
            point.result = exact_or_sampled(runner, options, states_are_given);
            if (point.result.method == "exact" && point.result.complete) {
                check_by_sampling(runner, options, point);
            }
            break;
        case MeasureMethod::kExact: point.result = measure_exactly(runner.erased(), options); break;
        case MeasureMethod::kSampled:
        case MeasureMethod::kSplitting: point.result = sampled_or_split(runner, options); break;
    }
    point.capacity = capacity_of(job);
    const bool has_figures = point.result.method != "exact" || point.result.complete;
    if (job.scenario.traffic && has_figures) {
        point.forecast = forecast_of(
            point.result, {job.scenario.traffic->acquires_per_second, point.capacity,
                           session.options.measure.keep_loss_under.value_or(kLossShareDefault)});
    }
}

std::optional<std::string> export_job(const Session& session, const Job& job, const Law& law,
                                      PrismFiles& files) {
    return export_to_prism(job.runner->erased(), options_for(session, job, law), files);
}

std::optional<bool> met_by(const Figure& rate, double bound) {
    if (rate.low > bound) {
        return false;
    }
    return rate.high <= bound ? std::optional(true) : std::nullopt;
}

std::vector<RateCheck> check_rates(const Session& session, const Job& job) {
    const auto& max_rate = job.scenario.expect.max_rate;
    std::vector<RateCheck> checks;
    if (max_rate.empty()) {
        return checks;
    }
    const Runner& runner = *job.runner;
    MeasureOptions options = options_for(session, job, law_for(std::nullopt, job.scenario).law);
    options.confidence = kGateConfidence;
    std::erase_if(options.check, [&](const Property* property) {
        return !max_rate.contains(std::string(property->name));
    });
    MeasureOptions small = options;
    small.states_max = std::min(small.states_max, kExactStates);
    const MeasureResult exact = measure_exactly(runner.erased(), small);
    for (std::size_t i = 0; i < options.check.size(); ++i) {
        const Property* property = options.check[i];
        RateCheck check{property, max_rate.at(std::string(property->name)), {}, "exact", {}};
        if (exact.complete) {
            check.rate = exact.properties[i].per_run;
            check.met = met_by(check.rate, check.bound);
        } else if (!interrupt_requested()) {
            decide_by_sampling(runner, options, check);
        }
        checks.push_back(check);
    }
    return checks;
}

std::string first_rate_difference(const std::vector<RateCheck>& checks) {
    std::string undecided;
    for (const RateCheck& check : checks) {
        std::string text =
            fmt::format("/expect/max_rate/{}: expected at most {:g} per run, actual {:.6g} ({})",
                        check.property->name, check.bound, check.rate.value, exactness(check));
        if (check.met && !*check.met) {
            return text;
        }
        if (!check.met && undecided.empty()) {
            undecided = text + ": not decided within the limits";
        }
    }
    return undecided;
}

}  // namespace lockkeeper
