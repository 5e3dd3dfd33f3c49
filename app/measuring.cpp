#include "app/measuring.hpp"

#include <chrono>

#include <fmt/format.h>

#include "app/extreme_traces.hpp"
#include "reports/conclusion.hpp"
#include "reports/measure_words.hpp"
#include "reports/rate_plot.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

// Which systems and parameters are measured, one after the other.
struct SweepPlace {
    std::string variant;  // of --compare; empty: the scenario's
    std::vector<std::pair<std::string, double>> at;
};

void add_values(const std::vector<SweepAxis>& sweep, std::vector<SweepPlace>& places) {
    for (const SweepAxis& axis : sweep) {
        std::vector<SweepPlace> more;
        for (const SweepPlace& place : places) {
            for (const double value : axis.values) {
                more.push_back(place);
                more.back().at.emplace_back(axis.name, value);
            }
        }
        places = std::move(more);
    }
}

std::vector<SweepPlace> places_of(const MeasureFlags& flags) {
    std::vector<SweepPlace> places;
    for (const std::string& variant : flags.compare) {
        places.push_back({variant, {}});
    }
    if (places.empty()) {
        places.emplace_back();
    }
    add_values(flags.sweep, places);
    return places;
}

class Measuring {
  public:
    Measuring(const Session& session, std::string file, MeasureOutputs& outputs)
        : session_(session), flags_(session.options.measure), outputs_(outputs) {
        report_.file = std::move(file);
    }

    MeasureReport run() {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point start = Clock::now();
        const Scenario scenario = value_or_throw(load_scenario(report_.file));
        begin(scenario);
        // All of them before the first is measured: a bad value costs no finished point.
        std::vector<Planned> plan;
        for (const SweepPlace& place : places_of(flags_)) {
            plan.push_back(planned(scenario, place));
        }
        for (const Planned& point : plan) {
            if (!interrupt_requested()) {
                measure(point);
            }
        }
        judge(scenario);
        if (outputs_.svg) {
            write([&] {
                outputs_.svg->write(rate_plot(report_));
                report_.files_written.push_back(outputs_.svg->path());
            });
        }
        report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        return std::move(report_);
    }

  private:
    void begin(const Scenario& scenario) {
        const bool is_sampled =
            flags_.method == MeasureMethod::kSampled || flags_.method == MeasureMethod::kSplitting;
        if (flags_.bounds && is_sampled) {
            throw UsageError(
                "--bounds are of the whole graph: they go with --method auto or exact");
        }
        for (const SweepAxis& axis : flags_.sweep) {
            if (session_.options.numbers.contains(axis.name)) {
                throw UsageError("--set " + axis.name + " does not go with a sweep over it");
            }
        }
        const Job job = prepare(session_, scenario);
        report_.law = law_for(flags_.law, scenario);
        report_.seed = job.scenario.seed;
        report_.confidence = flags_.confidence;
        report_.checked = measurable(job.check);
        report_.scope = scope_of(job);
        report_.warnings = warnings_about(report_.law.law, job.scenario);
        report_.repeat_command = repeat_command(session_, report_);
        RunReport head;
        head.measured = report_;
        session_.writer->head(head);
    }

    struct Planned {
        Job job;
        Law law;
        std::vector<std::pair<std::string, double>> at;
    };
    [[nodiscard]] Planned planned(Scenario scenario, const SweepPlace& place) const {
        if (!place.variant.empty()) {
            take_variant(session_.registry, place.variant, scenario);
        }
        if (!place.variant.empty() || !place.at.empty()) {
            scenario.expect.max_rate.clear();  // bounds are of the scenario as it stands
        }
        Law law = report_.law.law;
        for (const auto& [name, value] : place.at) {
            vary(session_.registry, name, value, scenario, law);
        }
        // Traffic is of all callers: with more of them each comes less often.
        if (report_.law.origin == LawOrigin::kTraffic) {
            law = law_of(*scenario.traffic, scenario.world);
        }
        return {prepare(session_, std::move(scenario)), law, place.at};
    }

