// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "measure/measured_point.hpp"
#include "reports/texts.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string capacity_text(const Forecast& forecast, bool sampled) {
    const Load& load = forecast.load;
    std::string text = fmt::format("  capacity lost per day   {} of {} units\n",
                                   with_interval(forecast.units_per_day, sampled), load.capacity);
    text += fmt::format("  the key seizes after    {}\n",
                        time_with_interval(forecast.seconds_to_seizure, sampled));
    if (std::isinf(forecast.restart_seconds.low)) {
        return text + "  no restart is needed\n";
    }
    text +=
        fmt::format("  a restart every         {} keeps the loss under {:g} % of the capacity\n",
                    time_with_interval(forecast.restart_seconds, sampled), load.share * 100);
    if (sampled) {
        text += fmt::format("                          to be on the safe side: {}\n",
                            time_text(forecast.restart_seconds.low));
    }
    return text;
}

std::string forecast_text(const Forecast& forecast, bool sampled, double confidence) {
    std::string text = fmt::format("forecast for {} acquires per second\n",
                                   number_text(forecast.load.acquires_per_second));
    if (forecast.has_capacity) {
        text += capacity_text(forecast, sampled);
    } else if (forecast.load.capacity > 0) {
        text +=
            "  no forecast of lost capacity: runs do not end, and only an end says what is lost\n";
    }
    for (const EventsPerDay& events : forecast.events) {
        if (events.per_day.value > 0 && events.property->kind == PropertyKind::kAlways) {
            text += fmt::format("  {:<22}  {} per day\n", events.property->name,
                                with_interval(events.per_day, sampled));
        }
    }
    text +=
        "  assumed: events come independently and at this rate all day; the scenario's callers "
        "stand for\n  all; nothing lost is won back before a restart, and each further unit goes "
        "as fast as the "
        "first";
    if (sampled) {
        text += fmt::format("; intervals are made of two figures: at confidence {:.4g}",
                            std::max(0.0, 2 * confidence - 1));
    }
    return text + "\n";
}

constexpr double kMillion = 1e6;

Figure per_million(const Figure& figure) {
    return {figure.value * kMillion, figure.low * kMillion, figure.high * kMillion};
}

std::string how(const MeasuredPoint& point, double confidence) {
    const MeasureResult& result = point.result;
    if (!is_sampled(result)) {
        return fmt::format("exact{}: {}, {}, {}", result.complete ? "" : ", NOT complete",
                           counted(result.states, "state"),
                           counted(result.transitions, "transition"), seconds_text(result.seconds));
    }
    std::string text =
        fmt::format("{}: {}, {}, intervals at confidence {}, {}", name_of(result.method),
                    counted(result.runs, "run"), counted(result.steps, "step"), confidence,
                    seconds_text(result.seconds));
    if (result.cut_runs > 0) {
        text += fmt::format(
            "\n{} cut before their end: what they would have met later is missing",
            counted(result.cut_runs, "run") + (result.cut_runs == 1 ? " was" : " were"));
    }
    return text;
}

std::string agreement_text(const MeasuredPoint& point) {
    if (point.agreement) {
        return point.agreement->agrees()
                   ? fmt::format(
                         "checked: {} agree: each of {} lies in its sampled interval at "
                         "confidence {}\n",
                         counted(point.agreement->sampled.runs, "sampled run"),
                         counted(point.agreement->figures, "exact figure"),
                         point.agreement->sampled.confidence)
                   : "DISAGREEMENT of exact and sampled: " + difference_text(*point.agreement) +
                         "\n";
    }
    const std::string why = not_compared_text(point);
    return why.empty() ? "" : "not checked by sampling: " + why + "\n";
}

bool never_happens(const PropertyRates& rates) {
    return rates.per_run.value == 0 && rates.hits == 0 && !rates.extremes;
}

std::string extremes_text(const PropertyRates& rates) {
    if (!rates.extremes) {
        return "";
    }
    const ExtremeRates& extremes = *rates.extremes;
    std::string text = fmt::format("    over all schedulers     {} to {} per run\n",
                                   number_text(extremes.least), number_text(extremes.most));
    if (extremes.schedule_most) {
        text += "    the worst, for example  " + to_line(*extremes.schedule_most) + "\n";
    }
    if (extremes.schedule_least) {
        text += "    the best, for example   " + to_line(*extremes.schedule_least) + "\n";
    }
    return text;
}

