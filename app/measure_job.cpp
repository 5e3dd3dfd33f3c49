#include "app/measure_job.hpp"

#include <fmt/format.h>

#include "measure/chosen_law.hpp"
#include "measure/prism_export.hpp"
#include "reports/measure_words.hpp"
#include "reports/progress.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/process_memory.hpp"

namespace lockkeeper {

MeasureOptions measure_options(const Session& session, const Job& job, const Law& law) {
    const Options& flags = session.options;
    const ScenarioLimits& limits = job.scenario.limits;  // the flags are laid over them
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
    options.states_max = limits.states_max.value_or(options.states_max);
    options.bytes_max = flags.bytes_max.value_or(memory_default());
    options.process_bytes_max = options.bytes_max;
    options.seed = job.scenario.seed;
    // Never changes a figure.
    options.jobs = static_cast<unsigned>(jobs_of(flags));
    options.confidence = flags.measure.confidence;
    options.relative_width = flags.measure.relative_width;
    options.below = flags.measure.below;
    options.runs_max = flags.measure.runs_max.value_or(options.runs_max);
    options.steps_max = limits.steps_max.value_or(options.steps_max);
    options.seconds_max = limits.seconds_max.value_or(options.seconds_max);
    return options;
}

std::vector<RateCheck> check_rates(const Session& session, const Job& job) {
    const RateBounds& max_rate = job.scenario.expect.max_rate;
    return max_rate.empty()
               ? std::vector<RateCheck>()
               : check_rates(*job.runner, max_rate,
                             measure_options(session, job, law_for({}, job.scenario).law));
}

}  // namespace lockkeeper