    void measure(const Planned& planned) {
        const auto& [job, law, at] = planned;
        MeasuredPoint point;
        point.system = job.scenario.system;
        point.variant = job.scenario.variant;
        point.scope = scope_of(job);
        point.at = at;
        measure_job(session_, job, law, point);
        write([&] { write_extremes(session_, planned.job, point, report_.files_written); });
        if (!outputs_.chains.empty()) {
            write([&] {
                export_chain(planned.job, planned.law, *outputs_.chains.at(report_.points.size()));
            });
        }
        report_.points.push_back(std::move(point));
    }

    // What was measured is told also where a file cannot be written.
    void write(const std::function<void()>& write_file) {
        report_.has_failed_output |= !write_or_complain(session_, write_file);
    }

    void export_chain(const Job& job, const Law& law, PrismFiles& files) {
        if (const auto wrong = export_job(session_, job, law, files)) {
            throw BadInput({report_.file, "", "--prism: " + *wrong});
        }
        for (const OutputClaim* file : {&files.states, &files.transitions, &files.labels}) {
            report_.files_written.push_back(file->path());
        }
    }

    void judge(const Scenario& scenario) {
        for (const MeasuredPoint& point : report_.points) {
            judge_point(point);
        }
        if (flags_.sweep.empty() && flags_.compare.empty() && !report_.points.empty()) {
            judge_bounds(scenario.expect.max_rate);
        }
        if (interrupt_requested()) {
            report_.verdict = Inconclusive{"", "interrupted"};
            report_.is_interrupted = true;
        }
    }

    // The worst one stays.
    void conclude(Verdict verdict) {
        const int before = exit_code_of(report_.verdict);
        if (worse_exit_code(before, exit_code_of(verdict)) != before) {
            report_.verdict = std::move(verdict);
        }
    }

    void judge_point(const MeasuredPoint& point) {
        const MeasureResult& result = point.result;
        if (point.agreement && !point.agreement->agrees()) {
            conclude(
                Disagreement{"exact and sampled differ: " + difference_text(*point.agreement)});
        }
        // A whole graph may still lack bounds over all schedulers.
        if (!result.complete || !result.limit.empty()) {
            conclude(Inconclusive{result.limit});
        }
        if (flags_.below) {
            judge_below(result);
        }
    }

    void judge_below(const MeasureResult& result) {
        if (!has_figures(result) || result.properties.empty()) {
            return;
        }
        const double bound = *flags_.below;
        const auto [largest, is_below] = check_below(result, bound);
        const std::string text = fmt::format("{}: {} per run", title_of(*largest->property),
                                             number_text(largest->per_run.value));
        if (!is_below) {
            conclude(Inconclusive{
                "", fmt::format("{}: not decided whether below {}", text, number_text(bound))});
        } else if (!*is_below) {
            conclude(Violated{fmt::format("{} is not below {}", text, number_text(bound))});
        }
    }

    void judge_bounds(const RateBounds& max_rate) {
        const MeasureResult& result = report_.points.front().result;
        if (!has_figures(result)) {
            return;
        }
        report_.gate = check_bounds(result, max_rate);
        for (const RateCheck& check : report_.gate) {
            const std::string text =
                fmt::format("{}: {} per run, allowed {}", title_of(*check.property),
                            number_text(check.rate.value), number_text(check.bound));
            if (!check.met) {
                conclude(Inconclusive{"", text});
            } else if (!*check.met) {
                conclude(Violated{text});
            }
        }
    }

    const Session& session_;
    const MeasureFlags& flags_;
    MeasureOutputs& outputs_;
    MeasureReport report_;
};

}  // namespace

MeasureReport measure_file(const Session& session, const std::string& file,
                           MeasureOutputs& outputs) {
    return Measuring(session, file, outputs).run();
}

}  // namespace lockkeeper