std::string property_line(const PropertyRates& rates, bool sampled) {
    std::string text = fmt::format("{:<22}  {:<34}  {}\n", title_of(*rates.property),
                                   with_interval(rates.per_run, sampled),
                                   with_interval(per_million(rates.per_acquire), sampled));
    if (rates.to_first && !std::isinf(rates.to_first->value)) {
        text += fmt::format("    mean time to the first  {}\n",
                            time_with_interval(*rates.to_first, sampled));
    }
    if (rates.fraction_of_time) {
        text += fmt::format("    share of the time       {}\n",
                            with_interval(*rates.fraction_of_time, sampled));
    }
    if (rates.violating_seconds && rates.violating_seconds->value > 0) {
        text += fmt::format("    seconds of each run     {}\n",
                            with_interval(*rates.violating_seconds, sampled));
    }
    if (rates.overlap_lasts && rates.overlap_lasts->value > 0) {
        text += fmt::format("    overlap lasts           {} of virtual time where there is one\n",
                            with_interval(*rates.overlap_lasts_if_any, sampled));
    }
    return text + extremes_text(rates);
}

// Zero hits have an interval, too: its upper end is what is known.
std::string never_text(const MeasuredPoint& point) {
    std::string names;
    double high = 0;
    for (const PropertyRates& rates : point.result.properties) {
        if (never_happens(rates)) {
            names += (names.empty() ? "" : ", ") + title_of(*rates.property);
            high = std::max(high, rates.per_run.high);
        }
    }
    if (names.empty()) {
        return "";
    }
    return is_sampled(point.result)
               ? fmt::format("no hit (below {} per run): {}\n", number_text(high), names)
               : "never: " + names + "\n";
}

// ", 12.5 per million acquires": by the expected number of acquires.
std::string lost_per_million(const MeasureResult& result) {
    const double lost = result.capacity_lost.value;
    const double acquires = result.acquires_per_run.value;
    return lost > 0 && acquires > 0 && std::isfinite(acquires)
               ? fmt::format(", {} per million acquires", number_text(1e6 * lost / acquires))
               : "";
}

std::string served_text(const ServedShares& served) {
    return fmt::format(
        "contended grants        {} per run\n"
        "  to the longest wait   {}\n"
        "  to the newest         {}\n"
        "  by equal chances      {} each\n",
        with_interval(served.contended_per_run, true), with_interval(served.to_longest, true),
        with_interval(served.to_newest, true), with_interval(served.by_equal_chances, true));
}

std::string totals_text(const MeasuredPoint& point) {
    const MeasureResult& result = point.result;
    const bool sampled = is_sampled(result);
    std::string text = fmt::format("acquires granted        {} per run\n",
                                   with_interval(result.acquires_per_run, sampled));
    if (point.capacity > 0) {
        text += result.every_run_ends()
                    ? fmt::format("capacity lost           {} of {} units per run{}\n",
                                  with_interval(result.capacity_lost, sampled), point.capacity,
                                  lost_per_million(result))
                    : "capacity lost           is told at the end of a run, and runs do not end\n";
    }
    if (result.served) {
        text += served_text(*result.served);
    }
    if (result.seconds_per_run) {
        text += "length of a run         " + time_with_interval(*result.seconds_per_run, sampled) +
                "\n";
    }
    // Infinite: a run may end before that.
    if (result.seconds_to_seizure && !std::isinf(result.seconds_to_seizure->value)) {
        text += "mean time to seizure    " +
                time_with_interval(*result.seconds_to_seizure, sampled) + "\n";
    }
    return text;
}

std::string point_text(const MeasuredPoint& point, double confidence) {
    std::string text = how(point, confidence) + "\n" + agreement_text(point) + "\n";
    if (!has_figures(point.result)) {
        return text + "ended by limit: " + point.result.limit + "\n";
    }
    text += fmt::format("{:<22}  {:<34}  {}\n", "", "probability in a run",
                        "expected per million acquires");
    for (const PropertyRates& rates : point.result.properties) {
        if (!never_happens(rates)) {
            text += property_line(rates, is_sampled(point.result));
        }
    }
    text += never_text(point) + totals_text(point);
    if (point.forecast) {
        text += "\n" + forecast_text(*point.forecast, is_sampled(point.result), confidence);
    }
    return text;
}

// Column widths of the names in front of a table's rows.
std::size_t widest_name(const Measurement& measured) {
    std::size_t width = 0;
    for (const MeasuredPoint& point : measured.points) {
        width = std::max(width, name_text(point).size());
    }
    return width;
}

// One property over all points: a sweep is read downwards.
std::string table_of(const Measurement& measured, const Property* property) {
    const std::size_t width = widest_name(measured);
    bool is_met = false;
    std::string text =
        fmt::format("{}\n  {:<{}}  {:<34}  {:<34}  {}\n", title_of(*property), "", width,
                    "probability in a run", "expected per million acquires", "method");
    for (const MeasuredPoint& point : measured.points) {
        const auto& all = point.result.properties;
        const auto rates = std::find_if(
            all.begin(), all.end(),
            [&](const PropertyRates& candidate) { return candidate.property == property; });
        const bool sampled = is_sampled(point.result);
        const bool is_known = rates != all.end() && has_figures(point.result);
        is_met = is_met || (is_known && rates->per_run.value > 0);
        text +=
            fmt::format("  {:<{}}  {:<34}  {:<34}  {}\n", name_text(point), width,
                        is_known ? with_interval(rates->per_run, sampled) : "-",
                        is_known ? with_interval(per_million(rates->per_acquire), sampled) : "-",
                        has_figures(point.result) ? name_of(point.result.method)
                                                  : "limit: " + point.result.limit);
    }
    return is_met ? text + "\n" : "";
}

std::string tables_text(const RunReport& report, const Measurement& measured) {
    std::string text;
    std::string never;
    for (const Property* property : report.checked) {
        const std::string table = table_of(measured, property);
        text += table;
        never += table.empty() ? (never.empty() ? "" : ", ") + title_of(*property) : "";
    }
    text += never.empty() ? "" : "zero, or no hit, everywhere: " + never + "\n";
    for (const MeasuredPoint& point : measured.points) {
        if (point.agreement && !point.agreement->agrees()) {
            text += name_text(point) + ": " + agreement_text(point);
        }
        if (point.forecast && has_figures(point.result)) {
            text += "\n" + name_text(point) + "\n" +
                    forecast_text(*point.forecast, is_sampled(point.result), measured.confidence);
        }
    }
    return text;
}

std::string gate_text(const RunReport& report) {
    std::string text;
    for (const RateCheck& check : report.rates) {
        text += fmt::format("max_rate: {} {} per run, allowed {}: {}\n", title_of(*check.property),
                            number_text(check.rate.value), number_text(check.bound),
                            !check.met   ? "NOT decided"
                            : *check.met ? "met"
                                         : "EXCEEDED");
    }
    return text;
}

// "exact", "sampled", "exact and sampled", and how many of them were checked both ways.
std::string precision_text(const Measurement& measured) {
    std::size_t exact = 0;
    std::size_t checked = 0;
    for (const MeasuredPoint& point : measured.points) {
        exact += is_sampled(point.result) ? 0U : 1U;
        checked += point.agreement ? 1U : 0U;
    }
    const std::size_t sampled = measured.points.size() - exact;
    std::string text;
    if (exact > 0) {
        text = fmt::format("{} exact ({} also sampled)", exact, checked);
    }
    if (sampled > 0) {
        text += fmt::format("{}{} sampled, intervals at confidence {}", text.empty() ? "" : ", ",
                            sampled, measured.confidence);
    }
    return text.empty() ? "nothing was measured" : text;
}

}  // namespace

std::string measure_head(const RunReport& report, const Measurement& measured) {
    std::string text =
        fmt::format("{}  seed {}  law {} ({})  scope: {}\n", build_text(), report.seed,
                    law_text(measured.law.law), name_of(measured.law.origin), report.scope);
    text += fmt::format("{}  measures: {}\n", printable(report.file), names_text(report.checked));
    for (const LawWarning& warning : measured.warnings) {
        text += "warning: " + warning_text(warning) + "\n";
    }
    return text;
}

std::string measure_body(const RunReport& report, const Measurement& measured) {
    std::string text = "\n";
    if (measured.points.size() == 1) {
        const MeasuredPoint& point = measured.points.front();
        text += name_text(point) + ", " + point_text(point, measured.confidence);
    } else {
        text += tables_text(report, measured);
    }
    return text + gate_text(report) + "\n";
}

std::string measure_foot(const RunReport& report, const Measurement& measured) {
    std::string text = goals_text(report) + "verdict: " + verdict_text(report) + "\n";
    text += "precision: " + precision_text(measured) + "\n";
    text += "seed: " + std::to_string(report.seed) + "\n";
    for (const std::string& remark : measured.remarks) {
        text += printable(remark) + "\n";
    }
    for (const std::string& file : report.files_written) {
        text += "written: " + printable(file) + "\n";
    }
    if (measured.bad_run) {
        text += fmt::format("replay: {}\n    one run that violates {}, in {}\n",
                            measured.bad_run->replay_command, title_of(*measured.bad_run->property),
                            counted(measured.bad_run->schedule.actions.size(), "step"));
    }
    return text + "repeat: " + report.repeat_command + "\n";
}

}  // namespace lockkeeper
